//! `progress.log`: one line for each event, in every known dialect.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use crate::formats::{jsonl, stamp};
use crate::model::recovery::UNDONE;
use crate::model::{EventMark, LocalTime, Stamp, Zone};
use crate::systems::superscientist::shape::StageStatus;

/// How the line begins that each launch of the runner writes.
const RUNNER: &str = "Autonomous workflow runner";
/// The start of relight's line about a restored state file. Earlier lines stay evidence of work: results that they name
/// are verified, not made again.
pub(crate) const RESTORED: &str = "relight: state file restored:";
/// The start of relight's line about the undo of such a restore.
pub(crate) const RESTORE_UNDONE: &str = "relight: restore undone:";
/// The starts of relight's lines about an undone recovery: earlier status lines no longer count. Earlier versions of
/// relight wrote the second one.
const RESETS: [&str; 2] = [UNDONE, "Recovery taken back:"];

/// Longer lines are cut to this many bytes.
const LINE_CAP: usize = 64 << 10;

/// One line of the log. Its words are read again out of the log's bytes: a million lines cost little.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LogLine {
    /// Counted from 1.
    pub(crate) number: u64,
    pub(crate) at: Option<Stamp>,
    /// The number of its stage.
    pub(crate) stage: Option<u64>,
    span: jsonl::Span,
    /// False for a last line without its newline.
    pub(crate) ended: bool,
}

impl LogLine {
    /// False for a line that is not `[time] message`.
    pub(crate) fn is_formed(&self) -> bool {
        self.at.is_some()
    }
}

/// The log, as far as it could be read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Log {
    pub(crate) bytes: Vec<u8>,
    pub(crate) lines: Vec<LogLine>,
    /// Why it could not be read.
    pub(crate) missing: Option<String>,
    /// The last status of each stage in the log, with its line.
    statuses: HashMap<u64, (String, u64)>,
    /// The last line after which earlier status lines no longer count.
    reset: Option<u64>,
    /// When the last attempt at a stage began according to the log, with a job or without one; only if the time has a
    /// zone.
    pub(crate) launched: HashMap<u64, Stamp>,
}

impl Log {
    /// Reads a log.
    pub(crate) fn read(bytes: Vec<u8>, zone: &dyn LocalTime) -> Self {
        let lines = jsonl::lines(&bytes).map(|line| read_line(&line, zone));
        let mut lines: Vec<LogLine> = lines.collect();
        stamp::in_order(lines.iter_mut().map(|line| &mut line.at), zone);
        let mut log = Self::default();
        for line in &lines {
            let message = message(line, &bytes);
            if is_reset(&message) {
                log.reset = Some(line.number);
            }
            // A truncated line may have only part of a status: `ready` of `ready for …`.
            let (Some(stage), Some(status), true) = (line.stage, status(&message), line.ended)
            else {
                continue;
            };
            if let Some(at) = line.at.filter(|at| at.zone == Zone::Stated)
                && ["ready", "preparing", "running"].contains(&status)
            {
                log.launched.insert(stage, at);
            }
            let status = (status.to_owned(), line.number);
            log.statuses.insert(stage, status);
        }
        Self {
            bytes,
            lines,
            ..log
        }
    }

    /// The message of one of its lines.
    pub(crate) fn message(&self, line: &LogLine) -> Cow<'_, str> {
        message(line, &self.bytes)
    }

    /// The stamp of a line as written, if it is not a valid time.
    pub(crate) fn at_text(&self, line: &LogLine) -> Option<String> {
        let text = text(line.span.of(&self.bytes));
        let (at, _) = split(&text);
        (!line.is_formed() && !at.is_empty()).then(|| at.to_owned())
    }

    /// The messages of all lines, from both ends.
    pub(crate) fn messages(&self) -> impl DoubleEndedIterator<Item = Cow<'_, str>> {
        self.lines.iter().map(|line| self.message(line))
    }

    /// A log that does not exist.
    pub(crate) fn missing(why: String) -> Self {
        Self {
            missing: Some(why),
            ..Self::default()
        }
    }

    /// The last status of a stage in the log that no later line has undone, with its line.
    pub(crate) fn status(&self, stage: u64) -> Option<(&str, u64)> {
        let (word, line) = self.statuses.get(&stage)?;
        let holds = self.reset.is_none_or(|reset| reset < *line);
        holds.then_some((word.as_str(), *line))
    }

    /// When the last attempt at a stage failed, if no later one began according to the log.
    pub(crate) fn failed(&self, stage: u64) -> Option<Stamp> {
        let (_, number) = self.status(stage).filter(|(word, _)| *word == "failed")?;
        let line = self.lines.iter().rev().find(|line| line.number == number)?;
        line.at.filter(|at| at.zone == Zone::Stated)
    }

    /// The stages in the log, with the last status of each.
    pub(crate) fn stages(&self) -> BTreeMap<u64, &str> {
        let all = self.statuses.keys();
        all.filter_map(|stage| Some((*stage, self.status(*stage)?.0)))
            .collect()
    }

    /// True if the log has a completion of the workflow and no later status of a stage.
    pub(crate) fn is_completed(&self) -> bool {
        let tail = self.messages().rev();
        let mut tail = tail.take_while(|text| status(text).is_none() && !is_reset(text));
        tail.any(|text| text.starts_with("Workflow completed"))
    }

    /// The number of stages in the first line: `3 stages.`, or `Stages: 3 total`.
    pub(crate) fn planned(&self) -> Option<u64> {
        let created = self.created()?;
        let words: Vec<&str> = created.split_whitespace().collect();
        words.windows(2).find_map(|pair| match pair {
            [count, word] if word.trim_end_matches(['.', ',']) == "stages" => count.parse().ok(),
            ["Stages:", count] => count.parse().ok(),
            _ => None,
        })
    }

    /// The purpose of the workflow in the first line.
    pub(crate) fn purpose(&self) -> Option<String> {
        let created = self.created()?;
        let (_, purpose) = created.split_once("Purpose:")?;
        Some(purpose.trim().to_owned()).filter(|purpose| !purpose.is_empty())
    }

    /// The first line of a plan.
    fn created(&self) -> Option<Cow<'_, str>> {
        let mut messages = self.messages();
        messages.find(|text| text.starts_with("Workflow created:"))
    }

    /// Whether the runner chained sessions: every launch of it writes such a line.
    pub(crate) fn has_runner(&self) -> bool {
        self.messages().any(|text| text.starts_with(RUNNER))
    }

    /// Sessions that were started but not ended, except the last one.
    pub(crate) fn sessions(&self) -> Sessions {
        let mut seen = Sessions::default();
        for starts in self.messages().filter_map(|text| starts_session(&text)) {
            if starts {
                seen.started += 1;
                seen.open += 1;
            } else {
                seen.open = seen.open.saturating_sub(1);
            }
        }
        seen
    }
}

/// Counts of sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Sessions {
    pub(crate) started: u64,
    /// Started without a line that ends them.
    pub(crate) open: u64,
}

/// Whether one of the agent's own session lines starts a session; `None` for any other line. The runner's are left out,
/// because it starts numbering again at each launch.
fn starts_session(message: &str) -> Option<bool> {
    if message.starts_with("Session ending") || message.starts_with("Previous session ended") {
        return Some(false);
    }
    let rest = message.strip_prefix("Session ")?;
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let starts = rest.starts_with(" started");
    (starts || rest.starts_with(" ended.")).then_some(starts)
}

fn read_line(line: &jsonl::Line<'_>, zone: &dyn LocalTime) -> LogLine {
    let text = text(line.bytes);
    let (at, message) = split(&text);
    LogLine {
        number: line.number,
        at: stamp::parse(at, zone),
        stage: stage(message).map(|(number, _)| number),
        span: line.span(),
        ended: line.ended,
    }
}

/// The message of a line of a log with these bytes.
fn message<'a>(line: &LogLine, log: &'a [u8]) -> Cow<'a, str> {
    match text(line.span.of(log)) {
        Cow::Borrowed(text) => split(text).1.into(),
        Cow::Owned(text) => split(&text).1.to_owned().into(),
    }
}

/// The text of a line.
fn text(line: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(line.get(..LINE_CAP).unwrap_or(line))
}

/// The time and the message in the text of a line, without what a power cut left. All of it is the message if it has
/// another form.
fn split(text: &str) -> (&str, &str) {
    let text = text.trim_end_matches('\0').trim();
    let split = text.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    split.map_or(("", text), |(at, message)| (at.trim(), message.trim()))
}

/// The number of the stage that a message is about, and what follows it: an optional `(Name)`, `status`, either arrow, a
/// word.
fn stage(message: &str) -> Option<(u64, &str)> {
    let body = message.strip_prefix("Recovering ").unwrap_or(message);
    let mut prefixes = ["stage-", "Stage-", "stage ", "Stage "].iter();
    let rest = prefixes.find_map(|prefix| body.strip_prefix(prefix))?;
    let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = rest.strip_suffix(after)?.parse().ok()?;
    Some((number, after))
}

/// The status of a stage in a message.
pub(crate) fn status(message: &str) -> Option<&str> {
    stated(stage(message)?.1)
}

/// The status in a message: the last clause `status -> word`. A clause starts after the stage, a colon, or the end of a
/// sentence, as in `DPDISP_DONE exit=1. status -> failed. mpirun is missing`.
fn stated(text: &str) -> Option<&str> {
    let words = text.match_indices("status").filter_map(|(at, word)| {
        let before = text.get(..at)?.trim_end();
        let begins = before.ends_with([':', '.', ';', ',']);
        let after = text.get(at + word.len()..)?.trim_start();
        let arrow = after.strip_prefix("->").or_else(|| after.strip_prefix('→'));
        let words = arrow.filter(|_| begins)?.trim_start();
        let ends = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
        words.split(ends).next().filter(|word| !word.is_empty())
    });
    words.last()
}

fn is_reset(message: &str) -> bool {
    RESETS.iter().any(|start| message.starts_with(start))
}

/// True if a status in the log is later than the one in the state file, which is written first: then the state file was
/// truncated, restored or lost. A status that may come from an earlier attempt does not count.
pub(crate) fn is_ahead(state: StageStatus, logged: StageStatus) -> bool {
    use StageStatus::{
        Completed, Failed, Invalidated, Pending, PostProcessing, Preparing, Ready, Running,
        Skipped, Unknown,
    };
    match state {
        Pending => !matches!(logged, Pending | Ready | Skipped | Invalidated | Unknown),
        Ready => matches!(logged, Preparing | Running | PostProcessing | Completed),
        Preparing => matches!(logged, Running | PostProcessing | Completed | Failed),
        Running => matches!(logged, PostProcessing | Completed | Failed),
        PostProcessing => matches!(logged, Completed | Failed),
        Failed => logged == Completed,
        Completed | Invalidated | Skipped | Unknown => false,
    }
}

/// The kind of a line with this message, and whether it is a problem to jump to, as every truncated line is.
pub(crate) fn classify(line: &LogLine, text: &str) -> (&'static str, EventMark) {
    let (kind, mark) = kind(line, text);
    let least = if line.ended {
        EventMark::Plain
    } else {
        EventMark::Warning
    };
    (kind, mark.max(least))
}

fn kind(line: &LogLine, text: &str) -> (&'static str, EventMark) {
    if let Some(status) = status(text) {
        let mark = match status {
            "failed" => EventMark::Error,
            "invalidated" | "skipped" => EventMark::Warning,
            _ => EventMark::Plain,
        };
        return ("status", mark);
    }
    if is_reset(text) {
        return ("recovery", EventMark::Warning);
    }
    let table: [(&str, &str, EventMark); 14] = [
        ("Workflow created", "created", EventMark::Plain),
        ("Workflow completed", "completed", EventMark::Plain),
        ("Workflow blocked", "blocked", EventMark::Error),
        ("Session", "session", EventMark::Plain),
        ("Previous session", "session", EventMark::Plain),
        (RUNNER, "runner", EventMark::Plain),
        ("PAUSED", "paused", EventMark::Warning),
        ("Resumed", "resumed", EventMark::Plain),
        ("WARNING", "warning", EventMark::Warning),
        ("ERROR", "error", EventMark::Error),
        ("Recovering", "recovery", EventMark::Warning),
        (RESTORED, "recovery", EventMark::Warning),
        (RESTORE_UNDONE, "recovery", EventMark::Warning),
        ("Amendment", "amendment", EventMark::Plain),
    ];
    if let Some((_, kind, mark)) = table.iter().find(|(start, ..)| text.starts_with(start)) {
        return (kind, *mark);
    }
    if text.contains(": retry #") {
        return ("retry", EventMark::Warning);
    }
    if line.is_formed() {
        ("note", EventMark::Plain)
    } else {
        ("text", EventMark::Warning)
    }
}

#[cfg(test)]
mod tests;
