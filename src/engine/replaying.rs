//! Replays on request of a front end.

mod blocks;
mod cluster;
mod experiment;
mod failures;
mod job;
mod measuring;
mod progress;
mod start;
mod stored;
mod tally;
#[cfg(test)]
mod tests;
mod work_tree;

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io;

use super::write_place::unreadable_state;
use super::{Engine, EngineError, Opened, Result};
use crate::apply::disk::RealDisk;
use crate::foreign;
use crate::model::{
    Arm, Cancel, ExperimentRun, Foreign, PipelineId, ReplayPlan, ReplayProgress, ReplaySession,
    RunPlace, RunsOn, SessionId, SessionState,
};
use crate::replay::run;
use crate::replay::session::{self, Ground, Session};
use crate::text::format::{count_of, size};
use crate::world::runner::GRACE;
use blocks::{Todo, Work};
use cluster::Cluster;
use experiment::decided;
pub(super) use experiment::experiment_of;
pub(super) use failures::no_session;
use failures::{begins, begun, continues, cut_short};
use progress::Telling;
use start::{Left, can_start};
pub use stored::{HeldReplays, PurgedReplays, ReplaySize, StoredReplay};
use tally::Tally;

/// How the progress of a replay is told.
pub type TellReplay<'a> = &'a (dyn Fn(&ReplayProgress) + Sync);

impl Engine {
    /// Runs a plan: one run, or the blocks of an experiment until a verdict is reached. Answers with its sessions. Refused where a
    /// conflict is open or the plan is no longer the one that was made. A cancelled run is an answer too. With
    /// [`crate::model::ReplayAsk::in_place`] the work tree must already be where it begins, see
    /// [`Engine::replay_ground`].
    pub fn replay(
        &self,
        plan: &ReplayPlan,
        tell: TellReplay<'_>,
        cancel: &Cancel,
    ) -> Result<Vec<ReplaySession>> {
        RealDisk::available().map_err(EngineError::refused)?;
        self.still_so(plan)?;
        may_run(plan)?;
        let state = self.writable_state()?;
        let dispatches = plan.experiment.dispatches.iter();
        let taken: Vec<SessionId> = dispatches.filter_map(|one| one.session.clone()).collect();
        let ground = self.session_ground(&state);
        let group = begins(session::group(&ground, &plan.pipeline, &taken))?;
        if plan.ask.repeat < 2 {
            return self.lone_run(&ground, plan, &group, tell, cancel);
        }
        let experiment = experiment_of(plan, &group, ground.now.timestamp());
        let mut known = self.known(&plan.pipeline)?;
        known.experiments.push(experiment.clone());
        // Another process may have reached it since the plan was made.
        self.undecided(&known, &experiment)?;
        let _lock = begins(session::begin(&ground, plan, &experiment))?;
        let runs = session::in_drawn_order(&experiment).into_iter();
        let todo = runs.map(|run| Todo { run, again: false }).collect();
        self.blocks(plan, experiment, todo, known, (tell, cancel))
    }

    /// A single run, which is never judged.
    fn lone_run(
        &self,
        ground: &Ground<'_>,
        plan: &ReplayPlan,
        id: &SessionId,
        tell: TellReplay<'_>,
        cancel: &Cancel,
    ) -> Result<Vec<ReplaySession>> {
        let arm = plan.ask.arms().first().copied().unwrap_or(Arm::Control);
        let plan = plan.arm(arm);
        let telling = Telling::new(tell, std::iter::once(id.clone()));
        let tree = |made, total| telling.tree(0, (made, total));
        let mut session = begins(Session::create(ground, &plan, (id, None), &tree))?;
        if plan.ask.on == RunsOn::Slurm {
            // A job opens it again, and the lock is its own.
            drop(session);
            return self.lone_job(ground, &plan, id, &telling, cancel);
        }
        let ran = self.run_and_measure(&mut session, &plan, &telling, cancel);
        let about = session.about.clone();
        ran.map_err(|error| begun(cut_short(&error, &about), std::slice::from_ref(&about)))?;
        Ok(vec![about])
    }

    /// The job of a lone run, whose folder is there.
    fn lone_job(
        &self,
        ground: &Ground<'_>,
        plan: &ReplayPlan,
        id: &SessionId,
        telling: &Telling<'_>,
        cancel: &Cancel,
    ) -> Result<Vec<ReplaySession>> {
        let cluster = Cluster {
            work: Work {
                engine: self,
                state: ground.state,
                plan,
                telling,
                cancel,
            },
            group: id,
            parallel: 1,
            is_measured: !plan.ask.metrics.is_empty(),
        };
        let run = ExperimentRun {
            id: id.clone(),
            repeat: (1, 1),
            place: RunPlace {
                experiment: id.clone(),
                arm: Arm::Control,
                block: 0,
            },
        };
        let tally = Tally::lone();
        cluster.run(vec![Todo { run, again: true }], &tally)?;
        Ok(tally.result()?.0)
    }

    /// Refuses a plan that is no longer the one that was made, and a work tree that is not where it begins.
    fn still_so(&self, plan: &ReplayPlan) -> Result<()> {
        let anew = self.uncosted_plan(&plan.pipeline, &plan.ask)?;
        if anew.fingerprint != plan.fingerprint {
            let text = "The run changed after the replay was planned, so nothing was started.";
            return Err(EngineError::refused(text).hint("Plan the replay again and review it."));
        }
        if plan.ask.in_place {
            self.stands(plan)?;
        }
        Ok(())
    }

    /// Why a plan would be refused if it were run now; `None` where it may run. A work tree to replay in is not looked
    /// at: [`Engine::replay_ground`] is its plan.
    pub fn replay_refusal(&self, plan: &ReplayPlan) -> Option<EngineError> {
        may_run(plan).err()
    }

    /// Continues a session that a crash or a person cut short.
    pub fn replay_continue(
        &self,
        id: &PipelineId,
        session: &SessionId,
        tell: TellReplay<'_>,
        cancel: &Cancel,
    ) -> Result<ReplaySession> {
        RealDisk::available().map_err(EngineError::refused)?;
        let group = self.may_continue(id, session)?;
        let state = self.writable_state()?;
        let ground = self.session_ground(&state);
        let _lock = continues(session::hold_experiment(&state, id, &group))?;
        let (mut session, plan) = continues(Session::reopen(&ground, id, session))?;
        let telling = Telling::new(tell, std::iter::once(session.about.id.clone()));
        let ran = self.run_and_measure(&mut session, &plan, &telling, cancel);
        ran.map_err(|error| cut_short(&error, &session.about))?;
        Ok(session.about.clone())
    }

    /// Refuses a session that cannot be continued; its group where it can. Writes nothing.
    pub fn may_continue(&self, id: &PipelineId, session: &SessionId) -> Result<SessionId> {
        let mut known = self.replays(id)?.into_iter();
        let known = known.find(|one| one.id == *session);
        let known = known.ok_or_else(|| no_session(session))?;
        can_continue(&known)?;
        if known.in_place {
            self.not_alive(id)?;
        } else if let Some(tree) = &known.tree {
            self.left_alone(tree)?;
        }
        let state = self.state_dir()?;
        if let Ok(plan) = session::planned(&state, id, session) {
            can_start(&plan, Left::of(&known, &state, id))?;
        }
        Ok(known.group)
    }

    /// The replays of a pipeline: those in folders of their own, and those that its manifest records. The newest
    /// experiment comes first, and in it block by block, control first: its runs start in an order that is drawn.
    pub fn replays(&self, id: &PipelineId) -> Result<Vec<ReplaySession>> {
        let opened = self.reopen(id)?;
        self.replays_of(&opened)
    }

    /// The replays of a pipeline that was read.
    pub(super) fn replays_of(&self, opened: &Opened) -> Result<Vec<ReplaySession>> {
        let world = self.world.as_ref();
        let id = &opened.pipeline.id;
        let mut all = match self.state_dir() {
            Ok(state) => {
                let all = session::all(world, &state, id);
                all.map_err(|why| unreadable_state(&session::home_of(&state, id), &why))?
            }
            Err(_no_place) => Vec::new(),
        };
        // Only then: an experiment reads every line and every dispatch file again.
        let replayable = opened.case.replayable();
        let replayable = replayable.filter(|case| case.records_replays());
        if let Some(experiment) = replayable.and_then(|case| case.experiment(&[], world)) {
            let recorded = session::recorded(id, &experiment);
            // One in place has a folder and is in the manifest, too.
            let new = |one: &ReplaySession| !all.iter().any(|known| known.id == one.id);
            let recorded: Vec<ReplaySession> = recorded.into_iter().filter(new).collect();
            all.extend(recorded);
        }
        in_order(&mut all);
        Ok(all)
    }

    /// What is left of a run by itself, and its metrics.
    fn run_and_measure(
        &self,
        session: &mut Session<'_>,
        plan: &ReplayPlan,
        telling: &Telling<'_>,
        cancel: &Cancel,
    ) -> io::Result<()> {
        self.run(session, plan, telling, 0, cancel)?;
        measuring::measure(session, &plan.ask.metrics, cancel)
    }

    /// Runs what is left of a session, or hands it over where there is no runner.
    fn run(
        &self,
        session: &mut Session<'_>,
        plan: &ReplayPlan,
        telling: &Telling<'_>,
        at: usize,
        cancel: &Cancel,
    ) -> io::Result<()> {
        telling.begun(at, session);
        let Some(runner) = &plan.runner else {
            session.hand_over()?;
            telling.begun(at, session);
            return Ok(());
        };
        let steps = |steps| telling.steps(at, steps);
        let (jobs, clock) = (plan.ask.jobs.max(1), self.world.clock());
        let state = run::run(session, runner, jobs, clock, cancel, &steps, GRACE)?;
        session.close(state)?;
        telling.ended(at, session.about.state);
        Ok(())
    }
}

/// Refuses a plan that cannot be run, or whose question is answered: what a dry run refuses, too.
fn may_run(plan: &ReplayPlan) -> Result<()> {
    resolved(plan)?;
    fits(plan)?;
    can_start(plan, Left::Whole)?;
    match &plan.earlier {
        Some(earlier) if earlier.is_decided && !plan.ask.all => Err(decided()),
        Some(_) | None => cluster::answers(plan),
    }
}

/// Refuses a plan with unresolved conflicts.
fn resolved(plan: &ReplayPlan) -> Result<()> {
    let open: Vec<&Foreign> = plan.conflicts().map(|step| &step.original.file).collect();
    if open.is_empty() {
        return Ok(());
    }
    let (one, many) = ("dispatch has a conflict", "dispatches have conflicts");
    let dispatches = count_of(open.len(), one, many);
    let error = EngineError::refused(format!("{dispatches} that must be resolved first."));
    let hint = |file| {
        foreign!(
            "Template and dispatch changed in the same lines of {}.",
            file
        )
    };
    Err(error.hints(open.into_iter().map(hint)))
}

/// Refuses a replay whose trees would not all fit on the disk.
pub(super) fn fits(plan: &ReplayPlan) -> Result<()> {
    let Some(disk) = plan.cost.disk.filter(|disk| !disk.fits()) else {
        return Ok(());
    };
    let text = format!(
        "The replay needs {} on the disk ({} a run), and {} are free.",
        size(disk.all),
        size(disk.each),
        size(disk.free.unwrap_or_default())
    );
    Err(EngineError::refused(text)
        .hint("Delete earlier replays: relight purge ID. Or run fewer blocks: --repeat N."))
}

/// The newest experiment first, and each in an order of its own: runs that start within a second have no other.
fn in_order(all: &mut [ReplaySession]) {
    all.sort_by_key(|one| Reverse((one.started_at.map(|stamp| stamp.at), one.group.clone())));
    let at = places(all);
    all.sort_by_key(|one| {
        let place = one.place.as_ref().map(|place| (place.block, place.arm));
        (at.get(&one.group).copied(), place, one.repeat.0)
    });
}

/// The same with the oldest experiment first.
pub(super) fn oldest_first(ordered: &mut [ReplaySession]) {
    let at = places(ordered);
    ordered.sort_by_key(|one| Reverse(at.get(&one.group).copied()));
}

/// Where each experiment begins in a list of replays.
fn places(all: &[ReplaySession]) -> BTreeMap<SessionId, usize> {
    let groups = all.iter().enumerate().rev();
    groups.map(|(at, one)| (one.group.clone(), at)).collect()
}

fn can_continue(session: &ReplaySession) -> Result<()> {
    let id = &session.id;
    let text = match session.state {
        SessionState::Interrupted | SessionState::Cancelled => return Ok(()),
        SessionState::Done if session.lacks_values() => return Ok(()),
        SessionState::Done => {
            let text = format!("Replay {id} is complete.");
            return Err(EngineError::nothing_to_do(text));
        }
        SessionState::Running => format!("Replay {id} is being run by another process."),
        SessionState::HandedOver => {
            format!("Replay {id} is waiting to be run manually; it has no runner.")
        }
        SessionState::Unreadable => return Err(cannot_be_read(session)),
    };
    Err(EngineError::refused(text))
}

/// Of a replay that cannot be read, with what is wrong and what helps.
pub(in crate::engine) fn cannot_be_read(session: &ReplaySession) -> EngineError {
    let text = format!("Replay {} cannot be read.", session.id);
    EngineError::unreadable(text).hints(&session.trouble)
}
