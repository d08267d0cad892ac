//! What can be seen on the disk, for comparing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::SimDisk;
use super::tree::{Body, ROOT};
use crate::apply::disk::Node;

/// One thing as a test sees it.
#[derive(Clone, PartialEq, Eq)]
pub struct Seen {
    /// Kind, identity, mode, owner, size and time.
    pub node: Node,
    /// Content of a file, target of a link, else nothing.
    pub bytes: Vec<u8>,
    /// Extended attributes.
    pub attributes: BTreeMap<String, Vec<u8>>,
}

impl std::fmt::Debug for Seen {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Node {
            kind,
            id,
            mode,
            mtime_ns,
            ..
        } = self.node;
        let bytes = self.bytes.escape_ascii();
        write!(f, "{kind:?} #{} {mode:o} at {mtime_ns} \"{bytes}\"", id.ino)
    }
}

/// Everything under a folder, by its path from there; the folder itself is the empty path.
pub type Picture = BTreeMap<PathBuf, Seen>;

impl SimDisk {
    /// What is under a folder, or the one thing that is there; empty where nothing is.
    pub fn picture(&self, path: impl AsRef<Path>) -> Picture {
        let state = self.lock_state();
        let Some(from) = state.at(path.as_ref()) else {
            return Picture::new();
        };
        let walked = state.now.walk(from).into_iter();
        let seen = walked.filter_map(|(path, ino)| {
            let inode = state.now.get(ino)?;
            let bytes = match &inode.body {
                Body::File(content) => content.bytes.clone(),
                Body::Link(target) => target.clone(),
                Body::Dir(_) | Body::Other => Vec::new(),
            };
            let seen = Seen {
                node: inode.facts(ino),
                bytes,
                attributes: inode.meta.xattrs.clone(),
            };
            Some((path, seen))
        });
        seen.collect()
    }

    /// The content of the file at a path, if there is one.
    pub fn content(&self, path: impl AsRef<Path>) -> Option<Vec<u8>> {
        self.lock_state().content(path.as_ref())
    }

    /// The content of every file that a name leads to, wherever it is.
    pub fn contents(&self) -> BTreeSet<Vec<u8>> {
        let state = self.lock_state();
        let all = state.now.walk(ROOT).into_iter();
        all.filter_map(|(_, ino)| Some(state.now.get(ino)?.file()?.bytes.clone()))
            .collect()
    }

    /// Inodes that a name leads to.
    pub fn inodes(&self) -> BTreeSet<u64> {
        self.lock_state().now.reachable()
    }

    /// True where a power cut would take nothing away.
    pub fn is_durable(&self) -> bool {
        let state = self.lock_state();
        let same = |ino: &u64| match (state.now.get(*ino), state.durable.get(*ino)) {
            (Some(now), Some(durable)) => {
                let content = now.file().map(|c| Arc::clone(c).bytes.clone());
                now.meta == durable.meta && content == durable.file().map(|c| c.bytes.clone())
            }
            _ => false,
        };
        state.pending.is_empty() && state.now.reachable().iter().all(same)
    }
}
