//! What the console asks for and is given: small structs around model types.
//!
//! They keep `state`, `update` and `view` free of the engine: the worker fills them, whatever stands
//! behind it.

mod acting;

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use crate::model::{
    Check, Checkpoint, Foreign, Pipeline, ReplaySession, ResumePoint, Timeline, Verdict,
};

pub use crate::engine::Operand;
pub use acting::{Failure, Fate, Launched, Made, PurgeReport, Settle, Settled, Watch};

/// How far the console looks for pipelines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// The worktree the console was started in, or the paths it was given.
    Here,
    /// The repository with all its worktrees.
    Repository,
    /// Every place of this machine that the systems use.
    Machine,
    /// The paths that were named.
    Paths,
}

impl Scope {
    /// The word used on screen and for `--scope`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Here => "here",
            Self::Repository => "repository",
            Self::Machine => "machine",
            Self::Paths => "paths",
        }
    }

    /// The next wider one; the widest goes round to the narrowest that the person began with.
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
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Request {
    /// Where the person stands.
    pub cwd: PathBuf,
    /// Paths given by the person; empty for the current place.
    pub paths: Vec<PathBuf>,
    /// How far to look; `None` leaves it to the paths.
    pub scope: Option<Scope>,
    /// Only this system.
    pub system: Option<String>,
    /// More places to look in.
    pub roots: Vec<PathBuf>,
}

/// Something found that is not a pipeline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skipped {
    /// Where.
    pub path: PathBuf,
    /// Why.
    pub reason: Foreign,
}

/// The whole result of looking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Survey {
    /// Every pipeline of the scope, complete ones too: the browser hides those by itself.
    pub pipelines: Vec<Pipeline>,
    /// What was found and is none.
    pub skipped: Vec<Skipped>,
    /// How many pipelines lie outside the scope.
    pub elsewhere: u64,
    /// The scope that was searched.
    pub scope: Scope,
    /// The places that were searched, for an empty screen to name.
    pub searched: Vec<PathBuf>,
    /// Places whose change should look again.
    pub watch: Vec<PathBuf>,
}

/// Everything about one pipeline.
#[derive(Clone)]
pub struct Dossier {
    /// The row itself, as fresh as the rest.
    pub pipeline: Pipeline,
    /// Its events.
    pub timeline: Timeline,
    /// Its checks, worst first.
    pub checks: Vec<Check>,
    /// Its resume points, in order.
    pub points: Vec<ResumePoint>,
    /// Its checkpoints, in order; drift is measured later, one at a time.
    pub checkpoints: Vec<Checkpoint>,
    /// Its replays, newest first.
    pub replays: Vec<ReplaySession>,
}

impl Dossier {
    /// The recommended point, where there is one.
    pub fn recommended(&self) -> Option<&ResumePoint> {
        self.points.iter().find(|point| point.recommended)
    }

    /// How many of its replays were cut short and can be continued.
    pub fn cut_short(&self) -> usize {
        let cut = |replay: &&ReplaySession| replay.state.can_continue();
        self.replays.iter().filter(cut).count()
    }

    /// The worst check that is not a pass.
    pub fn worst_check(&self) -> Option<&Check> {
        self.checks
            .iter()
            .filter(|check| check.verdict > Verdict::Skipped)
            .max_by(|a, b| a.verdict.cmp(&b.verdict).then_with(|| b.id.cmp(&a.id)))
    }
}

impl fmt::Debug for Dossier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Dossier({}, {} events, {} checks, {} points, {} checkpoints)",
            self.pipeline.id,
            self.timeline.len(),
            self.checks.len(),
            self.points.len(),
            self.checkpoints.len()
        )
    }
}

/// Both sides of one change of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sides {
    /// Bytes before; `None` where there is no file.
    pub before: Option<Vec<u8>>,
    /// Bytes after; `None` where there will be none.
    pub after: Option<Vec<u8>>,
    /// What is compared, for a title.
    pub title: Foreign,
}

/// A request that could not be met: what happened, and what may help.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trouble {
    /// One sentence.
    pub text: Foreign,
    /// What a person can do, a sentence or a command each.
    pub hints: Vec<Foreign>,
}

impl Trouble {
    /// Trouble without a hint.
    pub fn new(text: impl Into<Foreign>) -> Self {
        Self {
            text: text.into(),
            hints: Vec::new(),
        }
    }
}

/// Something asked for: on its way, there, or not to be had.
#[derive(Debug, Clone, Default)]
pub enum Load<T> {
    /// Not there yet.
    #[default]
    Pending,
    /// There.
    Ready(Arc<T>),
    /// Not to be had.
    Failed(Trouble),
}

impl<T> Load<T> {
    /// The value, if it is there.
    pub fn ready(&self) -> Option<&Arc<T>> {
        match self {
            Self::Ready(value) => Some(value),
            Self::Pending | Self::Failed(_) => None,
        }
    }

    /// True while it is on its way.
    pub fn is_pending(&self) -> bool {
        matches!(self, Self::Pending)
    }
}

impl<T> From<Result<T, Trouble>> for Load<T> {
    fn from(result: Result<T, Trouble>) -> Self {
        match result {
            Ok(value) => Self::Ready(Arc::new(value)),
            Err(trouble) => Self::Failed(trouble),
        }
    }
}
