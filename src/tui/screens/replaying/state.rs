//! A running replay, which continues on every screen, and its outcome.

use crate::model::{SessionProgress, StepProgress, StepState};
use crate::tui::prelude::*;

/// The state of a replay.
#[derive(Debug, Clone)]
pub(crate) enum ReplayRun {
    /// It runs.
    Going,
    /// It was asked to stop and has not ended yet.
    Stopping,
    /// It has ended.
    Ended(Arc<Vec<ReplaySession>>),
    /// It ended without an answer.
    Failed(EngineError),
}

/// A replay that was begun here. There is one at a time.
#[derive(Debug, Clone)]
pub(crate) struct Replaying {
    /// The request.
    pub(crate) ticket: Ticket,
    /// The pipeline.
    pub(crate) id: PipelineId,
    /// What it is, for a person.
    pub(crate) title: Clean,
    /// The switch that ends it early.
    pub(crate) cancel: Cancel,
    /// Its last reported progress.
    pub(crate) progress: ReplayProgress,
    /// Its state.
    pub(crate) run: ReplayRun,
    /// Whether nothing is run, only measured again.
    pub(crate) measures: bool,
    /// Whether the console ends with it.
    pub(crate) leaving: bool,
    /// Whether its end was seen.
    pub(crate) seen: bool,
}

impl Replaying {
    /// One that was begun just now.
    pub(crate) fn new(ticket: Ticket, id: PipelineId, title: Clean, cancel: Cancel) -> Self {
        Self {
            ticket,
            id,
            title,
            cancel,
            progress: ReplayProgress::default(),
            run: ReplayRun::Going,
            measures: false,
            leaving: false,
            seen: false,
        }
    }

    /// True until it has ended.
    pub(crate) fn is_going(&self) -> bool {
        matches!(self.run, ReplayRun::Going | ReplayRun::Stopping)
    }

    /// Dispatches that have ended, and all of them; a run that has not begun will have as many as the others.
    pub(crate) fn steps(&self) -> (usize, usize) {
        let sessions = &self.progress.sessions;
        let of_one = sessions.iter().map(|one| one.steps.len()).max();
        let all = |one: &SessionProgress| match one.steps.len() {
            // One that was complete before is not run.
            0 if one.state.is_some() => 0,
            0 => of_one.unwrap_or(0),
            steps => steps,
        };
        let steps = sessions.iter().flat_map(|one| &one.steps);
        let ended = steps.filter(|step| has_ended(step.state)).count();
        (ended, sessions.iter().map(all).sum())
    }

    /// The running run, else the last one.
    pub(crate) fn current(&self) -> usize {
        let sessions = &self.progress.sessions;
        let open = |one: &SessionProgress| match one.state {
            // After an early stop, some runs never begin.
            None => self.is_going(),
            state => state == Some(SessionState::Running),
        };
        let begun = || sessions.iter().rposition(|one| one.state.is_some());
        let open = sessions.iter().position(open);
        open.or_else(begun).unwrap_or(0)
    }

    /// Seconds that are left, guessed by the original's times and by how fast this one was so far; `None` where
    /// nothing says.
    pub(crate) fn left(&self, now: DateTime<FixedOffset>) -> Option<u64> {
        let sessions = &self.progress.sessions;
        let steps = || sessions.iter().flat_map(|one| &one.steps);
        let original = |steps: &[StepProgress]| -> u64 {
            steps.iter().filter_map(|step| step.original_s).sum()
        };
        let mut left = 0_u64;
        for step in steps().filter(|step| !has_ended(step.state)) {
            let begun = step.begun_at.filter(|_| step.state == StepState::Running);
            let took = begun.map_or(0, |begun| now.timestamp().saturating_sub(begun.unix()));
            let took = u64::try_from(took).unwrap_or(0);
            left += step.original_s.unwrap_or(0).saturating_sub(took);
        }
        // A run that has not begun will take as long as the others.
        let of_one = sessions.iter().map(|one| original(&one.steps)).max();
        let of_one = of_one.filter(|of_one| *of_one > 0)?;
        let unbegun = sessions.iter().filter(|one| one.state.is_none());
        let unbegun = unbegun.filter(|one| one.steps.is_empty()).count();
        left += of_one * u64::try_from(unbegun).unwrap_or(0);
        let (mut was, mut is) = (0_u64, 0_u64);
        for step in steps().filter(|step| has_ended(step.state)) {
            if let (Some(original), Some(took)) = (step.original_s, step.duration_s) {
                was += original;
                is += took;
            }
        }
        Some(left.saturating_mul(is).checked_div(was).unwrap_or(left))
    }
}

/// True for a step that is not run any more in this session.
pub(crate) fn has_ended(state: StepState) -> bool {
    match state {
        StepState::Completed | StepState::Failed | StepState::Error => true,
        StepState::Waiting | StepState::Running | StepState::Cancelled => false,
    }
}

/// The progress screen: which run is shown.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReplayingScreen {
    /// The run; `None` follows the running one.
    pub(crate) session: Option<usize>,
    /// The selected step; `None` follows the running one.
    pub(crate) place: Option<usize>,
}

impl ReplayingScreen {
    /// The run that is shown.
    pub(crate) fn session(&self, replaying: &Replaying) -> usize {
        let last = replaying.progress.sessions.len().saturating_sub(1);
        let current = replaying.current();
        self.session.unwrap_or(current).min(last)
    }

    /// The same with its steps.
    pub(crate) fn shown<'a>(&self, replaying: &'a Replaying) -> Option<&'a SessionProgress> {
        let session = self.session(replaying);
        replaying.progress.sessions.get(session)
    }

    /// The selected step.
    pub(crate) fn step(&self, replaying: &Replaying) -> Option<usize> {
        let steps = &self.shown(replaying)?.steps;
        let last = steps.len().checked_sub(1)?;
        let running = steps.iter().position(|step| !has_ended(step.state));
        Some(self.place.or(running).unwrap_or(last).min(last))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(
        state: StepState,
        took: Option<u64>,
        original: Option<u64>,
        begun: i64,
    ) -> StepProgress {
        StepProgress {
            of: 1,
            seq: None,
            label: "a step".into(),
            state,
            attempt: 1,
            begun_at: Stamp::from_unix(begun),
            duration_s: took,
            original_s: original,
            summary: None,
            output: None,
        }
    }

    /// The steps of each run, then how many have ended of how many, and the guess.
    type Case = (
        &'static str,
        Vec<Vec<StepProgress>>,
        (usize, usize),
        Option<u64>,
    );

    #[test]
    fn what_is_left_is_guessed_by_the_original_and_by_the_pace() {
        use StepState::{Cancelled, Completed, Running, Waiting};
        let done = |took, original| step(Completed, Some(took), Some(original), 0);
        let waits = |original| step(Waiting, None, original, 0);
        let table: Vec<Case> = vec![
            ("nothing was told", vec![], (0, 0), None),
            ("no original time", vec![vec![waits(None)]], (0, 1), None),
            (
                "before anything",
                vec![vec![waits(Some(60)), waits(Some(40))]],
                (0, 2),
                Some(100),
            ),
            (
                "half as long",
                vec![vec![done(30, 60), waits(Some(40))]],
                (1, 2),
                Some(20),
            ),
            (
                "one that runs",
                vec![vec![step(Running, None, Some(60), 980)]],
                (0, 1),
                Some(40),
            ),
            (
                "one that runs longer",
                vec![vec![step(Running, None, Some(60), 0)]],
                (0, 1),
                Some(0),
            ),
            (
                "canceled runs anew",
                vec![vec![step(Cancelled, None, Some(60), 0)]],
                (0, 1),
                Some(60),
            ),
            (
                "a run not begun",
                vec![vec![done(60, 60), waits(Some(40))], vec![]],
                (1, 4),
                Some(140),
            ),
        ];
        let now = Stamp::from_unix(1_000).unwrap().at;
        for (what, runs, steps, left) in table {
            let id = PipelineId("crucible-1~abcd".to_owned());
            let mut running = Replaying::new(Ticket(1), id, Clean::empty(), Cancel::new());
            running.progress = ReplayProgress {
                sessions: runs
                    .into_iter()
                    .map(|steps| SessionProgress {
                        waiting: None,
                        id: SessionId("1".to_owned()),
                        state: None,
                        tree: (0, 0),
                        steps,
                    })
                    .collect(),
            };
            assert_eq!(running.steps(), steps, "{what}");
            assert_eq!(running.left(now), left, "{what}");
        }
    }
}
