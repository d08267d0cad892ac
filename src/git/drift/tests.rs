mod attributes;
mod converted;
mod in_the_way;
mod never_written;

use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use crate::git::RealGit;
use crate::git::testing::{at, brief, git_is_there, judged, project, uncovered, under};
use crate::model::{Drift, PathState};
use crate::world::git::{Git as _, GitError};

fn drift(store: &Path, commit: &str, work_tree: &Path) -> Drift {
    RealGit.drift(store, commit, work_tree).unwrap()
}

/// A change to a work tree.
type Change = fn(&Path);

#[test]
fn every_kind_of_change_is_reported_as_by_git() {
    if !git_is_there() {
        return;
    }
    let table: &[(&str, Change)] = &[
        ("nothing", |_| {}),
        ("bytes of the same length", |top| {
            fs::write(top.join("README.md"), "HELLO\n").unwrap();
        }),
        ("a file removed", |top| {
            fs::remove_file(top.join("src/a.rs")).unwrap();
        }),
        ("a directory removed", |top| {
            fs::remove_dir_all(top.join("deep")).unwrap();
        }),
        ("a file made executable", |top| {
            fs::set_permissions(top.join("README.md"), fs::Permissions::from_mode(0o755)).unwrap();
        }),
        ("read-only is no change", |top| {
            fs::set_permissions(top.join("README.md"), fs::Permissions::from_mode(0o400)).unwrap();
        }),
        ("a file replaces a link with the same text", |top| {
            fs::remove_file(top.join("link")).unwrap();
            fs::write(top.join("link"), "src/a.rs").unwrap();
        }),
        ("a link with another target", |top| {
            fs::remove_file(top.join("link")).unwrap();
            symlink("/etc/passwd", top.join("link")).unwrap();
        }),
        ("a directory replaces a file", |top| {
            fs::remove_file(top.join("README.md")).unwrap();
            fs::create_dir(top.join("README.md")).unwrap();
            fs::write(top.join("README.md/x"), "x").unwrap();
        }),
        ("a file replaces a directory", |top| {
            fs::remove_dir_all(top.join("deep")).unwrap();
            fs::write(top.join("deep"), "x").unwrap();
        }),
        ("a link replaces a directory, to the same files", |top| {
            fs::rename(top.join("deep"), top.join("moved")).unwrap();
            symlink("moved", top.join("deep")).unwrap();
        }),
        ("files created, some ignored", |top| {
            fs::create_dir_all(top.join("new/target")).unwrap();
            fs::write(top.join("new/a"), "a").unwrap();
            fs::write(top.join("new/b.log"), "b").unwrap();
            fs::write(top.join("new/target/c"), "c").unwrap();
            fs::write(top.join("deep/er/keep.log"), "d").unwrap();
            symlink("nowhere", top.join("new/dangling")).unwrap();
            fs::create_dir_all(top.join("empty/folders")).unwrap();
        }),
        ("a new ignore file hides nothing that is recorded", |top| {
            fs::write(top.join("src/.gitignore"), "*\n").unwrap();
            fs::write(top.join("src/b.rs"), "b").unwrap();
        }),
        ("a recorded directory is ignored as a whole", |top| {
            fs::write(top.join(".gitignore"), "deep/\n!deep/new\n").unwrap();
            fs::write(top.join("deep/new"), "n").unwrap();
        }),
        ("names of any bytes", |top| {
            fs::write(under(top, b"\xff\n"), "x").unwrap();
            fs::write(under(top, b"odd \xfe"), "changed").unwrap();
        }),
    ];
    for (what, change) in table {
        let dir = crate::world::temporary::directory();
        let (scratch, shadow) = project(dir.path());
        let top = scratch.work_tree();
        fs::create_dir_all(top.join("deep/er")).unwrap();
        fs::write(top.join("deep/er/x"), "x").unwrap();
        fs::write(top.join("deep/y"), "y").unwrap();
        fs::write(under(top, b"odd \xfe"), "o").unwrap();
        fs::write(top.join(".gitignore"), "*.log\ntarget/\n!keep.log\n").unwrap();
        symlink("src/a.rs", top.join("link")).unwrap();
        let id = shadow.snapshot("pre-wave-1", "build", at(2)).unwrap();
        change(top);
        let found = drift(shadow.store(), &id, top);
        assert_eq!(brief(&found), judged(shadow.store(), &id, top), "{what}");
    }
}

/// A small random generator, so that a failing round is reproducible.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (self.0 >> 33) % sides
    }

    fn path(&mut self) -> String {
        let names = ["a", "a.b", "a-", "b", "zz", "x.log", "build", "é"];
        let depth = self.roll(3) + 1;
        let parts: Vec<&str> = (0..depth)
            .map(|_| names[usize::try_from(self.roll(8)).unwrap()])
            .collect();
        parts.join("/")
    }

    fn touch(&mut self, top: &Path) {
        let path = top.join(self.path());
        let meta = fs::symlink_metadata(&path);
        if meta.as_ref().is_ok_and(fs::Metadata::is_dir) {
            if self.roll(4) == 0 {
                fs::remove_dir_all(&path).unwrap();
            }
            return;
        }
        if meta.is_ok() && self.roll(3) == 0 {
            fs::remove_file(&path).unwrap();
            return;
        }
        if fs::create_dir_all(path.parent().unwrap()).is_err() {
            return;
        }
        let _gone = fs::remove_file(&path);
        match self.roll(5) {
            // No cyclic links: git skips what it cannot stat, so it cannot serve as the reference.
            0 => symlink("nowhere", &path).unwrap(),
            n => {
                fs::write(&path, format!("{n}{}", self.roll(3))).unwrap();
                let mode = if n == 1 { 0o755 } else { 0o644 };
                fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            }
        }
    }
}

#[test]
fn random_trees_differ_as_git_says() {
    if !git_is_there() {
        return;
    }
    for seed in 0..25 {
        let mut dice = Dice(seed);
        let dir = crate::world::temporary::directory();
        let (scratch, shadow) = project(dir.path());
        let top = scratch.work_tree();
        let rules = ["", "*.log\n", "build/\n", "/a\n!a/b\n", "a/*\n!/a/b\n"];
        let mut ids = Vec::new();
        for round in 0..3 {
            for _ in 0..20 {
                dice.touch(top);
            }
            ids.push(
                shadow
                    .snapshot("pre-wave-1", "build", at(round + 2))
                    .unwrap(),
            );
        }
        let rule = rules[usize::try_from(dice.roll(5)).unwrap()];
        fs::write(top.join(".gitignore"), rule).unwrap();
        for _ in 0..10 {
            dice.touch(top);
        }
        for id in &ids {
            let found = drift(shadow.store(), id, top);
            let want = judged(shadow.store(), id, top);
            assert_eq!(brief(&found), want, "seed {seed}, rules {rule:?}");
        }
    }
}

#[test]
fn numbers_and_blobs_belong_to_the_paths() {
    let dir = crate::world::temporary::directory();
    let (scratch, shadow) = project(dir.path());
    let top = scratch.work_tree();
    let id = shadow.snapshot("pre-wave-1", "build", at(2)).unwrap();
    fs::write(top.join("README.md"), "other\n").unwrap();
    fs::remove_file(top.join("src/a.rs")).unwrap();
    fs::write(top.join("new"), "n").unwrap();
    fs::write(top.join(".gitignore"), "x\n").unwrap();
    fs::write(top.join("x"), "x").unwrap();
    let found = drift(shadow.store(), &id, top);
    let numbers = (
        found.modified,
        found.missing,
        found.created,
        found.not_covered,
    );
    assert_eq!(numbers, (1, 1, 2, 1));
    let blob = found
        .paths
        .iter()
        .find(|path| path.state == PathState::Missing);
    let blob = blob.unwrap().blob.clone().unwrap();
    assert_eq!(
        RealGit.blob_by_id(shadow.store(), &blob.id).unwrap(),
        b"fn a() {}\n"
    );
}

#[test]
fn nested_repositories_gitlinks_and_ignored_files_are_not_covered() {
    let dir = crate::world::temporary::directory();
    let (scratch, shadow) = project(dir.path());
    let top = scratch.work_tree();
    fs::write(top.join(".gitignore"), "*.log\nout/\n").unwrap();
    scratch.worktree(&top.join("before"), "b", at(2)).unwrap();
    let id = shadow.snapshot("pre-wave-1", "build", at(3)).unwrap();
    scratch.worktree(&top.join("since"), "s", at(4)).unwrap();
    fs::create_dir_all(top.join("src/.git")).unwrap();
    fs::write(top.join("src/.git/HEAD"), "ref: refs/heads/x\n").unwrap();
    fs::create_dir_all(top.join("out/deep")).unwrap();
    fs::write(top.join("out/deep/1"), "1").unwrap();
    fs::write(top.join("out/2"), "2").unwrap();
    fs::write(top.join("x.log"), "l").unwrap();
    fs::create_dir(top.join(".GIT")).unwrap();
    let found = drift(shadow.store(), &id, top);
    assert_eq!(
        uncovered(&found),
        [".GIT", "before", "since", "src", "(2 ignored paths)"]
    );
    assert_eq!(found.not_covered, 6);
    assert_eq!(brief(&found), []);
}

#[test]
fn an_empty_git_file_does_not_hide_a_folder() {
    let dir = crate::world::temporary::directory();
    let (scratch, shadow) = project(dir.path());
    let top = scratch.work_tree();
    let id = shadow.snapshot("pre-wave-1", "build", at(2)).unwrap();
    fs::write(top.join("src/.git"), "").unwrap();
    fs::write(top.join("src/a.rs"), "changed").unwrap();
    let found = drift(shadow.store(), &id, top);
    assert_eq!(brief(&found), [('M', b"src/a.rs".to_vec())]);
    assert_eq!(uncovered(&found), ["src/.git"]);
}

#[test]
fn a_racy_index_is_not_trusted() {
    let dir = crate::world::temporary::directory();
    let (scratch, shadow) = project(dir.path());
    let top = scratch.work_tree();
    let id = shadow.snapshot("pre-wave-1", "build", at(2)).unwrap();
    // Rewritten in place at exactly the time of the index: only the bytes differ.
    let index = fs::File::open(shadow.store().join("index")).unwrap();
    let stamp = index.metadata().unwrap().modified().unwrap();
    fs::write(top.join("README.md"), "hellO\n").unwrap();
    let file = fs::File::options()
        .write(true)
        .open(top.join("README.md"))
        .unwrap();
    file.set_modified(stamp).unwrap();
    let found = drift(shadow.store(), &id, top);
    assert_eq!(brief(&found), [('M', b"README.md".to_vec())]);
}

#[test]
fn a_damaged_or_missing_index_only_costs_time() {
    let dir = crate::world::temporary::directory();
    let (scratch, shadow) = project(dir.path());
    let id = shadow.snapshot("pre-wave-1", "build", at(2)).unwrap();
    fs::write(scratch.work_tree().join("README.md"), "other").unwrap();
    let index = shadow.store().join("index");
    let whole = fs::read(&index).unwrap();
    let want = [('M', b"README.md".to_vec())];
    for bytes in [&whole[..whole.len() / 2], b"DIRC", b"", b"nonsense"] {
        fs::write(&index, bytes).unwrap();
        let found = drift(shadow.store(), &id, scratch.work_tree());
        assert_eq!(brief(&found), want);
    }
    fs::remove_file(&index).unwrap();
    assert_eq!(
        brief(&drift(shadow.store(), &id, scratch.work_tree())),
        want
    );
}

#[test]
fn a_work_tree_is_measured_against_its_own_repository_and_its_worktrees() {
    let dir = crate::world::temporary::directory();
    let (scratch, _) = project(dir.path());
    let head = scratch.head().unwrap();
    let linked = scratch
        .worktree(&dir.path().join("wt"), "task", at(3))
        .unwrap();
    fs::write(linked.work_tree().join("README.md"), "w").unwrap();
    fs::write(linked.work_tree().join("new"), "n").unwrap();
    let want = [('M', b"README.md".to_vec()), ('?', b"new".to_vec())];
    assert_eq!(
        brief(&drift(scratch.work_tree(), &head, linked.work_tree())),
        want
    );
    assert_eq!(
        brief(&drift(linked.git_dir(), &head, linked.work_tree())),
        want
    );
    assert_eq!(
        brief(&drift(scratch.git_dir(), &head, scratch.work_tree())),
        []
    );
}

#[test]
fn a_work_tree_that_the_store_does_not_name_is_refused() {
    let dir = crate::world::temporary::directory();
    let (scratch, shadow) = project(dir.path());
    let id = shadow.snapshot("pre-wave-1", "build", at(2)).unwrap();
    let other = crate::world::temporary::directory();
    let tried = RealGit.drift(shadow.store(), &id, other.path());
    assert!(matches!(tried, Err(GitError::Hostile(_))), "{tried:?}");
    let tried = RealGit.drift(scratch.work_tree(), &scratch.head().unwrap(), other.path());
    assert!(tried.is_err());
}

#[test]
fn nothing_is_written_by_measuring() {
    let dir = crate::world::temporary::directory();
    let (scratch, shadow) = project(dir.path());
    let id = shadow.snapshot("pre-wave-1", "build", at(2)).unwrap();
    fs::write(scratch.work_tree().join("README.md"), "other").unwrap();
    let before = listing(dir.path());
    drop(drift(shadow.store(), &id, scratch.work_tree()));
    drop(RealGit.shadow(shadow.store()).unwrap());
    drop(RealGit.status(scratch.work_tree()).unwrap());
    assert_eq!(listing(dir.path()), before);
}

/// Every path with its size and times.
fn listing(dir: &Path) -> Vec<String> {
    use std::os::unix::fs::MetadataExt as _;
    let mut folders = vec![dir.to_owned()];
    let mut found = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let meta = entry.metadata().unwrap();
            if meta.is_dir() {
                folders.push(entry.path());
            }
            let (size, mtime, ctime) = (meta.len(), meta.mtime_nsec(), meta.ctime_nsec());
            found.push(format!("{:?} {size} {mtime} {ctime}", entry.path()));
        }
    }
    found.sort();
    found
}
