//! A backup that somebody damaged or removed: it is never restored, and never taken for the work of another program.

use std::path::{Path, PathBuf};

use super::cases;
use super::judge::Truth;
use super::kit::summary;
use crate::apply::disk::Disk as _;
use crate::apply::disk::sim::SimDisk;
use crate::apply::exchange::{BaseKind, Exchange};
use crate::apply::journal::Journal;
use crate::apply::undo;

type Harm = (&'static str, fn(&SimDisk, &Path));

const HARMS: [Harm; 3] = [
    ("removed", |disk, slot| {
        disk.removed(slot);
    }),
    ("overwritten", |disk, slot| {
        disk.file(slot, "CORRUPT");
    }),
    ("replaced", |disk, slot| {
        disk.file("/state/other", "CORRUPT").removed(slot);
        disk.moved("/state/other", slot);
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

#[test]
fn w6_an_undo_or_a_redo_restores_no_backup_that_was_damaged_or_removed() {
    let mut runs = 0;
    for case in cases::plain().into_iter().chain(cases::undone()) {
        let truth = Truth::of(case);
        let end = truth.start.branch();
        let journal = truth.case.carry(&end, &truth.draft).unwrap();
        for (here, slot) in backups(&end, &journal) {
            for (how, harm) in HARMS {
                let disk = end.branch();
                harm(&disk, &slot);
                let what = format!("the backup of {} {how}", here.display());
                let undo = undo::work_out(&disk, &journal, &[]).unwrap();
                let gone = if how == "removed" {
                    &undo.lost
                } else {
                    &undo.damaged
                };
                if gone != &[here.clone()] {
                    truth.fail(&disk, &what, &format!("{undo:?}"));
                }
                runs += 1;
            }
        }
    }
    summary("damaged backups", runs);
    assert!(runs > 30, "{runs}");
}
