//! Where the records of the end of a conference disagree: an end that the log declares, end documents, open rounds.

use super::claims::Records;
use super::resumed::void_before;
use super::{Decision, State};
use crate::systems::autoconference::shape::{Event, Raw};
use crate::text::format::{count_of, list, plural};

/// The kinds of disagreement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EndKind {
    /// Both end documents exist although a round is open.
    Early,
    /// The log says completed, and an end document is missing.
    Undocumented,
    /// The log has events of work after the end.
    Late,
    /// An event says of the end what is not on record.
    Unfounded,
}

/// The disagreements of a conference, each with a clause without a period that begins with a file name, a line or a
/// number.
pub(crate) fn problems(raw: &Raw, state: &State) -> Vec<(EndKind, String)> {
    let round = state.round;
    let open = matches!(
        state.decision,
        Decision::Start(_) | Decision::Mid | Decision::Phase(_)
    );
    let early = (open && raw.synthesis > 0 && raw.report > 0)
        .then(|| format!("synthesis.md and final_report.md exist although round {round} is open"));
    let declared = matches!(state.decision, Decision::Done { inferred: false });
    let undocumented = undocumented(raw).filter(|_| declared);
    let all = [
        (EndKind::Early, early),
        (EndKind::Undocumented, undocumented),
        (EndKind::Late, late(raw, state)),
    ];
    let found = all.into_iter();
    let found = found.filter_map(|(kind, text)| Some((kind, text?)));
    let unfounded = unfounded(raw, state).into_iter();
    let unfounded = unfounded.map(|text| (EndKind::Unfounded, text));
    found.chain(unfounded).collect()
}

/// The end documents that a declared end lacks.
fn undocumented(raw: &Raw) -> Option<String> {
    let documents = [
        ("synthesis.md", raw.synthesis),
        ("final_report.md", raw.report),
    ];
    let missing = documents.into_iter().filter(|(_, size)| *size == 0);
    let names: Vec<&str> = missing.map(|(name, _)| name).collect();
    let (are, both) = (plural(names.len(), "is", "are"), list(&names));
    let mut odd = names.iter().filter_map(|name| raw.unread(name));
    let lack = odd.next().map_or_else(
        || format!("{both} {are} missing or empty"),
        |file| format!("{} {}", file.name, file.problem),
    );
    (!names.is_empty())
        .then(|| format!("{lack} although the log says that the conference is completed"))
}

/// The work after an end that is declared and holds: the last `conference.completed`, else the first other one.
fn late(raw: &Raw, state: &State) -> Option<String> {
    const ENDS: [&str; 3] = [
        "conference.converged",
        "conference.stalled",
        "conference.failed",
    ];
    let (events, overruled) = (raw.events().iter(), state.overruled());
    let is_end = |event: &&Event| {
        let named = ENDS.contains(&&*event.name);
        let converged = || *event.name == *"round.completed" && event.declares_end();
        event.line > overruled && (named || converged())
    };
    let completed = raw.named("conference.completed").last();
    let end = completed.or_else(|| events.clone().find(is_end))?;
    let later = events.filter(|e| e.line > end.line && e.is_work()).count();
    let were = count_of(later, "event was", "events were");
    let Event { name, line, .. } = end;
    let says = if end.is_work() {
        ", which says that the conference converged"
    } else {
        ""
    };
    (later > 0).then(|| format!("{were} logged after {name} (line {line}){says}"))
}

/// What the events of an end that still hold say and no other record does.
fn unfounded(raw: &Raw, state: &State) -> Vec<String> {
    let records = Records::of(raw, state);
    let rounds = raw.named("round.completed").filter(|event| {
        let round = event.round.unwrap_or(0);
        event.line >= void_before(&state.resumed, round, 4)
    });
    let ends = ["conference.converged", "conference.completed"];
    let overruled = state.overruled();
    let ends = ends.map(|name| {
        let mut last = raw.named(name).rev();
        last.find(|event| event.line > overruled)
    });
    let refuted = |event: &Event| {
        let (clause, _) = records.refute(&event.name, &event.body())?;
        Some(format!("line {}: {clause}", event.line))
    };
    rounds
        .chain(ends.into_iter().flatten())
        .filter_map(refuted)
        .collect()
}
