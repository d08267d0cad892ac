//! The records that an orchestrator writes while it works, so that its first new one can be recognized after a
//! hand-off. A system names its files and parses their records; `engine::watch` decides which are new.

use std::sync::Arc;

use crate::formats::jsonl;
use crate::model::{Foreign, LocalTime, Place, Stamp, StepNews};
use crate::world::World;

/// One record of an orchestrator. The reader leaves out relight's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// Identifies the record in a file that is rewritten each time; ignored in a log.
    pub key: String,
    /// The record as one line.
    pub text: Foreign,
    /// Its line in the file, counted from 1; ignored in a log, where lines are counted.
    pub line: Option<u64>,
    /// Its time, if recorded.
    pub at: Option<Stamp>,
    /// Its news about steps.
    pub step: StepNews,
}

impl Record {
    /// The same record with its line.
    #[must_use]
    pub(crate) fn at_line(mut self, line: Option<u64>) -> Self {
        self.line = line;
        self
    }

    /// A record without news about steps.
    pub fn new(key: impl Into<String>, text: impl Into<Foreign>, at: Option<Stamp>) -> Self {
        Self {
            key: key.into(),
            text: text.into(),
            line: None,
            at,
            step: StepNews::default(),
        }
    }
}

/// Parses records from one complete line of a log, or from the content of a state file.
pub type Reader = Arc<dyn Fn(&[u8], &dyn LocalTime) -> Vec<Record> + Send + Sync>;

/// How a file grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TrailKind {
    /// Complete lines are appended.
    Log,
    /// The file is rewritten; its records are compared by key.
    State,
}

/// A file to which an orchestrator writes records. It may not exist yet.
#[derive(Clone)]
pub struct Trail {
    /// The file.
    pub place: Place,
    /// How it grows.
    pub kind: TrailKind,
    /// Reads it.
    pub read: Reader,
}

impl Trail {
    /// A log, with the reader of one of its lines.
    pub fn log(
        place: Place,
        read: impl Fn(&[u8], &dyn LocalTime) -> Option<Record> + Send + Sync + 'static,
    ) -> Self {
        Self {
            place,
            kind: TrailKind::Log,
            read: Arc::new(move |line, zone| read(line, zone).into_iter().collect()),
        }
    }

    /// A state file, with the reader of its content.
    pub fn state(
        place: Place,
        read: impl Fn(&[u8], &dyn LocalTime) -> Vec<Record> + Send + Sync + 'static,
    ) -> Self {
        Self {
            place,
            kind: TrailKind::State,
            read: Arc::new(read),
        }
    }
}

/// A line as a JSON object; `None` if it is not a complete one.
pub(crate) fn object(line: &[u8]) -> Option<serde_json::Map<String, serde_json::Value>> {
    jsonl::parse(&jsonl::lines(line).next()?).object()
}

/// The commits that move a work tree's HEAD, from its reflog: the only record of an orchestrator that forgets to write
/// its state file.
pub(crate) fn commits(dir: &std::path::Path, world: &dyn World) -> Option<Trail> {
    let repo = world.git().repo(dir).ok()?;
    let place = Place::known(repo.git_dir, "logs/HEAD").ok()?;
    Some(Trail::log(place, commit))
}

/// `old new Name <mail> 1763712000 +0100<TAB>commit: subject`.
fn commit(line: &[u8], _: &dyn LocalTime) -> Option<Record> {
    let tab = memchr::memchr(b'\t', line)?;
    let (head, message) = line.split_at_checked(tab)?;
    let message = message.trim_ascii();
    if !message.starts_with(b"commit") {
        return None;
    }
    let seconds = head.rsplit(|b| *b == b' ').nth(1)?;
    let seconds = std::str::from_utf8(seconds).ok()?.parse().ok();
    Some(Record::new("", message, seconds.and_then(Stamp::from_unix)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::clock::FixedClock;

    #[test]
    fn only_commits_of_the_log_of_head_are_records() {
        let zone = FixedClock(chrono::DateTime::default());
        let head = "0000 1111 A B <a@b> 1763712000 +0100";
        let table = [
            ("commit: feat: Phase 2 - Alerts", true),
            ("commit (amend): feat", true),
            ("reset: moving to 1111", false),
            ("checkout: moving from a to b", false),
        ];
        for (message, counts) in table {
            let line = format!("{head}\t{message}");
            let record = commit(line.as_bytes(), &zone);
            assert_eq!(record.is_some(), counts, "{message}");
            if let Some(record) = record {
                assert_eq!(record.text, message);
                assert_eq!(record.at.map(|at| at.unix()), Some(1_763_712_000));
            }
        }
        assert_eq!(commit(b"no tab", &zone), None);
        assert_eq!(commit(b"\tcommit: x", &zone), None);
    }

    /// H11: each system names its append-only logs, and nothing of a project that only has such a name.
    #[test]
    fn h11_append_only_logs_differ_from_files_of_the_same_name() {
        let dir = crate::world::temporary::directory();
        let top = dir.path().canonicalize().unwrap();
        std::fs::create_dir(top.join("flow")).unwrap();
        std::fs::write(top.join("flow/workflow-state.json"), "{").unwrap();
        let world = crate::world::fake::FakeWorld::from("2026-06-01T00:00:00Z");
        let table = [
            ("flow/progress.log", true),
            ("other/progress.log", false),
            ("flow/stage-1/log", false),
            ("conf/conference_events.jsonl", true),
            (".mgw/logs/2026-06-01.jsonl", true),
            ("logs/2026-06-01.jsonl", false),
            ("crucible-dispatch-7/manifest.jsonl", true),
            ("data/manifest.jsonl", false),
            ("rollback/feature/ROLLBACK_LOG.md", true),
        ];
        for (path, expected) in table {
            let file = top.join(path);
            let mut systems = crate::systems::SYSTEMS.iter();
            let found = systems.any(|system| system.is_append_only(&file, &world));
            assert_eq!(found, expected, "{path}");
        }
    }
}
