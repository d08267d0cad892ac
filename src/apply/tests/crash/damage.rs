//! Files of relight's own that were damaged: no panic, and not a byte of the tree changes.

use super::cases;
use super::judge::{Truth, tree, unlocked};
use super::kit::{folder, home, recover, sized, summary};
use crate::apply::disk::sim::{Rng, SimDisk};
use crate::model::ErrorKind;

/// A transaction that died with a part of its renames made.
fn pending(name: &str) -> (Truth, SimDisk) {
    let case = cases::plain().into_iter().find(|case| case.name == name);
    let truth = Truth::of(case.unwrap());
    let mut found = None;
    for step in 0..truth.steps {
        let disk = truth.start.branch();
        disk.die_at(step);
        truth.case.carry(&disk, &truth.draft).unwrap_err();
        let disk = disk.after_kill();
        let moved = tree(&disk)
            .iter()
            .filter(|(path, seen)| truth.before.get(*path) != Some(seen))
            .count();
        if moved > 2 && tree(&disk) != truth.after {
            found = Some(disk);
            break;
        }
    }
    (truth, found.unwrap())
}

fn path(disk: &SimDisk, truth: &Truth, name: &str) -> std::path::PathBuf {
    home(disk).unwrap().path.join(truth.case.id()).join(name)
}

/// Recovers with these bytes for a file, which must leave everything alone and say so.
fn held(truth: &Truth, disk: &SimDisk, name: &str, bytes: &[u8], what: &str) {
    let disk = disk.branch();
    disk.file(path(&disk, truth, name), bytes);
    let before = tree(&disk);
    match recover(&disk) {
        Err(why) if why.kind == ErrorKind::Unclear && !why.hints.is_empty() => {}
        other => truth.fail(&disk, what, &format!("{other:?}")),
    }
    if tree(&disk) != before {
        truth.fail(&disk, what, "the tree changed");
    }
}

#[test]
fn a_journal_with_one_bit_wrong_is_not_acted_on() {
    let (truth, disk) = pending("everything");
    let journal = disk.content(path(&disk, &truth, "journal")).unwrap();
    let bits = journal.len() * 8;
    let mut rng = Rng(21);
    let chosen: Vec<usize> = if sized(true, false) {
        (0..400).map(|_| rng.below(bits)).collect()
    } else {
        (0..bits).collect()
    };
    for bit in &chosen {
        let mut bytes = journal.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        held(&truth, &disk, "journal", &bytes, &format!("bit {bit}"));
    }
    println!(
        "crash simulator, damage: {} of {bits} bits of a journal",
        chosen.len()
    );
    summary("damaged journals", chosen.len() as u64);
}

#[test]
fn a_journal_that_is_cut_anywhere_is_not_acted_on() {
    let (truth, disk) = pending("everything");
    let journal = disk.content(path(&disk, &truth, "journal")).unwrap();
    let lengths = (0..journal.len()).step_by(sized(29, 1));
    summary("damaged journals", 2 * lengths.len() as u64);
    for len in lengths {
        held(
            &truth,
            &disk,
            "journal",
            &journal[..len],
            &format!("{len} bytes"),
        );
        let mut nuls = journal[..len].to_vec();
        nuls.resize(journal.len(), 0);
        held(&truth, &disk, "journal", &nuls, &format!("NULs from {len}"));
    }
}

#[test]
fn a_whole_journal_of_another_recovery_is_not_acted_on() {
    let (truth, disk) = pending("everything");
    let folder = folder(&disk, &truth.case.id()).unwrap();
    let mut journal = folder.journal(&disk).unwrap().unwrap();
    journal.id = "20260101T000000-0000".to_owned();
    let bytes = journal.encode().unwrap();
    held(&truth, &disk, "journal", &bytes, "another's journal");
}

#[test]
fn a_journal_that_is_whole_and_names_what_no_plan_may_is_not_acted_on() {
    let (truth, disk) = pending("everything");
    let folder = folder(&disk, &truth.case.id()).unwrap();
    let journal = folder.journal(&disk).unwrap().unwrap();
    for name in ["..", ".", "", "a/b", ".git", ".GIT", "a\0b"] {
        let mut journal = journal.clone();
        journal.exchanges[0].here.name.0 = name.as_bytes().to_vec();
        held(&truth, &disk, "journal", &journal.encode().unwrap(), name);
    }
    for parent in ["..", "/p", "dir/../..", "dir/.git/hooks", ".git"] {
        let mut journal = journal.clone();
        journal.exchanges[0].here.parent.0 = parent.as_bytes().to_vec();
        held(&truth, &disk, "journal", &journal.encode().unwrap(), parent);
    }
    let mut other = journal;
    other.bases[0].id.ino += 1;
    held(
        &truth,
        &disk,
        "journal",
        &other.encode().unwrap(),
        "another root",
    );
}

#[test]
fn marks_that_contradict_each_other_are_left_to_a_person() {
    let (truth, disk) = pending("everything");
    let done = truth.start.branch();
    truth.case.carry(&done, &truth.draft).unwrap();
    let (done, pending) = (done.after_kill(), disk.after_kill());
    done.removed(path(&done, &truth, "DONE"));
    done.file(path(&done, &truth, "ROLLING_BACK"), "");
    let before = tree(&done);
    assert_eq!(recover(&done).unwrap_err().kind, ErrorKind::Unclear);
    assert_eq!(tree(&done), before);
    // A commit that nobody made: the exchanges do not bear it out.
    pending.file(path(&pending, &truth, "COMMITTED"), "");
    let before = unlocked(&pending);
    let _said = recover(&pending);
    assert_eq!(unlocked(&pending), before);
}

#[test]
fn a_record_or_a_note_that_is_damaged_does_not_stop_a_recovery() {
    let (truth, disk) = pending("everything");
    for bytes in [b"".as_slice(), b"{", b"\0\0\0\0", b"[{\"git_dir\":3}]"] {
        for name in ["record.json", "locks.json"] {
            let disk = disk.branch();
            disk.file(path(&disk, &truth, name), bytes);
            truth.recovered(&disk, name);
        }
    }
}
