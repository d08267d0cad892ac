//! What an orchestrator may record of a run, by its session, its dispatch folder or its manifest.

use std::path::{Path, PathBuf};

use crate::model::Place;
use crate::systems::crucible::record::{dispatch, phase};
use crate::systems::crucible::shape::sniff::{is_eval, session_of};
use crate::systems::crucible::{Crucible, NAME};
use crate::systems::kit::forms::{Form, Recorder, Site};
use crate::systems::{Candidate, System as _};
use crate::world::World;

/// The name of a manifest.
const MANIFEST: &str = "manifest.jsonl";

/// The runs of this machine.
#[derive(Debug)]
pub(crate) struct Runs;

static FORMS: [Form; 3] = [
    Form {
        name: "dispatch",
        usage: "RUN dispatch ROLE --phase P --template NAME [--task N] --body FILE|-",
        options: &["phase", "template", "task", "body"],
        // Equal dispatches in parallel are legitimate.
        repeats: true,
        write: dispatch::begin,
    },
    Form {
        name: "done",
        usage: "RUN done SEQ --status completed|failed|error|skipped --summary TEXT [--duration S]",
        options: &["status", "summary", "duration"],
        repeats: false,
        write: dispatch::done,
    },
    Form {
        name: "phase",
        usage: "RUN phase P",
        options: &[],
        repeats: false,
        write: phase::write,
    },
];

impl Recorder for Runs {
    fn forms(&self) -> &'static [Form] {
        &FORMS
    }

    fn at(&self, path: &Path, new: bool, world: &dyn World) -> Option<Site> {
        let dir = if path.file_name()? == MANIFEST {
            path.parent()?
        } else {
            path
        };
        let folder = dir.file_name()?;
        let session = session_of(folder).filter(|_| !is_eval(folder))?;
        let there = world.files().exists(&Place::root(dir));
        (there || new).then(|| site(dir.to_owned(), session, world))
    }

    fn named(&self, session: &str, _cwd: &Path, _new: bool, world: &dyn World) -> Option<Site> {
        let name = format!("crucible-dispatch-{session}");
        if session.is_empty() || session.contains('/') {
            return None;
        }
        world.places().temp.iter().find_map(|temp| {
            let dir = world.files().canonical(&temp.join(&name))?;
            Some(site(dir, session, world))
        })
    }
}

fn site(dir: PathBuf, session: &str, world: &dyn World) -> Site {
    let file = dir.join(MANIFEST);
    let case = Crucible.open(&candidate(session, &file), world);
    let reading = case.reading();
    // A run whose project is not known is locked by its own folder.
    let root = reading
        .work_tree
        .clone()
        .unwrap_or_else(|| reading.root.clone());
    let root = if root.as_os_str().is_empty() {
        dir.clone()
    } else {
        root
    };
    Site {
        system: NAME,
        root,
        dir,
        file,
        key: session.to_owned(),
    }
}

/// The run of a session.
pub(super) fn candidate(session: &str, file: &Path) -> Candidate {
    Candidate {
        system: NAME,
        native: session.into(),
        anchor: PathBuf::new(),
        sources: vec![file.to_owned()],
        work_tree: None,
    }
}
