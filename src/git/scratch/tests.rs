use super::*;
use crate::git::testing::{at, git, git_is_there};

fn repo(dir: &Path) -> Scratch {
    let scratch = Scratch::init(&dir.join("proj"), "main", at(0)).unwrap();
    scratch
        .commit(
            &[
                ("README.md", Some(b"hello\n")),
                ("src/a.rs", Some(b"fn a() {}\n")),
            ],
            "First",
            "With a body.",
            at(1),
        )
        .unwrap();
    scratch
}

#[test]
fn the_git_command_line_finds_a_clean_valid_repository() {
    if !git_is_there() {
        return;
    }
    let dir = crate::world::temporary::directory();
    let scratch = repo(dir.path());
    let second = scratch
        .commit_contents(
            &[
                (b"README.md", Content::Gone),
                (b"run.sh", Content::Executable(b"#!/bin/sh\n")),
                (b"link", Content::Link(b"src/a.rs")),
                (b"odd \xff name", Content::File(b"x\r\n")),
            ],
            "Second",
            "",
            at(2),
        )
        .unwrap();
    let top = scratch.work_tree();
    assert_eq!(git(top, &["status", "--porcelain"]), "");
    git(top, &["fsck", "--strict"]);
    assert_eq!(git(top, &["rev-parse", "HEAD"]).trim(), second);
    assert_eq!(
        git(top, &["log", "--format=%s|%b|%cI|%an"]),
        "Second||2026-04-08T10:02:00Z|relight\nFirst|With a body.\n|2026-04-08T10:01:00Z|relight\n"
    );
    assert_eq!(
        git(top, &["ls-files", "-s"])
            .lines()
            .map(|l| l.split(' ').next().unwrap())
            .collect::<Vec<_>>(),
        ["120000", "100644", "100755", "100644"]
    );
}

#[test]
fn the_same_calls_give_the_same_ids() {
    let dirs = [
        crate::world::temporary::directory(),
        crate::world::temporary::directory(),
    ];
    let ids = dirs.each_ref().map(|d| repo(d.path()).head().unwrap());
    assert_eq!(ids[0], ids[1]);
}

#[test]
fn branches_and_checkouts_leave_clean_trees() {
    if !git_is_there() {
        return;
    }
    let dir = crate::world::temporary::directory();
    let scratch = repo(dir.path());
    let first = scratch.head().unwrap();
    scratch.branch("feat/x", &first).unwrap();
    scratch
        .commit(
            &[("new.txt", Some(b"n")), ("src/a.rs", None)],
            "Main goes on",
            "",
            at(3),
        )
        .unwrap();
    scratch.checkout("feat/x").unwrap();
    let top = scratch.work_tree();
    assert_eq!(git(top, &["status", "--porcelain"]), "");
    assert_eq!(git(top, &["branch", "--show-current"]), "feat/x\n");
    assert!(!top.join("new.txt").exists() && top.join("src/a.rs").exists());
}

#[test]
fn a_linked_worktree_is_accepted_by_git() {
    if !git_is_there() {
        return;
    }
    let dir = crate::world::temporary::directory();
    let scratch = repo(dir.path());
    let linked = scratch
        .worktree(&dir.path().join("wt-1"), "task/1", at(4))
        .unwrap();
    linked
        .commit(&[("work.txt", Some(b"w"))], "Work", "", at(5))
        .unwrap();
    assert_eq!(git(linked.work_tree(), &["status", "--porcelain"]), "");
    assert_eq!(git(scratch.work_tree(), &["status", "--porcelain"]), "");
    let list = git(scratch.work_tree(), &["worktree", "list", "--porcelain"]);
    assert!(list.contains("branch refs/heads/task/1"), "{list}");
    assert!(!list.contains("prunable"), "{list}");
}

#[test]
fn a_tracked_branch_counts_ahead_and_behind() {
    if !git_is_there() {
        return;
    }
    let dir = crate::world::temporary::directory();
    let scratch = repo(dir.path());
    scratch.track("main", &scratch.head().unwrap()).unwrap();
    scratch
        .commit(&[("more", Some(b"m"))], "More", "", at(6))
        .unwrap();
    let status = git(scratch.work_tree(), &["status", "-sb"]);
    assert_eq!(status, "## main...origin/main [ahead 1]\n");
}

#[test]
fn a_shadow_store_has_the_tree_without_ignored_files() {
    if !git_is_there() {
        return;
    }
    let dir = crate::world::temporary::directory();
    let scratch = repo(dir.path());
    let top = scratch.work_tree();
    std::fs::write(top.join(".gitignore"), "target/\n*.log\n").unwrap();
    std::fs::create_dir_all(top.join("target")).unwrap();
    std::fs::write(top.join("target/out"), "o").unwrap();
    std::fs::write(top.join("x.log"), "l").unwrap();
    std::fs::write(top.join(".env"), "secret").unwrap();
    scratch.worktree(&top.join("nested"), "n", at(7)).unwrap();
    let shadow = Shadow::init(&dir.path().join("store"), top).unwrap();
    let first = shadow.snapshot("pre-wave-1", "build", at(8)).unwrap();
    std::fs::write(top.join("README.md"), "changed\n").unwrap();
    let second = shadow.snapshot("pre-wave-2", "build", at(9)).unwrap();
    let store = shadow.store();
    assert_eq!(
        git(store, &["ls-tree", "-r", "--name-only", &first]),
        ".env\n.gitignore\nREADME.md\nnested\nsrc/a.rs\n"
    );
    assert_eq!(
        git(store, &["diff", "--name-only", &first, &second]),
        "README.md\n"
    );
    assert_eq!(
        git(store, &["log", "-1", "--format=%s"]),
        "pre-wave-2 | 2026-04-08 10:09:00 | build\n"
    );
    assert_eq!(git(store, &["status", "--porcelain"]), "");
    let rows = std::fs::read_to_string(store.join("checkpoint-manifest.md")).unwrap();
    assert!(rows.starts_with(&format!(
        "| {} | 2026-04-08 10:08:00 | pre-wave-1 | build |\n",
        first.get(..8).unwrap()
    )));
}

#[test]
fn a_path_that_leads_out_is_refused() {
    let dir = crate::world::temporary::directory();
    let scratch = repo(dir.path());
    for path in ["../out", "/abs", ".git/config", "a/.GIT/x"] {
        let tried = scratch.commit(&[(path, Some(b"x"))], "Out", "", at(1));
        assert!(matches!(tried, Err(ScratchError::Path { .. })), "{path}");
    }
}

#[test]
fn a_boundary_of_too_many_files_is_not_taken() {
    if !git_is_there() {
        return;
    }
    let dir = crate::world::temporary::directory();
    let scratch = repo(dir.path());
    let store = dir.path().join("store");
    let shadow = Shadow::open(&store, scratch.work_tree()).unwrap();
    let take = |most| shadow.boundary(&|_, _| false, most, "pre-wave-1 | t | build", at(2));
    let refused = take(1).unwrap_err().to_string();
    assert!(refused.contains("more than 1 files"), "{refused}");
    let git_dir = store.to_str().unwrap();
    let heads = git(
        scratch.work_tree(),
        &["--git-dir", git_dir, "rev-list", "--all"],
    );
    assert_eq!(heads, "", "nothing was committed");
    take(2).unwrap();
}

/// A process that is killed in the middle leaves the locks of the index and of the branch.
#[test]
fn locks_of_a_killed_process_do_not_block_a_boundary() {
    if !git_is_there() {
        return;
    }
    let dir = crate::world::temporary::directory();
    let scratch = repo(dir.path());
    let store = dir.path().join("store");
    let shadow = Shadow::open(&store, scratch.work_tree()).unwrap();
    let take = |reason: &str| shadow.boundary(&|_, _| false, 9, reason, at(2));
    take("pre-wave-1 | t | build").unwrap();
    let head = std::fs::read_to_string(store.join("HEAD")).unwrap();
    let branch = head.trim().strip_prefix("ref: ").unwrap();
    for lock in [
        "index.lock",
        "relight.index.lock",
        &format!("{branch}.lock"),
    ] {
        std::fs::write(store.join(lock), "cut").unwrap();
        take(lock).unwrap();
    }
    let git_dir = store.to_str().unwrap();
    let log = ["--git-dir", git_dir, "log", "--format=%s"];
    let subjects = git(scratch.work_tree(), &log);
    assert_eq!(subjects.lines().count(), 4, "{subjects}");
    // The lock of git's own index belongs to git: relight neither creates nor removes it.
    assert!(store.join("index.lock").exists());
    assert!(!store.join("relight.index.lock").exists());
}
