//! The errors with which a transaction can end.

use std::io;

use rustix::io::Errno;

use crate::model::{EngineError, ErrorKind, Foreign};

/// The message for a cancellation before any change.
pub const CANCELLED: &str = "Canceled; nothing was changed.";

/// Why a plan was not applied: refused or canceled in time, so that nothing was changed; failed half-way and rolled back,
/// so that everything is as it was before; or unclear, and then nothing more was changed.
pub type ApplyError = EngineError;

impl EngineError {
    /// A step before any change failed. Nothing refuses what was asked for where only the disk is full, so that is
    /// another error, with what to do about it.
    pub(crate) fn failed(text: impl Into<Foreign>, why: &io::Error) -> Self {
        let text = text.into();
        Self::full(text.clone(), why).unwrap_or_else(|| Self::refused(text))
    }

    /// The error of a write that failed because there is no more room; `None` if it failed for another reason.
    pub(crate) fn full(text: impl Into<Foreign>, why: &io::Error) -> Option<Self> {
        let hint = more_room(why)?;
        Some(Self::new(ErrorKind::RolledBack, text).hint(hint))
    }

    /// It was cancelled in time.
    pub(crate) fn cancelled() -> Self {
        Self::new(ErrorKind::Cancelled, CANCELLED)
    }

    /// The same error after what a crash left was completed, a sentence each. A cancellation then cannot say that nothing
    /// was changed.
    #[must_use]
    pub fn after(self, done: &[Foreign]) -> Self {
        if self.kind != ErrorKind::Cancelled || done.is_empty() {
            return self;
        }
        let last: &[u8] = if self.text.as_bytes() == CANCELLED.as_bytes() {
            b"The new operation was then canceled; it changed nothing."
        } else {
            self.text.as_bytes()
        };
        let done = done.iter().map(Foreign::as_bytes);
        let text: Vec<&[u8]> = done.chain([last]).collect();
        Self {
            text: text.join(&b' ').into(),
            ..self
        }
    }
}

/// The disk is neither as before nor as planned, or could not be read. `hints` say where everything is and what to do.
pub(super) fn unclear(text: impl Into<Foreign>, hints: Vec<Foreign>) -> ApplyError {
    ApplyError {
        hints,
        ..ApplyError::new(ErrorKind::Unclear, text)
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
