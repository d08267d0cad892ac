//! What a staged entry takes over from the one it is to replace.

use std::ffi::OsStr;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;

use rustix::fs::{
    AtFlags, Gid, Mode, OFlags, Uid, XattrFlags, chownat, fchmod, fchown, fgetxattr, flistxattr,
    fremovexattr, fsetxattr, openat,
};
use rustix::io::{Errno, Result, retry_on_intr};

use super::super::{Identity, Kind, Node};
use super::{RealDir, content, stat};

/// Attributes that vouch for the old content, or give a program rights: new content has earned neither.
const NOT_CARRIED: [&[u8]; 3] = [b"security.capability", b"security.ima", b"security.evm"];

/// The access list, which a folder may hand to what is made in it.
const ACCESS_LIST: &[u8] = b"system.posix_acl_access";

/// The largest attribute that Linux has.
const LARGEST: usize = 64 * 1024;

/// Gives a staged entry its metadata and says which it is. See [`Disk::copy_metadata`](super::super::Disk::copy_metadata).
pub(super) fn copy(
    (at, name): (&RealDir, &OsStr),
    mode: u32,
    like: Option<(&RealDir, &OsStr)>,
) -> io::Result<Identity> {
    let staged = stat::named(at, name)?.ok_or(io::ErrorKind::NotFound)?;
    let old = match like {
        None => None,
        Some((at, name)) => {
            let node = stat::named(at, name)?.ok_or(io::ErrorKind::NotFound)?;
            Some((at, name, node))
        }
    };
    if staged.kind == Kind::Link {
        // A link has no mode of its own, and no attributes that a person sets.
        if let Some((.., old)) = old.filter(|(.., old)| owner_differs(&staged, old)) {
            let (uid, gid) = ids(&old);
            let _ = chownat(at, name, uid, gid, AtFlags::SYMLINK_NOFOLLOW);
        }
        return Ok(staged.id);
    }
    let fd = open(at, name, &staged)?;
    if let Some((old_at, old_name, old)) = old {
        give_owner(&fd, &staged, &old);
        if matches!(old.kind, Kind::File | Kind::Dir) {
            carry(&open(old_at, old_name, &old)?, &fd)?;
        }
    }
    // Last: a change of owner clears bits, and an access list sets some.
    fchmod(&fd, allowed(&staged, mode))?;
    #[cfg(not(target_os = "linux"))]
    super::durable::flush(&fd)?;
    Ok(staged.id)
}

/// A file runs as nobody but who runs it, whatever a tree or an old file said. A directory's
/// bits give nobody rights.
fn allowed(staged: &Node, mode: u32) -> Mode {
    let mask = if staged.kind == Kind::Dir {
        0o3777
    } else {
        0o777
    };
    stat::mode(mode & mask)
}

fn open(at: &RealDir, name: &OsStr, node: &Node) -> io::Result<OwnedFd> {
    if node.kind == Kind::Dir {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        return Ok(retry_on_intr(|| openat(at, name, flags, Mode::empty()))?);
    }
    content::open_regular(at, name, OFlags::RDONLY).map(OwnedFd::from)
}

fn owner_differs(a: &Node, b: &Node) -> bool {
    (a.uid, a.gid) != (b.uid, b.gid)
}

fn ids(node: &Node) -> (Option<Uid>, Option<Gid>) {
    (Some(Uid::from_raw(node.uid)), Some(Gid::from_raw(node.gid)))
}

/// Owner and group where both may be given, else the group alone, else neither.
fn give_owner(fd: &OwnedFd, staged: &Node, old: &Node) {
    if owner_differs(staged, old) {
        let (uid, gid) = ids(old);
        if fchown(fd, uid, gid).is_err() {
            let _ = fchown(fd, None, gid);
        }
    }
}

/// Copies the extended attributes, the access list among them. One that may not be set is left.
fn carry(from: &OwnedFd, to: &OwnedFd) -> io::Result<()> {
    let names = names(from)?;
    for name in names.split(|byte| *byte == 0).filter(|n| !n.is_empty()) {
        if NOT_CARRIED.contains(&name) {
            continue;
        }
        // One that is gone or locked away by now is one that may not be set.
        if let Ok(value) = value(from, name) {
            let _ = fsetxattr(to, name, &value, XattrFlags::empty());
        }
    }
    if !names.split(|byte| *byte == 0).any(|n| n == ACCESS_LIST) {
        let _ = fremovexattr(to, ACCESS_LIST);
    }
    Ok(())
}

/// The names, each ended by NUL; none where the file system has no attributes.
fn names(fd: &OwnedFd) -> Result<Vec<u8>> {
    match grown(|buffer| flistxattr(fd, buffer).map(|(filled, _)| filled.to_vec())) {
        Err(Errno::NOTSUP | Errno::NOSYS) => Ok(Vec::new()),
        other => other,
    }
}

fn value(fd: &OwnedFd, name: &[u8]) -> Result<Vec<u8>> {
    grown(|buffer| fgetxattr(fd, name, buffer).map(|(filled, _)| filled.to_vec()))
}

/// Calls with a small buffer, and again with the largest that can be needed.
fn grown(mut call: impl FnMut(&mut [MaybeUninit<u8>]) -> Result<Vec<u8>>) -> Result<Vec<u8>> {
    match call(&mut [MaybeUninit::uninit(); 1024]) {
        Err(Errno::RANGE) => call(&mut vec![MaybeUninit::uninit(); LARGEST]),
        other => other,
    }
}
