//! The folder of briefings: what was handed over, one file a plan, readable by its owner alone.

use std::io;
use std::path::{Path, PathBuf};

use super::disk::Disk;
use super::home;

/// Where a briefing of this name is or will be.
pub fn path(state: &Path, name: &Path) -> PathBuf {
    home::briefings_path(state).join(name)
}

/// Writes a briefing and gives its path. The same plan handed over again replaces its own.
pub fn write<D: Disk>(
    disk: &D,
    state: &Path,
    name: &Path,
    text: &[u8],
    me: u32,
) -> io::Result<PathBuf> {
    let dir = home::briefings(disk, state, me)?;
    if disk.look(&dir, name.as_os_str())?.is_some() {
        disk.remove(&dir, name.as_os_str())?;
    }
    let mut file = disk.create(&dir, name.as_os_str(), 0o600)?;
    disk.write(&mut file, text)?;
    disk.sync(&file)?;
    Ok(path(state, name))
}

/// Removes a briefing; one that is gone already is no error, and neither is a path of any other folder.
pub fn remove<D: Disk>(disk: &D, state: &Path, file: &Path, me: u32) -> io::Result<()> {
    let Some(name) = file.file_name() else {
        return Ok(());
    };
    if path(state, Path::new(name)) != file {
        return Ok(());
    }
    let dir = home::briefings(disk, state, me)?;
    if disk.look(&dir, name)?.is_some() {
        disk.remove(&dir, name)?;
    }
    Ok(())
}
