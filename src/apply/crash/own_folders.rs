//! Removes folders of relight's own: those of transactions that never began.

use std::ffi::OsStr;
use std::io;

use crate::apply::disk::{Disk, FileKind};
use crate::apply::exchange::if_there;
use crate::apply::folder::Folder;
use crate::apply::home::{forget, pointers};

/// Deletes what was staged for a transaction that never began, in its folder and in its slots elsewhere. Its record
/// stays, so that the history lists it.
pub fn drop_staged<D: Disk>(disk: &D, folder: &Folder<D>) -> io::Result<()> {
    folder.drop_ballast(disk);
    // What cannot be removed elsewhere only occupies space.
    let _ignored = forget(disk, &folder.name, &folder.dir);
    match if_there(folder.slots(disk))? {
        Some(slots) => remove_all(disk, &slots),
        None => Ok(()),
    }
}

/// Removes the folder of a transaction that never began, with everything staged in it and in its slots elsewhere. All
/// of it is relight's own.
pub fn discard<D: Disk>(disk: &D, home: &D::Dir, folder: &Folder<D>) -> io::Result<()> {
    // The journal first: without it, the remainder cannot be mistaken for a pending transaction. The staged content
    // next: without the marks it would be mistaken for backups.
    folder.drop_journal(disk)?;
    drop_staged(disk, folder)?;
    if let Ok(slots) = folder.slots(disk) {
        disk.barrier(&[slots])?;
    }
    if !pointers(disk, &folder.dir)?.is_empty() {
        forget(disk, &folder.name, &folder.dir)?;
    }
    remove_all(disk, &folder.dir)?;
    disk.remove(home, OsStr::new(&folder.name))
}

/// Removes everything in one of relight's own folders.
pub(in crate::apply) fn remove_all<D: Disk>(disk: &D, dir: &D::Dir) -> io::Result<()> {
    let names = disk.list(dir)?;
    names.iter().try_for_each(|name| remove(disk, dir, name))
}

/// Removes something of relight's own, with all that is in it, if it is there.
pub(in crate::apply) fn remove<D: Disk>(disk: &D, at: &D::Dir, name: &OsStr) -> io::Result<()> {
    let Some(node) = disk.look(at, name)? else {
        return Ok(());
    };
    if node.kind == FileKind::Dir {
        remove_all(disk, &disk.dir(at, name.as_ref())?)?;
    }
    disk.remove(at, name)
}
