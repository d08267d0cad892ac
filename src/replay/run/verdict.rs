//! What the end of a runner means for its dispatch: a result, an error, or another attempt.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::time::Duration;

use super::Ended;
use crate::model::{DispatchStatus, Foreign};
use crate::text::format::list_first;
use crate::world::runner::{End, Outcome};

/// The longest summary, in characters.
const SUMMARY: usize = 300;

/// The result of an attempt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum AttemptResult {
    /// It has its end.
    Final(Ended),
    /// An error that says nothing about the template and may not happen again.
    Retry(Ended),
    /// It was stopped for the person, and has no end.
    Cancelled,
    /// The machine or a person ended it from outside, so that it has no end: why.
    CutShort(String),
}

/// Judges an outcome. Status 0 is an answer, another status one without success; whatever kept a runner from
/// giving its own is an error of execution.
pub(super) fn of(outcome: &Outcome) -> AttemptResult {
    let said = line(&outcome.last_line);
    let ended = |status, summary: String| Ended {
        status,
        duration_s: (outcome.took + Duration::from_millis(500)).as_secs(),
        summary: Foreign::from(cut(&summary, SUMMARY)),
        output_chars: outcome.chars,
    };
    let error = |why: String| ended(DispatchStatus::Error, with(why, &said));
    // The output is compared later: without it, even a success proves nothing.
    if let (Some(why), End::Exited(_)) = (&outcome.unkept, &outcome.end) {
        return AttemptResult::Retry(error(format!("its output could not be saved: {why}")));
    }
    match &outcome.end {
        End::Cancelled => AttemptResult::Cancelled,
        End::Exited(0) => AttemptResult::Final(ended(
            DispatchStatus::Completed,
            noted(or(said, "it printed nothing"), outcome),
        )),
        // A runner that reported a failure has answered: trying again would bias the comparison towards success.
        End::Exited(status) => {
            let summary = or(
                said,
                &format!("exit status {status}, and it printed nothing"),
            );
            AttemptResult::Final(ended(DispatchStatus::Failed, noted(summary, outcome)))
        }
        End::Signalled(signal) if outcome.end.is_from_outside() => {
            AttemptResult::CutShort(format!("ended from outside by signal {signal}"))
        }
        End::Signalled(signal) => AttemptResult::Retry(error(format!("ended by signal {signal}"))),
        End::TimedOut => AttemptResult::Retry(error(format!(
            "stopped after {} s without an end",
            outcome.took.as_secs()
        ))),
        End::NotStarted(why) => AttemptResult::Retry(error(why.clone())),
        // No attempt can succeed without what is missing, so it is not tried again.
        End::Missing(why) => AttemptResult::Final(error(why.clone())),
    }
}

fn or(said: String, instead: &str) -> String {
    if said.is_empty() {
        instead.to_owned()
    } else {
        said
    }
}

/// Why there is no answer, and the last word that came.
fn with(why: String, said: &str) -> String {
    if said.is_empty() {
        why
    } else {
        format!("{why}; last: {said}")
    }
}

/// The summary, with notes about processes that were still running and about output that was not saved.
fn noted(summary: String, outcome: &Outcome) -> String {
    let mut notes = String::new();
    if !outcome.left_behind.is_empty() {
        // The first few names, each once, the rest counted.
        let names = outcome.left_behind.iter().map(|name| line(name.as_bytes()));
        let names = list_first(names.collect::<BTreeSet<String>>(), 3);
        let _ = write!(notes, " (still running, then ended: {names})");
    }
    if outcome.kept < outcome.bytes {
        let (bytes, kept) = (outcome.bytes, outcome.kept);
        let _ = write!(
            notes,
            " (of {bytes} bytes that it printed, {kept} were kept)"
        );
    }
    if notes.is_empty() {
        return summary;
    }
    cut(&summary, SUMMARY.saturating_sub(notes.chars().count())) + &notes
}

/// At most so many characters, the last of them a `…` where something was cut off.
fn cut(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let mut kept: String = text.chars().take(most.saturating_sub(1)).collect();
    kept.push('…');
    kept
}

/// A line of a terminal as a line of text: what a carriage return wrote over, the sequences that colour it and
/// every other control character are left out.
fn line(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    let shown = text.trim_end().rsplit('\r').next().unwrap_or_default();
    let mut signs = shown.chars().peekable();
    let mut kept = String::new();
    while let Some(sign) = signs.next() {
        if sign == '\u{1b}' && signs.next_if_eq(&'[').is_some() {
            // A sequence ends with its first letter or sign from `@` to `~`.
            while signs.next_if(|sign| !('@'..='~').contains(sign)).is_some() {}
            let _end = signs.next();
        } else if sign == '\t' {
            kept.push(' ');
        } else if !sign.is_control() {
            kept.push(sign);
        }
    }
    kept.trim().to_owned()
}

#[cfg(test)]
mod tests;
