//! What every builder of the sandbox uses: files and times, set back from the injected now.

use std::ffi::OsStr;
use std::fs::{File, FileTimes};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use chrono::{DateTime, SecondsFormat, TimeDelta, Utc};
use sha2::{Digest as _, Sha256};

use crate::git::scratch::ScratchError;
use crate::model::text::hex;

/// What is made first.
const FIRST: &str = "home/.claude/projects";

/// Seconds in an hour and a day, for ages.
pub(super) const HOUR: i64 = 3_600;
pub(super) const DAY: i64 = 24 * HOUR;

/// A text as it is written inside a string of JSON.
pub(super) fn in_json(text: &str) -> String {
    let quoted = serde_json::Value::from(text).to_string();
    let inside = quoted.strip_prefix('"');
    let inside = inside.and_then(|rest| rest.strip_suffix('"'));
    inside.unwrap_or_default().to_owned()
}

/// Why the sandbox could not be built.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// The folder is not empty.
    #[error("{0} is not empty")]
    NotEmpty(PathBuf),
    /// The folder has a sandbox that was not finished.
    #[error("{0} has a sandbox that is incomplete: it was interrupted, or is being created now")]
    Incomplete(PathBuf),
    /// A file could not be written.
    #[error("cannot create {path}: {why}")]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// Why not.
        why: std::io::Error,
    },
    /// A script has something in it that cannot be run.
    #[error("the demo has a step that cannot be run: {0}")]
    Script(String),
    /// A repository could not be built.
    #[error("cannot create a repository: {0}")]
    Git(#[from] ScratchError),
}

impl DemoError {
    /// The error of the file system, where it was one.
    pub fn io(&self) -> Option<&std::io::Error> {
        match self {
            Self::Io { why, .. } => Some(why),
            Self::Git(error) => error.io(),
            Self::NotEmpty(_) | Self::Incomplete(_) | Self::Script(_) => None,
        }
    }
}

/// Whether a folder has only what a sandbox has, and not the mark that is made last.
fn is_incomplete(dir: &Path) -> bool {
    let ours = |name: &OsStr| {
        ["home", "projects", "orchestrators"]
            .iter()
            .any(|one| name == *one)
    };
    let entries = std::fs::read_dir(dir).into_iter().flatten();
    dir.join(FIRST).is_dir() && entries.flatten().all(|entry| ours(&entry.file_name()))
}

/// The sandbox's folder and clock.
pub(super) struct Kit {
    root: PathBuf,
    now: DateTime<Utc>,
}

impl Kit {
    /// Makes the folder.
    pub(super) fn new(dir: &Path, now: DateTime<Utc>) -> Result<Self, DemoError> {
        let io = io(dir);
        std::fs::create_dir_all(dir).map_err(&io)?;
        if std::fs::read_dir(dir).map_err(&io)?.next().is_some() {
            return Err(if is_incomplete(dir) {
                DemoError::Incomplete(dir.to_owned())
            } else {
                DemoError::NotEmpty(dir.to_owned())
            });
        }
        let root = std::fs::canonicalize(dir).map_err(io)?;
        let kit = Self { root, now };
        for made in [
            FIRST,
            "home/tmp",
            "home/.config",
            "home/.local/state",
            "projects",
        ] {
            kit.folder(made)?;
        }
        Ok(kit)
    }

    pub(super) fn root(&self) -> &Path {
        &self.root
    }

    pub(super) fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// A path under the sandbox.
    pub(super) fn path(&self, rel: &str) -> PathBuf {
        self.root.join(rel)
    }

    /// A path under the sandbox, as the state files write it.
    pub(super) fn text(&self, rel: &str) -> String {
        self.path(rel).to_string_lossy().into_owned()
    }

    /// The moment so many seconds ago.
    pub(super) fn ago(&self, seconds: i64) -> DateTime<Utc> {
        self.now - TimeDelta::seconds(seconds)
    }

    /// The same as `2026-04-08T10:22:41Z`.
    pub(super) fn iso(&self, seconds: i64) -> String {
        self.ago(seconds).to_rfc3339_opts(SecondsFormat::Secs, true)
    }

    /// The same with milliseconds.
    pub(super) fn iso_ms(&self, seconds: i64) -> String {
        self.ago(seconds)
            .to_rfc3339_opts(SecondsFormat::Millis, true)
    }

    /// The same in the person's zone without saying so, with microseconds, as Python writes it.
    pub(super) fn naive(&self, seconds: i64) -> String {
        self.ago(seconds)
            .with_timezone(&chrono::Local)
            .format("%Y-%m-%dT%H:%M:%S.120933")
            .to_string()
    }

    /// Makes a folder.
    pub(super) fn folder(&self, rel: &str) -> Result<PathBuf, DemoError> {
        let path = self.path(rel);
        std::fs::create_dir_all(&path).map_err(io(&path))?;
        Ok(path)
    }

    /// Writes a file that was last changed so many seconds ago.
    pub(super) fn file(&self, rel: &str, content: &str, age: i64) -> Result<(), DemoError> {
        let path = self.path(rel);
        let io = io(&path);
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent).map_err(&io)?;
        }
        std::fs::write(&path, content).map_err(&io)?;
        let file = File::options().write(true).open(&path).map_err(&io)?;
        file.set_times(times(self.ago(age).into())).map_err(io)
    }

    /// Gives every folder the time of the newest thing in it, as if it had been left then.
    pub(super) fn set_times(&self, dir: &Path) -> Result<SystemTime, DemoError> {
        let io = io(dir);
        let mut newest = SystemTime::from(self.ago(90 * DAY));
        for entry in std::fs::read_dir(dir).map_err(&io)? {
            let entry = entry.map_err(&io)?;
            let meta = entry.metadata().map_err(&io)?;
            let at = if meta.is_dir() {
                self.set_times(&entry.path())?
            } else {
                meta.modified().map_err(&io)?
            };
            newest = newest.max(at);
        }
        let folder = File::open(dir).map_err(&io)?;
        folder.set_times(times(newest)).map_err(io)?;
        Ok(newest)
    }

    /// Claude's own name for the folder of a project.
    pub(super) fn folder_name(&self, project: &str) -> String {
        let odd = |sign: char| !sign.is_ascii_alphanumeric();
        self.text(project).replace(odd, "-")
    }

    /// Crucible's name for the checkpoint store of a project.
    pub(super) fn store_name(&self, project: &str) -> String {
        let hash = hex(&Sha256::digest(self.text(project).as_bytes()));
        hash.chars().take(16).collect()
    }
}

/// The error of a file or folder.
fn io(path: &Path) -> impl Fn(std::io::Error) -> DemoError {
    |why| DemoError::Io {
        path: path.to_owned(),
        why,
    }
}

fn times(at: SystemTime) -> FileTimes {
    FileTimes::new().set_modified(at).set_accessed(at)
}
