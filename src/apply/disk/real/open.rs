//! Directories, opened without following a link.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{CWD, FileType, Mode, OFlags, openat, statat};
use rustix::io::{Errno, Result, retry_on_intr};

use super::stat;

/// The flags for a directory that is read, written in and flushed.
const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// The flags for a directory that is only passed through, which needs no read permission.
#[cfg(target_os = "linux")]
const PASSAGE: OFlags = DIRECTORY.union(OFlags::PATH);
#[cfg(not(target_os = "linux"))]
const PASSAGE: OFlags = DIRECTORY;

/// Whether the path may cross onto another mount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mounts {
    /// Yes, for the path of a root itself.
    Cross,
    /// No, for a path under a root.
    Stay,
}

/// Opens a directory by its canonical absolute path.
pub(super) fn root(path: &Path) -> io::Result<OwnedFd> {
    let rel = path
        .strip_prefix("/")
        .map_err(|_why| refused("the path is not absolute"))?;
    let top = retry_on_intr(|| openat(CWD, "/", PASSAGE, Mode::empty()))?;
    if rel.as_os_str().is_empty() {
        return Ok(retry_on_intr(|| {
            openat(CWD, "/", DIRECTORY, Mode::empty())
        })?);
    }
    descend(&top, rel, Mounts::Cross)
}

/// Opens a directory under another.
pub(super) fn beneath(at: &OwnedFd, rel: &Path) -> io::Result<OwnedFd> {
    descend(at, rel, Mounts::Stay)
}

fn descend(at: &OwnedFd, rel: &Path, mounts: Mounts) -> io::Result<OwnedFd> {
    let plain = |part| matches!(part, Component::Normal(_));
    if rel.as_os_str().is_empty() || !rel.components().all(plain) {
        return Err(refused("the path has components such as `..`"));
    }
    Ok(by_kernel(at, rel, mounts)?)
}

fn refused(why: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, why)
}

#[cfg(target_os = "linux")]
fn by_kernel(at: &OwnedFd, rel: &Path, mounts: Mounts) -> Result<OwnedFd> {
    use rustix::fs::{ResolveFlags, openat2};
    let mut resolve =
        ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    if mounts == Mounts::Stay {
        resolve |= ResolveFlags::NO_XDEV;
    }
    // With `NOFOLLOW` a link at the end would be reported as a file.
    let flags = DIRECTORY.difference(OFlags::NOFOLLOW);
    match retry_on_intr(|| openat2(at, rel, flags, Mode::empty(), resolve)) {
        // Old kernels and some sandboxes lack openat2, and it refuses paths of more than 4095 bytes.
        Err(Errno::NOSYS | Errno::PERM | Errno::NAMETOOLONG) => step_by_step(at, rel, mounts),
        other => other,
    }
}

#[cfg(not(target_os = "linux"))]
fn by_kernel(at: &OwnedFd, rel: &Path, mounts: Mounts) -> Result<OwnedFd> {
    step_by_step(at, rel, mounts)
}

/// The same guarantee without `openat2`: every component is opened separately, without following links, and its mount
/// is compared with the previous one.
pub(super) fn step_by_step(from: &OwnedFd, rel: &Path, mounts: Mounts) -> Result<OwnedFd> {
    let home = stat::mount(from)?;
    let mut dir: Option<OwnedFd> = None;
    let mut parts = rel.iter().peekable();
    while let Some(part) = parts.next() {
        let at = dir.as_ref().map_or_else(|| from.as_fd(), AsFd::as_fd);
        let flags = if parts.peek().is_some() {
            PASSAGE
        } else {
            DIRECTORY
        };
        let next = retry_on_intr(|| openat(at, part, flags, Mode::empty()))
            .map_err(|why| if is_link(at, part) { Errno::LOOP } else { why })?;
        if mounts == Mounts::Stay && stat::mount(&next)? != home {
            return Err(Errno::XDEV);
        }
        dir = Some(next);
    }
    dir.ok_or(Errno::INVAL)
}

/// Opening a link as a directory without following it gives `ENOTDIR` or `ELOOP`, depending on the system.
fn is_link(at: BorrowedFd<'_>, name: &std::ffi::OsStr) -> bool {
    statat(at, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}
