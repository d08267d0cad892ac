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
use crate::systems::superscientist::facts::{Facts, Flow, Next, jobs};
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
    let first = facts.log.lines.iter().find_map(|line| line.at);
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
        work_tree: facts.top().map(std::path::Path::to_path_buf),
        branch: None,
        pull_request: None,
        started_at: first.or_else(|| created(facts, world)),
        last_activity_at: last
            .map(Stamp::utc)
            .or_else(|| facts.log.lines.iter().rev().find_map(|line| line.at)),
        badges: badges(
            facts,
            claim.status,
            &findings,
            last,
            world.clock().now().to_utc(),
        ),
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
    let id = state.map(|state| state.workflow_id.clone());
    facts
        .log
        .purpose()
        .map(str::to_owned)
        .or_else(|| id.filter(|id| !id.is_empty()))
        .map_or_else(|| facts.native.clone(), Foreign::from)
}

fn state_files(facts: &Facts) -> Vec<std::path::PathBuf> {
    let mut files = vec![facts.wf.join(STATE)];
    if facts.log.missing.is_none() {
        files.push(facts.wf.join(LOG));
    }
    if facts.has_init {
        files.push(facts.wf.join(INIT));
    }
    files
}

fn created(facts: &Facts, world: &dyn World) -> Option<Stamp> {
    let state = &facts.flow.as_ref().ok()?.state;
    stamp::parse(json::text(&state.map, "created")?, world.clock())
}

/// The status that the files claim.
fn claim(facts: &Facts, flow: &Flow) -> Claim {
    let of = |status: Status, reason: String| Claim::new(status, reason);
    if flow.next == Next::Nothing {
        return of(Status::Complete, "Its completion is recorded.".to_owned());
    }
    if facts.paused {
        return of(
            Status::Waiting,
            "It is paused: the file PAUSE exists.".to_owned(),
        );
    }
    if let Some(stage) = flow.exhausted() {
        let retries = count(flow.state.retry_limit(stage), "retry");
        return of(
            Status::Waiting,
            format!("{} failed and has used up its {retries}.", stage.id),
        );
    }
    if let Some(stage) = flow.remote_unknown() {
        return of(
            Status::Waiting,
            format!(
                "The remote job of {} may still be running; this cannot be checked from here.",
                stage.id
            ),
        );
    }
    if flow.not_started(&facts.log) {
        return of(
            Status::Interrupted,
            "It was planned and never started.".to_owned(),
        );
    }
    of(Status::Interrupted, format!("{}.", stopped(flow)))
}

/// Where it stopped, as a sentence without its period: a failure first, because what can still run is no bad news.
fn stopped(flow: &Flow) -> String {
    let next = next_words(flow);
    let Some(stage) = flow.failed_before() else {
        return next;
    };
    match flow.job_words(stage.index) {
        Some(words) => format!("{}: {words}; {next}", stage.id),
        None => format!("{} failed; {next}", stage.id),
    }
}

/// The next action, as a sentence without its period.
fn next_words(flow: &Flow) -> String {
    let id = |at: usize| flow.stage(at).map_or("", |s| s.id.as_str()).to_owned();
    match flow.next {
        Next::Nothing => "Nothing is left to do".to_owned(),
        Next::Completion => "Every stage is done, but the completion step is pending".to_owned(),
        Next::Monitor(at) => format!("{}: {}", id(at), flow.job_words(at).unwrap_or_default()),
        Next::Verify(at) => format!("{}: {}", id(at), flow.verify_words(at)),
        Next::Run(at) => format!("{} is next", id(at)),
        Next::Retry(at) => match flow.job_words(at) {
            Some(words) => format!("{}: {words}", id(at)),
            None => format!("{} failed", id(at)),
        },
        Next::Exhausted(at) => format!("{} failed and has no retry left", id(at)),
        Next::AfterSkip(at) => format!("{} needs a stage that was skipped", id(at)),
        Next::Deadlock(at) => format!("{} cannot start, and nothing else is left", id(at)),
    }
}

fn stopped_where(facts: &Facts, flow: &Flow) -> Foreign {
    if flow.not_started(&facts.log) {
        return "not started".into();
    }
    // Nothing is wrong with a stage that merely comes next.
    let failed = flow.failed_before();
    let failed = failed.filter(|_| matches!(flow.next, Next::Run(_)));
    let next = || flow.next.stage().and_then(|at| flow.stage(at));
    let Some(stage) = failed.or_else(next) else {
        let open = flow.next == Next::Completion;
        return if open { "completion step" } else { "completed" }.into();
    };
    format!("{} · {}", stage.label(), stage.word).into()
}

fn progress(flow: &Flow) -> Progress {
    Progress::new(
        flow.state.done() as u64,
        Some(flow.state.stages.len() as u64),
        "stages",
    )
}

fn badges(
    facts: &Facts,
    status: Status,
    findings: &[Finding],
    last: Option<DateTime<Utc>>,
    now: DateTime<Utc>,
) -> Vec<Badge> {
    let stale = badges::is_stale(last, now, badges::STALE_AFTER);
    let fresh = facts.flow.as_ref().is_ok_and(|f| f.not_started(&facts.log));
    let damage = ["torn-line", "duplicate-key", "missing-file", "cut-file"];
    badges::badges([
        (stale && status != Status::Complete, Badge::Stale),
        (fresh, Badge::NotStarted),
        (badges::is_damaged(findings, &damage), Badge::Damaged),
    ])
}

/// The liveness query: agent programs in the workflow directory, the runner, and the exact tmux sessions of the active
/// stages.
fn life(facts: &Facts, world: &dyn World) -> LifeEvidence {
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
    if facts.flow.is_err() {
        let names = facts.log.stages().into_keys();
        query.tmux.extend(names.map(|number| TmuxQuery {
            name: format!("dpdisp_stage-{number}"),
            owner: Some(wf.clone()),
        }));
    }
    if let Ok(flow) = &facts.flow {
        query.tmux.push(TmuxQuery {
            name: flow.state.runner_session(),
            owner: None,
        });
        for stage in flow.jobs.keys().filter_map(|at| flow.stage(*at)) {
            query.tmux.extend(stage.job.as_ref().map(|job| TmuxQuery {
                name: job.session_name(),
                owner: Some(wf.clone()),
            }));
        }
    }
    gather(world, &query)
}

/// The files whose age is the pipeline's: the state, the log, and the files in the folders of unfinished stages. A
/// folder's own time does not count: relight itself changes it with a rename.
fn writes(facts: &Facts, world: &dyn World) -> Vec<Place> {
    let mut places: Vec<Place> = [STATE, LOG]
        .iter()
        .filter_map(|name| Place::known(&facts.wf, name).ok())
        .collect();
    let Ok(flow) = &facts.flow else {
        return places;
    };
    let open = flow.state.stages.iter().filter(|s| !s.status.is_done());
    for folder in open.filter_map(Stage::folder) {
        let Ok(folder) = Place::known(&facts.wf, folder) else {
            continue;
        };
        let entries = world.files().list(&folder).unwrap_or_default();
        let files = entries.iter().filter(|entry| !entry.is_dir).take(ENTRIES);
        places.extend(files.filter_map(|entry| folder.join(&entry.name).ok()));
    }
    places
}

/// The newest of those writes.
fn newest(facts: &Facts, world: &dyn World) -> Option<DateTime<Utc>> {
    let places = writes(facts, world);
    let times = places
        .iter()
        .filter_map(|place| world.files().stat(place).ok());
    times.map(|stat| stat.modified).max()
}

/// One clause about a stage, for its row.
pub(crate) fn detail(flow: &Flow, at: usize) -> Option<String> {
    let stage = flow.stage(at)?;
    let job = flow.jobs.get(&at).map(jobs::words);
    // The workflow keeps the error of an earlier attempt after a later one succeeded.
    let error = stage.last_error.clone().filter(|_| !stage.status.is_done());
    let error = error.map(|e| format!("last error: {e}"));
    job.or(error).or_else(|| stage.success_criteria.clone())
}

#[cfg(test)]
mod tests;
