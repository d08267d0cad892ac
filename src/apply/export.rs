//! The folder of an export: new, private, and complete or not there at all.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

use super::disk::Disk;
use super::purge::remove_folder;
use crate::model::ExportFile;

/// Writes the files into a new folder. It appears under its name only when it is complete; an existing folder is
/// never written into.
pub fn write<D: Disk>(
    disk: &D,
    parent: &Path,
    name: &OsStr,
    files: &[ExportFile],
) -> io::Result<()> {
    let root = disk.root(parent)?;
    if disk.look(&root, name)?.is_some() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let mut draft = OsString::from(".");
    draft.push(name);
    draft.push(format!(".relight-{}", std::process::id()));
    disk.mkdir(&root, &draft, 0o700)?;
    let written =
        fill(disk, &root, &draft, files).and_then(|()| disk.shift((&root, &draft), (&root, name)));
    if written.is_err() {
        // The draft is removed as far as possible; the first error is the one to report.
        drop(remove_folder(disk, &parent.join(&draft)));
    }
    written?;
    disk.flush(&root)
}

/// Creates the folder that holds several exports, private like them.
pub fn folder<D: Disk>(disk: &D, parent: &Path, name: &OsStr) -> io::Result<()> {
    let root = disk.root(parent)?;
    disk.mkdir(&root, name, 0o700)?;
    disk.flush(&root)
}

fn fill<D: Disk>(disk: &D, root: &D::Dir, draft: &OsStr, files: &[ExportFile]) -> io::Result<()> {
    let dir = disk.dir(root, Path::new(draft))?;
    for one in files {
        disk.put(&dir, OsStr::new(&one.name), 0o600, &one.content)?;
    }
    disk.flush(&dir)
}
