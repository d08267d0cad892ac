//! One file that somebody saves after a crash, in every way a file is saved: everything else is settled all the
//! same, what is theirs stays where it is, and the other versions are kept and named.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::cases;
use super::judge::{Side, Truth, tree};
use super::kit::{Case, committed, folder, recover, sized, summary};
use crate::apply::crash;
use crate::apply::disk::sim::{Rng, SimDisk};
use crate::apply::exchange::{BaseKind, Spot};
use crate::apply::folder::Mark;
use crate::apply::journal::Journal;

type Style = (&'static str, fn(&SimDisk, &Path));

const STYLES: [Style; 8] = [
    ("appended to", |disk, path| {
        let mut bytes = disk.content(path).unwrap();
        bytes.extend_from_slice(b"theirs\n");
        disk.file(path, bytes);
    }),
    ("cut to nothing", |disk, path| {
        disk.file(path, "");
    }),
    ("saved by a rename", |disk, path| {
        let beside = path.with_extension("swp");
        disk.file(&beside, "theirs\n").removed(path);
        disk.moved(&beside, path);
    }),
    // The inode may be given out again.
    ("deleted and written anew", |disk, path| {
        disk.removed(path).file(path, "theirs\n");
    }),
    ("given another mode", |disk, path| {
        disk.mode(path, 0o640, 1000);
    }),
    ("deleted", |disk, path| {
        disk.removed(path);
    }),
    ("replaced by a directory", |disk, path| {
        disk.removed(path).folder(path);
        disk.file(path.join("in"), "theirs\n");
    }),
    ("replaced by a link", |disk, path| {
        disk.removed(path).link(path, "/p/secret");
    }),
];

/// The places of a person's that a transaction exchanges, each with those of the same exchange.
fn places(journal: &Journal) -> Vec<Vec<PathBuf>> {
    let place = |spot: &Spot| {
        let base = &journal.bases[spot.base];
        (base.kind != BaseKind::Slots).then(|| base.path.path().join(spot.rel()))
    };
    let exchanges = journal.exchanges.iter();
    exchanges
        .map(|exchange| {
            [&exchange.here, &exchange.there]
                .into_iter()
                .filter_map(place)
                .collect()
        })
        .collect()
}

/// What is held against: one file touched in one way after one crash.
struct Touch<'a> {
    truth: &'a Truth,
    /// The places of the exchange.
    exchange: &'a [PathBuf],
    path: &'a Path,
    what: String,
    /// What it was before it was touched.
    over: Option<Vec<u8>>,
    /// What was somewhere on the disk once it was touched.
    contents: BTreeSet<Vec<u8>>,
    theirs: crate::apply::disk::sim::Picture,
}

impl Touch<'_> {
    /// Recovers, and again: all is as it must be.
    fn settles(&self, disk: &SimDisk) {
        let Self { truth, what, .. } = self;
        if let Err(why) = recover(disk) {
            truth.fail(disk, what, &format!("{why:?}"));
        }
        self.judge(disk);
        match recover(disk) {
            Ok(notes) if notes.is_empty() => {}
            other => truth.fail(disk, what, &format!("a second recovery: {other:?}")),
        }
    }

    fn judge(&self, disk: &SimDisk) {
        let Self { truth, what, .. } = self;
        if disk.picture(self.path) != self.theirs {
            truth.fail(disk, what, "what is theirs was changed");
        }
        let side = if committed(disk, &truth.case.id()) {
            Side::After
        } else {
            Side::Before
        };
        let theirs = |path: &Path| {
            let path = Path::new("/").join(path);
            let of_it = |place: &PathBuf| path.starts_with(place) || place.starts_with(&path);
            self.exchange.iter().any(of_it)
        };
        if let Some(difference) = truth.differs(disk, side, &theirs) {
            truth.fail(disk, what, &format!("not as {side:?}: {difference}"));
        }
        self.kept(disk, side);
        let locked = |path: &PathBuf| path.to_string_lossy().contains("index.lock");
        if tree(disk).keys().any(locked) {
            truth.fail(disk, what, "git is still locked");
        }
    }

    /// Nothing is lost but what they wrote over themselves; what was before and what was planned is kept, and the
    /// path is named.
    fn kept(&self, disk: &SimDisk, side: Side) {
        let Self { truth, what, .. } = self;
        truth.nothing_lost_bytes(disk, what, self.over.as_deref());
        let rel = self.path.strip_prefix("/").unwrap();
        let before = truth.before.get(rel);
        let untouched = self.theirs.values().next() == before;
        let prepared = folder(disk, &truth.case.id())
            .filter(|folder| folder.has(disk, Mark::Prepared).unwrap());
        let Some(folder) = prepared.filter(|_| side == Side::Before && !untouched) else {
            return;
        };
        let left = crash::skipped_paths(disk, &folder);
        if !left.iter().any(|one| self.exchange.contains(&one.path)) {
            truth.fail(disk, what, &format!("it is not named: {left:?}"));
        }
        for version in [before, truth.after.get(rel)].into_iter().flatten() {
            let now = disk.contents();
            if self.contents.contains(&version.bytes) && !now.contains(&version.bytes) {
                let bytes = version.bytes.escape_ascii();
                truth.fail(disk, what, &format!("\"{bytes}\" is not kept"));
            }
        }
    }
}

fn touch_all(case: Case, seed: u64) -> u64 {
    let truth = Truth::of(case);
    let end = truth.start.branch();
    let journal = truth.case.carry(&end, &truth.draft).unwrap();
    let exchanges = places(&journal);
    let mut rng = Rng(seed);
    let mut runs = 0;
    for step in 0..=truth.steps {
        if rng.below(sized(12, 1)) > 0 {
            continue;
        }
        let dead = truth.start.branch();
        dead.die_at(step);
        drop(truth.case.carry(&dead, &truth.draft));
        for exchange in &exchanges {
            for path in exchange {
                for (name, style) in STYLES {
                    let disk = dead.after_kill();
                    let Some(over) = disk.content(path) else {
                        continue;
                    };
                    if rng.below(sized(3, 1)) > 0 {
                        continue;
                    }
                    style(&disk, path);
                    let touch = Touch {
                        truth: &truth,
                        exchange,
                        path,
                        what: format!("{} {name}, cut before call {step}", path.display()),
                        over: Some(over),
                        contents: disk.contents(),
                        theirs: disk.picture(path),
                    };
                    runs += 2;
                    // The recovery is cut short, too, and the next one ends it.
                    let tried = disk.branch();
                    touch.settles(&tried);
                    let cut = disk.branch();
                    cut.die_at(rng.below(usize::try_from(tried.steps()).unwrap()) as u64);
                    drop(recover(&cut));
                    touch.settles(&cut.after_kill());
                }
            }
        }
    }
    runs
}

#[test]
fn w2_a_file_that_is_saved_after_a_crash_keeps_nothing_else_from_being_settled() {
    let runs: u64 = cases::plain()
        .into_iter()
        .map(|case| touch_all(case, 51))
        .sum();
    println!("crash simulator, touched after a crash: {runs} recoveries");
    summary("simulated recoveries", runs);
    assert!(runs > 100);
}

#[test]
fn w2_the_same_after_an_undo_and_a_redo_that_were_cut() {
    let cases = cases::undone().into_iter().chain(cases::redone());
    let runs: u64 = cases.map(|case| touch_all(case, 52)).sum();
    println!("crash simulator, touched after a cut undo or redo: {runs} recoveries");
    summary("simulated recoveries", runs);
    assert!(runs > 100);
}
