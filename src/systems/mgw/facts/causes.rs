//! Why an issue stopped, according to its own files: a gate that waits for a person, or a failure.

use chrono::{DateTime, Utc};

use crate::formats::json::{self, At};
use crate::formats::stamp;
use crate::model::{
    Cause, CauseEvidence, CauseKind, EventRows, LocalTime, Origin, OwnWrites, Stamp, Status, Sure,
};
use crate::systems::kit::causes;
use crate::systems::mgw::Issue;
use crate::systems::mgw::points::Goal;
use crate::systems::mgw::shape::{Checkpoint, Stage, State, Step};
use crate::text::Shown as _;

/// The cause; `None` if the issue just stopped, which its files do not explain.
pub(crate) fn recorded(
    issue: &Issue,
    own: Option<&OwnWrites>,
    zone: &dyn LocalTime,
) -> Option<Cause> {
    let (facts, reading) = (&issue.facts, &issue.contents.reading);
    let waits = reading.claim.status == Status::Waiting;
    let state = facts.recorded().filter(|_| waits)?;
    let file = facts.file()?;
    let says = |key: &str, text: String| {
        let line = json::line(&file.bytes, &[At::Key(key)]);
        let origin = Origin::at(file.path.clone(), line);
        causes::evidence(origin, text)
    };
    let number = &facts.number;
    let gate = state.stage().filter(|stage| stage.is_gate());
    let (kind, evidence, advice) = if let Some(gate) = gate {
        let word = gate.word();
        let evidence = vec![says("pipeline_stage", format!("The stage is {word}."))];
        let target = issue.target.as_ref();
        let triages = target.is_none_or(|target| target.goal == Goal::Step(Step::Triage));
        (kind(gate), evidence, advice(gate, number, triages))
    } else {
        let dead = state.dead_letter();
        let key = if dead {
            "dead_letter"
        } else {
            "pipeline_stage"
        };
        let failed = says(key, reading.claim.reason.lossy().into_owned());
        let evidence = std::iter::once(failed).chain(last_error(&*issue.contents.timeline));
        let advice = format!("Fix what failed, then run /mgw:run {number} --retry.");
        (CauseKind::ScriptFailed, evidence.collect(), advice)
    };
    let others = |at: &DateTime<Utc>| own.is_none_or(|own| !own.may_have_made(*at));
    let modified = || file.modified.filter(others).map(Stamp::utc);
    let at = since(state, zone).or_else(modified);
    let text = reading.claim.reason.clone();
    Some(causes::cause(kind, Sure::Certain, text, at, evidence).advising(advice))
}

/// A gate that leads to `approved` waits for an approval, every other one for an answer.
fn kind(gate: Stage) -> CauseKind {
    if gate.next().contains(&Stage::Approved) {
        CauseKind::WaitingApproval
    } else {
        CauseKind::WaitingAnswer
    }
}

/// What a person must do at a gate. `triages` where the work resumes at triage: what comes after a gate is the point
/// that is recommended.
fn advice(gate: Stage, number: &str, triages: bool) -> String {
    if gate == Stage::NeedsSecurityReview {
        return format!("Review it, then run /mgw:run {number} --security-ack.");
    }
    let first = if gate == Stage::NeedsInfo {
        "Supply what is missing"
    } else {
        "Answer its comments"
    };
    let then = if triages {
        format!("triage it again with /mgw:issue {number}")
    } else {
        format!("continue with /mgw:run {number}")
    };
    format!("{first} in issue #{number}, then {then}.")
}

/// When the stage was last changed.
fn since(state: &State, zone: &dyn LocalTime) -> Option<Stamp> {
    let checkpoint = state.checkpoint().and_then(Checkpoint::recorded_at);
    stamp::parse(state.moved_at().or(checkpoint)?, zone)
}

/// The newest error of the command log.
fn last_error(events: &dyn EventRows) -> Option<CauseEvidence> {
    let mut newest = (0..events.len()).rev().filter_map(|at| events.get(at));
    let error = newest.find(|one| one.kind == *"command" && one.status == Some("error".into()))?;
    let text = causes::beginning(&error.text.lossy());
    let text = format!("The command log says: {}", text.shown());
    Some(causes::evidence(error.origin, text))
}
