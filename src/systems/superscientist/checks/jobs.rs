//! Checks of jobs and their traces: S10, S11, S19 and S23.

use crate::model::Verdict;
use crate::systems::superscientist::facts::jobs::{self, Job, Marker, Row, Session};
use crate::systems::superscientist::facts::paths;
use crate::systems::superscientist::shape::{JobRecord, Stage, StageStatus};

use crate::systems::kit::checks::{Outcome, found, pass, skipped, warn};
use crate::systems::superscientist::checks::{Bench, WORKFLOW};

/// S10: every active stage really has a job (the process table, row by row).
pub(crate) fn processes(bench: &Bench<'_>) -> Vec<Outcome> {
    bench
        .flow
        .jobs
        .iter()
        .filter_map(|(at, job)| Some(process(bench, bench.flow.stage(*at)?, job)))
        .collect()
}

fn process(bench: &Bench<'_>, stage: &Stage, job: &Job) -> Outcome {
    let about = stage.subject();
    let words = jobs::words(job);
    let text = format!("It is {}: {words}.", stage.word);
    let (verdict, remedy) = match job.row {
        Row::Keep if job.marker == Marker::None => return pass(about, text),
        Row::Ended => return pass(about, text),
        Row::Keep => (
            Verdict::Warn,
            "Keep it as running; look at what the session does: `tmux list-panes -t =NAME`.",
        ),
        Row::Relaunch if job.remote => (
            Verdict::Warn,
            "Ask the scheduler for the job; starting the wrapper again only watches it and submits nothing.",
        ),
        Row::Relaunch => (
            Verdict::Warn,
            "Resume with a session: it starts the wrapper again.",
        ),
        Row::Verify => (
            Verdict::Warn,
            "Resume with a session: it verifies the results again.",
        ),
        Row::AskMarker => (
            Verdict::Warn,
            "Decide whether the job ended; move the old marker aside before it is launched again.",
        ),
        Row::AskExit => (Verdict::Warn, "Decide how it ended before it is run again."),
        Row::AskSession => (
            Verdict::Warn,
            "Check whether the session exists: `tmux ls`.",
        ),
        Row::Broke(_) => (Verdict::Fail, "Debug it, then retry."),
        Row::DiedTwice => (
            Verdict::Fail,
            "Find out what ends the monitor before it is tried a third time.",
        ),
        Row::NoData | Row::PreparerDied => (
            Verdict::Fail,
            "Resume with a session: it marks the stage as failed and retries it.",
        ),
    };
    let remedy = match job.row {
        Row::AskExit | Row::Broke(_) => format!("{}{remedy}", read_first(bench, stage)),
        Row::Keep
        | Row::Ended
        | Row::Relaunch
        | Row::DiedTwice
        | Row::NoData
        | Row::PreparerDied
        | Row::Verify
        | Row::AskMarker
        | Row::AskSession => remedy.to_owned(),
    };
    found(verdict, about, text, remedy)
}

/// Which files say how a stage's job ended, of those that are there: the download of a failed job may lack them.
fn read_first(bench: &Bench<'_>, stage: &Stage) -> String {
    let own = stage.folder().into_iter();
    let own = own.flat_map(|folder| ["err", "log"].map(|name| format!("{folder}/{name}")));
    let all = own.chain(["dpdispatcher.log".to_owned()]);
    let there = all.filter(|path| {
        paths::beneath(&bench.facts.wf, path).is_ok_and(|place| bench.world.files().exists(&place))
    });
    let there: Vec<String> = there.map(|path| format!("`{path}`")).collect();
    match there.split_last() {
        None => String::new(),
        Some((last, [])) => format!("Read {last}. "),
        Some((last, rest)) => format!("Read {} and {last}. ", rest.join(", ")),
    }
}

/// S11: done markers belong to the current attempt.
pub(crate) fn markers(bench: &Bench<'_>) -> Vec<Outcome> {
    let mut found = Vec::new();
    for (at, job) in &bench.flow.jobs {
        let Some(stage) = bench.flow.stage(*at) else {
            continue;
        };
        let about = stage.subject();
        let remedy = "Move the marker and the exit code file aside before anything waits for them.";
        match &job.marker {
            Marker::None => {}
            Marker::Fresh => {
                found.push(pass(about, "The done marker is younger than the launch."));
            }
            Marker::Stale(why) => {
                found.push(warn(
                    about,
                    format!("The done marker is stale: {why}."),
                    remedy,
                ));
            }
            Marker::Undated => {
                let text =
                    "The done marker cannot be dated: nothing says when the job was launched.";
                found.push(warn(about, text, remedy));
            }
            Marker::Refused(why) => {
                let text = format!("The done marker was not looked at: {why}.");
                found.push(warn(
                    about,
                    text,
                    "Record a path beneath the workflow directory.",
                ));
            }
        }
    }
    for stage in bench
        .flow
        .leftovers
        .keys()
        .filter_map(|at| bench.flow.stage(*at))
    {
        let text = format!(
            "It is {} and has a done marker of an earlier attempt; the next wait would end at once with the old code.",
            stage.word
        );
        let remedy = "Move the marker and the exit code file aside before the stage is launched.";
        found.push(warn(stage.subject(), text, remedy));
    }
    found
}

/// S19: retries stay within the limit, and a failure says why.
pub(crate) fn retries(bench: &Bench<'_>) -> Vec<Outcome> {
    let state = &bench.flow.state;
    let mut found = Vec::new();
    for stage in bench.stages() {
        let limit = state.retry_limit(stage);
        if stage.retry_count > limit {
            let text = format!(
                "It was retried {} times; the limit is {limit}.",
                stage.retry_count
            );
            found.push(warn(
                stage.subject(),
                text,
                "Debug it by hand before another attempt.",
            ));
        } else if stage.status == StageStatus::Failed && state.is_exhausted(stage) {
            let text = format!("It failed and has used up its {limit} retries.");
            found.push(warn(
                stage.subject(),
                text,
                "Decide whether to retry it once more or to skip it.",
            ));
        }
        if stage.status == StageStatus::Failed && stage.last_error.is_none() {
            let text = "It failed without a recorded reason.";
            let remedy = format!(
                "{}Find out why before it is retried.",
                read_first(bench, stage)
            );
            found.push(warn(stage.subject(), text, remedy));
        }
    }
    found
}

/// S23: no other workflow uses a session name of this one.
pub(crate) fn shared_names(bench: &Bench<'_>) -> Vec<Outcome> {
    if let Err(why) = &bench.facts.tmux {
        let text = format!("tmux cannot be asked: {}.", why.lossy());
        return vec![skipped(WORKFLOW, text)];
    }
    let mut found = Vec::new();
    for stage in bench.stages() {
        let default = stage.number().map(|n| format!("dpdisp_stage-{n}"));
        let Some(name) = stage.job.as_ref().map(JobRecord::session_name).or(default) else {
            continue;
        };
        let seen = jobs::session(&bench.facts.wf, &name, &bench.facts.tmux, bench.world);
        if let Session::Elsewhere(cwd) = seen {
            let text = format!(
                "The tmux session {name} belongs to another workflow, in {}.",
                cwd.display()
            );
            let remedy = "Let the other job end, or give this one another session name, before it is launched.";
            found.push(warn(stage.subject(), text, remedy));
        }
    }
    let names: Vec<String> = bench
        .stages()
        .iter()
        .filter_map(|s| s.job.as_ref().map(JobRecord::session_name))
        .collect();
    let unique: std::collections::HashSet<&String> = names.iter().collect();
    if unique.len() < names.len() {
        let text = "Two stages use the same tmux session.";
        found.push(warn(
            WORKFLOW,
            text,
            "Give each stage its own session name.",
        ));
    }
    found
}
