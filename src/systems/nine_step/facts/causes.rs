//! Why a feature stopped, according to its state file: a gate, a rejection, a failed step.

use crate::formats::json::{self, At};
use crate::model::{Cause, CauseKind, Origin, Reading, Status, Sure};
use crate::systems::kit::causes;
use crate::systems::nine_step::facts::Facts;
use crate::systems::nine_step::points::{Decision, Target, merge_stage};
use crate::systems::nine_step::shape::{Class, StepNo};
use crate::text::Shown as _;
use crate::text::format::count;

/// The cause; `None` if the feature just stopped, which its files do not explain.
pub(crate) fn recorded(facts: &Facts, decision: &Decision, reading: &Reading) -> Option<Cause> {
    let stopped = matches!(reading.claim.status, Status::Waiting | Status::Interrupted);
    let position = facts.position().filter(|_| stopped)?;
    let (phase, record) = (position.phase, &position.record);
    let step = position.step.named();
    let merge = decision.chosen == Target::Merge;
    let next_is_gate = decision.chosen == Target::Step(phase, StepNo::Approval);
    let approval = CauseKind::WaitingApproval;
    let gate = |kind, advice: &str| {
        let reason = reading.claim.reason.lossy().into_owned();
        (kind, Sure::Certain, reason, advice.to_owned())
    };
    let (kind, sure, text, advice) = match position.class {
        _ if merge => gate(approval, merge_stage::advice(facts)),
        Class::Waiting => gate(approval, "Approve it, or say what must change."),
        Class::Hard => gate(
            CauseKind::WaitingAnswer,
            "Decide whether to go back, to repeat the step or to abort.",
        ),
        Class::Failure => {
            let (text, advice) = failed(decision, position.step, phase, &record.status);
            let text = causes::saying(&text, "error", record.error.as_deref());
            (CauseKind::ScriptFailed, Sure::Certain, text, advice)
        }
        // The plan was never presented for approval, or nobody recorded it.
        Class::Success | Class::Conditional if next_is_gate => (
            approval,
            Sure::Likely,
            format!("The approval of the plan comes next, after step {step} of phase {phase}."),
            "Approve the plan, or say what must change.".to_owned(),
        ),
        Class::Success | Class::Conditional | Class::InFlight | Class::Unknown => return None,
    };
    let doc = facts.records_file()?;
    // Only list entries have a line.
    let last = || json::line(&doc.bytes, &[At::Key("last_execution")]);
    let origin = Origin::at(doc.path(), record.line.or_else(last));
    let status = causes::beginning(&record.status);
    let said = format!("Step {step} of phase {phase}: {}.", status.shown());
    let mut evidence = vec![causes::evidence(origin.clone(), said)];
    evidence.extend(record.error.as_deref().filter(|_| !merge).map(|error| {
        let error = causes::beginning(error);
        causes::evidence(origin, format!("Its error: {}", error.shown()))
    }));
    Some(causes::cause(kind, sure, text, record.at, evidence).advising(advice))
}

/// A failed step as a sentence, and what to do. From the third failure on, the step is not the problem.
fn failed(decision: &Decision, step: StepNo, phase: i64, status: &str) -> (String, String) {
    let mut loops = decision.loops.iter();
    let times = loops.find(|(at, reviewer, _)| (*at, *reviewer) == (phase, step));
    let name = step.named();
    // A reviewer that requests changes did not fail.
    let end = if status.eq_ignore_ascii_case("failed") {
        "failed".to_owned()
    } else {
        format!("ended with {}", causes::beginning(status).shown())
    };
    match times {
        Some((_, _, times)) => (
            format!(
                "Step {name} of phase {phase} failed {}.",
                count(*times, "time")
            ),
            "Review the plan or the design before the step is repeated.".to_owned(),
        ),
        None => (
            format!("Step {name} of phase {phase} {end}."),
            // Which step comes next depends on checks, which a list does not make.
            if step.returns_to() == step {
                "Find out why it failed.".to_owned()
            } else {
                "Make the changes that it asks for.".to_owned()
            },
        ),
    }
}
