//! Paths that a rollback skipped because another program changed them meanwhile, and where their other versions are
//! kept. Written into the folder of the transaction, for the history.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::apply::bytes::Bytes;
use crate::apply::disk::Disk;
use crate::apply::folder::{Folder, GONE, LEFT};
use crate::foreign;
use crate::model::{Foreign, LeftPath};

/// The stored form.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    path: Bytes,
    before: Option<Bytes>,
    planned: Option<Bytes>,
    text: Bytes,
}

/// Why a path stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    /// Somebody changed it.
    Changed,
    /// Somebody deleted it.
    Deleted,
    /// The person asked for it.
    Chosen,
    /// It is a folder that contains files of another program.
    Occupied,
    /// Its backup is missing.
    Missing,
    /// It is missing, and so is its backup.
    Gone,
    /// It is missing and has no backup: it was deleted before the plan would have removed it, or its backup was deleted.
    Vanished,
    /// Its backup holds other content than the journal recorded.
    Damaged,
}

impl Why {
    /// Whether a person must look, because the content from before cannot be restored.
    pub(super) fn is_lost(self) -> bool {
        matches!(self, Self::Missing | Self::Gone | Self::Damaged)
    }
}

/// The sentence about a path.
pub(super) fn about(
    path: &Path,
    why: Why,
    before: Option<&Path>,
    planned: Option<&Path>,
) -> LeftPath {
    let mut text = match why {
        Why::Changed => foreign!(
            "{} was changed by another program and stays as it is.",
            path
        ),
        Why::Deleted => foreign!("{} was deleted by another program and stays deleted.", path),
        Why::Chosen => foreign!("{} is kept unchanged (--keep).", path),
        Why::Occupied => foreign!(
            "{} is kept: it contains files that relight did not create.",
            path
        ),
        Why::Missing => foreign!("The backup of {} is missing.", path),
        Why::Gone => foreign!("{} is missing, and so is its backup.", path),
        Why::Vanished => foreign!("{} is missing, and there is no backup of it.", path),
        Why::Damaged => foreign!(
            "The backup of {} is damaged: its content was changed.",
            path
        ),
    };
    for (what, place) in [("was there before", before), ("was planned", planned)] {
        if let Some(place) = place {
            text = foreign!("{} What {} is kept in {}.", text, what, place);
        }
    }
    LeftPath {
        path: path.to_owned(),
        before: before.map(Path::to_owned),
        planned: planned.map(Path::to_owned),
        text,
    }
}

/// Writes down the places of which only the order of the exchanges tells that their backup is missing.
pub(super) fn note<D: Disk>(disk: &D, folder: &Folder<D>, gone: &[PathBuf]) -> io::Result<()> {
    if gone.is_empty() {
        return Ok(());
    }
    let gone = gone.iter().map(|path| Bytes::from(path.as_path()));
    put(disk, folder, GONE, gone)?;
    disk.barrier(std::slice::from_ref(&folder.dir))
}

/// Those that an earlier attempt wrote down.
pub(super) fn noted<D: Disk>(disk: &D, folder: &Folder<D>) -> Vec<PathBuf> {
    let gone: Vec<Bytes> = get(disk, folder, GONE);
    gone.iter().map(Bytes::path).collect()
}

/// Writes the list, replacing that of an earlier attempt.
pub(super) fn write<D: Disk>(disk: &D, folder: &Folder<D>, left: &[LeftPath]) -> io::Result<()> {
    if left.is_empty() {
        return disk.remove_if_any(&folder.dir, OsStr::new(LEFT));
    }
    let bytes = |path: &PathBuf| Bytes::from(path.as_path());
    let lines = left.iter().map(|one| Line {
        path: bytes(&one.path),
        before: one.before.as_ref().map(bytes),
        planned: one.planned.as_ref().map(bytes),
        text: Bytes::from(one.text.as_bytes()),
    });
    put(disk, folder, LEFT, lines)
}

/// The list. A list that cannot be read counts as empty.
pub fn read<D: Disk>(disk: &D, folder: &Folder<D>) -> Vec<LeftPath> {
    let lines: Vec<Line> = get(disk, folder, LEFT);
    let left = lines.into_iter().map(|line| LeftPath {
        path: line.path.path(),
        before: line.before.map(|path| path.path()),
        planned: line.planned.map(|path| path.path()),
        text: Foreign::from(line.text.0),
    });
    left.collect()
}

/// Writes a list, replacing that of an earlier attempt.
fn put<D: Disk, T: Serialize>(
    disk: &D,
    folder: &Folder<D>,
    name: &str,
    list: impl Iterator<Item = T>,
) -> io::Result<()> {
    let name = OsStr::new(name);
    disk.remove_if_any(&folder.dir, name)?;
    let text = serde_json::to_vec(&list.collect::<Vec<T>>()).map_err(io::Error::other)?;
    disk.put(&folder.dir, name, 0o600, &text)
}

fn get<D: Disk, T: DeserializeOwned>(disk: &D, folder: &Folder<D>, name: &str) -> Vec<T> {
    let bytes = disk.read(&folder.dir, OsStr::new(name), 1 << 30).ok();
    let list = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok());
    list.unwrap_or_default()
}
