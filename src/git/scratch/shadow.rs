//! Shadow checkpoint stores as crucible keeps them.

use crate::model::short_id;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use super::files::{self, Rules};
use super::snapshots::flush;
use super::{ScratchError, layout};

/// A time in the format of checkpoint subjects and tables.
pub fn row_time(at: DateTime<Utc>) -> String {
    at.format("%Y-%m-%d %H:%M:%S").to_string()
}

/// A git directory separate from the work tree whose states it stores.
#[derive(Debug, Clone)]
pub struct Shadow {
    store: PathBuf,
    work_tree: PathBuf,
}

impl Shadow {
    /// Creates an empty store for an existing work tree.
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

    /// Takes a checkpoint of the whole work tree except what the project's `.gitignore` files ignore. Nested
    /// repositories become links without content. Returns the commit's id.
    pub fn snapshot(
        &self,
        reason: &str,
        source: &str,
        at: DateTime<Utc>,
    ) -> Result<String, ScratchError> {
        let found = files::walk(&self.work_tree, &Rules::default())?.found;
        let repo = files::open(&self.store)?;
        let tree = files::tree(&repo, &self.store, files::INDEX, &found)?;
        let when = row_time(at);
        let subject = format!("{reason} | {when} | {source}\n");
        let id = layout::commit_to_head(&repo, tree, &subject, at)?.to_string();
        let short = short_id(&id);
        let row = format!("| {short} | {when} | {reason} | {source} |\n");
        layout::append(&self.store.join("checkpoint-manifest.md"), row.as_bytes())?;
        Ok(id)
    }

    /// Takes a durable checkpoint of a project in which an agent works, even if no file has changed: the work tree
    /// without ignored files and those that `leave_out` excludes. Refused above `most` files. Writes only the store's
    /// objects and branch, and an index of relight's own; the caller adds the row to the store's table.
    pub fn boundary(
        &self,
        leave_out: &dyn Fn(&Path, bool) -> bool,
        most: usize,
        subject: &str,
        at: DateTime<Utc>,
    ) -> Result<String, ScratchError> {
        let rules = Rules {
            leave_out: Some(leave_out),
            ..Rules::default()
        };
        let found = files::walk(&self.work_tree, &rules)?.found;
        if found.len() > most {
            let text = format!("the project has more than {most} files");
            return Err(ScratchError::Name(text));
        }
        let repo = files::open(&self.store)?;
        let tree = files::tree(&repo, &self.store, files::OWN_INDEX, &found)?;
        let parent = repo.head().ok().and_then(|head| head.target());
        let message = format!("{subject}\n");
        let id = layout::commit(&repo, tree, &message, at, parent.as_slice())?;
        flush(&self.store)?;
        layout::advance(&repo, id)?;
        flush(&self.store)?;
        Ok(id.to_string())
    }

    /// Opens a store, or creates it if it does not exist.
    pub fn open(store: &Path, work_tree: &Path) -> Result<Self, ScratchError> {
        if !store.join("HEAD").exists() {
            return Self::init(store, work_tree);
        }
        Ok(Self {
            store: layout::canonical(store)?,
            work_tree: layout::canonical(work_tree)?,
        })
    }

    /// Sets the times of the store's own files, so that nothing in it looks recently written.
    pub fn age(&self, at: DateTime<Utc>) -> Result<(), ScratchError> {
        layout::age(&self.store, at)
    }
}
