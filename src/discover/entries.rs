//! Reads the entries of one directory.

use std::os::fd::OwnedFd;

use rustix::fs::{AtFlags, FileType, statat};

/// Calls back for every entry except `.` and `..`, without an allocation for each.
#[cfg(target_os = "linux")]
pub(super) fn each_entry(
    dir: &OwnedFd,
    buffer: &mut Vec<u8>,
    mut each: impl FnMut(&[u8], FileType),
) {
    let mut raw = rustix::fs::RawDir::new(dir, buffer.spare_capacity_mut());
    while let Some(Ok(entry)) = raw.next() {
        entry_kind(dir, entry.file_name(), entry.file_type(), &mut each);
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn each_entry(
    dir: &OwnedFd,
    _buffer: &mut Vec<u8>,
    mut each: impl FnMut(&[u8], FileType),
) {
    let Ok(entries) = rustix::fs::Dir::read_from(dir) else {
        return;
    };
    for entry in entries.flatten() {
        entry_kind(dir, entry.file_name(), entry.file_type(), &mut each);
    }
}

/// Some file systems do not report the kind of an entry. Then it is looked up, without following a link.
fn entry_kind(
    dir: &OwnedFd,
    name: &std::ffi::CStr,
    kind: FileType,
    each: &mut impl FnMut(&[u8], FileType),
) {
    let bytes = name.to_bytes();
    if bytes == b"." || bytes == b".." {
        return;
    }
    let kind = if kind == FileType::Unknown {
        statat(dir, name, AtFlags::SYMLINK_NOFOLLOW).map_or(FileType::Unknown, |stat| {
            FileType::from_raw_mode(stat.st_mode)
        })
    } else {
        kind
    };
    each(bytes, kind);
}
