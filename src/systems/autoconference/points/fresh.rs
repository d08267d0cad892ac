//! The conference from its beginning: every file that the run wrote is moved aside, and `conference.md` loses what
//! the rounds added to it. Left there, the findings would make the new run look as if its rounds were over.

use std::ffi::OsStr;

use crate::model::{Loss, Place, Step};
use crate::text::format::count;
use crate::world::World;

use super::discard::{Discard, free};
use crate::systems::autoconference::Conference;
use crate::systems::autoconference::shape::{CONFIG, EVENTS, PID, sections};

/// Files of single iterations, where a project keeps them.
const ITERATIONS: &str = "iterations";

/// What starting over moves and empties.
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
        "The run so far no longer counts. Its {moved} stay under new names, and an undo restores them."
    )));
    replaced(case, CONFIG, world, &mut discard, |old| {
        sections::before_any_round(&String::from_utf8_lossy(old)).into_bytes()
    });
    // A conference that has not started has an empty log, as its scaffold makes it.
    if raw.log.is_some() {
        replaced(case, EVENTS, world, &mut discard, |_| Vec::new());
    } else if raw.unread(EVENTS).is_none() {
        let summary = format!("Creates an empty {EVENTS}.");
        discard
            .steps
            .push(replace(case, EVENTS, None, Vec::new(), summary));
    }
    discard
}

/// A file with new content, after a copy of it as it was.
fn replaced(
    case: &Conference,
    name: &str,
    world: &dyn World,
    discard: &mut Discard,
    new: impl Fn(&[u8]) -> Vec<u8>,
) {
    let place = Place::known(&case.raw.dir, name).ok();
    let Some(bytes) = place.and_then(|place| world.files().whole(&place).ok()) else {
        return;
    };
    let new = new(&bytes);
    if new == bytes {
        return;
    }
    let Some(copy) = free(&case.raw, name, world) else {
        let text = format!("{name} stays: every name for a copy of it is taken.");
        return discard.stays.push(text);
    };
    let kept = format!("Copies {name} to {copy}.");
    let why =
        format!("Empties {name} of what the rounds wrote, because the conference starts again.");
    discard
        .steps
        .push(replace(case, &copy, None, bytes.clone(), kept));
    discard
        .steps
        .push(replace(case, name, Some(bytes), new, why));
}

fn replace(
    case: &Conference,
    name: &str,
    expect: Option<Vec<u8>>,
    content: Vec<u8>,
    summary: String,
) -> Step {
    Step::ReplaceFile {
        path: case.raw.path(name),
        expect,
        content,
        clock: None,
        summary: summary.into(),
    }
}
