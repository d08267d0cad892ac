//! One round: a plan is applied, compared with what it promised, undone, redone, undone.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use relight::apply::Consent;
use relight::engine::{Dossier, Engine};
use relight::git::RealGit;
use relight::model::{
    Action, ActionKind, Aliveness, Cancel, CauseKind, Foreign, Handoff, PathChange, Pipeline,
    PipelineId, Plan, PlanOptions, PlanPath, PointChoice, Preview, RecoveryId, RecoveryState,
    Status, Verdict,
};

use relight::world::git::Git as _;

use super::part::{SOME, tried};
use super::site::Site;
use super::snapshot::{By, Tree, grown, in_git, is_log, put_back, same, take};
use super::support::Trouble;
use super::{causes, expected, formats, rehearsed, shown};

/// What was done.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Plans applied, undone and redone.
    pub(crate) acted: usize,
    /// Plans that write nothing.
    pub(crate) idle: usize,
    /// Plans that a guard refused.
    pub(crate) refused: usize,
}

impl Seen {
    pub(crate) fn add(&mut self, other: Self) {
        self.acted += other.acted;
        self.idle += other.idle;
        self.refused += other.refused;
    }
}

/// Options that answer what cannot be known of a folder that a test made.
pub(crate) fn options() -> PlanOptions {
    PlanOptions {
        assume_stopped: true,
        ..PlanOptions::default()
    }
}

/// How far a round goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Applied and undone.
    Undo,
    /// Applied, undone, redone, undone again.
    Redo,
}

/// Reads a hand-off as the orchestrator would, after its plan; why it does not lead where the plan says otherwise.
pub(crate) type Reader = fn(&Pipeline, &Plan, &Handoff) -> Result<(), String>;

/// Every point of every pipeline, one after another on the same folder. The first that writes anything is redone,
/// too. The hand-offs of pipelines of the system go to the reader. The number of the fixture decides which are tried.
pub(crate) fn every_point(
    site: &Site<'_>,
    system: &str,
    nth: usize,
    reader: Option<Reader>,
) -> Result<Seen, Trouble> {
    let mut seen = Seen::default();
    fs::create_dir_all(site.kept())?;
    let engine = site.engine()?;
    let survey = engine.survey(&site.request, &|_| {})?;
    for (at, pipeline) in survey.pipelines.iter().enumerate() {
        let reader = reader.filter(|_| pipeline.reading.system.0 == system);
        let points = engine.dossier(&pipeline.id)?.points;
        for point in tried(points, nth + at, SOME) {
            let id = point.boundary.id;
            let depth = if seen.acted == 0 {
                Depth::Redo
            } else {
                Depth::Undo
            };
            let choice = PointChoice::Id(id.clone());
            let round = round(site, pipeline, &choice, &options(), depth, reader);
            let done = round.map_err(|why| Trouble(format!("{}, {id}: {}", pipeline.id, why.0)))?;
            seen.add(done.0);
        }
    }
    Ok(seen)
}

/// How a pipeline reads after its recovery.
pub(crate) struct After {
    /// Its status.
    pub(crate) status: Status,
    /// The point that is recommended then.
    pub(crate) recommended: Option<String>,
}

/// One plan, through all of it. The folder is as before afterwards, and what relight kept is gone: each look would
/// read the recoveries of all rounds before.
pub(crate) fn round(
    site: &Site<'_>,
    pipeline: &Pipeline,
    choice: &PointChoice,
    options: &PlanOptions,
    depth: Depth,
    reader: Option<Reader>,
) -> Result<(Seen, Option<After>), Trouble> {
    let engine = site.engine()?;
    let dossier = reading(&engine, site, &pipeline.id)?;
    let mut stop = causes::Stop::of(&engine, &pipeline.id)?;
    let mut planted = None;
    if stop.kind == CauseKind::Unknown {
        planted = Some(causes::Planted::of(site, pipeline)?);
        stop = causes::Stop::of(&engine, &pipeline.id)?;
    }
    // Some cases have times at which no conversation fits, such as a beginning after the last write.
    let stop = (stop.kind != CauseKind::Unknown).then_some(stop);
    let plan = answered(&engine, &pipeline.id, choice, options)?;
    let before = take(&site.root, &site.kept())?;
    let hand_off = |handoff: &Handoff| {
        let read = reader.map_or(Ok(()), |read| read(pipeline, &plan, handoff));
        read.map_err(|why| Trouble(format!("{why}\n    prompt: {}", handoff.prompt.lossy())))
    };
    if let Some(seen) = nothing_done(site, &engine, &plan, &before, &hand_off)? {
        planted.map_or(Ok(()), causes::Planted::remove)?;
        return Ok((seen, None));
    }
    let promised = expected::tree(&engine, &plan, &before, engine.now())?;
    let sides = shown::before(&engine, &plan, &before, engine.now())?;
    let copy = rehearsed::before(&engine, &plan, pipeline, &site.kept())?;
    let outcome = engine
        .apply(&plan, &Consent::yes(&plan), &|_| {}, &Cancel::new())
        .map_err(|why| Trouble(format!("{why} {:?}", why.hints)))?;
    let recovery = outcome
        .recovery
        .ok_or_else(|| Trouble("no recovery".to_owned()))?;
    let limit = |handoff: &relight::model::Handoff| handoff.limit_until.map(|until| until.at);
    if limit(&recovery.handoff) != limit(&plan.handoff) {
        let text = "the recorded hand-off has another usage limit than the plan's";
        return Err(Trouble(text.to_owned()));
    }
    hand_off(outcome.handoff.as_ref().unwrap_or(&plan.handoff))?;
    let after = take(&site.root, &site.kept())?;
    same("as planned", &promised, &after, By::Content, &in_git)?;
    sides.hold(&after)?;
    copy.holds(&after)?;
    formats::hold(&plan, &before, &after)?;
    let read = reread(site, &dossier, &plan, stop.as_ref())?;

    let logs = expected::logs(&plan);
    let passed = |path: &Path| is_log(&logs, &before, path);
    let undone = undo(site, &recovery.id, false)?;
    let back = take(&site.root, &site.kept())?;
    same("undone", &before, &back, By::Identity, &passed)?;
    grown(&logs, &before, &back)?;
    stop_stays(site, pipeline, stop.as_ref(), "after the undo")?;
    if let (Some(undone), Depth::Redo) = (undone, depth) {
        let redone =
            undo(site, &undone, true)?.ok_or_else(|| Trouble("nothing to redo".to_owned()))?;
        let again = take(&site.root, &site.kept())?;
        same("redone", &after, &again, By::Identity, &|path| {
            logs.contains(path)
        })?;
        undo(site, &redone, false)?;
        let back = take(&site.root, &site.kept())?;
        same("undone again", &before, &back, By::Identity, &passed)?;
        stop_stays(site, pipeline, stop.as_ref(), "after the second undo")?;
    }
    put_back(&before, &back)?;
    fs::remove_dir_all(site.kept())?;
    planted.map_or(Ok(()), causes::Planted::remove)?;
    let acted = Seen {
        acted: 1,
        ..Seen::default()
    };
    Ok((acted, Some(read)))
}

fn stop_stays(
    site: &Site<'_>,
    pipeline: &Pipeline,
    stop: Option<&causes::Stop>,
    what: &str,
) -> Result<(), Trouble> {
    let engine = site.engine()?;
    reading(&engine, site, &pipeline.id)?;
    stop.map_or(Ok(()), |stop| stop.must_stay(&engine, &pipeline.id, what))
}

/// A plan whose every question the person has accepted.
fn answered(
    engine: &Engine,
    id: &PipelineId,
    choice: &PointChoice,
    options: &PlanOptions,
) -> Result<Plan, Trouble> {
    let plan = engine.plan(id, choice, options)?;
    let asks = plan.guards.iter().filter(|guard| guard.is_open());
    let accept: Vec<String> = asks.map(|guard| guard.id.to_string()).collect();
    if accept.is_empty() {
        return Ok(plan);
    }
    Ok(engine.plan(
        id,
        choice,
        &PlanOptions {
            accept,
            ..options.clone()
        },
    )?)
}

/// Plans that write nothing or must not be applied: not a byte changes.
fn nothing_done(
    site: &Site<'_>,
    engine: &Engine,
    plan: &Plan,
    before: &Tree,
    hand_off: &dyn Fn(&Handoff) -> Result<(), Trouble>,
) -> Result<Option<Seen>, Trouble> {
    let holds = plan.guards.iter().all(|guard| guard.holds);
    if holds && !plan.actions.is_empty() {
        return Ok(None);
    }
    let outcome = engine.apply(plan, &Consent::yes(plan), &|_| {}, &Cancel::new());
    let now = take(&site.root, &site.kept())?;
    same("untouched", before, &now, By::Identity, &|_| false)?;
    if holds {
        let outcome = outcome?;
        outcome.handoff.as_ref().map_or(Ok(()), hand_off)?;
        let idle = outcome.recovery.is_none() && outcome.handoff.is_some();
        let seen = Seen {
            idle: 1,
            ..Seen::default()
        };
        return idle
            .then_some(Some(seen))
            .ok_or_else(|| Trouble("an empty recovery".to_owned()));
    }
    if outcome.is_ok() {
        return Err(Trouble("applied past a guard".to_owned()));
    }
    Ok(Some(Seen {
        refused: 1,
        ..Seen::default()
    }))
}

/// Undoes a recovery; returns the undo's id, or nothing if there was nothing to undo.
fn undo(site: &Site<'_>, id: &RecoveryId, redo: bool) -> Result<Option<RecoveryId>, Trouble> {
    let engine = site.engine()?;
    let request = site.everywhere();
    let plan = engine.undo_plan(
        Some(&id.0),
        redo,
        // As the resume before it: the person made sure that it has stopped.
        &relight::model::UndoOptions {
            assume_stopped: true,
            ..relight::model::UndoOptions::default()
        },
        &request,
    )?;
    if plan.actions.is_empty() {
        return Ok(None);
    }
    let failing: Vec<_> = plan.guards.iter().filter(|guard| !guard.holds).collect();
    if !failing.is_empty() {
        return Err(Trouble(format!("the undo is refused: {failing:?}")));
    }
    let sides = shown::before(
        &engine,
        &plan,
        &take(&site.root, &site.kept())?,
        engine.now(),
    )?;
    let outcome = engine
        .apply(&plan, &Consent::yes(&plan), &|_| {}, &Cancel::new())
        .map_err(|why| Trouble(format!("undo: {why} {:?}", why.hints)))?;
    sides.hold(&take(&site.root, &site.kept())?)?;
    let done = outcome
        .recovery
        .ok_or_else(|| Trouble("no recovery".to_owned()))?;
    if done.state != RecoveryState::Committed {
        return Err(Trouble(format!("the undo is {:?}", done.state)));
    }
    Ok(Some(done.id))
}

fn reading(engine: &Engine, site: &Site<'_>, id: &PipelineId) -> Result<Dossier, Trouble> {
    let survey = engine.survey(&site.request, &|_| {})?;
    if !survey.pipelines.iter().any(|found| found.id == *id) {
        return Err(Trouble("the pipeline is not found anymore".to_owned()));
    }
    Ok(engine.dossier(id)?)
}

/// Relight's own reader on the result: the pipeline is still there and alive to nobody, and no check fails that
/// held before.
fn reread(
    site: &Site<'_>,
    before: &Dossier,
    plan: &Plan,
    stop: Option<&causes::Stop>,
) -> Result<After, Trouble> {
    let engine = site.engine()?;
    let now = reading(&engine, site, &plan.pipeline)?;
    if let Some(stop) = stop {
        stop.must_survive(&engine, &plan.pipeline)?;
    }
    let standing = &now.pipeline.standing;
    if standing.liveness.verdict == Aliveness::Alive {
        return Err(Trouble("it reads as alive".to_owned()));
    }
    let resets = plan
        .actions
        .iter()
        .any(|a| a.kind == ActionKind::ResetWorktree);
    let failing = |dossier: &Dossier| -> BTreeSet<(String, Vec<u8>)> {
        // Documents that went with a worktree are still named in an append-only list (mgw).
        let gone = |id: &str| resets && id == "M10";
        // The point itself says that this check fails; the document that is missing may be another one than before.
        let said = |id: &str| {
            let mut said = plan.point.boundary.failing.iter();
            said.any(|(failing, verdict)| failing.0 == id && *verdict == Verdict::Fail)
        };
        let bad = dossier.checks.iter().filter(|check| {
            let id = &check.id.0;
            check.verdict == Verdict::Fail && !gone(id) && !said(id)
        });
        bad.map(|check| (check.id.0.clone(), check.subject().as_bytes().to_vec()))
            .collect()
    };
    let old = failing(before);
    if let Some((id, _)) = failing(&now).difference(&old).next() {
        let check = now
            .checks
            .iter()
            .find(|c| c.id.0 == *id && c.verdict == Verdict::Fail);
        return Err(Trouble(format!("a check fails after it: {check:?}")));
    }
    for action in plan
        .actions
        .iter()
        .filter(|a| a.kind == ActionKind::ResetWorktree)
    {
        clean(action)?;
    }
    let recommended = now.points.iter().find(|point| point.recommended);
    Ok(After {
        status: standing.status,
        recommended: recommended.map(|point| point.boundary.id.0.clone()),
    })
}

/// A worktree that was reset stands at its commit, with nothing that git would call a change.
fn clean(action: &Action) -> Result<(), Trouble> {
    let Preview::Tree { commit, .. } = &action.preview else {
        return Err(Trouble("a reset without a commit".to_owned()));
    };
    let head = RealGit.repo(&action.target)?.head;
    let kept = |path: &Foreign| {
        let stays = |p: &&PlanPath| p.change == PathChange::KeepNewer;
        action.paths.iter().filter(stays).any(|p| p.path == *path)
    };
    let status = RealGit.status(&action.target)?;
    let changed = status
        .iter()
        .find(|change| !change.is_untracked() && !kept(&change.path));
    match (head.as_deref() == Some(commit.as_str()), changed) {
        (true, None) => Ok(()),
        found => Err(Trouble(format!("the reset left {found:?}"))),
    }
}
