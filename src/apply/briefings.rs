//! The folder of briefings: one file for each plan that was handed over, readable by its owner alone.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
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

/// Gives the briefings whose names begin so another text, where it differs.
pub fn rewrite<D: Disk>(
    disk: &D,
    state: &Path,
    beginning: &str,
    me: u32,
    text: &dyn Fn(&Path, &[u8]) -> Vec<u8>,
) -> io::Result<()> {
    let dir = home::briefings(disk, state, me)?;
    for name in disk.list(&dir)? {
        if !name.as_bytes().starts_with(beginning.as_bytes()) {
            continue;
        }
        let name = Path::new(&name);
        let old = disk.read(&dir, name.as_os_str(), u64::MAX)?;
        let new = text(&path(state, name), &old);
        if new != old {
            write(disk, state, name, &new, me)?;
        }
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
