//! Hostile repositories: they get clear answers or clear refusals, none of their programs run, and no wait is endless.

mod projects;
mod stores;

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::time::Duration;

use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::git::RealGit;
use crate::git::testing::{at, by_git, command, git_is_there, project};
use crate::world::git::Git as _;

/// Runs something that a pipe in the wrong place could block forever.
fn ends<T: Send + 'static>(what: &str, run: impl FnOnce() -> T + Send + 'static) -> T {
    let (tx, rx) = mpsc::channel();
    std::thread::spawn(move || tx.send(run()));
    rx.recv_timeout(Duration::from_secs(60))
        .unwrap_or_else(|_| panic!("{what} does not end"))
}

fn pipe(path: &Path) {
    if let Ok(meta) = fs::symlink_metadata(path) {
        assert!(!meta.is_dir());
        fs::remove_file(path).unwrap();
    }
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
}

/// A program that leaves a mark if git runs it.
fn trap(dir: &Path) -> (PathBuf, PathBuf) {
    let (script, canary) = (dir.join("trap.sh"), dir.join("PWNED"));
    let text = format!("#!/bin/sh\ntouch '{}'\nexec cat\n", canary.display());
    fs::write(&script, text).unwrap();
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
    (script, canary)
}

const HOOKS: [&str; 8] = [
    "post-checkout",
    "post-index-change",
    "pre-commit",
    "post-commit",
    "reference-transaction",
    "fsmonitor-watchman",
    "post-merge",
    "pre-auto-gc",
];

/// Sets every trap that git knows in a git directory and its work tree.
fn lay_traps(git_dir: &Path, work_tree: &Path, script: &Path) {
    let script = script.display();
    fs::create_dir_all(git_dir.join("hooks")).unwrap();
    for hook in HOOKS {
        fs::copy(script.to_string(), git_dir.join("hooks").join(hook)).unwrap();
    }
    let config = format!(
        "[core]\n\tfsmonitor = {script}\n\tpager = {script}\n\teditor = {script}\n\tsshCommand = {script}\n\
         \tgitProxy = {script}\n\talternateRefsCommand = {script}\n\taskPass = {script}\n\
         [filter \"x\"]\n\tclean = {script}\n\tsmudge = {script}\n\tprocess = {script}\n\trequired = true\n\
         [diff]\n\texternal = {script}\n[diff \"x\"]\n\tcommand = {script}\n\ttextconv = {script}\n\
         [merge \"x\"]\n\tdriver = {script}\n[credential]\n\thelper = {script}\n[gpg]\n\tprogram = {script}\n\
         [uploadpack]\n\tpackObjectsHook = {script}\n[interactive]\n\tdiffFilter = {script}\n"
    );
    let path = git_dir.join("config");
    let before = fs::read_to_string(&path).unwrap();
    fs::write(path, before + &config).unwrap();
    fs::create_dir_all(git_dir.join("info")).unwrap();
    fs::write(
        git_dir.join("info/attributes"),
        "* filter=x diff=x merge=x\n",
    )
    .unwrap();
    fs::write(
        work_tree.join(".gitattributes"),
        "* filter=x diff=x merge=x\n",
    )
    .unwrap();
}

#[test]
fn no_program_of_a_repository_is_ever_run() {
    if !git_is_there() {
        return;
    }
    let dir = crate::world::temporary::directory();
    let (scratch, shadow) = project(dir.path());
    let top = scratch.work_tree();
    let id = shadow.snapshot("pre-wave-1", "build", at(2)).unwrap();
    let id = by_git(&shadow, &id);
    let head = scratch.head().unwrap();
    let (script, canary) = trap(dir.path());
    lay_traps(scratch.git_dir(), top, &script);
    lay_traps(shadow.store(), top, &script);
    fs::write(top.join("README.md"), "other\n").unwrap();

    let file = Path::new("README.md");
    drop(RealGit.repo(top).unwrap());
    drop(RealGit.worktrees(top).unwrap());
    drop(RealGit.branches(top).unwrap());
    drop(RealGit.status(top).unwrap());
    drop(RealGit.log(top, &head, None, 9).unwrap());
    drop(RealGit.path_history(top, file, 9).unwrap());
    drop(RealGit.blob(top, &head, file).unwrap());
    assert!(!RealGit.is_ignored(top, file).unwrap());
    let facts = RealGit.shadow(shadow.store()).unwrap();
    assert_eq!(facts.commits.len(), 1);
    // A commit has what the filter stored, which without the filter cannot be compared with the file.
    for (store, id) in [(shadow.store(), &id), (top, &head)] {
        let drift = RealGit.drift(store, id, top).unwrap();
        let found = (drift.modified, drift.missing, drift.created);
        assert_eq!((found, drift.not_covered), ((0, 0, 1), 1));
    }
    assert!(!canary.exists(), "a program was run");

    // The traps work: the git command line triggers them.
    drop(command(top, &["status"], &[]));
    assert!(canary.exists(), "the traps are laid");
}

/// The environment of a git hook or an attacker has no effect. Runs in its own process, because the environment is
/// shared by all tests of this one.
#[test]
fn the_environment_has_no_effect() {
    let dir = crate::world::temporary::directory();
    let (scratch, shadow) = project(dir.path());
    let names = [
        "git::tests::the_facts_of_a_repository_are_found_from_beneath_its_top",
        "git::tests::history_is_the_same_as_gits",
        "git::drift::tests::numbers_and_blobs_belong_to_the_paths",
    ];
    for name in names {
        let run = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", name])
            .env("GIT_DIR", shadow.store())
            .env("GIT_WORK_TREE", dir.path())
            .env("GIT_INDEX_FILE", scratch.git_dir().join("index"))
            .env("GIT_OBJECT_DIRECTORY", dir.path())
            .env("GIT_COMMON_DIR", shadow.store())
            .env("GIT_NAMESPACE", "x")
            .env("GIT_CEILING_DIRECTORIES", dir.path())
            .env("GIT_CONFIG", "/nonexistent")
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&run.stdout);
        assert!(run.status.success() && text.contains("1 passed"), "{text}");
    }
}
