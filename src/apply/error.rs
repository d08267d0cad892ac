//! The errors with which a transaction can end.

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
            Self::Refused { hints, .. } | Self::Unclear { hints, .. } => hints.push(hint.into()),
            Self::RolledBack { .. } | Self::Cancelled { .. } => {}
        }
        self
    }

    /// What happened, in a sentence.
    pub fn text(&self) -> &Foreign {
        match self {
            Self::Refused { text, .. }
            | Self::Cancelled { text }
            | Self::RolledBack { text }
            | Self::Unclear { text, .. } => text,
        }
    }
}
