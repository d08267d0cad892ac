//! What a chair may record of a conference, by its folder, its log or its configuration.

use std::path::{Path, PathBuf};

use crate::model::Place;
use crate::systems::autoconference::NAME;
use crate::systems::autoconference::facts::State;
use crate::systems::autoconference::facts::worktrees::Trees;
use crate::systems::autoconference::record::{begin, event, iteration};
use crate::systems::autoconference::shape::{CONFIG, EVENTS, Raw};
use crate::systems::kit::forms::{Form, Recorder, Site};
use crate::world::World;

/// Conference folders.
#[derive(Debug)]
pub(crate) struct Conferences;

static FORMS: [Form; 3] = [
    Form {
        name: "event",
        usage: "DIR EVENT [KEY=VALUE…] [--round N]",
        options: &["round"],
        repeats: false,
        write: event::write,
    },
    Form {
        name: "iteration",
        usage: "DIR iteration --researcher B --iteration 2 --value 41.2 --status kept --description TEXT",
        options: &[
            "researcher",
            "iteration",
            "value",
            "status",
            "description",
            "verified-by",
            "round",
        ],
        repeats: false,
        write: iteration::write,
    },
    Form {
        name: "init",
        usage: "DIR init",
        options: &[],
        repeats: false,
        write: begin::write,
    },
];

impl Recorder for Conferences {
    fn forms(&self) -> &'static [Form] {
        &FORMS
    }

    fn at(&self, path: &Path, new: bool, world: &dyn World) -> Option<Site> {
        let has = |dir: &Path, name: &str| {
            Place::known(dir, name).is_ok_and(|place| world.files().exists(&place))
        };
        let name = path.file_name()?;
        let dir = if name == EVENTS || name == CONFIG {
            path.parent()?
        } else {
            path
        };
        (new || has(dir, EVENTS) || has(dir, CONFIG)).then(|| Site {
            system: NAME,
            root: locked(dir, world),
            dir: dir.to_owned(),
            file: dir.join(EVENTS),
            key: name.to_string_lossy().into_owned(),
        })
    }
}

/// The folder that a recovery locks: the top of the repository where researchers have worktrees, else the conference's.
fn locked(dir: &Path, world: &dyn World) -> PathBuf {
    let raw = Raw::load(dir, world);
    match Trees::look(&raw, &State::fold(&raw), world) {
        Trees::Known { top, .. } => top,
        Trees::NotExpected | Trees::Unasked(_) => dir.to_owned(),
    }
}
