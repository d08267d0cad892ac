//! The verification of a claim against the world.

use std::path::PathBuf;

use super::Foreign;
use crate::{foreign, string_enum};

string_enum! {
    /// The outcome of a check. Ordered from best to worst, so that `max` finds the worst.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub enum Verdict {
        /// The claim holds, or there is only something to know.
        Pass = "pass",
        /// The check could not be made here; the evidence says why.
        Skipped = "skipped",
        /// The claim holds in part, or a person must look.
        Warn = "warn",
        /// The claim is not true.
        Fail = "fail",
    }
}

impl Verdict {
    /// The worst verdict of several checks as `verify` reports it: skipped checks do not make a verdict worse.
    pub fn overall<'a>(checks: impl IntoIterator<Item = &'a Check>) -> Self {
        let verdicts = checks.into_iter().map(|check| check.verdict);
        let made = verdicts.filter(|verdict| *verdict != Self::Skipped);
        made.max().unwrap_or(Self::Pass)
    }
}

/// The summary of a pipeline's checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CheckSummary {
    /// The worst verdict, as `verify` reports it.
    pub worst: Verdict,
    /// How many passed.
    pub passed: usize,
    /// How many could not be made.
    pub skipped: usize,
    /// How many warn.
    pub warnings: usize,
    /// How many failed.
    pub failed: usize,
}

impl CheckSummary {
    /// Nothing could be verified.
    pub const UNREADABLE: Self = Self {
        worst: Verdict::Skipped,
        passed: 0,
        skipped: 0,
        warnings: 0,
        failed: 0,
    };

    /// The summary of these checks.
    pub fn of(checks: &[Check]) -> Self {
        let number = |verdict| checks.iter().filter(|c| c.verdict == verdict).count();
        Self {
            worst: Verdict::overall(checks),
            passed: number(Verdict::Pass),
            skipped: number(Verdict::Skipped),
            warnings: number(Verdict::Warn),
            failed: number(Verdict::Fail),
        }
    }
}

/// The id of a check, stable across versions: a letter for the system and a number (`F4`, `S8`). Several
/// checks may share an id; they differ in what they are about.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CheckId(pub String);

/// What a check is about. Decisions (which checks a resume point depends on) compare the variants and their
/// keys; only [`Subject::text`] makes words of it, so no decision can depend on how something is worded.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Subject {
    /// The pipeline as a whole, or one fixed aspect of it: `workflow`, `manifest integrity`.
    Topic(&'static str),
    /// A file, by its path.
    File(Foreign),
    /// A document of a kind (`plan`, `summary`): one that the state file names, or the one that a step needs.
    Document {
        /// What decisions depend on.
        kind: String,
        /// The field that names it, and the path there; `None` for the need itself.
        named: Option<Box<(Foreign, Foreign)>>,
    },
    /// A checkpoint.
    Checkpoint {
        /// Its short commit id.
        id: String,
        /// Why it was made.
        name: Foreign,
    },
    /// A dispatch.
    Dispatch {
        /// Its number.
        seq: u64,
        /// Its role or task.
        name: Foreign,
    },
    /// The dispatches from this number on that are not listed one by one.
    DispatchesFrom(u64),
    /// A phase, by its number as the pipeline writes it.
    Phase(Foreign),
    /// A stage.
    Stage {
        /// Its id.
        id: String,
        /// Its id and name.
        label: Foreign,
    },
    /// An amendment of a plan, by its id.
    Amendment(Foreign),
    /// One of several things that no decision depends on: `branch of researcher` and `B`.
    Named {
        /// What it is.
        what: &'static str,
        /// Which one.
        key: Foreign,
    },
}

impl From<&'static str> for Subject {
    fn from(topic: &'static str) -> Self {
        Self::Topic(topic)
    }
}

impl From<&Self> for Subject {
    fn from(subject: &Self) -> Self {
        subject.clone()
    }
}

impl Subject {
    /// One of several things that no decision depends on.
    pub fn named(what: &'static str, key: impl Into<Foreign>) -> Self {
        Self::Named {
            what,
            key: key.into(),
        }
    }

    /// The file it is, where its path says so without a directory.
    pub fn file(&self) -> Option<PathBuf> {
        let Self::File(path) = self else { return None };
        let path = path.as_path();
        path.is_absolute().then(|| path.to_owned())
    }

    /// The words for it, in JSON and on screen.
    pub fn text(&self) -> Foreign {
        match self {
            Self::Topic(topic) => (*topic).into(),
            Self::File(path) | Self::Amendment(path) | Self::Stage { label: path, .. } => {
                path.clone()
            }
            Self::Document { kind, named } => match named.as_deref() {
                None => foreign!("{} for the target", kind.as_str()),
                Some((field, path)) => foreign!("{}: {}", field, path),
            },
            Self::Checkpoint { id, name } => foreign!("checkpoint {} ({})", name, id.as_str()),
            Self::Dispatch { seq, name } => foreign!("dispatch {seq} ({})", name),
            Self::DispatchesFrom(seq) => foreign!("dispatches from {seq} on"),
            Self::Phase(number) => foreign!("phase {}", number),
            Self::Named { what, key } => foreign!("{what} {}", key),
        }
    }
}

/// One verification of a claim against the world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Check {
    /// Which check this is.
    pub id: CheckId,
    /// What was checked.
    pub about: Subject,
    /// The outcome.
    pub verdict: Verdict,
    /// What was seen, in one or two sentences. For people only: nothing may decide by it.
    pub evidence: Foreign,
    /// What a person can do about it; present whenever the verdict is worse than pass.
    pub remedy: Option<Foreign>,
}

impl Check {
    /// A check with its outcome and what was seen.
    pub fn new(
        id: impl Into<String>,
        about: impl Into<Subject>,
        verdict: Verdict,
        evidence: impl Into<Foreign>,
    ) -> Self {
        Self {
            id: CheckId(id.into()),
            about: about.into(),
            verdict,
            evidence: evidence.into(),
            remedy: None,
        }
    }

    /// The same check with a remedy.
    #[must_use]
    pub fn remedy(mut self, remedy: impl Into<Foreign>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }

    /// The words for what it is about: `manifest integrity`, `dispatch 8 (implementer)`.
    pub fn subject(&self) -> Foreign {
        self.about.text()
    }
}
