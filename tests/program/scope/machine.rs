//! A machine of one's own: a home, a state folder, a temporary directory and projects, none of them a repository
//! or a sandbox unless the test makes it one.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use serde_json::Value;

/// A machine.
pub(crate) struct Machine {
    dir: tempfile::TempDir,
    root: PathBuf,
}

impl Machine {
    /// One with the conference `work/lab/tokenizer-speed` and the workflow `work/science/polymer-ring`, written
    /// hours ago.
    pub(crate) fn new() -> Self {
        let dir = crate::support::temporary::directory();
        let root = fs::canonicalize(dir.path()).unwrap();
        let machine = Self { dir, root };
        for project in ["lab/tokenizer-speed", "science/polymer-ring"] {
            let from = sandbox().join("projects").join(project);
            copy(&from, &machine.path("work").join(project));
        }
        for place in ["home/tmp", "state", "work/empty"] {
            fs::create_dir_all(machine.path(place)).unwrap();
        }
        machine
    }

    /// A path on it.
    pub(crate) fn path(&self, rel: &str) -> PathBuf {
        self.root.join(rel)
    }

    /// Copies a folder of it.
    pub(crate) fn copy(&self, from: &str, to: &str) {
        copy(&self.path(from), &self.path(to));
    }

    /// Puts what Claude's folders know about projects elsewhere into the home.
    pub(crate) fn claude(&self) {
        copy(&sandbox().join("home/.claude"), &self.path("home/.claude"));
    }

    /// Makes a repository.
    pub(crate) fn repository(&self, rel: &str) {
        fs::create_dir_all(self.path(rel)).unwrap();
        let status = Command::new("git")
            .args(["init", "-q"])
            .current_dir(self.path(rel))
            .status()
            .unwrap();
        assert!(status.success());
    }

    /// The command, to be run in a folder of it.
    pub(crate) fn command(&self, dir: &str) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("relight"));
        command
            .current_dir(self.path(dir))
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.path("home"))
            .env("XDG_STATE_HOME", self.path("state"))
            .env("TMPDIR", self.path("home/tmp"))
            .env("TZ", "UTC")
            .env("COLUMNS", "100");
        command
    }

    /// Runs it.
    pub(crate) fn run(&self, dir: &str, args: &[&str]) -> Output {
        self.command(dir).args(args).output().unwrap()
    }

    /// The exit code and the object of a command with `--json`.
    pub(crate) fn json(&self, dir: &str, args: &[&str]) -> (i32, Value) {
        let output = self.command(dir).args(args).arg("--json").output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let value = serde_json::from_str(&text)
            .unwrap_or_else(|error| panic!("{args:?}: {error}\n{text}\n{said}"));
        (output.status.code().unwrap(), value)
    }

    /// The ids that `list` prints, complete ones too. Only those of this machine's own projects: the temporary
    /// directory of the real one is looked at, too.
    pub(crate) fn ids(&self, dir: &str, args: &[&str]) -> Vec<String> {
        let (code, list) = self.json(dir, &[&["list", "--all"], args].concat());
        assert_eq!(code, 0, "{list}");
        let own = |p: &&Value| p["root"].as_str().unwrap().starts_with(self.text());
        let rows = list["pipelines"].as_array().unwrap().iter().filter(own);
        let mut ids: Vec<String> = rows.map(|p| p["id"].as_str().unwrap().to_owned()).collect();
        ids.sort();
        ids
    }

    /// The id of the only pipeline of a folder.
    pub(crate) fn id(&self, dir: &str) -> String {
        let ids = self.ids("work/empty", &[self.path(dir).to_str().unwrap()]);
        assert_eq!(ids.len(), 1, "{ids:?}");
        ids.into_iter().next().unwrap()
    }

    /// Where it is, as text.
    pub(crate) fn text(&self) -> &str {
        self.root.to_str().unwrap()
    }

    /// Everything on it, so that it can be seen that nothing was written.
    pub(crate) fn everything(&self) -> Vec<(PathBuf, Option<Vec<u8>>)> {
        let mut all = Vec::new();
        let mut todo = vec![self.dir.path().to_owned()];
        while let Some(dir) = todo.pop() {
            for entry in fs::read_dir(&dir).unwrap() {
                let entry = entry.unwrap();
                let kind = entry.file_type().unwrap();
                if kind.is_dir() {
                    todo.push(entry.path());
                }
                let content = kind.is_file().then(|| fs::read(entry.path()).unwrap());
                all.push((entry.path(), content));
            }
        }
        all.sort();
        all
    }
}

/// The sandbox that the projects are copied from, built once.
fn sandbox() -> PathBuf {
    static SANDBOX: OnceLock<tempfile::TempDir> = OnceLock::new();
    let dir = SANDBOX.get_or_init(|| {
        let dir = tempfile::tempdir().unwrap();
        relight::demo::build(&dir.path().join("demo"), chrono::Utc::now()).unwrap();
        dir
    });
    dir.path().join("demo")
}

/// Both streams of an output, for messages and searches.
pub(crate) fn said(output: &Output) -> String {
    let out = String::from_utf8_lossy(&output.stdout);
    let err = String::from_utf8_lossy(&output.stderr);
    format!("{out}{err}")
}

/// The exit code.
pub(crate) fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

/// Copies a folder with its times: what was written a moment ago looks alive.
fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let (source, target) = (entry.path(), to.join(entry.file_name()));
        let meta = entry.metadata().unwrap();
        if meta.is_dir() {
            copy(&source, &target);
        } else {
            fs::copy(&source, &target).unwrap();
        }
        let file = fs::File::open(&target).unwrap();
        file.set_modified(meta.modified().unwrap()).unwrap();
    }
}
