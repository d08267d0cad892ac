//! Facts about an entry, without following links, and about its file system.

use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::AsFd;
use std::os::unix::ffi::OsStrExt as _;

use rustix::fs::{AtFlags, FileType, Mode, Stat, StatVfsMountFlags, fstat, fstatvfs, statat};
use rustix::io::{Errno, Result, retry_on_intr};

use super::super::{FileKind, Frozen, Identity, Node, Room};

/// Facts about an open file or directory.
pub(super) fn of(fd: impl AsFd) -> io::Result<Node> {
    Ok(node(&fstat(fd)?))
}

/// Facts about the entry with this name; `None` if there is none.
pub(super) fn named(at: impl AsFd, name: &OsStr) -> io::Result<Option<Node>> {
    Ok(find(at, name)?.as_ref().map(node))
}

/// The same as the system has them.
pub(in crate::apply) fn find(at: impl AsFd, name: &OsStr) -> io::Result<Option<Stat>> {
    match retry_on_intr(|| statat(&at, name, AtFlags::SYMLINK_NOFOLLOW)) {
        Ok(stat) => Ok(Some(stat)),
        Err(Errno::NOENT) => Ok(None),
        Err(why) => Err(why.into()),
    }
}

/// The names in a directory, sorted, without `.` and `..`.
pub(in crate::apply) fn entries(dir: impl AsFd) -> io::Result<Vec<OsString>> {
    let mut names = listed(dir)?.collect::<io::Result<Vec<_>>>()?;
    names.sort_unstable();
    Ok(names)
}

/// Whether there is none.
pub(super) fn is_empty(dir: impl AsFd) -> io::Result<bool> {
    Ok(listed(dir)?.next().transpose()?.is_none())
}

fn listed(dir: impl AsFd) -> io::Result<impl Iterator<Item = io::Result<OsString>>> {
    let entries = rustix::fs::Dir::read_from(dir)?;
    Ok(entries.filter_map(|entry| {
        let name = entry.map(|entry| OsStr::from_bytes(entry.file_name().to_bytes()).to_owned());
        let is_dots = matches!(&name, Ok(name) if name == "." || name == "..");
        (!is_dots).then_some(name.map_err(io::Error::from))
    }))
}

/// When the inode of a name was last changed, in nanoseconds since the epoch; a rename is such a change.
pub(super) fn changed(at: impl AsFd, name: &OsStr) -> io::Result<Option<i64>> {
    let found = find(at, name)?;
    Ok(found.map(|stat| nanoseconds(stat.st_ctime, i64::try_from(stat.st_ctime_nsec).ok())))
}

fn nanoseconds(seconds: i64, rest: Option<i64>) -> i64 {
    let seconds = seconds.saturating_mul(1_000_000_000);
    seconds.saturating_add(rest.unwrap_or(0))
}

fn node(stat: &Stat) -> Node {
    let kind = FileKind::of_mode(stat.st_mode);
    let (dev, mode) = widths(stat);
    // Left out for a directory: its size and time change with its entries, although it stays the same directory.
    let (size, mtime_ns) = match kind {
        FileKind::Dir => (0, 0),
        FileKind::File | FileKind::Link | FileKind::Other => (
            u64::try_from(stat.st_size).unwrap_or(0),
            nanoseconds(stat.st_mtime, i64::try_from(stat.st_mtime_nsec).ok()),
        ),
    };
    Node {
        kind,
        id: Identity {
            dev,
            ino: stat.st_ino,
        },
        mode: mode & 0o7777,
        uid: stat.st_uid,
        gid: stat.st_gid,
        size,
        mtime_ns,
    }
}

/// The device and the mode, whose widths differ between systems.
#[cfg(target_os = "linux")]
fn widths(stat: &Stat) -> (u64, u32) {
    (stat.st_dev, stat.st_mode)
}

#[cfg(not(target_os = "linux"))]
fn widths(stat: &Stat) -> (u64, u32) {
    (stat.st_dev as u64, u32::from(stat.st_mode))
}

/// Permission bits as the system takes them.
#[cfg(target_os = "linux")]
pub(super) fn mode(bits: u32) -> Mode {
    Mode::from_bits_truncate(bits)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn mode(bits: u32) -> Mode {
    Mode::from_bits_truncate((bits & 0o7777) as rustix::fs::RawMode)
}

/// The id of the mount of an open directory. If the system does not number mounts it is the device, which does not
/// distinguish a bind mount of the same file system.
#[cfg(target_os = "linux")]
pub(super) fn mount(fd: impl AsFd) -> Result<u64> {
    use rustix::fs::{StatxFlags, statx};
    match retry_on_intr(|| statx(&fd, c"", AtFlags::EMPTY_PATH, StatxFlags::MNT_ID)) {
        Ok(found) if found.stx_mask & StatxFlags::MNT_ID.bits() != 0 => Ok(found.stx_mnt_id),
        Ok(_) | Err(Errno::NOSYS | Errno::PERM) => Ok(widths(&fstat(&fd)?).0),
        Err(why) => Err(why),
    }
}

#[cfg(not(target_os = "linux"))]
pub(super) fn mount(fd: impl AsFd) -> Result<u64> {
    Ok(widths(&fstat(&fd)?).0)
}

/// What may still be written to the file system of an open directory.
pub(super) fn room(fd: impl AsFd) -> io::Result<Room> {
    let found = retry_on_intr(|| fstatvfs(&fd))?;
    Ok(Room {
        bytes: found.f_bavail.saturating_mul(found.f_frsize),
        // A file system that creates inodes on demand reports zero.
        inodes: if found.f_files == 0 {
            u64::MAX
        } else {
            found.f_favail
        },
        read_only: found.f_flag.contains(StatVfsMountFlags::RDONLY),
    })
}

/// The umask of this process. Asking for it means setting it, which every thread would see, so it is read where
/// the kernel shows it; it never changes while relight runs.
pub(super) fn umask() -> u32 {
    static UMASK: std::sync::OnceLock<u32> = std::sync::OnceLock::new();
    *UMASK.get_or_init(|| {
        let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("Umask:"));
        let shown = line.and_then(|octal| u32::from_str_radix(octal.trim(), 8).ok());
        shown.unwrap_or_else(|| {
            let mask = rustix::process::umask(mode(0o077));
            rustix::process::umask(mask);
            mask.as_raw_mode()
        })
    })
}

/// How many names an open file has.
pub(super) fn names(fd: impl AsFd) -> io::Result<u64> {
    let stat = fstat(&fd)?;
    #[expect(
        clippy::useless_conversion,
        reason = "its width differs between systems"
    )]
    Ok(u64::from(stat.st_nlink))
}

/// Why an entry cannot be renamed, if so. On a file system without such attributes there is no reason.
#[cfg(target_os = "linux")]
pub(super) fn frozen(at: impl AsFd, name: Option<&OsStr>) -> io::Result<Option<Frozen>> {
    use rustix::fs::{StatxAttributes, StatxFlags, statx};
    let flags = AtFlags::SYMLINK_NOFOLLOW | AtFlags::EMPTY_PATH;
    let name = name.unwrap_or_default();
    let wanted = StatxFlags::TYPE | StatxFlags::NLINK;
    match retry_on_intr(|| statx(&at, name, flags, wanted)) {
        Ok(found) if found.stx_attributes.contains(StatxAttributes::IMMUTABLE) => {
            Ok(Some(Frozen::Immutable))
        }
        Ok(found) if found.stx_attributes.contains(StatxAttributes::APPEND) => {
            Ok(Some(Frozen::AppendOnly))
        }
        Ok(found) if found.stx_nlink > 1 && is_file(found.stx_mode) && is_layered(&at)? => {
            Ok(Some(Frozen::Layered))
        }
        Ok(_) | Err(Errno::NOSYS | Errno::PERM) => Ok(None),
        Err(why) => Err(why.into()),
    }
}

#[cfg(target_os = "linux")]
fn is_file(mode: u16) -> bool {
    FileType::from_raw_mode(u32::from(mode)) == FileType::RegularFile
}

/// Whether a directory is on an overlay file system. There, a file of a lower layer keeps its identity at the first
/// rename, but not if it has several names.
#[cfg(target_os = "linux")]
fn is_layered(at: impl AsFd) -> Result<bool> {
    /// `OVERLAYFS_SUPER_MAGIC` of `linux/magic.h`.
    const OVERLAY: i128 = 0x794c_7630;
    let found = retry_on_intr(|| rustix::fs::fstatfs(&at))?;
    Ok(i128::from(found.f_type) == OVERLAY)
}

/// Whether a directory is on a local file system; false if that is unknown.
#[cfg(target_os = "linux")]
pub(super) fn is_local(at: impl AsFd) -> bool {
    // ext4, xfs, btrfs, tmpfs, overlay, zfs, f2fs: `linux/magic.h`.
    const LOCAL: [i128; 7] = [
        0x0000_ef53,
        0x5846_5342,
        0x9123_683e,
        0x0102_1994,
        0x794c_7630,
        0x2fc1_2fc1,
        0xf2f5_2010,
    ];
    let found = retry_on_intr(|| rustix::fs::fstatfs(&at));
    found.is_ok_and(|found| LOCAL.contains(&(i128::from(found.f_type) & 0xffff_ffff)))
}

#[cfg(not(target_os = "linux"))]
pub(super) fn is_local(_: impl AsFd) -> bool {
    false
}

#[cfg(target_os = "macos")]
pub(super) fn frozen(at: impl AsFd, name: Option<&OsStr>) -> io::Result<Option<Frozen>> {
    // `UF_IMMUTABLE | SF_IMMUTABLE` and `UF_APPEND | SF_APPEND` of `sys/stat.h`.
    const IMMUTABLE: u32 = 0x0002_0002;
    const APPEND: u32 = 0x0004_0004;
    let stat = match name {
        None => fstat(&at)?,
        Some(name) => statat(&at, name, AtFlags::SYMLINK_NOFOLLOW)?,
    };
    Ok(match stat.st_flags {
        flags if flags & IMMUTABLE != 0 => Some(Frozen::Immutable),
        flags if flags & APPEND != 0 => Some(Frozen::AppendOnly),
        _ => None,
    })
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
pub(super) fn frozen(_: impl AsFd, _: Option<&OsStr>) -> io::Result<Option<Frozen>> {
    Ok(None)
}
