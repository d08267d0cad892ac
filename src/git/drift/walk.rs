//! The walk: one job for each directory. A thread continues with the directories it found, and gives half of them to an
//! idle thread.

use std::ffi::OsStr;
use std::num::NonZero;
use std::ops::Range;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

use git2::{Odb, Oid};
use rustix::fs::{CWD, Mode, OFlags, Stat, fstat, openat, stat};

use crate::model::PathState;
use crate::world::files::Files as _;
use crate::world::git::GitError;
use crate::world::real_files::RealFiles;

use super::attributes::Attributes;
use super::cache::StatCache;
use super::conversions::{self, Conversion};
use super::directory::Walker;
use super::disk::{self, Kept, Listing};
use super::here::Here;
use super::rules::{Rules, Sides};
use super::{Measure, Outcome, Source};
use crate::git::config::OwnConfig;
use crate::git::objects::Objects;
use crate::git::scratch::OWN_INDEX;
use crate::git::trees::TreeEntry;
use crate::git::{open, trees};
use crate::text::Shown as _;

/// Beyond this many threads the disk's own locks are the limit.
const THREADS: usize = 4;

/// Up to this many entries are compared before other threads are started: starting them takes longer than that.
const ALONE: u64 = 256;

/// One directory to compare.
#[derive(Clone)]
pub(super) struct Job {
    /// Relative to the work tree, ending in a slash; empty for the top.
    pub(super) path: Vec<u8>,
    /// The commit's tree for it, if it has one.
    pub(super) tree: Option<Oid>,
    /// Whether the work tree has it too.
    pub(super) on_disk: bool,
    /// Ignore rules of the parent directories.
    pub(super) rules: Sides<Rules>,
    /// Whether the rules ignore the directory itself, though the commit has it.
    pub(super) ignored: Sides<bool>,
    /// Attributes of the parent directories.
    pub(super) attributes: Attributes,
    /// What git may have stored of its files.
    pub(super) conversion: Conversion,
    /// Whether something of the commit belongs in the place of this directory or of one above it.
    pub(super) in_the_way: InTheWay,
    /// Whether it is in a nested repository or on another mount.
    pub(super) hidden: bool,
    /// The index entries below it.
    pub(super) cached: Range<usize>,
}

/// How a directory that is in the way is walked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InTheWay {
    /// It is not in the way.
    No,
    /// Its entries are listed, ignored ones too, because all of them would be moved aside.
    Listed,
    /// It was listed as a whole. It is searched only for what cannot be moved: repositories and other mounts.
    Searched,
}

impl Job {
    /// The directory's path without its slash.
    fn own_path(&self) -> &[u8] {
        self.path.strip_suffix(b"/").unwrap_or(&self.path)
    }

    /// A nested repository or another mount: never written to. The commit's entries below it are compared anyway,
    /// because a restore that leaves out a differing path must say so.
    pub(super) fn hides(&self, readable: bool, out: &mut Outcome) -> Vec<Self> {
        if !self.hidden {
            out.add(self.own_path().to_vec(), PathState::NotCovered, None);
        }
        let beneath = self.tree.map(|_| Self {
            on_disk: readable,
            in_the_way: InTheWay::No,
            hidden: true,
            ..self.clone()
        });
        beneath.into_iter().collect()
    }
}

/// State that the threads share.
pub(super) struct Shared<'a> {
    pub(super) root: OwnedFd,
    pub(super) cache: StatCache,
    /// The index of the project's own repository, once a file of a store was asked for.
    own_index: OnceLock<StatCache>,
    pub(super) objects: Objects,
    pub(super) measure: Measure,
    pub(super) kept: Kept,
    /// Device and inode of the git directories.
    pub(super) git_dirs: Vec<(u64, u64)>,
    entries: AtomicU64,
    queue: Mutex<Queue>,
    /// Threads that are waiting for a job.
    idle: AtomicUsize,
    wake: Condvar,
    pub(super) source: &'a Source,
}

#[derive(Default)]
struct Queue {
    jobs: Vec<Job>,
    /// Threads that may still add jobs.
    busy: usize,
    failed: Option<GitError>,
    outcome: Outcome,
}

/// Compares a tree with the work tree.
pub(super) fn run(
    source: &Source,
    tree: Option<Oid>,
    rules: Rules,
    measure: Measure,
) -> Result<Outcome, GitError> {
    // In a store that git writes too, `index` vouches for what git stored, and not for the bytes.
    let name = if source.is_raw { OWN_INDEX } else { "index" };
    let cache = StatCache::read(&source.index, name);
    let own = source.own.get_or_init(OwnConfig::read);
    let top = Job {
        path: Vec::new(),
        tree,
        on_disk: true,
        rules: Sides {
            now: rules.clone(),
            then: rules,
        },
        ignored: Sides::default(),
        attributes: Attributes::default(),
        // Rules of `.gitattributes` files are added on the way down; these hold for the whole tree.
        conversion: if source.is_raw {
            Conversion::None
        } else {
            conversions::outside_the_tree((&source.objects, &source.index), own)
        },
        in_the_way: InTheWay::No,
        hidden: false,
        cached: cache.all(),
    };
    let shared = Shared {
        root: open_top(&source.work_tree)?,
        cache,
        own_index: OnceLock::new(),
        objects: Objects::new(&source.objects),
        measure,
        kept: Kept::of(source.project.as_ref()),
        git_dirs: identities(source),
        entries: AtomicU64::new(0),
        queue: Mutex::new(Queue {
            jobs: vec![top],
            ..Queue::default()
        }),
        idle: AtomicUsize::new(0),
        wake: Condvar::new(),
        source,
    };
    std::thread::scope(|scope| {
        let others = || {
            // Only asked where there is work: it reads several files of the kernel.
            let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
            for _ in 1..cores.min(THREADS) {
                shared.lock().busy += 1;
                scope.spawn(|| shared.work(|| {}));
            }
        };
        shared.lock().busy += 1;
        shared.work(others);
    });
    let mut queue = shared.lock();
    match queue.failed.take() {
        Some(error) => Err(error),
        None => Ok(std::mem::take(&mut queue.outcome)),
    }
}

fn open_top(work_tree: &Path) -> Result<OwnedFd, GitError> {
    // Only the last component: links above the work tree are the person's own and are followed.
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    openat(CWD, work_tree, flags, Mode::empty())
        .map_err(|e| GitError::WorkTree(format!("{}: {e}", work_tree.shown())))
}

/// `info/exclude` of the store and of the project, with the lowest precedence.
pub(super) fn project_rules(source: &Source) -> Rules {
    let mut folders = vec![source.objects.clone()];
    folders.extend(source.project.as_ref().map(|own| own.common_dir.clone()));
    // A checkpoint may be in a separate store or in the project's own repository. In that case the rules must not count
    // twice.
    folders.dedup();
    folders.iter().fold(Rules::default(), |rules, folder| {
        with_exclude(rules, folder)
    })
}

/// Adds the rules of a git directory's `info/exclude`.
pub(in crate::git) fn with_exclude(rules: Rules, git_dir: &Path) -> Rules {
    match conversions::small(git_dir, "info/exclude") {
        Some(bytes) => rules.with(0, &bytes),
        None => rules,
    }
}

fn identities(source: &Source) -> Vec<(u64, u64)> {
    let known = source.git_dirs.iter().filter_map(|dir| stat(dir).ok());
    known.map(|stat| (stat.st_dev, stat.st_ino)).collect()
}

impl Shared<'_> {
    fn lock(&self) -> MutexGuard<'_, Queue> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a directory is one of the git directories that the answer is computed from.
    pub(super) fn is_git_dir(&self, dir: &OwnedFd) -> bool {
        fstat(dir).is_ok_and(|stat| self.git_dirs.contains(&(stat.st_dev, stat.st_ino)))
    }

    /// Whether a submodule is as git leaves it for a commit: at that commit, or an empty directory until somebody
    /// initializes it.
    pub(super) fn is_submodule_at(&self, path: &[u8], commit: Oid) -> bool {
        let dir = disk::open_dir(&self.root, path);
        let listing = dir.ok().and_then(|dir| Listing::read(&dir).ok());
        if listing.is_some_and(|listing| listing.len() == 0) {
            return true;
        }
        let top = self.source.work_tree.join(OsStr::from_bytes(path));
        // A folder without a repository would be answered for by the one around it.
        open::open(&top).is_ok_and(|own| {
            own.work_tree.as_ref() == RealFiles.canonical(&top).as_ref()
                && own.repo.refname_to_id("HEAD") == Ok(commit)
        })
    }

    /// Whether the project's own index vouches that git stored this of a file.
    pub(super) fn is_in_own_index(
        &self,
        here: &Here<'_>,
        entry: &TreeEntry<'_>,
        stat: &Stat,
    ) -> bool {
        let index = self.own_index.get_or_init(|| {
            let project = self.source.project.as_ref();
            project.map_or_else(StatCache::default, |own| {
                StatCache::read(&own.git_dir, "index")
            })
        });
        let dir = &here.job.path;
        let mut cursor = index.cursor(index.beneath(&index.all(), dir), dir.len());
        cursor.vouched(entry.name, stat) == Some(entry.id)
    }

    /// Counts entries of either side against the budget.
    pub(super) fn count(&self, entries: usize, path: &[u8]) -> Result<(), GitError> {
        let entries = entries as u64;
        let before = self.entries.fetch_add(entries, Ordering::Relaxed);
        trees::within_budget(before + entries, path.len())
    }

    /// One thread: takes jobs until none are left and no thread is adding any. Calls `others` once, if there is work for
    /// more threads.
    fn work(&self, others: impl FnOnce()) {
        let _guard = PanicGuard(self);
        let repo;
        let odb = match self.source.objects.join("objects").to_str() {
            // Each thread opens its own, because a shared object database has one lock for all lookups. Opening the
            // repository would read its configuration again.
            Some(objects) => Odb::new().and_then(|odb| {
                odb.add_disk_alternate(objects)?;
                Ok(odb)
            }),
            None => match open::open_bare_objects(&self.source.objects) {
                Ok(opened) => {
                    repo = opened;
                    repo.odb()
                }
                Err(e) => return self.fail(e),
            },
        };
        let odb = match odb {
            Ok(odb) => odb,
            Err(e) => return self.fail(e.into()),
        };
        let mut walker = Walker::new(self, &odb);
        let mut outcome = Outcome::default();
        let mut own: Vec<Job> = Vec::new();
        let mut others = Some(others);
        // The last one first: depth-first keeps the list short and the directory entries cached.
        while let Some(job) = own.pop().or_else(|| self.take()) {
            match walker.compare(&job, &mut outcome) {
                Ok(more) => own.extend(more),
                Err(e) => return self.fail(e),
            }
            if self.entries.load(Ordering::Relaxed) > ALONE
                && let Some(others) = others.take()
            {
                others();
            }
            if own.len() > 1 && self.idle.load(Ordering::Relaxed) > 0 {
                // The first ones are nearest to the top, so they lead to the most work.
                let first = own.drain(..own.len() / 2);
                self.lock().jobs.extend(first);
                self.wake.notify_all();
            }
        }
        let all = &mut self.lock().outcome;
        all.paths.append(&mut outcome.paths);
        all.ignored += outcome.ignored;
    }

    /// A job that another thread gave away; waits for one.
    fn take(&self) -> Option<Job> {
        let mut queue = self.lock();
        queue.busy -= 1;
        self.idle.fetch_add(1, Ordering::Relaxed);
        loop {
            // A busy thread may still add jobs, so an empty queue alone does not end the walk.
            let ended = queue.failed.is_some() || queue.jobs.is_empty() && queue.busy == 0;
            let job = queue.jobs.pop().filter(|_| !ended);
            if job.is_some() {
                queue.busy += 1;
            } else if ended {
                self.wake.notify_all();
            }
            if ended || job.is_some() {
                self.idle.fetch_sub(1, Ordering::Relaxed);
                return job;
            }
            queue = self
                .wake
                .wait(queue)
                .unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The first failure ends the walk for all waiting threads.
    fn fail(&self, error: GitError) {
        self.lock().failed.get_or_insert(error);
        self.wake.notify_all();
    }
}

/// Ends the other threads if this one panics.
struct PanicGuard<'a>(&'a Shared<'a>);

impl Drop for PanicGuard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.fail(GitError::Other(
                "a thread of the comparison panicked".to_owned(),
            ));
        }
    }
}
