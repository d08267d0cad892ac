//! The sessions of a pipeline as a table, and the one that a word means.

use chrono::{DateTime, FixedOffset};

use super::dispatches;
use crate::clean;
use crate::cli::answer::{Line, Span, Tone};
use crate::cli::args::Target;
use crate::cli::commands::words::{age, under};
use crate::cli::table::{Column, lay_out};
use crate::engine::{EngineError, ErrorKind};
use crate::model::{Clean, DispatchCounts, PipelineId, ReplaySession, SessionState, shell_word};

const COLUMNS: [Column; 5] = [
    Column::fixed("REPLAY"),
    Column::fixed("STATE"),
    Column::gives("DISPATCHES", [24, 12], 2),
    Column::right("BEGUN"),
    Column::gives("SWAPPED", [20, 10], 3),
];

/// A table of sessions, what is odd about each, and what to type next.
pub(in crate::cli::commands) fn page(
    all: &[ReplaySession],
    pipeline: &str,
    now: DateTime<FixedOffset>,
    width: usize,
) -> Vec<Line> {
    let rows: Vec<Vec<Span>> = all.iter().map(|one| row(one, now)).collect();
    let mut lines = lay_out(&COLUMNS, &rows, width);
    lines.extend(troubles(all, width));
    lines.extend(next(all, pipeline));
    lines
}

fn row(session: &ReplaySession, now: DateTime<FixedOffset>) -> Vec<Span> {
    let mut swapped: Vec<String> = session
        .mutations
        .iter()
        .map(|text| text.clean().into_string())
        .collect();
    if session.in_place {
        swapped.push("(in place)".to_owned());
    }
    let swapped = Clean::from_clean_parts(format_args!("{}", swapped.join(", ")));
    vec![
        Span(Tone::Strong, Clean::new(&session.id.0)),
        state(session.state),
        Span::plain(counts(session.dispatches)),
        Span(Tone::Faint, age(session.started_at, now)),
        Span::plain(swapped),
    ]
}

/// The state, as words.
pub(super) fn state(state: SessionState) -> Span {
    let (tone, word) = match state {
        SessionState::Running => (Tone::Strong, "running"),
        SessionState::Done => (Tone::Good, "done"),
        SessionState::Interrupted => (Tone::Bad, "interrupted"),
        SessionState::Cancelled => (Tone::Warn, "cancelled"),
        SessionState::HandedOver => (Tone::Plain, "handed over"),
        SessionState::Unreadable => (Tone::Bad, "unreadable"),
    };
    Span(tone, Clean::new(word))
}

/// `5 done, 1 failed, 3 left`.
pub(super) fn counts(counts: DispatchCounts) -> Clean {
    let errors = if counts.error == 1 { "error" } else { "errors" };
    let said: Vec<String> = [
        (counts.done, "done"),
        (counts.failed, "failed"),
        (counts.error, errors),
        (counts.left, "left"),
    ]
    .into_iter()
    .filter(|(count, _)| *count > 0)
    .map(|(count, word)| format!("{count} {word}"))
    .collect();
    if said.is_empty() {
        return Clean::new("none");
    }
    Clean::new(&said.join(", "))
}

/// What is odd, under the id that it is about.
pub(super) fn troubles(all: &[ReplaySession], width: usize) -> Vec<Line> {
    let one = |session: &ReplaySession| {
        let say = |text: &crate::model::Foreign| {
            let head = Span(Tone::Warn, Clean::new("  ! "));
            let text = clean!("{}: {}", session.id.0, text);
            under(head, Tone::Plain, &text, width)
        };
        session.trouble.iter().flat_map(say).collect::<Vec<Line>>()
    };
    all.iter().flat_map(one).collect()
}

/// What to type next: what can go on before what can be compared.
fn next(all: &[ReplaySession], pipeline: &str) -> Vec<Line> {
    let mut lines = vec![vec![]];
    let mut say = |key: &str, line: String| {
        lines.push(vec![
            Span(Tone::Faint, Clean::new(&format!("{key:<12}"))),
            Span(Tone::Strong, Clean::new(&line)),
        ]);
    };
    if let Some(left) = all.iter().find(|one| one.state.can_continue()) {
        say("go on", go_on(pipeline, left));
    }
    if let Some(newest) = all.iter().find(|one| one.state == SessionState::Done) {
        say("compare", compare(pipeline, newest));
    }
    if lines.len() == 1 {
        return Vec::new();
    }
    lines
}

/// `relight replay P --continue S`.
pub(super) fn go_on(pipeline: &str, session: &ReplaySession) -> String {
    format!("relight replay {pipeline} --continue {}", session.id)
}

/// `relight compare P original GROUP`: all repeats of the experiment at once.
pub(super) fn compare(pipeline: &str, session: &ReplaySession) -> String {
    format!("relight compare {pipeline} original {}", operand(session))
}

/// The word for a session's experiment: the group where there are several runs.
pub(super) fn operand(session: &ReplaySession) -> &str {
    if session.repeat.1 > 1 {
        &session.group.0
    } else {
        &session.id.0
    }
}

/// The pipeline as it was typed, because that finds it again from here; its id where that must not be copied.
pub(in crate::cli::commands) fn typed(target: &Target, id: &PipelineId) -> String {
    let typed = target.pipeline.to_str();
    typed
        .filter(|word| *word != id.0)
        .and_then(shell_word)
        .unwrap_or_else(|| id.0.clone())
}

/// The session that is meant: the one that was named, else the newest that can go on.
pub(super) fn meant<'a>(
    all: &'a [ReplaySession],
    word: &str,
) -> Result<&'a ReplaySession, EngineError> {
    if word.is_empty() {
        return all
            .iter()
            .find(|one| one.state.can_continue())
            .ok_or_else(|| {
                let text = "No replay of this pipeline was cut short or cancelled.";
                EngineError::new(ErrorKind::NotFound, text).hint("--list shows its replays.")
            });
    }
    let exact = all.iter().find(|one| one.id.0 == word);
    let fits: Vec<&ReplaySession> = all
        .iter()
        .filter(|one| one.id.0.starts_with(word))
        .collect();
    let found = match (exact, fits.as_slice()) {
        (Some(one), _) => one,
        (None, [one]) => one,
        (None, []) => {
            let text = format!("There is no replay {word} of this pipeline.");
            return Err(
                EngineError::new(ErrorKind::NotFound, text).hint("--list shows its replays.")
            );
        }
        // Of the runs of one experiment there is often one alone that can go on.
        (None, several) => {
            let mut open = several.iter().filter(|one| one.state.can_continue());
            match (open.next(), open.next()) {
                (Some(one), None) => *one,
                _ => return Err(ambiguous(word, several)),
            }
        }
    };
    if found.state.can_continue() {
        return Ok(found);
    }
    let why = match found.state {
        SessionState::Running => "is being run now",
        SessionState::Done => "was run to its end",
        SessionState::HandedOver => "was handed over; whoever runs its dispatches goes on with it",
        SessionState::Unreadable => "cannot be read",
        SessionState::Interrupted | SessionState::Cancelled => "can go on",
    };
    let text = format!("Replay {} {why}.", found.id);
    Err(EngineError::new(ErrorKind::Refused, text).hint("--list shows its replays."))
}

fn ambiguous(word: &str, fits: &[&ReplaySession]) -> EngineError {
    let text = format!("{word} may mean {} replays.", fits.len());
    let named: Vec<String> = fits.iter().take(8).map(|one| one.id.0.clone()).collect();
    EngineError::new(ErrorKind::Ambiguous, text).hint(format!("Name one: {}.", named.join(", ")))
}

/// `5 runs of 6 dispatches each`.
pub(super) fn runs(all: &[ReplaySession]) -> String {
    let total = |one: &ReplaySession| {
        let counts = one.dispatches;
        counts.done + counts.failed + counts.error + counts.left
    };
    let each = all.iter().map(total).max().unwrap_or_default();
    match all.len() {
        1 => dispatches(each),
        many => format!("{many} runs of {} each", dispatches(each)),
    }
}
