//! The finished steps, and where the work stopped: which record decides, which steps a rework made outdated, which
//! gates are missing.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use crate::systems::nine_step::shape::{Class, Record, State, StepNo};

/// A pause longer than this between two records is not counted as work, in seconds.
const LONGEST_STEP_S: i64 = 6 * 3600;

/// A phase and a step.
pub(crate) type Spot = (i64, StepNo);

/// The record of where the work stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Position {
    /// Its phase.
    pub(crate) phase: i64,
    /// Its step.
    pub(crate) step: StepNo,
    /// The meaning of its status.
    pub(crate) class: Class,
    /// The record itself.
    pub(crate) record: Record,
}

impl Position {
    fn of(record: &Record, (phase, step): Spot) -> Self {
        Self {
            phase,
            step,
            class: record.class(),
            record: record.clone(),
        }
    }
}

/// A remark about the records: the stable code of its finding, and a sentence.
pub(crate) type Note = (&'static str, String);

/// The evaluated records of a state file.
#[derive(Debug, Clone)]
pub(crate) struct Ledger {
    /// Finished steps, oldest first; a repeated step occurs each time.
    pub(crate) done: Vec<Record>,
    /// Where the work stopped.
    pub(crate) position: Position,
    /// Remarks about the records.
    pub(crate) notes: Vec<Note>,
    /// Recorded failures, including `last_execution`.
    failures: Vec<Record>,
}

impl Ledger {
    /// Evaluates the records of a state.
    pub(crate) fn of(state: &State) -> Self {
        let mut notes = Vec::new();
        let mut done = in_time_order(&state.completed);
        let last = &state.last;
        // A record with a note was written by a rollback or by relight, and repeats an execution that is in the list.
        let repeats = |r: &Record| r.at >= last.at || last.note.is_some();
        let known = done.iter().any(|r| r.spot() == last.spot() && repeats(r));
        if last.class().is_done() && last.spot().is_some() && !known {
            let older = |r: &Record| r.at <= last.at || last.at.is_none();
            let before = done.iter().rposition(older);
            done.insert(before.map_or(0, |at| at + 1), last.clone());
        }
        let position = position(state, &done, &mut notes);
        disagreements(state, &position, &mut notes);
        let failed = |r: &&Record| matches!(r.class(), Class::Failure | Class::Hard);
        let failures = state.history.iter().chain([last]).filter(failed);
        Self {
            done,
            position,
            notes,
            failures: failures.cloned().collect(),
        }
    }

    /// The steps of a phase that still count as done: the latest of each, unless an earlier step was repeated after it,
    /// or a reviewer sent it back.
    pub(crate) fn valid(&self, phase: i64) -> BTreeSet<StepNo> {
        let mut latest: BTreeMap<StepNo, usize> = BTreeMap::new();
        for (rank, record) in self.done.iter().enumerate() {
            if let Some((at, step)) = record.spot()
                && at == phase
            {
                latest.insert(step, rank);
            }
        }
        let mut newest = None;
        let mut valid = BTreeSet::new();
        for (step, rank) in latest {
            if newest.is_none_or(|newest| rank > newest) && !self.sent_back(phase, step, rank) {
                valid.insert(step);
            }
            newest = newest.max(Some(rank));
        }
        valid
    }

    /// Whether a later failure of a reviewer sent this record's step back.
    fn sent_back(&self, phase: i64, step: StepNo, rank: usize) -> bool {
        let done_at = self.done.get(rank).and_then(|record| record.at);
        self.failures.iter().any(|failure| {
            let Some((at, reviewer)) = failure.spot() else {
                return false;
            };
            let back = reviewer.returns_to();
            let later = failure.at.is_none() || failure.at >= done_at;
            at == phase && back < reviewer && step >= back && later
        })
    }

    /// Steps that are recorded as done in any phase, without repeats.
    pub(crate) fn spots(&self) -> BTreeSet<Spot> {
        self.done.iter().filter_map(Record::spot).collect()
    }

    /// Whether a step of a phase is recorded as done.
    pub(crate) fn has(&self, spot: Spot) -> bool {
        self.done.iter().any(|record| record.spot() == Some(spot))
    }

    /// How often a step of a phase was completed.
    pub(crate) fn times(&self, spot: Spot) -> u64 {
        count(&self.done, spot)
    }

    /// How often a reviewer failed in a phase: the recorded failures, or the repetitions of the step that it sends
    /// back, whichever is more, because the plugin stores only the last failure.
    pub(crate) fn failures_at(&self, spot: Spot) -> u64 {
        let (phase, reviewer) = spot;
        let back = reviewer.returns_to();
        let again = (back < reviewer).then(|| self.times((phase, back)));
        let repeated = again.unwrap_or_default().saturating_sub(1);
        let at = &self.position;
        let failing = (at.phase, at.step) == spot && at.class == Class::Failure;
        count(&self.failures, spot).max(repeated + u64::from(failing))
    }

    /// The first review of the phase before a step that is missing or outdated: work must resume there instead.
    pub(crate) fn missing_gate(&self, spot: Spot) -> Option<StepNo> {
        let mut missing = self.missing(spot).into_iter();
        missing.find(|step| step.is_phase_review())
    }

    /// The steps of the phase before a step that do not count as done. Steps 1 to 2.5 are required in phase 1 only, and
    /// only if one before the approval is recorded, because the file is usually created with it or after it.
    pub(crate) fn missing(&self, (phase, step): Spot) -> Vec<StepNo> {
        let valid = self.valid(phase);
        let early = phase == 1 && valid.iter().any(|step| *step < StepNo::Approval);
        let needed = |s: &StepNo| *s < step && (*s >= StepNo::Code || early);
        let missing = |s: &StepNo| needed(s) && !valid.contains(s);
        StepNo::ALL.into_iter().filter(missing).collect()
    }

    /// Whether the approval gate was passed: recorded, or implied by later work.
    pub(crate) fn approved(&self) -> Approval {
        let mut spots = self.done.iter().filter_map(Record::spot);
        if spots.clone().any(|(_, step)| step == StepNo::Approval) {
            Approval::Recorded
        } else if spots.any(|(_, step)| step >= StepNo::Code) || self.is_set_past_approval() {
            Approval::Implied
        } else {
            Approval::Missing
        }
    }

    /// Whether relight set the work to continue after the gate, which it does only where one of the records that it
    /// dropped implied the approval.
    fn is_set_past_approval(&self) -> bool {
        let at = &self.position;
        at.record.note.is_some() && at.step >= StepNo::Code
    }

    /// How long a step took according to the records, in seconds: the time since the record before it.
    pub(crate) fn duration_s(&self, rank: usize) -> Option<u64> {
        let before = rank.checked_sub(1).and_then(|at| self.done.get(at));
        took(before?, self.done.get(rank)?)
    }

    /// The step that was begun and is not done, as far as it is recorded, and how long it took. Neither a rollback nor
    /// relight begins a step, and one that waits for the user is not work.
    pub(crate) fn open(&self) -> Option<(Spot, &Record, Option<u64>)> {
        let (at, record) = (&self.position, &self.position.record);
        let begun = match at.class {
            Class::Failure | Class::Hard | Class::InFlight | Class::Unknown => true,
            Class::Success | Class::Conditional | Class::Waiting => false,
        };
        let own = record.spot().filter(|spot| *spot == (at.phase, at.step));
        let own = own.filter(|_| begun && record.note.is_none())?;
        let took = self.done.last().and_then(|before| took(before, record));
        Some((own, record, took))
    }

    /// How long the recorded steps of a phase took together: `None` where that is recorded of none.
    pub(crate) fn phase_duration_s(&self, phase: i64) -> Option<u64> {
        let done = self.done.iter().enumerate();
        let done = done.filter(|(_, record)| record.spot().is_some_and(|(at, _)| at == phase));
        let done = done.filter_map(|(rank, _)| self.duration_s(rank));
        let open = self.open().filter(|((at, _), ..)| *at == phase);
        let open = open.and_then(|(.., took)| took);
        done.chain(open).reduce(u64::saturating_add)
    }
}

/// How many records are of a step of a phase.
fn count(records: &[Record], spot: Spot) -> u64 {
    let own = records.iter().filter(|record| record.spot() == Some(spot));
    own.count() as u64
}

/// The time between two records, in seconds.
fn took(before: &Record, record: &Record) -> Option<u64> {
    let took = (record.at?.at - before.at?.at).num_seconds();
    let counts = (0..=LONGEST_STEP_S).contains(&took);
    counts.then(|| took.unsigned_abs())
}

/// Evidence of the approval of the plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Approval {
    /// A step 2.5 is recorded.
    Recorded,
    /// Later work is recorded.
    Implied,
    /// Neither.
    Missing,
}

/// Done entries by time, with ties in file order; in file order alone if any time is missing.
fn in_time_order(completed: &[Record]) -> Vec<Record> {
    let done = completed.iter().filter(|record| record.class().is_done());
    let mut done: Vec<Record> = done.cloned().collect();
    if done.iter().all(|record| record.at.is_some()) {
        done.sort_by_key(|record| record.at);
    }
    done
}

/// The record that decides: `last_execution`, unless another completed step is newer.
fn position(state: &State, done: &[Record], notes: &mut Vec<Note>) -> Position {
    let last = &state.last;
    let newest = done.iter().rev().find(|record| record.spot().is_some());
    if let Some(newest) = newest
        && let (Some(spot), Some(at), Some(last_at)) = (newest.spot(), newest.at, last.at)
        && at > last_at
        && (Some(spot) != last.spot() || !last.class().is_done())
    {
        let (phase, step) = spot;
        let text = format!(
            "last_execution is older than the completed step {step} of phase {phase}, which is used instead."
        );
        notes.push(("older-last-execution", text));
        return Position::of(newest, spot);
    }
    if let Some(spot) = last.spot() {
        return Position::of(last, spot);
    }
    fallback(state, newest, notes)
}

/// The position if `last_execution` names no known step: the newest completed step, else the current one, treated as
/// interrupted.
fn fallback(state: &State, newest: Option<&Record>, notes: &mut Vec<Note>) -> Position {
    let (step, phase) = (&state.last.step_text, state.last.phase_text());
    let text = format!(
        "last_execution names step {step} of phase {phase}, which is not in the list; the other records are used."
    );
    notes.push(("unknown-step", text));
    if let Some((record, spot)) = newest.and_then(|r| Some((r, r.spot()?))) {
        return Position::of(record, spot);
    }
    let phase = state.phase.or(state.last.phase).unwrap_or(1).max(1);
    let step = state.step.unwrap_or(StepNo::Code);
    Position {
        class: Class::Unknown,
        ..Position::of(&state.last, (phase, step))
    }
}

/// Fields that contradict `last_execution`.
fn disagreements(state: &State, position: &Position, notes: &mut Vec<Note>) {
    let mut warn = |code, text| notes.push((code, text));
    if let Some(phase) = state.phase.filter(|phase| Some(*phase) != state.last.phase) {
        let last = state.last.phase.map(|phase| phase.to_string());
        let last = last.unwrap_or_else(|| "none".to_owned());
        let text = format!(
            "current_phase is {phase} and last_execution's is {last}; last_execution is trusted."
        );
        warn("phase-disagrees", text);
    }
    if let (Some(step), Some(written)) = (state.step, state.last.written)
        && step != written
    {
        let text = format!(
            "current_step is {step} and last_execution's is {written}; last_execution is trusted."
        );
        warn("step-disagrees", text);
    }
    if let (Some(by_agent), Some(written)) = (state.last.by_agent, state.last.written) {
        let text = format!(
            "last_execution says step {written} and the agent {}, which runs step {by_agent}; the agent is trusted.",
            state.last.agent
        );
        warn("agent-disagrees", text);
    }
    if position.class == Class::Unknown {
        let text = format!(
            "The status `{}` is unknown; the step is treated as interrupted, not as done.",
            position.record.status
        );
        warn("unknown-status", text);
    }
}
