//! A sandbox with the run that is made to be replayed.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::sandbox::Sandbox;

/// The sandbox, and the finished run `labels` in it.
pub(crate) struct Labels {
    pub(crate) sandbox: Sandbox,
    pub(crate) id: String,
    pub(crate) manifest: PathBuf,
    /// A folder for scripts, beside the sandbox.
    scripts: tempfile::TempDir,
}

impl Labels {
    pub(crate) fn new() -> Self {
        let sandbox = Sandbox::new();
        let (_, list) = sandbox.json(&["list", "--all", "--system", "crucible"]);
        let all = list["pipelines"].as_array().unwrap().iter();
        let labels = |one: &&Value| {
            let tree = one["work_tree"].as_str().unwrap_or_default();
            tree.ends_with("projects/labels")
        };
        let labels = all.clone().find(labels).unwrap();
        let id = labels["id"].as_str().unwrap().to_owned();
        let files = labels["state_files"].as_array().unwrap().iter();
        let manifest = files
            .map(|file| PathBuf::from(file.as_str().unwrap()))
            .find(|file| file.ends_with("manifest.jsonl"))
            .unwrap();
        let scripts = crate::support::temporary::directory();
        Self {
            sandbox,
            id,
            manifest,
            scripts,
        }
    }

    /// The replacement that lies ready.
    pub(crate) fn swap(&self) -> String {
        let file = self.experiment("red-team-v2.md");
        format!("red-team-prompt.md={}", file.display())
    }

    /// A mutation of a template that only the last phase uses, so that little is run.
    pub(crate) fn late(&self) -> String {
        self.edited(
            "acceptance-tests-prompt.md",
            "Keep the output",
            "Keep all output",
        )
    }

    /// A mutation made from the installed template, with one part of it put another way.
    pub(crate) fn edited(&self, name: &str, from: &str, to: &str) -> String {
        let template = fs::read_to_string(self.templates().join(name)).unwrap();
        assert!(template.contains(from), "{template}");
        let path = self.scripts.path().join(name);
        fs::write(&path, template.replace(from, to)).unwrap();
        format!("{name}={}", path.display())
    }

    pub(crate) fn experiment(&self, name: &str) -> PathBuf {
        let root = self.sandbox.root();
        root.join("projects/labels-experiment").join(name)
    }

    /// The folder of the installed plugin's templates.
    pub(crate) fn templates(&self) -> PathBuf {
        let plugins = "home/.claude/plugins/marketplaces/crucible/skills/build";
        self.sandbox.root().join(plugins)
    }

    /// A folder for what runners and tests tell each other.
    pub(crate) fn scratch(&self) -> &Path {
        self.scripts.path()
    }

    /// A runner: a shell script that is given the dispatch file.
    pub(crate) fn script(&self, name: &str, text: &str) -> String {
        let path = self.scripts.path().join(name);
        fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        path.to_str().unwrap().to_owned()
    }

    /// `replay` of the run with these options, and the program behind `--` where one is given.
    pub(crate) fn words<'a>(&'a self, options: &[&'a str], runner: &[&'a str]) -> Vec<&'a str> {
        let mut words = vec!["replay", self.id.as_str()];
        words.extend(options);
        if !runner.is_empty() {
            words.push("--");
            words.extend(runner);
        }
        words
    }

    /// The same, run to its end.
    pub(crate) fn replay(&self, options: &[&str], runner: &[&str]) -> Output {
        self.sandbox.run(&self.words(options, runner))
    }

    /// The exit code and the object of the same with `--json`.
    pub(crate) fn json(&self, options: &[&str], runner: &[&str]) -> (i32, Value) {
        let options = [&["--json"], options].concat();
        let output = self.replay(&options, runner);
        let said = String::from_utf8_lossy(&output.stderr);
        let value = serde_json::from_slice(&output.stdout)
            .unwrap_or_else(|error| panic!("{options:?}: {error}\n{said}"));
        (output.status.code().unwrap(), value)
    }

    /// The same in the background.
    pub(crate) fn begin(&self, options: &[&str], runner: &[&str]) -> Child {
        self.command(options, runner).spawn().unwrap()
    }

    /// The same, for a test that changes its environment.
    pub(crate) fn command(&self, options: &[&str], runner: &[&str]) -> Command {
        let dir = self.sandbox.root();
        let mut command = Command::new(assert_cmd::cargo::cargo_bin!("relight"));
        command
            .args(self.words(options, runner))
            .current_dir(&dir)
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("HOME", dir.join("nobody"))
            .env("TMPDIR", dir.join("nobody").join("tmp"))
            .env("XDG_STATE_HOME", dir.join("home/.local/state"))
            .env("TZ", "UTC")
            .env("COLUMNS", "80")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        command
    }

    /// A pipe with a name, over which a script and a test wait for each other.
    pub(crate) fn pipe(&self, name: &str) -> PathBuf {
        let path = self.scripts.path().join(name);
        let made = Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        path
    }

    /// The manifest of a session, line by line.
    pub(crate) fn lines(session: &Value) -> Vec<Value> {
        let text = fs::read_to_string(session["manifest"].as_str().unwrap()).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }
}

/// `[done, failed, error, left]` of a session.
pub(crate) fn counts(session: &Value) -> [u64; 4] {
    ["done", "failed", "error", "left"].map(|key| session["dispatches"][key].as_u64().unwrap())
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The same with every line break and indent as one blank.
pub(crate) fn unwrapped(bytes: &[u8]) -> String {
    let text = text(bytes);
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ")
}

pub(crate) fn kind(value: &Value) -> &str {
    value["error"]["kind"].as_str().unwrap_or_default()
}

/// Waits until something is there, for at most a minute.
pub(crate) fn wait<T>(what: &str, mut look: impl FnMut() -> Option<T>) -> T {
    let since = Instant::now();
    loop {
        if let Some(found) = look() {
            return found;
        }
        assert!(since.elapsed() < Duration::from_secs(60), "no {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// The exit code of a program and the object that it printed.
pub(crate) fn parsed(output: &Output) -> (i32, Value) {
    let said = String::from_utf8_lossy(&output.stderr);
    let value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}\n{said}"));
    (output.status.code().unwrap(), value)
}

/// Sends a signal to a program that was started.
pub(crate) fn signal(child: &std::process::Child, signal: Signal) {
    let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    kill_process(pid, signal).unwrap();
}

/// Runs every command of relight that a text ends a line with, `replay` as a dry run. The parser and the plan accept each
/// as it is printed; an agent that is not installed may be refused.
pub(crate) fn runs_as_printed(labels: &Labels, printed: &str) {
    let ends = printed.lines().filter_map(|line| {
        let at = line.find("relight ")?;
        line.get(at..)
    });
    for command in ends {
        let script = format!("printf '%s\\n' {command}");
        let split = Command::new("/bin/sh").args(["-c", &script]).output();
        let split = text(&split.unwrap().stdout);
        let mut words: Vec<&str> = split.lines().skip(1).collect();
        if words.first() == Some(&"replay") && !words.contains(&"--list") {
            words.insert(2, "--dry-run");
        }
        let output = labels.sandbox.run(&words);
        let code = output.status.code().unwrap();
        let said = text(&output.stderr);
        assert!(matches!(code, 0 | 1 | 3), "{command}: {code}\n{said}");
    }
}
