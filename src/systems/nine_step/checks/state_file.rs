//! N1, N2, N3, N10, N11, N12: the state file by itself.

use std::collections::BTreeSet;

use crate::formats::json;
use crate::model::{Check, Subject, Verdict};
use crate::systems::nine_step::checks::{check, pass, skipped};
use crate::systems::nine_step::facts::Facts;
use crate::systems::nine_step::facts::ledger::{Approval, Ledger};
use crate::systems::nine_step::points::decision::{Decision, Target};
use crate::systems::nine_step::shape::step_record::Record;
use crate::systems::nine_step::shape::steps::StepNo;
use crate::systems::nine_step::shape::{Doc, State};
use crate::world::World;

/// Keys that a whole file has beside the required ones.
const OPTIONAL: [&str; 5] = [
    "completed_steps",
    "total_phases",
    "worktree_path",
    "branch_name",
    "plan_reference",
];

/// A clock may be wrong by this much before a time counts as being in the future, in seconds.
const SKEW_S: i64 = 300;

/// N1: each state file parses and has its keys.
pub(crate) fn readable(facts: &Facts) -> Vec<Check> {
    if facts.docs.is_empty() {
        return vec![skipped("N1", "state file", "There is no state file.")];
    }
    facts.docs.iter().map(one_readable).collect()
}

fn one_readable(doc: &Doc) -> Check {
    match &doc.content {
        Err(damage) => check(
            "N1",
            Subject::File(doc.name.as_str().into()),
            Verdict::Fail,
            format!(
                "{}: {}.",
                doc.path().display(),
                damage.text.trim_end_matches('.')
            ),
            "Take the point `from-backup` if there is one, or edit the file by hand.",
        ),
        Ok(state) => {
            let lacks: Vec<&str> = OPTIONAL
                .into_iter()
                .filter(|key| !state.map.contains_key(*key))
                .collect();
            if lacks.is_empty() {
                return pass(
                    "N1",
                    Subject::File(doc.name.as_str().into()),
                    "Valid JSON with every key.",
                );
            }
            check(
                "N1",
                Subject::File(doc.name.as_str().into()),
                Verdict::Warn,
                format!(
                    "Valid JSON with the required keys; missing: {}.",
                    lacks.join(", ")
                ),
                "Add the missing keys by hand if the plugin stumbles over them; completed_steps must be a list.",
            )
        }
    }
}

/// N2: types and ranges.
pub(crate) fn types(facts: &Facts) -> Check {
    let Some(state) = &facts.state else {
        return skipped("N2", "types and ranges", "There is no state to look at.");
    };
    if state.odd.is_empty() && state.duplicates.is_empty() {
        return pass(
            "N2",
            "types and ranges",
            "Every step is in the list and every phase in range.",
        );
    }
    let clear = state.odd.iter().all(|odd| odd.coercible);
    let mut texts: Vec<String> = state.odd.iter().map(|odd| odd.text.clone()).collect();
    texts.extend(
        state
            .duplicates
            .iter()
            .map(|twice| format!("the key {} occurs twice", twice.key)),
    );
    check(
        "N2",
        "types and ranges",
        if clear { Verdict::Warn } else { Verdict::Fail },
        format!("{}.", texts.join("; ")),
        "Correct the values in the state file by hand.",
    )
}

/// N3: the backup is of the same work, one save older.
pub(crate) fn backup(facts: &Facts) -> Check {
    let subject = "backup of the state file";
    if facts.docs.is_empty() {
        return skipped("N3", subject, "There is no state file.");
    }
    let Some(backup) = &facts.backup else {
        let remedy = "Copy the state file to its name with `.backup` before changing anything.";
        return check(
            "N3",
            subject,
            Verdict::Warn,
            "There is no backup.".to_owned(),
            remedy,
        );
    };
    let old = match &backup.content {
        Ok(old) => old,
        Err(damage) => {
            let text = format!(
                "The backup cannot be used either: {}.",
                damage.text.trim_end_matches('.')
            );
            return check(
                "N3",
                subject,
                Verdict::Warn,
                text,
                "Keep a copy of the state file elsewhere.",
            );
        }
    };
    match facts.doc().and_then(Doc::state) {
        Some(new) => compare(subject, old, new),
        None => pass(
            "N3",
            subject,
            "The backup can be read; the state file cannot be compared.",
        ),
    }
}

fn compare(subject: &'static str, old: &State, new: &State) -> Check {
    let branch = |state: &State| json::text(&state.map, "branch_name").map(str::to_owned);
    if old.feature != new.feature || branch(old) != branch(new) {
        let text = format!(
            "The backup is of feature `{}`, the state of `{}`, or their branches differ.",
            old.feature, new.feature
        );
        return check(
            "N3",
            subject,
            Verdict::Fail,
            text,
            "Do not restore this backup; it is of other work.",
        );
    }
    let (older, newer) = (old.last.at, new.last.at);
    if older.zip(newer).is_some_and(|(old, new)| old > new) {
        let text = "The backup is newer than the state file.".to_owned();
        return check(
            "N3",
            subject,
            Verdict::Warn,
            text,
            "Compare both; the point `from-backup` takes the newer one.",
        );
    }
    pass(
        "N3",
        subject,
        "The backup is of the same feature and branch, one save older.",
    )
}

/// N10: gaps, repetitions and missing gates, for the phase that would be taken up; earlier phases beside it.
pub(crate) fn sequence(facts: &Facts, decision: &Decision) -> Vec<Check> {
    let Some(ledger) = &facts.ledger else {
        return vec![skipped(
            "N10",
            "step sequence",
            "There are no records of steps.",
        )];
    };
    let at = ledger.position.phase;
    let (phase, upto) = match decision.chosen {
        Target::Step(phase, step) => (phase, step),
        Target::Merge => (at, StepNo::Commit),
    };
    let mut phases: BTreeSet<i64> = ledger.spots().into_iter().map(|(phase, _)| phase).collect();
    phases.insert(phase);
    phases
        .into_iter()
        .filter(|p| *p <= phase)
        .map(|p| {
            if p == phase {
                current(ledger, phase, upto)
            } else {
                earlier(ledger, p)
            }
        })
        .collect()
}

fn current(ledger: &Ledger, phase: i64, upto: StepNo) -> Check {
    let subject = Subject::named("step sequence, phase", phase.to_string());
    // The recommended step is held back by a missing gate; what was recorded went on to here.
    let reached = ledger.position.step;
    let upto = if ledger.position.phase == phase && reached > upto {
        reached
    } else {
        upto
    };
    let missing = ledger.missing((phase, upto));
    let gates: Vec<&str> = missing
        .iter()
        .filter(|s| s.is_phase_review())
        .map(|s| s.word())
        .collect();
    let agent = &ledger.position.record.by_agent;
    if !gates.is_empty() && !sent_back(ledger, phase, upto) {
        return check(
            "N10",
            &subject,
            Verdict::Fail,
            format!(
                "Review steps not on record before step {}: {}.",
                upto.word(),
                gates.join(", ")
            ),
            "Take the work up at the missing review; it may not be skipped.",
        );
    }
    if ledger.position.phase == phase && agent.is_some() {
        let text = format!(
            "The step number and the agent `{}` disagree.",
            ledger.position.record.agent
        );
        return check(
            "N10",
            &subject,
            Verdict::Warn,
            text,
            "Ask which step it was; both are among the points.",
        );
    }
    let twice: Vec<&str> = StepNo::ORDER
        .into_iter()
        .filter(|s| ledger.times((phase, *s)) > 1)
        .map(StepNo::word)
        .collect();
    if twice.is_empty() && missing.is_empty() {
        return pass("N10", &subject, "No step is missing.");
    }
    let mut texts = Vec::new();
    if !twice.is_empty() {
        texts.push(format!("Done more than once: {}.", twice.join(", ")));
    }
    if !missing.is_empty() {
        let words: Vec<&str> = missing.iter().map(|s| s.word()).collect();
        texts.push(format!("Not on record or stale: {}.", words.join(", ")));
    }
    check(
        "N10",
        &subject,
        Verdict::Warn,
        texts.join(" "),
        "Look whether the rework came to its end.",
    )
}

/// Whether the phase's later steps are stale only because a review has just sent the work back.
fn sent_back(ledger: &Ledger, phase: i64, upto: StepNo) -> bool {
    let position = &ledger.position;
    let failed = !position.class.is_done() && position.phase == phase;
    let before = ledger.missing((phase, position.step.returns_to()));
    failed && position.step == upto && before.iter().all(|step| !step.is_phase_review())
}

fn earlier(ledger: &Ledger, phase: i64) -> Check {
    let subject = Subject::named("step sequence, phase", phase.to_string());
    let missing = ledger.missing((phase, StepNo::Commit));
    if missing.is_empty() {
        return pass("N10", &subject, "No step is missing.");
    }
    let words: Vec<&str> = missing.iter().map(|s| s.word()).collect();
    let text = format!(
        "The phase lies behind; not on record: {}.",
        words.join(", ")
    );
    check(
        "N10",
        &subject,
        Verdict::Warn,
        text,
        "Look at the phase's commit if the reviews matter.",
    )
}

/// N11: times go forwards and lie in the past.
pub(crate) fn times(facts: &Facts, world: &dyn World) -> Check {
    let subject = "timestamps";
    let Some(state) = &facts.state else {
        return skipped("N11", subject, "There are no records of steps.");
    };
    let records: Vec<&Record> = state.completed.iter().chain([&state.last]).collect();
    let now = world.clock().now();
    let ahead = records
        .iter()
        .filter_map(|r| r.at)
        .any(|at| (at.at - now).num_seconds() > SKEW_S);
    let steps: Vec<_> = state.completed.iter().filter_map(|r| r.at).collect();
    let back = steps.is_sorted();
    let unreadable = records.iter().filter(|r| r.at.is_none()).count();
    let mut texts = Vec::new();
    if ahead {
        texts.push("a time lies in the future".to_owned());
    }
    if !back {
        texts.push("completed steps are not in the order of their times".to_owned());
    }
    if unreadable > 0 {
        texts.push(format!("{unreadable} cannot be read or are missing"));
    }
    if texts.is_empty() {
        return pass(
            "N11",
            subject,
            "They go forwards and lie in the past (zone assumed where none is written).",
        );
    }
    let remedy =
        "Trust the order of the list and the file times; check the clock and zone of the machine.";
    check(
        "N11",
        subject,
        Verdict::Warn,
        format!("{}.", texts.join("; ")),
        remedy,
    )
}

/// N12: the approval gate.
pub(crate) fn approval(facts: &Facts, decision: &Decision) -> Check {
    let subject = "approval gate";
    let Some(ledger) = &facts.ledger else {
        return skipped("N12", subject, "There are no records of steps.");
    };
    let goes_past = match decision.chosen {
        Target::Step(phase, step) => phase > 1 || step >= StepNo::Code,
        Target::Merge => true,
    };
    let reached = ledger.position.step >= StepNo::Code || ledger.position.phase > 1;
    match ledger.approved() {
        Approval::Recorded => pass("N12", subject, "An approval (step 2.5) is on record."),
        Approval::Implied => check(
            "N12",
            subject,
            Verdict::Warn,
            "No approval is on record; later work implies it.".to_owned(),
            "Confirm that the plan was approved.",
        ),
        Approval::Missing if goes_past || reached => check(
            "N12",
            subject,
            Verdict::Fail,
            "Work after the gate would be taken up, and neither an approval nor finished work is on record.".to_owned(),
            "Ask for the approval of the plan first (point phase-1-step-2.5).",
        ),
        Approval::Missing => pass("N12", subject, "The gate is still ahead."),
    }
}
