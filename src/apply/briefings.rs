//! The folder of briefings: one file for each plan that was handed over, readable by its owner alone.

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

/// Removes a briefing. One that does not exist, or a path in any other folder, is no error.
pub fn remove<D: Disk>(disk: &D, state: &Path, file: &Path, me: u32) -> io::Result<()> {
    let Some(name) = file.file_name() else {
        return Ok(());
    };
    if path(state, Path::new(name)) != file {
        return Ok(());
    }
    let dir = home::briefings(disk, state, me)?;
    disk.remove_if_any(&dir, name)
}
