//! `replay`: sessions, and the plan of one.

use std::path::PathBuf;

use serde_json::{Value, json};

use super::comparison::{body as comparison_body, swap, usage};
use super::plan::{body as recovery_plan, handoff};
use super::rows::checkpoint;
use super::{SCHEMA, all, beside, path, path_b64, paths, text, texts, time, with, zone};
use crate::engine::{EngineError, ReplaySize};
use crate::model::{
    Comparison, Dispatch, ExperimentEnd, Foreign, JudgedExperiment, MergePiece, NamedFolder,
    OutsideChange, OutsideWriter, OwnMetric, Plan, ReplayCost, ReplayExperiment, ReplayFrom,
    ReplayPlan, ReplaySession, ReplayStart, ReplayStep, Runner, Sandbox, StepBody, Unnumbered,
};

/// `replay` and `replay --list`.
pub(crate) fn sessions(sessions: &[ReplaySession]) -> Value {
    // The sessions of one experiment are its runs. A list may contain several experiments, and then names none.
    let mut places = sessions.iter().filter_map(|one| one.place.as_ref());
    let first = places.next().map(|place| &place.experiment.0);
    let same = |one: &ReplaySession| one.place.as_ref().map(|place| &place.experiment.0) == first;
    let id = first.filter(|_| sessions.iter().all(same));
    let experiment = id.map(|id| {
        let blocks = sessions.iter().filter_map(|one| one.place.as_ref());
        json!({ "id": id, "blocks": blocks.map(|place| place.block).max() })
    });
    json!({
        "schema": SCHEMA,
        "experiment": experiment,
        "sessions": all(sessions, session),
    })
}

/// `replay --list`: the sessions with the bytes that each takes on the disk, and their experiments with the verdicts.
pub(crate) fn listed(
    sessions: &[ReplaySession],
    sizes: &[ReplaySize],
    experiments: &[ReplayExperiment],
    verdicts: &[JudgedExperiment],
) -> Value {
    let run = |one: &ReplaySession| {
        let mut known = sizes.iter().flat_map(|size| &size.runs);
        let known = known.find(|(id, _)| *id == one.id);
        with(session(one), "bytes", known.map(|(_, bytes)| bytes))
    };
    let group = |one: &ReplaySize| json!({ "id": one.group.0, "runs": one.runs.len(), "bytes": one.bytes() });
    let runs: Vec<Value> = sessions.iter().map(run).collect();
    let report = with(self::sessions(sessions), "sessions", Some(runs));
    let report = with(report, "sizes", Some(all(sizes, group)));
    // An experiment that was interrupted before its first run has no session, so it is listed separately.
    let experiment = |one: &ReplayExperiment| {
        let begun = sessions.iter().filter(|session| session.group == one.id);
        let judged = verdicts.iter().find(|judged| judged.id == one.id);
        json!({
            "id": one.id.0,
            "arms": one.arms.iter().map(|arm| arm.word()).collect::<Vec<_>>(),
            "blocks": one.blocks,
            "runs": one.blocks * one.arms.len(),
            "begun": begun.count(),
            "end": one.end.map(ExperimentEnd::word),
            "rejected": one.rejected.as_ref().map(text),
            "metrics": all(&one.metrics, metric),
            "verdict": judged.map(|judged| judged.verdict.word()),
        })
    };
    let experiments: Vec<Value> = experiments.iter().map(experiment).collect();
    with(report, "experiments", Some(experiments))
}

/// The sessions of a replay, with the notes, the recovery before a replay in place, and the comparison of `--diff` with
/// its files.
pub(crate) fn replayed(
    all: &[ReplaySession],
    notes: &[Foreign],
    recovery: Option<String>,
    compared: Option<(&Comparison, &[PathBuf])>,
) -> Value {
    let comparison = compared.map(|(comparison, _)| comparison_body(comparison));
    let records = compared.map(|(_, kept)| paths(kept));
    let object = with(sessions(all), "comparison", comparison);
    let object = with(object, "records", records.filter(|all| !all.is_empty()));
    let object = with(object, "notes", (!notes.is_empty()).then(|| texts(notes)));
    with(object, "recovery", recovery)
}

pub(super) fn session(session: &ReplaySession) -> Value {
    let counts = session.dispatches;
    let (tree, folder) = (session.tree.as_deref(), session.folder.as_deref());
    let runner = Some(text(&session.runner)).filter(|name| !name.is_empty());
    let object = json!({
        "id": session.id.0,
        "state": session.state.word(),
        "tree": tree.map(path),
        "manifest": path(&session.manifest),
        "dispatches": {
            "done": counts.done,
            "failed": counts.failed,
            "error": counts.error,
            "left": counts.left,
            "unknown": counts.unknown,
        },
        "pipeline": session.pipeline.0,
        "group": session.group.0,
        "experiment": session.place.as_ref().map(|place| &place.experiment.0),
        "arm": session.place.as_ref().map(|place| place.arm.word()),
        "block": session.place.as_ref().map(|place| place.block),
        "repeat": session.repeat.0,
        "of": session.repeat.1,
        "start": session.start.as_ref().map(|point| &point.0),
        "mutations": texts(&session.mutations),
        "runner": runner,
        "in_place": session.in_place,
        "started_at": time(session.started_at),
        "ended_at": time(session.ended_at),
        "folder": folder.map(path),
        "handoff": session.handoff.as_ref().map(handoff),
        "outside": all(&session.outside, outside),
        "rejected": session.rejected.as_ref().map(text),
        "unmeasured": session.unmeasured().map(unmeasured).collect::<Vec<_>>(),
        "trouble": session.troubles().map(|one| text(&one)).collect::<Vec<_>>(),
    });
    let object = with(object, "zone", zone([session.started_at, session.ended_at]));
    let object = with(object, "tree_b64", tree.and_then(path_b64));
    let object = with(object, "manifest_b64", path_b64(&session.manifest));
    with(object, "path_b64", folder.and_then(path_b64))
}

/// A metric without a value.
fn unmeasured(one: &Unnumbered) -> Value {
    json!({ "metric": one.metric, "reason": one.why, "can_measure_again": one.by_command })
}

/// A change of the original's files while a run was under way.
fn outside(change: &OutsideChange) -> Value {
    json!({
        "path": path(&change.path),
        "change": change.kind.word(),
        "by_run": change.by == OutsideWriter::Run,
        "by": change.by.word(),
    })
}

/// `replay --dry-run`. `skipped` are the dispatches that are not run again; `ground` is the recovery before a
/// replay in place. An error is reported beside a plan that cannot be run yet.
pub(crate) fn replay_plan(
    plan: &ReplayPlan,
    skipped: &[&Dispatch],
    ground: Option<&Plan>,
    dry_run_report: &str,
    refused: Option<&EngineError>,
) -> Value {
    let ask = &plan.ask;
    let (by, value) = match &ask.from {
        ReplayFrom::FirstAffected => ("first_affected", None),
        ReplayFrom::Phase(phase) => ("phase", Some(phase.clone())),
        ReplayFrom::Seq(seq) => ("seq", Some(seq.to_string())),
    };
    let body = json!({
        "fingerprint": plan.fingerprint.0,
        "pipeline": plan.pipeline.0,
        "session": text(&plan.experiment.session),
        "manifest": path(&plan.experiment.manifest),
        "started_at": time(plan.experiment.started_at),
        "from": { "by": by, "value": value },
        "start": plan.begin().map(start),
        "commit": plan.commit,
        "skipped": skipped.iter().map(|one| dispatch(one)).collect::<Vec<_>>(),
        "steps": all(&plan.steps, step),
        "conflicts": plan.conflicts().count(),
        "mutations": all(&plan.mutations, swap),
        "templates": ask.templates.as_deref().map(path),
        "template_ref": ask.template_ref,
        "jobs": ask.jobs,
        "repeat": ask.repeat,
        "on": ask.on.word(),
        "in_place": ask.in_place,
        "confounders": texts(&plan.confounders),
        "notes": texts(&plan.notes),
        "runner": plan.runner.as_ref().map(runner),
        "handoff": plan.handoff.as_ref().map(handoff),
        "isolation": isolation(plan),
        "cost": cost(&plan.cost),
        "metrics": all(&plan.ask.metrics, metric),
    });
    let object = json!({ "schema": SCHEMA, "plan": body, "dry_run_report": dry_run_report });
    beside(with(object, "recovery", ground.map(recovery_plan)), refused)
}

fn cost(cost: &ReplayCost) -> Value {
    json!({
        "runs": cost.runs,
        "dispatches": cost.dispatches,
        "time_s": cost.time_s,
        "disk": cost.disk.map(|disk| {
            json!({ "each": disk.each, "all": disk.all, "free": disk.free })
        }),
        "tokens": cost.tokens.as_ref().map(usage),
    })
}

fn metric(metric: &OwnMetric) -> Value {
    json!({
        "name": metric.name,
        "command": metric.command,
        "better": if metric.lower_is_better { "lower" } else { "higher" },
        "margin": metric.margin,
        "primary": metric.primary,
    })
}

fn isolation(plan: &ReplayPlan) -> Value {
    let ask = &plan.ask.isolation;
    let why = match &plan.isolation.sandbox {
        Sandbox::Bwrap(_) => None,
        Sandbox::Off(why) => Some(text(why)),
    };
    let named = all(&plan.isolation.named, |one: &NamedFolder| {
        json!({
            "path": path(&one.path),
            "mentions": one.mentions,
            "dispatches": one.dispatches,
        })
    });
    let rewritten = plan.isolation.rewritten.iter().flat_map(|text| {
        text.lines().map(|(line, before, after)| {
            json!({
                "dispatch": text.seq,
                "line": line,
                "before": self::text(&Foreign::from(before)),
                "after": self::text(&Foreign::from(after)),
            })
        })
    });
    json!({
        "sandbox": plan.isolation.sandbox.word(),
        "why_no_sandbox": why,
        "paths": named,
        "rewritten": rewritten.collect::<Vec<_>>(),
        "keep_paths": ask.keep_paths,
        "setup": ask.setup.iter().map(|word| text(&Foreign::from(word.as_os_str()))).collect::<Vec<_>>(),
    })
}

fn start(start: &ReplayStart) -> Value {
    json!({
        "point": start.point.0,
        "label": text(&start.label),
        "phase": text(&start.phase),
        "redo": start.redo,
        "checkpoint": start.checkpoint.as_ref().map(checkpoint),
        "unusable": start.unusable.as_ref().map(text),
    })
}

fn dispatch(dispatch: &Dispatch) -> Value {
    let model = dispatch.model.as_ref().or(dispatch.model_tier.as_ref());
    json!({
        "seq": dispatch.seq,
        "file": text(&dispatch.file),
        "template": text(&dispatch.template),
        "role": text(&dispatch.role),
        "phase": text(&dispatch.phase),
        "task": dispatch.task.as_ref().map(text),
        "status": dispatch.status.word(),
        "duration_s": dispatch.duration_s,
        "summary": dispatch.summary.as_ref().map(text),
        "model": model.map(text),
        "path": dispatch.path.as_deref().map(path),
    })
}

/// A step. `text` is its dispatch file; `conflict` has the pieces of an unresolved merge.
fn step(step: &ReplayStep) -> Value {
    let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let piece = |piece: &MergePiece| match piece {
        MergePiece::Resolved(bytes) => json!({ "settled": lossy(bytes) }),
        MergePiece::Conflict {
            template,
            dispatch,
            replacement,
        } => json!({
            "template": lossy(template),
            "dispatch": lossy(dispatch),
            "replacement": lossy(replacement),
        }),
    };
    let (text, conflict) = match &step.body {
        StepBody::Ready(bytes) => (Some(lossy(bytes)), None),
        StepBody::Conflict(merge) => {
            let pieces: Vec<Value> = merge.pieces.iter().map(piece).collect();
            (None, Some(pieces))
        }
    };
    let object = with(dispatch(&step.original), "wave", Some(step.wave));
    let object = with(object, "mutation", Some(step.mutation));
    with(with(object, "text", Some(text)), "conflict", Some(conflict))
}

fn runner(runner: &Runner) -> Value {
    let argv = runner.argv.iter().map(|word| word.to_string_lossy());
    json!({
        "name": text(&runner.name),
        "argv": argv.collect::<Vec<_>>(),
        "timeout_s": runner.timeout_s,
        "retries": runner.retries,
    })
}
