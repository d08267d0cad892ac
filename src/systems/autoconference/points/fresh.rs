//! Starts the conference over: every file of the run is moved aside, and everything that the rounds added is removed
//! from `conference.md`. Otherwise the findings there would make the rounds of the new run look finished.

use std::ffi::OsStr;

use crate::model::{Loss, Place};
use crate::systems::kit::forms::replace;
use crate::text::format::{count, plural};
use crate::world::World;

use super::discard::{Discard, free};
use crate::systems::autoconference::Conference;
use crate::systems::autoconference::shape::{CONFIG, EVENTS, PID, sections};

/// The folder for files of single iterations.
const ITERATIONS: &str = "iterations";

/// The files that starting over moves and empties.
pub(super) fn of(case: &Conference, world: &dyn World) -> Discard {
    let raw = &case.raw;
    let (mut discard, mut kept) = all_but_log(case, world);
    // A conference that has not started has an empty log, as its scaffold creates it.
    if raw.log.is_some() {
        kept += replaced(case, EVENTS, world, &mut discard, |_| Vec::new());
    } else if raw.unread(EVENTS).is_none() {
        let summary = format!("Creates an empty {EVENTS}.");
        let step = replace(raw.path(EVENTS), None, Vec::new(), summary);
        discard.intent.steps.push(step);
    }
    let kept = match count(kept, "file") {
        _ if kept == 0 => String::new(),
        files => format!(
            " {files} of it {} kept under new names, and an undo restores what they were.",
            plural(kept, "is", "are")
        ),
    };
    let text = format!("The run so far no longer counts.{kept}");
    discard.intent.losses.push(Loss::overwritten(text));
    discard
}

/// What starting over leaves as it is, as sentences. The log, which may be large, is not read for it.
pub(super) fn stays(case: &Conference, world: &dyn World) -> Vec<String> {
    let raw = &case.raw;
    let (mut discard, _) = all_but_log(case, world);
    let log = Place::known(&raw.dir, EVENTS)
        .ok()
        .filter(|_| raw.log.is_some());
    if log.is_some_and(|log| world.files().has_content(&log)) {
        name_of_copy(case, EVENTS, world, &mut discard);
    }
    discard.stays
}

/// All but the log, and how many files of it are kept under new names.
fn all_but_log(case: &Conference, world: &dyn World) -> (Discard, usize) {
    let raw = &case.raw;
    let mut discard = Discard::default();
    let iterations = Place::known(&raw.dir, ITERATIONS);
    let iterations = iterations.ok().filter(|at| world.files().stat(at).is_ok());
    for place in raw.writes.iter().chain(&iterations) {
        let path = place.path();
        // The process id belongs to the loop script, which may run again at any time.
        let name = path.file_name().and_then(OsStr::to_str);
        let name = name.filter(|name| *name != PID);
        if let Some(name) = name.filter(|name| *name != EVENTS || raw.log.is_none()) {
            discard.file(raw, name, "because the conference starts again", world);
        }
    }
    let mut kept = discard.intent.steps.len();
    kept += replaced(case, CONFIG, world, &mut discard, |old| {
        sections::before_any_round(&String::from_utf8_lossy(old)).into_bytes()
    });
    (discard, kept)
}

/// The name of a copy of a file, unless all are in use: then it stays as it is.
fn name_of_copy(
    case: &Conference,
    name: &str,
    world: &dyn World,
    discard: &mut Discard,
) -> Option<String> {
    let copy = free(&case.raw, name, world);
    if copy.is_none() {
        let text = format!("{name} is kept: every name for a copy of it is in use.");
        discard.stays.push(text);
    }
    copy
}

/// Replaces a file after making a copy of it; the number of copies.
fn replaced(
    case: &Conference,
    name: &str,
    world: &dyn World,
    discard: &mut Discard,
    new: impl Fn(&[u8]) -> Vec<u8>,
) -> usize {
    let Some(bytes) = world.files().content(&case.raw.dir, name) else {
        return 0;
    };
    let new = new(&bytes);
    if new == bytes {
        return 0;
    }
    let Some(copy) = name_of_copy(case, name, world, discard) else {
        return 0;
    };
    let kept = format!("Copies {name} to {copy}.");
    let why =
        format!("Removes what the rounds added to {name}, because the conference starts again.");
    let (path, copy) = (case.raw.path(name), case.raw.path(&copy));
    let copied = replace(copy, None, bytes.clone(), kept);
    let replaced = replace(path, Some(bytes), new, why);
    discard.intent.steps.extend([copied, replaced]);
    1
}
