//! The log of dispatches: records and reports what begins, what ends and what is retried.

use std::io;

use super::verdict::{AttemptResult, of};
use super::{Begun, Book, RunStep};
use crate::model::{Stamp, StepProgress, StepState};
use crate::world::Clock;
use crate::world::runner::{End, Outcome};

/// Keeps the book of a run.
pub(super) struct Desk<'a> {
    book: &'a mut dyn Book,
    retries: u32,
    clock: &'a dyn Clock,
    tell: &'a dyn Fn(Vec<StepProgress>),
    steps: Vec<RunStep>,
}

impl<'a> Desk<'a> {
    pub(super) fn new(
        book: &'a mut dyn Book,
        retries: u32,
        clock: &'a dyn Clock,
        tell: &'a dyn Fn(Vec<StepProgress>),
    ) -> Self {
        let mut steps = book.steps();
        for step in &mut steps {
            step.progress.attempt = 0;
            // What was running when an earlier part of the session was cut off runs anew.
            if matches!(
                step.progress.state,
                StepState::Running | StepState::Cancelled
            ) {
                step.progress.state = StepState::Waiting;
            }
        }
        Self {
            book,
            retries,
            clock,
            tell,
            steps,
        }
    }

    /// The waves, in order.
    pub(super) fn waves(&self) -> Vec<usize> {
        let mut waves: Vec<usize> = self.steps.iter().map(|step| step.wave).collect();
        waves.sort_unstable();
        waves.dedup();
        waves
    }

    /// The steps of a wave that have not ended, in order.
    pub(super) fn left(&self, wave: usize) -> Vec<usize> {
        let left = |step: &RunStep| step.wave == wave && step.progress.state == StepState::Waiting;
        let steps = self.steps.iter().enumerate();
        steps
            .filter(|(_, step)| left(step))
            .map(|(at, _)| at)
            .collect()
    }

    /// Whether a step was stopped because the person cancelled, or ended from outside.
    pub(super) fn any_cancelled(&self) -> bool {
        let mut states = self.steps.iter().map(|step| step.progress.state);
        states.any(|state| state == StepState::Cancelled)
    }

    /// Begins the next attempt of a step.
    pub(super) fn begin(&mut self, at: usize) -> io::Result<Begun> {
        let attempt = self.tried(at) + 1;
        let begun = self.book.begin(at, attempt)?;
        let now = Stamp::stated(self.clock.now());
        self.change(at, |progress| {
            *progress = StepProgress {
                seq: Some(begun.seq),
                state: StepState::Running,
                attempt,
                begun_at: Some(now),
                duration_s: None,
                summary: None,
                output: Some(begun.output_path.clone()),
                ..progress.clone()
            };
        });
        Ok(begun)
    }

    /// Records how an attempt ended. True if it must be tried again.
    pub(super) fn end(&mut self, at: usize, outcome: &Outcome) -> io::Result<bool> {
        let tried = self.tried(at);
        let report = if matches!(outcome.end, End::Exited(_)) {
            self.book.report(at)?
        } else {
            None
        };
        let reported = report.map(|report| report.outcome(outcome));
        let (ended, again) = match of(reported.as_ref().unwrap_or(outcome)) {
            // The book is not told: the step has no end, so that it is run anew.
            AttemptResult::Cancelled => {
                self.change(at, |progress| progress.state = StepState::Cancelled);
                return Ok(false);
            }
            AttemptResult::CutShort(why) => {
                let again = tried <= self.retries;
                if !again {
                    self.book.cut_short(at, &why);
                }
                self.change(at, |progress| {
                    progress.state = StepState::Cancelled;
                    progress.summary = Some(why.into());
                });
                return Ok(again);
            }
            AttemptResult::Final(ended) => (ended, false),
            AttemptResult::Retry(ended) => (ended, true),
        };
        self.book.end(at, &ended)?;
        self.change(at, |progress| {
            progress.state = StepState::of(ended.status);
            progress.duration_s = Some(ended.duration_s);
            progress.summary = Some(ended.summary);
        });
        Ok(again && tried <= self.retries)
    }

    /// How many attempts of a step were begun.
    fn tried(&self, at: usize) -> u32 {
        self.steps.get(at).map_or(0, |step| step.progress.attempt)
    }

    /// Changes one step and sends the whole picture.
    fn change(&mut self, at: usize, change: impl FnOnce(&mut StepProgress)) {
        if let Some(step) = self.steps.get_mut(at) {
            change(&mut step.progress);
        }
        let all = self.steps.iter().map(|step| step.progress.clone());
        (self.tell)(all.collect());
    }
}
