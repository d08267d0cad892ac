//! What a survey is asked, and what it answers.

use std::path::PathBuf;

use super::{Foreign, Pipeline};

use crate::string_enum;

string_enum! {
    /// How far a survey looks.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, clap::ValueEnum)]
    pub enum Scope {
        /// The current work tree.
        Here = "here",
        /// The current repository with all its worktrees.
        Repository = "repository",
        /// The current directory, every known place on this machine, and the configured roots.
        Machine = "machine",
        /// The paths that were named.
        #[value(skip)]
        Paths = "paths",
    }
}

impl Scope {
    /// Where a survey of it looked, after a number of pipelines.
    pub const fn place(self) -> &'static str {
        match self {
            Self::Here => "here",
            Self::Repository => "in this repository",
            Self::Machine => "on this machine",
            Self::Paths => "in the given paths",
        }
    }

    /// The next wider scope; the widest wraps around to the narrowest one that the person began with.
    #[must_use]
    pub fn next(self, paths_named: bool) -> Self {
        match self {
            Self::Here => Self::Repository,
            Self::Repository | Self::Paths => Self::Machine,
            Self::Machine if paths_named => Self::Paths,
            Self::Machine => Self::Here,
        }
    }
}

/// What to look for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Request {
    /// The current directory.
    pub cwd: PathBuf,
    /// Paths that were named; empty for the scope's own.
    pub paths: Vec<PathBuf>,
    /// `--scope`; `None` for the default.
    pub scope: Option<Scope>,
    /// `--system`.
    pub system: Option<String>,
    /// `--root`: more directories to walk.
    pub roots: Vec<PathBuf>,
    /// Complete pipelines too.
    pub all: bool,
    /// `--work-tree`: the project of a run, named by the person.
    pub work_tree: Option<PathBuf>,
    /// The sandbox, if the paths name one from outside: its recoveries are found only if it is named again.
    pub sandbox: Option<PathBuf>,
    /// `--config`: the configuration, where it is not the usual file.
    pub config: Option<PathBuf>,
}

impl Request {
    /// Whatever is on this machine.
    pub fn everywhere() -> Self {
        Self {
            scope: Some(Scope::Machine),
            ..Self::default()
        }
    }
}

/// A file whose name fits and whose content does not, or what could not be read.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// The file.
    pub path: PathBuf,
    /// Why it is not a pipeline.
    pub reason: Foreign,
    /// True where it could not be read, so that a pipeline in it would be missing.
    pub unread: bool,
}

/// What was left out of an answer, counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Hidden {
    /// Complete pipelines.
    pub complete: u64,
    /// Pipelines outside the scope.
    pub scope: u64,
    /// Whether the scope of the machine has directories that were not walked, so that it may have more of them.
    pub unwalked: bool,
}

impl Hidden {
    /// How many pipelines are outside the scope: `12`, or `2 or more`. `None` where none is known of.
    pub fn outside(&self) -> Option<String> {
        let more = if self.unwalked { " or more" } else { "" };
        (self.scope > 0).then(|| format!("{}{more}", self.scope))
    }
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Survey {
    /// The pipelines, newest activity first.
    pub pipelines: Vec<Pipeline>,
    /// What only looks like one.
    pub skipped: Vec<Skipped>,
    /// What was left out.
    pub hidden: Hidden,
    /// The scope it was answered for.
    pub scope: Scope,
    /// The directories that were walked.
    pub roots: Vec<PathBuf>,
}
