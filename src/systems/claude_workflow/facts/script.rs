//! The script of a run: the one that ran, and what is at its recorded path now.

use std::path::Path;

use super::Facts;
use crate::model::Place;
use crate::world::World;

/// What is at the recorded path of the script.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Script {
    /// The script that ran.
    Same,
    /// Another one.
    Edited,
    /// A script, and nothing is left of the one that ran.
    NothingToCompare,
    /// Nothing that can be read.
    Lost,
    /// No path is recorded.
    Unrecorded,
}

impl Facts {
    /// The script that ran, from the snapshot or from the copy of the launch.
    pub(crate) fn script_that_ran(&self, world: &dyn World) -> Option<Vec<u8>> {
        let ended = self
            .snapshot
            .as_ref()
            .and_then(|ended| ended.script.clone());
        ended.map(String::into_bytes).or_else(|| {
            let copy = self.script_copy.as_deref()?;
            world.files().content(copy.parent()?, copy.file_name()?)
        })
    }

    /// Whether a call with the recorded path starts the script that ran.
    pub(crate) fn script(&self, world: &dyn World) -> Script {
        let Some(path) = self.script_path() else {
            return Script::Unrecorded;
        };
        let now = Place::of(Path::new(&path)).map(|place| world.files().whole(&place));
        match (now, self.script_that_ran(world)) {
            (Some(Err(_)) | None, _) => Script::Lost,
            (Some(Ok(_)), None) => Script::NothingToCompare,
            (Some(Ok(now)), Some(ran)) if now == ran => Script::Same,
            (Some(Ok(_)), Some(_)) => Script::Edited,
        }
    }
}
