//! The phase table.

use std::collections::BTreeSet;

use crate::model::{Foreign, Phase, PhaseStatus, Stamp};
use crate::systems::nine_step::facts::{Facts, Ledger};
use crate::systems::nine_step::points::Decision;
use crate::systems::nine_step::shape::{Class, Record, StepNo};
use crate::text::format::short_id;

/// How many rows there are at most: a file can claim any number of phases.
const MOST_ROWS: i64 = 500;

/// The phases whose commit is recorded in these records or, for earlier phases, found in git. One that the branch lost is
/// not done.
pub(crate) fn done(facts: &Facts, ledger: Option<&Ledger>) -> BTreeSet<i64> {
    let Some(ledger) = ledger else {
        return facts.git.phases.keys().copied().collect();
    };
    let spots = ledger.spots().into_iter();
    let recorded = spots.filter_map(|(phase, step)| (step == StepNo::Commit).then_some(phase));
    let seen = facts.git.phases.range(..ledger.position.phase);
    let all = recorded.chain(seen.map(|(phase, _)| *phase));
    let (total, lost) = (facts.total().unwrap_or(i64::MAX), facts.lost_phases());
    let counts = |phase: &i64| *phase <= total && !lost.contains(phase);
    all.filter(counts).collect()
}

/// One row for each phase.
pub(crate) fn table(facts: &Facts, decision: &Decision) -> Vec<Phase> {
    let done = done(facts, facts.ledger.as_ref());
    let recorded = facts.records().filter_map(Record::spot).max();
    let recorded = recorded.map(|(phase, _)| phase);
    let unknown = facts.unknown_phases().is_some();
    let at = decision.chosen.spot().filter(|_| !unknown);
    let at = at.map(|(phase, _)| phase);
    let position = facts.position().map(|position| position.phase);
    let last = [facts.total(), recorded, at, position, done.last().copied()];
    let last = last.into_iter().flatten().max().unwrap_or(0).min(MOST_ROWS);
    let rows = (1..=last).map(|phase| row(facts, phase, at, done.contains(&phase)));
    rows.collect()
}

fn row(facts: &Facts, phase: i64, at: Option<i64>, is_done: bool) -> Phase {
    let records = facts.records();
    let records: Vec<&Record> = records.filter(|it| it.phase == Some(phase)).collect();
    let times = || records.iter().filter_map(|record| record.at);
    let commit = facts.git.phases.get(&phase);
    let committed_at = commit.map(|found| Stamp::utc(found.commit.time));
    let (status, native_status) = status(facts, phase, at, is_done);
    let ledger = facts.ledger.as_ref();
    let mut valid = ledger.map(|ledger| ledger.valid(phase)).unwrap_or_default();
    if facts.lost_phases().contains(&phase) {
        valid.remove(&StepNo::Commit);
    }
    // A phase counts its first steps once one of them is done, or is where the work is.
    let here = facts.position().filter(|position| position.phase == phase);
    let mut steps = valid.iter().chain(here.map(|position| &position.step));
    let early = steps.any(|step| *step < StepNo::Code);
    let total = if early { StepNo::ALL.len() as u64 } else { 7 };
    // Where nothing but its commit is known of a phase, the commit stands for all of its steps, on record or not.
    let whole = is_done && valid.iter().all(|step| *step == StepNo::Commit);
    let known = facts.unknown_phases().is_none();
    let name = facts.phase_name(phase).map(str::to_owned);
    Phase {
        id: phase.to_string().into(),
        name: name.unwrap_or_else(|| format!("Phase {phase}")).into(),
        status,
        native_status,
        done: known.then_some(if whole { total } else { valid.len() as u64 }),
        total: Some(total),
        at_least: !known,
        attempts: attempts(&records, status),
        started_at: times().min(),
        ended_at: times().max().or(committed_at).filter(|_| is_done),
        duration_s: ledger.and_then(|ledger| ledger.phase_duration_s(phase)),
        detail: detail(facts, phase, is_done),
    }
}

/// How often it was started: the count of its most repeated step.
fn attempts(records: &[&Record], status: PhaseStatus) -> u64 {
    let times = |step| {
        let own = records.iter().filter(|record| record.step() == Some(step));
        own.count() as u64
    };
    let most = StepNo::ALL.into_iter().map(times).max().unwrap_or(0);
    most.max(u64::from(status != PhaseStatus::Pending))
}

fn status(facts: &Facts, phase: i64, at: Option<i64>, is_done: bool) -> (PhaseStatus, Foreign) {
    let position = facts.position();
    let at_commit = position.is_none_or(|at| at.phase != phase || at.step == StepNo::Commit);
    if at_commit && facts.lost_phases().contains(&phase) {
        return (PhaseStatus::Active, "recorded, commit not found".into());
    }
    if let Some(position) = position.filter(|position| position.phase == phase) {
        let native = position.record.status.as_str().into();
        let status = match position.class {
            Class::Failure => PhaseStatus::Failed,
            Class::Hard | Class::Waiting => PhaseStatus::Waiting,
            Class::Success | Class::Conditional if is_done => PhaseStatus::Done,
            Class::Success | Class::Conditional | Class::InFlight | Class::Unknown => {
                PhaseStatus::Active
            }
        };
        return (status, native);
    }
    if is_done {
        return (PhaseStatus::Done, "committed".into());
    }
    let earlier = position.is_some_and(|position| phase < position.phase);
    match (at == Some(phase) && position.is_none(), earlier) {
        (true, _) => (PhaseStatus::Active, "inferred".into()),
        (false, true) => (PhaseStatus::Active, "no commit on record".into()),
        (false, false) => (PhaseStatus::Pending, Foreign::default()),
    }
}

fn detail(facts: &Facts, phase: i64, is_done: bool) -> Foreign {
    let open = facts
        .position()
        .filter(|p| p.phase == phase && !p.class.is_done());
    let error = open
        .filter(|_| !is_done)
        .and_then(|p| p.record.error.clone());
    let own = facts.git.phases.get(&phase).map(|found| &found.commit);
    let commit = own.or_else(|| facts.git.earlier.get(&phase));
    let commit = commit.map(|commit| format!("commit {}", short_id(&commit.id)));
    let lost = facts.lost_phases().contains(&phase);
    let lost = lost.then(|| "recorded, and no commit of the branch has it".to_owned());
    error.or(commit).or(lost).unwrap_or_default().into()
}
