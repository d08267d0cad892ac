//! Why a conference stopped, according to its files: a gate, an event that ends its rounds, a failed researcher.

use crate::model::{Cause, CauseKind, Origin, OwnWrites, Reading, Status, Sure};
use crate::systems::autoconference::facts::{Decision, State};
use crate::systems::autoconference::shape::{CONFIG, EVENTS, Event, Raw};
use crate::systems::kit::causes;
use crate::text::Shown as _;

/// The cause; `None` if the conference just stopped, which its files do not explain.
pub(crate) fn recorded(
    raw: &Raw,
    state: &State,
    reading: &Reading,
    own: Option<&OwnWrites>,
) -> Option<Cause> {
    let is_own = |event: &Event| {
        let at = event.at.map(|at| at.at.to_utc());
        own.zip(at).is_some_and(|(own, at)| own.may_have_made(at))
    };
    let reason = || reading.claim.reason.clone();
    match &state.decision {
        Decision::NotStarted { .. } if reading.claim.status == Status::Waiting => {
            let origin = Origin::file(raw.path(CONFIG));
            let evidence = vec![causes::evidence(origin, reason())];
            let kind = CauseKind::WaitingApproval;
            Some(causes::cause(kind, Sure::Certain, reason(), None, evidence))
        }
        Decision::Failed => {
            let text = format!("Every researcher failed in round {}.", state.round);
            let event = raw.named("conference.failed").next_back()?;
            let kind = CauseKind::ScriptFailed;
            Some(of(raw, event, kind, Sure::Certain, &text))
        }
        Decision::Synthesis(_) => {
            // Its rounds ended normally, so a conversation knows more about the missing synthesis.
            let event = raw.named("conference.stalled").next_back()?;
            let text =
                "It stalled: its rounds are over without progress, and the synthesis is missing.";
            Some(of(raw, event, CauseKind::TurnEnded, Sure::Certain, text))
        }
        Decision::Mid => {
            let open = state.unfinished();
            let event = raw.events().iter().rfind(|event| !is_own(event))?;
            let id = event.researcher.filter(|id| open.contains(id))?;
            let failed = event
                .status
                .as_ref()
                .is_some_and(|status| status.contains("fail"));
            let here = failed && event.round == Some(state.round);
            let text = format!("Researcher {id} failed in round {}.", state.round);
            here.then(|| of(raw, event, CauseKind::ScriptFailed, Sure::Likely, &text))
        }
        Decision::NotStarted { .. }
        | Decision::Done { .. }
        | Decision::Start(_)
        | Decision::Phase(_)
        | Decision::Sibling(_)
        | Decision::Nothing => None,
    }
}

/// A cause that one event states.
fn of(raw: &Raw, event: &Event, kind: CauseKind, sure: Sure, text: &str) -> Cause {
    let reason = event.body().text("reason").map(causes::beginning);
    let reason = reason.map_or_else(String::new, |reason| format!(": {}", reason.shown()));
    let said = format!("The log has {}{reason}.", event.name);
    let origin = Origin::line(raw.path(EVENTS), event.line);
    let evidence = vec![causes::evidence(origin, said)];
    causes::cause(kind, sure, text, event.at, evidence)
}
