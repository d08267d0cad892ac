//! The progress of a replay on stderr: one line for each finished dispatch, or for each finished run of several, and on
//! a terminal a last line that is redrawn in place.

use std::collections::{HashMap, HashSet};
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Arc, Mutex};

use super::cells;
use super::replay_lines::{self, Key};
use crate::model::{
    Clean, ReplayProgress, SessionId, SessionProgress, SessionState, StepState, lock,
};

/// The lines of a replay. Silent with `--quiet`.
pub(in crate::cli) struct ReplayLines {
    on: bool,
    terminal: bool,
    cells: usize,
    seen: Arc<Mutex<Seen>>,
}

/// What was drawn.
#[derive(Default)]
struct Seen {
    /// The last reported state of each step, and its attempt.
    steps: HashMap<Key, (StepState, u32)>,
    /// The runs of several that have ended.
    runs: HashSet<SessionId>,
    /// Cells of the line that is redrawn; 0 where there is none.
    drawn: usize,
    /// Whether stopping was reported.
    stopping: bool,
}

impl ReplayLines {
    pub(in crate::cli) fn new(quiet: bool) -> Self {
        let terminal = io::stderr().is_terminal();
        Self {
            on: !quiet,
            terminal,
            cells: cells(terminal),
            seen: Arc::default(),
        }
    }

    /// Draws what was reported.
    pub(in crate::cli) fn show(&self, progress: &ReplayProgress) {
        if !self.on {
            return;
        }
        let mut seen = lock(&self.seen);
        let ended = seen.ended(progress);
        let mut text = String::new();
        if self.terminal && !ended.is_empty() {
            text.push_str(&blank(seen.drawn));
            seen.drawn = 0;
        }
        for line in ended {
            text.push_str(line.clip(self.cells).as_str());
            text.push('\n');
        }
        if self.terminal && !seen.stopping {
            let line = replay_lines::now(progress).clip(self.cells.saturating_sub(1));
            text.push_str(&blank(seen.drawn));
            text.push_str(line.as_str());
            seen.drawn = line.width();
        }
        // If stderr is closed, progress is not shown.
        drop(io::stderr().write_all(text.as_bytes()));
    }

    /// Reports that it is about to stop.
    pub(in crate::cli) fn stopping(&self) -> impl FnOnce() + Send + 'static {
        let (on, seen) = (self.on, Arc::clone(&self.seen));
        move || {
            let mut seen = lock(&seen);
            seen.stopping = true;
            if on {
                let text = "Stopping: running dispatches get a few seconds to end.\n";
                let text = format!("{}{text}", blank(seen.drawn));
                seen.drawn = 0;
                drop(io::stderr().write_all(text.as_bytes()));
            }
        }
    }
}

impl Seen {
    /// A line for each step that ended, or began another attempt, since the last call.
    fn ended(&mut self, progress: &ReplayProgress) -> Vec<Clean> {
        let mut lines = Vec::new();
        let several = progress.sessions.len() > 1;
        for session in &progress.sessions {
            if several {
                let state = session.state;
                let over = state.is_some_and(|state| state != SessionState::Running);
                // One without steps was complete before this began.
                if over && !session.steps.is_empty() && self.runs.insert(session.id.clone()) {
                    lines.push(replay_lines::run_ended(progress, session));
                }
                continue;
            }
            for at in 0..session.steps.len() {
                lines.extend(self.step(progress, session, at));
            }
        }
        lines
    }

    fn step(
        &mut self,
        progress: &ReplayProgress,
        session: &SessionProgress,
        at: usize,
    ) -> Option<Clean> {
        let step = session.steps.get(at)?;
        let key = (session.id.clone(), step.of);
        let now = (step.state, step.attempt);
        let before = self.steps.insert(key, now);
        if before == Some(now) {
            return None;
        }
        match step.state {
            StepState::Completed | StepState::Failed | StepState::Error | StepState::Cancelled => {
                // Steps that ended before this process began are not reported again.
                (before.is_some() || step.attempt > 0)
                    .then(|| replay_lines::ended(progress, session, at))
            }
            StepState::Waiting | StepState::Running => None,
        }
    }
}

/// Clears the line that is drawn, and moves the cursor to its start.
fn blank(drawn: usize) -> String {
    match drawn {
        0 => String::new(),
        cells => format!("\r{}\r", " ".repeat(cells)),
    }
}

impl Drop for ReplayLines {
    fn drop(&mut self) {
        let mut seen = lock(&self.seen);
        let blank = blank(seen.drawn);
        seen.drawn = 0;
        drop(io::stderr().write_all(blank.as_bytes()));
    }
}
