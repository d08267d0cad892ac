use std::fs;
use std::os::unix::fs::symlink;

use super::*;
use crate::git::scratch::Scratch;
use crate::git::testing::{at, git, git_is_there, project};

/// A repository with a second commit; the two ids, the older first.
fn two(dir: &Path) -> (Scratch, String, String) {
    let (scratch, _) = project(dir);
    let old = scratch.head().unwrap();
    let files: &[(&str, Option<&[u8]>)] = &[("new", Some(b"n"))];
    let new = scratch.commit(files, "Second", "", at(2)).unwrap();
    (scratch, old, new)
}

/// Name, expected commit, new commit, whether it moves, and where it is then.
type Row<'a> = (
    &'a str,
    Option<&'a str>,
    Option<&'a str>,
    bool,
    Option<&'a str>,
);

#[test]
fn a_reference_moves_only_from_where_it_is_expected() {
    if !git_is_there() {
        return;
    }
    let dir = crate::world::temporary::directory();
    let (scratch, old, new) = two(dir.path());
    let top = scratch.work_tree();
    let undo = undo_name("r1");
    let (old, new) = (Some(old.as_str()), Some(new.as_str()));
    let main = "refs/heads/main";
    let table: &[Row<'_>] = &[
        (main, old, new, false, new),
        (main, None, old, false, new),
        (main, new, old, true, old),
        (main, old, old, true, old),
        ("refs/heads/other", old, new, false, None),
        ("refs/heads/other", None, new, true, new),
        (&undo, old, None, false, None),
        (&undo, None, None, true, None),
        (&undo, None, old, true, old),
        (&undo, None, new, false, old),
        (&undo, new, None, false, old),
        (&undo, None, None, false, old),
        (&undo, old, None, true, None),
    ];
    for (name, expect, to, moves, then) in table {
        let what = format!("{name} {expect:?} {to:?}");
        assert_eq!(
            swap(top, name, *expect, *to, "m").unwrap(),
            *moves,
            "{what}"
        );
        assert_eq!(read(top, name).unwrap().as_deref(), *then, "{what}");
        let shown = git(top, &["for-each-ref", "--format=%(objectname)", name]);
        assert_eq!(shown.trim(), then.unwrap_or_default(), "{what}");
    }
    assert_eq!(git(top, &["fsck", "--strict"]), "");
}

#[test]
fn packed_references_are_read_moved_and_removed() {
    if !git_is_there() {
        return;
    }
    let dir = crate::world::temporary::directory();
    let (scratch, old, new) = two(dir.path());
    let top = scratch.work_tree();
    let undo = undo_name("r1");
    assert!(swap(top, &undo, None, Some(&new), "m").unwrap());
    git(top, &["pack-refs", "--all"]);
    assert_eq!(read(top, "refs/heads/main").unwrap(), Some(new.clone()));
    assert!(!swap(top, "refs/heads/main", Some(&old), Some(&new), "m").unwrap());
    assert!(swap(top, "refs/heads/main", Some(&new), Some(&old), "m").unwrap());
    assert!(swap(top, &undo, Some(&new), None, "m").unwrap());
    assert_eq!(
        git(top, &["for-each-ref", "--format=%(refname)"]),
        "refs/heads/main\n"
    );
}

#[test]
fn an_old_tip_stays_reachable_under_the_undo_name() {
    if !git_is_there() {
        return;
    }
    let dir = crate::world::temporary::directory();
    let (scratch, old, new) = two(dir.path());
    let top = scratch.work_tree();
    assert!(swap(top, &undo_name("r1"), None, Some(&new), "m").unwrap());
    assert!(swap(top, "refs/heads/main", Some(&new), Some(&old), "m").unwrap());
    git(top, &["reflog", "expire", "--expire=now", "--all"]);
    git(top, &["gc", "-q", "--prune=now"]);
    assert_eq!(git(top, &["cat-file", "-t", &new]), "commit\n");
}

#[test]
fn the_reflog_is_kept_where_the_repository_keeps_one_and_names_relight() {
    if !git_is_there() {
        return;
    }
    for keeps in ["true", "false"] {
        let dir = crate::world::temporary::directory();
        let (scratch, old, new) = two(dir.path());
        let top = scratch.work_tree();
        git(top, &["config", "core.logAllRefUpdates", keeps]);
        git(top, &["config", "user.name", "Someone Else"]);
        let message = "relight: undo\nof it";
        assert!(swap(top, "refs/heads/main", Some(&new), Some(&old), message).unwrap());
        let log = git(top, &["log", "-g", "-1", "--format=%gn %gs", "main", "--"]);
        let want = if keeps == "true" {
            "relight relight: undo of it\n"
        } else {
            ""
        };
        assert_eq!(log, want);
        let head = scratch.git_dir().join("logs/HEAD").exists();
        assert_eq!(head, keeps == "true", "the log of HEAD follows its branch");
    }
}

#[test]
fn a_linked_worktree_moves_its_own_branch_in_the_common_directory() {
    let dir = crate::world::temporary::directory();
    let (scratch, old, new) = two(dir.path());
    let linked = scratch
        .worktree(&dir.path().join("wt"), "task", at(3))
        .unwrap();
    for dir in [linked.work_tree(), linked.git_dir()] {
        assert!(swap(dir, "refs/heads/task", Some(&new), Some(&old), "m").unwrap());
        assert_eq!(linked.head().unwrap(), old);
        assert!(swap(dir, "refs/heads/task", Some(&old), Some(&new), "m").unwrap());
    }
    assert_eq!(scratch.head().unwrap(), new);
}

#[test]
fn a_held_lock_is_an_error_and_nothing_moves() {
    let dir = crate::world::temporary::directory();
    let (scratch, old, new) = two(dir.path());
    let top = scratch.work_tree();
    fs::write(scratch.git_dir().join("refs/heads/main.lock"), "").unwrap();
    let tried = swap(top, "refs/heads/main", Some(&new), Some(&old), "m");
    let text = tried.unwrap_err().to_string();
    assert!(text.contains("refs/heads/main.lock"), "{text}");
    assert_eq!(scratch.head().unwrap(), new);
}

#[test]
fn a_stale_lock_linked_to_its_reference_is_removed() {
    let dir = crate::world::temporary::directory();
    let (scratch, old, new) = two(dir.path());
    let top = scratch.work_tree();
    let reference = scratch.git_dir().join("refs/heads/main");
    let lock = scratch.git_dir().join("refs/heads/main.lock");
    fs::hard_link(&reference, &lock).unwrap();
    assert!(swap(top, "refs/heads/main", Some(&new), Some(&old), "m").unwrap());
    assert!(!lock.exists());
    assert_eq!(scratch.head().unwrap(), old);
}

#[test]
fn only_branches_and_its_own_references_are_touched_and_only_its_own_removed() {
    if !git_is_there() {
        return;
    }
    let dir = crate::world::temporary::directory();
    let (scratch, old, new) = two(dir.path());
    let top = scratch.work_tree();
    for name in [
        "HEAD",
        "refs/tags/v1",
        "refs/remotes/origin/main",
        "refs/heads/../../config",
        "refs/heads/",
        "refs/heads/a..b",
        "main",
        "refs/relight/other",
    ] {
        assert!(swap(top, name, None, Some(&old), "m").is_err(), "{name}");
        assert!(read(top, name).is_err(), "{name}");
    }
    let tried = swap(top, "refs/heads/main", Some(&new), None, "m");
    assert!(tried.is_err());
    let blob = git(top, &["rev-parse", "HEAD:new"]);
    for no_commit in [blob.trim(), &"1".repeat(40), "abc"] {
        let tried = swap(top, "refs/heads/main", Some(&new), Some(no_commit), "m");
        assert!(tried.is_err(), "{no_commit}");
    }
    assert_eq!(scratch.head().unwrap(), new);
}

/// A change to a git directory by an attacker.
type Harm = fn(&Path, &Path);

#[test]
fn links_pipes_and_references_to_references_are_refused_and_nothing_outside_is_written() {
    if !git_is_there() {
        return;
    }
    let table: &[(&str, Harm)] = &[
        ("a linked reference", |git, outside| {
            fs::rename(git.join("refs/heads/main"), outside.join("main")).unwrap();
            symlink(outside.join("main"), git.join("refs/heads/main")).unwrap();
        }),
        ("a linked directory of references", |git, outside| {
            fs::rename(git.join("refs/heads"), outside.join("heads")).unwrap();
            symlink(outside.join("heads"), git.join("refs/heads")).unwrap();
        }),
        ("a linked log", |git, outside| {
            fs::create_dir_all(git.join("logs/refs/heads")).unwrap();
            fs::write(outside.join("log"), "").unwrap();
            symlink(outside.join("log"), git.join("logs/refs/heads/main")).unwrap();
        }),
        ("a linked log of HEAD", |git, outside| {
            fs::create_dir_all(git.join("logs")).unwrap();
            symlink(outside.join("new"), git.join("logs/HEAD")).unwrap();
        }),
        ("a pipe", |git, _| {
            fs::remove_file(git.join("refs/heads/main")).unwrap();
            let path = git.join("refs/heads/main");
            rustix::fs::mknodat(
                rustix::fs::CWD,
                path,
                FileType::Fifo,
                rustix::fs::Mode::RWXU,
                0,
            )
            .unwrap();
        }),
        ("a reference to another", |git, _| {
            fs::rename(git.join("refs/heads/main"), git.join("refs/heads/real")).unwrap();
            fs::write(git.join("refs/heads/main"), "ref: refs/heads/real\n").unwrap();
        }),
    ];
    for (what, harm) in table {
        let dir = crate::world::temporary::directory();
        let (scratch, old, new) = two(dir.path());
        let top = scratch.work_tree();
        git(top, &["config", "core.logAllRefUpdates", "true"]);
        let outside = dir.path().join("outside");
        fs::create_dir(&outside).unwrap();
        harm(scratch.git_dir(), &outside);
        let seen = |dir: &Path| -> Vec<(String, Vec<u8>)> {
            let mut all: Vec<_> = fs::read_dir(dir)
                .unwrap()
                .map(|e| e.unwrap().path())
                .map(|p| (format!("{p:?}"), fs::read(&p).unwrap_or_default()))
                .collect();
            all.sort();
            all
        };
        let before = seen(&outside);
        let tried = swap(top, "refs/heads/main", Some(&new), Some(&old), "m");
        assert!(!matches!(tried, Ok(true)), "{what}: {tried:?}");
        assert_eq!(seen(&outside), before, "{what}");
    }
}
