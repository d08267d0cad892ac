//! Shadow checkpoint stores as crucible keeps them.

use crate::model::short_id;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use super::files::{self, Rules};
use super::{ScratchError, layout};

/// A git directory apart from the work tree whose states it keeps.
#[derive(Debug, Clone)]
pub struct Shadow {
    store: PathBuf,
    work_tree: PathBuf,
}

impl Shadow {
    /// Makes an empty store for a work tree that is already there.
    pub fn init(store: &Path, work_tree: &Path) -> Result<Self, ScratchError> {
        let work_tree = layout::canonical(work_tree)?;
        layout::make_dir(store)?;
        let store = layout::canonical(store)?;
        layout::git_dir(&store, "main", Some(&work_tree))?;
        Ok(Self { store, work_tree })
    }

    /// The store's git directory.
    pub fn store(&self) -> &Path {
        &self.store
    }

    /// The work tree whose states it keeps.
    pub fn work_tree(&self) -> &Path {
        &self.work_tree
    }

    /// Takes a checkpoint of the whole work tree but what the project's `.gitignore` files ignore. Nested
    /// repositories become links without content. Gives the commit's id.
    pub fn snapshot(
        &self,
        reason: &str,
        source: &str,
        at: DateTime<Utc>,
    ) -> Result<String, ScratchError> {
        let found = files::walk(&self.work_tree, &Rules::default())?.found;
        self.keep(&found, reason, source, at)
    }

    /// Takes a checkpoint of the named files alone.
    pub fn snapshot_of(
        &self,
        files: &[&str],
        reason: &str,
        source: &str,
        at: DateTime<Utc>,
    ) -> Result<String, ScratchError> {
        let mut found = Vec::new();
        for file in files {
            found.push((file.as_bytes().to_vec(), self.work_tree.join(file)));
        }
        self.keep(&found, reason, source, at)
    }

    /// Sets the times of the store's own files, so that nothing in it looks recently written.
    pub fn age(&self, at: DateTime<Utc>) -> Result<(), ScratchError> {
        layout::age(&self.store, at)
    }

    fn keep(
        &self,
        found: &[(Vec<u8>, PathBuf)],
        reason: &str,
        source: &str,
        at: DateTime<Utc>,
    ) -> Result<String, ScratchError> {
        let repo = files::open(&self.store)?;
        let tree = files::tree(&repo, &self.store, found)?;
        let when = at.format("%Y-%m-%d %H:%M:%S");
        let subject = format!("{reason} | {when} | {source}\n");
        let id = layout::commit_to_head(&repo, tree, &subject, at)?.to_string();
        let short = short_id(&id);
        let row = format!("| {short} | {when} | {reason} | {source} |\n");
        layout::append(&self.store.join("checkpoint-manifest.md"), row.as_bytes())?;
        Ok(id)
    }
}
