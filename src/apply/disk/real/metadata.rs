//! Copies metadata to a staged entry from the entry that it will replace.

use std::ffi::OsStr;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;

use rustix::fs::{
    AtFlags, Gid, Mode, OFlags, Uid, XattrFlags, chownat, fchmod, fchown, fgetxattr, flistxattr,
    fremovexattr, fsetxattr, openat,
};
use rustix::io::{Errno, Result, retry_on_intr};

use super::super::{FileKind, Identity, Node};
use super::{RealDir, content, stat};

/// Attributes that certify the old content, or give a program rights. They are not valid for new content.
const NOT_CARRIED: [&[u8]; 3] = [b"security.capability", b"security.ima", b"security.evm"];

/// The access list, which a new file can inherit from its folder.
const ACCESS_LIST: &[u8] = b"system.posix_acl_access";

/// The largest attribute that Linux has.
const LARGEST: usize = 64 * 1024;

/// Sets the metadata of a staged entry and returns its facts. See
/// [`Disk::copy_metadata`](super::super::Disk::copy_metadata).
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
    if staged.kind == FileKind::Link {
        // A link has no mode, and no attributes that a person can set.
        if let Some((.., old)) = old.filter(|(.., old)| owner_differs(&staged, old)) {
            let (uid, gid) = ids(&old);
            let _ = chownat(at, name, uid, gid, AtFlags::SYMLINK_NOFOLLOW);
        }
        return Ok(staged.id);
    }
    let fd = open(at, name, &staged)?;
    if let Some((old_at, old_name, old)) = old {
        give_owner(&fd, &staged, &old);
        if matches!(old.kind, FileKind::File | FileKind::Dir) {
            carry(&open(old_at, old_name, &old)?, &fd)?;
        }
    }
    // The mode comes last: changing the owner clears some bits, and an access list sets some.
    fchmod(&fd, allowed(&staged, mode))?;
    #[cfg(not(target_os = "linux"))]
    super::durable::flush(&fd)?;
    Ok(staged.id)
}

/// Removes setuid, setgid and sticky bits from files, whatever the checkpoint or the old file has. A directory keeps
/// setgid and sticky bits, which give no rights.
fn allowed(staged: &Node, mode: u32) -> Mode {
    let mask = if staged.kind == FileKind::Dir {
        0o3777
    } else {
        0o777
    };
    stat::mode(mode & mask)
}

fn open(at: &RealDir, name: &OsStr, node: &Node) -> io::Result<OwnedFd> {
    if node.kind == FileKind::Dir {
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

/// Sets owner and group if permitted, else the group alone, else neither.
fn give_owner(fd: &OwnedFd, staged: &Node, old: &Node) {
    if owner_differs(staged, old) {
        let (uid, gid) = ids(old);
        if fchown(fd, uid, gid).is_err() {
            let _ = fchown(fd, None, gid);
        }
    }
}

/// Copies the extended attributes, including the access list. An attribute that cannot be set is skipped.
fn carry(from: &OwnedFd, to: &OwnedFd) -> io::Result<()> {
    let names = names(from)?;
    for name in names.split(|byte| *byte == 0).filter(|n| !n.is_empty()) {
        if NOT_CARRIED.contains(&name) {
            continue;
        }
        // An attribute that no longer exists or can no longer be read is skipped, too.
        if let Ok(value) = value(from, name) {
            let _ = fsetxattr(to, name, &value, XattrFlags::empty());
        }
    }
    if !names.split(|byte| *byte == 0).any(|n| n == ACCESS_LIST) {
        let _ = fremovexattr(to, ACCESS_LIST);
    }
    Ok(())
}

/// The names, each terminated by NUL; none if the file system has no attributes.
fn names(fd: &OwnedFd) -> Result<Vec<u8>> {
    match grown(|buffer| flistxattr(fd, buffer).map(|(filled, _)| filled.to_vec())) {
        Err(Errno::NOTSUP | Errno::NOSYS) => Ok(Vec::new()),
        other => other,
    }
}

fn value(fd: &OwnedFd, name: &[u8]) -> Result<Vec<u8>> {
    grown(|buffer| fgetxattr(fd, name, buffer).map(|(filled, _)| filled.to_vec()))
}

/// Calls with a small buffer, and if that is too small, with the largest possible.
fn grown(mut call: impl FnMut(&mut [MaybeUninit<u8>]) -> Result<Vec<u8>>) -> Result<Vec<u8>> {
    match call(&mut [MaybeUninit::uninit(); 1024]) {
        Err(Errno::RANGE) => call(&mut vec![MaybeUninit::uninit(); LARGEST]),
        other => other,
    }
}
