//! The changes that a point makes to the state file. The recommended point writes nothing; the others set step,
//! action, context and stage, and add an entry to the history, which is append-only.

pub(crate) mod rewind;
pub(crate) mod splice;
pub(crate) mod trails;

use serde_json::{Map, Value, json};

use crate::systems::mgw::points::{Point, Scene};
use crate::systems::mgw::shape::state::{CheckpointShape, RELIGHT, State};
use crate::systems::mgw::shape::vocabulary::{Action, Stage, Step};

/// Stands for the time of writing; whoever writes replaces it.
pub(crate) const NOW: &str = "{now}";

/// The members that a step point writes: what the orchestrator itself leaves right before that step.
struct Row {
    step: Step,
    action: Action,
    stage: &'static str,
}

/// The table, in actions that the orchestrator's own mapping knows. Only `next-phase` is missing from it; it falls
/// back to planning, which is where it leads. `pr-pending` is not a stage that may be written, so the stage before a
/// pull request is `verifying`.
fn row(step: Step, later_phase: bool) -> Option<Row> {
    let (before, action, stage) = match step {
        Step::Triage => return None,
        Step::Plan if later_phase => (Step::Verify, Action::NextPhase, "planning"),
        Step::Plan => (Step::Triage, Action::BeginExecution, "triaged"),
        Step::Execute => (Step::Plan, Action::SpawnExecutor, "executing"),
        Step::Verify => (Step::Execute, Action::SpawnVerifier, "verifying"),
        Step::Pr => (Step::Verify, Action::CreatePr, "verifying"),
    };
    Some(Row {
        step: before,
        action,
        stage,
    })
}

/// One change of the document.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Edit {
    /// The path of the object.
    path: &'static [&'static str],
    key: &'static str,
    value: Value,
    /// True where the value is added to a list.
    append: bool,
}

impl Edit {
    fn set(path: &'static [&'static str], key: &'static str, value: Value) -> Self {
        Self {
            path,
            key,
            value,
            append: false,
        }
    }

    /// Whether it writes the time.
    pub(crate) fn is_dated(&self) -> bool {
        self.value.to_string().contains(NOW)
    }
}

/// The checkpoint's object.
const CHECKPOINT: &[&str] = &["checkpoint"];

/// The changes that a point makes; none where it writes nothing.
pub(crate) fn edits(scene: &Scene<'_>, point: Point) -> Vec<Edit> {
    let state = scene.state;
    // Only a person passes a gate: no edit removes it.
    let stage = |word: &str| {
        let gated = scene.gate().is_some();
        (!gated).then(|| Edit::set(&[], "pipeline_stage", json!(word)))
    };
    match point {
        Point::Cleanup | Point::FromTmp | Point::ReTriage => Vec::new(),
        Point::Fresh => [Edit::set(&[], "checkpoint", Value::Null)]
            .into_iter()
            .chain(stage("triaged"))
            .chain(revived(state))
            .collect(),
        Point::Retry => retried().into_iter().chain(stage("triaged")).collect(),
        Point::Override => passed(scene),
        Point::Step(step) => {
            let (mut all, word) = step_edits(scene, step);
            all.extend(stage(word));
            all.extend(revived(state));
            all
        }
    }
}

/// What upstream's `--retry` resets.
fn retried() -> [Edit; 3] {
    [
        Edit::set(&[], "retry_count", json!(0)),
        Edit::set(&[], "last_failure_class", Value::Null),
        Edit::set(&[], "dead_letter", json!(false)),
    ]
}

/// The same for an issue that failed or is a dead letter: the run would do all of its work and then stop at it.
fn revived(state: &State) -> Vec<Edit> {
    if !state.has_failed() {
        return Vec::new();
    }
    let there = |edit: &Edit| state.map().contains_key(edit.key);
    retried().into_iter().filter(there).collect()
}

/// The stage after a gate that has no flag of its own; the others are overridden by the command alone.
fn passed(scene: &Scene<'_>) -> Vec<Edit> {
    let word = match scene.gate() {
        Some(Stage::Discussing) => "approved",
        Some(Stage::Blocked) if scene.target.done() > Step::Plan.index() => "executing",
        Some(Stage::Blocked) => "planning",
        _ => return Vec::new(),
    };
    vec![Edit::set(&[], "pipeline_stage", json!(word))]
}

fn step_edits(scene: &Scene<'_>, step: Step) -> (Vec<Edit>, &'static str) {
    let later = !scene.history.finished.is_empty();
    let (before, resume, stage) = match row(step, later) {
        // Triage itself writes the checkpoint anew.
        None => (Step::Triage, json!({"action": null, "context": {}}), "new"),
        Some(row) => (
            row.step,
            json!({"action": row.action.word(), "context": context(scene, row.action)}),
            row.stage,
        ),
    };
    let entry = json!({
        "step": before.word(),
        "completed_at": NOW,
        "agent_type": RELIGHT,
        "output_path": null,
    });
    if scene.state.checkpoint_shape() == CheckpointShape::Object {
        let all = vec![
            Edit::set(CHECKPOINT, "pipeline_step", json!(before.word())),
            Edit::set(CHECKPOINT, "resume", resume),
            Edit::set(CHECKPOINT, "updated_at", json!(NOW)),
            Edit {
                append: true,
                ..Edit::set(CHECKPOINT, "step_history", entry)
            },
        ];
        return (all, stage);
    }
    let whole = json!({
        "schema_version": 1,
        "pipeline_step": before.word(),
        "step_progress": {},
        "last_agent_output": null,
        "artifacts": [],
        "resume": resume,
        "started_at": NOW,
        "updated_at": NOW,
        "step_history": [entry],
    });
    (vec![Edit::set(&[], "checkpoint", whole)], stage)
}

/// What the handler of the action needs: the folder of documents, as recorded or as found.
fn context(scene: &Scene<'_>, action: Action) -> Value {
    let (facts, state) = (scene.facts, scene.state);
    if action == Action::BeginExecution {
        return json!({"gsd_route": state.route_text(), "branch": facts.branch.name});
    }
    if let (Action::NextPhase, Some(done)) = (action, scene.history.finished.last()) {
        let number = done.number.parse::<i64>();
        let number = number.map_or_else(|_| json!(done.number), |number| json!(number));
        let folder = facts.evidence.phases.iter();
        let mut folder = folder
            .filter(|dir| dir.number == done.number)
            .map(|dir| dir.path.as_str());
        return json!({"completed_phase": number, "phase_dir": folder.next_back()});
    }
    let recorded = state.checkpoint().map(|checkpoint| &checkpoint.context);
    let mut context: Map<String, Value> = recorded
        .into_iter()
        .flatten()
        .filter(|(key, _)| {
            ["quick_dir", "plan_num", "phase_dir", "phase_number"].contains(&key.as_str())
        })
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect();
    if context.is_empty()
        && let Some(dir) = &facts.evidence.dir
    {
        let key = if dir.contains("phases/") {
            "phase_dir"
        } else {
            "quick_dir"
        };
        context.insert(key.to_owned(), json!(dir));
    }
    Value::Object(context)
}

/// The file afterwards; `None` if it cannot be edited in place. Members that already have the value keep their bytes.
pub(crate) fn edited(bytes: &[u8], state: &State, edits: &[Edit]) -> Option<Vec<u8>> {
    let mut edited = bytes.to_vec();
    for Edit {
        path,
        key,
        value,
        append,
    } in edits
    {
        if *append {
            edited = splice::append(&edited, path, key, value)?;
            continue;
        }
        let mut object = Some(state.map());
        for step in *path {
            object = object.and_then(|map| map.get(*step)?.as_object());
        }
        let same = object.and_then(|map| map.get(*key)) == Some(value);
        if !same {
            edited = splice::set(&edited, path, key, value)?;
        }
    }
    Some(edited)
}
