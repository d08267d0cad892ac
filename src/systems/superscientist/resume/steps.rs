//! What a point that a person asked for writes: folders moved aside first, then the state file, then the log
//! (format note, section h). Exact without a clock: `{now}` stands where the time is filled in.
//!
//! The moves and the state file belong into one transaction: an invalidated stage whose folder still stands would
//! be taken for done by its marker. The lines come after it, one for every change.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::edit::{self, Change};
use super::{Point, Verb, aside, guards, points};
use crate::model::{ClockStyle, Foreign, Guard, Step};
use crate::systems::superscientist::facts::{Facts, Flow};
use crate::systems::superscientist::files::{Stage, StageStatus};
use crate::systems::superscientist::jobs::Session;
use crate::systems::superscientist::log::UNDONE;
use crate::world::World;

/// Filled with the clock when it is written: local time with its offset, to the second.
pub(super) const NOW: &str = "{now}";

/// What would be done, and the conditions on it.
#[derive(Debug, Default)]
pub(super) struct Work {
    pub(super) steps: Vec<Step>,
    pub(super) guards: Vec<Guard>,
}

/// Changes of the state file with their lines of the log.
#[derive(Default)]
struct Draft {
    /// Renames, each told by a line of the log.
    moves: Vec<Step>,
    changes: Vec<Change>,
    lines: Vec<String>,
    /// It appends an amendment, so the version and the list must be sound.
    amends: bool,
}

impl Draft {
    /// Moves something of a stage aside and says so in the log.
    fn keep(&mut self, facts: &Facts, stage: &Stage, moves: impl IntoIterator<Item = Step>) {
        for step in moves {
            if let Step::MoveAside { from, to, .. } = &step {
                let rel = |path: &Path| {
                    let rel = path.strip_prefix(&facts.wf).unwrap_or(path);
                    one_line(&rel.to_string_lossy())
                };
                let text = format!("{}: {} kept as {}", one_line(&stage.id), rel(from), rel(to));
                self.lines.push(format!("[{NOW}] {text}"));
            }
            self.moves.push(step);
        }
    }
}

/// The steps of a point that is not the recommended one.
pub(super) fn work(facts: &Facts, flow: &Flow, point: Point, world: &dyn World) -> Work {
    let Some(stage) = point.stage.and_then(|at| flow.stage(at)) else {
        return Work::default();
    };
    let draft = match point.verb {
        Verb::Monitor => monitor(facts, flow, stage, world),
        Verb::Verify => verify(flow, stage),
        Verb::Retry => retry(facts, flow, stage, world),
        Verb::Rerun => match stage.status {
            StageStatus::Completed => rerun(facts, flow, stage, world),
            StageStatus::Pending | StageStatus::Invalidated => promote(facts, flow, stage, world),
            StageStatus::Ready
            | StageStatus::Preparing
            | StageStatus::Running
            | StageStatus::PostProcessing
            | StageStatus::Failed
            | StageStatus::Skipped
            | StageStatus::Unknown => Draft::default(),
        },
        Verb::Skip => skip(flow, stage),
        Verb::Fail => fail(flow, stage),
        Verb::Completion => Draft::default(),
    };
    finish(facts, flow, point, stage, draft)
}

/// Moving a stale marker away is all that can be done for a job that only a session can launch.
fn monitor(facts: &Facts, flow: &Flow, stage: &Stage, world: &dyn World) -> Draft {
    let alive = flow
        .jobs
        .get(&stage.index)
        .is_some_and(|job| job.session == Session::Alive);
    let mut draft = Draft::default();
    if !alive {
        draft.keep(facts, stage, aside::markers(facts, stage, world));
    }
    draft
}

fn verify(flow: &Flow, stage: &Stage) -> Draft {
    if stage.status == StageStatus::PostProcessing {
        return Draft::default();
    }
    let words = flow.verify_words(stage.index);
    Draft {
        changes: vec![status(stage, "post_processing")],
        lines: vec![line(stage, &format!("post_processing ({words})"))],
        ..Draft::default()
    }
}

fn retry(facts: &Facts, flow: &Flow, stage: &Stage, world: &dyn World) -> Draft {
    let mut draft = Draft::default();
    draft.keep(facts, stage, aside::markers(facts, stage, world));
    if stage.status != StageStatus::Failed {
        let why = flow.job_words(stage.index).unwrap_or_default();
        draft
            .changes
            .push(Change::Stage(stage.index, "last_error", json!(why)));
        draft.lines.push(line(stage, &format!("failed ({why})")));
    }
    let count = stage.retry_count + 1;
    draft.changes.push(status(stage, "ready"));
    draft
        .changes
        .push(Change::Stage(stage.index, "retry_count", json!(count)));
    let text = format!(
        "{}: retry #{count} after fix: asked for by the user",
        one_line(&stage.id)
    );
    draft.lines.push(format!("[{NOW}] {text}"));
    draft.lines.push(line(stage, "ready"));
    draft
}

/// `stage_rerun`: the full closure, changing only what is completed; every output folder is kept.
fn rerun(facts: &Facts, flow: &Flow, stage: &Stage, world: &dyn World) -> Draft {
    let invalid = super::invalidated(flow, stage.index);
    let mut affected = flow.graph.downstream(stage.index);
    affected.push(stage.index);
    affected.sort_unstable();
    let ids: Vec<Value> = affected
        .iter()
        .filter_map(|at| flow.stage(*at))
        .map(|s| json!(s.id))
        .collect();
    let changes = json!({"status": {"old": "completed", "new": "invalidated"}});
    let mut draft = amendment(
        flow,
        stage,
        "stage_rerun",
        "Re-run by the user's decision",
        changes,
        ids,
    );
    for again in invalid.iter().filter_map(|at| flow.stage(*at)) {
        draft.keep(facts, again, aside::folder(facts, again, world));
        draft.changes.push(status(again, "invalidated"));
        draft.lines.push(line(again, "invalidated"));
    }
    keep_outside(&mut draft, facts, flow, &invalid, world);
    if flow.state.is_completed() {
        // A workflow that is recorded as completed is never taken up again.
        draft
            .changes
            .push(Change::Top("workflow_status", json!("pending")));
    }
    draft
}

/// Outputs beside the folders of these stages are kept too.
fn keep_outside(draft: &mut Draft, facts: &Facts, flow: &Flow, again: &[usize], world: &dyn World) {
    for (at, step) in aside::outside(facts, flow, again, world).moves {
        if let Some(stage) = flow.stage(at) {
            draft.keep(facts, stage, [step]);
        }
    }
}

/// Ready by the same rule for what is pending and what was invalidated; the latter starts afresh.
fn promote(facts: &Facts, flow: &Flow, stage: &Stage, world: &dyn World) -> Draft {
    let mut draft = Draft {
        changes: vec![status(stage, "ready")],
        lines: vec![line(stage, "ready")],
        ..Draft::default()
    };
    if stage.status == StageStatus::Invalidated {
        draft.keep(facts, stage, aside::folder(facts, stage, world));
        keep_outside(&mut draft, facts, flow, &[stage.index], world);
        let raw = flow.state.raw_stage(stage.index);
        let fresh = [
            ("started_at", Value::Null),
            ("completed_at", Value::Null),
            ("retry_count", json!(0)),
            ("last_error", Value::Null),
            ("running_process", Value::Null),
        ];
        for (key, value) in fresh {
            if raw
                .and_then(|raw| raw.get(key))
                .is_some_and(|old| *old != value)
            {
                draft.changes.push(Change::Stage(stage.index, key, value));
            }
        }
    }
    if draft.moves.is_empty() {
        draft.keep(facts, stage, aside::markers(facts, stage, world));
    }
    draft
}

fn skip(flow: &Flow, stage: &Stage) -> Draft {
    let changes = json!({"status": {"old": stage.word, "new": "skipped"}});
    let mut draft = amendment(
        flow,
        stage,
        "stage_skip",
        "Skipped by the user's decision",
        changes,
        Vec::new(),
    );
    draft.changes.push(status(stage, "skipped"));
    draft.lines.push(line(stage, "skipped"));
    draft
}

fn fail(flow: &Flow, stage: &Stage) -> Draft {
    let words = flow.job_words(stage.index).unwrap_or_default();
    let why = format!("given up by the user: {words}");
    Draft {
        changes: vec![
            status(stage, "failed"),
            Change::Stage(stage.index, "last_error", json!(why)),
        ],
        lines: vec![line(stage, &format!("failed ({why})"))],
        ..Draft::default()
    }
}

/// The record of an amendment, the new version, and its line of the log.
fn amendment(
    flow: &Flow,
    stage: &Stage,
    kind: &str,
    description: &str,
    changes: Value,
    invalidated: Vec<Value>,
) -> Draft {
    let file = &flow.state;
    let highest = file
        .amendments
        .iter()
        .filter_map(|a| a.id.strip_prefix("amend-")?.parse::<usize>().ok())
        .max();
    let number = highest
        .unwrap_or(0)
        .max(file.amendments.len())
        .saturating_add(1);
    let version = file.version.unwrap_or(1).saturating_add(1);
    let id = format!("amend-{number}");
    let mut record = Map::new();
    let members = [
        ("id", json!(id)),
        ("version", json!(version)),
        ("timestamp", json!(NOW)),
        ("type", json!(kind)),
        ("stage_id", json!(stage.id)),
        ("description", json!(description)),
        ("changes", changes),
        ("invalidated_stages", Value::Array(invalidated)),
        ("approved_by", json!("user")),
    ];
    record.extend(members.map(|(key, value)| (key.to_owned(), value)));
    let mut draft = Draft {
        changes: vec![
            Change::Amend(record),
            Change::Top("version", json!(version)),
        ],
        amends: true,
        ..Draft::default()
    };
    if file.map.contains_key("updated") {
        draft.changes.push(Change::Top("updated", json!(NOW)));
    }
    let text = format!(
        "Amendment {id} ({kind}): {}. {description}. Approved by user.",
        one_line(&stage.id)
    );
    draft.lines.push(format!("[{NOW}] {text}"));
    draft
}

fn status(stage: &Stage, word: &str) -> Change {
    Change::Stage(stage.index, "status", json!(word))
}

/// A transition, as the log writes it.
fn line(stage: &Stage, to: &str) -> String {
    format!(
        "[{NOW}] {}: status -> {}",
        one_line(&stage.label()),
        one_line(to)
    )
}

/// The line of an undo.
pub(super) fn undone(label: &str) -> String {
    format!(
        "[{NOW}] {UNDONE} {}. The state file is as it was before; earlier status lines may say otherwise.",
        one_line(label)
    )
}

/// Foreign text for one line of a log: nothing in it breaks the line or asks for the clock.
fn one_line(text: &str) -> String {
    Foreign::from(text)
        .clean()
        .into_string()
        .replace(NOW, "{ now }")
}

/// The draft as steps in their order, with the guards on them.
fn finish(facts: &Facts, flow: &Flow, point: Point, stage: &Stage, draft: Draft) -> Work {
    let mut work = Work {
        steps: draft.moves,
        guards: Vec::new(),
    };
    let edits = !draft.changes.is_empty();
    // An amendment is the one change of the file that is dated.
    let clock = draft.amends.then_some(ClockStyle::LocalOffset);
    let edited = edit::apply(&flow.state, &draft.changes);
    if edits || !work.steps.is_empty() {
        work.guards = guards::all(flow, point, stage, draft.amends, !edits || edited.is_some());
    }
    if let Some(content) = edited.filter(|_| edits) {
        let label = points::label(flow, point);
        let dated = if draft.amends {
            " {now} in it is filled with the time of writing."
        } else {
            ""
        };
        let summary = if flow.state.is_completed() && point.verb == Verb::Rerun {
            format!(
                "{label}: the state file, its workflow_status from completed back to pending.{dated}"
            )
        } else {
            format!("{label}: the state file.{dated}")
        };
        work.steps.push(Step::ReplaceFile {
            path: facts.state_path(),
            expect: Some(flow.state.bytes.clone()),
            content,
            clock,
            summary: summary.into(),
        });
    }
    if !draft.lines.is_empty() {
        work.steps.push(Step::AppendLines {
            path: facts.log_path(),
            lines: draft.lines,
            clock: ClockStyle::LocalOffset,
            summary: "One line for each change, dated when it is written.".into(),
        });
    }
    work
}
