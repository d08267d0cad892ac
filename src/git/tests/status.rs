//! Uncommitted changes and conflicts, as git sees them.

use std::fs;
use std::path::Path;

use crate::git::RealGit;
use crate::git::scratch::Scratch;
use crate::git::testing::{at, command, git, git_is_there, project};
use crate::world::git::{Git as _, StatusKind};

/// Neither of them leaves an operation in progress.
#[test]
fn conflicts_of_a_stash_or_a_checkout_are_found_in_the_index() {
    if !git_is_there() {
        return;
    }
    let stash: &[&[&str]] = &[
        &["stash", "-q"],
        &["checkout", "-q", "side"],
        &["stash", "pop"],
    ];
    let checkout: &[&[&str]] = &[&["checkout", "-m", "side"]];
    for commands in [stash, checkout] {
        let dir = crate::world::temporary::directory();
        let (scratch, _) = project(dir.path());
        let top = scratch.work_tree();
        git(top, &["config", "user.name", "x"]);
        git(top, &["config", "user.email", "x@x.example"]);
        git(top, &["checkout", "-q", "-b", "side"]);
        fs::write(top.join("README.md"), "side\n").unwrap();
        git(top, &["commit", "-qam", "Side"]);
        git(top, &["checkout", "-q", "main"]);
        fs::write(top.join("README.md"), "mine\n").unwrap();
        assert_eq!(RealGit.unmerged(top), Ok(Vec::new()));
        for args in commands {
            command(top, args, &[]);
        }
        assert_eq!(RealGit.repo(top).unwrap().busy, None);
        let unmerged = RealGit.unmerged(top);
        assert_eq!(unmerged, Ok(vec!["README.md".into()]), "{commands:?}");
        git(top, &["add", "--", "README.md"]);
        assert_eq!(RealGit.unmerged(top), Ok(Vec::new()));
    }
}

#[test]
fn what_the_file_system_cannot_keep_is_no_change() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    if !git_is_there() {
        return;
    }
    let dir = crate::world::temporary::directory();
    let (scratch, shadow) = project(dir.path());
    let top = scratch.work_tree();
    symlink("README.md", top.join("link")).unwrap();
    git(top, &["add", "link"]);
    let who = ["-c", "user.name=x", "-c", "user.email=x"];
    git(top, &[&who[..], &["commit", "-qm", "Link"]].concat());
    let saved = shadow.snapshot("saved", "build", at(3)).unwrap();
    fs::set_permissions(top.join("README.md"), fs::Permissions::from_mode(0o755)).unwrap();
    fs::remove_file(top.join("link")).unwrap();
    fs::write(top.join("link"), "README.md").unwrap();
    let states = || {
        let status = RealGit.status(top).unwrap();
        let by_git = git(top, &["status", "--porcelain"]);
        assert_eq!(status.len(), by_git.lines().count(), "{by_git}");
        let drift = RealGit.drift(shadow.store(), &saved, top).unwrap();
        (status.len(), drift.modified)
    };
    assert_eq!(states(), (2, 2));
    // A work tree can have settings of its own.
    git(top, &["config", "extensions.worktreeConfig", "true"]);
    git(top, &["config", "--worktree", "core.fileMode", "false"]);
    assert_eq!(states(), (1, 1));
    git(top, &["config", "core.symlinks", "no"]);
    assert_eq!(states(), (0, 0));
    fs::write(top.join("link"), "elsewhere").unwrap();
    assert_eq!(states(), (1, 1));
}

#[test]
fn status_separates_changed_and_untracked_and_omits_ignored() {
    let dir = crate::world::temporary::directory();
    let (scratch, _) = project(dir.path());
    let top = scratch.work_tree();
    scratch
        .commit(&[(".gitignore", Some(b"*.log\n"))], "Rules", "", at(2))
        .unwrap();
    assert_eq!(RealGit.status(top).unwrap(), []);
    fs::write(top.join("README.md"), "other").unwrap();
    fs::remove_file(top.join("src/a.rs")).unwrap();
    fs::create_dir_all(top.join("new/deep")).unwrap();
    fs::write(top.join("new/deep/f"), "f").unwrap();
    fs::write(top.join("x.log"), "l").unwrap();
    let found: Vec<_> = RealGit
        .status(&top.join("src"))
        .unwrap()
        .into_iter()
        .map(|found| (found.path.lossy().into_owned(), found.is_untracked()))
        .collect();
    let row = |path: &str, untracked| (path.to_owned(), untracked);
    assert_eq!(
        found,
        [
            row("README.md", false),
            row("new/deep/f", true),
            row("src/a.rs", false)
        ]
    );
    assert_eq!(RealGit.is_ignored(top, Path::new("x.log")), Ok(true));
    assert_eq!(RealGit.is_ignored(top, &top.join("d/y.log")), Ok(true));
    assert_eq!(RealGit.is_ignored(top, Path::new("README.md")), Ok(false));
}

/// A change to a work tree and its index.
type Change = fn(&Path);

#[test]
fn status_is_what_the_git_command_line_says() {
    if !git_is_there() {
        return;
    }
    let table: &[(&str, Change)] = &[
        ("nothing", |_| {}),
        ("staged and changed again", |top| {
            fs::write(top.join("README.md"), "staged").unwrap();
            git(top, &["add", "README.md"]);
            fs::write(top.join("README.md"), "hello\n").unwrap();
        }),
        ("added, then gone", |top| {
            fs::write(top.join("new"), "n").unwrap();
            git(top, &["add", "new"]);
            fs::remove_file(top.join("new")).unwrap();
        }),
        ("removed from the index alone", |top| {
            git(top, &["rm", "-q", "--cached", "README.md"]);
        }),
        ("renamed", |top| {
            git(top, &["mv", "README.md", "GUIDE.md"]);
        }),
        ("meant to be added", |top| {
            fs::write(top.join("new"), "n").unwrap();
            git(top, &["add", "-N", "new"]);
        }),
        ("ignored, but added by force", |top| {
            fs::write(top.join("x.log"), "l").unwrap();
            git(top, &["add", "-f", "x.log"]);
            fs::write(top.join("y.log"), "l").unwrap();
        }),
        ("a repository within", |top| {
            Scratch::init(&top.join("inner"), "main", at(5)).unwrap();
            fs::write(top.join("inner/file"), "f").unwrap();
        }),
        ("line ends that git converts", |top| {
            fs::write(top.join(".gitattributes"), "* text\n").unwrap();
            fs::write(top.join("README.md"), "hello\r\n").unwrap();
            git(top, &["add", "README.md"]);
        }),
        ("an executable", |top| {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::Permissions::from_mode(0o755);
            fs::set_permissions(top.join("README.md"), mode).unwrap();
        }),
        ("left out by a sparse checkout", |top| {
            git(top, &["update-index", "--skip-worktree", "src/a.rs"]);
            fs::remove_file(top.join("src/a.rs")).unwrap();
        }),
        ("a merge with conflicts", |top| {
            let who = ["-c", "user.name=x", "-c", "user.email=x"];
            let run = |args: &[&str]| drop(command(top, &[&who[..], args].concat(), &[]));
            run(&["checkout", "-qb", "side"]);
            fs::write(top.join("README.md"), "side").unwrap();
            run(&["commit", "-qam", "side"]);
            run(&["checkout", "-q", "main"]);
            fs::write(top.join("README.md"), "main").unwrap();
            run(&["commit", "-qam", "main"]);
            run(&["merge", "side"]);
        }),
    ];
    for (what, change) in table {
        let dir = crate::world::temporary::directory();
        let (scratch, _) = project(dir.path());
        let top = scratch.work_tree();
        let rules: &[(&str, Option<&[u8]>)] = &[(".gitignore", Some(b"*.log\n"))];
        scratch.commit(rules, "Rules", "", at(2)).unwrap();
        change(top);
        let text = git(top, &["status", "--porcelain", "-uall", "--no-renames"]);
        let kind = |marks: &str| match marks {
            "?? " => StatusKind::Untracked,
            _ if marks.contains('A') => StatusKind::New,
            _ => StatusKind::Changed,
        };
        let mut want: Vec<(String, StatusKind)> = text
            .lines()
            .map(|line| line.split_at(3))
            .map(|(marks, path)| (path.to_owned(), kind(marks)))
            .collect();
        // Both staged and untracked: one path, and it counts as tracked.
        want.sort();
        want.dedup_by(|b, a| a.0 == b.0);
        let status = RealGit.status(top).unwrap();
        for path in &status {
            let there = top.join(&*path.path.lossy()).symlink_metadata().is_ok();
            assert_eq!(path.on_disk, there, "{what}: {path:?}");
        }
        let found: Vec<(String, StatusKind)> = status
            .into_iter()
            .map(|found| (found.path.lossy().into_owned(), found.kind))
            .collect();
        assert_eq!(found, want, "{what}");
    }
}
