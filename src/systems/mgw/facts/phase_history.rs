//! The steps of an issue in order: five, or with a roadmap three of them again for each phase. Which phases are
//! finished, and what the history says about the current one.

use crate::formats::stamp;
use crate::model::{LocalTime, Progress, Stamp};
use crate::systems::mgw::facts::Facts;
use crate::systems::mgw::points::{Goal, Target};
use crate::systems::mgw::shape::{Action, Checkpoint, Past, RoadmapPhase, Route, State, Step};

/// The steps that each phase of a roadmap repeats: plan, execute, verify.
const REPEATED: usize = 3;

/// The finished phases, and the history of the current one.
#[derive(Debug, Clone)]
pub(crate) struct PhaseHistory<'a> {
    /// The phases before the current one; all but the last if only the pull request is left.
    pub(crate) finished: Vec<&'a RoadmapPhase>,
    /// How many phases there are; 1 without phases.
    phases: usize,
    checkpoint: Option<&'a Checkpoint>,
    /// The history of those phases, and of the current one.
    before: &'a [Past],
    now: &'a [Past],
}

impl<'a> PhaseHistory<'a> {
    pub(crate) fn of(facts: &'a Facts, state: &'a State, target: &Target) -> Self {
        let checkpoint = state.checkpoint();
        let by_phases = state.route() == Route::Milestone
            || checkpoint.is_some_and(|c| c.action == Some(Action::NextPhase));
        let roadmap = facts.evidence.roadmap.as_deref().filter(|_| by_phases);
        let roadmap = roadmap.unwrap_or_default();
        let ending = !matches!(target.goal, Goal::Step(step) if step < Step::Pr);
        let upto = match &target.phase {
            _ if target.goal == Goal::Step(Step::Triage) => 0,
            _ if ending => roadmap.len().saturating_sub(1),
            Some(phase) => roadmap.iter().position(|p| p.number == *phase).unwrap_or(0),
            None => 0,
        };
        let finished: Vec<_> = roadmap.iter().take(upto).collect();
        let history = checkpoint.map_or(&[][..], |c| c.history.as_slice());
        let at = if finished.is_empty() {
            0
        } else {
            // Each phase ends with its verification. If only the pull request is left, the last verification
            // belongs to the last phase, which is not among the finished ones.
            let ends = history.iter().enumerate();
            let ends = ends.filter(|(_, past)| past.step == Some(Step::Verify));
            let mut ends = ends.map(|(at, _)| at + 1).rev();
            ends.nth(usize::from(ending)).unwrap_or(0)
        };
        let (before, now) = history.split_at_checked(at).unwrap_or((&[], history));
        Self {
            finished,
            phases: roadmap.len().max(1),
            checkpoint,
            before,
            now,
        }
    }

    /// What the history says about a step, in the current phase.
    pub(crate) fn past(&self, step: Step) -> Vec<&'a Past> {
        let before = self.before.iter().filter(|_| step == Step::Triage);
        let all = before.chain(self.now);
        all.filter(|past| past.step == Some(step)).collect()
    }

    /// When a step of the current phase ended.
    pub(crate) fn ended(&self, step: Step, zone: &dyn LocalTime) -> Option<Stamp> {
        stamp::parse(self.past(step).last()?.completed_at.as_deref()?, zone)
    }

    /// When the step before one of the current phase ended; `None` if that is not on record.
    pub(crate) fn ended_before(&self, step: Step, zone: &dyn LocalTime) -> Option<Stamp> {
        let earlier = Step::ALL.into_iter().rev().filter(|other| *other < step);
        let own = |other: &Step| self.finished.is_empty() || *other > Step::Triage;
        let of_phase = || {
            let last = self.before.last()?;
            stamp::parse(last.completed_at.as_deref()?, zone)
        };
        let mut earlier = earlier.filter(own);
        let ended = earlier.find_map(|other| self.ended(other, zone));
        ended.or_else(of_phase)
    }

    /// When a step of the current phase began.
    pub(crate) fn began(&self, step: Step, zone: &dyn LocalTime) -> Option<Stamp> {
        let started = || stamp::parse(self.checkpoint?.started_at.as_deref()?, zone);
        if step == Step::Triage {
            return started();
        }
        self.ended_before(step, zone).or_else(started)
    }

    /// How much is done.
    pub(crate) fn progress(&self, target: &Target) -> Progress {
        let done = target.done() + REPEATED * self.finished.len();
        let all = Step::ALL.len() + REPEATED * (self.phases - 1);
        Progress::new(Some(done as u64), Some(all as u64), "steps")
    }
}
