//! The phase table: one row for each round, and one for the synthesis.

use std::collections::{BTreeSet, HashMap};

use crate::model::{Foreign, Phase, PhaseStatus, Stamp};

use crate::systems::autoconference::facts::work::Breaks;
use crate::systems::autoconference::facts::{Decision, State};
use crate::systems::autoconference::shape::{Event, Raw};

/// The four phases of a round.
const PHASES: [&str; 4] = [
    "research",
    "poster session",
    "peer review",
    "knowledge transfer",
];

/// The name of a phase, counted from 1.
pub(crate) fn name(phase: u8) -> &'static str {
    let at = usize::from(phase).checked_sub(1);
    at.and_then(|at| PHASES.get(at))
        .copied()
        .unwrap_or("a phase")
}

/// How many rounds after the finished ones are shown; a hostile `max_rounds` must not fill the memory.
const AHEAD: u64 = 50;

pub(crate) fn table(raw: &Raw, state: &State) -> Vec<Phase> {
    let planned = raw.config.max_rounds.unwrap_or(0);
    let planned = planned.min(state.done + AHEAD).max(state.done);
    let mut rounds: BTreeSet<u64> = (1..=planned).collect();
    rounds.extend(state.work.rounds());
    rounds.extend(&state.completed);
    rounds.extend(state.open.then_some(state.round));
    let breaks = Breaks::of(raw);
    let mut logged = logged(raw);
    let rows = rounds.iter().map(|n| {
        let logged = logged.remove(n).unwrap_or_default();
        row(raw, state, &breaks, *n, logged)
    });
    rows.chain([synthesis(raw, state)]).collect()
}

/// What the log says of one round.
#[derive(Default)]
struct Logged {
    times: Vec<Stamp>,
    started: u64,
}

/// The same of every round, in one pass: a long log may have many rounds.
fn logged(raw: &Raw) -> HashMap<u64, Logged> {
    let mut rounds: HashMap<u64, Logged> = HashMap::new();
    for event in raw.events() {
        let Some(round) = event.round else { continue };
        let logged = rounds.entry(round).or_default();
        logged
            .times
            .extend(event.at.filter(|_| is_work_of_round(event)));
        logged.started += u64::from(&*event.name == "round.started");
    }
    rounds
}

fn row(raw: &Raw, state: &State, breaks: &Breaks, round: u64, logged: Logged) -> Phase {
    let config = &raw.config;
    let attempts = attempts(state, round, &logged);
    let mut times = logged.times;
    times.extend(row_times(state, round));
    let (started, ended) = (times.iter().min().copied(), times.iter().max().copied());
    let (status, word) = status(state, round);
    let wanted = || config.count?.checked_mul(config.iterations.of(round)?);
    let mut detail: Vec<String> = state.work.best_shown(raw, round).into_iter().collect();
    if state.open && round == state.round {
        let research = state.research.iter();
        detail.extend(research.map(|(id, status)| format!("{id} {}", status.word())));
    }
    let runs = state.work.of_round(round);
    Phase {
        id: round.to_string().into(),
        name: format!("Round {round}").into(),
        status,
        native_status: word,
        done: Some(runs.map(|(_, run)| run.len() as u64).sum()),
        total: wanted(),
        at_least: false,
        attempts,
        started_at: started,
        ended_at: ended.filter(|_| status == PhaseStatus::Done),
        duration_s: breaks.worked(times),
        detail: detail.join(" · ").into(),
    }
}

/// The times at which something of a round happened.
pub(crate) fn times(raw: &Raw, state: &State, round: u64) -> Vec<Stamp> {
    let own = |e: &&Event| e.round == Some(round) && is_work_of_round(e);
    let events = raw.events().iter().filter(own).filter_map(|e| e.at);
    events.chain(row_times(state, round)).collect()
}

fn row_times(state: &State, round: u64) -> impl Iterator<Item = Stamp> {
    state.work.iterations(round).filter_map(|i| i.at)
}

/// A recovery names its round, and is no work.
fn is_work_of_round(event: &Event) -> bool {
    !event.name.starts_with("conference.")
}

fn status(state: &State, round: u64) -> (PhaseStatus, Foreign) {
    if state.is_over(round) {
        let logged = state.completed.contains(&round);
        let word = if logged { "round.completed" } else { "" };
        return (PhaseStatus::Done, word.into());
    }
    if !(state.open && round == state.round) {
        return (PhaseStatus::Pending, "".into());
    }
    if state.decision == Decision::Failed {
        return (PhaseStatus::Failed, "conference.failed".into());
    }
    let word = if let Decision::Phase(phase) = state.decision {
        format!("phase {phase}")
    } else {
        "phase 1".to_owned()
    };
    (PhaseStatus::Active, word.into())
}

/// How often the round was started: its start events, and the recoveries that resumed it and were not undone.
fn attempts(state: &State, round: u64, logged: &Logged) -> u64 {
    let begun = state.is_over(round) || (state.open && round == state.round);
    match logged.started.max(u64::from(begun)) {
        0 => 0,
        begun => {
            let resumed = state.resumed.iter().filter(|one| one.round == round);
            begun + resumed.count() as u64
        }
    }
}

fn synthesis(raw: &Raw, state: &State) -> Phase {
    let (status, word) = if let Decision::Done { inferred } = state.decision {
        let word = if inferred { "" } else { "conference.completed" };
        (PhaseStatus::Done, word)
    } else if let Decision::Synthesis(ending) = &state.decision {
        (PhaseStatus::Active, ending.word.unwrap_or("SYNTHESIS"))
    } else {
        (PhaseStatus::Pending, "")
    };
    Phase {
        id: "synthesis".into(),
        name: "Synthesis".into(),
        status,
        native_status: word.into(),
        done: Some(u64::from(raw.synthesis > 0) + u64::from(raw.report > 0)),
        total: Some(2),
        at_least: false,
        attempts: u64::from(raw.synthesis > 0 || raw.report > 0),
        started_at: None,
        ended_at: None,
        duration_s: None,
        detail: "synthesis.md and final_report.md".into(),
    }
}
