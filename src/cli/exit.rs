//! Exit codes.

use std::process::ExitCode;

use crate::engine::{EngineError, ErrorKind};

/// How an invocation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Exit {
    /// Done; also nothing to list, differences found, launch handed over.
    Done = 0,
    /// The answer is no: a check failed, nothing to resume.
    No = 1,
    /// The command line is wrong, or what it names is missing or ambiguous.
    Usage = 2,
    /// Refused by a guard, by drift, or by a fingerprint that no longer matches.
    Refused = 3,
    /// Consent is needed and was not given.
    Consent = 4,
    /// The input cannot be read.
    Unreadable = 5,
    /// Failed and rolled back; of `wait`, the time is up.
    RolledBack = 6,
    /// The state on disk is unclear and needs a person.
    Unclear = 7,
    /// A bug in relight.
    Bug = 70,
    /// Canceled by the person.
    Cancelled = 130,
}

impl Exit {
    /// The answer to a question: yes or no.
    pub(super) fn of(yes: bool) -> Self {
        if yes { Self::Done } else { Self::No }
    }

    /// That of something that was only shown, and that this error would refuse.
    pub(super) fn refused(error: Option<&EngineError>) -> Self {
        error.map_or(Self::Done, |error| error.kind.into())
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

impl From<ErrorKind> for Exit {
    fn from(kind: ErrorKind) -> Self {
        match kind {
            ErrorKind::Usage | ErrorKind::NotFound | ErrorKind::Ambiguous => Self::Usage,
            ErrorKind::NothingToDo => Self::No,
            ErrorKind::Refused => Self::Refused,
            ErrorKind::Unreadable => Self::Unreadable,
            ErrorKind::Consent => Self::Consent,
            ErrorKind::RolledBack | ErrorKind::TimedOut => Self::RolledBack,
            ErrorKind::Unclear => Self::Unclear,
            ErrorKind::Cancelled => Self::Cancelled,
            ErrorKind::Bug => Self::Bug,
        }
    }
}
