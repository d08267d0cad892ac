//! Everything of a pipeline that can be one side of a comparison.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::super::Operand;
use super::super::experiments::refusal;
use super::super::replaying::{no_session, oldest_first};
use super::super::{Engine, EngineError, Opened, Result};
use crate::engine::Request;
use crate::model::{
    Arm, Experiment, Foreign, PipelineId, Recovery, RecoveryId, ReplayExperiment, ReplaySession,
    Run, SessionId, SessionState,
};
use crate::replay::session;
use crate::text::Shown as _;
use crate::text::format::count;

/// What is known of a pipeline.
pub(in crate::engine) struct Known {
    pub(super) opened: Arc<Opened>,
    pub(super) experiment: Option<Experiment>,
    /// The experiments that replays belong to, oldest first.
    pub(in crate::engine) experiments: Vec<ReplayExperiment>,
    /// Replays, the oldest experiment first, and in it block by block.
    pub(in crate::engine) sessions: Vec<ReplaySession>,
    /// Replays of a pipeline whose dispatches are not known now, so that nothing can be compared with them.
    pub(in crate::engine) lost: Vec<ReplaySession>,
    /// Rounds, stages and their versions, older ones first.
    pub(super) runs: Vec<Run>,
    /// Recoveries, oldest first.
    pub(super) recoveries: Vec<Recovery>,
    /// Recoveries whose backups were deleted, so that they cannot be compared.
    pub(super) purged: Vec<RecoveryId>,
    /// Runs of experiments that were read: an experiment asks for all of them after each of its runs.
    pub(super) read: Mutex<HashMap<SessionId, Run>>,
}

/// One of them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Choice {
    /// The original run.
    Original,
    /// A replay: a place in [`Known::sessions`].
    Session(usize),
    /// All runs of one experiment, in order.
    Group(SessionId, Vec<usize>),
    /// One arm of an experiment with two, its evidence continued; of several experiments a pool.
    Arm(Vec<SessionId>, Arm),
    /// A round or stage: a place in [`Known::runs`].
    Run(usize),
    /// A recovery, the state after it: a place in [`Known::recoveries`].
    After(usize),
    /// The state before it.
    Before(usize),
}

impl Engine {
    /// Reads everything that can be compared.
    pub(in crate::engine) fn known(&self, id: &PipelineId) -> Result<Known> {
        let opened = self.reopen(id)?;
        let world = self.world.as_ref();
        let checkpoints = opened.case.checkpoints(world);
        let replayable = opened.case.replayable();
        let experiment = replayable.and_then(|case| case.experiment(&checkpoints, world));
        let mut sessions = self.replays_of(&opened)?;
        oldest_first(&mut sessions);
        let lost = match experiment {
            Some(_) => Vec::new(),
            None => std::mem::take(&mut sessions),
        };
        let experiments = match (&experiment, self.state_dir()) {
            (Some(_), Ok(state)) => session::experiments(&state, id),
            _ => Vec::new(),
        };
        let everywhere = Request::everywhere();
        let mut recoveries = self.recoveries(&everywhere)?;
        recoveries.retain(|one| one.pipeline == *id);
        recoveries.reverse();
        let purged = recoveries.iter().filter(|one| one.purged);
        let purged = purged.map(|one| one.id.clone()).collect();
        recoveries.retain(Recovery::can_be_compared);
        let runs = opened.case.runs(world);
        Ok(Known {
            opened,
            experiment,
            experiments,
            sessions,
            lost,
            runs,
            recoveries,
            purged,
            read: Mutex::default(),
        })
    }
}

impl Known {
    /// The id of the pipeline.
    pub(in crate::engine) fn id(&self) -> &PipelineId {
        &self.opened.pipeline.id
    }

    /// The error for a replay or an experiment that is not among those that can be used.
    pub(in crate::engine) fn no_session(&self, id: &SessionId) -> EngineError {
        let is_it = |one: &ReplaySession| one.group == *id || one.id == *id;
        if self.lost.iter().any(is_it) {
            return refusal(&self.opened);
        }
        no_session(id)
    }

    /// Adds a session that has just ended, or replaces what was known of it.
    pub(in crate::engine) fn put(&mut self, session: ReplaySession) {
        let read = self.read.get_mut().unwrap_or_else(PoisonError::into_inner);
        read.remove(&session.id);
        self.sessions.retain(|one| one.id != session.id);
        self.sessions.push(session);
    }

    /// Why runs of an experiment cannot be read, a sentence each.
    pub(super) fn unreadable(&self, group: &SessionId) -> Vec<Foreign> {
        let all = self.sessions.iter();
        let unreadable =
            all.filter(|one| one.group == *group && one.state == SessionState::Unreadable);
        let sentences = unreadable.flat_map(|one| {
            let named = |text: &Foreign| format!("{}: {}", one.id, text.shown()).into();
            one.trouble.iter().map(named)
        });
        sentences.collect()
    }

    /// What can be chosen, with its word, in the order of [`Engine::operands`].
    pub(super) fn choices(&self) -> Vec<(String, Choice)> {
        let mut all = Vec::new();
        if self.experiment.is_some() {
            all.push(("original".to_owned(), Choice::Original));
        }
        for (at, session) in self.sessions.iter().enumerate() {
            if session.state == SessionState::Unreadable {
                continue;
            }
            if let Some(group) = self.group_that_begins(at) {
                all.push((session.group.0.clone(), group));
                if self.is_judged(&session.group) {
                    let arm = |arm: Arm| {
                        let name = format!("{}-{}", session.group, arm.word());
                        (name, Choice::Arm(vec![session.group.clone()], arm))
                    };
                    all.extend([Arm::Control, Arm::Mutated].map(arm));
                }
            }
            all.push((session.id.0.clone(), Choice::Session(at)));
        }
        let runs = self.runs.iter().enumerate();
        all.extend(runs.map(|(at, run)| (run.name.clone(), Choice::Run(at))));
        let recoveries = self.recoveries.iter().enumerate();
        all.extend(recoveries.map(|(at, one)| (one.id.0.clone(), Choice::After(at))));
        all
    }

    /// Whether an experiment has two arms.
    pub(super) fn is_judged(&self, id: &SessionId) -> bool {
        let mut experiments = self.experiments.iter();
        experiments.any(|one| one.id == *id && one.is_judged())
    }

    /// The experiment with two arms to which all replays among these sides belong, where it is one.
    pub(super) fn judged_by(&self, sides: &[&Choice]) -> Option<SessionId> {
        let of = |choice: &&Choice| match choice {
            Choice::Session(at) => Some(self.sessions.get(*at)?.group.clone()),
            Choice::Group(id, _) => Some(id.clone()),
            Choice::Arm(ids, _) => ids.last().cloned(),
            Choice::Original | Choice::Run(_) | Choice::After(_) | Choice::Before(_) => None,
        };
        let mut all = sides.iter().filter_map(of);
        let first = all.next().filter(|id| self.is_judged(id))?;
        all.all(|other| other == first).then_some(first)
    }

    /// The repeats whose first is this session, where there are several or an experiment is to have them.
    fn group_that_begins(&self, at: usize) -> Option<Choice> {
        let group = &self.sessions.get(at)?.group;
        let readable = |one: &ReplaySession| one.state != SessionState::Unreadable;
        let sessions = self.sessions.iter().enumerate();
        let all = sessions.filter(|(_, one)| one.group == *group);
        // Of one with a single readable run the others are still said.
        let several = all.clone().count() > 1 || self.is_judged(group);
        let members = all.filter(|(_, one)| readable(one));
        let mut members: Vec<_> = members.map(|(at, one)| (one.repeat, at)).collect();
        if !several || members.first().is_none_or(|(_, first)| *first != at) {
            return None;
        }
        members.sort_unstable();
        let members = members.into_iter().map(|(_, at)| at).collect();
        Some(Choice::Group(group.clone(), members))
    }

    /// The group of a session, where it has one.
    pub(super) fn group_of(&self, session: usize) -> Option<Choice> {
        let in_it = |choice: &Choice| matches!(choice, Choice::Group(_, members) if members.contains(&session));
        let mut groups = (0..self.sessions.len()).filter_map(|at| self.group_that_begins(at));
        groups.find(in_it)
    }

    /// The operands for a front end.
    pub(super) fn operands(&self) -> Vec<Operand> {
        let operand = |(name, choice)| Operand {
            title: self.title(&choice),
            name,
        };
        self.choices().into_iter().map(operand).collect()
    }

    /// What a choice is, for a person.
    pub(super) fn title(&self, choice: &Choice) -> Foreign {
        match choice {
            Choice::Original => {
                let experiment = self.experiment.as_ref();
                let dispatches = experiment.map_or(0, |one| one.original().count());
                format!("the original run, {}", count(dispatches, "dispatch")).into()
            }
            Choice::Session(at) => {
                let session = self.sessions.get(*at);
                session.map(session_title).unwrap_or_default()
            }
            Choice::Group(_, members) => {
                // The control comes first, and swaps nothing.
                let last = members.last().and_then(|at| self.sessions.get(*at));
                let swapped = last.map(swapped).unwrap_or_default();
                let judged = last.and_then(|last| {
                    let mut judged = self.experiments.iter().filter(|one| one.is_judged());
                    judged.find(|one| one.id == last.group)
                });
                let what = match judged {
                    Some(one) => format!("experiment of {}", count(one.blocks, "block")),
                    None => format!("{} repeats", members.len()),
                };
                format!("{what}{swapped}").into()
            }
            Choice::Arm(ids, arm) => {
                let ids: Vec<&str> = ids.iter().map(|id| id.0.as_str()).collect();
                format!("the {} runs of {}", arm.word(), ids.join(" and ")).into()
            }
            Choice::Run(at) => {
                let run = self.runs.get(*at);
                run.map(|run| run.title.clone()).unwrap_or_default()
            }
            Choice::After(at) => self.recovery_title("before and after", *at),
            Choice::Before(at) => self.recovery_title("before", *at),
        }
    }

    fn recovery_title(&self, words: &str, at: usize) -> Foreign {
        let label = self.recoveries.get(at).map(|one| &one.label);
        format!("{words} {}", label.cloned().unwrap_or_default().shown()).into()
    }
}

/// What a replay is, for a person.
pub(super) fn session_title(session: &ReplaySession) -> Foreign {
    let of = match session.repeat {
        (_, 0 | 1) => String::new(),
        (at, of) => format!(" {at} of {of}"),
    };
    let state = match session.state {
        SessionState::Done => "",
        SessionState::Running => ", still running",
        SessionState::Interrupted => ", interrupted",
        SessionState::Cancelled => ", canceled",
        SessionState::HandedOver => ", handed over",
        SessionState::Unreadable => ", unreadable",
    };
    format!("replay{of}{}{state}", swapped(session)).into()
}

fn swapped(session: &ReplaySession) -> String {
    let swaps: Vec<_> = session.mutations.iter().map(|one| one.lossy()).collect();
    if swaps.is_empty() {
        return " with nothing replaced".to_owned();
    }
    format!(" with {}", swaps.join(", "))
}
