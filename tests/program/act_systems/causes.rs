//! Why a pipeline stopped: what relight itself writes changes neither the cause nor its time.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use chrono::TimeDelta;
use relight::engine::Engine;
use relight::model::{CauseKind, Pipeline, PipelineId, Stamp};
use serde_json::{Value, json};

use super::site::Site;
use super::support::Trouble;

const ID: &str = "5c5b2a7e-0000-4000-8000-0000000000ff";

/// A cause as far as it may not change: its kind, its time, its sentence, and where it is recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stop {
    pub(crate) kind: CauseKind,
    at: Option<Stamp>,
    text: String,
    file: Option<PathBuf>,
}

impl Stop {
    pub(crate) fn of(engine: &Engine, id: &PipelineId) -> Result<Self, Trouble> {
        let cause = engine.why(id, false)?.cause;
        // A list reads less, and must say the same.
        let all = [engine.listed_cause(id), engine.cause(id)];
        for listed in all.into_iter().flatten() {
            let same = (listed.kind, listed.at) == (cause.kind, cause.at);
            if !same {
                let text = format!("the list has {listed:?}, not {cause:?}");
                return Err(Trouble(text));
            }
        }
        Ok(Self {
            kind: cause.kind,
            at: cause.at,
            text: cause.text.lossy().into_owned(),
            file: cause.evidence.first().map(|first| first.file.clone()),
        })
    }

    /// Whether a conversation of an agent says it. A resume that edits the state file may change what that file says,
    /// never what a conversation says.
    fn is_of_conversation(&self) -> bool {
        let file = self.file.as_deref();
        file.is_some_and(|file| {
            file.extension().is_some_and(|end| end == "jsonl") && is_client(file)
        })
    }

    /// Fails unless the cause after something that relight did is the one before it.
    pub(crate) fn must_stay(
        &self,
        engine: &Engine,
        id: &PipelineId,
        what: &str,
    ) -> Result<(), Trouble> {
        let now = Self::of(engine, id)?;
        if now == *self {
            return Ok(());
        }
        Err(Trouble(format!(
            "the cause {what} is {now:?}, and was {self:?}"
        )))
    }

    /// The same after a resume, which may edit the state that a recorded cause follows from.
    pub(crate) fn must_survive(&self, engine: &Engine, id: &PipelineId) -> Result<(), Trouble> {
        let now = Self::of(engine, id)?;
        let may = if self.is_of_conversation() {
            now == *self || !now.is_of_conversation() && now.kind != CauseKind::Unknown
        } else {
            now.kind != self.kind || now.at == self.at
        };
        if may {
            return Ok(());
        }
        Err(Trouble(format!(
            "the cause after the resume is {now:?}, and was {self:?}"
        )))
    }
}

fn is_client(file: &Path) -> bool {
    file.iter().any(|part| part == ".claude")
        && file.file_stem().is_some_and(|stem| stem.len() == ID.len())
}

/// A conversation that was killed in a tool call at a pipeline's last write.
pub(crate) struct Planted(Option<PathBuf>);

impl Planted {
    pub(crate) fn of(site: &Site<'_>, pipeline: &Pipeline) -> Result<Self, Trouble> {
        let reading = &pipeline.reading;
        let Some(last) = reading.last_activity_at else {
            return Ok(Self(None));
        };
        let cwd = reading.work_tree.as_ref().unwrap_or(&reading.root);
        let shown = cwd.to_string_lossy();
        let slug: String = shown
            .chars()
            .map(|sign| {
                if sign.is_ascii_alphanumeric() {
                    sign
                } else {
                    '-'
                }
            })
            .collect();
        let line = |kind: &str, minutes: i64, message: Value| {
            let at = (last.at - TimeDelta::minutes(minutes)).to_rfc3339();
            json!({"type": kind, "timestamp": at, "cwd": shown, "sessionId": ID, "version": "2.1.281",
                "isSidechain": false, "message": message})
        };
        let call =
            json!({"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "sleep"}});
        let call = json!({"id": "m", "model": "x", "stop_reason": "tool_use", "content": [call]});
        let lines = [
            line("user", 5, json!({"content": "go on"})),
            line("assistant", 1, call),
        ];
        let dir = site.root.join("home/.claude/projects").join(slug);
        fs::create_dir_all(&dir)?;
        let file = dir.join(format!("{ID}.jsonl"));
        fs::write(&file, lines.map(|line| format!("{line}\n")).concat())?;
        File::open(&file)?.set_modified(last.at.into())?;
        Ok(Self(Some(file)))
    }

    pub(crate) fn remove(self) -> Result<(), Trouble> {
        if let Some(file) = self.0 {
            fs::remove_file(file)?;
        }
        Ok(())
    }
}
