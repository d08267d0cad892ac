//! The folder of briefings: one file for each plan that was handed over, readable by its owner alone.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use super::disk::Disk;
use super::home;

/// The path of the briefing with this name, whether it exists or not.
pub fn path(state: &Path, name: &Path) -> PathBuf {
    home::briefings_path(state).join(name)
}

/// Writes a briefing and returns its path. Handing over the same plan again replaces its briefing.
pub fn write<D: Disk>(
    disk: &D,
    state: &Path,
    name: &Path,
    text: &[u8],
    me: u32,
) -> io::Result<PathBuf> {
    let dir = home::briefings(disk, state, me)?;
    disk.remove_if_any(&dir, name.as_os_str())?;
    disk.put(&dir, name.as_os_str(), 0o600, text)?;
    Ok(path(state, name))
}

/// Writes another text into a briefing that exists. A path in any other folder is no error, and is left alone.
pub fn replace<D: Disk>(
    disk: &D,
    state: &Path,
    file: &Path,
    text: &[u8],
    me: u32,
) -> io::Result<()> {
    let Some(name) = own_name(state, file) else {
        return Ok(());
    };
    let dir = home::briefings(disk, state, me)?;
    if disk.look(&dir, name)?.is_some() {
        write(disk, state, Path::new(name), text, me)?;
    }
    Ok(())
}

/// The name of a file of this folder.
fn own_name<'a>(state: &Path, file: &'a Path) -> Option<&'a OsStr> {
    let name = file.file_name()?;
    (path(state, Path::new(name)) == file).then_some(name)
}

/// Removes a briefing. One that does not exist, or a path in any other folder, is no error.
pub fn remove<D: Disk>(disk: &D, state: &Path, file: &Path, me: u32) -> io::Result<()> {
    let Some(name) = own_name(state, file) else {
        return Ok(());
    };
    let dir = home::briefings(disk, state, me)?;
    disk.remove_if_any(&dir, name)
}
