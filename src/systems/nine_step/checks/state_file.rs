//! N1, N2, N3, N10, N11, N12: the content of the state file.

use std::collections::BTreeSet;

use crate::formats::json;
use crate::model::{Stamp, Subject, Verdict};
use crate::systems::kit::checks::{Outcome, fail, found, pass, skipped, warn};
use crate::systems::nine_step::Scene;
use crate::systems::nine_step::facts::{Approval, BackupAge, Ledger, Source};
use crate::systems::nine_step::points::{self, Target};
use crate::systems::nine_step::shape::{Doc, State, StepNo};
use crate::text::Shown as _;
use crate::text::format::list;

/// Keys that a complete file has in addition to the required ones.
const OPTIONAL: [&str; 5] = [
    "completed_steps",
    "total_phases",
    "worktree_path",
    "branch_name",
    "plan_reference",
];

/// A time counts as in the future only if it is later than the clock by more than this, in seconds.
const SKEW_S: i64 = 300;

/// What to do where the approval of the plan is only implied.
const CONFIRM: &str = "Confirm that the plan was approved.";

/// The numbers of steps, as a list.
fn words(steps: &[StepNo]) -> String {
    let words: Vec<&str> = steps.iter().map(|step| step.word()).collect();
    words.join(", ")
}

/// N1: each state file parses and has its keys.
pub(super) fn readable(scene: &Scene<'_>) -> Vec<Outcome> {
    let docs = &scene.facts.docs;
    if docs.is_empty() {
        return skipped("There is no state file.").into();
    }
    let of = |doc: &Doc| {
        let about = Subject::File(doc.name.as_str().into());
        one_readable(scene, doc).about(about)
    };
    docs.iter().map(of).collect()
}

fn one_readable(scene: &Scene<'_>, doc: &Doc) -> Outcome {
    match &doc.content {
        Err(damage) => fail(
            format!("{}: {}.", doc.path().shown(), damage.why),
            match doc.cure() {
                Some(cure) => cure,
                None if points::offers(*scene, "from-backup") => {
                    "Resume at the point `from-backup`, or edit the file by hand."
                }
                None => "Edit the file by hand.",
            },
        ),
        Ok(state) => {
            let missing = OPTIONAL.iter().filter(|key| !state.map.contains_key(**key));
            let missing = list(missing);
            if missing.is_empty() {
                return pass("Valid JSON with every key.");
            }
            warn(
                format!("Valid JSON with the required keys; missing: {missing}."),
                "Add the missing keys by hand if the plugin fails without them; completed_steps must be a list.",
            )
        }
    }
}

/// N2: types and ranges.
pub(super) fn types(scene: &Scene<'_>) -> Outcome {
    let Some(state) = &scene.facts.state else {
        return skipped("There is no usable state.");
    };
    let odd = state.odd.iter().map(|odd| odd.text.clone());
    let duplicates = state.duplicates.iter();
    let duplicates = duplicates.map(|pair| format!("the key {} is duplicated", pair.key));
    let problems: Vec<String> = odd.chain(duplicates).collect();
    if problems.is_empty() {
        return pass("Every step is in the list and every phase in range.");
    }
    let clear = state.odd.iter().all(|odd| odd.coercible);
    let verdict = if clear { Verdict::Warn } else { Verdict::Fail };
    let remedy = "Correct the values in the state file by hand.";
    found(verdict, format!("{}.", problems.join("; ")), remedy)
}

/// N3: the backup is of the same work, one save older.
pub(super) fn backup(scene: &Scene<'_>) -> Outcome {
    let facts = scene.facts;
    if facts.docs.is_empty() {
        return skipped("There is no state file.");
    }
    match facts.backup.as_ref().map(|backup| &backup.content) {
        None => warn(
            "There is no backup.",
            "Copy the state file to its name with `.backup` before changing anything.",
        ),
        Some(Err(damage)) => warn(
            match facts.source {
                Source::State => format!("The backup cannot be used: {}.", damage.why),
                Source::Backup | Source::Inferred => {
                    format!("The backup cannot be used either: {}.", damage.why)
                }
            },
            "Keep a copy of the state file elsewhere.",
        ),
        Some(Ok(old)) => match facts.doc().and_then(Doc::state) {
            Some(new) => compare(scene, old, new),
            None => pass("The backup can be read; the state file cannot be compared."),
        },
    }
}

fn compare(scene: &Scene<'_>, old: &State, new: &State) -> Outcome {
    let branch = |state: &State| json::owned(&state.map, "branch_name");
    if old.feature != new.feature || branch(old) != branch(new) {
        return fail(
            format!(
                "The backup is of feature `{}`, the state of `{}`, or their branches differ.",
                old.feature, new.feature
            ),
            "Do not restore this backup; it belongs to other work.",
        );
    }
    match scene.facts.backup_age() {
        BackupAge::Newer => warn(
            "The backup is newer than the state file.",
            if points::offers(*scene, "from-backup") {
                "Compare both; the point `from-backup` restores the newer one."
            } else {
                "Compare both."
            },
        ),
        BackupAge::Older => pass("The backup is of the same feature and branch, one save older."),
        BackupAge::Unknown => pass(
            "The backup is of the same feature and branch; neither save is the newer one by its records.",
        ),
    }
}

/// N10: gaps, repetitions and missing reviews, for the phase of the resume point and for earlier ones.
pub(super) fn sequence(scene: &Scene<'_>) -> Vec<Outcome> {
    let Some(ledger) = &scene.facts.ledger else {
        return skipped("No record of steps can be read.").into();
    };
    let (phase, upto) = match scene.decision.chosen {
        Target::Step(phase, step) => (phase, step),
        Target::Merge => (ledger.position.phase, StepNo::Commit),
    };
    let mut phases: BTreeSet<i64> = ledger.spots().into_iter().map(|(phase, _)| phase).collect();
    phases.insert(phase);
    let of = |at: i64| {
        let outcome = if at == phase {
            current(ledger, phase, upto)
        } else {
            finished(ledger, at)
        };
        outcome.about(Subject::named("step sequence, phase", at.to_string()))
    };
    phases.range(..=phase).copied().map(of).collect()
}

fn current(ledger: &Ledger, phase: i64, upto: StepNo) -> Outcome {
    let position = &ledger.position;
    let here = position.phase == phase;
    // A missing review moves the recommended step back; the records are further.
    let upto = if here { upto.max(position.step) } else { upto };
    let missing = ledger.missing((phase, upto));
    let mut reviews = missing.clone();
    reviews.retain(|step| step.is_phase_review());
    if !reviews.is_empty() && !sent_back(ledger, phase, upto) {
        let reviews = words(&reviews);
        let text = format!("Review steps not on record before step {upto}: {reviews}.");
        return fail(text, "Resume at the missing review; it may not be skipped.");
    }
    if here && position.record.by_agent.is_some() {
        let agent = &position.record.agent;
        return warn(
            format!("The step number and the agent `{agent}` disagree."),
            "Find out which step it was; there is a point for each.",
        );
    }
    let repeated = StepNo::ALL.into_iter();
    let repeated: Vec<StepNo> = repeated.filter(|s| ledger.times((phase, *s)) > 1).collect();
    if repeated.is_empty() && missing.is_empty() {
        return pass("No step is missing.");
    }
    let problems = [
        ("Steps done more than once", &repeated),
        ("Steps without a current record", &missing),
    ];
    let problems = problems.iter().filter(|(_, steps)| !steps.is_empty());
    let problems = problems.map(|(what, steps)| format!("{what}: {}.", words(steps)));
    let problems: Vec<String> = problems.collect();
    warn(problems.join(" "), "Check that the rework is complete.")
}

/// Whether the phase's later steps are outdated only because a review just sent the work back.
fn sent_back(ledger: &Ledger, phase: i64, upto: StepNo) -> bool {
    let position = &ledger.position;
    let failed = !position.class.is_done() && position.phase == phase;
    let before = ledger.missing((phase, position.step.returns_to()));
    failed && position.step == upto && before.iter().all(|step| !step.is_phase_review())
}

fn finished(ledger: &Ledger, phase: i64) -> Outcome {
    let missing = ledger.missing((phase, StepNo::Commit));
    if missing.is_empty() {
        return pass("No step is missing.");
    }
    warn(
        format!("An earlier phase; not on record: {}.", words(&missing)),
        "Look at the phase's commit if the reviews matter.",
    )
}

/// N11: times increase and are in the past.
pub(super) fn times(scene: &Scene<'_>) -> Outcome {
    let Some(state) = &scene.facts.state else {
        return skipped("No record of steps can be read.");
    };
    let completed = || state.completed.iter().map(|record| record.at);
    let all = || completed().chain([state.last.at]);
    let now = scene.world.clock().now();
    let mut problems = Vec::new();
    let future = |at: Stamp| (at.at - now).num_seconds() > SKEW_S;
    if all().flatten().any(future) {
        problems.push("a time is in the future".to_owned());
    }
    if !completed().flatten().is_sorted() {
        problems.push("the times of completed steps do not increase".to_owned());
    }
    let unreadable = all().filter(Option::is_none).count();
    if unreadable > 0 {
        problems.push(format!("{unreadable} cannot be read or are missing"));
    }
    if problems.is_empty() {
        let text = "They increase and are in the past (local time is assumed without a zone).";
        return pass(text);
    }
    let remedy = "The newest time counts as the last record: compare it with the file times, and check the clocks and time zones of the machines.";
    warn(format!("{}.", problems.join("; ")), remedy)
}

/// N12: the approval gate.
pub(super) fn approval(scene: &Scene<'_>) -> Outcome {
    let Some(ledger) = &scene.facts.ledger else {
        return skipped("No record of steps can be read.");
    };
    let goes_past = match scene.decision.chosen {
        Target::Step(phase, step) => phase > 1 || step >= StepNo::Code,
        Target::Merge => true,
    };
    let reached = ledger.position.step >= StepNo::Code || ledger.position.phase > 1;
    match ledger.approved() {
        Approval::Recorded => pass("An approval (step 2.5) is on record."),
        Approval::Implied => warn("No approval is on record; later work implies it.", CONFIRM),
        Approval::Missing if !goes_past && !reached => {
            let is_at = ledger.position.step == StepNo::Approval;
            let is = if is_at {
                "is open"
            } else {
                "has not been reached"
            };
            pass(format!("The approval gate (step 2.5) {is}."))
        }
        // The records can be lost, and a phase is committed after its code.
        Approval::Missing => match scene.facts.git.phases.keys().next() {
            Some(phase) => warn(
                format!("No approval is on record; the commit of phase {phase} implies it."),
                CONFIRM,
            ),
            None => fail(
                "Work would resume after the gate, and neither an approval nor completed work is on record.",
                if points::offers(*scene, "phase-1-step-2.5") {
                    "Ask for the approval of the plan first: the point `phase-1-step-2.5`."
                } else {
                    "Ask for the approval of the plan first."
                },
            ),
        },
    }
}
