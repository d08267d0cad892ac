//! What the log tells of the attempts at a stage: when each began and how it ended.

use crate::model::{Stamp, Zone};
use crate::systems::superscientist::shape::log::Log;
use crate::systems::superscientist::shape::{Stage, StageStatus};

/// One attempt at a stage, as far as it is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Attempt {
    /// How it ended, or where it stands.
    pub(crate) status: Option<StageStatus>,
    /// When it began.
    pub(crate) begun: Option<Stamp>,
    /// When it ended.
    pub(crate) ended: Option<Stamp>,
    /// How often it was tried.
    pub(crate) tries: Option<u64>,
}

/// An attempt in the log, with what followed it.
#[derive(Debug, Clone, Copy, Default)]
struct Logged {
    attempt: Attempt,
    /// True where the result was invalidated: what it left was set aside.
    invalidated: bool,
}

/// The attempts that left the kept versions, one each. The log numbers none, so they are told apart only where
/// as many results were invalidated as there are versions; else nothing is known of any.
pub(crate) fn earlier(log: &Log, stage: &Stage, versions: &[u64]) -> Vec<Attempt> {
    let all = logged(log, stage);
    let gone: Vec<Attempt> = all
        .iter()
        .filter(|one| one.invalidated)
        .map(|one| one.attempt)
        .collect();
    if gone.len() == versions.len() {
        gone
    } else {
        vec![Attempt::default(); versions.len()]
    }
}

/// The last attempt, which the state file records.
pub(crate) fn last(log: &Log, stage: &Stage) -> Option<Attempt> {
    let all = logged(log, stage);
    all.last().map(|one| one.attempt)
}

/// The attempts of the log. Tries that failed and were made again within one attempt are counted in it, because
/// retries write over what is there.
fn logged(log: &Log, stage: &Stage) -> Vec<Logged> {
    let mut all: Vec<Logged> = Vec::new();
    let Some(number) = stage.number() else {
        return all;
    };
    let lines = log
        .lines
        .iter()
        .filter(|line| line.ended && line.stage == Some(number));
    for line in lines {
        let Some(status) = line.status.as_deref().map(StageStatus::parse) else {
            continue;
        };
        let open = all.last().is_some_and(|one| !one.invalidated);
        if status == StageStatus::Invalidated {
            if let Some(last) = all.last_mut() {
                last.invalidated = true;
            }
            continue;
        }
        if !open {
            all.push(Logged::default());
        }
        let Some(Logged { attempt, .. }) = all.last_mut() else {
            continue;
        };
        // A time without a zone orders nothing.
        let at = line.at.filter(|at| at.zone == Zone::Stated);
        if status.is_active() {
            let again = attempt.tries.is_none() || attempt.status == Some(StageStatus::Failed);
            if again {
                attempt.tries = Some(attempt.tries.unwrap_or(0) + 1);
                attempt.begun = at;
            }
            attempt.ended = None;
        } else if matches!(status, StageStatus::Completed | StageStatus::Failed) {
            attempt.ended = at;
        }
        // `ready` behind a failure only announces the next try.
        if status != StageStatus::Ready {
            attempt.status = Some(status);
        }
    }
    all.retain(|one| one.attempt.status.is_some());
    all
}
