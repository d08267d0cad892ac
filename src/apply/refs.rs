//! References of a repository as the transaction sees them: read, and moved by compare-and-swap.

use std::path::Path;

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

/// No references at all: for transactions that move none.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoRefs;

impl Refs for NoRefs {
    fn read(&self, _git_dir: &Path, _name: &str) -> Result<Option<String>, String> {
        Ok(None)
    }

    fn swap(
        &self,
        _git_dir: &Path,
        name: &str,
        _old: Option<&str>,
        _new: Option<&str>,
    ) -> Result<bool, String> {
        Err(format!("there is no repository that holds {name}"))
    }
}
