//! The steps of a session and how far each of them is.

use std::io;

use super::continuation::{Last, Seen};
use crate::model::{
    Dispatch, DispatchCounts, DispatchStatus, Foreign, ReplayPlan, StepBody, StepProgress,
    StepState,
};
use crate::replay::run::{Ended, RunStep};

/// One step.
#[derive(Debug, Clone)]
pub(super) struct Step {
    pub(super) original: Dispatch,
    pub(super) wave: usize,
    /// As the manifest records it.
    pub(super) mutation: Option<Foreign>,
    /// The text of its dispatch file, before timestamp and folder are set.
    pub(super) text: Vec<u8>,
    /// What the manifest says of it.
    pub(super) last: Option<Last>,
    /// Characters of the dispatch that was written.
    pub(super) input_chars: u64,
    /// Which attempt runs, from 1.
    pub(super) attempt: u32,
}

/// All steps, in order.
#[derive(Debug, Clone)]
pub(super) struct Steps {
    pub(super) all: Vec<Step>,
    /// The number that is given out next.
    next: u64,
}

impl Steps {
    pub(super) fn of(plan: &ReplayPlan, seen: &Seen) -> Self {
        let step = |step: &crate::model::ReplayStep| {
            let text = match &step.body {
                StepBody::Ready(text) => text.clone(),
                StepBody::Conflict(_) => Vec::new(),
            };
            let swap = step.mutation.and_then(|at| plan.mutations.get(at));
            Step {
                last: seen.of.get(&step.original.seq).cloned(),
                mutation: swap.map(|swap| swap.mutation.text()),
                input_chars: characters(&text),
                original: step.original.clone(),
                wave: step.wave,
                text,
                attempt: 0,
            }
        };
        Self {
            all: plan.steps.iter().map(step).collect(),
            next: seen.largest + 1,
        }
    }

    pub(super) fn get(&self, at: usize) -> io::Result<&Step> {
        let absent = || io::Error::other("there is no such step");
        self.all.get(at).ok_or_else(absent)
    }

    /// The number of a step: the one it has, or the next.
    pub(super) fn seq(&self, at: usize) -> u64 {
        let known = self.all.get(at).and_then(|step| step.last.as_ref());
        known.map_or(self.next, |last| last.seq)
    }

    /// A step has a line that says it was dispatched.
    pub(super) fn begun(&mut self, at: usize, input_chars: u64, attempt: u32) {
        let seq = self.seq(at);
        self.next = self.next.max(seq + 1);
        if let Some(step) = self.all.get_mut(at) {
            step.input_chars = input_chars;
            step.attempt = attempt;
            step.last = Some(Last {
                seq,
                status: DispatchStatus::Dispatched,
                duration_s: None,
                summary: None,
            });
        }
    }

    /// A step has a line that says how it ended.
    pub(super) fn ended(&mut self, at: usize, ended: &Ended) {
        if let Some(last) = self.all.get_mut(at).and_then(|step| step.last.as_mut()) {
            last.status = ended.status;
            last.duration_s = Some(ended.duration_s);
            last.summary = Some(ended.summary.clone());
        }
    }

    /// The places of those that have not ended.
    pub(super) fn left(&self) -> Vec<usize> {
        let left = self
            .all
            .iter()
            .enumerate()
            .filter(|(_, step)| !step.has_ended());
        left.map(|(at, _)| at).collect()
    }

    pub(super) fn counts(&self) -> DispatchCounts {
        let mut counts = DispatchCounts::default();
        for step in &self.all {
            let status = step.last.as_ref().map(|last| last.status);
            counts.add(status.unwrap_or(DispatchStatus::Unknown));
        }
        counts
    }
}

impl Step {
    pub(super) fn has_ended(&self) -> bool {
        self.last.as_ref().is_some_and(Last::is_terminal)
    }

    /// The same for whoever runs it.
    pub(super) fn run_step(&self) -> RunStep {
        let last = self.last.as_ref().filter(|last| last.is_terminal());
        let state = last.map_or(StepState::Waiting, |last| StepState::of(last.status));
        RunStep {
            wave: self.wave,
            progress: StepProgress {
                of: self.original.seq,
                seq: self.last.as_ref().map(|last| last.seq),
                label: label(&self.original),
                state,
                attempt: self.attempt,
                begun_at: None,
                duration_s: last.and_then(|last| last.duration_s),
                original_s: self.original.duration_s,
                summary: last.and_then(|last| last.summary.clone()),
                output: None,
            },
        }
    }
}

/// Characters of a text; each broken byte counts as one.
pub(super) fn characters(text: &[u8]) -> u64 {
    String::from_utf8_lossy(text).chars().count() as u64
}

/// What a dispatch is, for a person: `implementer, task 4`.
fn label(dispatch: &Dispatch) -> Foreign {
    let role = match dispatch.role.as_bytes() {
        b"-" | b"" => dispatch.template.as_bytes(),
        role => role,
    };
    match &dispatch.task {
        Some(task) => [role, b", task ", task.as_bytes()].concat().into(),
        None => role.into(),
    }
}
