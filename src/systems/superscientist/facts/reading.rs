//! The [`Reading`] of a workflow: status, progress, evidence of life, findings. Damage becomes a finding, never an
//! error. The evidence of life is collected here and judged elsewhere.

mod damaged;
mod findings;
pub(crate) mod phases;
mod timeline;

use chrono::{DateTime, Utc};

use crate::formats::{json, stamp};
use crate::model::{
    Badge, Claim, Finding, Foreign, LifeEvidence, Place, Progress, Reading, Stamp, Status,
};
use crate::systems::kit::badges;
use crate::systems::superscientist::NAME;
use crate::systems::superscientist::facts::{Facts, Flow, Next};
use crate::systems::superscientist::shape::{INIT, LOG, STATE, Stage};
use crate::text::format::count;
use crate::world::World;
use crate::world::liveness::{LifeQuery, TmuxQuery, gather};

pub(crate) use crate::systems::superscientist::facts::reading::timeline::timeline;

/// How long silence must last before it counts: one waiting session lasts about ten minutes, and every session writes
/// to the log when it starts and ends.
const QUIET_AFTER_S: i64 = 900;
/// How many entries of a stage's folder are checked for their age.
const ENTRIES: usize = 200;

/// Makes the reading.
pub(crate) fn reading(facts: &Facts, world: &dyn World) -> Reading {
    let life = life(facts, world);
    let last = life.last_write.or_else(|| newest(facts, world));
    let findings = findings::all(facts);
    let stale = badges::is_stale(last, world.clock().now().to_utc(), badges::STALE_AFTER);
    let mut times = facts.log.lines.iter().filter_map(|line| line.at);
    let (first, logged) = (times.clone().next(), times.next_back());
    let (claim, where_, progress, phases) = match &facts.flow {
        Ok(flow) => (
            claim(facts, flow),
            stopped_where(facts, flow),
            progress(flow),
            phases::all(facts, flow, world),
        ),
        Err(damage) => damaged::all(facts, damage),
    };
    Reading {
        system: NAME,
        native: facts.native.clone(),
        title: title(facts),
        root: facts.wf.clone(),
        state_files: state_files(facts),
        work_tree: facts.top.clone(),
        branch: None,
        pull_request: None,
        started_at: first.or_else(|| created(facts, world)),
        last_activity_at: last.map(Stamp::utc).or(logged),
        badges: badges(facts, claim.status, &findings, stale),
        claim,
        life,
        stopped_where: where_,
        progress,
        phases,
        findings,
    }
}

/// The goal in the log's first line, else the workflow's id.
fn title(facts: &Facts) -> Foreign {
    let saved = || facts.saved.as_ref().map(|saved| &saved.state);
    let state = facts.flow.as_ref().ok().map(|f| &f.state).or_else(saved);
    let id = state.map(|state| state.workflow_id.as_str());
    let id = id.filter(|id| !id.is_empty());
    let purpose = facts.log.purpose();
    let title = purpose.as_deref().or(id);
    title.map_or_else(|| facts.native.clone(), Foreign::from)
}

fn state_files(facts: &Facts) -> Vec<std::path::PathBuf> {
    let logged = facts.log.missing.is_none();
    let files = [(STATE, true), (LOG, logged), (INIT, facts.has_init)];
    let files = files.into_iter().filter(|(_, there)| *there);
    files.map(|(name, _)| facts.wf.join(name)).collect()
}

fn created(facts: &Facts, world: &dyn World) -> Option<Stamp> {
    let state = &facts.flow.as_ref().ok()?.state;
    stamp::parse(json::text(&state.map, "created")?, world.clock())
}

/// The status that the files claim.
fn claim(facts: &Facts, flow: &Flow) -> Claim {
    let waits = |reason: String| Claim::new(Status::Waiting, reason);
    if flow.next == Next::Nothing {
        Claim::new(Status::Complete, "Its completion is recorded.")
    } else if facts.paused {
        waits("It is paused: the file PAUSE exists.".to_owned())
    } else if let Some(stage) = flow.exhausted() {
        let retries = count(flow.state.retry_limit(stage), "retry");
        waits(format!(
            "{} failed and has used up its {retries}.",
            stage.id
        ))
    } else if let Some(stage) = flow.remote_unknown() {
        waits(format!(
            "The remote job of {} may still be running; this cannot be checked from here.",
            stage.id
        ))
    } else if facts.not_started(flow) {
        Claim::new(Status::Interrupted, "It was planned and never started.")
    } else {
        Claim::new(Status::Interrupted, format!("{}.", stopped(flow)))
    }
}

/// Where it stopped, as a sentence without its period: a failure first, because what can still run is no bad news.
fn stopped(flow: &Flow) -> String {
    let next = next_words(flow);
    match flow.failed_before() {
        Some(stage) => format!("{}; {next}", failure(flow, stage)),
        None => next,
    }
}

/// How a stage failed, as a clause.
fn failure(flow: &Flow, stage: &Stage) -> String {
    match flow.job_words(stage.index) {
        Some(words) => format!("{}: {words}", stage.id),
        None => format!("{} failed", stage.id),
    }
}

/// The next action, as a sentence without its period.
fn next_words(flow: &Flow) -> String {
    let Some(stage) = flow.next_stage() else {
        let open = flow.next == Next::Completion;
        let text = "Every stage is done, but the completion step is pending";
        return if open { text } else { "Nothing is left to do" }.to_owned();
    };
    let id = &stage.id;
    match flow.next {
        Next::Verify(at) => format!("{id}: {}", flow.verify_words(at)),
        Next::Run(_) => format!("{id} is next"),
        Next::Exhausted(_) => format!("{id} failed and has no retry left"),
        Next::AfterSkip(_) => format!("{id} needs a stage that was skipped"),
        Next::Deadlock(_) => format!("{id} cannot start, and nothing else is left"),
        Next::Monitor(_) | Next::Retry(_) | Next::Nothing | Next::Completion => {
            failure(flow, stage)
        }
    }
}

fn stopped_where(facts: &Facts, flow: &Flow) -> Foreign {
    if facts.not_started(flow) {
        return "not started".into();
    }
    // What waits for a person is the reason why the workflow stands still, whatever else could run.
    let waits = flow.exhausted();
    // Nothing is wrong with a stage that merely comes next.
    let failed = flow.failed_before();
    let failed = failed.filter(|_| matches!(flow.next, Next::Run(_)));
    let Some(stage) = waits.or(failed).or_else(|| flow.next_stage()) else {
        let open = flow.next == Next::Completion;
        return if open { "completion step" } else { "completed" }.into();
    };
    format!("{} · {}", stage.label(), stage.word).into()
}

fn progress(flow: &Flow) -> Progress {
    let (done, total) = (flow.state.done(), flow.state.stages.len());
    Progress::new(Some(done as u64), Some(total as u64), "stages")
}

fn badges(facts: &Facts, status: Status, findings: &[Finding], stale: bool) -> Vec<Badge> {
    let fresh = facts.flow.as_ref().is_ok_and(|f| facts.not_started(f));
    let damage = ["torn-line", "duplicate-key", "missing-file", "cut-file"];
    badges::badges([
        (stale && status != Status::Complete, Badge::Stale),
        (fresh, Badge::NotStarted),
        (badges::is_damaged(findings, &damage), Badge::Damaged),
    ])
}

/// The liveness query: agent programs in the workflow directory, the runner, and the exact tmux sessions of the active
/// stages.
pub(super) fn life(facts: &Facts, world: &dyn World) -> LifeEvidence {
    let wf = &facts.wf;
    let mut query = LifeQuery {
        roots: vec![wf.clone()],
        writes: writes(facts, world),
        quiet_after_s: QUIET_AFTER_S,
        ..LifeQuery::default()
    };
    if let Some(text) = wf.to_str() {
        let words = vec!["run-workflow.sh".to_owned(), text.to_owned()];
        query.command_lines.push(words);
    }
    let of_job = |name| TmuxQuery {
        name,
        owner: Some(wf.clone()),
    };
    if let Ok(flow) = &facts.flow {
        query.tmux.push(TmuxQuery {
            name: flow.state.runner_session(),
            owner: None,
        });
        let stages = flow.jobs.keys().filter_map(|at| flow.stage(*at));
        let jobs = stages.filter_map(|stage| stage.job.as_ref());
        let names = jobs.map(|job| of_job(job.session_name()));
        query.tmux.extend(names);
    } else {
        let names = facts.log.stages().into_keys();
        let names = names.map(|number| format!("dpdisp_stage-{number}"));
        query.tmux.extend(names.map(of_job));
    }
    gather(world, &query)
}

/// The files whose age is the pipeline's: the state, the log, and the files in the folders of unfinished stages. A
/// folder's own time does not count: relight itself changes it with a rename.
fn writes(facts: &Facts, world: &dyn World) -> Vec<Place> {
    let known = |name| Place::known(&facts.wf, name).ok();
    let mut places: Vec<Place> = [STATE, LOG].into_iter().filter_map(known).collect();
    let Ok(flow) = &facts.flow else {
        return places;
    };
    let open = flow.state.stages.iter().filter(|s| !s.status.is_done());
    for folder in open.filter_map(Stage::folder).filter_map(known) {
        let entries = world.files().list(&folder).unwrap_or_default();
        let files = entries.iter().filter(|entry| !entry.is_dir).take(ENTRIES);
        places.extend(files.filter_map(|entry| folder.join(&entry.name).ok()));
    }
    places
}

/// The newest of those writes.
fn newest(facts: &Facts, world: &dyn World) -> Option<DateTime<Utc>> {
    let places = writes(facts, world).into_iter();
    let stats = places.filter_map(|place| world.files().stat(&place).ok());
    stats.map(|stat| stat.modified).max()
}

/// One clause about a stage, for its row.
pub(crate) fn detail(flow: &Flow, at: usize) -> Option<String> {
    let stage = flow.stage(at)?;
    let job = flow.job_words(at);
    // The workflow keeps the error of an earlier attempt after a later one succeeded.
    let error = stage.last_error.clone().filter(|_| !stage.status.is_done());
    let error = error.map(|e| format!("last error: {e}"));
    job.or(error).or_else(|| stage.success_criteria.clone())
}

#[cfg(test)]
mod tests;
