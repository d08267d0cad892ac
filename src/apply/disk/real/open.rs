//! Directories, opened without following a link.

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path};

use rustix::fs::{CWD, FileType, Mode, OFlags, openat, statat};
use rustix::io::{Errno, Result, retry_on_intr};

use super::stat;

/// How a directory is opened that is to be looked into, written in and flushed.
const DIRECTORY: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

/// How one is opened that is only passed through: that asks for no right to read it.
#[cfg(target_os = "linux")]
const PASSAGE: OFlags = DIRECTORY.union(OFlags::PATH);
#[cfg(not(target_os = "linux"))]
const PASSAGE: OFlags = DIRECTORY;

/// Whether the way down may lead onto another mount.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Mounts {
    /// As a root's own path may.
    Cross,
    /// As nothing beneath a root may.
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

/// Opens a directory beneath another.
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
        // Old kernels and some sandboxes have no openat2, and it takes no path of more than 4095 bytes.
        Err(Errno::NOSYS | Errno::PERM | Errno::NAMETOOLONG) => step_by_step(at, rel, mounts),
        other => other,
    }
}

#[cfg(not(target_os = "linux"))]
fn by_kernel(at: &OwnedFd, rel: &Path, mounts: Mounts) -> Result<OwnedFd> {
    step_by_step(at, rel, mounts)
}

/// The same promise without `openat2`: every component is opened by itself, without following it, and its
/// mount is compared with the one before.
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

/// A link opened as a directory without following it gives `ENOTDIR` or `ELOOP`, as the system likes.
fn is_link(at: BorrowedFd<'_>, name: &std::ffi::OsStr) -> bool {
    statat(at, name, rustix::fs::AtFlags::SYMLINK_NOFOLLOW)
        .is_ok_and(|stat| FileType::from_raw_mode(stat.st_mode) == FileType::Symlink)
}
