//! The git command line with nothing of the person's in it.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A git program that knows no configuration but the repository's own, and one identity.
pub(crate) fn command(at: &Path) -> Command {
    let mut command = Command::new("git");
    command
        .current_dir(at)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", "/nowhere")
        .env("TMPDIR", "/nowhere/tmp")
        .env("LC_ALL", "C")
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .env("GIT_AUTHOR_NAME", "judge")
        .env("GIT_AUTHOR_EMAIL", "judge@example.invalid")
        .env("GIT_COMMITTER_NAME", "judge")
        .env("GIT_COMMITTER_EMAIL", "judge@example.invalid");
    command
}

/// True where git is there; else says that the test is skipped.
pub(crate) fn is_there() -> bool {
    let found = Command::new("git").arg("--version").output();
    let there = found.is_ok_and(|out| out.status.success());
    if !there {
        println!("SKIPPED: there is no git program here.");
    }
    there
}

/// Runs git; it must succeed. Gives what it printed.
pub(crate) fn run(at: &Path, args: &[&str]) -> Vec<u8> {
    let out = command(at).args(args).output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "git {args:?}: {said}");
    out.stdout
}

/// The same, as a line of text.
pub(crate) fn line(at: &Path, args: &[&str]) -> String {
    String::from_utf8(run(at, args)).unwrap().trim().to_owned()
}

/// `git status`, ignored paths and index state included. Never writes the index.
pub(crate) fn status(at: &Path) -> String {
    let args = ["status", "--porcelain=v1", "-z", "--ignored", "-uall"];
    String::from_utf8_lossy(&run(at, &args)).replace('\0', "\n")
}

/// `git fsck` finds nothing wrong.
pub(crate) fn sound(at: &Path) {
    let out = command(at)
        .args(["fsck", "--full", "--strict"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success(), "git fsck: {said}");
}

/// What `git diff --no-index` says of two folders, a line for each path that differs.
pub(crate) fn differing(a: &Path, b: &Path) -> Vec<String> {
    let parent = a.parent().unwrap();
    let mut command = command(parent);
    command.args(["-c", "core.quotePath=true", "diff", "--no-index"]);
    command.args(["--no-renames", "--name-status", "--no-ext-diff"]);
    let out = command.args([a, b].map(Path::as_os_str)).output().unwrap();
    let code = out.status.code();
    assert!(matches!(code, Some(0 | 1)), "{out:?}");
    let text = String::from_utf8_lossy(&out.stdout);
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    lines.sort();
    lines
}

/// A store apart from the work tree, as crucible keeps one.
#[derive(Debug, Clone)]
pub(crate) struct Shadow {
    pub(crate) store: PathBuf,
    pub(crate) work_tree: PathBuf,
}

impl Shadow {
    pub(crate) fn init(store: &Path, work_tree: &Path) -> Self {
        std::fs::create_dir_all(store).unwrap();
        let shadow = Self {
            store: store.to_owned(),
            work_tree: work_tree.to_owned(),
        };
        shadow.run(&["init", "-q", "-b", "main"], "");
        shadow.run(&["config", "gc.auto", "0"], "");
        shadow
    }

    /// Runs git on the store and the work tree, at a time.
    pub(crate) fn run(&self, args: &[&str], at: &str) -> Output {
        let out = command(&self.work_tree)
            .args(args)
            .envs([
                ("GIT_DIR", self.store.as_os_str()),
                ("GIT_WORK_TREE", self.work_tree.as_os_str()),
                ("GIT_AUTHOR_DATE", OsStr::new(at)),
                ("GIT_COMMITTER_DATE", OsStr::new(at)),
            ])
            .output()
            .unwrap();
        assert!(out.status.success(), "git {args:?}: {out:?}");
        out
    }

    /// A checkpoint of everything, ignored paths left out; its full id.
    pub(crate) fn snapshot(&self, reason: &str, at: &str) -> String {
        self.run(&["add", "-A"], at);
        let subject = format!("{reason} | {at} | build");
        self.run(&["commit", "-q", "--allow-empty", "-m", &subject], at);
        let out = self.run(&["rev-parse", "HEAD"], at);
        let id = String::from_utf8(out.stdout).unwrap().trim().to_owned();
        let short = id.get(..8).unwrap();
        let row = format!("| {short} | {at} | {reason} | build |\n");
        let rows = self.store.join("checkpoint-manifest.md");
        let mut text = std::fs::read_to_string(&rows).unwrap_or_default();
        text.push_str(&row);
        std::fs::write(rows, text).unwrap();
        id
    }
}
