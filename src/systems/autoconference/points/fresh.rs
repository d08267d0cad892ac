//! Starts the conference over: every file of the run is moved aside, and everything that the rounds added is removed
//! from `conference.md`. Otherwise the findings there would make the rounds of the new run look finished.

use std::ffi::OsStr;

use crate::model::{Loss, Place};
use crate::systems::kit::forms::replace;
use crate::text::format::count;
use crate::world::World;

use super::discard::{Discard, free};
use crate::systems::autoconference::Conference;
use crate::systems::autoconference::shape::{CONFIG, EVENTS, PID, sections};

/// The folder for files of single iterations.
const ITERATIONS: &str = "iterations";

/// The files that starting over moves and empties.
pub(super) fn of(case: &Conference, world: &dyn World) -> Discard {
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
    let moved = count(discard.steps.len(), "file");
    discard.losses.push(Loss::overwritten(format!(
        "The run so far no longer counts. Its {moved} are kept under new names, and an undo restores them."
    )));
    replaced(case, CONFIG, world, &mut discard, |old| {
        sections::before_any_round(&String::from_utf8_lossy(old)).into_bytes()
    });
    // A conference that has not started has an empty log, as its scaffold creates it.
    if raw.log.is_some() {
        replaced(case, EVENTS, world, &mut discard, |_| Vec::new());
    } else if raw.unread(EVENTS).is_none() {
        let summary = format!("Creates an empty {EVENTS}.");
        discard
            .steps
            .push(replace(case.raw.path(EVENTS), None, Vec::new(), summary));
    }
    discard
}

/// Replaces a file after making a copy of it.
fn replaced(
    case: &Conference,
    name: &str,
    world: &dyn World,
    discard: &mut Discard,
    new: impl Fn(&[u8]) -> Vec<u8>,
) {
    let Some(bytes) = world.files().content(&case.raw.dir, name) else {
        return;
    };
    let new = new(&bytes);
    if new == bytes {
        return;
    }
    let Some(copy) = free(&case.raw, name, world) else {
        let text = format!("{name} is kept: every name for a copy of it is in use.");
        return discard.stays.push(text);
    };
    let kept = format!("Copies {name} to {copy}.");
    let why =
        format!("Removes what the rounds added to {name}, because the conference starts again.");
    discard
        .steps
        .push(replace(case.raw.path(&copy), None, bytes.clone(), kept));
    discard
        .steps
        .push(replace(case.raw.path(name), Some(bytes), new, why));
}
