//! The records of an orchestrator for a workflow, which is named by its folder or its state file.

use std::path::Path;

use crate::model::{Place, RecordOption};
use crate::systems::kit::forms::{Form, Recorder, Site};
use crate::systems::superscientist::NAME;
use crate::systems::superscientist::record::{begin, session, status};
use crate::systems::superscientist::shape::sniff::{Loaded, lacks, load};
use crate::systems::superscientist::shape::{LOG, STATE};
use crate::world::World;

/// The recorder of workflows.
#[derive(Debug)]
pub(crate) struct Workflows;

static FORMS: [Form; 5] = [
    Form {
        name: "status",
        usage: "WORKFLOW STAGE STATUS [--error TEXT] [--note TEXT] …",
        options: &[
            "error",
            "note",
            "tmux",
            "submission",
            "wrapper",
            "recovered",
            "approved-by",
        ],
        repeats: false,
        write: status::write,
    },
    Form {
        name: "session",
        usage: "WORKFLOW session start|end [--note TEXT]",
        options: &["note"],
        repeats: false,
        write: session::write,
    },
    Form {
        name: "complete",
        usage: "WORKFLOW complete [--note TEXT]",
        options: &["note"],
        repeats: false,
        write: session::complete,
    },
    Form {
        name: "log",
        usage: "WORKFLOW log TEXT",
        options: &[],
        repeats: false,
        write: session::log,
    },
    Form {
        name: "init",
        usage: "WORKFLOW init --system superscientist --from PLAN.json",
        options: &begin::MEMBERS,
        repeats: false,
        write: begin::write,
    },
];

const OPTIONS: &[RecordOption] = &[
    RecordOption::one("note", "TEXT", "Add a note to the line of the log"),
    RecordOption::one(
        "tmux",
        "NAME",
        "Name the tmux session of the job (default: dpdisp_stage-N)",
    ),
    RecordOption::one(
        "submission",
        "FILE",
        "Name the submission file (default: stage-N/submission.json)",
    ),
    RecordOption::one(
        "wrapper",
        "FILE",
        "Name the wrapper script (default: stage-N/dpdisp-run.sh)",
    ),
    RecordOption::flag("recovered", "The running job was launched again"),
];

/// Instructions for the prompt of its orchestrator.
const PROMPT: &str = "Never write workflow-state.json or progress.log yourself. Call:
relight record WORKFLOW session start --note TEXT
relight record WORKFLOW stage-N preparing|running|post_processing|completed
relight record WORKFLOW stage-N failed --error TEXT
relight wait WORKFLOW stage-N
relight checkpoint WORKFLOW --reason 'stage-N completed'";

impl Recorder for Workflows {
    fn forms(&self) -> &'static [Form] {
        &FORMS
    }

    fn options(&self) -> (&'static str, &'static [RecordOption]) {
        (
            "superscientist: record WORKFLOW STAGE STATUS …, session start|end, log TEXT, complete, init",
            OPTIONS,
        )
    }

    fn prompt(&self) -> &'static str {
        PROMPT
    }

    fn at(&self, path: &Path, new: bool, world: &dyn World) -> Option<Site> {
        let name = path.file_name()?;
        let dir = if name == STATE || name == LOG {
            path.parent()?
        } else {
            path
        };
        let ours = match load(dir, world) {
            Loaded::Object(_, map) => lacks(&map).is_none(),
            Loaded::Corrupt(..) => {
                Place::known(dir, LOG).is_ok_and(|log| world.files().exists(&log))
            }
            Loaded::Unreadable(_) => false,
        };
        (ours || new).then(|| Site {
            system: NAME,
            root: top(dir, world),
            dir: dir.to_owned(),
            file: dir.join(STATE),
            key: dir
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
        })
    }
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
