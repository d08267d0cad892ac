//! Somebody else changes files while relight works or is dead: what is theirs stays theirs, and where it is
//! in the way a person is asked.

use std::path::Path;

use super::cases;
use super::judge::{Truth, unlocked};
use super::kit::{Case, recover, sized};
use crate::apply::disk::sim::{Rng, SimDisk};
use crate::apply::error::ApplyError;
use crate::model::ErrorKind;

/// What somebody may do to the file at a path; each leaves `theirs` there or takes it away.
type Edit = (&'static str, fn(&SimDisk, &Path));

const EDITS: [Edit; 5] = [
    ("written over in place", |disk, path| {
        disk.file(path, "theirs\n");
    }),
    ("replaced by a rename", |disk, path| {
        clear(disk, path);
        disk.file(path, "theirs\n");
    }),
    ("removed", clear),
    ("replaced by a directory", |disk, path| {
        clear(disk, path);
        disk.folder(path).file(path.join("in"), "theirs\n");
    }),
    ("replaced by a link", |disk, path| {
        clear(disk, path);
        disk.link(path, "/p/secret");
    }),
];

/// Moves away what is at a path, as an editor that keeps a backup does.
fn clear(disk: &SimDisk, path: &Path) {
    if !disk.picture(path).is_empty() {
        disk.moved(path, path.with_extension("theirs~"));
    }
}

/// Paths that the plans touch, and some that they do not.
const PATHS: [&str; 5] = [
    "/p/a.txt",
    "/p/dir/b.txt",
    "/p/new/deep/f",
    "/p/new/other",
    "/p/secret",
];

fn cases() -> Vec<Case> {
    let some = ["replace", "create", "everything"];
    let plain = cases::plain().into_iter();
    plain.filter(|case| some.contains(&case.name)).collect()
}

/// An edit that can be made now: its folder is there, and a folder is not written over.
fn possible(disk: &SimDisk, path: &Path, edit: &str) -> bool {
    let above = path.parent().map(|above| disk.picture(above));
    let there = above.is_some_and(|above| !above.is_empty());
    there
        && match edit {
            "written over in place" => disk.content(path).is_some(),
            "removed" => !disk.picture(path).is_empty(),
            _ => true,
        }
}

#[test]
fn what_somebody_did_to_a_file_after_a_crash_is_never_undone() {
    let mut settled = 0;
    let mut rng = Rng(41);
    for case in cases() {
        let truth = Truth::of(case);
        let start = truth.start.contents();
        for step in 0..truth.steps {
            if rng.below(sized(16, 1)) > 0 {
                continue;
            }
            let dead = truth.start.branch();
            dead.die_at(step);
            truth.case.carry(&dead, &truth.draft).unwrap_err();
            for path in PATHS.map(Path::new) {
                for (name, edit) in EDITS {
                    let disk = dead.after_kill();
                    if !possible(&disk, path, name) {
                        continue;
                    }
                    let over = disk.content(path);
                    edit(&disk, path);
                    let what = format!("{} {name}, cut before call {step}", path.display());
                    let mut contents = disk.contents();
                    // What was staged and never used may go.
                    contents.retain(|bytes| {
                        start.contains(bytes) && Some(bytes) != over.as_ref()
                            || bytes == b"theirs\n"
                    });
                    let theirs = disk.picture(path);
                    match recover(&disk) {
                        Ok(_) => settled += 1,
                        Err(why) => truth.fail(&disk, &what, &format!("{why:?}")),
                    }
                    if disk.picture(path) != theirs {
                        truth.fail(&disk, &what, "what is theirs was changed");
                    }
                    let now = disk.contents();
                    let lost = contents.iter().find(|bytes| {
                        bytes.ends_with(b"\n") && !now.iter().any(|now| now.starts_with(bytes))
                    });
                    if let Some(lost) = lost.filter(|lost| !lost.starts_with(b"process ")) {
                        truth.fail(&disk, &what, &format!("{} is lost", lost.escape_ascii()));
                    }
                }
            }
        }
    }
    println!("crash simulator, foreign edits after a crash: {settled} settled");
    assert!(settled > 0);
}

#[test]
fn what_somebody_does_meanwhile_is_never_lost() {
    let mut runs = 0;
    let mut rng = Rng(42);
    for case in cases() {
        let truth = Truth::of(case);
        for step in 0..truth.steps {
            if rng.below(sized(16, 1)) > 0 {
                continue;
            }
            for path in PATHS {
                for (name, edit) in EDITS {
                    let disk = truth.start.branch();
                    disk.meddle_at(step, move |disk| {
                        if possible(disk, path.as_ref(), name) {
                            edit(disk, path.as_ref());
                        }
                    });
                    let result = truth.case.carry(&disk, &truth.draft);
                    runs += 1;
                    let what = format!("{path} {name} before call {step}: {result:?}");
                    let wrote = theirs(&truth, path, name, step);
                    let kept = disk.contents().contains(b"theirs\n".as_slice());
                    if wrote && !kept {
                        truth.fail(&disk, &what, "what is theirs is lost");
                    }
                    truth.nothing_lost_but(&disk, &what, path.as_ref());
                    match result {
                        Ok(_) => {}
                        Err(ApplyError {
                            kind: ErrorKind::Refused | ErrorKind::RolledBack,
                            ..
                        }) => {
                            only_theirs(&truth, &disk, path.as_ref(), &what);
                        }
                        // Saved while it is restored: the others go back, and nobody is asked.
                        Err(why) => truth.fail(&disk, &what, &format!("{why:?}")),
                    }
                }
            }
        }
    }
    println!("crash simulator, foreign edits meanwhile: {runs} runs");
}

/// Whether the edit could be made at that call, and wrote something.
fn theirs(truth: &Truth, path: &str, name: &str, step: u64) -> bool {
    let disk = truth.start.branch();
    disk.die_at(step);
    drop(truth.case.carry(&disk, &truth.draft));
    let wrote = !matches!(name, "removed" | "replaced by a link");
    wrote && possible(&disk.after_kill(), path.as_ref(), name)
}

/// After a refusal or a rollback only what somebody else did differs from before.
fn only_theirs(truth: &Truth, disk: &SimDisk, path: &Path, what: &str) {
    let path = path.strip_prefix("/").unwrap();
    let stem = path.with_extension("");
    let mut now = unlocked(disk);
    let mut before = truth.before.clone();
    // Folders that relight made stay where they hold what is theirs.
    let is_theirs =
        |found: &Path| found.starts_with(path) || found.with_extension("").starts_with(&stem);
    let held = now.keys().any(|found| is_theirs(found));
    now.retain(|found, _| !(held && path.starts_with(found)) || before.contains_key(found));
    for tree in [&mut now, &mut before] {
        tree.retain(|found, _| !is_theirs(found));
    }
    if now != before {
        truth.fail(disk, what, "something else than theirs differs");
    }
}
