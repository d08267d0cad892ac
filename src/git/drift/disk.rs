//! The work tree's side: directories and files are opened without following links, and hashed as they are.

use std::ffi::CStr;
use std::fs::File;
use std::io::Read as _;
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, AsRawFd as _, OwnedFd};

use git2::{ObjectType, Oid};
use rustix::fs::{
    AtFlags, FileType, Mode, OFlags, RawDir, ResolveFlags, Stat, openat, openat2, readlinkat,
    statat,
};
use rustix::io::Errno;
use sha2::{Digest as _, Sha256};

use super::Project;
use crate::git::config::LocalConfig;
use crate::git::trees::Kind;
use crate::model::{FileForm, Forms};
use crate::text::Shown as _;
pub(super) use crate::world::files::FileKind;
use crate::world::git::GitError;

/// Files up to this size are read whole to be hashed.
const WHOLE: i64 = 32 << 20;

/// The entries of one directory, sorted by name.
#[derive(Debug, Default)]
pub(super) struct Listing {
    names: Vec<u8>,
    entries: Vec<(usize, usize, FileKind)>,
}

impl Listing {
    /// Reads a directory.
    pub(super) fn read(dir: &OwnedFd) -> Result<Self, Errno> {
        let mut listing = Self::default();
        let mut buffer = [MaybeUninit::uninit(); 8 << 10];
        let mut raw = RawDir::new(dir, &mut buffer);
        while let Some(entry) = raw.next() {
            let entry = entry?;
            let name = entry.file_name();
            if matches!(name.to_bytes(), b"." | b"..") {
                continue;
            }
            let mut kind = entry.file_type();
            // Some file systems (older XFS, some network ones) do not report the type in directory entries.
            if kind == FileType::Unknown {
                let stat = statat(dir, name, AtFlags::SYMLINK_NOFOLLOW)?;
                kind = FileType::from_raw_mode(stat.st_mode);
            }
            let from = listing.names.len();
            listing.names.extend_from_slice(name.to_bytes_with_nul());
            let to = listing.names.len();
            listing.entries.push((from, to, kind.into()));
        }
        let names = &listing.names;
        listing
            .entries
            .sort_unstable_by(|a, b| names.get(a.0..a.1).cmp(&names.get(b.0..b.1)));
        Ok(listing)
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// One entry.
    pub(super) fn get(&self, at: usize) -> Option<(&CStr, FileKind)> {
        let (from, to, kind) = *self.entries.get(at)?;
        let name = CStr::from_bytes_with_nul(self.names.get(from..to)?).ok()?;
        Some((name, kind))
    }

    /// The kind of the entry with this name.
    pub(super) fn find(&self, name: &[u8]) -> Option<FileKind> {
        let at = self.entries.binary_search_by(|(from, to, _)| {
            let with_nul = self.names.get(*from..*to).unwrap_or_default();
            with_nul.strip_suffix(b"\0").unwrap_or(with_nul).cmp(name)
        });
        at.ok()
            .and_then(|at| self.entries.get(at))
            .map(|(_, _, kind)| *kind)
    }
}

/// Opens a directory of the work tree; no component may be a link or on another mount.
pub(super) fn open_dir(root: &OwnedFd, path: &[u8]) -> Result<OwnedFd, Errno> {
    let path: &[u8] = if path.is_empty() { b"." } else { path };
    openat2(
        root,
        path,
        OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC,
        Mode::empty(),
        ResolveFlags::BENEATH
            | ResolveFlags::NO_SYMLINKS
            | ResolveFlags::NO_MAGICLINKS
            | ResolveFlags::NO_XDEV,
    )
}

fn open_file(dir: impl AsFd, name: &CStr) -> Result<OwnedFd, Errno> {
    // `NONBLOCK`: the open must not wait for a writer if a pipe replaced the file since the listing.
    let flags =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY;
    openat(dir, name, flags, Mode::empty())
}

/// The content of a small file, if it is a regular one.
pub(super) fn small(dir: &OwnedFd, name: &CStr, cap: u64) -> Option<Vec<u8>> {
    let file = File::from(open_file(dir, name).ok()?);
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut bytes = Vec::new();
    file.take(cap).read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

/// The SHA-256 of a regular file's content, read in pieces.
pub(super) fn sha256(dir: &OwnedFd, name: &CStr) -> std::io::Result<[u8; 32]> {
    let mut file = File::from(open_file(dir, name)?);
    if !file.metadata()?.is_file() {
        return Err(Errno::INVAL.into());
    }
    let mut digest = Sha256::new();
    std::io::copy(&mut file, &mut digest)?;
    Ok(digest.finalize().into())
}

/// The blob id of what is there: a file's bytes, or a link's target.
pub(super) fn blob_id(
    dir: &OwnedFd,
    name: &CStr,
    stat: &Stat,
    buffer: &mut Vec<u8>,
) -> Result<Oid, GitError> {
    let failed = GitError::Other;
    let system = |e: Errno| failed(e.to_string());
    buffer.clear();
    let hash = |bytes: &[u8]| {
        Oid::hash_object(ObjectType::Blob, bytes).map_err(|e| failed(e.message().to_owned()))
    };
    if FileType::from_raw_mode(stat.st_mode) == FileType::Symlink {
        let target = readlinkat(dir, name, Vec::new()).map_err(system)?;
        return hash(target.as_bytes());
    }
    let file = open_file(dir, name).map_err(system)?;
    if stat.st_size > WHOLE {
        // libgit2 hashes in pieces only a file that it opens by name; this name is the file that is open here.
        let path = format!("/proc/self/fd/{}", file.as_raw_fd());
        return Oid::hash_file(ObjectType::Blob, path).map_err(|e| failed(e.message().to_owned()));
    }
    let size = usize::try_from(stat.st_size).unwrap_or(0);
    // One more byte, so that the end is detected without another allocation.
    buffer.reserve(size + 1);
    // A file that grows while it is read would otherwise be read without end.
    File::from(file)
        .take(u64::try_from(WHOLE).unwrap_or(0) * 2)
        .read_to_end(buffer)
        .map_err(|e| failed(e.to_string()))?;
    hash(buffer)
}

/// Identifies a file as it was read: a file that was saved again differs, even with the same bytes.
pub(super) fn seen(stat: &Stat, content: Oid) -> Vec<u8> {
    let (dev, ino, mode) = (stat.st_dev, stat.st_ino, stat.st_mode);
    let (size, time, nanos) = (stat.st_size, stat.st_mtime, stat.st_mtime_nsec);
    format!("{dev} {ino} {mode:o} {size} {time}.{nanos} {content}").into_bytes()
}

/// What is there.
pub(super) fn form(stat: &Stat) -> FileForm {
    FileKind::of_mode(stat.st_mode).form(stat.st_mode)
}

/// The tree entry kind that git would record.
fn kind_of(stat: &Stat) -> Option<Kind> {
    match FileKind::of_mode(stat.st_mode) {
        FileKind::File if stat.st_mode & 0o100 != 0 => Some(Kind::Executable),
        FileKind::File => Some(Kind::File),
        FileKind::Link => Some(Kind::Link),
        FileKind::Dir | FileKind::Other => None,
    }
}

/// What the file system of a work tree cannot keep, according to its own repository: a file is then what the commit says.
#[derive(Debug, Clone, Copy)]
pub(super) struct Kept {
    modes: bool,
    links: bool,
}

impl Kept {
    /// Reads it from the configuration of the work tree's repository, if there is one.
    pub(super) fn of(project: Option<&Project>) -> Self {
        let config = project.map(|own| LocalConfig::of_work_tree(&own.common_dir, &own.git_dir));
        let config = config.and_then(Result::ok).unwrap_or_default();
        Self {
            modes: !config.is_off("core.filemode"),
            links: !config.is_off("core.symlinks"),
        }
    }

    /// What is there, if anything, and what an entry of this kind becomes in its place.
    pub(super) fn forms(self, stat: Option<&Stat>, kind: Kind) -> Forms {
        let is_file = kind == Kind::Link && !self.links;
        let after = if is_file { Kind::File } else { kind }.form();
        let before = stat.map(form);
        // What the file system cannot keep does not change.
        let may_be = stat.is_some_and(|stat| self.may_be(stat, kind));
        Forms::new(if may_be { after } else { before }, after)
    }

    /// Whether what is there may be an entry of this kind.
    pub(super) fn may_be(self, stat: &Stat, kind: Kind) -> bool {
        let Some(found) = kind_of(stat) else {
            return false;
        };
        let is_file = |kind| matches!(kind, Kind::File | Kind::Executable);
        found == kind
            || !self.modes && is_file(found) && is_file(kind)
            || !self.links && is_file(found) && kind == Kind::Link
    }
}

/// Whether a directory is the top of a nested repository. An empty file named `.git` does not count, because it would
/// hide the folder.
pub(super) fn is_repository(dir: &OwnedFd, listing: &Listing) -> bool {
    match listing.find(b".git") {
        Some(FileKind::Dir) => statat(dir, c".git/HEAD", AtFlags::SYMLINK_NOFOLLOW).is_ok(),
        Some(FileKind::File) => {
            small(dir, c".git", 4096).is_some_and(|bytes| bytes.starts_with(b"gitdir:"))
        }
        Some(FileKind::Link) => true,
        Some(FileKind::Other) | None => false,
    }
}

/// A missing tree is damage of the store, not an error of the caller.
pub(super) fn never_missing(error: GitError) -> GitError {
    if let GitError::Missing(what) = error {
        GitError::Hostile(format!("the {what} is missing"))
    } else {
        error
    }
}

pub(super) fn unreadable(path: &[u8], error: Errno) -> GitError {
    let path = path.shown();
    match error {
        Errno::NOENT | Errno::NOTDIR | Errno::LOOP => {
            GitError::WorkTree(format!("the work tree changed while it was read: {path}"))
        }
        _ => GitError::WorkTree(format!("{path}: {error}")),
    }
}
