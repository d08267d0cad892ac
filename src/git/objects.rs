//! Loose objects, read here before libgit2 reads them. libgit2 blocks on a pipe in the place of an object, and never
//! returns from a truncated one (libgit2 1.9.7, `read_loose_standard`), as a crash may leave it.

use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::io::Read as _;
use std::ops::Deref;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};

use git2::{ObjectType, Odb, OdbObject, Oid, Repository};
use miniz_oxide::inflate::decompress_to_vec_zlib_with_limit;
use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags, fstat, openat, openat2};
use rustix::io::Errno;

use crate::world::files::{Files as _, ReadError};
use crate::world::git::GitError;
use crate::world::real_files::RealFiles;

use super::error;
use super::heads::Heads;
use super::trees::{self, Counted, Kind};

/// How large a loose object may be, compressed and decompressed.
const CAP: usize = 1 << 30;

/// How large a blob may be to be held in memory.
pub(super) const BLOB_CAP: usize = 256 << 20;

/// A repository whose loose objects are checked before libgit2 reads them.
pub(super) struct Repo {
    inner: Repository,
    pub(super) objects: Objects,
    /// Commits that were checked with their history, and trees with all that is beneath them, in one look: before the
    /// next, a disk may have failed.
    sound: RefCell<HashSet<Oid>>,
    /// Objects that were checked themselves, in one look.
    read: RefCell<HashSet<Oid>>,
    /// Trees that were read and counted, in one look.
    pub(super) counted: RefCell<HashMap<Oid, Counted>>,
    /// The branches and what they have, in one look.
    pub(super) heads: RefCell<Option<Heads>>,
    /// What HEAD and the references are at, in one look.
    pub(super) named: OnceCell<Vec<Oid>>,
}

impl Deref for Repo {
    type Target = Repository;

    fn deref(&self) -> &Repository {
        &self.inner
    }
}

impl From<Repository> for Repo {
    fn from(repo: Repository) -> Self {
        Self {
            objects: Objects::new(repo.commondir()),
            inner: repo,
            sound: RefCell::default(),
            read: RefCell::default(),
            counted: RefCell::default(),
            heads: RefCell::default(),
            named: OnceCell::new(),
        }
    }
}

impl Repo {
    /// Refuses an object whose loose file would make libgit2 hang. True if it is loose.
    pub(super) fn check(&self, id: Oid) -> Result<bool, GitError> {
        if self.read.borrow().contains(&id) {
            return Ok(true);
        }
        let is_loose = self.objects.loose(id, CAP)?.is_some();
        if is_loose {
            self.read.borrow_mut().insert(id);
        }
        Ok(is_loose)
    }

    /// Begins another look.
    pub(super) fn check_anew(&mut self) {
        self.sound.get_mut().clear();
        self.read.get_mut().clear();
        self.counted.get_mut().clear();
        *self.heads.get_mut() = None;
        self.named.take();
    }

    /// Checks every loose object that a shortened id could mean.
    pub(super) fn check_prefix(&self, prefix: &str) -> Result<(), GitError> {
        let prefix = prefix.to_ascii_lowercase();
        let (Some(fan), Some(rest)) = (prefix.get(..2), prefix.get(2..)) else {
            return Ok(());
        };
        let place = error::place(&self.objects.git_dir, format!("objects/{fan}"))?;
        let entries = match RealFiles.list(&place) {
            Ok(entries) => entries,
            Err(ReadError::NotFound) => return Ok(()),
            Err(why) => return Err(error::file("objects", &why)),
        };
        for entry in entries {
            let name = entry.name.to_string_lossy();
            if let (true, Ok(id)) = (
                name.starts_with(rest),
                Oid::from_str(&format!("{fan}{name}")),
            ) {
                self.check(id)?;
            }
        }
        Ok(())
    }

    /// Checks the loose commits reachable from some tips. A packed one ends the search: its parents were packed with it
    /// or before.
    pub(super) fn check_history(&self, tips: &[Oid]) -> Result<(), GitError> {
        self.check_all(tips, |id| {
            if !self.check(id)? {
                return Ok(None);
            }
            let commit = self
                .find_commit(id)
                .map_err(|e| self.objects.error("commit", id, &e))?;
            Ok(Some(commit.parent_ids().collect()))
        })
    }

    /// Checks the loose trees below a tree, in the same way.
    pub(super) fn check_tree(&self, tree: Oid) -> Result<(), GitError> {
        self.check_all(&[tree], |id| {
            let Some(found) = self.objects.loose(id, CAP)? else {
                return Ok(None);
            };
            let entries = trees::entries(id, found.data())?;
            let trees = entries.iter().filter(|entry| entry.kind == Kind::Tree);
            Ok(Some(trees.map(trees::TreeEntry::oid).collect()))
        })
    }

    /// Checks objects and those that each loose one leads to. If all are sound, none is checked again.
    fn check_all(
        &self,
        ids: &[Oid],
        lead_to: impl Fn(Oid) -> Result<Option<Vec<Oid>>, GitError>,
    ) -> Result<(), GitError> {
        let mut todo = ids.to_vec();
        let (mut seen, mut loose) = (HashSet::new(), Vec::new());
        while let Some(id) = todo.pop() {
            if self.sound.borrow().contains(&id) || !seen.insert(id) {
                continue;
            }
            if let Some(next) = lead_to(id)? {
                loose.push(id);
                todo.extend(next);
            }
        }
        self.sound.borrow_mut().extend(loose);
        Ok(())
    }
}

/// The objects folder of a git directory, kept open: thousands of objects are read from it.
#[derive(Debug)]
pub(super) struct Objects {
    pub(super) git_dir: PathBuf,
    folder: Option<OwnedFd>,
}

/// An object, loose or packed.
pub(super) enum Object<'odb> {
    Loose {
        kind: ObjectType,
        bytes: Vec<u8>,
        from: usize,
    },
    Packed(OdbObject<'odb>),
}

impl Object<'_> {
    /// What it is.
    pub(super) fn kind(&self) -> ObjectType {
        match self {
            Self::Loose { kind, .. } => *kind,
            Self::Packed(read) => read.kind(),
        }
    }

    /// Its content.
    pub(super) fn data(&self) -> &[u8] {
        match self {
            Self::Loose { bytes, from, .. } => bytes.get(*from..).unwrap_or_default(),
            Self::Packed(read) => read.data(),
        }
    }
}

impl Objects {
    pub(super) fn new(git_dir: &Path) -> Self {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        Self {
            folder: openat(CWD, git_dir.join("objects"), flags, Mode::empty()).ok(),
            git_dir: git_dir.to_owned(),
        }
    }

    /// Reads and verifies an object.
    pub(super) fn read<'odb>(
        &self,
        odb: &'odb Odb<'_>,
        kind: ObjectType,
        id: Oid,
    ) -> Result<Object<'odb>, GitError> {
        self.read_within(odb, kind, id, CAP)
    }

    /// Reads and verifies an object whose content is at most `cap` bytes.
    pub(super) fn read_within<'odb>(
        &self,
        odb: &'odb Odb<'_>,
        kind: ObjectType,
        id: Oid,
        cap: usize,
    ) -> Result<Object<'odb>, GitError> {
        let of_kind = |e: &git2::Error| self.error(kind.str(), id, e);
        let found = if let Some(found) = self.loose(id, cap)? {
            found
        } else {
            let (size, _) = odb.read_header(id).map_err(|e| of_kind(&e))?;
            if size > cap {
                let why =
                    format!("it is {size} bytes, more than the {cap} that are held in memory");
                return Err(damaged(id, &why));
            }
            Object::Packed(odb.read(id).map_err(|e| of_kind(&e))?)
        };
        is_of(found, kind, id)
    }

    /// The content of a blob whose object is loose; `None` if it is not. Does not call libgit2.
    pub(super) fn loose_blob(&self, id: Oid) -> Result<Option<Vec<u8>>, GitError> {
        let found = self.loose(id, BLOB_CAP)?;
        let found = found.map(|found| is_of(found, ObjectType::Blob, id));
        Ok(found.transpose()?.map(|found| found.data().to_vec()))
    }

    /// Refuses an object file that is not a regular file, without reading it.
    pub(super) fn check_regular(&self, id: Oid) -> Result<(), GitError> {
        self.open(id).map(drop)
    }

    /// Opens a loose object's file and returns its size, without following links or waiting for a pipe.
    fn open(&self, id: Oid) -> Result<Option<(File, usize)>, GitError> {
        let Some(folder) = &self.folder else {
            return Ok(None);
        };
        let hex = id.to_string();
        let (fan, rest) = hex.split_at(2);
        let opened = openat2(
            folder,
            format!("{fan}/{rest}"),
            OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::NOCTTY,
            Mode::empty(),
            ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS,
        );
        let irregular = || damaged(id, "its file is not a regular file");
        let file = match opened {
            Ok(file) => file,
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP | Errno::NOTDIR) => return Err(irregular()),
            Err(e) => return Err(damaged(id, &e.to_string())),
        };
        let stat = fstat(&file).map_err(|e| damaged(id, &e.to_string()))?;
        match usize::try_from(stat.st_size) {
            _ if FileType::from_raw_mode(stat.st_mode) != FileType::RegularFile => Err(irregular()),
            Ok(size) if size <= CAP => Ok(Some((File::from(file), size))),
            _ => Err(damaged(id, "it is too large")),
        }
    }

    fn loose(&self, id: Oid, cap: usize) -> Result<Option<Object<'static>>, GitError> {
        let Some((file, size)) = self.open(id)? else {
            return Ok(None);
        };
        let mut packed = Vec::with_capacity(size + 1);
        file.take(size as u64)
            .read_to_end(&mut packed)
            .map_err(|e| damaged(id, &e.to_string()))?;
        let bytes = decompress_to_vec_zlib_with_limit(&packed, cap)
            .map_err(|e| damaged(id, &format!("it cannot be unpacked ({:?})", e.status)))?;
        let (kind, from) = header(&bytes).ok_or_else(|| damaged(id, "it has no header"))?;
        let content = bytes.get(from..).unwrap_or_default();
        match Oid::hash_object(kind, content) {
            Ok(hash) if hash == id => Ok(Some(Object::Loose { kind, bytes, from })),
            _ => Err(damaged(id, "its content does not match its id")),
        }
    }
}

fn is_of(found: Object<'_>, kind: ObjectType, id: Oid) -> Result<Object<'_>, GitError> {
    if found.kind() == kind {
        Ok(found)
    } else {
        Err(damaged(id, &format!("it is not a {kind}")))
    }
}

/// The type in an object's header, and the offset of its content.
fn header(bytes: &[u8]) -> Option<(ObjectType, usize)> {
    let end = memchr::memchr(0, bytes.get(..bytes.len().min(64))?)?;
    let text = std::str::from_utf8(bytes.get(..end)?).ok()?;
    let (kind, size) = text.split_once(' ')?;
    let size: usize = size.parse().ok()?;
    (bytes.len() - end - 1 == size).then_some((ObjectType::from_str(kind)?, end + 1))
}

fn damaged(id: Oid, why: &str) -> GitError {
    GitError::Hostile(format!("the object {id} cannot be read: {why}"))
}
