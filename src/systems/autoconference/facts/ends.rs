//! Where the records of the end of a conference disagree: an end that the log declares, end documents, open rounds.

use super::{Decision, State};
use crate::systems::autoconference::shape::Raw;
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
}

/// The disagreements of a conference, each with a clause without a period that begins with a file name or a number.
pub(crate) fn problems(raw: &Raw, state: &State) -> Vec<(EndKind, String)> {
    let round = state.round;
    let open = matches!(
        state.decision,
        Decision::Start(_) | Decision::Mid | Decision::Phase(_)
    );
    let early = (open && raw.synthesis > 0 && raw.report > 0)
        .then(|| format!("synthesis.md and final_report.md exist although round {round} is open"));
    let declared = matches!(state.decision, Decision::Done { inferred: false });
    let all = [
        (EndKind::Early, early),
        (
            EndKind::Undocumented,
            undocumented(raw).filter(|_| declared),
        ),
        (EndKind::Late, late(raw).filter(|_| declared)),
    ];
    let found = all.into_iter();
    found
        .filter_map(|(kind, text)| Some((kind, text?)))
        .collect()
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

/// The work after a declared end.
fn late(raw: &Raw) -> Option<String> {
    let ends = raw.named("conference.completed");
    let end = ends.map(|event| event.line).max().unwrap_or(0);
    let events = raw.events().iter();
    let later = events.filter(|e| e.line > end && e.is_work()).count();
    let were = count_of(later, "event was", "events were");
    (later > 0).then(|| format!("{were} logged after conference.completed (line {end})"))
}
