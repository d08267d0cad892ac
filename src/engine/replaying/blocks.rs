//! The runs of an experiment: block after block, several side by side where that is asked for, until all are done, a
//! verdict stands, or none can be reached.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::thread;

use super::super::comparing::Known;
use super::super::{Engine, EngineError};
use super::progress::Telling;
use super::{begun, cut_short, measuring, not_begun, not_continued};
use crate::apply::disk::RealDisk;
use crate::model::{
    Cancel, ExperimentEnd, ExperimentRun, ReplayExperiment, ReplayPlan, ReplaySession, SessionState,
};
use crate::replay::session::{Member, Session};

/// The most that run side by side, whatever is asked for.
const MOST: usize = 64;

/// A run that is still to be made, or to be finished.
pub(super) struct Todo {
    pub(super) run: ExperimentRun,
    /// True where it was begun and cut short.
    pub(super) reopen: bool,
}

/// What the runs share.
struct Shared {
    todo: VecDeque<Todo>,
    known: Known,
    done: Vec<ReplaySession>,
    /// Why nothing more is begun.
    end: Option<ExperimentEnd>,
    error: Option<EngineError>,
    /// True where the runner is missing, which no later run would find either, or where a run changed the original,
    /// which the next would do again.
    broken: bool,
}

/// An experiment that is being run.
pub(super) struct Blocks<'a> {
    pub(super) engine: &'a Engine,
    /// The plan with both arms in it.
    pub(super) plan: &'a ReplayPlan,
    pub(super) experiment: &'a ReplayExperiment,
    pub(super) telling: &'a Telling<'a>,
    pub(super) cancel: &'a Cancel,
    /// True where no verdict could be reached from the beginning, as with fewer than six blocks: then all of them are
    /// run, because the person asked for them all the same.
    pub(super) hopeless: bool,
}

impl Blocks<'_> {
    /// Runs what is to be run. Gives the sessions in the order in which they are listed, and why it ended early.
    pub(super) fn run(
        &self,
        todo: Vec<Todo>,
        known: Known,
    ) -> Result<(Vec<ReplaySession>, Option<ExperimentEnd>), EngineError> {
        let workers = self
            .experiment
            .parallel
            .clamp(1, MOST)
            .min(todo.len().max(1));
        let shared = Mutex::new(Shared {
            todo: todo.into(),
            known,
            done: Vec::new(),
            end: None,
            error: None,
            broken: false,
        });
        // Trees are made one at a time: what a crash left half-made is cleared away before each.
        let making = Mutex::new(());
        thread::scope(|scope| {
            for _ in 1..workers {
                scope.spawn(|| self.work(&shared, &making));
            }
            self.work(&shared, &making);
        });
        let mut shared = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        shared.done.sort_by_key(|one| one.repeat);
        match shared.error {
            Some(error) => Err(begun(error, &shared.done)),
            None => Ok((shared.done, shared.end)),
        }
    }

    fn work(&self, shared: &Mutex<Shared>, making: &Mutex<()>) {
        let locked = || shared.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let next = {
                let mut shared = locked();
                let over = shared.broken || shared.error.is_some() || self.cancel.is_cancelled();
                // What was cut short is finished even where the verdict stands, so that no run is missing.
                let wanted = |todo: &Todo| todo.reopen || shared.end.is_none();
                if over || !shared.todo.front().is_some_and(wanted) {
                    return;
                }
                shared.todo.pop_front()
            };
            let Some(todo) = next else { return };
            let result = self.one(&todo, making);
            let mut shared = locked();
            match result {
                Ok(about) => {
                    shared.broken |=
                        about.state == SessionState::Interrupted || about.changed_original();
                    shared.known.put(about.clone());
                    shared.done.push(about);
                    if !self.experiment.all && shared.end.is_none() {
                        let end = self.engine.end_of(&shared.known, &self.experiment.id);
                        let kept =
                            |end: &ExperimentEnd| *end == ExperimentEnd::Decided || !self.hopeless;
                        shared.end = end.filter(kept);
                    }
                }
                Err(error) => {
                    shared.error.get_or_insert(error);
                }
            }
        }
    }

    /// One run, from its tree to its metrics.
    fn one(&self, todo: &Todo, making: &Mutex<()>) -> Result<ReplaySession, EngineError> {
        let engine = self.engine;
        let run = &todo.run;
        let at = run.repeat.0.saturating_sub(1);
        let disk = RealDisk::new();
        let state = engine.state_dir()?;
        let ground = engine.session_ground(&disk, &state);
        let (mut session, plan) = if todo.reopen {
            Session::reopen(&ground, &self.plan.pipeline, &run.id)
                .map_err(|error| not_continued(&error))?
        } else {
            let _one_at_a_time = making.lock().unwrap_or_else(PoisonError::into_inner);
            let plan = self.plan.arm(run.place.arm);
            let tree = |made, total| self.telling.tree(at, (made, total));
            let session = Session::create(&ground, &plan, &Member::from(run.clone()), &tree);
            (session.map_err(|error| not_begun(&error))?, plan)
        };
        let ran = engine.run(&mut session, &plan, self.telling, at, self.cancel);
        ran.and_then(|()| measuring::measure(&mut session, &self.experiment.metrics, self.cancel))
            .map_err(|error| cut_short(&error, Some(&session.about)))?;
        Ok(session.about.clone())
    }
}
