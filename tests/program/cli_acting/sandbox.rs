//! A sandbox of one's own, the commands run in it, and what lies in it byte for byte.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A demo in a folder of its own, with a home and a state that are nobody's.
pub(crate) struct Sandbox {
    dir: tempfile::TempDir,
    name: &'static str,
}

/// What an entry is and holds, without its times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Entry {
    /// A directory and its mode.
    Dir(u32),
    /// A file with its mode.
    File(u32, Vec<u8>),
    /// A link.
    Link(PathBuf),
}

/// Everything beneath a folder.
pub(crate) type Tree = BTreeMap<PathBuf, Entry>;

impl Sandbox {
    pub(crate) fn new() -> Self {
        Self::named("demo")
    }

    /// In a folder of this name.
    pub(crate) fn named(name: &'static str) -> Self {
        let dir = crate::support::temporary::directory();
        relight::demo::build(&dir.path().join(name), chrono::Utc::now()).unwrap();
        Self { dir, name }
    }

    /// The sandbox's folder.
    pub(crate) fn root(&self) -> PathBuf {
        fs::canonicalize(self.dir.path().join(self.name)).unwrap()
    }

    /// Runs a command in it, without a terminal.
    pub(crate) fn run(&self, args: &[&str]) -> Output {
        self.run_in(&self.root(), args)
    }

    /// Runs a command elsewhere, without a terminal.
    pub(crate) fn run_in(&self, dir: &Path, args: &[&str]) -> Output {
        self.command(dir, args).output().unwrap()
    }

    /// Runs a command in it with some variables set otherwise.
    pub(crate) fn run_with(&self, variables: &[(&str, &str)], args: &[&str]) -> Output {
        let variables = variables.iter().copied();
        self.command(&self.root(), args)
            .envs(variables)
            .output()
            .unwrap()
    }

    pub(crate) fn command(&self, dir: &Path, args: &[&str]) -> Command {
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("relight"));
        command
            .args(args)
            .current_dir(dir)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", self.dir.path().join("nobody"))
            .env("TMPDIR", self.dir.path().join("nobody").join("tmp"))
            .env("XDG_STATE_HOME", self.dir.path().join("state"))
            .env("TZ", "UTC")
            .env("COLUMNS", "80");
        command
    }

    /// The exit code and the one object of a command with `--json`.
    pub(crate) fn json(&self, args: &[&str]) -> (i32, Value) {
        let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
        let output = self.run(&args);
        let text = String::from_utf8(output.stdout).unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(text.lines().count(), 1, "{args:?}: {text}\n{said}");
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["schema"], 1);
        (output.status.code().unwrap(), value)
    }

    /// The ids of its pipelines, complete ones too.
    pub(crate) fn ids(&self) -> Vec<String> {
        let (_, list) = self.json(&["list", "--all"]);
        let rows = list["pipelines"].as_array().unwrap().iter();
        rows.map(|p| p["id"].as_str().unwrap().to_owned()).collect()
    }

    /// The id of the interrupted crucible run.
    pub(crate) fn crucible(&self) -> String {
        let (_, list) = self.json(&["list", "--system", "crucible"]);
        list["pipelines"][0]["id"].as_str().unwrap().to_owned()
    }

    /// The ids of a pipeline's points.
    pub(crate) fn points(&self, id: &str) -> Vec<String> {
        let (_, points) = self.json(&["points", id]);
        let points = points["points"].as_array().cloned().unwrap_or_default();
        let id = |point: &Value| point["id"].as_str().unwrap().to_owned();
        points.iter().map(id).collect()
    }

    /// Everything in it and in the state of whoever runs the commands.
    pub(crate) fn all(&self) -> Tree {
        tree(self.dir.path(), &|_| true)
    }

    /// Sets every file back by an hour: what was written a moment ago is waited for, in case that somebody is
    /// still writing.
    pub(crate) fn grow_old(&self) {
        let old = std::time::SystemTime::now() - std::time::Duration::from_secs(3_600);
        for (path, entry) in self.persons() {
            if matches!(entry, Entry::File(..)) {
                let file = fs::File::open(path).unwrap();
                file.set_modified(old).unwrap();
            }
        }
    }

    /// Everything in it that is the person's: without what relight keeps, which is its own folder and the refs
    /// that keep a branch's old commits reachable.
    pub(crate) fn persons(&self) -> Tree {
        let state = self.root().join("home/.local");
        let kept = |path: &Path| path == state || path.ends_with(".git/refs/relight");
        tree(&self.root(), &|path| !kept(path))
    }
}

/// Everything beneath a folder that is wanted.
fn tree(dir: &Path, wanted: &dyn Fn(&Path) -> bool) -> Tree {
    let mut all = Tree::new();
    let mut todo = vec![dir.to_owned()];
    while let Some(dir) = todo.pop() {
        for entry in fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            if !wanted(&path) {
                continue;
            }
            let meta = fs::symlink_metadata(&path).unwrap();
            let entry = if meta.is_dir() {
                todo.push(path.clone());
                Entry::Dir(meta.mode())
            } else if meta.is_symlink() {
                Entry::Link(fs::read_link(&path).unwrap())
            } else {
                Entry::File(meta.mode(), fs::read(&path).unwrap())
            };
            all.insert(path, entry);
        }
    }
    all
}

/// The paths at which two trees differ.
pub(crate) fn differences(a: &Tree, b: &Tree) -> Vec<PathBuf> {
    let paths: std::collections::BTreeSet<&PathBuf> = a.keys().chain(b.keys()).collect();
    let differs = |path: &&&PathBuf| a.get(**path) != b.get(**path);
    paths.iter().filter(differs).map(|p| (*p).clone()).collect()
}
