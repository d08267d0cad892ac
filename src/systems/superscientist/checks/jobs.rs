//! Checks of jobs and their traces: S10, S11, S19 and S23.

use std::collections::HashSet;

use crate::model::Verdict;
use crate::systems::superscientist::facts::{Job, Marker, Row, Scene, Session, jobs, paths};
use crate::systems::superscientist::shape::{JobRecord, Stage, StageStatus};
use crate::text::format::{count, list};

use crate::systems::kit::checks::{Outcome, found, pass, skipped, warn};
use crate::text::Shown as _;

/// S10: every active stage really has a job (the process table, row by row).
pub(crate) fn processes(scene: &Scene<'_>) -> Vec<Outcome> {
    let jobs = active(scene);
    jobs.map(|(stage, job)| process(scene, stage, job).about(stage.subject()))
        .collect()
}

/// The active stages with their jobs.
fn active<'a>(scene: &Scene<'a>) -> impl Iterator<Item = (&'a Stage, &'a Job)> {
    let flow = scene.flow;
    let jobs = flow.jobs.iter();
    jobs.filter_map(|(at, job)| Some((flow.stage(*at)?, job)))
}

fn process(scene: &Scene<'_>, stage: &Stage, job: &Job) -> Outcome {
    let words = jobs::words(job);
    let text = format!("It is {}: {words}.", stage.word);
    let done = job.row == Row::Ended || (job.row == Row::Keep && job.marker == Marker::None);
    if done {
        return pass(text);
    }
    #[rustfmt::skip]
    let (verdict, remedy) = match job.row {
        Row::Keep | Row::Ended => (Verdict::Warn, "Keep it as running; check what the session does: `tmux list-panes -t =NAME`."),
        Row::Relaunch if job.remote => (Verdict::Warn, "Ask the scheduler about the job; starting the wrapper again only monitors it and submits nothing."),
        Row::Relaunch => (Verdict::Warn, "Resume with a session: it starts the wrapper again."),
        Row::Verify => (Verdict::Warn, "Resume with a session: it verifies the results again."),
        Row::AskMarker => (Verdict::Warn, "Decide whether the job ended; move the old marker aside before it is launched again."),
        Row::AskExit => (Verdict::Warn, "Decide how it ended before it is run again."),
        Row::AskSession => (Verdict::Warn, "Check whether the session exists: `tmux ls`."),
        Row::Broke(_) => (Verdict::Fail, "Debug it, then retry."),
        Row::DiedTwice => (Verdict::Fail, "Find out what ends the monitor before a third attempt."),
        Row::Preparing => (Verdict::Warn, "Look whether its session still works; a session that resumes marks the stage as failed and retries it."),
        Row::NoData | Row::PreparerDied => (Verdict::Fail, "Resume with a session: it marks the stage as failed and retries it."),
    };
    let ended = matches!(job.row, Row::AskExit | Row::Broke(_));
    let read = ended.then(|| read_first(scene, stage));
    let read = read.unwrap_or_default();
    found(verdict, text, format!("{read}{remedy}"))
}

/// The existing files that show how a stage's job ended. The download of a failed job may lack some.
fn read_first(scene: &Scene<'_>, stage: &Stage) -> String {
    let own = stage.folder().into_iter();
    let own = own.flat_map(|folder| ["err", "log"].map(|name| format!("{folder}/{name}")));
    let all = own.chain(["dpdispatcher.log".to_owned()]);
    let there = all.filter(|path| {
        paths::beneath(&scene.facts.wf, path).is_ok_and(|place| scene.world.files().exists(&place))
    });
    let there = list(there.map(|path| format!("`{path}`")));
    if there.is_empty() {
        there
    } else {
        format!("Read {there}. ")
    }
}

/// S11: done markers belong to the current attempt.
pub(crate) fn markers(scene: &Scene<'_>) -> Vec<Outcome> {
    let mut found = Vec::new();
    for (stage, job) in active(scene) {
        let remedy =
            "Move the marker and the exit code file aside before any session waits for them.";
        let outcome = match &job.marker {
            Marker::None => continue,
            Marker::Fresh => pass("The done marker is newer than the launch."),
            Marker::Stale(why) => warn(format!("The done marker is stale: {why}."), remedy),
            Marker::Undated => {
                let text = "The age of the done marker is unknown, because the time of the launch is not recorded.";
                warn(text, remedy)
            }
            Marker::Refused(why) => {
                let text = format!("The done marker was not read: {why}.");
                warn(text, "Record a path below the workflow directory.")
            }
            Marker::Unread(why) => {
                let text = format!("The done marker cannot be read: {why}.");
                warn(
                    text,
                    "Let your user look into the directory, and read the marker.",
                )
            }
        };
        found.push(outcome.about(stage.subject()));
    }
    let leftovers = scene.flow.leftovers.keys();
    for stage in leftovers.filter_map(|at| scene.flow.stage(*at)) {
        let text = format!(
            "The stage is {}, but a done marker of an earlier attempt exists; the next wait would return at once with the old exit code.",
            stage.word
        );
        let remedy = "Move the marker and the exit code file aside before the stage is launched.";
        found.push(warn(text, remedy).about(stage.subject()));
    }
    for (at, why) in &scene.flow.unseen {
        let text = format!("Whether a done marker of an earlier attempt exists is unknown: {why}.");
        let remedy = "Let your user look into the directory before the stage is launched.";
        let stage = scene.flow.stage(*at);
        found.extend(stage.map(|stage| warn(text, remedy).about(stage.subject())));
    }
    found
}

/// S19: retries stay within the limit, and a failure has a reason.
pub(crate) fn retries(scene: &Scene<'_>) -> Vec<Outcome> {
    let state = &scene.flow.state;
    let mut found = Vec::new();
    for stage in scene.stages() {
        let limit = state.retry_limit(stage);
        if stage.retry_count > limit {
            let count = stage.retry_count;
            let text = format!("It was retried {count} times; the limit is {limit}.");
            let remedy = "Debug it by hand before another attempt.";
            found.push(warn(text, remedy).about(stage.subject()));
        } else if stage.status == StageStatus::Failed && state.is_exhausted(stage) {
            let retries = count(limit, "retry");
            let text = format!("It failed and has used up its {retries}.");
            let remedy = "Decide whether to retry it once more or to skip it.";
            found.push(warn(text, remedy).about(stage.subject()));
        }
        if stage.status == StageStatus::Failed && stage.last_error.is_none() {
            let text = "It failed without a recorded reason.";
            let read = read_first(scene, stage);
            let remedy = format!("{read}Find out why before it is retried.");
            found.push(warn(text, remedy).about(stage.subject()));
        }
    }
    found
}

/// S23: no other workflow uses a session name of this one.
pub(crate) fn shared_names(scene: &Scene<'_>) -> Vec<Outcome> {
    if let Err(why) = &scene.facts.tmux {
        let text = format!("tmux cannot be queried: {}.", why.shown());
        return vec![skipped(text)];
    }
    let mut found = Vec::new();
    for stage in scene.stages() {
        let Some(name) = stage.usual_job().map(|job| job.session_name()) else {
            continue;
        };
        let seen = jobs::session(&scene.facts.wf, &name, &scene.facts.tmux, scene.world);
        if let Session::Elsewhere(cwd) = seen {
            let cwd = cwd.shown();
            let text = format!("The tmux session {name} belongs to another workflow, in {cwd}.");
            let remedy = "Let the other job end, or give this one another session name, before it is launched.";
            found.push(warn(text, remedy).about(stage.subject()));
        }
    }
    let jobs = scene.stages().iter().filter_map(|s| s.job.as_ref());
    let mut seen = HashSet::new();
    if !jobs
        .map(JobRecord::session_name)
        .all(|name| seen.insert(name))
    {
        let text = "Two stages use the same tmux session.";
        let remedy = "Give each stage its own session name.";
        found.push(warn(text, remedy));
    }
    found
}
