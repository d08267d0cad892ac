//! Where an orchestrator leaves records while it works, so that its first new one can be recognized after a
//! hand-off. A system names its files and reads their records; what is new is decided in `engine::watch`.

use std::fmt;
use std::sync::Arc;

use crate::formats::jsonl;
use crate::model::{Foreign, LocalTime, Place, Stamp, StepNews};
use crate::world::World;

/// One record of an orchestrator. Relight's own are left out by the reader.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Record {
    /// What makes it this record and no other, in a file that is written anew each time; not read in a log.
    pub key: String,
    /// What it says, in a line.
    pub text: Foreign,
    /// Its line in the file, counted from 1; not read in a log, where it is counted.
    pub line: Option<u64>,
    /// When, where the record says so.
    pub at: Option<Stamp>,
    /// What it says about steps.
    pub step: StepNews,
}

impl Record {
    /// The same record with its line.
    #[must_use]
    pub(crate) fn at_line(mut self, line: Option<u64>) -> Self {
        self.line = line;
        self
    }

    /// A record that says nothing about steps.
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

/// Reads records: out of one whole line of a log, or out of the whole content of a state file.
pub type Reader = Arc<dyn Fn(&[u8], &dyn LocalTime) -> Vec<Record> + Send + Sync>;

/// How a file grows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TrailKind {
    /// By whole lines at its end.
    Log,
    /// It is written anew; its records are compared by their keys.
    State,
}

/// A file in which an orchestrator leaves records. It need not be there yet.
#[derive(Clone)]
pub struct Trail {
    /// The file.
    pub place: Place,
    /// How it grows.
    pub kind: TrailKind,
    /// Reads it.
    pub read: Reader,
}

impl fmt::Debug for Trail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.kind, self.place.path().display())
    }
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

/// A line as the object it holds, if it holds a whole one.
pub(crate) fn object(line: &[u8]) -> Option<serde_json::Map<String, serde_json::Value>> {
    let line = jsonl::lines(line).next()?;
    match jsonl::parse(&line) {
        jsonl::Parsed::Object(map) => Some(map),
        jsonl::Parsed::Bad(_) | jsonl::Parsed::Torn(_) => None,
    }
}

/// The commits that a work tree's HEAD is moved by, as its log has them: the one record that an orchestrator
/// leaves which forgets its state file.
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
    fn h11_append_only_logs_are_told_from_files_of_the_same_name() {
        let dir = tempfile::tempdir().unwrap();
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
