//! The disk of this machine, as a [`Disk`].
//!
//! Linux: `openat2` and `renameat2`; macOS: every component is opened separately, and the same renames have other
//! names. Elsewhere [`RealDisk::available`] refuses. Only this module changes a person's files, in two ways: it
//! exchanges two names, or moves a name to a free one. It must not follow a link, cross a mount inside a root, truncate
//! a file, or remove anything that relight did not create.

mod content;
mod durable;
mod lock;
mod metadata;
mod open;
mod stat;
#[cfg(test)]
mod tests;

use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::Arc;

use rustix::fs::{AtFlags, OFlags, mkdirat, openat, readlinkat, symlinkat, unlinkat};
use rustix::io::retry_on_intr;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use super::{Digest, Disk, FileKind, Frozen, Identity, Node, Room};
use durable::Loose;
pub use lock::RealLock;
pub(in crate::apply) use stat::{entries, find};

/// The flags for every file: no link is followed, and no program that relight starts inherits it.
const CAREFUL: OFlags = OFlags::NOFOLLOW
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

/// The flags for a file that must not exist yet.
const NEW: OFlags = CAREFUL.union(OFlags::CREATE).union(OFlags::EXCL);

/// An open directory of this machine. It is closed with its last clone, and no program that relight starts
/// inherits it.
pub type RealDir = Arc<OwnedFd>;

/// The disk of this machine. Clones share the list of files that are not yet durable.
#[derive(Debug, Clone, Default)]
pub struct RealDisk {
    loose: Loose,
}

/// A file of relight's own, being written.
#[derive(Debug)]
pub struct RealFile {
    file: File,
    id: Identity,
    /// The device of the directory in which it was created.
    dev: u64,
}

impl RealDisk {
    /// The disk of this machine.
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets this process have as many files open as the system permits: a lock is an open file, and an experiment may
    /// have more runs than the usual limit of 1,024.
    pub fn allow_many_files() {
        let limit = getrlimit(Resource::Nofile);
        // Where it is not permitted, what needs more files says so itself.
        let _refused = setrlimit(
            Resource::Nofile,
            Rlimit {
                current: limit.maximum,
                ..limit
            },
        );
    }

    /// Whether a directory is on a local file system, where all processes see a change at once; false if that is
    /// unknown.
    pub fn is_local(&self, dir: &RealDir) -> bool {
        stat::is_local(dir)
    }

    /// Whether relight can change files on this system at all; if not, why, in a sentence. Reading works
    /// everywhere.
    pub fn available() -> Result<(), &'static str> {
        if cfg!(any(target_os = "linux", target_os = "macos")) {
            Ok(())
        } else {
            Err("This system cannot exchange two files atomically, so relight only reads here.")
        }
    }
}

/// A name that is one plain component. Everything else could lead out of the directory it is looked up in.
fn plain(name: &OsStr) -> io::Result<&OsStr> {
    let bytes = name.as_bytes();
    if bytes.is_empty() || bytes == b"." || bytes == b".." || bytes.contains(&b'/') {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "the name is not a single path component",
        ));
    }
    Ok(name)
}

impl Disk for RealDisk {
    type Dir = RealDir;
    type File = RealFile;
    type Lock = RealLock;

    fn root(&self, path: &Path) -> io::Result<RealDir> {
        open::root(path).map(Arc::new)
    }

    fn dir(&self, at: &RealDir, rel: &Path) -> io::Result<RealDir> {
        if rel.as_os_str().is_empty() {
            return Ok(Arc::clone(at));
        }
        open::beneath(at, rel).map(Arc::new)
    }

    fn node(&self, dir: &RealDir) -> io::Result<Node> {
        stat::of(dir)
    }

    fn look(&self, at: &RealDir, name: &OsStr) -> io::Result<Option<Node>> {
        stat::named(at, plain(name)?)
    }

    fn list(&self, at: &RealDir) -> io::Result<Vec<OsString>> {
        stat::entries(at)
    }

    fn is_empty(&self, at: &RealDir) -> io::Result<bool> {
        stat::is_empty(at)
    }

    fn read(&self, at: &RealDir, name: &OsStr, cap: u64) -> io::Result<Vec<u8>> {
        content::read(at, plain(name)?, cap)
    }

    fn read_from(&self, at: &RealDir, name: &OsStr, offset: u64, cap: u64) -> io::Result<Vec<u8>> {
        content::read_from(at, plain(name)?, offset, cap)
    }

    fn target(&self, at: &RealDir, name: &OsStr) -> io::Result<Vec<u8>> {
        let name = plain(name)?;
        let target = retry_on_intr(|| readlinkat(at, name, Vec::new()))?;
        Ok(target.into_bytes())
    }

    fn digest(&self, at: &RealDir, name: &OsStr) -> io::Result<Digest> {
        match self.look(at, name)? {
            Some(node) if node.kind == FileKind::Link => {
                Ok(content::digest_of(&self.target(at, name)?))
            }
            Some(node) if node.kind == FileKind::File => content::digest(at, name),
            Some(_) => Err(content::not_regular()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn mount(&self, dir: &RealDir) -> io::Result<u64> {
        Ok(stat::mount(dir)?)
    }

    fn room(&self, dir: &RealDir) -> io::Result<Room> {
        stat::room(dir)
    }

    fn frozen(&self, at: &RealDir, name: Option<&OsStr>) -> io::Result<Option<Frozen>> {
        stat::frozen(at, name.map(plain).transpose()?)
    }

    fn named_ns(&self, at: &RealDir, name: &OsStr) -> io::Result<Option<i64>> {
        stat::changed(at, plain(name)?)
    }

    fn has_one_name(&self, at: &RealDir, name: &OsStr) -> io::Result<bool> {
        match content::open_regular(at, plain(name)?, OFlags::RDONLY) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
            opened => Ok(stat::names(&opened?)? <= 1),
        }
    }

    fn umask(&self) -> u32 {
        stat::umask()
    }

    fn mkdir(&self, at: &RealDir, name: &OsStr, mode: u32) -> io::Result<()> {
        let name = plain(name)?;
        Ok(retry_on_intr(|| mkdirat(at, name, stat::mode(mode)))?)
    }

    fn create(&self, at: &RealDir, name: &OsStr, mode: u32) -> io::Result<RealFile> {
        let name = plain(name)?;
        let flags = OFlags::WRONLY | NEW;
        let file = File::from(retry_on_intr(|| openat(at, name, flags, stat::mode(mode)))?);
        let id = stat::of(&file)?.id;
        let dev = self.loose.watch(at)?;
        Ok(RealFile { file, id, dev })
    }

    fn write(&self, file: &mut RealFile, bytes: &[u8]) -> io::Result<()> {
        self.loose.add(file.dev, file.id);
        file.file.write_all(bytes)
    }

    fn sync(&self, file: &RealFile) -> io::Result<()> {
        durable::flush(&file.file)?;
        self.loose.flushed(file.dev, file.id);
        Ok(())
    }

    fn symlink(&self, at: &RealDir, name: &OsStr, target: &[u8]) -> io::Result<()> {
        let name = plain(name)?;
        retry_on_intr(|| symlinkat(OsStr::from_bytes(target), at, name))?;
        // A link has no descriptor to flush, and flushing the directory need not cover the target of a new link.
        if let Some(node) = self.look(at, name)? {
            self.loose.add(self.loose.watch(at)?, node.id);
        }
        Ok(())
    }

    fn copy_metadata(
        &self,
        staged: (&RealDir, &OsStr),
        mode: u32,
        like: Option<(&RealDir, &OsStr)>,
    ) -> io::Result<()> {
        plain(staged.1)?;
        like.map(|(_, name)| plain(name)).transpose()?;
        let id = metadata::copy(staged, mode, like)?;
        self.loose.add(self.loose.watch(staged.0)?, id);
        Ok(())
    }

    fn remove(&self, at: &RealDir, name: &OsStr) -> io::Result<()> {
        let is_dir = self
            .look(at, name)?
            .is_some_and(|node| node.kind == FileKind::Dir);
        let flags = if is_dir {
            AtFlags::REMOVEDIR
        } else {
            AtFlags::empty()
        };
        Ok(retry_on_intr(|| unlinkat(at, name, flags))?)
    }

    fn lock(&self, at: &RealDir, name: &OsStr) -> io::Result<Option<RealLock>> {
        lock::take(at, plain(name)?)
    }

    fn is_locked(&self, at: &RealDir, name: &OsStr) -> bool {
        lock::is_held(at, name)
    }

    fn sign(&self, lock: &RealLock, text: &[u8]) -> io::Result<()> {
        lock.sign(text)
    }

    fn swap(&self, a: (&RealDir, &OsStr), b: (&RealDir, &OsStr)) -> io::Result<()> {
        rename(a, b, Way::Exchange)
    }

    fn shift(&self, from: (&RealDir, &OsStr), to: (&RealDir, &OsStr)) -> io::Result<()> {
        rename(from, to, Way::NoReplace)
    }

    fn barrier(&self, dirs: &[RealDir]) -> io::Result<()> {
        self.loose.barrier(dirs)
    }

    fn harden(&self, at: &RealDir, name: &OsStr) -> io::Result<()> {
        let file = content::open_regular(at, plain(name)?, OFlags::RDONLY)?;
        durable::flush(&file)?;
        let dev = stat::of(at)?.id.dev;
        self.loose.flushed(dev, stat::of(&file)?.id);
        Ok(())
    }

    fn flush(&self, dir: &RealDir) -> io::Result<()> {
        self.loose.flush(dir)
    }

    fn append(&self, at: &RealDir, name: &OsStr, bytes: &[u8]) -> io::Result<()> {
        durable::append(at, plain(name)?, bytes, true)
    }

    fn cut(&self, at: &RealDir, name: &OsStr, keep: u64, last: &[u8]) -> io::Result<()> {
        durable::cut(at, plain(name)?, keep, last)
    }

    fn note(&self, at: &RealDir, name: &OsStr, bytes: &[u8]) -> io::Result<()> {
        durable::append(at, plain(name)?, bytes, false)
    }
}

/// How a rename treats an entry at its second name.
#[derive(Debug, Clone, Copy)]
enum Way {
    Exchange,
    NoReplace,
}

/// The rename. It is not repeated after `EINTR`: if the interrupt came after the exchange, a second one would undo it.
/// The caller checks which inode is where.
#[cfg(any(target_os = "linux", target_os = "macos"))]
fn rename(a: (&RealDir, &OsStr), b: (&RealDir, &OsStr), way: Way) -> io::Result<()> {
    use rustix::fs::{RenameFlags, renameat_with};
    let flags = match way {
        Way::Exchange => RenameFlags::EXCHANGE,
        Way::NoReplace => RenameFlags::NOREPLACE,
    };
    Ok(renameat_with(a.0, plain(a.1)?, b.0, plain(b.1)?, flags)?)
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn rename(_: (&RealDir, &OsStr), _: (&RealDir, &OsStr), _: Way) -> io::Result<()> {
    Err(io::ErrorKind::Unsupported.into())
}
