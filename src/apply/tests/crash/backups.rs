//! A backup that somebody damaged or removed: it is never restored, and never taken for the work of another program.

use std::path::{Path, PathBuf};

use super::cases;
use super::judge::{Side, Truth, tree, unlocked};
use super::kit::{Case, committed, folder, recover, recover_keeping, sized, summary};
use crate::apply::disk::sim::{Rng, SimDisk};
use crate::apply::disk::{Disk as _, FileKind};
use crate::apply::error::ApplyError;
use crate::apply::exchange::{BaseKind, Exchange};
use crate::apply::folder::Mark;
use crate::apply::journal::Journal;
use crate::apply::{crash, undo};
use crate::model::{ErrorKind, Foreign};

type Harm = (&'static str, fn(&SimDisk, &Path));

const HARMS: [Harm; 3] = [
    ("removed", |disk, slot| {
        disk.removed(slot);
    }),
    ("overwritten", |disk, slot| {
        disk.file(slot, "CORRUPT");
    }),
    ("replaced", |disk, slot| {
        let other = slot.with_file_name("other");
        disk.file(&other, "CORRUPT").removed(slot);
        disk.moved(&other, slot);
    }),
];

/// The exchanges of a journal whose backups are files and are in their slots now: what is replaced, and the backup.
/// A place that is exchanged twice, because it becomes a folder, is left out.
fn backups(disk: &SimDisk, journal: &Journal) -> Vec<(PathBuf, PathBuf)> {
    let at = |exchange: &Exchange| exchange.here.path(&journal.bases);
    let once = |here: &Path| {
        journal
            .exchanges
            .iter()
            .filter(|one| at(one) == here)
            .count()
            == 1
    };
    let place = |exchange: &Exchange| {
        let [here, there] = [&exchange.here, &exchange.there].map(|spot| spot.path(&journal.bases));
        let slots = journal.bases[exchange.there.base].kind == BaseKind::Slots;
        let had = exchange
            .here_had
            .filter(|had| slots && had.digest.is_some())?;
        disk.content(&there)?;
        let dir = disk.root(there.parent()?).unwrap();
        let now = disk.look(&dir, there.file_name()?).unwrap();
        (now?.id == had.node.id && once(&here)).then_some((here, there))
    };
    journal.exchanges.iter().filter_map(place).collect()
}

fn journal_of(disk: &SimDisk, id: &str) -> Option<Journal> {
    folder(disk, id)?.journal(disk)?.ok()
}

/// What is looked at in a disk after a transaction: its journal, what was replaced, and the backup.
type Look<'a> = &'a mut dyn FnMut(&Truth, &SimDisk, &Journal, (&Path, &Path));

/// Shows every backup of every case, each on the disk that the transaction left.
fn every_backup(look: Look<'_>) {
    for case in cases::plain().into_iter().chain(cases::undone()) {
        let truth = Truth::of(case);
        let end = truth.start.branch();
        let journal = truth.case.carry(&end, &truth.draft).unwrap();
        for (here, slot) in backups(&end, &journal) {
            look(&truth, &end, &journal, (&here, &slot));
        }
    }
}

#[test]
fn w6_an_undo_or_a_redo_restores_no_backup_that_was_damaged_or_removed() {
    let mut runs = 0;
    every_backup(&mut |truth, end, journal, (here, slot)| {
        for (how, harm) in HARMS {
            let disk = end.branch();
            harm(&disk, slot);
            let what = format!("the backup of {} {how}", here.display());
            let undo = undo::work_out(&disk, journal, &[], undo::Reading::All).unwrap();
            let gone = if how == "removed" {
                &undo.lost
            } else {
                &undo.damaged
            };
            if *gone != [here] {
                truth.fail(&disk, &what, &format!("{undo:?}"));
            }
            runs += 1;
        }
    });
    summary("damaged backups", runs);
    assert!(runs > 30, "{runs}");
}

#[test]
fn w6_an_undo_trusts_a_backup_that_was_copied_back() {
    let mut runs = 0;
    every_backup(&mut |truth, end, journal, (here, slot)| {
        let disk = end.branch();
        let exchange = journal.exchanges.iter().find(|one| {
            one.here.path(&journal.bases) == here && one.there.path(&journal.bases) == slot
        });
        let had = exchange.unwrap().here_had.unwrap().node;
        let content = disk.content(slot);
        let Some(bytes) = content.filter(|_| had.kind == FileKind::File) else {
            return;
        };
        disk.removed(slot);
        disk.file(slot, bytes).mode(slot, had.mode, had.uid);
        let undo = undo::work_out(&disk, journal, &[], undo::Reading::All).unwrap();
        if !undo.lost.is_empty() || !undo.damaged.is_empty() {
            truth.fail(&disk, "a copy", &format!("{here:?}: {undo:?}"));
        }
        runs += 1;
    });
    summary("copied backups", runs);
    assert!(runs > 10, "{runs}");
}

/// What `recover` says where it needs a person.
fn unclear(result: Result<Vec<Foreign>, ApplyError>) -> Result<String, String> {
    match result {
        Err(why) if why.kind == ErrorKind::Unclear => {
            let all = std::iter::once(&why.text).chain(&why.hints);
            Ok(all.map(|one| one.lossy().into_owned() + "\n").collect())
        }
        other => Err(format!("{other:?}")),
    }
}

/// One backup that was harmed after a crash: a person is asked about its path, and all others are settled.
fn held(truth: &Truth, disk: &SimDisk, (here, slot): (&Path, &Path), how: &str) {
    let what = format!("the backup of {} {how}", here.display());
    let entry = |disk: &SimDisk| disk.picture(here).values().next().cloned();
    let (theirs, kept) = (entry(disk), disk.picture(slot));
    let id = truth.case.id();
    let others = |path: &Path| Path::new("/").join(path).starts_with(here);
    let (missing, damaged) = (
        format!("The backup of {} is missing.", here.display()),
        format!("The backup of {} is damaged", here.display()),
    );
    // Nothing was planned there and nothing is there.
    let gone = format!("{} is missing, and", here.display());
    for _ in 0..2 {
        let said = match recover(disk) {
            // It is the last exchange that was applied: it may as well have been deleted before it.
            Ok(said) if theirs.is_none() && how == "removed" => {
                let said: String = said.iter().map(|one| one.lossy().into_owned()).collect();
                if !said.contains(&gone) || said.contains("another program") {
                    truth.fail(disk, &what, &said);
                }
                return;
            }
            result => unclear(result).unwrap_or_else(|other| truth.fail(disk, &what, &other)),
        };
        let told = match how {
            "removed" if theirs.is_none() => &gone,
            "removed" => &missing,
            _ => &damaged,
        };
        if !said.contains(told) || said.contains("another program") {
            truth.fail(disk, &what, &said);
        }
        if entry(disk) != theirs || disk.picture(slot) != kept {
            truth.fail(disk, &what, "something was moved for that path");
        }
        if let Some(difference) = truth.differs(disk, Side::Before, &others) {
            truth.fail(
                disk,
                &what,
                &format!("the rest is not as before: {difference}"),
            );
        }
        assert_eq!(tree(disk), unlocked(disk), "git is still locked");
    }
    recover_keeping(disk, &id, &[here.to_str().unwrap()]).unwrap();
    let folder = folder(disk, &id).unwrap();
    let left = crash::skipped_paths(disk, &folder);
    let named = left.iter().find(|one| one.path == here);
    if named.is_none_or(|one| !one.text.lossy().contains("backup")) {
        truth.fail(disk, &what, &format!("{left:?}"));
    }
    assert!(folder.has(disk, Mark::RolledBack).unwrap());
    assert!(recover(disk).unwrap().is_empty());
}

fn harm_all(case: Case, seed: u64) -> u64 {
    let truth = Truth::of(case);
    let id = truth.case.id();
    let mut rng = Rng(seed);
    let mut runs = 0;
    for step in 0..truth.steps {
        if rng.below(sized(4, 1)) > 0 {
            continue;
        }
        let dead = truth.start.branch();
        dead.die_at(step);
        truth.case.carry(&dead, &truth.draft).unwrap_err();
        let dead = dead.after_kill();
        let Some(journal) = journal_of(&dead, &id).filter(|_| !committed(&dead, &id)) else {
            continue;
        };
        for (here, slot) in backups(&dead, &journal) {
            for (how, harm) in HARMS {
                let disk = dead.branch();
                harm(&disk, &slot);
                held(&truth, &disk, (&here, &slot), how);
                runs += 1;
            }
        }
    }
    runs
}

#[test]
fn w6_a_rollback_restores_no_backup_that_was_damaged_or_removed() {
    let cases = cases::plain().into_iter().chain(cases::undone());
    let runs = cases
        .chain(cases::redone())
        .map(|case| harm_all(case, 54))
        .sum();
    summary("damaged backups", runs);
    assert!(runs > 30, "{runs}");
}
