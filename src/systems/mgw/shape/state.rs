//! One issue's state file, parsed leniently: an issue has three shapes (flat, nested, and `issue` as a number), and the
//! checkpoint is an object inside it. Unknown members stay in the map.

#[cfg(test)]
mod tests;

use serde_json::{Map, Value};

use crate::formats::{json, stamp};
use crate::model::LocalTime;
use crate::systems::mgw::shape::{Action, Route, Stage, Step};

/// The only checkpoint version that is written.
pub(crate) const SCHEMA: i64 = 1;

/// How often the orchestrator retries.
pub(crate) const RETRIES: i64 = 3;

/// The agent of the history entry that relight itself writes when it rewinds a checkpoint.
pub(crate) const RELIGHT: &str = "relight";

/// A state file's object.
#[derive(Debug, Clone, Default)]
pub(crate) struct State {
    map: Map<String, Value>,
    checkpoint: Option<Checkpoint>,
}

/// The value under the key `checkpoint`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CheckpointShape {
    Missing,
    Null,
    Object,
    /// Another kind of value.
    Wrong(&'static str),
}

/// The checkpoint object.
#[derive(Debug, Clone, Default)]
pub(crate) struct Checkpoint {
    pub(crate) schema: i64,
    /// As written; `triage` if it is missing.
    pub(crate) step_text: String,
    pub(crate) step: Option<Step>,
    pub(crate) action_text: Option<String>,
    pub(crate) action: Option<Action>,
    pub(crate) context: Map<String, Value>,
    pub(crate) progress: Map<String, Value>,
    pub(crate) last_output: Option<String>,
    pub(crate) artifacts: Vec<Artifact>,
    /// The steps in the order of the file, without repeats of one entry and without relight's own entries.
    pub(crate) history: Vec<Past>,
    /// True if relight rewound the checkpoint: that is the last entry of the history.
    pub(crate) rewound: bool,
    /// When, as written.
    rewound_at: Option<String>,
    /// relight's last rewind, wherever it is in the history.
    rewind: Option<Rewind>,
    /// The last known step in the whole history. A milestone's next phase starts again with its plan, so the last
    /// one counts and not the highest.
    pub(crate) last_past: Option<Step>,
    pub(crate) started_at: Option<String>,
    pub(crate) updated_at: Option<String>,
    /// Members that every writer of the format writes, but that are missing or have another type.
    pub(crate) lacks: Vec<&'static str>,
}

/// A rewind of relight in the history.
#[derive(Debug, Clone)]
struct Rewind {
    /// When, as written.
    at: Option<String>,
    /// True if execution was recorded since.
    executed: bool,
}

impl Checkpoint {
    /// What names commits of the work, as written: ids, subjects, or both. The list of artifacts only grows, so it has
    /// those of `every_phase`. And whether it was recorded before relight's last rewind, which may have removed them.
    pub(crate) fn commits(
        &self,
        every_phase: bool,
        zone: &dyn LocalTime,
    ) -> impl Iterator<Item = (&str, bool)> {
        let rewind = self.rewind.as_ref();
        let read = |at: &Option<String>| stamp::parse(at.as_deref()?, zone).map(|stamp| stamp.at);
        let cut = rewind.and_then(|rewind| read(&rewind.at));
        let is_newer = move |one: &Artifact| {
            read(&one.created_at)
                .zip(cut)
                .is_some_and(|(made, cut)| made > cut)
        };
        let listed = self.artifacts.iter();
        let listed = listed.filter(move |one| one.kind == "commit" && every_phase);
        let listed = listed.map(move |one| (one.path.as_str(), rewind.is_some() && !is_newer(one)));
        let before = rewind.is_some_and(|rewind| !rewind.executed);
        let progress = json::texts(&self.progress, "commits").into_iter();
        progress.map(move |text| (text, before)).chain(listed)
    }
}

/// relight's last rewind in the history of a checkpoint that is at a step.
fn rewind(map: &Map<String, Value>, now_at: Option<Step>) -> Option<Rewind> {
    let mut later = objects(map, "step_history").rev();
    let step = |entry: &Map<String, Value>| json::text(entry, "step")?.parse::<Step>().ok();
    let mut reached = now_at;
    let entry = later.find(|entry| {
        let own = json::text(entry, "agent_type") == Some(RELIGHT);
        reached = reached.max(step(entry).filter(|_| !own));
        own
    })?;
    Some(Rewind {
        at: json::owned(entry, "completed_at"),
        executed: reached >= Some(Step::Execute) && reached > step(entry),
    })
}

/// An entry of `artifacts`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Artifact {
    pub(crate) path: String,
    pub(crate) kind: String,
    pub(crate) created_at: Option<String>,
}

/// An entry of `step_history`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Past {
    pub(crate) step_text: String,
    pub(crate) step: Option<Step>,
    pub(crate) completed_at: Option<String>,
    pub(crate) agent: Option<String>,
    pub(crate) output: Option<String>,
}

impl State {
    pub(crate) fn new(map: Map<String, Value>) -> Self {
        let checkpoint = json::child(&map, "checkpoint").map(Checkpoint::new);
        Self { map, checkpoint }
    }

    pub(crate) fn map(&self) -> &Map<String, Value> {
        &self.map
    }

    /// The issue's number, in any of the shapes.
    pub(crate) fn number(&self) -> Option<i64> {
        let nested = json::child(&self.map, "issue").and_then(|issue| json::int(issue, "number"));
        let flat = || {
            let mut keys = ["issue_number", "number", "issue"].into_iter();
            keys.find_map(|key| json::int(&self.map, key))
        };
        nested.or_else(flat)
    }

    pub(crate) fn title(&self) -> Option<&str> {
        json::child(&self.map, "issue")
            .and_then(|issue| json::text(issue, "title"))
            .or_else(|| json::text(&self.map, "title"))
            .filter(|title| !title.trim().is_empty())
    }

    pub(crate) fn stage_text(&self) -> Option<&str> {
        json::text(&self.map, "pipeline_stage")
    }

    pub(crate) fn stage(&self) -> Option<Stage> {
        self.stage_text().and_then(|text| text.parse().ok())
    }

    pub(crate) fn route_text(&self) -> Option<&str> {
        json::text(&self.map, "gsd_route")
    }

    pub(crate) fn route(&self) -> Route {
        Route::parse(self.route_text())
    }

    /// The folder of this issue's documents, if recorded.
    pub(crate) fn artifacts_path(&self) -> Option<&str> {
        json::child(&self.map, "gsd_artifacts").and_then(|all| json::text(all, "path"))
    }

    /// The linked pull requests.
    pub(crate) fn linked_prs(&self) -> Vec<i64> {
        let one = json::int(&self.map, "linked_pr").into_iter();
        let many = json::list(&self.map, "linked_prs").iter();
        one.chain(many.filter_map(json::as_int)).collect()
    }

    pub(crate) fn retry_count(&self) -> i64 {
        json::int(&self.map, "retry_count").unwrap_or(0)
    }

    pub(crate) fn dead_letter(&self) -> bool {
        json::flag(&self.map, "dead_letter").unwrap_or(false)
    }

    /// True if the run stops at once unless it is told to retry.
    pub(crate) fn has_failed(&self) -> bool {
        self.dead_letter() || self.stage() == Some(Stage::Failed)
    }

    pub(crate) fn failure_class(&self) -> Option<&str> {
        json::text(&self.map, "last_failure_class")
    }

    /// True if the file was rebuilt from a project board, so that triage and artifacts are placeholders.
    pub(crate) fn reconstructed(&self) -> bool {
        json::flag(&self.map, "reconstructed_from_board").unwrap_or(false)
    }

    pub(crate) fn text(&self, key: &str) -> Option<&str> {
        json::text(&self.map, key)
    }

    /// When the stage was last changed, as written; else when the file was.
    pub(crate) fn moved_at(&self) -> Option<&str> {
        self.text("last_transition")
            .or_else(|| self.text("updated_at"))
    }

    pub(crate) fn checkpoint(&self) -> Option<&Checkpoint> {
        self.checkpoint.as_ref()
    }

    pub(crate) fn checkpoint_shape(&self) -> CheckpointShape {
        match self.map.get("checkpoint") {
            None => CheckpointShape::Missing,
            Some(Value::Null) => CheckpointShape::Null,
            Some(Value::Object(_)) => CheckpointShape::Object,
            Some(other) => CheckpointShape::Wrong(json::kind(other)),
        }
    }

    /// Whether this is one of the orchestrator's files.
    pub(crate) fn is_ours(&self) -> bool {
        let shape = self.checkpoint_shape();
        let known = matches!(shape, CheckpointShape::Null | CheckpointShape::Object);
        known || self.stage_text().is_some()
    }
}

impl Checkpoint {
    fn new(map: &Map<String, Value>) -> Self {
        let step_text = json::text(map, "pipeline_step").unwrap_or("triage");
        let resume = json::child(map, "resume");
        let action_text = resume.and_then(|resume| json::text(resume, "action"));
        let context = resume.and_then(|resume| json::child(resume, "context"));
        let progress = json::child(map, "step_progress");
        let artifacts = objects(map, "artifacts").filter_map(Artifact::new);
        let last = objects(map, "step_history").next_back();
        let rewound = last.filter(|last| json::text(last, "agent_type") == Some(RELIGHT));
        let mut steps = objects(map, "step_history").rev();
        Self {
            schema: json::int(map, "schema_version").unwrap_or(SCHEMA),
            step_text: step_text.to_owned(),
            step: step_text.parse().ok(),
            action_text: action_text.map(str::to_owned),
            action: action_text.and_then(|text| text.parse().ok()),
            context: context.cloned().unwrap_or_default(),
            progress: progress.cloned().unwrap_or_default(),
            last_output: json::owned(map, "last_agent_output"),
            artifacts: artifacts.collect(),
            history: history(map),
            rewound: rewound.is_some(),
            rewind: rewind(map, step_text.parse().ok()),
            rewound_at: rewound.and_then(|entry| json::owned(entry, "completed_at")),
            last_past: steps.find_map(|entry| json::text(entry, "step")?.parse().ok()),
            started_at: json::owned(map, "started_at"),
            updated_at: json::owned(map, "updated_at"),
            lacks: lacks(map),
        }
    }

    /// The step that counts. If the history is further than the step, triage reset the checkpoint when it ran again; it
    /// does so even after the user chose to resume.
    pub(crate) fn effective(&self) -> Option<Step> {
        self.step.max(self.last_past)
    }

    /// True if the history is further than the step.
    pub(crate) fn regressed(&self) -> bool {
        self.step.is_some() && self.last_past > self.step
    }

    /// When the record was last true: the time of its update, else of its last step.
    pub(crate) fn recorded_at(&self) -> Option<&str> {
        let past = || {
            let mut ended = self.history.iter().rev();
            ended.find_map(|past| past.completed_at.as_deref())
        };
        let rewound = self.rewound_at.as_deref();
        self.updated_at.as_deref().or(rewound).or_else(past)
    }

    /// A text of the resume context.
    pub(crate) fn context_text(&self, key: &str) -> Option<&str> {
        json::text(&self.context, key)
    }

    /// True if the orchestrator's own resume prompt would appear: it ignores checkpoints at triage.
    pub(crate) fn offered_upstream(&self) -> bool {
        self.step.is_some_and(|step| step > Step::Triage)
    }
}

impl Artifact {
    fn new(map: &Map<String, Value>) -> Option<Self> {
        Some(Self {
            path: json::text(map, "path")?.to_owned(),
            kind: json::text(map, "type").unwrap_or_default().to_owned(),
            created_at: json::owned(map, "created_at"),
        })
    }
}

/// The objects of a list.
fn objects<'a>(
    map: &'a Map<String, Value>,
    key: &str,
) -> impl DoubleEndedIterator<Item = &'a Map<String, Value>> {
    json::list(map, key).iter().filter_map(Value::as_object)
}

/// The members that every object of this version has but this one lacks.
fn lacks(map: &Map<String, Value>) -> Vec<&'static str> {
    let list = |key: &str| map.get(key).is_some_and(Value::is_array);
    let wants = [
        ("schema_version", json::int(map, "schema_version").is_some()),
        ("pipeline_step", json::text(map, "pipeline_step").is_some()),
        ("artifacts", list("artifacts")),
        ("step_history", list("step_history")),
    ];
    let missing = wants.into_iter().filter(|(_, there)| !there);
    missing.map(|(key, _)| key).collect()
}

/// The orchestrator's entries. Some of its snippets write one entry twice in a row, which counts once; the same step
/// of a milestone's next phase comes after other steps and counts again.
fn history(map: &Map<String, Value>) -> Vec<Past> {
    let entries = objects(map, "step_history").filter_map(|map| {
        let step_text = json::text(map, "step")?.to_owned();
        Some(Past {
            step: step_text.parse().ok(),
            step_text,
            completed_at: json::owned(map, "completed_at"),
            agent: json::owned(map, "agent_type"),
            output: json::owned(map, "output_path"),
        })
    });
    let theirs = entries.filter(|past| past.agent.as_deref() != Some(RELIGHT));
    let mut all: Vec<Past> = theirs.collect();
    all.dedup_by(|b, a| a.step_text == b.step_text && a.output == b.output);
    all
}
