//! What the history says about the paths of a recovery that was cut: exactly what is there.

use super::cases;
use super::judge::{Truth, tree};
use super::kit::{Case, folder, sized};
use crate::apply::crash;
use crate::apply::disk::sim::{Rng, SimDisk};
use crate::apply::exchange::{BaseKind, Known};
use crate::apply::folder::Mark;
use crate::apply::tests::entries;
use crate::model::{KeptContent, PendingPath, PendingState, Recovery, RecoveryState};

/// The recovery, if it is pending.
fn pending(disk: &SimDisk, id: &str) -> Option<Recovery> {
    let all = entries(disk);
    let one = all.into_iter().find(|entry| entry.recovery.id.0 == id)?;
    (one.recovery.state == RecoveryState::NeedsAttention).then_some(one.recovery)
}

/// Each path holds what it is said to hold. Returns how many are as planned, and how many as before.
fn is_so(truth: &Truth, disk: &SimDisk, paths: &[PendingPath], what: &str) -> [usize; 2] {
    let now = tree(disk);
    let mut seen = [0, 0];
    for one in paths {
        let rel = one.path.strip_prefix("/").unwrap();
        let (expected, at) = match one.state {
            PendingState::Planned => (&truth.after, 0),
            PendingState::Before => (&truth.before, 1),
            PendingState::Changed => truth.fail(disk, what, &format!("{one:?}")),
        };
        seen[at] += 1;
        if now.get(rel) != expected.get(rel) {
            truth.fail(disk, what, &format!("{one:?} is not so"));
        }
    }
    seen
}

/// Each slot holds what it is said to keep. Returns how many backups there are, and how many planned contents.
fn kept_is_so(truth: &Truth, disk: &SimDisk, id: &str, what: &str) -> [usize; 2] {
    let all = entries(disk);
    let entry = all.into_iter().find(|entry| entry.recovery.id.0 == id);
    let entry = entry.unwrap();
    let journal = entry.good_journal().unwrap();
    let done = truth.start.branch();
    truth.case.carry(&done, &truth.draft).unwrap();
    let found = crash::standing(disk, journal);
    let (mut seen, mut bytes) = ([0, 0], 0);
    for exchange in &journal.exchanges {
        let (here, slot) = (&exchange.here, &exchange.there);
        if journal.bases[slot.base].kind != BaseKind::Slots {
            continue;
        }
        let (here, slot) = (here.path(&journal.bases), slot.path(&journal.bases));
        let (at, of) = match found.kept.get(&here) {
            Some(KeptContent::Backup) => (0, &truth.start),
            Some(KeptContent::Planned) => (1, &done),
            other => truth.fail(disk, what, &format!("{here:?}: {other:?}")),
        };
        seen[at] += 1;
        if disk.content(&slot) != of.content(&here) {
            truth.fail(
                disk,
                what,
                &format!("{slot:?} does not keep that of {here:?}"),
            );
        }
        let own = slot.iter().any(|part| part == id);
        // A link has no content of its own.
        let size = |had: &Known| had.digest.map_or(0, |_| had.node.size);
        let link = || exchange.here_had.as_ref().map_or(0, size);
        let content = disk.content(&slot).map(|content| content.len() as u64);
        if own && at == 0 {
            bytes += content.unwrap_or_else(link);
        }
    }
    assert_eq!(entry.recovery.kept_bytes, bytes, "{what}");
    seen
}

fn cut_all(case: Case, seed: u64) -> [usize; 5] {
    let truth = Truth::of(case);
    let id = truth.case.id();
    let mut rng = Rng(seed);
    let mut all = [0; 5];
    for step in 0..=truth.steps {
        if rng.below(sized(4, 1)) > 0 {
            continue;
        }
        let dead = truth.start.branch();
        dead.die_at(step);
        drop(truth.case.carry(&dead, &truth.draft));
        let disk = dead.after_kill();
        let what = format!("cut before call {step}");
        let prepared = folder(&disk, &id).is_some_and(|f| f.has(&disk, Mark::Prepared).unwrap());
        let Some(found) = pending(&disk, &id).filter(|_| prepared) else {
            continue;
        };
        let [planned, before] = is_so(&truth, &disk, &found.paths, &what);
        (all[0], all[1]) = (all[0] + planned, all[1] + before);
        let [backups, prepared] = kept_is_so(&truth, &disk, &id, &what);
        (all[3], all[4]) = (all[3] + backups, all[4] + prepared);
        // Somebody writes to one file: it alone is said to be changed, with what was in it where it replaces a folder.
        for one in &found.paths {
            let touched = disk.branch();
            let Some(mut bytes) = touched.content(&one.path) else {
                continue;
            };
            bytes.extend_from_slice(b"theirs\n");
            touched.file(&one.path, bytes);
            let now = pending(&touched, &id).unwrap().paths;
            let changed = |other: &&PendingPath| other.state == PendingState::Changed;
            let names: Vec<_> = now.iter().filter(changed).map(|one| &one.path).collect();
            let others = names.iter().any(|path| !path.starts_with(&one.path));
            if !names.contains(&&one.path) || others {
                truth.fail(&touched, &what, &format!("{one:?}: {now:?}"));
            }
            all[2] += 1;
        }
    }
    all
}

#[test]
fn the_history_says_what_is_at_each_path_of_a_recovery_that_was_cut() {
    let cases = cases::plain().into_iter().chain(cases::undone());
    let mut all = [0; 5];
    for case in cases {
        for (sum, more) in all.iter_mut().zip(cut_all(case, 53)) {
            *sum += more;
        }
    }
    println!("planned, before, changed, backups, prepared: {all:?}");
    assert!(all.iter().all(|many| *many > 20), "{all:?}");
}
