//! Why a run stopped, according to its own records: a gate that did not pass, a dispatch that failed or rejected the
//! work; and how the agents of its open dispatches ended.

use std::collections::{BTreeMap, HashMap};

use memchr::memmem;

use crate::conversations::claude::Ending;
use crate::conversations::subagents::{self, Subagent};
use crate::model::{
    Aliveness, Cause, CauseKind, Client, Conversation, DispatchStatus, EventRows, Origin, Reading,
    Status, Sure,
};
use crate::systems::crucible::facts::Run;
use crate::systems::crucible::facts::reading::{self, escalation};
use crate::systems::crucible::facts::work::{Unit, UnitState, is_failure};
use crate::systems::crucible::shape::{Entry, Manifest};
use crate::systems::kit::causes;
use crate::text::Shown as _;
use crate::world::World;

/// The cause; `None` if the run just stopped, which its files do not explain.
pub(crate) fn recorded(run: &Run, reading: &Reading, events: &dyn EventRows) -> Option<Cause> {
    match reading.claim.status {
        Status::Waiting => escalated(run),
        Status::Interrupted => rejected(run, events),
        Status::Live | Status::Unreadable | Status::Complete => None,
    }
}

/// `Dispatch 8 (implementer, task 5)`.
fn named(manifest: &Manifest, entry: &Entry) -> String {
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

/// The last dispatch, if it failed or rejected the work; else the last failure in the phase in which the run stopped,
/// whatever was done beside it: that phase cannot be finished without it. A failure that is being repeated is none.
fn rejected(run: &Run, events: &dyn EventRows) -> Option<Cause> {
    let work = |entry: &Entry| (entry.role, entry.task);
    let own = || {
        let current = run.work.current().into_iter();
        current.flat_map(|facts| run.counted_in(facts.name.rank))
    };
    let in_flight = own().filter(|(_, entry)| entry.status == DispatchStatus::Dispatched);
    let in_flight: HashMap<_, u32> = in_flight.map(|(_, e)| (work(e), e.begun)).collect();
    let repeated = |entry: &Entry| in_flight.get(&work(entry)) > Some(&entry.row);
    let open = own().filter(|(unit, entry)| {
        unit.state == UnitState::Open && is_failure(entry) && !repeated(entry)
    });
    let failure = |one| because(run, one, events);
    let last = run.counted().last().and_then(failure);
    last.or_else(|| open.last().and_then(failure))
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

/// How many conversations are searched for subagents, newest first.
const CONVERSATIONS: usize = 3;

/// How the subagents of dispatches without a recorded outcome ended, according to their own files; the newest dispatch
/// first.
pub(crate) fn of_dispatches(
    run: &Run,
    conversations: &[Conversation],
    world: &dyn World,
) -> Vec<Cause> {
    let open = run.counted().filter(|(unit, entry)| {
        unit.state == UnitState::Open && entry.status == DispatchStatus::Dispatched
    });
    let open: Vec<&Entry> = open.map(|(_, entry)| entry).collect();
    let Some(manifest) = run.usable().filter(|_| !open.is_empty()) else {
        return Vec::new();
    };
    let folder = format!("crucible-dispatch-{}/", run.session);
    // In an open conversation, an agent may still be working.
    let ended = conversations
        .iter()
        .filter(|one| one.client == Client::ClaudeCode && one.alive != Aliveness::Alive);
    let mut found: BTreeMap<u64, Cause> = BTreeMap::new();
    for conversation in ended.take(CONVERSATIONS) {
        for agent in subagents::of(&conversation.file, world) {
            if found.len() == open.len() {
                break;
            }
            let prompt = agent.prompt(world);
            let seq = prompt.and_then(|prompt| dispatched(&prompt, &folder));
            let Some(entry) = open.iter().find(|entry| Some(entry.seq) == seq) else {
                continue;
            };
            // For a retried dispatch, its newest agent counts.
            if !found.contains_key(&entry.seq)
                && let Some(ending) = agent.ending(world)
            {
                found.insert(entry.seq, ending_of(manifest, entry, &agent, &ending));
            }
        }
    }
    found.into_values().rev().collect()
}

fn ending_of(manifest: &Manifest, entry: &Entry, agent: &Subagent, ending: &Ending) -> Cause {
    let how = if ending.kind == CauseKind::TurnEnded {
        "It finished, and its outcome was not recorded."
    } else {
        &ending.text
    };
    let text = format!("{}: {how}", named(manifest, entry));
    let origin = Origin::at(agent.file(), ending.line);
    let evidence = vec![causes::evidence(origin, text.clone())];
    Cause {
        until: ending.until,
        ..causes::cause(ending.kind, ending.sure, text, ending.at, evidence)
    }
}

/// The number of the dispatch for which an agent was started. Its prompt names the file of that dispatch, and may name
/// files of earlier ones whose work it continues or reviews.
fn dispatched(prompt: &[u8], folder: &str) -> Option<u64> {
    let places = memmem::find_iter(prompt, folder);
    let numbers = places.filter_map(|at| {
        let rest = prompt.get(at + folder.len()..)?;
        let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
        let dash = rest.get(digits) == Some(&b'-');
        let number = std::str::from_utf8(rest.get(..digits)?).ok()?;
        number.parse::<u64>().ok().filter(|_| dash)
    });
    numbers.max()
}
