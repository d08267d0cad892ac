//! Shared by the git module's tests: the git command line as a reference, and a small repository.

use std::cell::Cell;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::process::{Command, Output};

use chrono::{DateTime, TimeZone as _, Utc};
use git2::{ObjectType, Oid, Repository};

use crate::git::scratch::{Scratch, Shadow};
use crate::model::{Drift, PathState};

/// A minute of the day on which all tests take place.
pub(crate) fn at(minute: u32) -> DateTime<Utc> {
    Utc.with_ymd_and_hms(2026, 4, 8, 10, minute, 0).unwrap()
}

thread_local! {
    /// Whether the test of this thread has asked for git.
    static ASKED: Cell<bool> = const { Cell::new(false) };
}

/// True where there is a git program; else says that the test is skipped.
pub(crate) fn git_is_there() -> bool {
    ASKED.set(true);
    let found = Command::new("git").arg("--version").output();
    let there = found.is_ok_and(|out| out.status.success());
    if !there {
        println!("SKIPPED: there is no git program here.");
    }
    there
}

/// The git command line without any person's configuration. A test that runs it asks first whether it is there.
pub(crate) fn command(dir: &Path, args: &[&str], env: &[(&str, &OsStr)]) -> Output {
    assert!(ASKED.get(), "begin the test with git_is_there()");
    Command::new("git")
        .args(args)
        .current_dir(dir)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .envs(env.iter().copied())
        .output()
        .unwrap()
}

/// The same, expected to succeed.
pub(crate) fn git(dir: &Path, args: &[&str]) -> String {
    git_with(dir, args, &[])
}

/// The same with an environment.
pub(crate) fn git_with(dir: &Path, args: &[&str], env: &[(&str, &OsStr)]) -> String {
    let out = command(dir, args, env);
    let stderr = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "git {args:?}: {stderr}");
    String::from_utf8_lossy(&out.stdout).into_owned()
}

/// A repository with two files, and a checkpoint store for it.
pub(crate) fn project(dir: &Path) -> (Scratch, Shadow) {
    let scratch = Scratch::init(&dir.join("proj"), "main", at(0)).unwrap();
    let files: &[(&str, Option<&[u8]>)] = &[
        ("README.md", Some(b"hello\n")),
        ("src/a.rs", Some(b"fn a() {}\n")),
    ];
    scratch.commit(files, "First", "", at(1)).unwrap();
    let shadow = Shadow::init(&dir.join("store"), scratch.work_tree()).unwrap();
    (scratch, shadow)
}

/// States and paths, without what is not covered.
pub(crate) fn brief(drift: &Drift) -> Vec<(char, Vec<u8>)> {
    let letters = drift.paths.iter().filter_map(|path| {
        let letter = match path.state {
            PathState::Modified => 'M',
            PathState::Missing => 'D',
            PathState::Created => '?',
            PathState::NotCovered
            | PathState::Hidden
            | PathState::InTheWay
            | PathState::Ignored => return None,
        };
        Some((letter, path.path.as_bytes().to_vec()))
    });
    letters.collect()
}

/// What is not covered.
pub(crate) fn uncovered(drift: &Drift) -> Vec<String> {
    let paths = drift.paths.iter();
    paths
        .filter(|path| matches!(path.state, PathState::NotCovered | PathState::Ignored))
        .map(|path| path.path.lossy().into_owned())
        .collect()
}

/// The same answer from the git command line, with a private index.
pub(crate) fn judged(store: &Path, commit: &str, work_tree: &Path) -> Vec<(char, Vec<u8>)> {
    let private = crate::world::temporary::directory();
    let index = private.path().join("index");
    let env = [
        ("GIT_DIR", store.as_os_str()),
        ("GIT_WORK_TREE", work_tree.as_os_str()),
        ("GIT_INDEX_FILE", index.as_os_str()),
    ];
    let run = |args: &[&str]| {
        let out = command(work_tree, args, &env);
        let stderr = String::from_utf8_lossy(&out.stderr);
        assert!(out.status.success(), "git {args:?}: {stderr}");
        out.stdout
    };
    run(&["read-tree", commit]);
    let diff = run(&[
        "diff",
        "--name-status",
        "--no-renames",
        "--ignore-submodules",
        "-z",
    ]);
    let mut found = Vec::new();
    let mut fields = diff.split(|byte| *byte == 0);
    while let (Some(letter), Some(path)) = (fields.next(), fields.next()) {
        let letter = if letter == b"D" { 'D' } else { 'M' };
        found.push((letter, path.to_vec()));
    }
    let others = run(&["ls-files", "-o", "--exclude-standard", "-z"]);
    let others = others.split(|byte| *byte == 0);
    found.extend(
        others
            .filter(|path| !path.is_empty() && !path.ends_with(b"/"))
            .map(|path| ('?', path.to_vec())),
    );
    found.sort_by(|a, b| a.1.cmp(&b.1));
    found
}

/// A path of any bytes under a folder.
pub(crate) fn under(dir: &Path, path: &[u8]) -> std::path::PathBuf {
    dir.join(OsStr::from_bytes(path))
}

/// A commit of a tree that somebody else made.
pub(crate) fn commit(shadow: &Shadow, tree: Oid) -> String {
    let repo = Repository::open_bare(shadow.store()).unwrap();
    let text = format!(
        "tree {tree}\nauthor x <x> 1775600000 +0000\ncommitter x <x> 1775600000 +0000\n\nx\n"
    );
    let id = repo
        .odb()
        .unwrap()
        .write(ObjectType::Commit, text.as_bytes())
        .unwrap();
    id.to_string()
}

/// The commit as if git had made it: relight's own are compared byte for byte.
pub(crate) fn by_git(shadow: &Shadow, id: &str) -> String {
    let repo = Repository::open_bare(shadow.store()).unwrap();
    let tree = repo.revparse_single(id).unwrap().peel_to_tree().unwrap();
    commit(shadow, tree.id())
}
