//! Whether the completed rounds end the conference: target, budget, all stuck, plateau. Only the number of rounds does
//! so by itself; the orchestrator must declare the rest. Elapsed time is measured between the orchestrator's own
//! events, never against the clock.

use super::State;
use super::resumed::{RESUMED, UNDONE};
use super::work::Iteration;
use crate::model::Stamp;
use crate::systems::autoconference::shape::{Config, Event, Mode, Raw};

/// Why a conference ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Ending {
    /// `CONVERGED`, `BUDGET_STOP` or `STALLED`; `None` where the synthesis had begun.
    pub word: Option<&'static str>,
    /// The evidence.
    pub text: String,
}

impl Ending {
    pub(super) fn new(word: &'static str, text: impl Into<String>) -> Self {
        Self {
            word: Some(word),
            text: text.into(),
        }
    }

    /// The evidence, with the orchestrator's word for it.
    pub(crate) fn shown(&self) -> String {
        match self.word {
            Some(word) => format!("{} ({word})", self.text),
            None => self.text.clone(),
        }
    }
}

/// What the orchestrator says of the end in the event of the last round alone; `None` if nothing.
pub(crate) fn said(raw: &Raw, state: &State) -> Option<String> {
    state.has_converged(raw).then(|| {
        format!(
            "The event of round {} says that the conference converged, but conference.converged is not logged.",
            state.done
        )
    })
}

/// The limit of rounds, if it is reached.
pub(crate) fn rounds(raw: &Raw, state: &State) -> Option<Ending> {
    let limit = raw.config.max_rounds?;
    let text = || format!("{} of {limit} rounds are completed", state.done);
    (state.done >= limit).then(|| Ending::new("BUDGET_STOP", text()))
}

/// The first reason other than the number of rounds that holds after the completed rounds.
pub(crate) fn ending(raw: &Raw, state: &State) -> Option<Ending> {
    let config = &raw.config;
    if state.done == 0 || !config.exists {
        return None;
    }
    declared(raw, state)
        .or_else(|| target(config, state))
        .or_else(|| budget(raw, config, state))
        .or_else(|| all_stuck(raw, state))
        .or_else(|| plateau(config, state))
        .or_else(|| scores(raw, config, state))
}

/// The orchestrator's own word in the event of the last round.
fn declared(raw: &Raw, state: &State) -> Option<Ending> {
    let text = "its event says that the conference converged";
    let converged = state.has_converged(raw);
    converged.then(|| Ending::new("CONVERGED", text))
}

fn target(config: &Config, state: &State) -> Option<Ending> {
    let metric = config.mode == Some(Mode::Metric);
    let target = config.target.as_ref().filter(|_| metric)?;
    let mut runs = state.work.runs.range(..=(state.done, char::MAX));
    let ((round, id), _) = runs.find(|(_, run)| {
        let mut results = run.values().filter_map(Iteration::result);
        results.any(|value| target.met(value, config.direction))
    })?;
    let text = format!("researcher {id} reached the target in round {round}");
    Some(Ending::new("CONVERGED", text))
}

fn budget(raw: &Raw, config: &Config, state: &State) -> Option<Ending> {
    let total = state.work.total();
    if let Some(limit) = config.max_total.filter(|limit| total >= *limit) {
        let text = format!("{total} of {limit} iterations are used up");
        return Some(Ending::new("BUDGET_STOP", text));
    }
    let (spent, limit) = time_budget(raw).filter(|(spent, limit)| spent > limit)?;
    let (spent, limit) = (spent / 60, limit / 60);
    let text = format!("the recorded {spent} min pass the time budget of {limit} min");
    Some(Ending::new("BUDGET_STOP", text))
}

/// The seconds used and allowed; `None` without a limit or times. The used time is that between the first and the last
/// event of the orchestrator's own work: a recovery that is only logged, perhaps days later, uses up nothing. A time in
/// the future is no evidence.
pub(crate) fn time_budget(raw: &Raw) -> Option<(i64, i64)> {
    let limit = raw.config.time_budget?;
    let own = |e: &&Event| ![RESUMED, UNDONE].contains(&&*e.name);
    let past = |at: &Stamp| raw.now.is_none_or(|now| at.at.to_utc() <= now);
    let times = || {
        let own = raw.events().iter().filter(own);
        own.filter_map(|e| e.at).filter(past)
    };
    let spent = times().max()?.unix().saturating_sub(times().min()?.unix());
    Some((spent, limit))
}

fn all_stuck(raw: &Raw, state: &State) -> Option<Ending> {
    let stuck = |id: &char| {
        raw.of_round("researcher.stuck", state.done).any(|e| {
            let level = || e.body().int("stuck_level");
            e.researcher == Some(*id) && level().is_some_and(|level| level >= 2)
        })
    };
    let text = || format!("every researcher was stuck in round {}", state.done);
    let all = !state.ids.is_empty() && state.ids.iter().all(stuck);
    all.then(|| Ending::new("STALLED", text()))
}

/// The best value of all rounds did not change, beyond noise, in the last two.
fn plateau(config: &Config, state: &State) -> Option<Ending> {
    if config.mode != Some(Mode::Metric) || state.done < 3 {
        return None;
    }
    let best_up_to = |last: u64| {
        let runs = state.work.runs.range(..=(last, char::MAX));
        let results = runs.flat_map(|(_, run)| run.values().filter_map(Iteration::result));
        results.reduce(|a, b| config.direction.best(a, b))
    };
    let before = best_up_to(state.done - 2)?;
    let now = best_up_to(state.done)?;
    let text = || format!("the best metric stayed at {now} for two rounds");
    ((now - before).abs() <= noise(config, state)).then(|| Ending::new("CONVERGED", text()))
}

/// 0.1 absolute for percentages, 0 for whole numbers, else 0.1 % of the baseline.
fn noise(config: &Config, state: &State) -> f64 {
    let runs = state.work.runs.values();
    let mut all = runs.flat_map(|run| run.values().filter_map(Iteration::result));
    let base = if config.target.as_ref().is_some_and(|t| t.percent) {
        0.1
    } else if all.clone().all(|value| value.fract() == 0.0) {
        0.0
    } else {
        all.next().map_or(0.0, |first| first.abs() * 0.001)
    };
    base.max(config.min_delta)
}

/// Reviewer scores of the last two rounds, in qualitative mode.
fn scores(raw: &Raw, config: &Config, state: &State) -> Option<Ending> {
    if config.mode != Some(Mode::Qualitative) || state.done < 2 {
        return None;
    }
    let of = |round: u64| {
        let scores = raw.reviews.get(&round).map(|review| &review.scores);
        scores.filter(|scores| !scores.is_empty())
    };
    let (before, now) = (of(state.done - 1)?, of(state.done)?);
    if before.iter().chain(now).all(|score| *score >= 8.0) {
        return Some(Ending::new(
            "CONVERGED",
            "the reviewer gave at least 8 of 10 to all in two rounds",
        ));
    }
    let best = |scores: &[f64]| scores.iter().copied().reduce(f64::max).unwrap_or(0.0);
    let flat = best(now) < 8.0 && best(before) < 8.0 && best(now) <= best(before);
    flat.then(|| Ending::new("STALLED", "the reviewer's scores stayed flat below 8 of 10"))
}
