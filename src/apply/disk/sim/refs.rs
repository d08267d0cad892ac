//! References beside the simulated disk: each a file that changes in one durable call, as a repository with
//! flushed references does it.

use std::io;
use std::path::{Path, PathBuf};

use super::SimDisk;
use super::fault::Verb;
use crate::apply::refs::Refs;

/// The references of a simulated disk, kept as files under `/refs`.
#[derive(Debug)]
pub struct SimRefs<'a>(pub &'a SimDisk);

impl SimRefs<'_> {
    /// The file that stands for a reference.
    pub fn path(name: &str) -> PathBuf {
        Path::new("/refs").join(name.replace('/', "+"))
    }
}

impl Refs for SimRefs<'_> {
    fn read(&self, _: &Path, name: &str) -> Result<Option<String>, String> {
        let found = self.0.perform(Verb::Open, &[], |_, _| Ok(()));
        found.map_err(|error| error.to_string())?;
        let bytes = self.0.content(Self::path(name));
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    fn swap(
        &self,
        _: &Path,
        name: &str,
        old: Option<&str>,
        new: Option<&str>,
    ) -> Result<bool, String> {
        let path = Self::path(name);
        let moved = self
            .0
            .perform(Verb::Rename, &[], |state, _| -> io::Result<bool> {
                let now = state.content(&path);
                if now.as_deref() != old.map(str::as_bytes) {
                    return Ok(false);
                }
                match new {
                    Some(new) => state.file(&path, new.as_bytes(), true),
                    None if old.is_some() => state.drop_name(&path),
                    None => {}
                }
                Ok(true)
            });
        moved.map_err(|error| error.to_string())
    }

    /// A simulated reference changes in one call, so no lock is ever left.
    fn unlock(&self, _: &Path, _: &str, _: &[&str]) -> Result<(), String> {
        Ok(())
    }
}
