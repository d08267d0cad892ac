//! N7, N8, N9: the plan, the phase commits, the recorded commit ids.

use crate::model::{Check, Subject, Verdict};
use crate::systems::nine_step::checks::{check, pass, skipped};
use crate::systems::nine_step::facts::Facts;
use crate::systems::nine_step::shape::plan_document::PlanFound;
use crate::systems::nine_step::shape::step_record::Record;
use crate::systems::nine_step::shape::steps::StepNo;
use crate::world::World;

/// A phase's commit and its record may lie this far apart, in seconds.
const NEAR_S: i64 = 3600;

/// N7: the plan document.
pub(crate) fn plan(facts: &Facts) -> Check {
    let subject = "plan document";
    let path = facts
        .plan
        .path()
        .map(|path| path.display().to_string())
        .unwrap_or_default();
    let remedy = "Restore the plan from a backup or write it again; a missing plan can mean that the cleaning up has begun.";
    match &facts.plan.found {
        PlanFound::AsReferred => pass("N7", subject, format!("Found at {path}.")),
        PlanFound::ByName if facts.text("plan_reference").is_none() => pass(
            "N7",
            subject,
            format!("Found at {path} by the feature's name; no reference is recorded."),
        ),
        PlanFound::ByName => check(
            "N7",
            subject,
            Verdict::Warn,
            format!("Not where plan_reference says; {path} has the feature's name."),
            "Correct plan_reference in the state file.",
        ),
        PlanFound::Missing => check(
            "N7",
            subject,
            Verdict::Fail,
            "There is none.".to_owned(),
            remedy,
        ),
        PlanFound::Refused(why) => check(
            "N7",
            subject,
            Verdict::Fail,
            format!("The recorded path was not opened: {why}."),
            "Correct plan_reference in the state file to a path inside the project.",
        ),
    }
}

/// N8: one commit for each phase that is recorded as committed, near the time of its record.
pub(crate) fn commits(facts: &Facts) -> Vec<Check> {
    let Some(ledger) = &facts.ledger else {
        return vec![skipped(
            "N8",
            "phase commits",
            "There are no records of phases.",
        )];
    };
    if let Some(error) = &facts.git.error {
        return vec![skipped(
            "N8",
            "phase commits",
            format!("git cannot be asked: {error}."),
        )];
    }
    if facts.git.tip.is_none() {
        return vec![skipped(
            "N8",
            "phase commits",
            "There is no branch to look at.",
        )];
    }
    let committed = ledger
        .done
        .iter()
        .filter(|record| record.step() == Some(StepNo::Commit));
    let mut phases: Vec<i64> = committed.filter_map(|record| record.phase).collect();
    let total = facts.total().unwrap_or(i64::MAX);
    phases.extend((1..ledger.position.phase.min(total)).take(500));
    phases.sort_unstable();
    phases.dedup();
    if phases.is_empty() {
        return vec![pass("N8", "phase commits", "No phase is committed yet.")];
    }
    phases
        .into_iter()
        .map(|phase| one_commit(facts, phase))
        .collect()
}

fn one_commit(facts: &Facts, phase: i64) -> Check {
    let subject = Subject::named("commit of phase", phase.to_string());
    let Some(found) = facts.git.phases.get(&phase) else {
        let near = facts.git.commits.len();
        return check(
            "N8",
            &subject,
            Verdict::Fail,
            format!(
                "The phase is recorded as done, and none of the branch's {near} own commits names it."
            ),
            "Look at git log of the branch; commit the phase if its work is there.",
        );
    };
    let short: String = found.commit.id.chars().take(7).collect();
    if found.shared {
        let text = format!("Commit {short} stands for several phases.");
        return check(
            "N8",
            &subject,
            Verdict::Warn,
            text,
            "A rollback cannot tell these phases apart.",
        );
    }
    let record = facts.ledger.as_ref().and_then(|ledger| {
        let of = |r: &&Record| r.spot() == Some((phase, StepNo::Commit));
        ledger.done.iter().rev().find(of)?.at
    });
    let apart = record.map(|at| (at.at.to_utc() - found.commit.time).num_seconds().abs());
    if apart.is_some_and(|apart| apart > NEAR_S) {
        let text = format!("Commit {short} names the phase, at another time than the record.");
        return check(
            "N8",
            &subject,
            Verdict::Warn,
            text,
            "Look whether it is the right commit, or the zone of the record another one.",
        );
    }
    pass(
        "N8",
        &subject,
        format!("Commit {short}, `{}`.", found.commit.subject.lossy()),
    )
}

/// N9: recorded commit ids, where there are any.
pub(crate) fn recorded_commits(facts: &Facts, world: &dyn World) -> Vec<Check> {
    let records = facts.ledger.iter().flat_map(|ledger| &ledger.done);
    let recorded: Vec<(&Record, &str)> = records
        .filter_map(|record| Some((record, record.commit.as_deref()?)))
        .collect();
    if recorded.is_empty() {
        return vec![skipped(
            "N9",
            "recorded commits",
            "No record has a commit_sha; upstream's save writes none.",
        )];
    }
    recorded
        .into_iter()
        .map(|(record, id)| one_recorded(facts, record, id, world))
        .collect()
}

fn one_recorded(facts: &Facts, record: &Record, id: &str, world: &dyn World) -> Check {
    let phase = record
        .phase
        .map_or_else(|| "?".to_owned(), |phase| phase.to_string());
    let subject = Subject::named("recorded commit of phase", phase.to_string());
    if let Some(error) = &facts.git.error {
        return skipped("N9", &subject, format!("git cannot be asked: {error}."));
    }
    let remedy = "Look for the commit with git log or git reflog; a rebase changes ids.";
    let hex = (7..=40).contains(&id.len()) && id.bytes().all(|b| b.is_ascii_hexdigit());
    let top = &facts.layout.top;
    let commit = if hex {
        world.git().find_commit(top, &id.to_lowercase()).ok()
    } else {
        None
    };
    let Some(commit) = commit else {
        let text = format!("`{id}` is not in the repository.");
        return check("N9", &subject, Verdict::Fail, text, remedy);
    };
    let tip = facts.git.tip.as_deref();
    match tip.map(|tip| world.git().is_ancestor(top, &commit.id, tip)) {
        Some(Ok(true)) => pass("N9", &subject, format!("`{id}` is in the branch.")),
        Some(Ok(false)) => {
            let text = format!("`{id}` is there, and not in the branch.");
            check("N9", &subject, Verdict::Warn, text, remedy)
        }
        Some(Err(error)) => skipped("N9", &subject, format!("It is not known: {error}.")),
        None => skipped("N9", &subject, "There is no branch to look at."),
    }
}
