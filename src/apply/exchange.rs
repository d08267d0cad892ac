//! Exchanges: the renames that a transaction is made of.
//!
//! An exchange is a swap between two spots. Before it, `here` holds the person's content and `there` the staged content
//! (or nothing); after it, the other way round. Its inverse is the same exchange with both contents swapped, so rolling
//! back, undoing and redoing all use the same operation.

mod opened;

use std::collections::HashSet;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::bytes::Bytes;
use super::disk::{Digest, Disk, FileKind, Identity, Node};

pub use opened::Opened;

/// The kind of a folder that exchanges touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum BaseKind {
    /// A person's files: a work tree, or a folder of state files.
    Files,
    /// A git directory; only its `index` is ever exchanged.
    Git,
    /// A folder of slots, relight's own.
    Slots,
}

/// A folder that exchanges touch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Base {
    /// What it is.
    pub kind: BaseKind,
    /// Its canonical absolute path.
    pub path: Bytes,
    /// The identity of that directory at planning time.
    pub id: Identity,
}

/// A name in a folder under a base.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spot {
    /// Place of the base in the journal's list.
    pub base: usize,
    /// The folder, relative to the base; empty for the base itself.
    pub parent: Bytes,
    /// The identity that this folder has when the exchange is applied.
    pub parent_id: Identity,
    /// The name in it.
    pub name: Bytes,
}

impl Spot {
    /// The path under the base.
    pub fn rel(&self) -> PathBuf {
        self.parent.path().join(self.name.name())
    }

    /// Its absolute path.
    pub fn path(&self, bases: &[Base]) -> PathBuf {
        path_of(bases, self.base, &self.rel())
    }

    /// Whether it is in a folder of slots.
    pub fn is_slot(&self, bases: &[Base]) -> bool {
        let base = bases.get(self.base);
        base.is_some_and(|base| base.kind == BaseKind::Slots)
    }
}

/// What a spot holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Known {
    /// Facts that a rename does not change.
    pub node: Node,
    /// SHA-256 of its content, for files and links.
    #[serde(with = "super::bytes::digest")]
    pub digest: Option<Digest>,
}

impl Known {
    /// Whether it is a folder.
    pub fn is_dir(&self) -> bool {
        self.node.kind == FileKind::Dir
    }
}

/// One rename.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Exchange {
    /// Batches are applied one after another, with a barrier between them.
    #[serde(rename = "wave")]
    pub batch: u32,
    /// Among the person's files, or in a git directory.
    pub here: Spot,
    /// In a folder of slots, or for a move aside another place among the person's files.
    pub there: Spot,
    /// What `here` holds before.
    pub here_had: Option<Known>,
    /// What `there` holds before.
    pub there_had: Option<Known>,
    /// Where `there` holds a folder, its [`contents`]: a file that somebody adds to it later must not move with it.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "super::bytes::digest"
    )]
    pub within: Option<Digest>,
    /// The same of a folder in `here` that becomes a backup as a whole: what somebody changes in it is not restored.
    #[serde(
        default,
        skip_serializing_if = "Option::is_none",
        with = "super::bytes::digest"
    )]
    pub here_within: Option<Digest>,
}

impl Exchange {
    /// The facts about what is here and there before the exchange.
    pub fn had(&self) -> [Option<Node>; 2] {
        [&self.here_had, &self.there_had].map(|known| known.map(|known| known.node))
    }

    /// The place among the person's files that `here` moves to; `None` if it becomes a backup.
    pub fn moves_to(&self, bases: &[Base]) -> Option<PathBuf> {
        (!self.there.is_slot(bases)).then(|| self.there.path(bases))
    }

    /// The two folders of the exchange, to tell whether they are the same as those of the previous one.
    pub fn folders(&self) -> [(usize, &Bytes, Identity); 2] {
        [&self.here, &self.there].map(|spot| (spot.base, &spot.parent, spot.parent_id))
    }
}

/// The folders that contain a spot of some exchange. They are made or emptied for it, and never move as a whole.
pub fn holding(exchanges: &[Exchange], bases: &[Base]) -> HashSet<PathBuf> {
    let spots = exchanges.iter().flat_map(|one| [&one.here, &one.there]);
    let paths = spots.map(|spot| spot.path(bases));
    let folders = paths.filter_map(|path| path.parent().map(Path::to_owned));
    folders.collect()
}

/// What is found in a spot.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Seen {
    /// Whether its folder exists and is the planned one.
    pub reached: bool,
    /// What is in it.
    pub node: Option<Node>,
}

/// Facts about what is at a name, with the digest of its content.
pub fn know<D: Disk>(disk: &D, dir: &D::Dir, name: &OsStr) -> io::Result<Option<Known>> {
    let Some(node) = disk.look(dir, name)? else {
        return Ok(None);
    };
    let digest = match node.kind {
        FileKind::File | FileKind::Link => Some(disk.digest(dir, name)?),
        FileKind::Dir | FileKind::Other => None,
    };
    Ok(Some(Known { node, digest }))
}

/// A digest of everything under a folder: the names, their kinds, and when their content last changed.
pub fn contents<D: Disk>(disk: &D, dir: &D::Dir) -> io::Result<Digest> {
    fn add<D: Disk>(disk: &D, dir: &D::Dir, sum: &mut Sha256) -> io::Result<()> {
        for name in disk.list(dir)? {
            let Some(node) = disk.look(dir, &name)? else {
                continue;
            };
            let name = name.as_os_str();
            sum.update((name.len() as u64).to_le_bytes());
            sum.update(name.as_bytes());
            // Without the device: its number can change with the next boot.
            sum.update(node.id.ino.to_le_bytes());
            sum.update([node.kind as u8]);
            sum.update(node.mode.to_le_bytes());
            sum.update(node.size.to_le_bytes());
            sum.update(node.mtime_ns.to_le_bytes());
            if node.kind == FileKind::Dir {
                add(disk, &disk.dir(dir, name.as_ref())?, sum)?;
                // Marks the end of the folder, so that `a/b` and a following `b` do not produce the same bytes.
                sum.update([u8::MAX]);
            }
        }
        Ok(())
    }
    let mut sum = Sha256::new();
    add(disk, dir, &mut sum)?;
    Ok(sum.finalize().into())
}

/// The absolute path of what is at a path of a base.
pub fn path_of(bases: &[Base], base: usize, rel: &Path) -> PathBuf {
    let base = bases.get(base).map(|base| base.path.path());
    base.unwrap_or_default().join(rel)
}

/// What was found; `None` where nothing is there, as [`is_absent`] says.
pub fn if_there<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(error) if is_absent(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// `None` instead of a "not found" error.
pub(super) fn present<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Ok(found) => Ok(Some(found)),
        Err(why) if why.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(why) => Err(why),
    }
}

/// True where an error means that nothing is there. A link in place of a folder counts as nothing: the exchange may be
/// the one that replaces the folder with it.
pub fn is_absent(error: &io::Error) -> bool {
    error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error())
        || matches!(
            error.kind(),
            io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
        )
}
