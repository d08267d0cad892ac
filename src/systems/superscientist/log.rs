//! `progress.log`: one line a happening, in every dialect that was seen (format note, section b.3).

use std::collections::HashMap;

use crate::formats::jsonl;
use crate::formats::stamp;
use crate::model::{EventMark, LocalTime, Stamp, Zone};

/// How a line begins that says that a recovery was taken back: status lines before it no longer hold.
pub(crate) const TAKEN_BACK: &str = "Recovery taken back:";

/// Longer lines are kept to this many bytes.
const LINE_CAP: usize = 64 << 10;

/// One line of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct LogLine {
    /// Counted from 1.
    pub(crate) number: u64,
    pub(crate) at: Option<Stamp>,
    /// The stamp as written, where it is no time.
    pub(crate) at_text: Option<String>,
    pub(crate) message: String,
    /// The integer of the stage it speaks of.
    pub(crate) stage: Option<u64>,
    /// The status it states.
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
    /// The last status the log states for each stage, with its line.
    pub(crate) statuses: HashMap<u64, (String, u64)>,
    /// The last line that says that a recovery was taken back.
    pub(crate) taken_back: Option<u64>,
    /// When the log last says that a stage began to run; only where it states the zone.
    pub(crate) launched: HashMap<u64, Stamp>,
}

impl Log {
    /// Reads a log.
    pub(crate) fn read(bytes: Vec<u8>, zone: &dyn LocalTime) -> Self {
        let lines: Vec<LogLine> = jsonl::lines(&bytes)
            .map(|line| read_line(&line, zone))
            .collect();
        let mut log = Self::default();
        for line in &lines {
            if line.message.starts_with(TAKEN_BACK) {
                log.taken_back = Some(line.number);
            }
            // A cut line may state less than it was going to: `ready` out of `ready for …`.
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

    /// A log that is not there.
    pub(crate) fn missing(why: String) -> Self {
        Self {
            missing: Some(why),
            ..Self::default()
        }
    }

    /// What the workflow is for, as the first line says it.
    pub(crate) fn purpose(&self) -> Option<&str> {
        self.lines
            .iter()
            .find(|line| line.message.starts_with("Workflow created:"))
            .and_then(|line| line.message.split_once("Purpose:"))
            .map(|(_, purpose)| purpose.trim())
            .filter(|purpose| !purpose.is_empty())
    }

    /// Sessions that were announced and never closed, but for a last one.
    pub(crate) fn sessions(&self) -> Sessions {
        let mut seen = Sessions::default();
        for line in &self.lines {
            match session_edge(&line.message) {
                Some(Edge::Start) => {
                    seen.started += 1;
                    seen.open += 1;
                }
                Some(Edge::End) => {
                    seen.ended += 1;
                    seen.open = seen.open.saturating_sub(1);
                }
                None => {}
            }
        }
        seen
    }
}

/// Counts of sessions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Sessions {
    pub(crate) started: u64,
    pub(crate) ended: u64,
    /// Begun without a line that ends them.
    pub(crate) open: u64,
}

enum Edge {
    Start,
    End,
}

/// The agent's own session lines; the runner numbers its sessions anew at each launch and is left out.
fn session_edge(message: &str) -> Option<Edge> {
    if message.starts_with("Session ending") || message.starts_with("Previous session ended") {
        return Some(Edge::End);
    }
    let rest = message.strip_prefix("Session ")?;
    let rest = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    if rest.starts_with(" started") {
        Some(Edge::Start)
    } else if rest.starts_with(" ended.") {
        Some(Edge::End)
    } else {
        None
    }
}

fn read_line(line: &jsonl::Line<'_>, zone: &dyn LocalTime) -> LogLine {
    let kept = line.bytes.get(..LINE_CAP).unwrap_or(line.bytes);
    let text = String::from_utf8_lossy(kept);
    let text = text.trim_end_matches('\0').trim();
    let split = text
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'))
        .map(|(at, message)| (at.trim(), message.trim()));
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

/// The stage a message speaks of, and the status it states: optional `(Name)`, `status`, either arrow, a word.
fn stage_status(message: &str) -> (Option<u64>, Option<String>) {
    let body = message.strip_prefix("Recovering ").unwrap_or(message);
    let Some(rest) = ["stage-", "Stage-", "stage ", "Stage "]
        .iter()
        .find_map(|prefix| body.strip_prefix(prefix))
    else {
        return (None, None);
    };
    let after = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    let digits = rest.strip_suffix(after).unwrap_or_default();
    let Ok(number) = digits.parse::<u64>() else {
        return (None, None);
    };
    (Some(number), stated(after))
}

fn stated(text: &str) -> Option<String> {
    let (before, after) = text.split_once("status")?;
    if !before.trim_end().ends_with(':') {
        return None;
    }
    let after = after.trim_start();
    let after = after
        .strip_prefix("->")
        .or_else(|| after.strip_prefix('→'))?
        .trim_start();
    let end = after
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .unwrap_or(after.len());
    let word = after.get(..end).unwrap_or_default();
    (!word.is_empty()).then(|| word.to_owned())
}

/// What kind of line it is, and whether it is a problem to jump to.
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
    let table: [(&str, &str, EventMark); 13] = [
        ("Workflow created", "created", EventMark::Plain),
        ("Workflow completed", "completed", EventMark::Plain),
        ("Workflow blocked", "blocked", EventMark::Error),
        ("Session", "session", EventMark::Plain),
        ("Previous session", "session", EventMark::Plain),
        ("Autonomous workflow runner", "runner", EventMark::Plain),
        ("PAUSED", "paused", EventMark::Warning),
        ("Resumed", "resumed", EventMark::Plain),
        ("WARNING", "warning", EventMark::Warning),
        ("ERROR", "error", EventMark::Error),
        ("Recovering", "recovery", EventMark::Warning),
        (TAKEN_BACK, "recovery", EventMark::Warning),
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
mod tests {
    use super::*;
    use crate::world::clock::FixedClock;

    fn zone() -> FixedClock {
        FixedClock(chrono::DateTime::parse_from_rfc3339("2026-06-01T00:00:00+02:00").unwrap())
    }

    #[test]
    fn reads_every_dialect_of_a_status_line() {
        let table = [
            (
                "stage-2 (Relax): status -> running (tmux: dpdisp_stage-2)",
                Some(2),
                Some("running"),
            ),
            (
                "Stage 2 (Relax): status → failed (exit 1)",
                Some(2),
                Some("failed"),
            ),
            (
                "stage-3: status -> post_processing",
                Some(3),
                Some("post_processing"),
            ),
            (
                "stage-4 (A (b): c): status -> ready",
                Some(4),
                Some("ready"),
            ),
            ("stage-2: retry #1 after fix: smaller step", Some(2), None),
            (
                "Recovering stage-5: re-launching DPDispatcher",
                Some(5),
                None,
            ),
            ("Stage 7 still running (tmux: x)", Some(7), None),
            ("stage-x: status -> ready", None, None),
            ("the status -> ready of stage-1", None, None),
        ];
        for (message, stage, status) in table {
            assert_eq!(
                stage_status(message),
                (stage, status.map(str::to_owned)),
                "{message}"
            );
        }
    }

    #[test]
    fn a_torn_last_line_states_no_status() {
        let log = Log::read(
            b"[2026-06-01T10:00:00+02:00] stage-1: status -> running\n[2026-06-01T11:00:00+02:00] stage-1: status -> completed".to_vec(),
            &zone(),
        );
        assert_eq!(log.statuses.get(&1), Some(&("running".to_owned(), 1)));
        assert!(!log.lines[1].ended);
    }

    #[test]
    fn a_stamp_without_zone_orders_nothing() {
        let log = Log::read(
            b"[2026-06-01 10:00] stage-1: status -> running\n".to_vec(),
            &zone(),
        );
        assert!(log.launched.is_empty());
        assert_eq!(log.lines[0].at.unwrap().zone, Zone::Assumed);
    }

    #[test]
    fn counts_sessions_that_never_ended() {
        let text = "[t] Session 1 started. x\n[t] Session ending: budget exhausted (6/6)\n[t] Session 2 started.\n[t] Session 1 ended: 431s, +2 stages, status=in_progress\n";
        let seen = Log::read(text.as_bytes().to_vec(), &zone()).sessions();
        assert_eq!((seen.started, seen.ended, seen.open), (2, 1, 1));
    }
}
