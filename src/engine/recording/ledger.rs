//! What the ledgers contain of earlier records.

use std::path::{Path, PathBuf};

use chrono::{DateTime, FixedOffset, TimeDelta};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::{Record, digest, unread};
use crate::apply::disk::RealDisk;
use crate::apply::history::Unreadable;
use crate::apply::recording;
use crate::engine::history::RECORDS;
use crate::engine::{Engine, EngineError, Request, Result, Skipped};
use crate::formats::{json, jsonl};
use crate::model::text::hex;
use crate::model::{Action, NextStep, Pipeline, Place, Recorded, RecordedFile};
use crate::systems::kit::forms::Written;

/// A line of a ledger, as it is.
type PastRecord = Map<String, Value>;

impl Engine {
    /// The lines of the records in the request's scope, the latest first, and what of them cannot be read.
    pub fn past_records(&self, request: &Request) -> Result<(Vec<PastRecord>, Vec<Skipped>)> {
        if self.world.places().state.is_none() {
            return Ok((Vec::new(), Vec::new()));
        }
        let scope = self.in_scope(request)?;
        let (ledgers, unreadable) = self.ledgers()?;
        let mut lines: Vec<_> = from_the_end(&ledgers).collect();
        // The state file of some pipelines is not in their project.
        lines.retain(|line| {
            let path = |name| Path::new(json::text(line, name).unwrap_or_default());
            let (file, root) = (path("file"), path("root"));
            let is_its = |found: &Pipeline| found.reading.state_files.iter().any(|one| one == file);
            scope.area.holds_path(file) || scope.holds(root, &is_its)
        });
        lines.sort_by_key(|line| std::cmp::Reverse(written_at(line)));
        let unreadable = scope.unreadable(unreadable, &[], RECORDS);
        Ok((lines, unreadable))
    }

    fn ledgers(&self) -> Result<(Vec<u8>, Vec<Unreadable>)> {
        let ledgers = recording::ledgers(&RealDisk::new(), &self.state_dir()?);
        ledgers.map_err(|why| unread(&why))
    }

    /// The same record, made before: under its key, or equal and less than a second ago.
    pub(super) fn earlier(&self, ledger: &[u8], record: &Record<'_>) -> Result<Option<Recorded>> {
        let once = record.ask.once.as_deref();
        let found = match once {
            Some(key) => of_key(ledger, key).find(|line| {
                // An issue that was archived has moved.
                let moved = || files_in(line).iter().any(|f| f.path == record.site.file);
                let file = json::text(line, "file");
                file == Some(&record.site.file.to_string_lossy()) || moved()
            }),
            None if record.form.repeats => None,
            None => from_the_end(ledger).next().filter(|line| {
                json::text(line, "args") == Some(&record.digest())
                    && written_at(line)
                        .is_some_and(|at| (record.now - at).abs() < TimeDelta::seconds(1))
            }),
        };
        let Some(line) = &found else {
            return Ok(None);
        };
        let files: Vec<RecordedFile> = files_in(line);
        let (mut as_before, mut as_after) = (!files.is_empty(), true);
        for file in &files {
            let now = self.current_content(&file.path)?.as_deref().map(digest);
            as_before &= now == file.before;
            as_after &= now == file.after;
        }
        match once {
            // Its line is written first: where no file has changed, it was interrupted before it changed one.
            Some(_) if as_before => return Ok(None),
            // The work was undone, so its record no longer stands.
            Some(_) if self.is_overwritten(line, &files)? => return Ok(None),
            // Somebody has written since, so it says something new.
            None if !as_after => return Ok(None),
            None => {
                let text = "The same record was written less than a second ago.";
                let hint = "Use --once KEY to make repeating it harmless.";
                return Err(EngineError::refused(text).hint(hint));
            }
            Some(_) => {}
        }
        Ok(Some(record.repeated(line)))
    }

    /// Whether a later recovery or undo replaced, cut or moved a file of a record, which no longer has what was recorded.
    fn is_overwritten(&self, line: &PastRecord, files: &[RecordedFile]) -> Result<bool> {
        let (disk, state, written) = (RealDisk::new(), self.state_dir()?, written_at(line));
        let (past, _) = self
            .past(&disk, &state)
            .read()
            .map_err(|why| unread(&why))?;
        let later = past.iter().map(|entry| &entry.recovery);
        let later = later.filter(|one| one.ended_at.is_some_and(|ended| Some(ended) > written));
        let later: Vec<_> = later.collect();
        for recovery in later.iter().filter(|one| one.stands()) {
            // The undo of a later recovery restores what was recorded.
            if later
                .iter()
                .any(|one| recovery.undoes.as_ref() == Some(&one.id))
            {
                continue;
            }
            for pair in recovery.actions.iter().flat_map(Action::replaced) {
                for file in files
                    .iter()
                    .filter(|file| file.path.starts_with(&pair.here))
                {
                    let content = self.current_content(&file.path)?;
                    if !content.is_some_and(|content| begins_as(&content, file)) {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// The record that ended a pipeline, made before under its key: what it moved away names another project now, or
    /// none, so it is looked for in every ledger.
    pub(super) fn ended(&self, record: &Record<'_>) -> Result<Option<Recorded>> {
        let Some(once) = record.ask.once.as_deref() else {
            return Ok(None);
        };
        let (ledgers, _) = self.ledgers()?;
        let mut same = of_key(&ledgers, once).filter(|line| {
            let is = |name: &str, value: &str| json::text(line, name) == Some(value);
            is("form", &record.form()) && is("key", &record.site.key)
        });
        let gone = |line: &Map<String, Value>| {
            let file = json::text(line, "file").unwrap_or_default();
            !self.world.files().exists(&Place::root(file))
        };
        Ok(same.find(gone).map(|line| record.repeated(&line)))
    }
}

impl Record<'_> {
    /// This record, if it is the one of a ledger's line.
    pub(super) fn made_by(&self, line: &[u8]) -> Option<Recorded> {
        let line = object(line)?;
        let same = json::text(&line, "args") == Some(&self.digest());
        same.then(|| self.repeated(&line))
    }
}

/// One line of a ledger; `None` for one that a crash cut.
pub(super) fn object(line: &[u8]) -> Option<Map<String, Value>> {
    match jsonl::parse(&jsonl::lines(line).next()?) {
        jsonl::Parsed::Object(line) => Some(line),
        jsonl::Parsed::Bad(_) | jsonl::Parsed::Torn(_) => None,
    }
}

/// When a record was made: an instant, because each line has the zone of its time.
fn written_at(line: &PastRecord) -> Option<DateTime<FixedOffset>> {
    DateTime::parse_from_rfc3339(json::text(line, "written_at")?).ok()
}

/// Whether a file still begins with what a record left in it: a table whose later rows were removed.
fn begins_as(content: &[u8], file: &RecordedFile) -> bool {
    let mut hash = Sha256::new();
    content.split_inclusive(|byte| *byte == b'\n').any(|line| {
        hash.update(line);
        Some(hex(&hash.clone().finalize())) == file.after
    })
}

/// The lines of a ledger, the latest first, each parsed only when it is asked for: a record is made after every step of
/// an agent, and its ledger grows.
fn from_the_end(ledger: &[u8]) -> impl Iterator<Item = Map<String, Value>> {
    recording::from_the_end(ledger).filter_map(object)
}

/// Those recorded under a key, the latest first.
fn of_key<'a>(ledger: &'a [u8], once: &'a str) -> impl Iterator<Item = Map<String, Value>> + 'a {
    // As it is written there: most lines need not be parsed.
    let needle = Value::from(once).to_string();
    let lines = recording::from_the_end(ledger);
    let lines = lines.filter(move |line| memchr::memmem::find(line, needle.as_bytes()).is_some());
    let lines = lines.filter_map(object);
    lines.filter(move |line| json::text(line, "once") == Some(once))
}

/// What came next after a record. A caller that repeats it goes on from there.
fn next_in(line: &Map<String, Value>) -> Option<NextStep> {
    let parts = line.get("next")?.as_array()?;
    let text = |at: usize| Some(parts.get(at)?.as_str()?.to_owned());
    Some(NextStep::new(text(0)?, text(1)?, text(2)?))
}

fn files_in(line: &Map<String, Value>) -> Vec<RecordedFile> {
    let files = line.get("files").and_then(Value::as_array);
    let one = |file: &Value| {
        let text = |key: &str| file.get(key).and_then(Value::as_str).map(str::to_owned);
        Some(RecordedFile {
            path: text("path")?.into(),
            before: text("before"),
            after: text("after"),
        })
    };
    files.into_iter().flatten().filter_map(one).collect()
}

impl Record<'_> {
    /// What a line of a ledger says of it.
    fn repeated(&self, line: &Map<String, Value>) -> Recorded {
        let is = |name: &str, value: &str| json::text(line, name) == Some(value);
        // A pipeline that has moved since has another file in its values.
        let another = is("file", &self.site.file.to_string_lossy()) && !is("args", &self.digest());
        let at = json::text(line, "at").and_then(|at| DateTime::parse_from_rfc3339(at).ok());
        let written = Written {
            at,
            ..Written::default()
        };
        let note = "That record has other values; for this one use another key.";
        Recorded {
            notes: another.then(|| note.into()).into_iter().collect(),
            seq: line.get("seq").and_then(Value::as_u64),
            file: json::text(line, "made").map(PathBuf::from),
            repeated: true,
            next: next_in(line),
            ..self.recorded(written, Vec::new(), files_in(line))
        }
    }
}
