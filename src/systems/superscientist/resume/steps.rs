//! What a point that a person asked for writes: folders moved aside first, then the state file, then the log
//! (format note, section h). Exact without a clock: `{now}` stands where the time is filled in.

use serde_json::{Map, Value, json};

use super::edit::{self, Change};
use super::{Point, Verb, points};
use crate::model::{Foreign, Guard, Place, Step};
use crate::systems::superscientist::facts::{Facts, Flow};
use crate::systems::superscientist::files::{Stage, StageStatus};
use crate::systems::superscientist::jobs::{self, Session};
use crate::systems::superscientist::paths;
use crate::world::World;
use crate::world::files::FileKind;

/// Filled with the clock when it is written: local time with its offset, to the second.
const NOW: &str = "{now}";

/// What would be done, and the conditions on it.
#[derive(Debug, Default)]
pub(super) struct Work {
    pub(super) steps: Vec<Step>,
    pub(super) guards: Vec<Guard>,
}

/// Changes of the state file with their lines of the log.
#[derive(Default)]
struct Draft {
    moves: Vec<Step>,
    changes: Vec<Change>,
    lines: Vec<String>,
    /// It appends an amendment, so the version and the list must be sound.
    amends: bool,
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
            _ => Draft::default(),
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
    Draft {
        moves: if alive {
            Vec::new()
        } else {
            markers(facts, stage, world)
        },
        ..Draft::default()
    }
}

fn verify(flow: &Flow, stage: &Stage) -> Draft {
    if stage.status == StageStatus::PostProcessing {
        return Draft::default();
    }
    let words = flow.job_words(stage.index).unwrap_or_default();
    Draft {
        changes: vec![status(stage, "post_processing")],
        lines: vec![line(stage, &format!("post_processing ({words})"))],
        ..Draft::default()
    }
}

fn retry(facts: &Facts, flow: &Flow, stage: &Stage, world: &dyn World) -> Draft {
    let mut draft = Draft {
        moves: markers(facts, stage, world),
        ..Draft::default()
    };
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
    let stale = super::invalidated(flow, stage.index);
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
    for stale in stale.iter().filter_map(|at| flow.stage(*at)) {
        draft.moves.extend(folder_aside(facts, stale, world));
        draft.changes.push(status(stale, "invalidated"));
        draft.lines.push(line(stale, "invalidated"));
    }
    if flow.state.is_completed() {
        // A workflow that is recorded as completed is never taken up again.
        draft
            .changes
            .push(Change::Top("workflow_status", json!("pending")));
    }
    draft
}

/// Ready by the same rule for what is pending and what was invalidated; the latter starts afresh.
fn promote(facts: &Facts, flow: &Flow, stage: &Stage, world: &dyn World) -> Draft {
    let mut draft = Draft {
        changes: vec![status(stage, "ready")],
        lines: vec![line(stage, "ready")],
        ..Draft::default()
    };
    if stage.status == StageStatus::Invalidated {
        draft.moves.extend(folder_aside(facts, stage, world));
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
        draft.moves = markers(facts, stage, world);
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
    let state = &flow.state;
    let highest = state
        .amendments
        .iter()
        .filter_map(|a| a.id.strip_prefix("amend-")?.parse::<usize>().ok())
        .max();
    let number = highest
        .unwrap_or(0)
        .max(state.amendments.len())
        .saturating_add(1);
    let version = state.version.unwrap_or(1).saturating_add(1);
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
    if state.map.contains_key("updated") {
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

/// Foreign text for one line of a log: nothing in it breaks the line or asks for the clock.
fn one_line(text: &str) -> String {
    Foreign::from(text)
        .clean()
        .into_string()
        .replace(NOW, "{ now }")
}

/// A stage's output folder, renamed to the lowest unused `.v<k>`.
fn folder_aside(facts: &Facts, stage: &Stage, world: &dyn World) -> Option<Step> {
    let folder = stage.folder()?;
    let place = Place::known(&facts.wf, folder).ok()?;
    let stat = world.files().stat(&place).ok()?;
    (stat.kind == FileKind::Dir).then(|| Step::MoveAside {
        from: place.path(),
        to: facts.wf.join(facts.unused(folder)),
        summary: format!("Keeps the outputs of {folder}, its done marker with them.").into(),
    })
}

/// The done marker and the exit code of an earlier attempt, renamed in their folder.
fn markers(facts: &Facts, stage: &Stage, world: &dyn World) -> Vec<Step> {
    let files = match (&stage.job, stage.folder()) {
        (Some(job), _) => [job.done_marker.clone(), job.exit_code_file.clone()],
        (None, Some(folder)) => {
            ["DPDISP_DONE", "DPDISP_EXIT_CODE"].map(|n| format!("{folder}/{n}"))
        }
        (None, None) => return Vec::new(),
    };
    files
        .iter()
        .filter_map(|path| paths::beneath(&facts.wf, path).ok())
        .filter(|place| world.files().exists(place))
        .filter_map(|place| {
            let from = place.path();
            let name = from.file_name()?.to_owned();
            let free = (1_u32..1000).find_map(|k| {
                let mut kept = name.clone();
                kept.push(format!(".v{k}"));
                let to = from.with_file_name(kept);
                let rel = to.strip_prefix(&facts.wf).ok()?;
                let there =
                    Place::known(&facts.wf, rel).is_ok_and(|p| world.files().stat(&p).is_ok());
                (!there).then_some(to)
            })?;
            Some(Step::MoveAside {
                from,
                to: free,
                summary: "Keeps what an earlier attempt left, so that no wait ends at once.".into(),
            })
        })
        .collect()
}

/// The draft as steps in their order, with the guards on them.
fn finish(facts: &Facts, flow: &Flow, point: Point, stage: &Stage, draft: Draft) -> Work {
    let mut work = Work {
        steps: draft.moves,
        guards: Vec::new(),
    };
    let edits = !draft.changes.is_empty();
    let edited = edit::apply(&flow.state, &draft.changes);
    if edits || !work.steps.is_empty() {
        work.guards = guards(flow, point, stage, draft.amends, !edits || edited.is_some());
    }
    if let Some(content) = edited.filter(|_| edits) {
        let label = points::label(flow, point);
        let clock = if draft.amends {
            " {now} in it is filled with the time of writing."
        } else {
            ""
        };
        let summary = if flow.state.is_completed() && point.verb == Verb::Rerun {
            format!(
                "{label}: the state file, its workflow_status from completed back to pending.{clock}"
            )
        } else {
            format!("{label}: the state file.{clock}")
        };
        work.steps.push(Step::ReplaceFile {
            path: facts.state_path(),
            expect: Some(flow.state.bytes.clone()),
            content,
            summary: summary.into(),
        });
        work.steps.push(Step::AppendLines {
            path: facts.log_path(),
            lines: draft.lines,
            summary: "One line for each transition, dated when it is written.".into(),
        });
    }
    work
}

fn guards(flow: &Flow, point: Point, stage: &Stage, amends: bool, exact: bool) -> Vec<Guard> {
    let state = &flow.state;
    let doubled = state.duplicates.join(", ");
    let placeholder = memchr::memmem::find(&state.bytes, NOW.as_bytes()).is_some();
    let amendable = state.version.is_some()
        && state.map.get("amendments").is_none_or(Value::is_array)
        && flow.lacks.is_none();
    let mut all = vec![
        guard(
            "duplicate_keys",
            state.duplicates.is_empty(),
            "Every key of the state file occurs once.",
            &format!("Keys occur twice: {doubled}."),
            "each of them occurred once; the file says two things at once now",
        ),
        guard(
            "graph",
            !flow.graph.is_broken(),
            "Every stage id occurs once and every dependency leads to a stage, without a cycle.",
            "The plan contradicts itself: checks S3 and S5 say where.",
            "the plan were mended by an amendment in a session",
        ),
        guard(
            "schema",
            (!amends || amendable) && exact,
            "The change fits into the state file exactly.",
            "The state file has not the shape that the change needs.",
            "`version` were a whole number, `amendments` a list, and every stage an object with its own keys",
        ),
        guard(
            "placeholder",
            !placeholder,
            "The state file holds no placeholder of the clock.",
            "The state file holds the text {now} itself.",
            "that text were removed from it",
        ),
    ];
    let alive = flow
        .jobs
        .get(&stage.index)
        .filter(|job| job.session == Session::Alive);
    let job = alive.map_or_else(String::new, jobs::words);
    all.push(guard(
        "stage_job",
        alive.is_none(),
        "No tmux session of this stage is alive.",
        &format!("{}: {job}.", stage.id),
        "its session were ended: `tmux kill-session -t =NAME`",
    ));
    if point.verb == Verb::Rerun {
        let after = flow.graph.downstream(stage.index);
        let active: Vec<usize> = after
            .into_iter()
            .filter(|at| flow.stage(*at).is_some_and(|s| s.status.is_active()))
            .collect();
        all.push(guard(
            "downstream_running",
            active.is_empty(),
            "No stage that rests on this one is in hand.",
            &format!("In hand and resting on this one: {}.", flow.ids(&active)),
            "they were ended or marked as failed first",
        ));
    }
    all
}

fn guard(id: &'static str, holds: bool, good: &str, bad: &str, would: &str) -> Guard {
    Guard {
        id,
        holds,
        text: if holds { good } else { bad }.into(),
        would_hold_if: (!holds).then(|| would.into()),
    }
}

/// What would be lost or left behind.
pub(super) fn losses(facts: &Facts, flow: &Flow, point: Point, recommended: bool) -> Vec<Foreign> {
    let Some(stage) = point.stage.and_then(|at| flow.stage(at)) else {
        return Vec::new();
    };
    let mut all: Vec<String> = Vec::new();
    match point.verb {
        Verb::Retry => all.push(format!(
            "A retry overwrites what the failed attempt left in {}; copy it first if you want to compare.",
            facts.wf.join(&stage.id).display()
        )),
        Verb::Rerun => {
            for stale in super::redone(flow, point).iter().filter_map(|at| flow.stage(*at)) {
                let beside = outside(stale);
                if !beside.is_empty() {
                    all.push(format!(
                        "Outputs of {} outside its folder stay in place and the new run overwrites them: {}.",
                        stale.id,
                        beside.join(", ")
                    ));
                }
            }
            if !recommended && stage.status == StageStatus::Completed {
                all.push("Scripts and inputs in the moved folders are prepared anew.".to_owned());
            }
        }
        Verb::Fail | Verb::Skip if flow.jobs.get(&stage.index).is_some_and(|j| j.remote) => {
            all.push("A remote job that still works is not cancelled.".to_owned());
        }
        Verb::Monitor | Verb::Verify | Verb::Skip | Verb::Fail | Verb::Completion => {}
    }
    all.into_iter().map(Foreign::from).collect()
}

/// Outputs that do not lie in the stage's own folder.
fn outside(stage: &Stage) -> Vec<&str> {
    let prefix = format!("{}/", stage.id);
    let lies_in = |path: &&String| !path.trim_start_matches("./").starts_with(&prefix);
    stage
        .outputs
        .iter()
        .filter(lies_in)
        .map(String::as_str)
        .take(8)
        .collect()
}
