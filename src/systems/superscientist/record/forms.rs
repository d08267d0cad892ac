//! The records of an orchestrator for a workflow, which is named by its folder or its state file.

use std::path::Path;

use crate::model::{Place, RecordOption};
use crate::systems::kit::forms::{Form, Recorder, Site};
use crate::systems::superscientist::NAME;
use crate::systems::superscientist::record::{begin, session, status};
use crate::systems::superscientist::shape::sniff::{lacks, load};
use crate::systems::superscientist::shape::{LOG, Loaded, STATE};
use crate::world::World;

#[rustfmt::skip]
const FORMS: &[Form] = &[
    Form::new("status", "WORKFLOW STAGE STATUS [--error TEXT] [--note TEXT] …",
        &["error", "note", "tmux", "submission", "wrapper", "recovered", "approved-by"], status::write),
    Form::new("session", "WORKFLOW session start|end [--note TEXT]", &["note"], session::write),
    Form::new("complete", "WORKFLOW complete [--note TEXT]", &["note"], session::complete),
    Form::new("log", "WORKFLOW log TEXT", &[], session::log),
    Form::new("init", "WORKFLOW init --system superscientist --from PLAN.json", &begin::MEMBERS, begin::write),
];

#[rustfmt::skip]
const OPTIONS: &[RecordOption] = &[
    RecordOption::one("note", "TEXT", "Add a note to the line of the log"),
    RecordOption::one("tmux", "NAME", "Name the tmux session of the job (default: dpdisp_stage-N)"),
    RecordOption::one("submission", "FILE", "Name the submission file (default: stage-N/submission.json)"),
    RecordOption::one("wrapper", "FILE", "Name the wrapper script (default: stage-N/dpdisp-run.sh)"),
    RecordOption::flag("recovered", "The running job was launched again"),
];

/// Instructions for the prompt of its orchestrator.
const PROMPT: &str = "Never write workflow-state.json or progress.log yourself. Call:
relight record WORKFLOW session start --note TEXT
relight record WORKFLOW stage-N preparing|running|post_processing|completed
relight record WORKFLOW stage-N failed --error TEXT
relight wait WORKFLOW stage-N
relight checkpoint WORKFLOW --reason 'stage-N completed'";

/// How workflows are recorded.
pub(crate) static RECORDER: Recorder = Recorder {
    heading: "superscientist: record WORKFLOW STAGE STATUS …, session start|end, log TEXT, complete, init",
    forms: FORMS,
    options: OPTIONS,
    prompt: PROMPT,
    at: at_path,
    named: None,
};

fn at_path(path: &Path, new: bool, world: &dyn World) -> Option<Site> {
    let name = path.file_name()?;
    let dir = if name == STATE || name == LOG {
        path.parent()?
    } else {
        path
    };
    let ours = match load(dir, world) {
        Loaded::Object(_, map) => lacks(&map).is_none(),
        Loaded::Corrupt(..) => world.files().has(dir, LOG),
        Loaded::Unreadable(_) => false,
    };
    (ours || new).then(|| Site::of_folder(NAME, top(dir, world), dir, dir.join(STATE)))
}

/// The top of the repository, which a recovery locks; the workflow's own folder without one.
fn top(dir: &Path, world: &dyn World) -> std::path::PathBuf {
    let has_git = |top: &&Path| {
        let git = Place::root(top.join(".git"));
        world.files().stat(&git).is_ok()
    };
    let is_there = |dir: &&Path| world.files().exists(&Place::root(*dir));
    let top = dir.ancestors().find(has_git);
    // The folder of a new workflow may not exist yet.
    let top = top.or_else(|| dir.ancestors().find(is_there));
    top.unwrap_or(dir).to_owned()
}
