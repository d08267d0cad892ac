//! Whether a researcher finished its work in the open round.

use std::collections::BTreeMap;

use super::resumed::{Entry, void_before};
use super::work::{Iteration, Run};
use super::{Evidence, Session, State};
use crate::systems::autoconference::shape::{Config, Raw};

/// The status of a researcher in the open round.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ResearchStatus {
    /// Finished, with the reason.
    Complete(&'static str),
    /// It has the required number of iterations, but one of them is the baseline, which counts in the only public run
    /// but not in the documents.
    Probably(u64),
    /// It has so many iterations, which are not enough.
    Incomplete(u64),
    /// It has so many iterations, which are not enough, and a person chose to go on without the rest.
    Closed(u64),
}

impl ResearchStatus {
    /// Whether the researcher finished.
    pub(crate) fn is_done(&self) -> bool {
        matches!(self, Self::Complete(_) | Self::Probably(_))
    }

    /// Whether the phase may continue without further work of this researcher.
    pub(crate) fn is_over(&self) -> bool {
        self.is_done() || matches!(self, Self::Closed(_))
    }

    /// The status as text.
    pub(crate) fn word(&self) -> String {
        match self {
            Self::Complete(why) => format!("complete: {why}"),
            Self::Probably(n) => {
                format!("probably complete: {n} iterations, including the baseline")
            }
            Self::Incomplete(0) => "not begun".to_owned(),
            Self::Incomplete(n) => format!("incomplete after {n}"),
            Self::Closed(0) => "not begun, closed by a person's choice".to_owned(),
            Self::Closed(n) => format!("incomplete after {n}, closed by a person's choice"),
        }
    }
}

/// The status of every researcher in the open round; the flag is true if the required number had to be estimated.
pub(crate) fn all(raw: &Raw, state: &State) -> (BTreeMap<char, ResearchStatus>, bool) {
    if !state.open {
        return (BTreeMap::new(), false);
    }
    let configured = raw.config.iterations.of(state.round);
    let wanted = configured.or_else(|| median(state));
    // A target that was reached in an earlier round ends no later work: rounds do run after it.
    let mut earlier = state.work.runs.range(..(state.round, '\0'));
    let target_known = earlier.any(|(_, run)| meets_target(&raw.config, run));
    // A person chose to continue without the others, and the research was not resumed since.
    let entered = state.entered(raw);
    let closed = entered.is_some_and(|r| matches!(r.entry, Entry::Phase(2..)));
    let status = |id| {
        let status = one(raw, state, id, wanted, target_known);
        if let (ResearchStatus::Incomplete(count), true) = (&status, closed) {
            return ResearchStatus::Closed(*count);
        }
        status
    };
    let research = state.ids.iter().map(|id| (*id, status(*id))).collect();
    (research, configured.is_none() && wanted.is_some())
}

fn one(
    raw: &Raw,
    state: &State,
    id: char,
    wanted: Option<u64>,
    target_known: bool,
) -> ResearchStatus {
    let held = |one: &Session| matches!(one.evidence, Evidence::Event | Evidence::Lost);
    if state.poster.holds() || state.sessions().into_iter().any(held) {
        return ResearchStatus::Complete("the poster session of the round was held");
    }
    if stuck_for_good(raw, state, id) {
        return ResearchStatus::Complete("it was stuck at level 3");
    }
    let Some(run) = state.work.run(state.round, id) else {
        return ResearchStatus::Incomplete(0);
    };
    if run.values().any(|iteration| iteration.has_status("final")) {
        return ResearchStatus::Complete("its last iteration is marked final");
    }
    if !target_known && meets_target(&raw.config, run) {
        return ResearchStatus::Complete("it reached the target");
    }
    counted(run, wanted)
}

/// By the number of its iterations alone.
fn counted(run: &Run, wanted: Option<u64>) -> ResearchStatus {
    let distinct = run.len() as u64;
    let highest = run.keys().next_back().copied().unwrap_or(0);
    let Some(wanted) = wanted else {
        return ResearchStatus::Incomplete(distinct);
    };
    let made = u64::try_from(highest).is_ok_and(|top| top >= wanted) || distinct > wanted;
    if !made && distinct < wanted {
        ResearchStatus::Incomplete(distinct)
    } else if !made && run.get(&0).is_some_and(Iteration::is_baseline) {
        ResearchStatus::Probably(distinct)
    } else {
        ResearchStatus::Complete("it made its iterations")
    }
}

fn stuck_for_good(raw: &Raw, state: &State, id: char) -> bool {
    let from = void_before(&state.resumed, state.round, 1);
    raw.of_round("researcher.stuck", state.round)
        .filter(|e| e.researcher == Some(id) && e.line >= from)
        .any(|e| e.body().int("stuck_level") == Some(3))
}

/// A baseline repeats an earlier result, so it reaches no target by itself.
fn meets_target(config: &Config, run: &Run) -> bool {
    let own = run.values().filter(|i| !i.is_baseline());
    let mut results = own.filter_map(Iteration::result);
    let target = config.target.as_ref();
    target.is_some_and(|target| results.any(|value| target.met(value, config.direction)))
}

/// The median count of those that started, if the configured number cannot be read.
fn median(state: &State) -> Option<u64> {
    let runs = state.work.of_round(state.round);
    let mut counts: Vec<usize> = runs.map(|(_, run)| run.len()).collect();
    counts.sort_unstable();
    counts.get(counts.len() / 2).map(|n| *n as u64)
}
