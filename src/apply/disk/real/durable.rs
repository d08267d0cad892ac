//! Makes changes durable, so that they survive a power cut.
//!
//! A failed flush is never repeated: the kernel may have dropped the data that it could not write, and a second flush
//! would report success (<https://lwn.net/Articles/752063/>).

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::os::fd::AsFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use rustix::fs::{OFlags, openat};
use rustix::io::{Errno, retry_on_intr};

use super::super::Identity;
use super::{NEW, RealDir, content, stat};

/// With more directories than this, one call for their file system is cheaper.
const FEW: usize = 16;

/// Files that relight changed and that were not flushed since. If there is one on a barrier's device, the barrier
/// flushes the whole file system, so that it does not depend on its caller having flushed every file.
#[derive(Debug, Clone, Default)]
pub(super) struct Loose(Arc<Mutex<Known>>);

#[derive(Debug, Default)]
struct Known {
    /// The files, by the device of their directory: on an overlay the device of the file itself can differ.
    files: BTreeSet<(u64, Identity)>,
    /// For each device, a directory that was opened before the first of them was written. The kernel reports
    /// a failed write-back only to descriptors older than it.
    witnesses: BTreeMap<u64, RealDir>,
}

impl Loose {
    fn known(&self) -> MutexGuard<'_, Known> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers a directory before something is written in it, and returns its device.
    pub(super) fn watch(&self, dir: &RealDir) -> io::Result<u64> {
        let dev = stat::of(dir)?.id.dev;
        let mut known = self.known();
        let witness = known.witnesses.entry(dev);
        witness.or_insert_with(|| Arc::clone(dir));
        Ok(dev)
    }

    /// A file has changes that are not flushed.
    pub(super) fn add(&self, dev: u64, file: Identity) {
        self.known().files.insert((dev, file));
    }

    /// A file was flushed.
    pub(super) fn flushed(&self, dev: u64, file: Identity) {
        self.known().files.remove(&(dev, file));
    }

    /// See [`Disk::barrier`](super::super::Disk::barrier).
    pub(super) fn barrier(&self, dirs: &[RealDir]) -> io::Result<()> {
        let mut devices: BTreeMap<u64, BTreeMap<u64, &RealDir>> = BTreeMap::new();
        for dir in dirs {
            let id = stat::of(dir)?.id;
            devices.entry(id.dev).or_default().insert(id.ino, dir);
        }
        for (dev, dirs) in &devices {
            if dirs.len() > FEW || self.holds(*dev) {
                self.whole(*dev, dirs)?;
            } else {
                dirs.values().try_for_each(|dir| flush_dir(dir))?;
            }
        }
        Ok(())
    }

    /// See [`Disk::flush`](super::super::Disk::flush).
    pub(super) fn flush(&self, dir: &RealDir) -> io::Result<()> {
        let id = stat::of(dir)?.id;
        self.whole(id.dev, &BTreeMap::from([(id.ino, dir)]))
    }

    /// Whether a device has unflushed files.
    pub(super) fn holds(&self, dev: u64) -> bool {
        self.known().files.iter().any(|file| file.0 == dev)
    }

    /// Flushes a file system, and clears its list of unflushed files.
    fn whole(&self, dev: u64, dirs: &BTreeMap<u64, &RealDir>) -> io::Result<()> {
        let (witness, loose) = {
            let known = self.known();
            let on_it = |file: &&(u64, Identity)| file.0 == dev;
            let loose: Vec<_> = known.files.iter().filter(on_it).copied().collect();
            (known.witnesses.get(&dev).map(Arc::clone), loose)
        };
        flush_all(witness.as_ref(), dirs)?;
        let mut known = self.known();
        for file in &loose {
            known.files.remove(file);
        }
        if !known.files.iter().any(|file| file.0 == dev) {
            known.witnesses.remove(&dev);
        }
        Ok(())
    }
}

#[cfg(target_os = "linux")]
fn flush_all(witness: Option<&RealDir>, dirs: &BTreeMap<u64, &RealDir>) -> io::Result<()> {
    match witness.or_else(|| dirs.values().next().copied()) {
        Some(dir) => Ok(retry_on_intr(|| rustix::fs::syncfs(dir))?),
        None => Ok(()),
    }
}

/// This system has no flush for one file system: all file systems are asked to write, then the directories are flushed
/// to the drive. Files that relight creates are flushed by `sync` and after their metadata is copied.
#[cfg(not(target_os = "linux"))]
fn flush_all(_: Option<&RealDir>, dirs: &BTreeMap<u64, &RealDir>) -> io::Result<()> {
    rustix::fs::sync();
    dirs.values().try_for_each(|dir| flush_dir(dir))
}

/// Makes the content and the attributes of a file durable.
#[cfg(not(target_os = "macos"))]
pub(super) fn flush(fd: impl AsFd) -> io::Result<()> {
    Ok(retry_on_intr(|| rustix::fs::fsync(&fd))?)
}

/// `fsync` leaves it in the drive's own memory there.
#[cfg(target_os = "macos")]
pub(super) fn flush(fd: impl AsFd) -> io::Result<()> {
    match rustix::fs::fcntl_fullfsync(&fd) {
        Err(Errno::NOTSUP | Errno::INVAL | Errno::NOTTY) => {
            Ok(retry_on_intr(|| rustix::fs::fsync(&fd))?)
        }
        other => Ok(other?),
    }
}

/// Makes the entries of a directory durable.
fn flush_dir(dir: &RealDir) -> io::Result<()> {
    match flush(dir) {
        // Some file systems cannot flush a single directory. Nothing was flushed yet, so this is no failed flush.
        #[cfg(target_os = "linux")]
        Err(why) if why.raw_os_error() == Some(Errno::INVAL.raw_os_error()) => {
            Ok(retry_on_intr(|| rustix::fs::syncfs(dir))?)
        }
        other => other,
    }
}

/// See [`Disk::append`](super::super::Disk::append) and, for one that is not `lasting`,
/// [`Disk::note`](super::super::Disk::note).
pub(super) fn append(at: &RealDir, name: &OsStr, bytes: &[u8], lasting: bool) -> io::Result<()> {
    let flags = OFlags::WRONLY | OFlags::APPEND;
    let (file, made) = match content::open_regular(at, name, flags) {
        Err(why) if why.kind() == io::ErrorKind::NotFound => (make(at, name, flags)?, true),
        other => (other?, false),
    };
    // With a hard link that was created after the plan, the line would also appear in a file that the plan did not
    // name.
    if stat::names(&file)? > 1 {
        return Err(super::super::linked());
    }
    let mut rest = bytes;
    while !rest.is_empty() {
        let written = retry_on_intr(|| rustix::io::write(&file, rest))?;
        if written == 0 {
            return Err(io::ErrorKind::WriteZero.into());
        }
        rest = rest.get(written..).unwrap_or_default();
    }
    if !lasting {
        return Ok(());
    }
    flush_data(&file)?;
    if made { flush_dir(at) } else { Ok(()) }
}

/// See [`Disk::cut`](super::super::Disk::cut).
pub(super) fn cut(at: &RealDir, name: &OsStr, keep: u64, last: &[u8]) -> io::Result<()> {
    let mut file = content::open_regular(at, name, OFlags::RDWR)?;
    if stat::names(&file)? > 1 {
        return Err(super::super::linked());
    }
    file.seek(SeekFrom::Start(keep))?;
    let mut found = Vec::new();
    let longest = (last.len() as u64).saturating_add(1);
    io::Read::take(&mut file, longest).read_to_end(&mut found)?;
    if found != last {
        return Err(super::super::overtaken());
    }
    retry_on_intr(|| rustix::fs::ftruncate(&file, keep))?;
    flush_data(&file)
}

/// If another program created it meanwhile, it is refused, and nothing is written.
fn make(at: &RealDir, name: &OsStr, flags: OFlags) -> io::Result<File> {
    let fd = retry_on_intr(|| openat(at, name, flags | NEW, stat::mode(0o666)))?;
    Ok(File::from(fd))
}

#[cfg(target_os = "linux")]
fn flush_data(file: &File) -> io::Result<()> {
    Ok(retry_on_intr(|| rustix::fs::fdatasync(file))?)
}

#[cfg(not(target_os = "linux"))]
fn flush_data(file: &File) -> io::Result<()> {
    flush(file)
}
