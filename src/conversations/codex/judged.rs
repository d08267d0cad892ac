//! How the last turn of a conversation of Codex ended.

use super::failure::Failure;
use super::{End, QUESTION, Turn};
use crate::conversations::claude::{Ending, ending};
use crate::conversations::limits::{self, Reset};
use crate::model::{CauseKind, Stamp, Sure};

impl End {
    /// The window that was used up when the last line was written.
    fn limit(&self) -> Option<(&'static str, Option<Stamp>)> {
        let passed = |resets: Stamp| self.last_at.is_some_and(|last| resets.at <= last.at);
        self.limit.filter(|(_, resets)| !resets.is_some_and(passed))
    }

    pub(super) fn ending(&self) -> Option<Ending> {
        let Some((turn, at, line)) = &self.turn else {
            // The file may have turns that are not in the part that was read.
            let text = "No beginning or end of a turn was found: how it ended is not known.";
            let unknown = Ending::new(CauseKind::Unknown, Sure::Guess, text, self.last_at, None);
            return self.last_at.map(|_| unknown);
        };
        let (kind, sure, text, until) = match turn {
            Turn::Open => self.open(),
            Turn::Complete { silent } => self.complete(*silent),
            Turn::Failed { failure, .. } => self.failed(failure),
            Turn::Aborted(kind, sure, text) => (*kind, *sure, text.clone(), None),
        };
        let at = match turn {
            Turn::Open => self.last_at.or(*at),
            Turn::Complete { .. } | Turn::Failed { .. } | Turn::Aborted(..) => *at,
        };
        let ending = Ending {
            until,
            ..Ending::new(kind, sure, text, at, *line)
        };
        Some(ending.before_unread(self.unread))
    }

    fn open(&self) -> Judged {
        use CauseKind as K;
        let open: Vec<&str> = self.open.iter().map(|(_, name)| name.as_str()).collect();
        if self.asked || open.last() == Some(&QUESTION) {
            let text = "The agent asked for an answer or an approval that it did not get.";
            (K::WaitingAnswer, Sure::Likely, text.to_owned(), None)
        } else if !open.is_empty() {
            (K::KilledInTool, Sure::Likely, ending::in_tools(&open), None)
        } else {
            self.probably_limited("The turn did not end").unwrap_or_else(|| {
                let text = "The turn did not end: it was killed, or met an error that was not recorded.";
                (K::KilledBetweenTurns, Sure::Guess, text.to_owned(), None)
            })
        }
    }

    fn complete(&self, silent: bool) -> Judged {
        let normal = (
            CauseKind::TurnEnded,
            Sure::Certain,
            ending::TURN_ENDED.to_owned(),
            None,
        );
        if !silent {
            return normal;
        }
        // Older versions end a turn that failed like any other, but without a reply.
        let limited = self.probably_limited("The turn ended without a reply");
        limited.unwrap_or((CauseKind::TurnEnded, Sure::Likely, normal.2, None))
    }

    fn probably_limited(&self, what: &str) -> Option<Judged> {
        let (label, resets) = self.limit()?;
        let text = format!("{what}, and the {label} was nearly used up: probably the usage limit.");
        Some((CauseKind::UsageLimit, Sure::Guess, text, resets))
    }

    fn failed(&self, failure: &Failure) -> Judged {
        let Failure {
            kind,
            sure,
            text,
            reset,
        } = failure;
        if *kind != CauseKind::UsageLimit {
            return (*kind, *sure, format!("{text}."), None);
        }
        let window = self.limit();
        let what = window.map(|(label, _)| format!("The {label} was reached"));
        let given = window.and_then(|(_, resets)| resets).map(Reset::At);
        let reset = given.as_ref().or(reset.as_ref());
        let text = limits::reached(what.as_ref().unwrap_or(text), reset);
        (*kind, *sure, text, reset.and_then(Reset::at))
    }
}

/// A cause, how sure it is, its sentence and the reset of its limit.
type Judged = (CauseKind, Sure, String, Option<Stamp>);
