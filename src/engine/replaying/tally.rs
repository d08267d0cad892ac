//! The results of an experiment's runs so far, and whether more runs are needed: the same for runs on this machine and
//! on a cluster.

use std::collections::BTreeSet;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::super::comparing::Known;
use super::super::{Engine, EngineError, Result};
use super::begun;
use crate::model::{ExperimentEnd, ReplayExperiment, ReplaySession, SessionId};

/// Whether runs are still begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wanted {
    /// All of them.
    All,
    /// Only those that were cut short and those whose block has begun, because a verdict is reached or none can be reached:
    /// half a block says nothing, and a report would call its other run missing.
    Begun,
    /// None, because something failed that would fail again.
    Nothing,
}

/// The runs that have ended.
pub(super) struct Tally<'a> {
    /// What is judged; `None` for a lone run.
    judged: Option<(&'a Engine, &'a ReplayExperiment)>,
    /// True where no verdict could be reached from the beginning, as with fewer than six blocks: then all of them are
    /// run, because the person asked for them all the same.
    hopeless: bool,
    inner: Mutex<Inner>,
}

#[derive(Default)]
struct Inner {
    known: Option<Known>,
    /// The blocks of which a run was begun.
    begun: BTreeSet<usize>,
    done: Vec<ReplaySession>,
    /// Why nothing more is begun.
    end: Option<ExperimentEnd>,
    error: Option<EngineError>,
    /// True where the runner is missing, which no later run would find either, or where a run changed the original
    /// or may have, which the next would do again.
    broken: bool,
}

impl<'a> Tally<'a> {
    pub(super) fn new(engine: &'a Engine, experiment: &'a ReplayExperiment, known: Known) -> Self {
        Self {
            judged: Some((engine, experiment)),
            hopeless: engine.end_of(&known, &experiment.id) == Some(ExperimentEnd::Unreachable),
            inner: Mutex::new(Inner {
                begun: begun_blocks(&known.sessions, experiment),
                known: Some(known),
                ..Inner::default()
            }),
        }
    }

    /// The tally of a lone run, which is never judged.
    pub(super) fn lone() -> Self {
        Self {
            judged: None,
            hopeless: true,
            inner: Mutex::default(),
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn wanted(&self) -> Wanted {
        let inner = self.inner();
        if inner.broken || inner.error.is_some() {
            Wanted::Nothing
        } else if inner.end.is_some() {
            Wanted::Begun
        } else {
            Wanted::All
        }
    }

    /// Whether nothing new is begun because a verdict is reached or none can be reached.
    pub(super) fn ended_early(&self) -> bool {
        self.wanted() == Wanted::Begun
    }

    /// Whether a run is begun now; `again` for one that was cut short.
    pub(super) fn wants(&self, block: usize, again: bool) -> bool {
        match self.wanted() {
            Wanted::All => true,
            Wanted::Begun => again || self.inner().begun.contains(&block),
            Wanted::Nothing => false,
        }
    }

    /// A run of a block begins.
    pub(super) fn begin(&self, block: usize) {
        self.inner().begun.insert(block);
    }

    /// Counts a run that ended by itself, failed before that, or lost its runner. Other runs may still succeed.
    pub(super) fn put(&self, result: Result<ReplaySession>) {
        match result {
            Ok(about) => {
                let broken = about.state.is_broken() && !about.cut_short;
                let broken = broken || about.changed_original();
                self.inner().broken |= broken;
                self.count(about);
            }
            Err(error) => {
                self.inner().error.get_or_insert(error);
            }
        }
    }

    fn count(&self, about: ReplaySession) {
        let mut inner = self.inner();
        inner.done.push(about.clone());
        let block = about.place.as_ref().map(|place| place.block);
        inner.begun.extend(block);
        let ended = inner.end.is_some();
        let (Some((engine, experiment)), Some(known)) = (self.judged, &mut inner.known) else {
            return;
        };
        known.put(about);
        if !experiment.all && !ended {
            let end = engine.end_of(known, &experiment.id);
            let kept = |end: &ExperimentEnd| *end == ExperimentEnd::Decided || !self.hopeless;
            inner.end = end.filter(kept);
        }
    }

    /// The sessions in the order in which they are listed, and why it ended early.
    pub(super) fn result(self) -> Result<(Vec<ReplaySession>, Option<ExperimentEnd>)> {
        let inner = self.inner.into_inner();
        let mut inner = inner.unwrap_or_else(PoisonError::into_inner);
        inner.done.sort_by_key(|one| one.repeat);
        match inner.error {
            Some(error) => Err(begun(error, &inner.done)),
            None => Ok((inner.done, inner.end)),
        }
    }
}

/// The blocks of an experiment of which a run was begun, one that was deleted among them.
pub(in crate::engine) fn begun_blocks(
    sessions: &[ReplaySession],
    experiment: &ReplayExperiment,
) -> BTreeSet<usize> {
    let begun =
        |id: &SessionId| experiment.purged.contains(id) || sessions.iter().any(|one| one.id == *id);
    let runs = experiment.runs().into_iter();
    runs.filter(|run| begun(&run.id))
        .map(|run| run.place.block)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{OutsideChange, OutsideKind, OutsideWriter, SessionState};

    #[test]
    fn a_runner_that_somebody_ended_loses_its_run_and_no_other() {
        let ended = |state, cut_short| ReplaySession {
            state,
            cut_short,
            ..ReplaySession::default()
        };
        let changed = ReplaySession {
            outside: vec![OutsideChange {
                path: "/p/a".into(),
                kind: OutsideKind::Changed,
                by: OutsideWriter::Run,
            }],
            ..ended(SessionState::Interrupted, true)
        };
        let table = [
            (ended(SessionState::Done, false), Wanted::All),
            (ended(SessionState::Cancelled, false), Wanted::All),
            (ended(SessionState::Interrupted, true), Wanted::All),
            (ended(SessionState::Interrupted, false), Wanted::Nothing),
            (ended(SessionState::Unreadable, false), Wanted::Nothing),
            (changed, Wanted::Nothing),
        ];
        for (about, expected) in table {
            let tally = Tally::lone();
            tally.put(Ok(about.clone()));
            assert_eq!(tally.wanted(), expected, "{about:?}");
        }
    }
}
