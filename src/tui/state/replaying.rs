//! A replay that runs, wherever the person is meanwhile, and what came of it.

use std::sync::Arc;

use chrono::{DateTime, FixedOffset};

use crate::model::{
    Cancel, Clean, PipelineId, ReplayProgress, ReplaySession, SessionProgress, SessionState,
    StepProgress, StepState,
};
use crate::tui::data::Trouble;
use crate::tui::msg::Ticket;

/// How a replay stands.
#[derive(Debug, Clone)]
pub enum Run {
    /// It runs.
    Going,
    /// It was told to stop and has not ended yet.
    Stopping,
    /// It has ended.
    Ended(Arc<Vec<ReplaySession>>),
    /// It ended without an answer.
    Failed(Trouble),
}

/// A replay that was begun here. There is one at a time.
#[derive(Debug, Clone)]
pub struct Replaying {
    /// The request.
    pub ticket: Ticket,
    /// The pipeline.
    pub id: PipelineId,
    /// What it is, for a person.
    pub title: Clean,
    /// The switch that ends it early.
    pub cancel: Cancel,
    /// When it was begun.
    pub begun_at: DateTime<FixedOffset>,
    /// How far it is, as it was last told.
    pub progress: ReplayProgress,
    /// How it stands.
    pub run: Run,
    /// Whether the console ends with it.
    pub leaving: bool,
    /// Whether its end was seen.
    pub seen: bool,
}

impl Replaying {
    /// One that was begun just now.
    pub fn new(ticket: Ticket, id: PipelineId, title: Clean, now: DateTime<FixedOffset>) -> Self {
        Self {
            ticket,
            id,
            title,
            cancel: Cancel::new(),
            begun_at: now,
            progress: ReplayProgress::default(),
            run: Run::Going,
            leaving: false,
            seen: false,
        }
    }

    /// True until it has ended.
    pub fn is_going(&self) -> bool {
        matches!(self.run, Run::Going | Run::Stopping)
    }

    /// Dispatches that have ended, and all of them.
    pub fn steps(&self) -> (usize, usize) {
        let steps = self.progress.sessions.iter().flat_map(|one| &one.steps);
        let ended = |step: &&StepProgress| has_ended(step.state);
        (steps.clone().filter(ended).count(), steps.count())
    }

    /// The run that is at work, else the last one.
    pub fn current(&self) -> usize {
        let sessions = &self.progress.sessions;
        let open = sessions
            .iter()
            .position(|one| matches!(one.state, None | Some(SessionState::Running)));
        open.unwrap_or(sessions.len().saturating_sub(1))
    }

    /// Seconds that are left, guessed by the original's times; `None` where nothing says.
    pub fn left(&self, now: DateTime<FixedOffset>) -> Option<u64> {
        let mut known = false;
        let mut left = 0_u64;
        for step in self.progress.sessions.iter().flat_map(|one| &one.steps) {
            if has_ended(step.state) {
                continue;
            }
            let took = step.begun_at.filter(|_| step.state == StepState::Running);
            let took = took.map_or(0, |begun| now.timestamp().saturating_sub(begun.unix()));
            if let Some(original) = step.original_s {
                known = true;
                left += original.saturating_sub(u64::try_from(took).unwrap_or(0));
            }
        }
        known.then_some(left)
    }
}

/// True for a step that is not run any more in this session.
pub fn has_ended(state: StepState) -> bool {
    match state {
        StepState::Completed | StepState::Failed | StepState::Error => true,
        StepState::Waiting | StepState::Running | StepState::Cancelled => false,
    }
}

/// The progress screen: which run is looked at.
#[derive(Debug, Clone, Default)]
pub struct ReplayingScreen {
    /// The run; `None` follows the one that is at work.
    pub session: Option<usize>,
    /// The selected step; `None` follows the one that is at work.
    pub place: Option<usize>,
}

impl ReplayingScreen {
    /// The run that is looked at.
    pub fn session(&self, replaying: &Replaying) -> usize {
        let last = replaying.progress.sessions.len().saturating_sub(1);
        let current = replaying.current();
        self.session.unwrap_or(current).min(last)
    }

    /// The same with its steps.
    pub fn shown<'a>(&self, replaying: &'a Replaying) -> Option<&'a SessionProgress> {
        let session = self.session(replaying);
        replaying.progress.sessions.get(session)
    }

    /// The selected step.
    pub fn step(&self, replaying: &Replaying) -> Option<usize> {
        let steps = &self.shown(replaying)?.steps;
        let last = steps.len().checked_sub(1)?;
        let running = steps.iter().position(|step| !has_ended(step.state));
        Some(self.place.or(running).unwrap_or(last).min(last))
    }
}
