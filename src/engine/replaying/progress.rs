//! The progress of a replay: one complete picture, sent again whenever something changes.

use std::sync::{Mutex, PoisonError};

use super::TellReplay;
use crate::model::{
    Foreign, ReplayProgress, SessionId, SessionProgress, SessionState, StepProgress,
};
use crate::replay::run::Book as _;
use crate::replay::session::Session;

/// The picture, and who hears of it.
pub(super) struct Telling<'a> {
    tell: TellReplay<'a>,
    picture: Mutex<ReplayProgress>,
}

impl<'a> Telling<'a> {
    /// A picture of sessions that have not begun.
    pub(super) fn new(tell: TellReplay<'a>, ids: impl Iterator<Item = SessionId>) -> Self {
        let session = |id| SessionProgress {
            id,
            state: None,
            waiting: None,
            tree: (0, 0),
            steps: Vec::new(),
        };
        let picture = ReplayProgress {
            sessions: ids.map(session).collect(),
        };
        Self {
            tell,
            picture: Mutex::new(picture),
        }
    }

    /// The sessions that were complete before, so that they do not count as left. Nobody is told yet.
    pub(super) fn complete(self, is_complete: impl Fn(&SessionId) -> bool) -> Self {
        {
            let mut picture = self.picture.lock().unwrap_or_else(PoisonError::into_inner);
            let sessions = picture.sessions.iter_mut();
            for session in sessions.filter(|one| is_complete(&one.id)) {
                session.state = Some(SessionState::Done);
            }
        }
        self
    }

    /// So many files of a tree are made.
    pub(super) fn tree(&self, at: usize, tree: (u64, u64)) {
        self.change(at, |session| session.tree = tree);
    }

    /// A session exists, in the state that it states.
    pub(super) fn begun(&self, at: usize, session: &Session<'_>) {
        let steps = session.steps();
        self.change(at, |known| {
            known.id = session.about.id.clone();
            known.state = Some(session.about.state);
            known.steps = steps.into_iter().map(|step| step.progress).collect();
        });
    }

    /// What it waits for on a cluster; `None` once it runs.
    pub(super) fn waiting(&self, at: usize, what: Option<Foreign>) {
        self.change(at, |session| session.waiting = what);
    }

    /// The state of its steps.
    pub(super) fn steps(&self, at: usize, steps: Vec<StepProgress>) {
        self.change(at, |session| session.steps = steps);
    }

    /// How it ended.
    pub(super) fn ended(&self, at: usize, state: SessionState) {
        self.change(at, |session| session.state = Some(state));
    }

    fn change(&self, at: usize, change: impl FnOnce(&mut SessionProgress)) {
        let picture = {
            let mut picture = self.picture.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(session) = picture.sessions.get_mut(at) {
                change(session);
            }
            picture.clone()
        };
        // Told outside the lock: whoever hears it may take his time.
        (self.tell)(&picture);
    }
}
