//! The texts of a point: its label, the reason to choose it, its warnings.

use crate::systems::nine_step::Scene;
use crate::systems::nine_step::facts::{BackupAge, Facts, Ledger, Position, Source};
use crate::systems::nine_step::points::decision::{self, Decision};
use crate::systems::nine_step::points::{
    Means, Point, Target, guards, later_work, merge_stage, open,
};
use crate::systems::nine_step::record::Change;
use crate::systems::nine_step::shape::StepNo;
use crate::text::Shown as _;

/// The label names the gates that a point passes.
pub(crate) fn label(scene: Scene<'_>, point: &Point) -> String {
    let (facts, decision) = (scene.facts, scene.decision);
    match point {
        Point::Resume(Target::Merge) => merge_stage::label(facts).to_owned(),
        Point::SkipPhase((phase, _), _) => format!("Skip phase {phase} for now"),
        Point::FromBackup => {
            let save = match facts.backup_age() {
                BackupAge::Older => ", one save older",
                BackupAge::Newer => ", a newer save",
                BackupAge::Unknown => "",
            };
            format!("Restore the state file from its backup{save}")
        }
        Point::Commit { phase, commit } if facts.git.tip.as_ref() == Some(commit) => {
            format!(
                "Return to the commit of phase {phase} and build phase {} again",
                phase.saturating_add(1)
            )
        }
        Point::Commit { phase: 0, .. } => {
            "Reset the worktree to the start of the branch".to_owned()
        }
        Point::Commit { phase, .. } => format!("Reset the worktree to the commit of phase {phase}"),
        Point::Resume(Target::Step(phase, step)) => {
            let passed = passed(decision, (*phase, *step));
            let unrecorded = facts.source == Source::Inferred && *step > StepNo::CodeReview;
            let reviews = "; the reviews before it are not on record";
            let reviews = if unrecorded { reviews } else { "" };
            format!(
                "Phase {phase}, step {step}: {}{passed}{reviews}",
                step.title()
            )
        }
    }
}

/// The gates between the recommended point and a later one of the same phase, and the skipped step.
fn passed(decision: &Decision, (phase, step): (i64, StepNo)) -> String {
    let mut parts = Vec::new();
    let means = decision.means_of(Target::Step(phase, step));
    if let Some(Means::Skip(skipped)) = means {
        parts.push(format!(", skipping step {}", skipped.named()));
    }
    if let Target::Step(at, from) = decision.chosen
        && at == phase
    {
        let approve = means == Some(Means::Approve);
        let passing = if approve { "approving" } else { "passing" };
        let gates = StepNo::ALL.into_iter();
        let gates = gates.filter(|gate| gate.is_gate() && *gate >= from && *gate < step);
        parts.extend(gates.map(|gate| format!(", {passing} gate {}", gate.named())));
    }
    parts.concat()
}

/// The reason to choose it.
pub(crate) fn reason(scene: Scene<'_>, point: &Point, chosen: bool) -> String {
    let (facts, decision) = (scene.facts, scene.decision);
    match point {
        Point::Resume(target) if *target == decision.chosen => decision.reason.clone(),
        Point::Resume(target) => decision.offer_for(*target).map_or_else(
            || "Run the work again from here.".to_owned(),
            |offer| offer.why.clone(),
        ),
        Point::SkipPhase(..) => {
            "Choose this to continue with the next phase and finish this one later.".to_owned()
        }
        Point::FromBackup if chosen => format!(
            "The state file cannot be read, but its backup can. {}",
            decision.reason
        ),
        Point::FromBackup => {
            "Choose this if the state file is wrong and its backup is good.".to_owned()
        }
        Point::Commit { phase, commit } if facts.git.tip.as_ref() == Some(commit) => {
            format!(
                "Choose this if the commit of phase {phase} is good and the work after it is not."
            )
        }
        Point::Commit { .. } => "Discard the later phases and build them again.".to_owned(),
    }
}

/// What a person should know before choosing it.
pub(crate) fn warnings(scene: Scene<'_>, point: &Point, chosen: bool) -> Vec<String> {
    let (facts, decision) = (scene.facts, scene.decision);
    let mut warnings: Vec<String> = Vec::new();
    let leads = matches!(point, Point::FromBackup) || *point == Point::Resume(decision.chosen);
    if chosen && leads {
        warnings.extend(decision.warnings.iter().cloned());
    }
    warnings.extend(other_answer(scene, point));
    if !matches!(point, Point::FromBackup | Point::Commit { .. }) {
        warnings.extend(guards::mismatch(facts).map(|text| text.shown().to_string()));
    }
    match point {
        Point::SkipPhase(..) => warnings.push(decision::UNFINISHED_PHASE.to_owned()),
        Point::Resume(target) if !chosen && facts.state.is_some() => {
            let that = match (target, decision.means_of(*target)) {
                (Target::Merge, _) => "its number of phases is that of the last one",
                (_, Some(Means::Approve)) => "it records your approval of the plan",
                (_, Some(Means::Skip(_)) | None) => "its records end before this point",
            };
            warnings.push(format!("The state file is changed so that {that}."));
        }
        Point::Commit { phase, .. } => {
            let times = facts.rollbacks.to_phase(*phase);
            let often = (times >= 2)
                .then(|| format!("Phase {phase} was rolled back to {times} times already."));
            warnings.extend(often);
            let commit = facts.git.phases.get(phase);
            if commit.is_some_and(|found| found.shared) {
                warnings.push("The commit covers several phases.".to_owned());
            }
        }
        Point::FromBackup => warnings.extend(dropped(facts)),
        Point::Resume(_) => {}
    }
    if let Point::Resume(target) | Point::SkipPhase(_, target) = point {
        warnings.extend(open::rejection(scene, *target));
    }
    warnings.extend(later_work::sentences(scene, point));
    warnings
}

/// What the last save says of a step that did not pass, which the backup may show as passed.
fn dropped(facts: &Facts) -> Option<String> {
    let position = decision::not_passed(facts)?;
    let ended = open::ended(position).replacen('S', "s", 1);
    Some(format!(
        "The state file says that {ended}; the backup does not say so."
    ))
}

/// The plugin's own answer to the file that the point leaves, if it is another step.
fn other_answer(scene: Scene<'_>, point: &Point) -> Option<String> {
    let (phase, step, status) = last_record(scene, point)?;
    let ours = match point.leads_to(scene.facts) {
        Target::Step(phase, step) => format!("phase {phase}, step {step}"),
        Target::Merge => "the merge".to_owned(),
    };
    let answer = match decision::upstream(phase, step, &status) {
        Some(theirs) if theirs == ours => return None,
        Some(theirs) => format!("would choose {theirs}"),
        None => "finds no step here".to_owned(),
    };
    Some(format!(
        "The plugin's own resume code {answer}; tell it which step to resume at."
    ))
}

/// Phase, step and status of the last record that the state file has once a point was applied. A rollback writes one
/// that the plugin answers as relight does.
fn last_record(scene: Scene<'_>, point: &Point) -> Option<(i64, StepNo, String)> {
    let (facts, decision) = (scene.facts, scene.decision);
    facts.state.as_ref()?;
    let of = |position: &Position| {
        let record = &position.record;
        let step = record.written.unwrap_or(position.step);
        (position.phase, step, record.status.clone())
    };
    let change = match point {
        Point::Commit { .. } => return None,
        Point::FromBackup => {
            let saved = Ledger::of(facts.backup.as_ref()?.state()?);
            return Some(of(&saved.position));
        }
        Point::Resume(target) if *target == decision.chosen => {
            return facts.position().map(of);
        }
        Point::Resume(target) => Change::to(facts, *target, decision.means_of(*target)),
        Point::SkipPhase(skipped, next) => Change::skip(*skipped, *next),
    };
    let last = change.last?;
    Some((last.spot.0, last.spot.1, last.status.to_owned()))
}
