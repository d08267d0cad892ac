//! The context of the cases: a world, and how a draft is applied and a crash recovered.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use chrono::DateTime;

use crate::apply::disk::Disk as _;
use crate::apply::disk::sim::{SimDisk, SimRefs};
use crate::apply::draft::Draft;
use crate::apply::error::ApplyError;
use crate::apply::folder::{Folder, Mark};
use crate::apply::home::{Home, project_id};
use crate::apply::journal::Journal;
use crate::apply::session::{Context, Session};
use crate::model::{Cancel, Foreign};

/// The root of the project.
pub(super) const ROOT: &str = "/p";

/// True for the full run.
pub(super) fn full() -> bool {
    std::env::var("RELIGHT_FAULTS").is_ok_and(|value| value == "full")
}

/// One of these: the slice's, or the full run's.
pub(super) fn sized<T>(slice: T, all: T) -> T {
    if full() { all } else { slice }
}

/// Prints how many cases of a kind held so far in all tests; what does not hold ends its test before.
pub(super) fn summary(kind: &'static str, cases: u64) {
    static TOTALS: Mutex<BTreeMap<&str, u64>> = Mutex::new(BTreeMap::new());
    let mut totals = TOTALS.lock().unwrap_or_else(PoisonError::into_inner);
    let total = totals.entry(kind).or_default();
    *total += cases;
    println!("SUMMARY {kind}: {total} cases, 0 lost, 0 mixed, 0 stuck");
}

/// The draft and what precedes it.
pub(super) struct Case {
    pub(super) name: &'static str,
    /// What was applied before: the drafts of earlier recoveries, oldest first.
    pub(super) earlier: Vec<Make>,
    /// The draft to apply now.
    pub(super) draft: Make,
}

/// Makes a draft from what is on the disk.
pub(super) type Make = Box<dyn Fn(&SimDisk) -> Draft>;

impl Case {
    pub(super) fn new(name: &'static str, draft: impl Fn(&SimDisk) -> Draft + 'static) -> Self {
        Self {
            name,
            earlier: Vec::new(),
            draft: Box::new(draft),
        }
    }

    /// The id of the recovery in question.
    pub(super) fn id(&self) -> String {
        id(self.earlier.len())
    }

    /// The world right before.
    pub(super) fn world(&self) -> SimDisk {
        let disk = world();
        for (number, draft) in self.earlier.iter().enumerate() {
            carry_as(&disk, &id(number), &draft(&disk), &Cancel::new()).unwrap();
        }
        // Whatever went before is long since durable.
        for path in ["/", "/other"] {
            disk.flush(&disk.root(path.as_ref()).unwrap()).unwrap();
        }
        let next = disk.after_kill();
        next.heal();
        next
    }

    /// Applies it.
    pub(super) fn carry(&self, disk: &SimDisk, draft: &Draft) -> Result<Journal, ApplyError> {
        self.carry_unless(disk, draft, &Cancel::new())
    }

    /// The same with a switch that stops it.
    pub(super) fn carry_unless(
        &self,
        disk: &SimDisk,
        draft: &Draft,
        cancel: &Cancel,
    ) -> Result<Journal, ApplyError> {
        carry_as(disk, &self.id(), draft, cancel)
    }
}

/// The id of the nth recovery.
pub(super) fn id(number: usize) -> String {
    format!("20261121T0700{number:02}-0000")
}

fn carry_as(
    disk: &SimDisk,
    id: &str,
    draft: &Draft,
    cancel: &Cancel,
) -> Result<Journal, ApplyError> {
    let refs = SimRefs(disk);
    let context = context(disk, &refs, cancel);
    let session = Session::begin(&context)?;
    let run = session.run(id, "fingerprint", b"{}", draft, &|| Ok(()), &|_| {});
    run.map_err(|trouble| session.with_notes(trouble))
}

fn context<'a>(
    disk: &'a SimDisk,
    refs: &'a SimRefs<'a>,
    cancel: &'a Cancel,
) -> Context<'a, SimDisk> {
    Context {
        disk,
        refs,
        state: Path::new("/state"),
        root: Path::new(ROOT),
        common_dir: Some(Path::new("/p/.git")),
        me: 1000,
        now: DateTime::parse_from_rfc3339("2026-11-21T07:00:00Z").unwrap(),
        cancel,
    }
}

/// What the next run of relight does first: locks, and what a crash left.
pub(super) fn recover(disk: &SimDisk) -> Result<Vec<Foreign>, ApplyError> {
    recover_unless(disk, &Cancel::new())
}

/// The same with a switch that stops it.
pub(super) fn recover_unless(disk: &SimDisk, cancel: &Cancel) -> Result<Vec<Foreign>, ApplyError> {
    let refs = SimRefs(disk);
    let context = context(disk, &refs, cancel);
    let session = Session::begin(&context)?;
    Ok(session.notes.clone())
}

/// Settles one recovery, and leaves what is at or under these paths as it is.
pub(super) fn recover_keeping(
    disk: &SimDisk,
    id: &str,
    keep: &[&str],
) -> Result<Vec<Foreign>, ApplyError> {
    let refs = SimRefs(disk);
    let cancel = Cancel::new();
    let context = context(disk, &refs, &cancel);
    let session = Session::lock_home(&context, home(disk).unwrap())?;
    let keep: Vec<_> = keep.iter().map(Into::into).collect();
    session.recover_one(id, &keep)
}

/// The project's folder of transactions.
pub(super) fn home(disk: &SimDisk) -> Option<Home<SimDisk>> {
    let root = disk.root(ROOT.as_ref()).unwrap();
    let project = project_id(disk.node(&root).unwrap().id, ROOT.as_ref());
    Home::open(disk, "/state".as_ref(), &project).unwrap()
}

/// The folder of a transaction.
pub(super) fn folder(disk: &SimDisk, id: &str) -> Option<Folder<SimDisk>> {
    Folder::open(disk, &home(disk)?.dir, id).ok()
}

/// Whether a transaction is marked as committed.
pub(super) fn committed(disk: &SimDisk, id: &str) -> bool {
    let folder = folder(disk, id);
    folder.is_some_and(|folder| folder.has(disk, Mark::Committed).unwrap())
}

/// Where everything begins.
fn world() -> SimDisk {
    let disk = SimDisk::new();
    disk.folder("/state").mode("/state", 0o700, 1000);
    disk.folder("/p/dir/sub")
        .folder("/p/old")
        .folder("/p/empty");
    disk.file("/p/a.txt", "a before\n")
        .attribute("/p/a.txt", "user.note", b"kept");
    disk.file("/p/run.sh", "run before\n")
        .mode("/p/run.sh", 0o755, 1000);
    disk.file("/p/secret", "secret before\n")
        .mode("/p/secret", 0o600, 7);
    disk.file("/p/dir/b.txt", "b before\n");
    disk.file("/p/dir/sub/c.txt", "c before\n");
    disk.file("/p/dir/line\nbreak", "odd before\n");
    disk.file("/p/old/x", "x before\n")
        .file("/p/old/y", "y before\n");
    disk.link("/p/old/up", "../a.txt").link("/p/link", "a.txt");
    disk.pipe("/p/pipe");
    disk.file("/p/log.jsonl", "{\"first\":1}\n");
    disk.file("/p/torn.jsonl", "{\"first\":1}\n{\"sec");
    disk.folder("/p/.git").file("/p/.git/index", "index before");
    disk.folder("/refs").file("/refs/refs+heads+work", "1111");
    disk.mounted("/other").folder("/other/q/in");
    disk.file("/other/q/t.txt", "t before\n")
        .file("/other/q/in/u.txt", "u before\n");
    disk
}
