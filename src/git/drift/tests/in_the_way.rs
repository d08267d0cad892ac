//! Entries in the place of something of the commit, and entries that are never moved.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::drift;
use crate::git::testing::{at, project};
use crate::model::Drift;

fn rows(drift: &Drift) -> Vec<String> {
    let paths = drift.paths.iter();
    paths
        .map(|path| format!("{:?} {}", path.state, path.path.lossy()))
        .collect()
}

/// A change to a work tree.
type Change = fn(&Path);

#[test]
fn ignored_files_and_pipes_in_the_way_are_named_and_repositories_block() {
    // What is done to a work tree with `f`, `d/in` and rules for `*.log` and `out`, and the expected drift.
    let table: &[(&str, Change, &[&str], u64)] = &[
        (
            "an empty directory replaces a file",
            |top| {
                fs::remove_file(top.join("f")).unwrap();
                fs::create_dir(top.join("f")).unwrap();
            },
            &["Missing f", "InTheWay f"],
            0,
        ),
        (
            "a directory with ignored files, some deeper",
            |top| {
                fs::remove_file(top.join("f")).unwrap();
                fs::create_dir_all(top.join("f/out/deep")).unwrap();
                fs::write(top.join("f/out/deep/1"), "1").unwrap();
                fs::write(top.join("f/x.log"), "l").unwrap();
                fs::write(top.join("f/y"), "y").unwrap();
            },
            &[
                "Missing f",
                "InTheWay f",
                "InTheWay f/out",
                "InTheWay f/x.log",
                "Created f/y",
            ],
            2,
        ),
        (
            "a link replaces a directory",
            |top| {
                fs::remove_dir_all(top.join("d")).unwrap();
                symlink("src", top.join("d")).unwrap();
            },
            &["Created d", "Missing d/in"],
            0,
        ),
        (
            "an ignored file replaces a directory",
            |top| {
                fs::remove_dir_all(top.join("d")).unwrap();
                fs::write(top.join("d"), "d").unwrap();
                fs::write(top.join(".git/info/exclude"), "/d\n").unwrap();
            },
            &["InTheWay d", "Missing d/in"],
            1,
        ),
        (
            "a repository in the place of a file",
            |top| {
                fs::remove_file(top.join("f")).unwrap();
                fs::create_dir_all(top.join("f/.git")).unwrap();
                fs::write(top.join("f/.git/HEAD"), "ref: refs/heads/x\n").unwrap();
            },
            &["Hidden f"],
            1,
        ),
        (
            "a repository deep in an ignored directory",
            |top| {
                fs::remove_file(top.join("f")).unwrap();
                fs::create_dir_all(top.join("f/out/deep/.git")).unwrap();
                fs::write(top.join("f/out/deep/.git/HEAD"), "ref: refs/heads/x\n").unwrap();
                fs::write(top.join("f/y"), "y").unwrap();
            },
            &[
                "Hidden f",
                "NotCovered f/out/deep",
                "Created f/y",
                "Ignored (1 ignored path)",
            ],
            3,
        ),
    ];
    for (what, change, want, not_covered) in table {
        let dir = crate::world::temporary::directory();
        let (scratch, shadow) = project(dir.path());
        let top = scratch.work_tree();
        fs::create_dir_all(top.join(".git/info")).unwrap();
        fs::write(top.join(".gitignore"), "*.log\nout\n").unwrap();
        fs::write(top.join("f"), "f").unwrap();
        fs::create_dir(top.join("d")).unwrap();
        fs::write(top.join("d/in"), "in").unwrap();
        let id = shadow.snapshot("pre-wave-1", "build", at(2)).unwrap();
        change(top);
        let found = drift(shadow.store(), &id, top);
        assert_eq!(rows(&found), *want, "{what}");
        assert_eq!(found.not_covered, *not_covered, "{what}");
    }
}

/// A bind mount that exists while this is held.
struct Bound(PathBuf);

impl Bound {
    /// `None` if this user cannot mount.
    fn new(from: &Path, to: &Path) -> Option<Self> {
        let mount = Command::new("mount")
            .arg("--bind")
            .arg(from)
            .arg(to)
            .output();
        mount.ok()?.status.success().then(|| Self(to.to_owned()))
    }
}

impl Drop for Bound {
    fn drop(&mut self) {
        let out = Command::new("umount").arg("-l").arg(&self.0).output();
        drop(out);
    }
}

#[test]
fn another_mount_is_not_covered_and_blocks_the_commits_paths() {
    let dir = crate::world::temporary::directory();
    let (scratch, shadow) = project(dir.path());
    let top = scratch.work_tree();
    fs::write(top.join("f"), "f").unwrap();
    let id = shadow.snapshot("pre-wave-1", "build", at(2)).unwrap();
    let other = dir.path().join("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("theirs"), "t").unwrap();
    fs::remove_file(top.join("f")).unwrap();
    for place in ["src", "f/deep", "since"] {
        fs::create_dir_all(top.join(place)).unwrap();
    }
    let bound: Option<Vec<Bound>> = ["src", "f/deep", "since"]
        .into_iter()
        .map(|place| Bound::new(&other, &top.join(place)))
        .collect();
    if bound.is_none() {
        eprintln!("skipped: this user cannot mount");
        return;
    }
    let found = drift(shadow.store(), &id, top);
    let want = [
        "Hidden f",
        "NotCovered f/deep",
        "NotCovered since",
        "NotCovered src",
        "Hidden src/a.rs",
    ];
    assert_eq!(rows(&found), want);
}

#[test]
fn w5_files_that_a_nested_repository_hides_are_compared_and_named() {
    // What is done to `src/a.rs` and `src/deep/b` before `src` becomes a repository, and the expected drift.
    let table: &[(&str, Change, &[&str], u64)] = &[
        ("nothing", |_| {}, &["NotCovered src"], 1),
        (
            "one is changed, one is added",
            |src| {
                fs::write(src.join("a.rs"), "other").unwrap();
                fs::write(src.join("new"), "n").unwrap();
                fs::write(src.join("deep/x.log"), "l").unwrap();
            },
            &["NotCovered src", "Hidden src/a.rs"],
            2,
        ),
        (
            "one is gone, and a directory is a repository itself",
            |src| {
                fs::remove_file(src.join("a.rs")).unwrap();
                fs::write(src.join("deep/b"), "other").unwrap();
                fs::create_dir_all(src.join("deep/.git")).unwrap();
                fs::write(src.join("deep/.git/HEAD"), "ref: refs/heads/x\n").unwrap();
            },
            &["NotCovered src", "Hidden src/a.rs", "Hidden src/deep/b"],
            3,
        ),
        (
            "a directory replaces a file",
            |src| {
                fs::remove_file(src.join("a.rs")).unwrap();
                fs::create_dir(src.join("a.rs")).unwrap();
                fs::write(src.join("a.rs/in"), "i").unwrap();
            },
            &["NotCovered src", "Hidden src/a.rs"],
            2,
        ),
    ];
    for (what, change, want, not_covered) in table {
        let dir = crate::world::temporary::directory();
        let (scratch, shadow) = project(dir.path());
        let top = scratch.work_tree();
        fs::create_dir(top.join("src/deep")).unwrap();
        fs::write(top.join("src/deep/b"), "b").unwrap();
        fs::write(top.join(".gitignore"), "*.log\n").unwrap();
        let id = shadow.snapshot("pre-wave-1", "build", at(2)).unwrap();
        change(&top.join("src"));
        fs::create_dir_all(top.join("src/.git")).unwrap();
        fs::write(top.join("src/.git/HEAD"), "ref: refs/heads/x\n").unwrap();
        let found = drift(shadow.store(), &id, top);
        assert_eq!(rows(&found), *want, "{what}");
        assert_eq!(found.not_covered, *not_covered, "{what}");
        let blobs = found.hidden().all(|path| path.blob.is_some());
        assert!(blobs, "{what}");
    }
}
