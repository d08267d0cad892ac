//! Reads the entries of one directory.

use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, FileType, statat};
use rustix::io::Errno;

/// Calls back for every entry but `.` and `..`, without allocating for any. An error says that there may be more.
#[cfg(target_os = "linux")]
pub(super) fn each_entry(
    dir: &OwnedFd,
    mut each: impl FnMut(&[u8], FileType),
) -> Result<(), Errno> {
    let mut buffer = [std::mem::MaybeUninit::uninit(); 16 << 10];
    let mut raw = rustix::fs::RawDir::new(dir, &mut buffer);
    let mut whole = Ok(());
    while let Some(entry) = raw.next() {
        let entry = entry?;
        let known = entry_kind(dir, entry.file_name(), entry.file_type(), &mut each);
        whole = whole.and(known);
    }
    whole
}

#[cfg(not(target_os = "linux"))]
pub(super) fn each_entry(
    dir: &OwnedFd,
    mut each: impl FnMut(&[u8], FileType),
) -> Result<(), Errno> {
    let mut whole = Ok(());
    for entry in rustix::fs::Dir::read_from(dir)? {
        let entry = entry?;
        let known = entry_kind(dir, entry.file_name(), entry.file_type(), &mut each);
        whole = whole.and(known);
    }
    whole
}

/// Some file systems do not report the kind of an entry. Then it is looked up, without following a link.
fn entry_kind(
    dir: &OwnedFd,
    name: &std::ffi::CStr,
    kind: FileType,
    each: &mut impl FnMut(&[u8], FileType),
) -> Result<(), Errno> {
    let bytes = name.to_bytes();
    if bytes == b"." || bytes == b".." {
        return Ok(());
    }
    let asked = if kind == FileType::Unknown {
        statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)
            .map(|stat| FileType::from_raw_mode(stat.st_mode))
    } else {
        Ok(kind)
    };
    each(bytes, asked.unwrap_or(FileType::Unknown));
    asked.map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_that_cannot_be_read_to_its_end_is_an_error_and_not_empty() {
        let file = OwnedFd::from(tempfile::tempfile().unwrap());
        let mut seen = 0;
        let read = each_entry(&file, |_, _| seen += 1);
        assert_eq!((read, seen), (Err(Errno::NOTDIR), 0));
    }
}
