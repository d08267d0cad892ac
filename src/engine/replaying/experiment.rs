//! Experiments: what is fixed before the first run, the runs, and continuing an experiment.

use super::super::comparing::Known;
use super::super::{Engine, EngineError, ErrorKind, Result};
use super::blocks::{Blocks, Todo, Work};
use super::job::is_complete;
use super::progress::Telling;
use super::start::{Left, can_start};
use super::tally::begun_blocks;
use super::{TellReplay, begun, can_continue, cannot_be_read, continues, no_session};
use crate::apply::disk::RealDisk;
use crate::model::{
    Cancel, ComparisonVerdict, ExperimentEnd, PipelineId, ReplayExperiment, ReplayExtension,
    ReplayPlan, ReplaySession, RunsOn, SessionId, SessionState, unswapped_steps,
};
use crate::replay::plan::question;
use crate::replay::session;
use crate::text::format::capital;

impl Engine {
    /// Runs what is to be run of an experiment, and writes down how far it is.
    pub(super) fn blocks(
        &self,
        plan: &ReplayPlan,
        mut experiment: ReplayExperiment,
        todo: Vec<Todo>,
        known: Known,
        (tell, cancel): (TellReplay<'_>, &Cancel),
    ) -> Result<Vec<ReplaySession>> {
        let asked = todo.len();
        let telling = Telling::new(tell, experiment.runs().into_iter().map(|run| run.id));
        let telling = telling.complete(|id| todo.iter().all(|one| one.run.id != *id));
        let state = self.writable_state()?;
        let blocks = Blocks {
            work: Work {
                engine: self,
                state: &state,
                plan,
                telling: &telling,
                cancel,
            },
            experiment: &experiment,
        };
        let (mut done, end) = blocks.run(todo, known)?;
        // Whether a run lacks a number is known once all of them are measured.
        let all = session::all(self.world.as_ref(), &state, &plan.pipeline);
        for known in all.unwrap_or_default() {
            if let Some(one) = done.iter_mut().find(|one| one.id == known.id) {
                one.unnumbered = known.unnumbered;
            }
        }
        let complete = done.len() == asked && done.iter().all(|one| !one.state.can_continue());
        let cut_short = done.iter().any(|one| one.state.can_continue());
        experiment.end = match end {
            _ if complete => Some(end.unwrap_or(ExperimentEnd::Complete)),
            Some(end) if !cut_short => Some(end),
            _ => None,
        };
        session::update(&self.session_ground(&state), &plan.pipeline, &experiment).map_err(
            |error| {
                let text = format!("The record of the experiment was not written: {error}.");
                begun(EngineError::new(ErrorKind::Unclear, text), &done)
            },
        )?;
        Ok(done)
    }

    /// The experiments of a pipeline, oldest first.
    pub fn replay_experiments(&self, id: &PipelineId) -> Result<Vec<ReplayExperiment>> {
        Ok(session::experiments(&self.state_dir()?, id))
    }

    /// Refuses an experiment whose record is there and cannot be read.
    pub fn readable_experiment(&self, id: &PipelineId, experiment: &str) -> Result<()> {
        let trouble = session::experiment_trouble(&self.state_dir()?, id, experiment);
        let refuse = |why: String| {
            Err(EngineError::refused(format!("{}.", capital(&why)))
                .hint("Its runs can still be compared, and continued one by one."))
        };
        trouble.map_or(Ok(()), refuse)
    }

    /// Continues an experiment: finishes what was cut short, runs what had not begun, and adds blocks. Its plan is
    /// the recorded one, whatever the templates are today.
    pub fn replay_extend(
        &self,
        id: &PipelineId,
        experiment: &SessionId,
        (more, all): (usize, bool),
        tell: TellReplay<'_>,
        cancel: &Cancel,
    ) -> Result<Vec<ReplaySession>> {
        RealDisk::available().map_err(EngineError::refused)?;
        let state = self.writable_state()?;
        let all_of_it = session::experiments(&state, id);
        if !all_of_it.iter().any(|one| one.id == *experiment) {
            return Err(no_session(experiment));
        }
        // Before anything of it is read: another process may be running it.
        let _lock = continues(session::hold_experiment(&state, id, experiment))?;
        let mut known = self.known(id)?;
        let (experiment, plan, todo) = self.extension(&mut known, experiment, (more, all))?;
        continues(session::update(
            &self.session_ground(&state),
            id,
            &experiment,
        ))?;
        self.blocks(&plan, experiment, todo, known, (tell, cancel))
    }

    /// What [`Engine::replay_extend`] would do, or why it would be refused. Writes nothing.
    pub fn replay_extension(
        &self,
        id: &PipelineId,
        experiment: &SessionId,
        how: (usize, bool),
    ) -> Result<ReplayExtension> {
        let mut known = self.known(id)?;
        let (experiment, _, todo) = self.extension(&mut known, experiment, how)?;
        let measured = |one: &&Todo| {
            let mut sessions = known.sessions.iter();
            sessions.any(|session| session.id == one.run.id && session.lacks_values())
        };
        let to_measure = todo.iter().filter(measured).count();
        let deleted = |one: &&Todo| !one.again && experiment.purged.contains(&one.run.id);
        let judged = self.judged(&known, &experiment.id);
        let judged = judged.filter(|one| one.verdict == ComparisonVerdict::Confounded);
        Ok(ReplayExtension {
            runs: todo.len() - to_measure,
            to_measure,
            lacking: if experiment.all {
                0
            } else {
                self.lacking_blocks(&known, &experiment.id)
            },
            remade: todo.iter().filter(deleted).count(),
            confounded: judged.map(|one| one.text.whole()),
        })
    }

    /// An experiment with more blocks, its recorded plan, and what is left to run of it.
    fn extension(
        &self,
        known: &mut Known,
        experiment: &SessionId,
        (more, all): (usize, bool),
    ) -> Result<(ReplayExperiment, ReplayPlan, Vec<Todo>)> {
        let state = self.state_dir()?;
        if !known.lost.is_empty() {
            return Err(known.no_session(experiment));
        }
        let mut experiments = known.experiments.iter_mut();
        let found = experiments.find(|one| one.id == *experiment);
        let found = found.ok_or_else(|| no_session(experiment))?;
        found.blocks += more;
        found.all |= all;
        found.end = None;
        let experiment = found.clone();
        let plan = continues(session::plan_of(&state, known.id(), &experiment.id))?;
        let todo = self.todo(known, &experiment)?;
        if todo.is_empty() {
            let text = format!("Every run of experiment {} is complete.", experiment.id);
            return Err(EngineError::nothing_to_do(text).hint("Add blocks with --repeat +5."));
        }
        let left = |one: &Todo| {
            let session = known.sessions.iter().find(|known| known.id == one.run.id);
            session.map_or(Left::Whole, |one| Left::of(one, &state, known.id()))
        };
        can_start(&plan, todo.iter().map(left).max().unwrap_or(Left::Whole))?;
        let begun = begun_blocks(&known.sessions, &experiment);
        let is_new = |one: &Todo| !one.again && !begun.contains(&one.run.place.block);
        if todo.iter().all(is_new) {
            self.undecided(known, &experiment)?;
        }
        Ok((experiment, plan, todo))
    }

    /// What is left to run of an experiment, what was cut short first: until it has ended its block says nothing.
    fn todo(&self, known: &Known, experiment: &ReplayExperiment) -> Result<Vec<Todo>> {
        let (mut todo, mut unreadable) = (Vec::new(), None);
        for run in session::in_drawn_order(experiment) {
            let session = known.sessions.iter().find(|one| one.id == run.id);
            match session {
                None => todo.push(Todo { run, again: false }),
                Some(one) if is_complete(one) => {}
                // It is named in the list, and must not keep the others from being run.
                Some(one) if one.state == SessionState::Unreadable => unreadable = Some(one),
                Some(one) => {
                    // On a cluster a run may still be at work; its job is found again.
                    let on_cluster = experiment.on == RunsOn::Slurm;
                    if one.state != SessionState::Done
                        && !(on_cluster && one.state == SessionState::Running)
                    {
                        can_continue(one)?;
                    }
                    if let Some(tree) = one.tree.as_ref().filter(|_| !on_cluster) {
                        self.left_alone(tree)?;
                    }
                    todo.push(Todo { run, again: true });
                }
            }
        }
        todo.sort_by_key(|one| !one.again);
        match unreadable.filter(|_| todo.is_empty()) {
            Some(one) => Err(cannot_be_read(one)),
            None => Ok(todo),
        }
    }

    /// Refuses to begin what could not change the answer, unless every block is asked for.
    pub(super) fn undecided(&self, known: &Known, experiment: &ReplayExperiment) -> Result<()> {
        if !experiment.all && self.end_of(known, &experiment.id) == Some(ExperimentEnd::Decided) {
            return Err(decided());
        }
        Ok(())
    }
}

/// What is fixed of an experiment before its first run.
pub(in crate::engine) fn experiment_of(
    plan: &ReplayPlan,
    id: &SessionId,
    now: i64,
) -> ReplayExperiment {
    let ask = &plan.ask;
    ReplayExperiment {
        id: id.clone(),
        arms: ask.arms(),
        blocks: ask.repeat,
        fixed: ask.repeat,
        all: ask.all,
        fresh: ask.fresh,
        parallel: ask.parallel.max(1),
        on: ask.on,
        seed: session::seed(plan, id, now),
        question: question(plan),
        metrics: ask.metrics.clone(),
        unswapped: unswapped_steps(ask, &plan.steps),
        purged: Vec::new(),
        started_at: None,
        rejected: None,
        end: None,
    }
}

/// Nothing is begun that could not change the answer.
pub(super) fn decided() -> EngineError {
    let text = "This question already has a verdict, so nothing was run.";
    EngineError::nothing_to_do(text)
        .hint("To run the blocks anyway: --all")
        .hint("To collect new evidence: --fresh")
}
