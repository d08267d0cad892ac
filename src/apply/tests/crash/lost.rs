//! What of relight's own is lost: a journal, a folder of slots, the project itself. It is never taken for nothing,
//! and what a person is told to type ends it.

use super::cases;
use super::judge::{Truth, tree, unlocked};
use super::kit::{folder, home, recover, recover_keeping, sized};
use crate::apply::crash::{self, State};
use crate::apply::disk::Disk as _;
use crate::apply::disk::sim::SimDisk;
use crate::apply::error::ApplyError;
use crate::apply::folder::Mark;
use crate::model::ErrorKind;

/// Every state of a transaction that died, with whether it was prepared.
fn dead(name: &str) -> (Truth, Vec<(SimDisk, bool)>) {
    let case = cases::plain().into_iter().find(|case| case.name == name);
    let truth = Truth::of(case.unwrap());
    let mut all = Vec::new();
    for step in (0..truth.steps).step_by(sized(3, 1)) {
        let disk = truth.start.branch();
        disk.die_at(step);
        truth.case.carry(&disk, &truth.draft).unwrap_err();
        let disk = disk.after_kill();
        let prepared = folder(&disk, &truth.case.id())
            .is_some_and(|folder| folder.has(&disk, Mark::Prepared).unwrap());
        all.push((disk, prepared));
    }
    (truth, all)
}

fn file(disk: &SimDisk, truth: &Truth, name: &str) -> std::path::PathBuf {
    home(disk).unwrap().path.join(truth.case.id()).join(name)
}

#[test]
fn w6_a_journal_that_is_gone_is_never_taken_for_nothing() {
    let (truth, all) = dead("everything");
    let mut lost = 0;
    for (disk, prepared) in all {
        let id = truth.case.id();
        if !prepared || crash::state(&disk, &folder(&disk, &id).unwrap()).unwrap() == State::Done {
            continue;
        }
        disk.removed(file(&disk, &truth, "journal"));
        let (before, git_free) = (tree(&disk), unlocked(&disk));
        let Err(ApplyError {
            kind: ErrorKind::Unclear,
            hints,
            ..
        }) = recover(&disk)
        else {
            truth.fail(&disk, "without its journal", "it was settled");
        };
        assert_eq!(tree(&disk), before);
        assert!(hints.iter().any(|hint| hint.lossy().contains("--keep")));
        // What a person is told to type ends it: nothing moves, git is unlocked, and what is kept stays kept.
        let contents = disk.contents();
        let slots = disk.picture(file(&disk, &truth, "slots"));
        let said = recover_keeping(&disk, &id, &["/"]).unwrap();
        // Nothing was rolled back, so nothing says so. What had been committed is as planned.
        let ended = crash::state(&disk, &folder(&disk, &id).unwrap()).unwrap();
        assert!(
            matches!(ended, State::HalfApplied | State::Done),
            "{ended:?}"
        );
        assert!(
            !said.iter().any(|text| text.lossy().contains("rolled back")),
            "{said:?}"
        );
        assert_eq!(tree(&disk), git_free);
        assert_eq!(disk.picture(file(&disk, &truth, "slots")), slots);
        let gone = contents.difference(&disk.contents()).count();
        assert!(gone <= 2, "the ballast and the lock: {gone}");
        assert!(recover(&disk).unwrap().is_empty());
        lost += 1;
    }
    assert!(lost > 5, "{lost}");
}

#[test]
fn w6_an_older_folder_without_a_journal_that_keeps_something_needs_a_person() {
    let (truth, all) = dead("replace");
    for (disk, prepared) in all {
        if prepared || home(&disk).is_none() {
            continue;
        }
        let unset = file(&disk, &truth, "prepared.slot");
        if disk.content(&unset).is_none() {
            continue;
        }
        // Between the journal and its mark the journal is there, and says by itself what to do.
        if disk.content(file(&disk, &truth, "journal")).is_some() {
            continue;
        }
        disk.removed(unset);
        let keeps = !disk.picture(file(&disk, &truth, "slots")).is_empty()
            && disk.picture(file(&disk, &truth, "slots")).len() > 1;
        let asked = recover(&disk).is_err_and(|why| why.kind == ErrorKind::Unclear);
        assert_eq!(asked, keeps);
    }
}

#[test]
fn w9_what_was_staged_and_not_used_is_deleted_by_a_rollback() {
    for name in ["everything", "create", "file to directory", "appends"] {
        let (truth, all) = dead(name);
        for (disk, _) in all {
            recover(&disk).unwrap();
            let Some(folder) = folder(&disk, &truth.case.id()) else {
                continue;
            };
            if crash::state(&disk, &folder).unwrap() == State::Done {
                continue;
            }
            let slots = disk.picture(file(&disk, &truth, "slots"));
            assert_eq!(slots.len(), 1, "{name}: {slots:?}");
            assert!(disk.content(file(&disk, &truth, "ballast")).is_none());
            assert!(disk.picture("/other/.relight").len() < 2 || name != "roots");
        }
    }
}

#[test]
fn w2_a_path_that_is_kept_stays_and_the_rest_goes_back() {
    let (truth, all) = dead("replace");
    let mut kept = 0;
    for (disk, prepared) in all {
        if !prepared || disk.content("/p/a.txt").unwrap() != b"a after\n" {
            continue;
        }
        let id = truth.case.id();
        if recover_keeping(&disk, &id, &["/p/a.txt"])
            .unwrap()
            .is_empty()
        {
            continue;
        }
        let folder = folder(&disk, &id).unwrap();
        if folder.has(&disk, Mark::Committed).unwrap() {
            continue;
        }
        assert_eq!(disk.content("/p/a.txt").unwrap(), b"a after\n");
        assert_eq!(disk.content("/p/secret").unwrap(), b"secret before\n");
        let left = crash::skipped_paths(&disk, &folder);
        assert_eq!(left.len(), 1, "{left:?}");
        let before = left[0].before.clone().unwrap();
        assert_eq!(disk.content(before).unwrap(), b"a before\n");
        kept += 1;
    }
    assert!(kept > 0);
}

#[test]
fn w2_a_project_that_was_replaced_ends_by_what_is_told() {
    let (truth, all) = dead("everything");
    let mut ended = 0;
    for (disk, prepared) in all {
        if !prepared {
            continue;
        }
        // Its folder is another one now, so nothing in it is relight's to move.
        let id = truth.case.id();
        let home = home(&disk).unwrap();
        let folder = folder(&disk, &id).unwrap();
        if crash::state(&disk, &folder).unwrap() != State::Prepared {
            continue;
        }
        disk.moved("/p", "/elsewhere").folder("/p");
        let refs = crate::apply::disk::sim::SimRefs(&disk);
        let settled =
            |keep: &[std::path::PathBuf]| crash::recover_keeping(&disk, &refs, &folder, keep);
        let Err(ApplyError {
            kind: ErrorKind::Unclear,
            hints,
            ..
        }) = settled(&[])
        else {
            truth.fail(&disk, "replaced", "it was settled");
        };
        let told = hints.iter().map(|hint| hint.lossy().into_owned());
        assert!(
            told.into_iter()
                .any(|hint: String| hint.contains("--keep /p ")),
            "{hints:?}"
        );
        settled(&["/p".into()]).unwrap();
        assert!(disk.list(&home.dir).is_ok());
        assert_eq!(crash::state(&disk, &folder).unwrap(), State::HalfApplied);
        ended += 1;
    }
    assert!(ended > 0);
}
