//! Why a run stopped, according to its own records: a gate that did not pass, a dispatch that failed or rejected the
//! work.

use crate::model::{Cause, CauseKind, DispatchStatus, EventRows, Origin, Reading, Status, Sure};
use crate::systems::crucible::facts::Run;
use crate::systems::crucible::facts::reading::{self, escalation};
use crate::systems::crucible::facts::work::{Unit, UnitState, is_failure};
use crate::systems::crucible::shape::{Entry, Manifest};
use crate::systems::kit::causes;
use crate::text::Shown as _;

/// The cause; `None` if the run just stopped, which its files do not explain.
pub(crate) fn recorded(run: &Run, reading: &Reading, events: &dyn EventRows) -> Option<Cause> {
    match reading.claim.status {
        Status::Waiting => escalated(run),
        Status::Interrupted => rejected(run, events),
        Status::Live | Status::Unreadable | Status::Complete => None,
    }
}

/// `Dispatch 8 (implementer, task 5)`.
pub(crate) fn named(manifest: &Manifest, entry: &Entry) -> String {
    let (seq, named) = (entry.seq, reading::named(manifest, entry));
    format!("Dispatch {seq} ({named})")
}

/// An escalation to a person.
fn escalated(run: &Run) -> Option<Cause> {
    let it = escalation(run)?;
    let evidence = vec![causes::evidence(it.origin, it.words.as_str())];
    let cause = causes::cause(it.kind, Sure::Certain, it.words, it.at, evidence);
    Some(cause.advising(it.advice))
}

/// The last dispatch, if it failed or rejected the work. After an earlier one the work continued, unless it failed in
/// the phase in which the run stopped: that phase cannot be finished without it.
fn rejected(run: &Run, events: &dyn EventRows) -> Option<Cause> {
    let ended = |unit: Unit, entry: &Entry| unit.state == UnitState::Open && is_failure(entry);
    let last = run.counted().last();
    let current = run.work.current();
    let passed = current.and_then(|facts| {
        let own = run.counted_in(facts.name.rank);
        let own = own.filter(|_| facts.crossed.is_some());
        own.filter(|(unit, entry)| ended(*unit, entry)).last()
    });
    let failure = |one| because(run, one, events);
    last.and_then(failure).or_else(|| passed.and_then(failure))
}

/// The cause that a dispatch is.
fn because(run: &Run, (unit, entry): (Unit, &Entry), events: &dyn EventRows) -> Option<Cause> {
    let manifest = run.usable()?;
    let name = named(manifest, entry);
    let receipts = &run.documents.receipts;
    let receipt = receipts.iter().rev().find(|one| one.seq == entry.seq);
    let verdict = receipt.filter(|one| matches!(one.verdict.as_str(), "FAIL" | "BLOCKED"));
    let (text, receipt) = match (entry.status, verdict) {
        (DispatchStatus::Failed, _) if unit.state == UnitState::Open => {
            (format!("{name} failed."), None)
        }
        (DispatchStatus::Error, _) if unit.state == UnitState::Open => {
            (format!("{name} ended with an error."), None)
        }
        (DispatchStatus::Completed, Some(receipt)) => {
            let verdict = &receipt.verdict;
            let text = format!("{name} rejected the work: its receipt says {verdict}.");
            (text, Some(receipt.line))
        }
        _ => return None,
    };
    let event = manifest.event_of(entry);
    let event = event.and_then(|place| events.get(place));
    let at = event.as_ref().and_then(|event| event.at);
    let line = manifest.line_of(entry);
    let file = manifest.path();
    let in_folder = file.with_file_name("receipt-ledger.jsonl");
    let receipt = receipt.map(|line| {
        let origin = Origin::line(in_folder, line);
        causes::evidence(origin, text.clone())
    });
    let summary = event.filter(|event| !event.text.is_empty());
    let summary = summary.map(|event| event.text.lossy().into_owned());
    let said = causes::saying(&text, "summary", summary.as_deref());
    let summary = summary.map(|summary| causes::beginning(&summary));
    let summary = summary.map(|summary| format!("Its summary: {}", summary.shown()));
    let summary = summary.unwrap_or_else(|| text.clone());
    let own = causes::evidence(Origin::at(file, line), summary);
    let evidence = receipt.into_iter().chain([own]).collect();
    let at = at.or_else(|| run.start_of(entry));
    let kind = CauseKind::ScriptFailed;
    Some(causes::cause(kind, Sure::Certain, said, at, evidence))
}
