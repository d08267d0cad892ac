//! Another program swaps a folder for a link and back while relight works, at any two calls: what a rollback
//! could not reach is named, and everything else is as before.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::cases;
use super::judge::{Side, Truth, tree};
use super::kit::{Case, committed, folder, recover, sized, summary};
use crate::apply::crash;
use crate::apply::disk::sim::{Rng, SimDisk};

const FOLDER: &str = "/p/dir";
const AWAY: &str = "/p/dir~";

fn swap(disk: &SimDisk) {
    if is_there(disk, FOLDER) && !is_there(disk, AWAY) {
        disk.moved(FOLDER, AWAY);
        disk.link(FOLDER, "/outside");
    }
}

fn swap_back(disk: &SimDisk) {
    if is_there(disk, AWAY) {
        disk.removed(FOLDER).moved(AWAY, FOLDER);
    }
}

fn is_there(disk: &SimDisk, path: &str) -> bool {
    !disk.picture(path).is_empty()
}

fn cases() -> Vec<Case> {
    let some = ["replace", "create", "remove", "everything"];
    let all = cases::plain().into_iter().chain(cases::undone());
    all.filter(|case| some.contains(&case.name)).collect()
}

/// The paths that the recovery's history names as skipped.
fn named(disk: &SimDisk, truth: &Truth) -> BTreeSet<PathBuf> {
    let folder = folder(disk, &truth.case.id());
    let left = folder.map(|folder| crash::skipped_paths(disk, &folder));
    left.into_iter().flatten().map(|one| one.path).collect()
}

fn judge(truth: &Truth, disk: &SimDisk, outside: &crate::apply::disk::sim::Picture, what: &str) {
    if disk.picture("/outside") != *outside {
        truth.fail(disk, what, "something outside was changed");
    }
    truth.nothing_lost(disk, what);
    let side = if committed(disk, &truth.case.id()) {
        Side::After
    } else {
        Side::Before
    };
    let named = named(disk, truth);
    let is_named = |path: &Path| {
        let path = Path::new("/").join(path);
        path.starts_with("/outside")
            || named
                .iter()
                .any(|one| path.starts_with(one) || one.starts_with(&path))
    };
    if let Some(difference) = truth.differs(disk, side, &is_named) {
        let why = format!("not as {side:?}: {difference}; named: {named:?}");
        truth.fail(disk, what, &why);
    }
    if tree(disk)
        .keys()
        .any(|path| path.to_string_lossy().contains("index.lock"))
    {
        truth.fail(disk, what, "git is still locked");
    }
}

#[test]
fn w2_a_folder_swapped_for_a_link_between_two_calls_leaves_nothing_unnamed() {
    let (mut runs, mut rng) = (0, Rng(43));
    for case in cases() {
        let truth = Truth::of(case);
        truth
            .start
            .folder("/outside")
            .file("/outside/b.txt", "outside\n");
        let outside = truth.start.picture("/outside");
        let end = truth.start.branch();
        truth.case.carry(&end, &truth.draft).unwrap();
        for first in 0..end.calls() {
            if rng.below(sized(24, 1)) > 0 {
                continue;
            }
            for _ in 0..sized(3, 40) {
                // Shortly after, or any time later: a rollback makes many more calls.
                let within = [20, 400][rng.below(2)];
                let second = first + 1 + rng.below(within) as u64;
                let disk = truth.start.branch();
                disk.meddle_at_call(first, swap);
                disk.meddle_at_call(second, swap_back);
                let result = truth.case.carry(&disk, &truth.draft).map(drop);
                let what = format!("swapped before call {first}, back before {second}: {result:?}");
                swap_back(&disk);
                disk.heal();
                if let Err(why) = recover(&disk) {
                    truth.fail(&disk, &what, &format!("{why:?}"));
                }
                judge(&truth, &disk, &outside, &what);
                runs += 1;
            }
        }
    }
    summary("directories swapped for links", runs);
}
