//! References of a repository as the transaction sees them: read, and moved by compare-and-swap.

use std::path::Path;

use crate::git::refs;

/// References.
pub trait Refs: Send + Sync {
    /// What a full reference name points at, 40 hex; `None` where there is none.
    fn read(&self, git_dir: &Path, name: &str) -> Result<Option<String>, String>;

    /// Moves a reference if it still points where it is said to. False where it does not. `None` stands for a
    /// reference that is not there.
    fn swap(
        &self,
        git_dir: &Path,
        name: &str,
        old: Option<&str>,
        new: Option<&str>,
    ) -> Result<bool, String>;
}

/// The references of this machine's repositories.
#[derive(Debug, Clone, Copy, Default)]
pub struct RealRefs;

impl Refs for RealRefs {
    fn read(&self, git_dir: &Path, name: &str) -> Result<Option<String>, String> {
        refs::read(git_dir, name).map_err(|error| error.to_string())
    }

    fn swap(
        &self,
        git_dir: &Path,
        name: &str,
        old: Option<&str>,
        new: Option<&str>,
    ) -> Result<bool, String> {
        refs::swap(git_dir, name, old, new, "relight: recovery").map_err(|error| error.to_string())
    }
}
