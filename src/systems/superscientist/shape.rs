//! The files on disk: `workflow-state.json`, parsed leniently with unknown fields kept. A field of the wrong type
//! counts as missing here; the checks report it.

pub(crate) mod log;
pub(crate) mod sniff;
mod status;

use serde_json::{Map, Value};

use crate::formats::json::{self, At, Duplicate};
use crate::model::Subject;
use crate::text::is_digits;
pub(crate) use status::StageStatus;

pub(crate) use log::Log;
pub(crate) use sniff::Loaded;

/// The state file that makes a directory a workflow.
pub(crate) const STATE: &str = "workflow-state.json";
/// The append-only log next to it.
pub(crate) const LOG: &str = "progress.log";
/// The environment script next to it.
pub(crate) const INIT: &str = "init.sh";
/// The file that a person creates to pause the runner.
pub(crate) const PAUSE: &str = "PAUSE";

/// A stage's record of its detached job, with defaults for missing fields.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct JobRecord {
    pub(crate) tmux_session: String,
    pub(crate) wrapper_script: String,
    pub(crate) done_marker: String,
    pub(crate) exit_code_file: String,
    pub(crate) recovery_attempted: bool,
    pub(crate) launched_at: Option<String>,
}

impl JobRecord {
    pub(crate) fn read(map: &Map<String, Value>, id: &str) -> Self {
        let or = |key: &str, default: String| {
            let text = json::text(map, key).filter(|text| !text.is_empty());
            text.map_or(default, str::to_owned)
        };
        Self {
            tmux_session: or("tmux_session", format!("dpdisp_{id}")),
            wrapper_script: or("wrapper_script", format!("{id}/dpdisp-run.sh")),
            done_marker: or("done_marker", format!("{id}/DPDISP_DONE")),
            exit_code_file: or("exit_code_file", format!("{id}/DPDISP_EXIT_CODE")),
            recovery_attempted: json::flag(map, "recovery_attempted").unwrap_or(false),
            launched_at: json::owned(map, "launched_at"),
        }
    }

    /// The name as tmux stores it: `.` and `:` become `_`.
    pub(crate) fn session_name(&self) -> String {
        tmux_name(&self.tmux_session)
    }
}

/// A name as tmux stores it.
pub(crate) fn tmux_name(name: &str) -> String {
    name.replace(['.', ':'], "_")
}

/// One stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Stage {
    /// Its index in the array, which is also its priority.
    pub(crate) index: usize,
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) depends_on: Vec<String>,
    pub(crate) status: StageStatus,
    /// The status as written.
    pub(crate) word: String,
    pub(crate) backend: Option<String>,
    pub(crate) outputs: Vec<String>,
    pub(crate) success_criteria: Option<String>,
    pub(crate) started_at: Option<String>,
    pub(crate) completed_at: Option<String>,
    pub(crate) retry_count: i64,
    pub(crate) last_error: Option<String>,
    pub(crate) job: Option<JobRecord>,
}

impl Stage {
    fn read(index: usize, map: &Map<String, Value>) -> Self {
        let owned = |key: &str| json::owned(map, key);
        let id = owned("id").unwrap_or_else(|| format!("#{}", index + 1));
        let word = owned("status").unwrap_or_default();
        Self {
            index,
            name: owned("name").unwrap_or_default(),
            depends_on: strings(map, "depends_on"),
            status: StageStatus::parse(&word),
            word,
            backend: owned("backend"),
            outputs: strings(map, "outputs"),
            success_criteria: owned("success_criteria"),
            started_at: owned("started_at"),
            completed_at: owned("completed_at"),
            retry_count: json::int(map, "retry_count").unwrap_or(0).max(0),
            last_error: owned("last_error"),
            job: json::child(map, "running_process").map(|job| JobRecord::read(job, &id)),
            id,
        }
    }

    /// The integer of `stage-N`; `None` for any other id.
    pub(crate) fn number(&self) -> Option<u64> {
        stage_number(&self.id)
    }

    /// Its output directory, if its id has the documented form.
    pub(crate) fn folder(&self) -> Option<&str> {
        self.number().map(|_| self.id.as_str())
    }

    /// The record of its job, or one with the usual names; `None` for a stage without either a record or a directory.
    pub(crate) fn usual_job(&self) -> Option<JobRecord> {
        let usual = || Some(JobRecord::read(&Map::new(), self.folder()?));
        self.job.clone().or_else(usual)
    }

    /// Its id if it is safe to show and to type, else its index.
    pub(crate) fn plain_id(&self) -> String {
        let fits = |b: u8| b.is_ascii_alphanumeric() || b"-_.".contains(&b);
        if !self.id.is_empty() && self.id.len() <= 64 && self.id.bytes().all(fits) {
            self.id.clone()
        } else {
            format!("stage-at-{}", self.index + 1)
        }
    }

    /// Its id with its name, as the log writes it: `stage-2 (Relax)`.
    pub(crate) fn label(&self) -> String {
        if self.name.is_empty() {
            self.id.clone()
        } else {
            format!("{} ({})", self.id, self.name)
        }
    }

    /// The subject of a check of this stage.
    pub(crate) fn subject(&self) -> Subject {
        Subject::Stage {
            id: self.id.clone(),
            label: self.label().into(),
        }
    }

    /// Whether any work was started in it.
    pub(crate) fn begun(&self) -> bool {
        use StageStatus::{Pending, Ready, Skipped, Unknown};
        let idle = matches!(self.status, Pending | Ready | Skipped | Unknown);
        self.started_at.is_some() || self.retry_count > 0 || !idle
    }

    /// The path of one of its members in the state file.
    pub(crate) fn member<'a>(&self, key: &'a str) -> [At<'a>; 3] {
        [At::Key("stages"), At::Index(self.index), At::Key(key)]
    }
}

/// The integer of an id `stage-<int>`.
pub(crate) fn stage_number(id: &str) -> Option<u64> {
    whole_number(id.strip_prefix("stage-")?)
}

/// The value of a plain number.
pub(crate) fn whole_number(digits: &str) -> Option<u64> {
    is_digits(digits).then(|| digits.parse().ok()).flatten()
}

/// One recorded amendment.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Amendment {
    pub(crate) id: String,
    pub(crate) version: Option<i64>,
    pub(crate) timestamp: Option<String>,
    pub(crate) kind: String,
    pub(crate) stage_id: Option<String>,
    pub(crate) description: String,
    pub(crate) changes: Map<String, Value>,
    /// Who approved it; `None` means that it was never approved.
    pub(crate) approved_by: Option<String>,
    /// Every stage that it made stale, including those that had not run yet.
    pub(crate) invalidated: Vec<String>,
}

impl Amendment {
    fn read(index: usize, map: &Map<String, Value>) -> Self {
        let owned = |key: &str| json::owned(map, key);
        Self {
            id: owned("id").unwrap_or_else(|| format!("#{}", index + 1)),
            version: json::int(map, "version"),
            timestamp: owned("timestamp"),
            kind: owned("type").unwrap_or_default(),
            stage_id: owned("stage_id"),
            description: owned("description").unwrap_or_default(),
            changes: json::child(map, "changes").cloned().unwrap_or_default(),
            approved_by: owned("approved_by").filter(|name| !name.trim().is_empty()),
            invalidated: strings(map, "invalidated_stages"),
        }
    }
}

/// The whole state file.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct State {
    /// The original bytes, to which edits are applied.
    pub(crate) bytes: Vec<u8>,
    /// All members, known or not.
    pub(crate) map: Map<String, Value>,
    pub(crate) workflow_id: String,
    pub(crate) version: Option<i64>,
    pub(crate) stages: Vec<Stage>,
    pub(crate) amendments: Vec<Amendment>,
    /// Duplicate keys.
    pub(crate) duplicates: Vec<Duplicate>,
}

impl State {
    /// Parses the members. `None` if it has no stages at all.
    pub(crate) fn read(bytes: Vec<u8>, map: Map<String, Value>) -> Option<Self> {
        let nothing = Map::new();
        let stages = json::list(&map, "stages").iter().enumerate();
        let read =
            |(at, stage): (usize, &Value)| Stage::read(at, stage.as_object().unwrap_or(&nothing));
        let stages: Vec<Stage> = stages.map(read).collect();
        if stages.is_empty() {
            return None;
        }
        let amendments = json::list(&map, "amendments").iter().enumerate();
        let amendments =
            amendments.filter_map(|(at, record)| Some(Amendment::read(at, record.as_object()?)));
        Some(Self {
            workflow_id: json::text(&map, "workflow_id").unwrap_or_default().into(),
            version: json::int(&map, "version"),
            duplicates: json::duplicates(&bytes),
            stages,
            amendments: amendments.collect(),
            bytes,
            map,
        })
    }

    /// Parses a whole file. `None` if it is not an object with stages.
    pub(crate) fn parse(bytes: Vec<u8>) -> Option<Self> {
        let map = json::object(&bytes).ok()?;
        Self::read(bytes, map)
    }

    /// The stage with an id.
    pub(crate) fn stage(&self, id: &str) -> Option<&Stage> {
        self.stages.iter().find(|stage| stage.id == id)
    }

    /// The stages with a status.
    pub(crate) fn with(&self, status: StageStatus) -> impl Iterator<Item = &Stage> + Clone {
        self.stages.iter().filter(move |s| s.status == status)
    }

    /// `workflow_status`, if present.
    pub(crate) fn workflow_status(&self) -> Option<&str> {
        json::text(&self.map, "workflow_status")
    }

    /// True where the completion step was recorded.
    pub(crate) fn is_completed(&self) -> bool {
        self.workflow_status() == Some("completed")
    }

    /// `session_config.autonomous`.
    pub(crate) fn is_autonomous(&self) -> bool {
        let session = json::child(&self.map, "session_config");
        session.and_then(|session| json::flag(session, "autonomous")) == Some(true)
    }

    /// The name of the profile that a stage runs on.
    pub(crate) fn profile_name<'a>(&'a self, stage: &'a Stage) -> Option<&'a str> {
        let default = || json::text(&self.map, "default_backend");
        stage.backend.as_deref().or_else(default)
    }

    /// A backend profile by name.
    pub(crate) fn profile(&self, name: &str) -> Option<&Map<String, Value>> {
        json::child(json::child(&self.map, "backend_profiles")?, name)
    }

    /// Whether a stage's job runs on another machine. A missing profile counts as local, as in the runner.
    pub(crate) fn is_remote(&self, stage: &Stage) -> bool {
        let name = self.profile_name(stage);
        let profile = name.and_then(|name| self.profile(name));
        profile.and_then(|profile| json::text(profile, "type")) == Some("remote")
    }

    /// How often a failed stage may be retried: 5 on a remote backend, else 3.
    pub(crate) fn retry_limit(&self, stage: &Stage) -> i64 {
        if self.is_remote(stage) { 5 } else { 3 }
    }

    /// True where a failed stage has used up its retries.
    pub(crate) fn is_exhausted(&self, stage: &Stage) -> bool {
        stage.retry_count >= self.retry_limit(stage)
    }

    /// A stage as it is in the file.
    pub(crate) fn raw_stage(&self, index: usize) -> Option<&Map<String, Value>> {
        json::list(&self.map, "stages").get(index)?.as_object()
    }

    /// The paths that a stage reads.
    pub(crate) fn inputs(&self, index: usize) -> Vec<String> {
        let raw = self.raw_stage(index);
        raw.map_or_else(Vec::new, |raw| strings(raw, "inputs"))
    }

    /// How many stages are completed or skipped.
    pub(crate) fn done(&self) -> usize {
        self.stages.iter().filter(|s| s.status.is_done()).count()
    }

    /// The name of the runner's tmux session for this workflow.
    pub(crate) fn runner_session(&self) -> String {
        tmux_name(&format!("workflow-runner-{}", self.workflow_id))
    }
}

fn strings(map: &Map<String, Value>, key: &str) -> Vec<String> {
    let texts = json::texts(map, key).into_iter();
    texts.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_nine_words_are_statuses() {
        for status in StageStatus::ALL {
            assert_eq!(StageStatus::parse(status.word()), status);
        }
        for word in ["", "Completed", "complete", "done", "completed "] {
            assert_eq!(StageStatus::parse(word), StageStatus::Unknown, "{word}");
        }
    }

    #[test]
    fn only_stage_and_digits_is_a_number() {
        let table = [
            ("stage-2", Some(2)),
            ("stage-10", Some(10)),
            ("stage-2b", None),
            ("stage-", None),
            ("stage--1", None),
            ("equil", None),
            ("stage-99999999999999999999", None),
        ];
        for (id, number) in table {
            assert_eq!(stage_number(id), number, "{id}");
        }
    }

    #[test]
    fn recorded_names_of_the_oldest_dialect_are_kept_and_missing_ones_derived() {
        let map = json::object(
            br#"{"tmux_session":"equil_stage2","wrapper_script":"stage-2/run.sh","done_marker":"stage-2/DONE"}"#,
        )
        .unwrap();
        let job = JobRecord::read(&map, "stage-2");
        assert_eq!(job.tmux_session, "equil_stage2");
        assert_eq!(job.done_marker, "stage-2/DONE");
        assert_eq!(job.exit_code_file, "stage-2/DPDISP_EXIT_CODE");
        assert!(!job.recovery_attempted);
        assert_eq!(tmux_name("a.b:c"), "a_b_c");
    }
}
