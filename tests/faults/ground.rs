//! A sandbox that is reset for every case, and the binary that runs in it.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use relight::apply::disk::RealDisk;
use relight::apply::history::{Memory, Reader};
use relight::model::{Recovery, RecoveryState};
use serde_json::Value;

use super::census::{self, Tree};
use super::temporary;

/// The sandbox, and a copy of it that nothing touches.
pub(crate) struct Ground {
    dir: PathBuf,
    crucible: String,
    _own: Option<tempfile::TempDir>,
}

/// How a run ended.
#[derive(Debug, Clone)]
pub(crate) struct Ran {
    /// Its exit code, or the signal that ended it, negative.
    pub(crate) code: i32,
    /// What it printed.
    pub(crate) out: String,
    /// What it said beside it.
    pub(crate) err: String,
}

impl Ran {
    /// How a process ended.
    pub(crate) fn of(output: &Output) -> Self {
        let signal = || output.status.signal().map(|signal| -signal);
        Self {
            code: output.status.code().or_else(signal).unwrap(),
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
        }
    }

    /// The one object that it printed.
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or(Value::Null)
    }

    /// Whether it was killed before its end.
    pub(crate) fn killed(&self) -> bool {
        self.code == -9 || self.code == 137
    }
}

/// The command that runs the binary in a folder, with a home that is nobody's.
pub(crate) fn command(program: &[&str], cwd: &Path) -> Command {
    let relight = env!("CARGO_BIN_EXE_relight");
    let mut words = program.iter().copied().chain([relight]);
    let mut command = alone(words.next().unwrap(), cwd);
    command.args(words);
    command
}

/// A shell in a folder that finds the binary as `$RELIGHT`.
pub(crate) fn shell(cwd: &Path) -> Command {
    let mut command = alone("sh", cwd);
    command.env("RELIGHT", env!("CARGO_BIN_EXE_relight"));
    command
}

fn alone(program: &str, cwd: &Path) -> Command {
    let mut command = Command::new(program);
    command
        .current_dir(cwd)
        .env_clear()
        .env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin")
        .env("HOME", "/nonexistent")
        .env("TMPDIR", "/nonexistent/tmp")
        .env("TZ", "UTC")
        .env("COLUMNS", "80");
    command
}

impl Ground {
    /// A new sandbox.
    pub(crate) fn new() -> Self {
        let own = temporary::directory();
        let ground = Self::at(own.path());
        Self {
            _own: Some(own),
            ..ground
        }
    }

    /// A new sandbox in a folder that is there.
    pub(crate) fn at(dir: &Path) -> Self {
        let dir = fs::canonicalize(dir).unwrap();
        relight::demo::build(&dir.join("box"), chrono::Utc::now()).unwrap();
        census::copy(&dir.join("box"), &dir.join("spare"));
        let mut ground = Self {
            dir,
            crucible: String::new(),
            _own: None,
        };
        let list = ground.run("shop", &["list", "--system", "crucible", "--json"]);
        let list = list.json();
        let id = list["pipelines"][0]["id"].as_str();
        id.unwrap().clone_into(&mut ground.crucible);
        ground
    }

    /// The sandbox's folder.
    pub(crate) fn root(&self) -> PathBuf {
        self.dir.join("box")
    }

    /// The id of its interrupted crucible run.
    pub(crate) fn crucible(&self) -> String {
        self.crucible.clone()
    }

    /// The session of that run.
    pub(crate) fn session(&self) -> String {
        let id = self.crucible.trim_start_matches("crucible-");
        id.split('~').next().unwrap().to_owned()
    }

    /// A place beside it for what a test needs.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    /// The sandbox is as it was when it was built.
    pub(crate) fn reset(&self) {
        fs::remove_dir_all(self.root()).unwrap();
        census::copy(&self.dir.join("spare"), &self.root());
    }

    /// Runs a command in a project of the sandbox, behind the words of another program.
    pub(crate) fn behind(&self, program: &[&str], project: &str, args: &[impl AsRef<str>]) -> Ran {
        let cwd = self.root().join("projects").join(project);
        Ran::of(
            &command(program, &cwd)
                .args(args.iter().map(AsRef::as_ref))
                .output()
                .unwrap(),
        )
    }

    /// Runs a command in a project of the sandbox.
    pub(crate) fn run(&self, project: &str, args: &[impl AsRef<str>]) -> Ran {
        self.behind(&[], project, args)
    }

    /// Everything in it that is the person's.
    pub(crate) fn persons(&self) -> Tree {
        census::take(&self.root(), &census::persons)
    }

    /// Everything in it, what relight keeps too.
    pub(crate) fn everything(&self) -> Tree {
        // Briefings are relight's own: an undo marks one as void, and a redo writes it again.
        let others =
            |path: &Path| !path.ends_with("ballast") && !path.ends_with("relight/handoffs");
        census::take(&self.root(), &others)
    }

    /// The recoveries applied in it, newest first.
    pub(crate) fn history(&self) -> Vec<Recovery> {
        let zone = chrono::FixedOffset::east_opt(0).unwrap();
        let state = self.root().join("home/.local/state");
        let (disk, memory) = (RealDisk::new(), Memory::default());
        let reader = Reader {
            disk: &disk,
            state: &state,
            zone,
            memory: &memory,
        };
        let entries = reader.entries().unwrap().into_iter();
        let measured = entries.map(|mut entry| {
            entry.measure(&disk).unwrap();
            entry.recovery
        });
        measured.collect()
    }

    /// How many recoveries were committed in it.
    pub(crate) fn committed(&self) -> usize {
        let committed = |r: &&Recovery| r.state == RecoveryState::Committed;
        self.history().iter().filter(committed).count()
    }

    /// Lock files in git directories.
    pub(crate) fn locks(&self) -> Vec<PathBuf> {
        let tree = census::take(&self.root(), &|path| !path.ends_with("home/.local"));
        let is_lock = |path: &&PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let in_git = path.components().any(|part| part.as_os_str() == ".git");
            in_git && (name.ends_with(".lock") || name.contains(".lock."))
        };
        tree.keys().filter(is_lock).cloned().collect()
    }
}

/// Logs are given the time of long ago, so that nothing waits until they are quiet.
pub(crate) fn age(logs: &BTreeSet<PathBuf>) {
    let then = std::time::SystemTime::now() - std::time::Duration::from_secs(9000);
    for log in logs.iter().filter(|log| log.is_file()) {
        census::set_time(log, then);
    }
}
