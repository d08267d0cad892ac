//! The tree of a session: the files of a checkpoint, and a repository of its own around them.
//!
//! The content of a checkpoint is untrusted. Every folder is opened without following links, every file is created new,
//! a link is written as it is and never followed, and nothing of the project is opened for writing.

use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread;

use super::TellTree;
use super::folder::{self, Folder, Out, TREE};
use crate::apply::bytes::is_plain;
use crate::apply::disk::{Disk as _, RealDir, RealDisk};
use crate::git::blobs::{BlobEntry, Blobs};
use crate::git::scratch::Replica;
use crate::model::{FileForm, Foreign, LineEnds, ReplayPlan};
use crate::text::format::size;
use crate::world::git::GitError;

/// Files that one thread writes before it says how far the tree is and takes others. Most are of the same folders.
const PART: usize = 128;

/// Threads that write files, at most.
const WORKERS: usize = 8;

/// What files are rounded up to on most file systems.
const BLOCK: u64 = 4096;

/// Makes the tree of a plan in a session's folder; `project` is the project's work tree, where it has a repository.
/// Gives what is not in it, a sentence each.
pub(super) fn make(
    folder: &Folder,
    plan: &ReplayPlan,
    project: Option<&Path>,
    tell: TellTree<'_>,
) -> io::Result<Vec<Foreign>> {
    let missing = || io::Error::other("the boundary has no checkpoint");
    let checkpoint = plan.begin().and_then(|begin| begin.checkpoint.as_ref());
    let checkpoint = checkpoint.ok_or_else(missing)?;
    let no_tree = || io::Error::other("this checkpoint cannot be turned into a work tree");
    let from = checkpoint.kind.repository().ok_or_else(no_tree)?;
    let blobs = Blobs::open(from).map_err(|error| git(&error))?;
    let entries = blobs.entries(&checkpoint.id);
    let entries = entries.map_err(|error| git(&error))?;
    let total = entries.len() as u64;
    fits(
        folder,
        &blobs,
        &entries,
        plan.cost.disk.map(|disk| disk.each),
    )?;
    let top = folder.mkdir(TREE)?;
    let left_out = write_all(&folder.disk, from, &top, &entries, tell)?;
    let replica = Replica {
        tree: &folder.path.join(TREE),
        original: project,
        branch: plan.experiment.branch.as_ref().map(Foreign::as_bytes),
        commit: plan.commit.as_deref(),
        present: &entries,
    };
    let made = replica.make();
    made.map_err(|error| io::Error::other(format!("the tree's repository: {error}")))?;
    tell(total, total);
    Ok(left_out)
}

/// Writes the files of a checkpoint, parts of them side by side: most of the time is spent on unpacking. Gives what is
/// left out, in order.
fn write_all(
    disk: &RealDisk,
    store: &Path,
    top: &RealDir,
    entries: &[BlobEntry],
    tell: TellTree<'_>,
) -> io::Result<Vec<Foreign>> {
    let total = entries.len() as u64;
    tell(0, total);
    let parts: Vec<&[BlobEntry]> = entries.chunks(PART).collect();
    let (next, done) = (AtomicUsize::new(0), AtomicU64::new(0));
    let work = || -> io::Result<Vec<(usize, Vec<Foreign>)>> {
        let blobs = Blobs::open(store).map_err(|error| git(&error))?;
        let mut left_out = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some(part) = parts.get(at) else {
                return Ok(left_out);
            };
            let mut writer = Writer {
                disk,
                blobs: &blobs,
                open: vec![(Vec::new(), top.clone())],
                left_out: Vec::new(),
            };
            let written = part.iter().try_for_each(|entry| writer.entry(entry));
            if written.is_err() {
                // The others can stop.
                next.store(parts.len(), Ordering::Relaxed);
            }
            written?;
            left_out.push((at, writer.left_out));
            let len = part.len() as u64;
            // Told as complete only once the repository is there, too.
            tell(
                (done.fetch_add(len, Ordering::Relaxed) + len).min(total - 1),
                total,
            );
        }
    };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let workers = workers.min(WORKERS).min(parts.len()).max(1);
    let found: io::Result<Vec<Vec<_>>> = thread::scope(|scope| {
        let others: Vec<_> = (1..workers).map(|_| scope.spawn(work)).collect();
        let own = work();
        let stopped = |_| Err(io::Error::other("a thread that writes files has stopped"));
        let others = others
            .into_iter()
            .map(|one| one.join().unwrap_or_else(stopped));
        // Every thread has ended before the first error is told.
        let all: Vec<io::Result<_>> = std::iter::once(own).chain(others).collect();
        all.into_iter().collect()
    });
    let mut found = found?.concat();
    found.sort_by_key(|(at, _)| *at);
    Ok(found
        .into_iter()
        .flat_map(|(_, left_out)| left_out)
        .collect())
}

/// Refuses a tree that there is no space for. It is needed twice: dispatches that are tried again begin from a copy.
fn fits(
    folder: &Folder,
    blobs: &Blobs,
    entries: &[BlobEntry],
    known: Option<u64>,
) -> io::Result<()> {
    let room = folder.disk.room(&folder.dir)?;
    let bytes = known.unwrap_or_else(|| space(blobs, entries));
    let (needed, inodes) = (bytes.saturating_mul(2), entries.len() as u64 * 2);
    if needed <= room.bytes && inodes <= room.inodes {
        return Ok(());
    }
    let text = if needed > room.bytes {
        let (needed, free) = (size(needed), size(room.bytes));
        format!("its tree needs {needed}, and {free} are free")
    } else {
        let free = room.inodes;
        format!("its tree needs {inodes} files, but only {free} can be created")
    };
    Err(io::Error::new(io::ErrorKind::StorageFull, text))
}

/// The space that files take on most file systems.
pub(super) fn space(blobs: &Blobs, entries: &[BlobEntry]) -> u64 {
    let files = entries.iter().filter(|entry| entry.kind.is_some());
    let size = |entry: &BlobEntry| blobs.size(&entry.id).unwrap_or(0).next_multiple_of(BLOCK);
    files.map(size).sum()
}

fn git(error: &GitError) -> io::Error {
    io::Error::other(format!("the checkpoint: {error}"))
}

struct Writer<'a> {
    disk: &'a RealDisk,
    blobs: &'a Blobs,
    /// The folders on the way to the last path, the top first, each with its path.
    open: Vec<(Vec<u8>, RealDir)>,
    left_out: Vec<Foreign>,
}

impl Writer<'_> {
    fn entry(&mut self, entry: &BlobEntry) -> io::Result<()> {
        let path = entry.path.as_slice();
        if !is_plain(Path::new(OsStr::from_bytes(path))) {
            self.leave(path, "its name leads elsewhere");
            return Ok(());
        }
        let (above, name) = match memchr::memrchr(b'/', path) {
            Some(slash) => path.split_at(slash),
            None => (&b""[..], path),
        };
        let name = OsStr::from_bytes(name.strip_prefix(b"/").unwrap_or(name));
        let dir = self.folder(above)?;
        let Some(kind) = entry.kind else {
            self.leave(path, "it is a repository of its own and stays empty");
            return self.disk.mkdir(&dir, name, 0o755);
        };
        let mode = match kind {
            FileForm::File => 0o644,
            FileForm::Executable => 0o755,
            FileForm::Link => {
                let mut target = Vec::new();
                self.copy(&entry.id, &mut target)?;
                return self.disk.symlink(&dir, name, &target);
            }
            FileForm::Directory | FileForm::Special => {
                self.leave(path, "it is no file");
                return Ok(());
            }
        };
        let mut out = Out {
            disk: self.disk.clone(),
            file: self.disk.create(&dir, name, mode)?,
        };
        self.copy(&entry.id, &mut out)
    }

    fn copy(&self, blob: &str, out: &mut dyn io::Write) -> io::Result<()> {
        let copied = self.blobs.copy(blob, LineEnds::AsStored, out);
        copied.map(|_len| ()).map_err(|error| git(&error))
    }

    fn leave(&mut self, path: &[u8], why: &str) {
        let text = [path, b" is not in the tree: ", why.as_bytes(), b"."].concat();
        self.left_out.push(text.into());
    }

    /// The folder of a path, made if need be. Most paths are where the last one did.
    fn folder(&mut self, path: &[u8]) -> io::Result<RealDir> {
        let within = |above: &[u8]| {
            let rest = path.strip_prefix(above);
            above.is_empty() || rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(b"/"))
        };
        while self.open.len() > 1 && self.open.last().is_some_and(|(above, _)| !within(above)) {
            self.open.pop();
        }
        let absent = || io::Error::from(io::ErrorKind::NotFound);
        let (known, mut dir) = self.open.last().cloned().ok_or_else(absent)?;
        let rest = path.get(known.len()..).unwrap_or_default();
        let mut so_far = known;
        for name in rest.split(|byte| *byte == b'/').filter(|n| !n.is_empty()) {
            let name = OsStr::from_bytes(name);
            dir = folder::enter(self.disk, &dir, name)?;
            if !so_far.is_empty() {
                so_far.push(b'/');
            }
            so_far.extend_from_slice(name.as_bytes());
            self.open.push((so_far.clone(), dir.clone()));
        }
        Ok(dir)
    }
}
