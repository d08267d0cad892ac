//! The errors with which a transaction can end.

use std::io;

use rustix::io::Errno;

use crate::model::Foreign;

/// The message for a cancellation before any change.
pub const CANCELLED: &str = "Canceled; nothing was changed.";

/// Why a plan was not applied.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ApplyError {
    /// Nothing was changed.
    Refused {
        /// Why, in a sentence.
        text: Foreign,
        /// What to do, a sentence each.
        hints: Vec<Foreign>,
    },
    /// The person asked to stop in time: nothing was changed, and what was prepared is gone.
    Cancelled {
        /// That, in a sentence.
        text: Foreign,
    },
    /// Something failed half-way, and everything is as it was before.
    RolledBack {
        /// What failed, in a sentence.
        text: Foreign,
        /// What to do, a sentence each.
        hints: Vec<Foreign>,
    },
    /// The disk is neither as before nor as planned, or could not be read: nothing more was changed.
    Unclear {
        /// What was found, in a sentence.
        text: Foreign,
        /// Where everything is and what to do, a sentence each.
        hints: Vec<Foreign>,
    },
}

impl ApplyError {
    /// A refusal.
    pub fn refused(text: impl Into<Foreign>) -> Self {
        Self::Refused {
            text: text.into(),
            hints: Vec::new(),
        }
    }

    /// A step before any change failed. Nothing refuses what was asked for where only the disk is full, so that is
    /// another error, with what to do about it.
    pub fn failed(text: impl Into<Foreign>, why: &io::Error) -> Self {
        match more_room(why) {
            Some(hint) => Self::RolledBack {
                text: text.into(),
                hints: vec![hint.into()],
            },
            None => Self::refused(text),
        }
    }

    /// The same where something had been changed and is as before again.
    #[must_use]
    pub fn rolled_back(self) -> Self {
        match self {
            Self::Refused { text, hints } => Self::RolledBack { text, hints },
            Self::Cancelled { .. } | Self::RolledBack { .. } | Self::Unclear { .. } => self,
        }
    }

    /// It was cancelled in time.
    pub fn cancelled() -> Self {
        Self::Cancelled {
            text: CANCELLED.into(),
        }
    }

    /// The same error with something to do about it.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<Foreign>) -> Self {
        match &mut self {
            Self::Refused { hints, .. }
            | Self::RolledBack { hints, .. }
            | Self::Unclear { hints, .. } => hints.push(hint.into()),
            Self::Cancelled { .. } => {}
        }
        self
    }

    /// What happened, in a sentence.
    pub fn text(&self) -> &Foreign {
        match self {
            Self::Refused { text, .. }
            | Self::Cancelled { text }
            | Self::RolledBack { text, .. }
            | Self::Unclear { text, .. } => text,
        }
    }
}

/// What gives a write more room, where it failed because there is none.
fn more_room(why: &io::Error) -> Option<&'static str> {
    match Errno::from_io_error(why)? {
        Errno::NOSPC => Some("Free some space on that file system, then try again."),
        Errno::DQUOT => Some("Free some of your quota on that file system, then try again."),
        Errno::FBIG => Some("Raise the limit of file sizes (ulimit -f), then try again."),
        _ => None,
    }
}

/// Whether an error says that no more can be written. What was written can still be removed.
pub fn is_full(why: &io::Error) -> bool {
    more_room(why).is_some()
}
