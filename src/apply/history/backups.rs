//! The folders of the backups of a recovery, and what is in them.

use std::ffi::OsStr;
use std::io;
use std::path::PathBuf;

use crate::apply::disk::{Disk, FileKind};
use crate::apply::exchange::{BaseKind, if_there};
use crate::apply::folder::{Folder, SLOTS};
use crate::apply::home::{Home, pointers};
use crate::apply::journal::Journal;

/// The folders of its own backups. An undo uses the slots of the recovery that it undoes; they are counted there.
pub(super) fn own_slots<D: Disk>(
    disk: &D,
    home: &Home<D>,
    folder: &Folder<D>,
    journal: Option<&Journal>,
) -> Vec<PathBuf> {
    let mut found = vec![home.path.join(&folder.name).join(SLOTS)];
    match journal {
        Some(journal) => found.extend(slot_folders(journal)),
        None => found.extend(pointers(disk, &folder.dir).unwrap_or_default()),
    }
    found.sort();
    found.dedup();
    found.retain(|path| path.iter().any(|part| part == OsStr::new(&folder.name)));
    found
}

/// Whether a folder of its own backups was deleted by hand. One whose surroundings are not there either may come back
/// with them, as a directory that was moved or a disk.
pub(super) fn is_emptied<D: Disk>(disk: &D, name: &str, journal: &Journal) -> bool {
    let is_own = |path: &PathBuf| path.iter().any(|part| part == OsStr::new(name));
    slot_folders(journal).filter(is_own).any(|path| {
        let above = path.parent().map(|above| disk.root(above));
        matches!(if_there(disk.root(&path)), Ok(None)) && matches!(above, Some(Ok(_)))
    })
}

/// Those of the folders of backups in which there is something: a recovery that only appends lines, and an undo, which uses
/// the backups of what it undoes, have empty ones.
pub(super) fn used<D: Disk>(disk: &D, folders: &[PathBuf]) -> io::Result<Vec<PathBuf>> {
    let mut used = Vec::new();
    for path in folders {
        if let Some(dir) = if_there(disk.root(path))?
            && !if_there(disk.is_empty(&dir))?.unwrap_or(true)
        {
            used.push(path.clone());
        }
    }
    Ok(used)
}

/// The bytes of folders of backups.
pub(in crate::apply) fn size<D: Disk>(disk: &D, folders: &[PathBuf]) -> io::Result<u64> {
    let mut bytes = 0;
    for path in folders {
        if let Some(dir) = if_there(disk.root(path))? {
            bytes += bytes_in(disk, &dir)?;
        }
    }
    Ok(bytes)
}

pub(super) fn slot_folders(journal: &Journal) -> impl Iterator<Item = PathBuf> + '_ {
    let bases = journal.bases.iter();
    bases
        .filter(|base| base.kind == BaseKind::Slots)
        .map(|base| base.path.path())
}

/// Bytes of all files under one of relight's own folders. A file that is deleted meanwhile counts as empty.
fn bytes_in<D: Disk>(disk: &D, dir: &D::Dir) -> io::Result<u64> {
    let mut bytes = 0;
    for name in if_there(disk.list(dir))?.unwrap_or_default() {
        match disk.look(dir, &name)? {
            Some(node) if node.kind == FileKind::Dir => {
                if let Some(inner) = if_there(disk.dir(dir, name.as_ref()))? {
                    bytes += bytes_in(disk, &inner)?;
                }
            }
            Some(node) => bytes += node.size,
            None => {}
        }
    }
    Ok(bytes)
}
