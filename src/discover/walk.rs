//! The walk: two threads or more, each with its own stack. A thread with work shares it when another one is idle.
//! A directory is opened relative to its parent and never through a link, so no path leads out of the root.

use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};

use rustix::fs::{CWD, FileType, Mode, OFlags, openat};

use super::entries::each_entry;
use super::mounts::{device, mounted};
use super::names::{Names, is_kernel, pruned};
use crate::systems::{Found, Hit, Marker};

/// The depth limit of a walk from `/`. Projects are less deep; copies of whole file systems are deeper.
const MACHINE_DEPTH: usize = 16;

/// The limits of a walk.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// Levels below the root.
    pub depth: usize,
    /// Entries read in total.
    pub entries: u64,
    /// Number of threads.
    pub threads: usize,
}

impl Default for Limits {
    fn default() -> Self {
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        Self {
            depth: 32,
            entries: 50_000_000,
            threads: cores.clamp(1, 8),
        }
    }
}

/// The counts of a walk.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Tally {
    /// Entries read.
    pub entries: u64,
    /// Directories that could not be opened.
    pub denied: u64,
    /// True if a limit or a cancellation ended the walk early.
    pub cut_short: bool,
    /// Folders below `/` that were skipped, with the reason.
    pub left_out: Vec<(PathBuf, &'static str)>,
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
    /// The device of its parent; only set below `/`, where mounts are checked.
    dev: Option<u64>,
}

/// State that the threads share.
struct Shared<'a> {
    roots: &'a [PathBuf],
    found: &'a (dyn Fn(&Path) -> Found + Sync),
    names: &'a Names,
    limits: Limits,
    sink: &'a (dyn Fn(Hit) + Sync),
    cancelled: &'a AtomicBool,
    queue: Mutex<Vec<Job>>,
    wake: Condvar,
    /// Threads that are waiting for work.
    idle: AtomicUsize,
    entries: AtomicU64,
    denied: AtomicU64,
    cut_short: AtomicBool,
    left_out: Mutex<Vec<(PathBuf, &'static str)>>,
}

/// Walks the roots and reports every entry that matches a name. `found` is recorded as the way the hits of a root were
/// found.
pub fn walk(
    roots: &[PathBuf],
    names: &Names,
    limits: Limits,
    cancelled: &AtomicBool,
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
        cancelled,
        queue: Mutex::new(queue),
        wake: Condvar::new(),
        idle: AtomicUsize::new(0),
        entries: AtomicU64::new(0),
        denied: AtomicU64::new(0),
        cut_short: AtomicBool::new(false),
        left_out: Mutex::default(),
    };
    std::thread::scope(|scope| {
        for _ in 1..limits.threads {
            scope.spawn(|| work(&shared));
        }
        work(&shared);
    });
    Tally {
        entries: shared.entries.into_inner(),
        denied: shared.denied.into_inner(),
        cut_short: shared.cut_short.into_inner(),
        left_out: shared
            .left_out
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner),
    }
}

fn work(shared: &Shared<'_>) {
    let mut own: Vec<Job> = Vec::new();
    let mut buffer = Vec::with_capacity(64 << 10);
    while let Some(job) = own.pop().or_else(|| take(shared)) {
        let spent = shared.entries.load(Ordering::Relaxed) >= shared.limits.entries;
        if spent || shared.cancelled.load(Ordering::Relaxed) {
            shared.cut_short.store(true, Ordering::Relaxed);
            continue;
        }
        read(shared, &job, &mut own, &mut buffer);
        if own.len() > 1 && shared.idle.load(Ordering::Relaxed) > 0 {
            let half = own.len() / 2;
            let mut queue = shared.queue.lock().unwrap_or_else(PoisonError::into_inner);
            queue.extend(own.drain(..half));
            shared.wake.notify_all();
        }
    }
}

/// Waits for work; `None` once every thread is waiting, because then no work is left.
fn take(shared: &Shared<'_>) -> Option<Job> {
    let mut queue = shared.queue.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(job) = queue.pop() {
        return Some(job);
    }
    if shared.idle.fetch_add(1, Ordering::Relaxed) + 1 == shared.limits.threads {
        shared.wake.notify_all();
        return None;
    }
    loop {
        queue = shared
            .wake
            .wait(queue)
            .unwrap_or_else(PoisonError::into_inner);
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
fn read(shared: &Shared<'_>, job: &Job, own: &mut Vec<Job>, buffer: &mut Vec<u8>) {
    let Some(dir) = open(job) else {
        shared.denied.fetch_add(1, Ordering::Relaxed);
        return;
    };
    let machine = shared.root(job) == Path::new("/");
    let dev = machine.then(|| device(&dir)).flatten();
    if let Some(why) = dev.and_then(|dev| mounted(&dir, dev, job.dev)) {
        shared.leave_out(job.path.clone(), why);
        return;
    }
    let depth = if machine {
        shared.limits.depth.min(MACHINE_DEPTH)
    } else {
        shared.limits.depth
    };
    let dir = Arc::new(dir);
    let before = own.len();
    let mut seen = Seen::default();
    let mut entries = 0;
    each_entry(&dir, buffer, |name, kind| {
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
        let enters = is_dir && !claimed && !pruned(name) && !is_kernel(&job.path, name);
        if enters && machine && job.depth == depth {
            shared.leave_out(path(), "more than 16 folders below /");
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
    shared.entries.fetch_add(entries, Ordering::Relaxed);
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

    fn leave_out(&self, path: PathBuf, why: &'static str) {
        let left_out = self.left_out.lock();
        let mut left_out = left_out.unwrap_or_else(PoisonError::into_inner);
        left_out.push((path, why));
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

fn open(job: &Job) -> Option<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    match &job.parent {
        // The person named the root, so it may be a link.
        None => openat(CWD, &job.path, flags, Mode::empty()).ok(),
        Some(parent) => openat(
            parent,
            job.path.file_name()?,
            flags | OFlags::NOFOLLOW,
            Mode::empty(),
        )
        .ok(),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    fn hits(root: &Path, limits: Limits) -> (Vec<String>, Tally) {
        let names = Names::new([
            Marker::File("workflow-state.json"),
            Marker::Dir(".mgw"),
            Marker::Prefix("crucible-dispatch-"),
            Marker::Repository,
        ]);
        let seen = Mutex::new(Vec::new());
        let found = |root: &Path| Found::Walk {
            root: root.to_owned(),
        };
        let tally = walk(
            &[root.to_owned()],
            &names,
            limits,
            &AtomicBool::new(false),
            &found,
            &|hit| {
                let rel = hit.path.strip_prefix(root).unwrap().display().to_string();
                seen.lock().unwrap().push(rel);
            },
        );
        let mut seen = seen.into_inner().unwrap();
        seen.sort();
        (seen, tally)
    }

    #[test]
    fn finds_markers_and_enters_neither_links_nor_pruned_directories() {
        let dir = tempfile::tempdir().unwrap();
        let root = dir.path();
        for file in [
            "a/workflow-state.json",
            "a/node_modules/x/workflow-state.json",
            "b/.mgw/active/workflow-state.json",
            "c/.git/workflow-state.json",
            "bare/HEAD",
            "bare/objects/workflow-state.json",
            "bare/refs/x",
            "crucible-dispatch-17/manifest.jsonl",
            "workflow-state.json.bak",
        ] {
            std::fs::create_dir_all(root.join(file).parent().unwrap()).unwrap();
            std::fs::write(root.join(file), "").unwrap();
        }
        std::fs::create_dir(root.join("d")).unwrap();
        std::fs::create_dir(root.join("d/workflow-state.json")).unwrap();
        symlink(root.join("a"), root.join("link")).unwrap();
        std::fs::create_dir(root.join("linked")).unwrap();
        symlink(root.join("b/.mgw"), root.join("linked/.mgw")).unwrap();
        symlink("nowhere", root.join("linked/workflow-state.json")).unwrap();
        symlink(root, root.join("loop")).unwrap();
        for threads in [1, 4] {
            let (seen, tally) = hits(
                root,
                Limits {
                    threads,
                    ..Limits::default()
                },
            );
            assert_eq!(
                seen,
                [
                    "a/workflow-state.json",
                    "b/.mgw",
                    "c",
                    "crucible-dispatch-17",
                    "linked/.mgw",
                    "linked/workflow-state.json",
                ]
            );
            assert!(!tally.cut_short);
        }
    }

    #[test]
    fn stops_at_its_depth_limit() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(dir.path().join("1/2/3")).unwrap();
        std::fs::write(dir.path().join("1/2/workflow-state.json"), "").unwrap();
        std::fs::write(dir.path().join("1/2/3/workflow-state.json"), "").unwrap();
        let (seen, _) = hits(
            dir.path(),
            Limits {
                depth: 2,
                ..Limits::default()
            },
        );
        assert_eq!(seen, ["1/2/workflow-state.json"]);
    }
}
