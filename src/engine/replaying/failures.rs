//! The errors of replays that could not be begun or continued, or that stopped in the middle.

use std::io;

use super::super::{EngineError, ErrorKind};
use crate::model::{ReplaySession, SessionId};

pub(super) fn no_session(id: &SessionId) -> EngineError {
    EngineError::new(ErrorKind::NotFound, format!("There is no replay {id}."))
}

/// A session could not be begun.
pub(super) fn not_begun(error: &io::Error) -> EngineError {
    failed(
        error,
        "begun",
        "Nothing was kept; the original was not changed.",
    )
}

/// A session could not be continued.
pub(super) fn not_continued(error: &io::Error) -> EngineError {
    failed(error, "continued", "Its results are kept.")
}

fn failed(error: &io::Error, what: &str, hint: &str) -> EngineError {
    let (kind, text, hint) = if error.kind() == io::ErrorKind::ResourceBusy {
        (
            ErrorKind::Refused,
            "Another relight is working on the session or its project.".to_owned(),
            "Wait for it to end; nothing was changed.",
        )
    } else if error.kind() == io::ErrorKind::AlreadyExists {
        (
            ErrorKind::Refused,
            "Another relight started a replay of this pipeline at the same moment.".to_owned(),
            "Run the same command again.",
        )
    } else if error.kind() == io::ErrorKind::InvalidData {
        (
            ErrorKind::Unreadable,
            error.to_string(),
            "Its files are left as they are.",
        )
    } else {
        (
            ErrorKind::Refused,
            format!("The replay could not be {what}: {error}."),
            hint,
        )
    };
    EngineError::new(kind, text).hint(hint)
}

/// A session stopped in the middle. What was written down stays.
pub(super) fn cut_short(error: &io::Error, session: Option<&ReplaySession>) -> EngineError {
    let text = format!("The replay stopped: {error}.");
    let error = EngineError::new(ErrorKind::Unclear, text);
    match session {
        Some(one) => error.hint(format!(
            "Everything so far is kept. To continue: relight replay {} --continue {}",
            one.pipeline, one.id
        )),
        None => error,
    }
}

/// The same error, with what was run before.
pub(super) fn begun(error: EngineError, done: &[ReplaySession]) -> EngineError {
    if done.is_empty() {
        return error;
    }
    let ids: Vec<&str> = done.iter().map(|one| one.id.0.as_str()).collect();
    error.hint(format!("Already there: {}.", ids.join(", ")))
}
