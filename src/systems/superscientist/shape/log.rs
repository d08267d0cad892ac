//! `progress.log`: one line for each event, in every known dialect.

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

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LogLine {
    /// Counted from 1.
    pub(crate) number: u64,
    pub(crate) at: Option<Stamp>,
    /// The stamp as written, if it is not a valid time.
    pub(crate) at_text: Option<String>,
    pub(crate) message: String,
    /// The number of its stage.
    pub(crate) stage: Option<u64>,
    /// Its status.
    pub(crate) status: Option<String>,
    /// False for a last line without its newline.
    pub(crate) ended: bool,
    /// False for a line that is not `[time] message`.
    pub(crate) formed: bool,
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
    /// When a stage started to run according to the log; only if the time has a zone.
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
            if is_reset(&line.message) {
                log.reset = Some(line.number);
            }
            // A truncated line may have only part of a status: `ready` of `ready for …`.
            let (Some(stage), Some(status), true) = (line.stage, &line.status, line.ended) else {
                continue;
            };
            log.statuses.insert(stage, (status.clone(), line.number));
            if let Some(at) = line.at.filter(|at| at.zone == Zone::Stated)
                && status == "running"
            {
                log.launched.insert(stage, at);
            }
        }
        Self {
            bytes,
            lines,
            ..log
        }
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

    /// The stages in the log, with the last status of each.
    pub(crate) fn stages(&self) -> BTreeMap<u64, &str> {
        let all = self.statuses.keys();
        all.filter_map(|stage| Some((*stage, self.status(*stage)?.0)))
            .collect()
    }

    /// True if the log has a completion of the workflow and no later status of a stage.
    pub(crate) fn is_completed(&self) -> bool {
        let completed = |line: &LogLine| line.message.starts_with("Workflow completed");
        let tail = self.lines.iter().rev();
        let mut tail = tail.take_while(|line| line.status.is_none() && !is_reset(&line.message));
        tail.any(completed)
    }

    /// The number of stages in the first line: `3 stages.`, or `Stages: 3 total`.
    pub(crate) fn planned(&self) -> Option<u64> {
        let words: Vec<&str> = self.created()?.split_whitespace().collect();
        words.windows(2).find_map(|pair| match pair {
            [count, word] if word.trim_end_matches(['.', ',']) == "stages" => count.parse().ok(),
            ["Stages:", count] => count.parse().ok(),
            _ => None,
        })
    }

    /// The purpose of the workflow in the first line.
    pub(crate) fn purpose(&self) -> Option<&str> {
        let (_, purpose) = self.created()?.split_once("Purpose:")?;
        Some(purpose.trim()).filter(|purpose| !purpose.is_empty())
    }

    /// The first line of a plan.
    fn created(&self) -> Option<&str> {
        let mut messages = self.lines.iter().map(|line| line.message.as_str());
        messages.find(|message| message.starts_with("Workflow created:"))
    }

    /// Whether the runner chained sessions: every launch of it writes such a line.
    pub(crate) fn has_runner(&self) -> bool {
        let mut lines = self.lines.iter();
        lines.any(|line| line.message.starts_with(RUNNER))
    }

    /// Sessions that were started but not ended, except the last one.
    pub(crate) fn sessions(&self) -> Sessions {
        let mut seen = Sessions::default();
        for starts in self
            .lines
            .iter()
            .filter_map(|line| starts_session(&line.message))
        {
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
    let kept = line.bytes.get(..LINE_CAP).unwrap_or(line.bytes);
    let text = String::from_utf8_lossy(kept);
    let text = text.trim_end_matches('\0').trim();
    let split = text.strip_prefix('[').and_then(|rest| rest.split_once(']'));
    let split = split.map(|(at, message)| (at.trim(), message.trim()));
    let (at_text, message) = split.unwrap_or(("", text));
    let at = stamp::parse(at_text, zone);
    let (stage, status) = stage_status(message);
    LogLine {
        number: line.number,
        at,
        at_text: (at.is_none() && !at_text.is_empty()).then(|| at_text.to_owned()),
        message: message.to_owned(),
        stage,
        status,
        ended: line.ended,
        formed: split.is_some() && at.is_some(),
    }
}

/// The stage and the status in a message: an optional `(Name)`, `status`, either arrow, a word.
fn stage_status(message: &str) -> (Option<u64>, Option<String>) {
    let body = message.strip_prefix("Recovering ").unwrap_or(message);
    let mut prefixes = ["stage-", "Stage-", "stage ", "Stage "].iter();
    let rest = prefixes.find_map(|prefix| body.strip_prefix(prefix));
    let rest = rest.unwrap_or_default();
    let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = rest.strip_suffix(after).unwrap_or_default();
    match digits.parse() {
        Ok(number) => (Some(number), stated(after)),
        Err(_) => (None, None),
    }
}

/// The status in a message: the last clause `status -> word`. A clause starts after the stage, a colon, or the end of a
/// sentence, as in `DPDISP_DONE exit=1. status -> failed. mpirun is missing`.
fn stated(text: &str) -> Option<String> {
    let words = text.match_indices("status").filter_map(|(at, word)| {
        let before = text.get(..at)?.trim_end();
        let begins = before.ends_with([':', '.', ';', ',']);
        let after = text.get(at + word.len()..)?.trim_start();
        let arrow = after.strip_prefix("->").or_else(|| after.strip_prefix('→'));
        let words = arrow.filter(|_| begins)?.trim_start();
        let ends = |c: char| !(c.is_ascii_alphanumeric() || c == '_');
        words.split(ends).next().filter(|word| !word.is_empty())
    });
    words.last().map(str::to_owned)
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

/// The kind of a line, and whether it is a problem to jump to.
pub(crate) fn classify(line: &LogLine) -> (&'static str, EventMark) {
    let text = line.message.as_str();
    if let Some(status) = line.status.as_deref() {
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
    if line.formed {
        ("note", EventMark::Plain)
    } else {
        ("text", EventMark::Warning)
    }
}

#[cfg(test)]
mod tests;
