//! The files of a stage's folder, listed within limits.

use std::path::{Path, PathBuf};

use crate::model::{Foreign, Place};
use crate::systems::superscientist::facts::Facts;
use crate::text::format;
use crate::world::World;

/// How many files of one folder are listed.
const FILES: usize = 10_000;
/// How many levels of folders are entered.
const DEPTH: usize = 12;

/// The content of a folder.
#[derive(Debug, Default)]
pub(crate) struct Folder {
    /// True if the folder exists.
    pub(crate) is_there: bool,
    /// Its files, by their path in it.
    pub(crate) files: Vec<(Foreign, Option<PathBuf>)>,
    /// Number of files that may contain secrets.
    secret: usize,
    /// True if there are more files than listed.
    more: bool,
}

/// True for a job's description: its template is filled in from the environment, so it may contain secrets.
pub(crate) fn is_secret(name: &str) -> bool {
    let name = name.rsplit('/').next().unwrap_or(name).to_lowercase();
    let stem = name.strip_suffix(".json").unwrap_or_default();
    stem.starts_with("submission") && stem != "submission.template"
}

impl Folder {
    /// Lists a folder of the workflow directory. Links are not followed.
    pub(crate) fn read(facts: &Facts, name: &str, world: &dyn World) -> Self {
        let mut folder = Self::default();
        let Ok(place) = Place::known(&facts.wf, name) else {
            return folder;
        };
        folder.is_there = world.files().list(&place).is_ok();
        folder.enter(&place, Path::new(""), DEPTH, world);
        folder
    }

    fn enter(&mut self, dir: &Place, rel: &Path, depth: usize, world: &dyn World) {
        for entry in world.files().list(dir).unwrap_or_default() {
            let Ok(place) = dir.join(&entry.name) else {
                continue;
            };
            let rel = rel.join(&entry.name);
            if entry.is_dir && depth > 0 {
                self.enter(&place, &rel, depth - 1, world);
            } else if entry.is_dir || self.files.len() >= FILES {
                self.more = true;
            } else if is_secret(&entry.name.to_string_lossy()) {
                self.secret += 1;
            } else if !entry.is_link {
                let file = (rel.as_os_str().into(), Some(place.path()));
                self.files.push(file);
            }
            // Below a directory that is too deep nothing is listed, but beside it.
            if self.more && self.files.len() >= FILES {
                return;
            }
        }
    }

    /// The files that are not compared, as sentences.
    pub(crate) fn left_out(&self) -> Vec<Foreign> {
        let mut all = Vec::new();
        if self.secret > 0 {
            let files = format::count(self.secret, "file");
            let verb = format::plural(self.secret, "is", "are");
            all.push(format!("{files} that may contain secrets {verb} not compared.").into());
        }
        if self.more {
            let (number, files) = (self.files.len(), format::count(self.files.len(), "file"));
            let are = format::plural(number, "is", "are");
            let text = format!("Its directory has more than the {files} that {are} compared.");
            all.push(text.into());
        }
        all
    }
}
