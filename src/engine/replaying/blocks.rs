//! The runs of an experiment: block after block, several at once on request, until all are done, a verdict is reached,
//! or none can be.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::super::comparing::Known;
use super::super::{Engine, Result};
use super::cluster::Cluster;
use super::progress::Telling;
use super::tally::Tally;
use super::{begins, continues, cut_short, measuring};
use crate::model::{
    Cancel, ExperimentEnd, ExperimentRun, ReplayExperiment, ReplayPlan, ReplaySession, RunsOn,
};
use crate::replay::session::Session;

/// The most that run side by side on one machine, whatever is asked for.
const MOST: usize = 64;

/// A run that is still to be made, or to be finished.
#[derive(Debug, Clone)]
pub(super) struct Todo {
    pub(super) run: ExperimentRun,
    /// True where it is run whatever the verdict: it was begun and cut short, or on a cluster the other run of its block
    /// was begun.
    pub(super) again: bool,
}

impl Todo {
    /// Its place in the progress.
    pub(super) fn at(&self) -> usize {
        self.run.repeat.0.saturating_sub(1)
    }
}

/// What every run of a replay is executed with, here or on a cluster.
#[derive(Clone, Copy)]
pub(super) struct Work<'a> {
    pub(super) engine: &'a Engine,
    /// The folder that relight's state is in.
    pub(super) state: &'a Path,
    /// The plan, with both arms in it where there are two.
    pub(super) plan: &'a ReplayPlan,
    pub(super) telling: &'a Telling<'a>,
    pub(super) cancel: &'a Cancel,
}

/// An experiment that is being run.
pub(super) struct Blocks<'a> {
    pub(super) work: Work<'a>,
    pub(super) experiment: &'a ReplayExperiment,
}

impl Blocks<'_> {
    /// Runs what is to be run. Gives the sessions in the order in which they are listed, and why it ended early.
    pub(super) fn run(
        &self,
        todo: Vec<Todo>,
        known: Known,
    ) -> Result<(Vec<ReplaySession>, Option<ExperimentEnd>)> {
        let tally = Tally::new(self.work.engine, self.experiment, known);
        match self.experiment.on {
            RunsOn::Local => self.side_by_side(todo, &tally),
            RunsOn::Slurm => {
                let cluster = Cluster {
                    work: self.work,
                    group: &self.experiment.id,
                    parallel: self.experiment.parallel,
                    is_measured: !self.experiment.metrics.is_empty(),
                };
                if let Err(error) = cluster.run(todo, &tally) {
                    tally.put(Err(error));
                }
            }
        }
        tally.result()
    }

    /// Runs on this machine.
    fn side_by_side(&self, todo: Vec<Todo>, tally: &Tally<'_>) {
        let workers = self.experiment.parallel.clamp(1, todo.len().clamp(1, MOST));
        let todo = Mutex::new(VecDeque::from(todo));
        // Trees are made one at a time, so that each is refused where the one before it took the space.
        let making = Mutex::new(());
        let work = || {
            while let Some(todo) = self.next(&todo, tally) {
                tally.put(self.one(&todo, &making));
            }
        };
        thread::scope(|scope| {
            for _ in 1..workers {
                scope.spawn(work);
            }
            work();
        });
    }

    fn next(&self, todo: &Mutex<VecDeque<Todo>>, tally: &Tally<'_>) -> Option<Todo> {
        let mut todo = todo.lock().unwrap_or_else(PoisonError::into_inner);
        if self.work.cancel.is_cancelled() {
            return None;
        }
        let wanted = |one: &Todo| tally.wants(one.run.place.block, one.again);
        let next = todo.iter().position(wanted)?;
        let next = todo.remove(next)?;
        tally.begin(next.run.place.block);
        Some(next)
    }

    /// One run, from its tree to its metrics.
    pub(super) fn one(&self, todo: &Todo, making: &Mutex<()>) -> Result<ReplaySession> {
        let Work {
            engine,
            state,
            plan: both,
            telling,
            cancel,
        } = self.work;
        let run = &todo.run;
        let at = todo.at();
        let ground = engine.session_ground(state);
        let (mut session, plan) = if todo.again {
            continues(Session::reopen(&ground, &both.pipeline, &run.id))?
        } else {
            let _one_at_a_time = making.lock().unwrap_or_else(PoisonError::into_inner);
            let plan = both.arm(run.place.arm);
            let tree = |made, total| telling.tree(at, (made, total));
            let session = Session::create(&ground, &plan, (&run.id, Some(run)), &tree);
            (begins(session)?, plan)
        };
        let ran = engine.run(&mut session, &plan, telling, at, cancel);
        ran.and_then(|()| measuring::measure(&mut session, &self.experiment.metrics, cancel))
            .map_err(|error| cut_short(&error, &session.about))?;
        Ok(session.about.clone())
    }
}
