//! The records of a chair for a conference, which is named by its folder, its log or its configuration.

use std::path::{Path, PathBuf};

use crate::model::RecordOption;
use crate::systems::autoconference::NAME;
use crate::systems::autoconference::facts::{State, Trees};
use crate::systems::autoconference::record::{begin, event, iteration};
use crate::systems::autoconference::shape::{CONFIG, EVENTS, Raw, folder};
use crate::systems::kit::forms::{Form, Recorder, Site};
use crate::world::World;

#[rustfmt::skip]
const FORMS: &[Form] = &[
    Form::new("event", "DIR EVENT [KEY=VALUE…] [--round N]", &["round"], event::write),
    Form::new("iteration", "DIR iteration --researcher B --iteration 2 --value 41.2 --status kept --description TEXT",
        &["researcher", "iteration", "value", "status", "description", "verified-by", "round"], iteration::write),
    Form::new("init", "DIR init", &[], begin::write),
];

#[rustfmt::skip]
const OPTIONS: &[RecordOption] = &[
    RecordOption::one("researcher", "LETTER", "Name the researcher (iteration)"),
    RecordOption::one("iteration", "N", "Number the iteration; 0 is the baseline"),
    RecordOption::one("value", "NUMBER", "Set the metric of the iteration, written as typed"),
    RecordOption::one("description", "TEXT", "Say what was tried"),
    RecordOption::one("verified-by", "SOURCE", "Say what measured it, such as script:bench.py"),
    RecordOption::one("round", "N", "Name the round (default: the open one)"),
];

/// Instructions for the prompt of its orchestrator.
const PROMPT: &str = "Never write conference_events.jsonl or the result tables yourself. Call:
relight record DIR init                                                   (at the start)
relight record DIR round.started researcher_states:='[\"A:ready\"]'
relight record DIR iteration --researcher A --iteration N --value V --status kept --description TEXT
relight checkpoint DIR --reason 'end of round N'
relight record DIR conference.completed";

/// How conferences are recorded.
pub(crate) static RECORDER: Recorder = Recorder {
    heading: "autoconference: record DIR EVENT [KEY=VALUE…]",
    forms: FORMS,
    options: OPTIONS,
    prompt: PROMPT,
    at: at_path,
    named: None,
};

fn at_path(path: &Path, new: bool, world: &dyn World) -> Option<Site> {
    path.file_name()?;
    let dir = folder(path)?;
    let there = |name: &&str| world.files().has(dir, name);
    (new || [EVENTS, CONFIG].iter().any(there))
        .then(|| Site::of_folder(NAME, locked(dir, world), dir, dir.join(EVENTS)))
}

/// The folder that a recovery locks: the top of the repository if researchers have worktrees, else the conference's.
fn locked(dir: &Path, world: &dyn World) -> PathBuf {
    let raw = Raw::load(dir, world);
    match Trees::look(&raw, &State::fold(&raw), world) {
        Trees::Known { top, .. } => top,
        Trees::NotExpected | Trees::Unasked(_) => dir.to_owned(),
    }
}
