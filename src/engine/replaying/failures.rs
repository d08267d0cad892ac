//! The errors of replays that could not be begun or continued, or that stopped in the middle.

use std::io;

use super::super::{EngineError, ErrorKind, Result};
use crate::model::{ReplaySession, SessionId};

pub(in crate::engine) fn no_session(id: &SessionId) -> EngineError {
    EngineError::new(ErrorKind::NotFound, format!("There is no replay {id}."))
}

/// What begins a session. An error says that it could not be begun.
pub(super) fn begins<T>(begun: io::Result<T>) -> Result<T> {
    let hint = "Nothing was kept; the original was not changed.";
    begun.map_err(|error| failed(&error, "begun", hint))
}

/// What continues a session. An error says that it could not be continued.
pub(super) fn continues<T>(continued: io::Result<T>) -> Result<T> {
    continued.map_err(|error| failed(&error, "continued", "Its results are kept."))
}

fn failed(error: &io::Error, what: &str, hint: &str) -> EngineError {
    if error.kind() == io::ErrorKind::ResourceBusy {
        EngineError::refused("Another relight is working on the session or its project.")
            .hint("Wait for it to end; nothing was changed.")
    } else if error.kind() == io::ErrorKind::AlreadyExists {
        let text = "Another relight started a replay of this pipeline at the same moment.";
        EngineError::refused(text).hint("Run the same command again.")
    } else if error.kind() == io::ErrorKind::InvalidData {
        EngineError::unreadable(error.to_string()).hint("Its files are left as they are.")
    } else {
        let text = format!("The replay could not be {what}: {error}.");
        EngineError::refused(text).hint(hint)
    }
}

/// A session stopped in the middle. What was written down stays.
pub(super) fn cut_short(error: &io::Error, session: &ReplaySession) -> EngineError {
    let text = format!("The replay stopped: {error}.");
    EngineError::new(ErrorKind::Unclear, text).hint(format!(
        "Everything so far is kept. To continue: relight replay {} --continue {}",
        session.pipeline, session.id
    ))
}

/// The same error, with what was run before.
pub(super) fn begun(error: EngineError, done: &[ReplaySession]) -> EngineError {
    if done.is_empty() {
        return error;
    }
    let ids: Vec<&str> = done.iter().map(|one| one.id.0.as_str()).collect();
    error.hint(format!("Already there: {}.", ids.join(", ")))
}
