//! Exit codes (contract.md).

use std::process::ExitCode;

use crate::engine::ErrorKind;

/// How an invocation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Exit {
    /// Done; also nothing to list, differences found, launch handed over.
    Done = 0,
    /// The answer is no: a check failed, nothing to resume.
    No = 1,
    /// The words do not fit, or what they name is not there or not one.
    Usage = 2,
    /// Refused by a guard, by drift, or by a fingerprint that no longer fits.
    Refused = 3,
    /// Consent is needed and was not given.
    Consent = 4,
    /// The input cannot be read.
    Unreadable = 5,
    /// Failed, and everything is as it was.
    RolledBack = 6,
    /// Unclear; nothing more was changed, a person must look.
    Unclear = 7,
    /// A mistake of relight itself.
    Bug = 70,
    /// Cancelled by the person.
    Cancelled = 130,
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
            ErrorKind::RolledBack => Self::RolledBack,
            ErrorKind::Unclear => Self::Unclear,
            ErrorKind::Cancelled => Self::Cancelled,
            ErrorKind::Bug => Self::Bug,
        }
    }
}
