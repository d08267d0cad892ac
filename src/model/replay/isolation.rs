//! How a run is kept apart from the original.

use std::ffi::OsString;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::model::Foreign;
use crate::string_enum;
use crate::text::format::count_of;
use crate::text::stored;

string_enum! {
    /// Whether runners work in a sandbox that shows them the original read-only.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default, clap::ValueEnum)]
    pub enum SandboxAsk {
        /// Where bubblewrap works.
        #[default]
        Auto = "auto",
        /// With bubblewrap, or not at all.
        Bwrap = "bwrap",
        /// Without a sandbox.
        Off = "off",
    }
}

/// What a person asks of the isolation of a replay.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct IsolationAsk {
    /// The sandbox of runners.
    pub sandbox: SandboxAsk,
    /// Leaves paths of the original in dispatches as they are.
    pub keep_paths: bool,
    /// A program and its arguments, run once in each tree before the first dispatch; empty for none.
    pub setup: Vec<OsString>,
}

/// The isolation of a planned replay.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Isolation {
    /// The sandbox of runners.
    pub sandbox: Sandbox,
    /// The folders of the original that dispatches name, in the order in which paths are looked for.
    pub named: Vec<NamedFolder>,
    /// The dispatches that name them, and what runs are sent instead. Known only before the first run.
    pub rewritten: Vec<RewrittenText>,
}

/// A dispatch whose paths of the original are replaced by those of the run; the run's folder is called `RUN`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RewrittenText {
    /// The dispatch.
    pub seq: u64,
    /// Its text before.
    pub before: Vec<u8>,
    /// Its text after.
    pub after: Vec<u8>,
}

impl RewrittenText {
    /// The lines that differ: their numbers from 1, before and after.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &[u8], &[u8])> {
        let is_break = |byte: &u8| *byte == b'\n';
        let both = self.before.split(is_break).zip(self.after.split(is_break));
        let numbered = (1..)
            .zip(both)
            .map(|(at, (before, after))| (at, before, after));
        numbered.filter(|(_, before, after)| before != after)
    }
}

impl Isolation {
    /// Said where dispatches keep paths of the original: a runner may read and write the original through them.
    pub fn kept_paths(&self, ask: &IsolationAsk) -> Option<Foreign> {
        let mentions: usize = self.named.iter().map(|one| one.mentions).sum();
        (ask.keep_paths && mentions > 0).then(|| {
            let paths = count_of(mentions, "path of the original", "paths of the original");
            format!("{paths} in dispatches stay as they are (--keep-paths), so runs may share files with each other and with the original.").into()
        })
    }
}

/// Whether runners work in a sandbox.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sandbox {
    /// In bubblewrap, by the path of its program.
    Bwrap(PathBuf),
    /// In none, and why not: the end of a sentence.
    Off(Foreign),
}

impl Default for Sandbox {
    fn default() -> Self {
        Self::Off("it was switched off".into())
    }
}

impl Sandbox {
    /// The word used in JSON and on screen.
    pub fn word(&self) -> &'static str {
        match self {
            Self::Bwrap(_) => "bwrap",
            Self::Off(_) => "off",
        }
    }
}

/// A folder of the original that dispatches name by its path.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedFolder {
    /// The folder.
    #[serde(with = "stored")]
    pub path: PathBuf,
    /// How often all dispatches together name it.
    pub mentions: usize,
    /// How many dispatches name it.
    pub dispatches: usize,
}

string_enum! {
    /// How a file of the original differs after a run.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum OutsideKind {
        /// Its content, mode or identity is another.
        Changed = "changed",
        /// It was not there.
        Created = "created",
        /// It is gone.
        Removed = "removed",
    }
}

/// A change of the original's files while a run was under way.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "Stored", from = "Stored")]
pub struct OutsideChange {
    /// The file.
    pub path: PathBuf,
    /// What happened to it.
    pub kind: OutsideKind,
    /// Who made it.
    pub by: OutsideWriter,
}

/// A change as records have it.
#[derive(Serialize, Deserialize)]
struct Stored {
    #[serde(with = "stored")]
    path: PathBuf,
    change: OutsideKind,
    by_run: bool,
    /// Not there in a record from before it was known that it may be unknown.
    by: Option<OutsideWriter>,
}

impl From<OutsideChange> for Stored {
    fn from(OutsideChange { path, kind, by }: OutsideChange) -> Self {
        Self {
            path,
            change: kind,
            by_run: by == OutsideWriter::Run,
            by: Some(by),
        }
    }
}

impl From<Stored> for OutsideChange {
    fn from(stored: Stored) -> Self {
        let (run, other) = (OutsideWriter::Run, OutsideWriter::Other);
        Self {
            path: stored.path,
            kind: stored.change,
            by: stored.by.unwrap_or(if stored.by_run { run } else { other }),
        }
    }
}

string_enum! {
    /// Who changed a file of the original.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum OutsideWriter {
        /// A process of the run.
        Run = "run",
        /// The run or another program: without a sandbox it cannot be told apart.
        Unknown = "unknown",
        /// Another program, such as a person's editor: the run could not.
        Other = "other",
    }
}
