//! Everything a person may ask about the pipelines of a case, as JSON, and what must hold of any answer.

use std::collections::BTreeMap;

use relight::engine::{Dossier, Engine, Request, Survey};
use relight::model::{
    Badge, Foreign, Pipeline, Plan, PlanOptions, PointChoice, ResumePoint, Status, Verdict,
};
use serde_json::{Map, Value, json};

use super::{Trouble, agreement};

/// What was answered.
pub(crate) struct Answers {
    /// One object a pipeline.
    pub(crate) pipelines: Vec<Map<String, Value>>,
    /// How many files only look like one.
    pub(crate) skipped: Vec<String>,
}

/// Asks everything of every pipeline. Reading twice must give the same.
pub(crate) fn ask(engine: &Engine, request: &Request) -> Result<Answers, Trouble> {
    let survey = surveyed(engine, request)?;
    let mut pipelines = Vec::new();
    for pipeline in &survey.pipelines {
        let id = &pipeline.id;
        let dossier = engine.dossier(id).map_err(|why| trouble(pipeline, &why))?;
        if dossier.pipeline != *pipeline {
            return Err(Trouble(format!("{id} reads otherwise the second time")));
        }
        let wrongs = wrongs(&dossier);
        if !wrongs.is_empty() {
            return Err(Trouble(format!("{id}: {}", wrongs.join("; "))));
        }
        let mut facts = facts(&dossier);
        let mut plans = Map::new();
        for point in &dossier.points {
            let plan = planned(engine, pipeline, point)?;
            if point.recommended {
                facts.insert("plan".to_owned(), plan.clone());
            }
            plans.insert(point.boundary.id.0.clone(), plan);
        }
        facts.insert("plans".to_owned(), Value::Object(plans));
        pipelines.push(facts);
    }
    let skipped = survey.skipped.iter();
    Ok(Answers {
        pipelines,
        skipped: skipped
            .map(|s| format!("{}: {}", s.path.display(), text(&s.reason)))
            .collect(),
    })
}

fn surveyed(engine: &Engine, request: &Request) -> Result<Survey, Trouble> {
    let survey = |()| {
        engine
            .survey(request, &|_| {})
            .map_err(|why| Trouble(format!("the survey failed: {why}")))
    };
    let first = survey(())?;
    let second = survey(())?;
    if first == second {
        Ok(first)
    } else {
        Err(Trouble("a second survey found something else".to_owned()))
    }
}

fn trouble(pipeline: &Pipeline, why: &relight::engine::EngineError) -> Trouble {
    Trouble(format!("{}: {why}", pipeline.id))
}

/// The plan of a point, computed twice: the same plan has the same fingerprint.
fn planned(engine: &Engine, pipeline: &Pipeline, point: &ResumePoint) -> Result<Value, Trouble> {
    let choice = PointChoice::Id(point.boundary.id.clone());
    let options = PlanOptions::default();
    let plan = |()| {
        engine
            .plan(&pipeline.id, &choice, &options)
            .map_err(|why| Trouble(format!("{}, {}: {why}", pipeline.id, point.boundary.id)))
    };
    let first = plan(())?;
    agreement::check(engine, pipeline, point, &first)?;
    if plan(())? == first {
        Ok(plan_facts(&first))
    } else {
        Err(Trouble(format!(
            "{}, {}: a second plan is another",
            pipeline.id, point.boundary.id
        )))
    }
}

fn plan_facts(plan: &Plan) -> Value {
    let failing = plan.guards.iter().filter(|guard| !guard.holds);
    let paths = plan.actions.iter().flat_map(|action| &action.paths);
    json!({
        "actions": plan.actions.iter().map(|action| action.kind.word()).collect::<Vec<_>>(),
        "targets": plan.actions.iter().map(|a| a.target.to_string_lossy()).collect::<Vec<_>>(),
        "paths": paths.map(|path| text(&path.path)).collect::<Vec<_>>(),
        "guards_failing": failing.map(|guard| guard.id.to_string()).collect::<Vec<_>>(),
        "destructive": plan.destructive,
        "kept": plan.kept.len(),
        "redone": plan.redone.len(),
        "losses": plan.losses.len(),
        "argv": plan.handoff.argv.iter().filter(|word| **word != plan.handoff.prompt).map(text).collect::<Vec<_>>(),
        "prompt": text(&plan.handoff.prompt),
    })
}

/// All that a fixture may expect of a pipeline, but for its plans.
fn facts(dossier: &Dossier) -> Map<String, Value> {
    let pipeline = &dossier.pipeline;
    let mut checks: BTreeMap<&str, Verdict> = BTreeMap::new();
    for check in &dossier.checks {
        let worst = checks.entry(&check.id.0).or_insert(check.verdict);
        *worst = (*worst).max(check.verdict);
    }
    let words = |checks: BTreeMap<&str, Verdict>| -> Map<String, Value> {
        let word = |(id, verdict): (&str, Verdict)| (id.to_owned(), json!(verdict.word()));
        checks.into_iter().map(word).collect()
    };
    let recommended = dossier.points.iter().find(|point| point.recommended);
    let points = dossier.points.iter().map(|point| &point.boundary.id.0);
    let phases = pipeline.phases.iter();
    let branch = pipeline.branch.as_ref();
    let facts = json!({
        "system": pipeline.system.0,
        "native": text(&pipeline.native),
        "status": pipeline.standing.status.word(),
        "status_reason": text(&pipeline.standing.reason),
        "liveness": pipeline.standing.liveness.verdict.word(),
        "title": text(&pipeline.title),
        "root": pipeline.root.to_string_lossy(),
        "work_tree": pipeline.work_tree.as_ref().map(|path| path.to_string_lossy()),
        "branch": branch.map(|b| [b.expected.as_ref().map(text), b.actual.as_ref().map(text)]),
        "progress": [Some(pipeline.progress.done), pipeline.progress.total],
        "badges": pipeline.badges.iter().map(|badge| badge.word()).collect::<Vec<_>>(),
        "stopped_where": text(&pipeline.stopped_where),
        "phases": phases.map(|p| [text(&p.id), p.status.word().to_owned()]).collect::<Vec<_>>(),
        "recommended": recommended.map(|point| &point.boundary.id.0),
        "points": points.collect::<Vec<_>>(),
        "checks": words(checks),
        "findings": pipeline.findings.iter().map(|finding| finding.code).collect::<Vec<_>>(),
        "checkpoints": dossier.checkpoints.len(),
        "events": dossier.timeline.len(),
    });
    facts.as_object().cloned().unwrap_or_default()
}

/// What holds of every dossier.
fn wrongs(dossier: &Dossier) -> Vec<String> {
    let mut wrongs = Vec::new();
    let status = dossier.pipeline.standing.status;
    for check in &dossier.checks {
        let name = format!("check {} ({})", check.id.0, text(&check.subject));
        if check.evidence.is_empty() {
            wrongs.push(format!("{name} has no evidence"));
        }
        let bad = matches!(check.verdict, Verdict::Warn | Verdict::Fail);
        if bad && check.remedy.as_ref().is_none_or(Foreign::is_empty) {
            wrongs.push(format!(
                "{name} is {} without a remedy",
                check.verdict.word()
            ));
        }
    }
    for finding in &dossier.pipeline.findings {
        if finding.text.is_empty() {
            wrongs.push(format!("finding {} says nothing", finding.code));
        }
    }
    let recommended = dossier.points.iter().filter(|point| point.recommended);
    let damaged = dossier.pipeline.badges.contains(&Badge::Damaged);
    match recommended.count() {
        // What is damaged may well have nothing that can be recommended.
        0 if status == Status::Interrupted && !damaged && !dossier.points.is_empty() => {
            wrongs.push("no point is recommended".to_owned());
        }
        0 | 1 => {}
        several => wrongs.push(format!("{several} points are recommended")),
    }
    let mut ids: Vec<&str> = dossier
        .points
        .iter()
        .map(|p| p.boundary.id.0.as_str())
        .collect();
    ids.sort_unstable();
    if ids.windows(2).any(|pair| pair[0] == pair[1]) {
        wrongs.push("two points have the same id".to_owned());
    }
    let badges = &dossier.pipeline.badges;
    if badges.windows(2).any(|pair| pair[0] >= pair[1]) {
        wrongs.push("the badges are not in their order, each once".to_owned());
    }
    wrongs
}

fn text(foreign: &Foreign) -> String {
    foreign.lossy().into_owned()
}
