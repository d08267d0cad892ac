//! The walk: two threads or more, each with its own stack. A thread with work shares it when another one is idle.
//! A directory is opened relative to its parent and never through a link, so no path leads out of the root.

use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use rustix::fs::{CWD, FileType, Mode, OFlags, openat};
use rustix::io::Errno;

use super::entries::each_entry;
use super::mounts::{device, mounted};
use super::names::{Names, is_kernel, pruned};
use crate::model::lock;
use crate::systems::{Found, Hit, Marker};
use crate::text::format::count;
use crate::world::files::ReadError;
use crate::world::real_files::refusal;

/// The depth limit of a walk from `/`. Projects are less deep; copies of whole file systems are deeper.
const MACHINE_DEPTH: usize = 16;

/// The limits of a walk.
#[derive(Debug, Clone, Copy)]
pub struct Limits<'a> {
    /// Levels below the root.
    pub depth: usize,
    /// Entries read in total.
    pub entries: u64,
    /// Number of threads.
    pub threads: usize,
    /// A directory that is not entered.
    pub apart: Option<&'a Path>,
}

impl Default for Limits<'_> {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self {
            depth: 32,
            entries: 50_000_000,
            threads: cores.clamp(1, 8),
            apart: None,
        }
    }
}

/// The counts of a walk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// Entries read.
    pub entries: u64,
    /// Directories that could not be read, or not to their end, and why. What is under them is unknown.
    pub unread: Vec<(PathBuf, ReadError)>,
    /// Folders that were left out, and why.
    pub left_out: Vec<(PathBuf, String)>,
}

/// A directory still to be read.
struct Job {
    /// Its parent, already open; `None` for a root.
    parent: Option<Arc<OwnedFd>>,
    /// Its path, for hits.
    path: PathBuf,
    /// Index of its root.
    root: usize,
    depth: usize,
    /// The device of its parent; `None` for a root, which is walked wherever it is.
    dev: Option<u64>,
}

/// State that the threads share.
struct Shared<'a> {
    roots: &'a [PathBuf],
    found: &'a (dyn Fn(&Path) -> Found + Sync),
    names: &'a Names,
    limits: Limits<'a>,
    sink: &'a (dyn Fn(Hit) + Sync),
    /// Entries read by this walk and others, as it goes on.
    seen: &'a AtomicU64,
    queue: Mutex<Vec<Job>>,
    wake: Condvar,
    /// Threads that are waiting for work.
    idle: AtomicUsize,
    entries: AtomicU64,
    /// All that is counted but the entries.
    tally: Mutex<Tally>,
}

/// Walks the roots and reports every entry that matches a name. `found` is recorded as the way the hits of a root were
/// found. `seen` counts the entries as they are read.
pub fn walk(
    roots: &[PathBuf],
    names: &Names,
    limits: Limits<'_>,
    seen: &AtomicU64,
    found: &(dyn Fn(&Path) -> Found + Sync),
    sink: &(dyn Fn(Hit) + Sync),
) -> Tally {
    let first = roots.iter().enumerate().rev();
    let queue = first
        .map(|(root, path)| Job {
            parent: None,
            path: path.clone(),
            root,
            depth: 0,
            dev: None,
        })
        .collect();
    let shared = Shared {
        roots,
        found,
        names,
        limits,
        sink,
        seen,
        queue: Mutex::new(queue),
        wake: Condvar::new(),
        idle: AtomicUsize::new(0),
        entries: AtomicU64::new(0),
        tally: Mutex::default(),
    };
    std::thread::scope(|scope| {
        for _ in 1..limits.threads {
            scope.spawn(|| work(&shared));
        }
        work(&shared);
    });
    Tally {
        entries: shared.entries.load(Ordering::Relaxed),
        ..std::mem::take(&mut lock(&shared.tally))
    }
}

fn work(shared: &Shared<'_>) {
    let mut own: Vec<Job> = Vec::new();
    while let Some(job) = own.pop().or_else(|| take(shared)) {
        let most = shared.limits.entries;
        if shared.entries.load(Ordering::Relaxed) >= most {
            shared.leave_out(job.path, format!("more than {}", count(most, "entry")));
            continue;
        }
        read(shared, &job, &mut own);
        if own.len() > 1 && shared.idle.load(Ordering::Relaxed) > 0 {
            let half = own.len() / 2;
            lock(&shared.queue).extend(own.drain(..half));
            shared.wake.notify_all();
        }
    }
}

/// Waits for work; `None` once every thread is waiting, because then no work is left.
fn take(shared: &Shared<'_>) -> Option<Job> {
    let mut queue = lock(&shared.queue);
    if let Some(job) = queue.pop() {
        return Some(job);
    }
    if shared.idle.fetch_add(1, Ordering::Relaxed) + 1 == shared.limits.threads {
        shared.wake.notify_all();
        return None;
    }
    loop {
        let woken = shared.wake.wait(queue);
        queue = woken.unwrap_or_else(PoisonError::into_inner);
        if let Some(job) = queue.pop() {
            shared.idle.fetch_sub(1, Ordering::Relaxed);
            return Some(job);
        }
        if shared.idle.load(Ordering::Relaxed) >= shared.limits.threads {
            return None;
        }
    }
}

/// Reads one directory: reports hits and pushes subdirectories on the stack.
fn read(shared: &Shared<'_>, job: &Job, own: &mut Vec<Job>) {
    let dir = match open(job) {
        Ok(dir) => dir,
        Err(why) => return shared.fails(&job.path, why),
    };
    let machine = shared.root(job) == Path::new("/");
    let dev = device(&dir);
    if let Some(why) = dev.and_then(|dev| mounted(&dir, dev, job.dev, machine)) {
        shared.leave_out(job.path.clone(), why.to_owned());
        return;
    }
    let most = if machine { MACHINE_DEPTH } else { usize::MAX };
    let depth = shared.limits.depth.min(most);
    let dir = Arc::new(dir);
    let before = own.len();
    let mut seen = Seen::default();
    let mut entries = 0;
    let read = each_entry(&dir, |name, kind| {
        entries += 1;
        let is_dir = kind == FileType::Directory;
        seen.note(name);
        let path = || job.path.join(std::ffi::OsStr::from_bytes(name));
        let mut claimed = false;
        let mut found = |marker| {
            claimed = true;
            hit(shared, job, marker, path());
        };
        shared.names.fitting(name, is_dir, &mut found);
        if !is_dir && kind != FileType::RegularFile {
            // A link may point to a file or to a directory. It is reported by its name and never followed.
            shared.names.fitting(name, true, &mut found);
        }
        if is_dir {
            // A directory in the place of a state file is no missing file. It is entered like any other.
            shared.names.fitting(name, false, |marker| {
                if matches!(marker, Marker::File(_)) {
                    hit(shared, job, marker, path());
                }
            });
        }
        let left = pruned(name) || is_kernel(&job.path, name) || shared.sets_apart(job, name);
        let enters = is_dir && !claimed && !left;
        if enters && job.depth == depth {
            let root = shared.root(job).to_string_lossy();
            let why = format!("more than {depth} directories beneath {root}");
            shared.leave_out(path(), why);
        }
        if enters && job.depth < depth {
            own.push(Job {
                parent: Some(Arc::clone(&dir)),
                path: path(),
                root: job.root,
                depth: job.depth + 1,
                dev,
            });
        }
    });
    if let Err(why) = read {
        shared.fails(&job.path, why);
    }
    shared.entries.fetch_add(entries, Ordering::Relaxed);
    shared.seen.fetch_add(entries, Ordering::Relaxed);
    if seen.is_git_dir() {
        // A bare repository or a shadow store: do not walk its objects.
        own.truncate(before);
    } else if seen.is_work_tree() && shared.names.repositories() {
        hit(shared, job, Marker::Repository, job.path.clone());
    }
}

fn hit(shared: &Shared<'_>, job: &Job, marker: Marker, path: PathBuf) {
    (shared.sink)(Hit {
        marker,
        path,
        found: (shared.found)(shared.root(job)),
    });
}

impl Shared<'_> {
    /// The root that contains a directory.
    fn root<'a>(&'a self, job: &'a Job) -> &'a Path {
        let root = self.roots.get(job.root);
        root.map_or(job.path.as_path(), PathBuf::as_path)
    }

    /// Whether a name in a directory is the one that is not entered.
    fn sets_apart(&self, job: &Job, name: &[u8]) -> bool {
        self.limits.apart.is_some_and(|apart| {
            let own = apart.file_name();
            own.is_some_and(|own| own.as_bytes() == name) && apart.parent() == Some(&job.path)
        })
    }

    fn fails(&self, path: &Path, why: Errno) {
        let why = refusal(why);
        // One that went, or became a link, since its parent was read hides nothing.
        if why.leaves_unknown() {
            lock(&self.tally).unread.push((path.to_owned(), why));
        }
    }

    fn leave_out(&self, path: PathBuf, why: String) {
        lock(&self.tally).left_out.push((path, why));
    }
}

/// Which of the names that identify a git directory or the top of a work tree were seen.
#[derive(Default)]
struct Seen(u8);

impl Seen {
    const GIT_DIR: u8 = 0b0111;
    const DOT_GIT: u8 = 0b1000;

    fn note(&mut self, name: &[u8]) {
        self.0 |= match name {
            b"HEAD" => 0b0001,
            b"objects" => 0b0010,
            b"refs" => 0b0100,
            b".git" => Self::DOT_GIT,
            _ => 0,
        };
    }

    fn is_git_dir(&self) -> bool {
        self.0 & Self::GIT_DIR == Self::GIT_DIR
    }

    fn is_work_tree(&self) -> bool {
        self.0 & Self::DOT_GIT != 0
    }
}

fn open(job: &Job) -> Result<OwnedFd, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    match &job.parent {
        // A root was named on purpose and may be a link itself.
        None => openat(CWD, &job.path, flags, Mode::empty()),
        Some(parent) => openat(
            parent,
            job.path.file_name().ok_or(Errno::NOENT)?,
            flags | OFlags::NOFOLLOW,
            Mode::empty(),
        ),
    }
}

#[cfg(test)]
mod tests;
