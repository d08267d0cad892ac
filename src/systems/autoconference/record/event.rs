//! Records an event. The decision that recommends the resume point also decides which events may follow, so nothing is
//! recorded that a resume would not understand.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::formats::json::one_line;
use crate::model::{Clean, ClockStyle, NextStep, Result};
use crate::systems::autoconference::facts::claims::Records;
use crate::systems::autoconference::facts::resumed::RESUMED;
use crate::systems::autoconference::facts::{Decision, State};
use crate::systems::autoconference::points::offers::Move;
use crate::systems::autoconference::record::{line, spacing};
use crate::systems::autoconference::shape::log::{Body, Log, letter};
use crate::systems::autoconference::shape::rounds::Review;
use crate::systems::autoconference::shape::{
    CONFIG, EVENTS, Raw, poster_name, review_name, sections,
};
use crate::systems::kit::forms::{Ask, Written, append, refused};
use crate::text::format::{list_or, shell_line};

/// The events and the members of their payload, in the orchestrator's order.
const KNOWN: [(&str, &str); 9] = [
    ("conference.started", "researchers mode goal config_summary"),
    ("round.started", "round researcher_states"),
    ("round.poster_session", "round summary"),
    (
        "round.peer_review",
        "round validated_count challenged_count overturned_count",
    ),
    (
        "round.completed",
        "round best_metric best_researcher converged",
    ),
    ("researcher.stuck", "researcher round stuck_level"),
    (
        "conference.converged",
        "final_best_metric round_count reason",
    ),
    (
        "conference.completed",
        "synthesis_path final_report_path total_iterations",
    ),
    (RESUMED, "recovery_point round reverted_researchers"),
];

/// The current state of a conference.
pub(super) struct Current {
    pub(super) raw: Raw,
    pub(super) state: State,
    /// The bytes of its log.
    log: Vec<u8>,
}

impl Current {
    pub(super) fn read(ask: &Ask<'_>) -> Result<Self> {
        let log = ask.read(&ask.site.file)?.unwrap_or_default();
        let raw = Raw::load(&ask.site.dir, ask.world);
        let state = State::fold(&raw);
        let last = raw.events().iter().filter_map(|event| event.at).next_back();
        ask.not_before(last.map(|last| last.at))?;
        Ok(Self { raw, state, log })
    }

    /// Appends a line to the log, and determines the next step. With the first event, `conference.md` gets the sections
    /// that it lacks: every round adds to them, and a resume looks for them.
    pub(super) fn logged(mut self, ask: &Ask<'_>, event: &str, payload: &str) -> Result<Written> {
        let at = ClockStyle::UtcSeconds.write(ask.at);
        let line = line(&self.raw, event, &at, payload);
        let after = [&self.log, b"\n".as_slice(), line.as_bytes(), b"\n"].concat();
        self.raw.log = Some(Arc::new(Log::parse(after, ask.world.clock())));
        let mut steps = vec![append(&ask.site.file, vec![line], "The event.")];
        if event == "conference.started" && self.raw.config.exists {
            let path = ask.site.dir.join(CONFIG);
            let text = ask.read(&path)?.unwrap_or_default();
            let lacking = sections::lacking(&String::from_utf8_lossy(&text));
            let what = "The sections that rounds add to.";
            steps.extend((!lacking.is_empty()).then(|| append(path, lacking, what)));
        }
        Ok(Written::new(steps, next(&State::fold(&self.raw))))
    }
}

pub(super) fn write(ask: &Ask<'_>) -> Result<Written> {
    let Some((event, words)) = ask.words.split_first() else {
        return Err(ask.usage("The event is missing."));
    };
    match event.as_str() {
        "researcher.iteration" => {
            let error = refused("An iteration is recorded together with its rows.");
            return Err(error.hint("relight record DIR iteration --researcher B --iteration 2 …"));
        }
        "conference.stalled" | "conference.failed" => {
            return Err(refused(format!("The payload of {event} is unknown.")));
        }
        _ => {}
    }
    // It is the word that selects the record, as a form's name is.
    let members = ask.one_of("event", event, &KNOWN);
    let members = members.map_err(|unknown| ask.usage(unknown.text).hints(unknown.hints))?;
    let members: Vec<&str> = members.split(' ').collect();
    let current = Current::read(ask)?;
    let mut payload = ask.assigned(words, &Map::new())?;
    numbers_as_typed(&mut payload, words);
    if members.contains(&"round") && event != RESUMED {
        let open = current.state.round;
        let round = match payload.get("round") {
            Some(round) => round.as_u64(),
            None => ask.whole("round")?.or(Some(open)),
        };
        if round != Some(open) {
            return Err(refused(format!("The current round is {open}.")));
        }
        payload.insert("round".to_owned(), open.into());
    } else if ask.whole("round")?.is_some() {
        return Err(ask.usage(format!("{event} takes no --round.")));
    }
    if event == "researcher.stuck" {
        stuck(ask, &payload)?;
    }
    follows(event, &current)?;
    documents(event, &current, &payload)?;
    let said = Body(payload.clone());
    if let Some((clause, hint)) = Records::of(&current.raw, &current.state).refute(event, &said) {
        let error = refused(format!("{clause}."));
        return Err(error.hints(hint));
    }
    let text = payload_text(&payload, &members, words, spacing(&current.raw));
    current.logged(ask, event, &text)
}

/// An event about a written document needs the document, and what it says must be in it.
fn documents(event: &str, current: &Current, payload: &Map<String, Value>) -> Result<()> {
    let (raw, round) = (&current.raw, current.state.round);
    let missing = match event {
        "round.poster_session" if raw.poster_size(round) == 0 => poster_name(round),
        "round.peer_review" if raw.review_size(round) == 0 => review_name(round),
        "conference.completed" if raw.synthesis == 0 => "synthesis.md".to_owned(),
        "conference.completed" if raw.report == 0 => "final_report.md".to_owned(),
        "round.peer_review" => {
            let review = raw.reviews.get(&round);
            return review.map_or(Ok(()), |review| reviewed(review, round, payload));
        }
        _ => return Ok(()),
    };
    Err(match raw.unread(&missing) {
        Some(odd) => refused(odd.sentence()).hint(odd.remedy.as_str()),
        None => refused(format!("{missing} is missing or empty."))
            .hint("Write the document, then record it."),
    })
}

/// A review has verdicts, as many as its event says.
fn reviewed(review: &Review, round: u64, payload: &Map<String, Value>) -> Result<()> {
    let name = review_name(round);
    if review.verdicts.is_empty() {
        let hint =
            "A verdict is a line such as \"**Verdict: VALIDATED**\" after its \"### Claim: …\".";
        return Err(refused(format!("{name} has no readable verdict.")).hint(hint));
    }
    let miscounts = review.miscounts(|key| payload.get(key).and_then(Value::as_i64));
    match miscounts.first() {
        None => Ok(()),
        Some((key, said, found)) => Err(refused(format!(
            "{key} is {said}, and {name} has {found} of them."
        ))),
    }
}

fn stuck(ask: &Ask<'_>, payload: &Map<String, Value>) -> Result<()> {
    let researcher = payload.get("researcher").and_then(Value::as_str);
    if researcher.and_then(letter).is_none() {
        return Err(ask.usage("researcher.stuck needs researcher=LETTER."));
    }
    let level = payload.get("stuck_level");
    let known = level.is_some_and(|level| {
        matches!(level.as_u64(), Some(2 | 3)) || level.as_str() == Some("timeout")
    });
    if known {
        Ok(())
    } else {
        Err(refused("stuck_level is 2, 3 or timeout."))
    }
}

/// Decimals that the log keeps as typed are numbers, however many zeros they end with: `2.50`.
fn numbers_as_typed(payload: &mut Map<String, Value>, words: &[String]) {
    for (key, text) in words.iter().filter_map(|word| word.split_once('=')) {
        let number = serde_json::from_str::<Value>(text).ok();
        let number = number.filter(|value| value.is_number() && !text.contains(['e', 'E']));
        if let (Some(number), Some(value)) = (number, payload.get_mut(key)) {
            *value = number;
        }
    }
}

/// The members of a payload: those of the format first, in its order. Numbers are kept as typed.
fn payload_text(
    payload: &Map<String, Value>,
    order: &[&str],
    words: &[String],
    (colon, comma): (&str, &str),
) -> String {
    let place = |key: &str| order.iter().position(|known| *known == key);
    let mut members: Vec<(&String, &Value)> = payload.iter().collect();
    members.sort_by_key(|(key, _)| place(key).unwrap_or(order.len()));
    let members = members.into_iter().map(|(key, value)| {
        let typed = words.iter().find_map(|word| {
            let (name, text) = word.split_once('=')?;
            (name.trim_end_matches(':') == key && value.is_number()).then(|| text.to_owned())
        });
        let value = typed.unwrap_or_else(|| one_line(value, comma == ","));
        let key = one_line(&Value::from(key.as_str()), true);
        format!("{key}{colon}{value}")
    });
    format!("{{{}}}", members.collect::<Vec<_>>().join(comma))
}

/// Refuses an event that cannot come now.
pub(super) fn follows(event: &str, current: &Current) -> Result<()> {
    use Decision as D;
    if is_allowed(event, current) {
        return Ok(());
    }
    let (raw, state) = (&current.raw, &current.state);
    let why = match &state.decision {
        D::Done { inferred: true } => {
            "both end documents exist, and only the event of the end is missing".to_owned()
        }
        D::Done { inferred: false } => "the conference is completed".to_owned(),
        D::NotStarted { preflight: true } => {
            format!("the pre-flight gate in {CONFIG} is not confirmed yet")
        }
        D::NotStarted { preflight: false } => "the conference has not started".to_owned(),
        D::Failed => "the conference failed".to_owned(),
        D::Nothing => format!("{EVENTS} has no event that can be read"),
        D::Sibling(kind) => format!("this is {kind}"),
        D::Start(_) | D::Mid | D::Phase(_) | D::Synthesis(_) if raw.events().is_empty() => {
            format!("{EVENTS} has no events although other files show that work was done")
        }
        D::Start(_) if state.has_converged(raw) => {
            let round = state.done;
            format!("the event of round {round} says that the conference converged")
        }
        D::Start(_) | D::Mid | D::Phase(_) | D::Synthesis(_) => {
            let next = next(state).map(|next| next.label);
            format!("next is {}", next.unwrap_or_default())
        }
    };
    let error = refused(format!("{event} cannot be recorded now: {why}."));
    let expected = expected(current);
    Err(match expected.as_slice() {
        [] => error,
        [RESUMED] => error.hint(begins_again(current)),
        some => {
            let again = state.has_converged(raw).then(|| begins_again(current));
            let again = again.map(|command| format!("For another round: {command}"));
            let expected = format!("Expected: {}.", list_or(some));
            error.hint(expected).hints(again)
        }
    })
}

/// The record with which a lost log begins again.
fn begins_again(current: &Current) -> String {
    let expected = format!("Expected: {RESUMED}.");
    let Some(to) = upcoming(&current.state) else {
        return expected;
    };
    let dir = current.raw.dir.to_string_lossy();
    let (point, round) = (
        format!("recovery_point={}", to.recovery_point()),
        format!("round={}", current.state.round),
    );
    let command = ["relight", "record", dir.as_ref(), RESUMED, &point, &round];
    shell_line(command).map_or(expected, Clean::into_string)
}

/// Whether an event can come now.
fn is_allowed(event: &str, current: &Current) -> bool {
    use Decision as D;
    let (raw, state) = (&current.raw, &current.state);
    let decision = &state.decision;
    let between = !state.open && state.done > 0 && matches!(decision, D::Start(_));
    match (decision, event) {
        (D::Nothing | D::Sibling(_) | D::Failed | D::Done { inferred: false }, _) => false,
        (D::NotStarted { preflight }, event) => event == "conference.started" && !preflight,
        // The log was lost; a resume that other records allow starts a new one.
        (_, event) if raw.events().is_empty() => event == RESUMED,
        (_, RESUMED)
        | (D::Mid | D::Phase(2), "round.poster_session")
        | (D::Phase(3), "round.peer_review")
        | (D::Phase(4), "round.completed")
        | (D::Synthesis(_) | D::Done { inferred: true }, "conference.completed") => true,
        (D::Start(_), "round.started") => {
            !state.has_converged(raw) && (!state.open || state.entered(raw).is_some())
        }
        (D::Start(_) | D::Mid | D::Phase(1 | 2), "researcher.stuck" | "researcher.iteration") => {
            state.open
        }
        (D::Start(_) | D::Synthesis(_), "conference.converged") => {
            !state.has_declared(raw, event) && (between || matches!(decision, D::Synthesis(_)))
        }
        _ => false,
    }
}

/// The possible next events. Any event may be a resume, so it is named only where nothing else is possible.
fn expected(current: &Current) -> Vec<&'static str> {
    const ITERATION: &str = "researcher.iteration";
    let names = KNOWN.iter().map(|(name, _)| *name);
    let mut names: Vec<&str> = names.chain([ITERATION]).collect();
    names.retain(|name| is_allowed(name, current));
    if names.len() > 1 {
        names.retain(|name| *name != RESUMED);
    }
    // The iteration is the usual one of those that are possible, and the word for it is its form's.
    if names.last() == Some(&ITERATION) {
        names.pop();
        names.insert(0, "iteration");
    }
    names
}

/// The resume point of what comes next.
fn upcoming(state: &State) -> Option<Move> {
    Some(match state.decision {
        Decision::Start(_) => Move::Phase(state.round, 1),
        Decision::NotStarted { .. } => Move::Phase(1, 1),
        Decision::Mid => Move::Mid(state.round),
        Decision::Phase(phase) => Move::Phase(state.round, phase),
        Decision::Synthesis(_) => Move::Synthesis,
        Decision::Done { .. } | Decision::Failed | Decision::Nothing | Decision::Sibling(_) => {
            return None;
        }
    })
}

/// The next step, named like its resume point.
fn next(state: &State) -> Option<NextStep> {
    let to = upcoming(state)?;
    Some(NextStep::new(to.id().0, to.label(), to.phase().lossy()))
}
