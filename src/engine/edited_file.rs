//! A file that a person edited by hand, read because they named it.

use std::path::Path;

use super::{Engine, EngineError, ErrorKind, Result};
use crate::model::Place;
use crate::text::Shown as _;
use crate::world::files::SMALL_CAP;

impl Engine {
    /// The bytes of a file that the person named.
    pub fn edited(&self, cwd: &Path, file: &Path) -> Result<Vec<u8>> {
        let path = cwd.join(file);
        let failed = |kind, why: &str| {
            let text = format!("{} cannot be read: {why}.", path.shown());
            EngineError::new(kind, text).hint("Name a regular file that you may read.")
        };
        let unreadable = |why: &str| failed(ErrorKind::NotFound, why);
        let (Some(folder), Some(name)) = (path.parent(), path.file_name()) else {
            return Err(unreadable("it is not a file"));
        };
        let files = self.world.files();
        // The person may well name a file by way of a link; only what is opened must not be one.
        let folder = files
            .canonical(folder)
            .ok_or_else(|| unreadable("its directory does not exist"))?;
        let place = Place::known(folder, name).map_err(|error| unreadable(&error.to_string()))?;
        files.read(&place, SMALL_CAP).map_err(|error| {
            let unknown = error.leaves_unknown();
            let kind = if unknown {
                ErrorKind::Unreadable
            } else {
                ErrorKind::NotFound
            };
            failed(kind, &error.to_string())
        })
    }
}
