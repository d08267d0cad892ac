//! The attempts at a stage in the log: when each started and how it ended.

use crate::model::{Stamp, Zone};
use crate::systems::superscientist::shape::log::status;
use crate::systems::superscientist::shape::{Log, Stage, StageStatus};

/// One attempt at a stage, with unknown fields empty.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Attempt {
    /// How it ended, or its current status.
    pub(crate) status: Option<StageStatus>,
    /// When it started.
    pub(crate) begun: Option<Stamp>,
    /// When it ended.
    pub(crate) ended: Option<Stamp>,
    /// The number of tries.
    pub(crate) tries: Option<u64>,
    /// True if the result was invalidated, so that its files were kept under another name.
    pub(super) invalidated: bool,
}

/// The attempts of the kept versions, one each. The log does not number them, so they are identified only if there are
/// as many invalidated results as versions; otherwise nothing is known about any.
pub(crate) fn earlier(log: &Log, stage: &Stage, versions: &[u64]) -> Vec<Attempt> {
    let gone = logged(log, stage).into_iter().filter(|one| one.invalidated);
    let gone: Vec<Attempt> = gone.collect();
    if gone.len() == versions.len() {
        gone
    } else {
        vec![Attempt::default(); versions.len()]
    }
}

/// The last attempt, which the state file records.
pub(crate) fn last(log: &Log, stage: &Stage) -> Option<Attempt> {
    logged(log, stage).last().copied()
}

/// The attempts in the log. Failed tries within one attempt are counted as part of it, because a retry overwrites the
/// files.
fn logged(log: &Log, stage: &Stage) -> Vec<Attempt> {
    let mut all: Vec<Attempt> = Vec::new();
    let Some(number) = stage.number() else {
        return all;
    };
    let lines = log.lines.iter();
    let lines = lines.filter(|line| line.ended && line.stage == Some(number));
    for line in lines {
        let Some(status) = status(&log.message(line)).map(StageStatus::parse) else {
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
            all.push(Attempt::default());
        }
        let Some(attempt) = all.last_mut() else {
            continue;
        };
        // A time without a zone cannot be used for ordering.
        let at = line.at.filter(|at| at.zone == Zone::Stated);
        if status.is_active() {
            if attempt.tries.is_none() || attempt.status == Some(StageStatus::Failed) {
                attempt.tries = Some(attempt.tries.unwrap_or(0) + 1);
                attempt.begun = at;
            }
            attempt.ended = None;
        } else if matches!(status, StageStatus::Completed | StageStatus::Failed) {
            attempt.ended = at;
        }
        // A `ready` after a failure only announces the next try.
        if status != StageStatus::Ready {
            attempt.status = Some(status);
        }
    }
    all.retain(|attempt| attempt.status.is_some());
    all
}
