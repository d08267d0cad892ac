//! Where work resumes: the table by status, and the gates that may never be skipped silently.

mod gates;
mod infer;
mod table;
#[cfg(test)]
mod tests;

use crate::systems::nine_step::facts::ledger::Spot;
use crate::systems::nine_step::facts::{Facts, Ledger, Position, Source, merging};
use crate::systems::nine_step::points::{lost, merge_stage};
use crate::systems::nine_step::shape::{Class, PlanFound, ResumePlan, StepNo};

/// What follows from skipping a phase for now.
pub(crate) const UNFINISHED_PHASE: &str = "The skipped phase has no commit and its reviews are not done. Its uncommitted work is kept and becomes part of the next commit.";

/// Where work can resume.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Target {
    /// A step of a phase.
    Step(i64, StepNo),
    /// The merge stage, which asks the user first.
    Merge,
}

impl Target {
    /// Its phase and step.
    pub(crate) fn spot(self) -> Option<Spot> {
        match self {
            Self::Step(phase, step) => Some((phase, step)),
            Self::Merge => None,
        }
    }

    /// The id of the point.
    pub(crate) fn id(self) -> String {
        match self {
            Self::Step(phase, step) => format!("phase-{phase}-step-{step}"),
            Self::Merge => "merge".to_owned(),
        }
    }
}

/// What choosing a target implies beyond going there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Means {
    /// The user has approved the plan.
    Approve,
    /// A step is left out.
    Skip(StepNo),
}

/// A target other than the recommended one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Offer {
    pub(crate) target: Target,
    pub(crate) means: Option<Means>,
    /// The reason to choose it, as a sentence.
    pub(crate) why: String,
}

/// Where to resume, and the alternatives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Decision {
    pub(crate) chosen: Target,
    /// The reason, as a sentence.
    pub(crate) reason: String,
    pub(crate) offers: Vec<Offer>,
    /// What a person should know, as sentences.
    pub(crate) warnings: Vec<String>,
    /// Reviews that failed repeatedly, with their number of failures: only the person can let such a loop continue.
    pub(crate) loops: Vec<(i64, StepNo, u64)>,
    /// Where work resumes if the phase is skipped for now; `None` if a gate is open or no phase follows.
    pub(crate) next_phase: Option<(Spot, Target)>,
}

impl Decision {
    fn new(chosen: Target, reason: impl Into<String>) -> Self {
        Self {
            chosen,
            reason: reason.into(),
            offers: Vec::new(),
            warnings: Vec::new(),
            loops: Vec::new(),
            next_phase: None,
        }
    }

    pub(crate) fn offer(&mut self, target: Target, why: impl Into<String>) {
        let (means, why) = (None, why.into());
        self.offers.push(Offer { target, means, why });
    }

    fn offer_by(&mut self, means: Means, target: Target, why: impl Into<String>) {
        let (means, why) = (Some(means), why.into());
        self.offers.push(Offer { target, means, why });
    }

    fn warn(&mut self, warning: impl Into<String>) {
        self.warnings.push(warning.into());
    }

    /// The offer of a target, if there is one.
    pub(crate) fn offer_for(&self, target: Target) -> Option<&Offer> {
        self.offers.iter().find(|offer| offer.target == target)
    }

    /// What choosing a target implies.
    pub(crate) fn means_of(&self, target: Target) -> Option<Means> {
        self.offer_for(target)?.means
    }
}

/// The decision by the backup of the state file.
pub(crate) fn of_backup(facts: &Facts) -> Option<Decision> {
    let state = facts.backup.as_ref()?.state()?;
    let total = state.total.or_else(|| facts.plan.total());
    let mut decision = looking_ahead(facts, total, |outlook| {
        recorded(&Ledger::of(state), state.resume_plan.as_ref(), outlook)
    });
    // A step that the last save shows as not passed did not pass because that save is undone.
    if let Some(position) = not_passed(facts) {
        hold_at(&mut decision, position, "last");
    }
    Some(decision)
}

/// Resumes no later than at a step that a save shows as not passed.
fn hold_at(decision: &mut Decision, position: &Position, save: &str) {
    let still = Target::Step(position.phase, position.step);
    if still < decision.chosen {
        decision.chosen = still;
        decision.reason = format!(
            "The {save} save shows step {} of phase {} as not passed.",
            position.step.named(),
            position.phase
        );
    }
}

/// The step that the state file itself, not its backup, shows as failed or rejected.
pub(crate) fn not_passed(facts: &Facts) -> Option<&Position> {
    let position = facts.position().filter(|_| facts.source == Source::State)?;
    matches!(position.class, Class::Failure | Class::Hard).then_some(position)
}

/// The failed step of the backup, where the state file records nothing newer: then an older save was restored, and the
/// step did not pass because of that.
fn replaced_failure(facts: &Facts) -> Option<Position> {
    let own = facts.state.as_ref();
    let own = own.filter(|_| facts.source == Source::State)?.age()?;
    let backup = facts.backup.as_ref()?.state()?;
    let replaced = Ledger::of(backup).position;
    let failed = matches!(replaced.class, Class::Failure | Class::Hard);
    let is_newest = failed && Some(own) <= backup.age();
    is_newest.then_some(replaced)
}

/// Decides from the records if there are any, else from worktree, plan and commits.
pub(crate) fn decide(facts: &Facts) -> Decision {
    let mut decision = looking_ahead(facts, facts.total(), |outlook| {
        match (&facts.ledger, &facts.state) {
            (Some(ledger), Some(state)) => recorded(ledger, state.resume_plan.as_ref(), outlook),
            _ => infer::decide(facts, outlook),
        }
    });
    if let Some(position) = replaced_failure(facts) {
        hold_at(&mut decision, &position, "replaced");
    }
    lost::say(facts, &mut decision);
    merge_stage::say(facts, &mut decision);
    decision
}

/// Where work resumes once the worktree is reset to the commit of a phase and no state file says so.
pub(crate) fn after_reset(facts: &Facts, phase: i64) -> Target {
    let after = |outlook: &Outlook<'_>| infer::after(facts, phase, outlook);
    looking_ahead(facts, facts.total(), after).chosen
}

/// Decides with what the plan and the branch say of the phases after a position.
fn looking_ahead(
    facts: &Facts,
    total: Option<i64>,
    decided: impl FnOnce(&Outlook<'_>) -> Decision,
) -> Decision {
    decided(&Outlook {
        total,
        planned: &|phase| {
            let is_read = !matches!(facts.plan.found, PlanFound::Unreadable(_));
            is_read.then(|| facts.plan.phases.contains_key(&phase))
        },
        uncommitted: &|phase| is_uncommitted(facts, phase),
    })
}

/// The phases after a position.
pub(crate) struct Outlook<'a> {
    /// The number of phases, if known.
    pub(crate) total: Option<i64>,
    /// Whether the plan has a phase of this number; `None` if it cannot be read.
    pub(crate) planned: &'a dyn Fn(i64) -> Option<bool>,
    /// Whether there is work to commit and no commit that names the phase.
    pub(crate) uncommitted: &'a dyn Fn(i64) -> bool,
}

/// Without changes the phase may be in a commit that does not name it, so both must be certain.
fn is_uncommitted(facts: &Facts, phase: i64) -> bool {
    let git = &facts.git;
    let any = merging::uncommitted(facts, git).is_ok_and(|paths| !paths.is_empty());
    let is_committed = git.phases.contains_key(&phase) || git.earlier.contains_key(&phase);
    any && git.tip.is_some() && !is_committed
}

/// The decision from records: the table, then a rollback's plan, then the gates.
pub(crate) fn recorded(
    ledger: &Ledger,
    resume_plan: Option<&ResumePlan>,
    outlook: &Outlook<'_>,
) -> Decision {
    let mut decision = table::by_status(&ledger.position, ledger, outlook);
    if let Some(plan) = resume_plan {
        let position = &ledger.position;
        if position.record.is_skipped() && plan.phase > position.phase {
            decision.warn(UNFINISHED_PHASE);
        }
        gates::follow(&mut decision, plan, &ledger.position);
    }
    gates::hold_at_gates(&mut decision, ledger);
    gates::show_both(&mut decision, ledger, outlook);
    gates::warn_of_loops(&mut decision, ledger);
    let chosen = decision.chosen;
    decision.offers.retain(|offer| offer.target != chosen);
    gates::skip_the_phase(&mut decision, ledger, outlook);
    decision
}

/// The answer of the plugin's own resume code, as `phase P, step S`; `None` if it has no answer.
///
/// That code adds 1 to the step, so it skips the approval gate after step 2 and invents a step 3.5 after it, and it has
/// no answer for most failures. The agent shows its answer to the user, so a point mentions the difference.
pub(crate) fn upstream(phase: i64, step: StepNo, status: &str) -> Option<String> {
    let next = match (status, step) {
        ("failed", StepNo::DocsReview) => "5",
        ("waiting_approval", _) => "2.5",
        ("completed" | "in_progress", StepNo::Commit) => {
            return Some(format!("phase {}, step 1", phase.saturating_add(1)));
        }
        ("completed" | "in_progress", StepNo::Approval) => "3.5",
        ("failed", StepNo::CodeReview) | ("completed" | "in_progress", StepNo::PlanReview) => "3",
        ("completed" | "in_progress", step) => step.next()?.word(),
        _ => return None,
    };
    Some(format!("phase {phase}, step {next}"))
}
