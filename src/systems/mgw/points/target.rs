//! Where work resumes: the overrides, the action table and the evidence decide, in this order.

pub(crate) mod action;
#[cfg(test)]
mod tests;

use chrono::{DateTime, Utc};

use crate::systems::mgw::facts::evidence::{Lost, PhaseDir};
use crate::systems::mgw::facts::{Evidence, Facts, Source};
use crate::systems::mgw::shape::{Checkpoint, Home, RoadmapPhase, Route, Stage, State, Step};
use crate::text::format::capital;
use crate::world::World;

/// What is left to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Goal {
    /// Nothing: archived, or done.
    Nothing,
    /// The pull request exists: only the cleanup is left.
    Cleanup,
    /// Resume at this step.
    Step(Step),
}

impl Goal {
    /// Its step.
    pub(crate) fn step(self) -> Option<Step> {
        match self {
            Self::Step(step) => Some(step),
            Self::Nothing | Self::Cleanup => None,
        }
    }

    /// The orchestrator's stage for it.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Nothing => "done",
            Self::Cleanup => "cleanup",
            Self::Step(Step::Triage) => "triage",
            Self::Step(Step::Plan) => "planning",
            Self::Step(Step::Execute) => "executing",
            Self::Step(Step::Verify) => "verifying",
            Self::Step(Step::Pr) => "pr-pending",
        }
    }
}

/// What the decision is based on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Basis {
    /// The stage or a mark that overrides everything.
    Override,
    /// The checkpoint's action.
    Checkpoint,
    /// Documents, commits, branch.
    Evidence,
    /// The stage alone.
    Stage,
}

/// The decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Target {
    pub(crate) goal: Goal,
    pub(crate) basis: Basis,
    /// The reason, as a sentence.
    pub(crate) why: String,
    /// The position within the step, in a few words; may be empty.
    pub(crate) detail: String,
    /// Its phase of the roadmap, if the work goes phase by phase.
    pub(crate) phase: Option<String>,
    /// What a person should know, a sentence each.
    pub(crate) warnings: Vec<String>,
    /// The step according to the checkpoint alone, whatever is on disk.
    pub(crate) claimed: Option<Step>,
}

impl Target {
    fn new(goal: Goal, basis: Basis, why: impl Into<String>) -> Self {
        Self {
            goal,
            basis,
            why: why.into(),
            detail: String::new(),
            phase: None,
            warnings: Vec::new(),
            claimed: None,
        }
    }

    fn step(step: Step, basis: Basis, why: impl Into<String>) -> Self {
        Self::new(Goal::Step(step), basis, why)
    }

    fn detail(mut self, detail: impl Into<String>) -> Self {
        self.detail = detail.into();
        self
    }

    fn phase(mut self, phase: Option<String>) -> Self {
        self.phase = phase;
        self
    }

    /// The target at this phase of the roadmap.
    fn in_phase(self, phase: &RoadmapPhase) -> Self {
        let detail = format!("phase {} {}", phase.number, phase.name);
        let number = phase.number.clone();
        self.detail(detail.trim_end()).phase(Some(number))
    }

    fn warn(mut self, warning: impl Into<String>) -> Self {
        self.warnings.push(warning.into());
        self
    }

    /// The number of steps before it.
    pub(crate) fn done(&self) -> usize {
        self.goal.step().map_or(Step::ALL.len(), Step::index)
    }

    /// The last step that is a point: the one that the checkpoint claims may be beyond the goal.
    pub(crate) fn last(&self) -> Option<Step> {
        let step = self.goal.step()?;
        self.claimed.max(Some(step))
    }

    /// The orchestrator's stage for it.
    pub(crate) fn word(&self) -> &'static str {
        self.goal.word()
    }
}

/// Decides. `None` without a state.
pub(crate) fn decide(facts: &Facts) -> Option<Target> {
    let state = facts.state()?;
    let home = facts.file().map_or(Home::Active, |file| file.home);
    let target = decide_from(state, &facts.evidence, home);
    Some(match facts.source {
        Source::File => target,
        Source::Tmp => target.warn(
            "The state file cannot be read; its .tmp file, which is complete, was read instead.",
        ),
        Source::Nothing => target.warn(
            "No state file can be read: branch, documents and project.json were read instead.",
        ),
    })
}

/// The target of the complete `.tmp` file; `None` if there is none that differs from the state file.
pub(crate) fn of_tmp(facts: &Facts, world: &dyn World) -> Option<Target> {
    let tmp = facts.valid_tmp()?;
    let evidence = facts.evidence_for(world, tmp.state()?, tmp.modified);
    Some(decide_from(tmp.state()?, &evidence, Home::Active))
}

/// The overrides first, then checkpoint against evidence.
pub(crate) fn decide_from(state: &State, evidence: &Evidence, home: Home) -> Target {
    let (goal, why) = if home == Home::Completed {
        (Goal::Nothing, "The state file is archived.".to_owned())
    } else if state.stage() == Some(Stage::Done) {
        let why = "The stage is done; /mgw:sync archives it.";
        (Goal::Nothing, why.to_owned())
    } else if state.stage() == Some(Stage::PrCreated) {
        let why = "The pull request exists; only the cleanup is left.";
        (Goal::Cleanup, why.to_owned())
    } else if let Some(number) = state.linked_prs().first() {
        let why = format!("Pull request {number} is linked; only the cleanup is left.");
        (Goal::Cleanup, why)
    } else if state.reconstructed() {
        let why = "The file was rebuilt from the project board, so triage must be done again.";
        (Goal::Step(Step::Triage), why.to_owned())
    } else {
        return weigh(state, evidence);
    };
    Target::new(goal, Basis::Override, why)
}

/// Checkpoint against evidence. The evidence decides only if it shows more done than the checkpoint and is not
/// older: a checkpoint may be rewound on purpose, and then the documents of the steps after it still exist.
fn weigh(state: &State, evidence: &Evidence) -> Target {
    let claim = action::target(state, evidence);
    let recorded = state.checkpoint().and_then(Checkpoint::effective);
    let shown = evidence.finished(recorded);
    let next = evidence.next(state.route(), recorded);
    let target = match (claim, next) {
        (Some(claim), Some(next)) if shown > recorded && claim.goal != Goal::Cleanup => {
            let (said, shows) = (claim.word(), Goal::Step(next).word());
            let mut target = by_evidence(next, evidence).phase(claim.phase.clone());
            target.claimed = claim.claimed;
            target.warnings = claim.warnings;
            let summary = evidence.summary();
            target.warn(format!(
                "The checkpoint is older than the evidence: it leads to {said}, and the evidence ({summary}) to {shows}."
            ))
        }
        (Some(claim), _) => claim,
        (None, next) => by_stage(state, evidence, next),
    };
    let target = attainable(target, evidence);
    match evidence.outdated(recorded, None) {
        Some(words) if matches!(target.goal, Goal::Step(_)) => target.warn(format!(
            "There is older evidence of later work ({words}). It is not counted, because the state file was updated after it."
        )),
        _ => target,
    }
}

/// The target, or the step that makes the document it lacks. In a roadmap, the documents of each phase decide.
fn attainable(target: Target, evidence: &Evidence) -> Target {
    if evidence.roadmap.is_some() {
        return target;
    }
    let wanted = target.goal.step();
    let Some((step, document)) = wanted.and_then(|step| evidence.lacks(step)) else {
        return target;
    };
    let made = match step {
        Step::Plan => "planned",
        Step::Triage | Step::Execute | Step::Verify | Step::Pr => "executed",
    };
    let lack = capital(&evidence.lack(document));
    let lower = Target {
        goal: Goal::Step(step),
        why: format!("{} {lack}, so it is {made} again.", target.why),
        detail: String::new(),
        // It stays a point: the document may be restored.
        claimed: target.claimed.max(wanted),
        ..target
    };
    attainable(lower, evidence)
}

fn by_evidence(next: Step, evidence: &Evidence) -> Target {
    let why = format!("The evidence decides: {}.", evidence.summary());
    let mut target = Target::step(next, Basis::Evidence, why);
    if let Some(dir) = evidence.dir.as_ref().filter(|_| evidence.inferred) {
        target = target.warn(format!(
            "No record names the directory {dir}; it is used because it is new on the branch."
        ));
    }
    let also = evidence.also.iter();
    let also = also.map(|other| format!("{other} is new on the branch too; it is not counted."));
    target.warnings.extend(also);
    target
}

/// Without a usable checkpoint.
fn by_stage(state: &State, evidence: &Evidence, next: Option<Step>) -> Target {
    use Basis::Stage as ByStage;
    let stage = state.stage();
    if stage.is_some_and(Stage::is_triage_gate) {
        return Target::step(Step::Triage, ByStage, "Triage stopped at a gate.");
    }
    // relight's own rewind to triage keeps the stage of a gate, which would lead past triage.
    let rewound = state.checkpoint().is_some_and(|checkpoint| {
        let at_triage = checkpoint.step == Some(Step::Triage) && checkpoint.action_text.is_none();
        checkpoint.rewound && at_triage
    });
    if rewound && next.is_none() {
        let why = "relight rewound the checkpoint to triage.";
        return Target::step(Step::Triage, ByStage, why);
    }
    let phases = state.route() == Route::Milestone && evidence.roadmap.is_some();
    let is_begun = |phase: &PhaseDir| phase.docs.finished(evidence.since, None).is_some();
    let begun = phases && evidence.phases.iter().any(is_begun);
    let reached = stage.filter(|_| next.is_none() && !begun && evidence.may_have_more());
    let reached = reached.and_then(|stage| {
        let mut steps = Step::ALL.into_iter();
        steps.find(|step| Goal::Step(*step).word() == stage.word())
    });
    if let Some(step) = reached {
        let why = match &evidence.lost {
            Some(Lost {
                remote: Ok(None), ..
            }) => "Commits of the work are lost, so only the stage says how far it is.",
            Some(Lost {
                remote: Ok(Some(_)),
                ..
            }) => {
                "Commits of the work are only on the branch of a remote, so only the stage says how far it is."
            }
            Some(Lost { remote: Err(_), .. }) | None => {
                "git cannot be read, so only the stage says how far the work is."
            }
        };
        return Target::step(step, ByStage, why);
    }
    if stage == Some(Stage::Triaged) && next.is_none() && !phases {
        return Target::step(Step::Plan, ByStage, "It is triaged; the plan is next.");
    }
    if phases && stage != Some(Stage::New) {
        return by_roadmap(evidence, evidence.since);
    }
    if let Some(next) = next {
        return by_evidence(next, evidence);
    }
    match stage {
        Some(Stage::New) => Target::step(Step::Triage, ByStage, "It was never triaged."),
        Some(Stage::Executing | Stage::Verifying | Stage::PrPending) => {
            let word = state.stage_text().unwrap_or_default();
            let warning = format!("The stage is {word}, but there is no evidence of that work.");
            Target::step(Step::Plan, ByStage, "No plan and no later work was found.").warn(warning)
        }
        Some(_) => Target::step(Step::Plan, ByStage, "No plan and no later work was found."),
        None => Target::step(Step::Triage, ByStage, "Its stage is unknown.")
            .warn("Check the stage first: an unknown one never counts as done."),
    }
}

/// With a roadmap: the first phase that is not finished. Documents older than `since` do not count.
fn by_roadmap(evidence: &Evidence, since: Option<DateTime<Utc>>) -> Target {
    let roadmap = evidence.roadmap.as_deref().unwrap_or_default();
    if roadmap.is_empty() {
        return Target::step(Step::Plan, Basis::Evidence, "The roadmap names no phase.");
    }
    let Some((phase, step)) = first_open(roadmap, evidence, since) else {
        let why = "Every phase of the roadmap is verified.";
        return Target::step(Step::Pr, Basis::Evidence, why);
    };
    let number = &phase.number;
    let why = format!("Phase {number} of the roadmap is the first that is not finished.");
    Target::step(step, Basis::Evidence, why).in_phase(phase)
}

/// The first of these phases whose documents do not show that it is verified, and its next step. Documents older
/// than `since` do not count.
fn first_open<'a>(
    phases: &'a [RoadmapPhase],
    evidence: &Evidence,
    since: Option<DateTime<Utc>>,
) -> Option<(&'a RoadmapPhase, Step)> {
    phases.iter().find_map(|phase| {
        let mut folders = evidence.phases.iter();
        let folder = folders.find(|dir| dir.number == phase.number);
        match folder.and_then(|dir| dir.docs.finished(since, None)) {
            None => Some((phase, Step::Plan)),
            Some(Step::Verify) => None,
            Some(finished) => Some((phase, finished.next())),
        }
    })
}
