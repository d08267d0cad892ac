//! What a planned replay will cost.

use super::super::Engine;
use crate::model::{ReplayCost, ReplayPlan, Usage};
use crate::replay::session;

impl Engine {
    /// The cost of a plan: runs, time by the original's durations, space, and tokens by earlier replays.
    pub(super) fn replay_cost(&self, plan: &ReplayPlan) -> ReplayCost {
        let ask = &plan.ask;
        let runs = ask.arms().len() * ask.repeat;
        let state = self.state_dir().ok();
        ReplayCost {
            runs,
            dispatches: runs * plan.steps.len(),
            time_s: time(plan, runs),
            disk: session::disk_cost(plan, runs, state.as_deref()),
            tokens: state.and_then(|state| {
                let usual = session::usual_usage(&state, &plan.pipeline);
                let steps = plan.steps.iter().map(|step| step.original.seq);
                let each: Option<Usage> = steps.map(|seq| usual.get(&seq).copied()).sum();
                each.filter(|_| plan.runner.is_some())
                    .map(|each| std::iter::repeat_n(each, runs).sum())
            }),
        }
    }
}

/// Seconds: the waves of a run one after the other, in each of them the longest where its dispatches run side by side,
/// and as many runs at a time as were asked for. Unknown where the original has no duration.
fn time(plan: &ReplayPlan, runs: usize) -> Option<u64> {
    let mut waves: Vec<(usize, Vec<u64>)> = Vec::new();
    for step in &plan.steps {
        let seconds = step.original.duration_s?;
        match waves.last_mut().filter(|(wave, _)| *wave == step.wave) {
            Some((_, of_wave)) => of_wave.push(seconds),
            None => waves.push((step.wave, vec![seconds])),
        }
    }
    let jobs = plan.ask.jobs.max(1) as u64;
    let wave = |seconds: &[u64]| {
        let longest = seconds.iter().copied().max().unwrap_or_default();
        longest.max(seconds.iter().sum::<u64>().div_ceil(jobs))
    };
    let each: u64 = waves.iter().map(|(_, seconds)| wave(seconds)).sum();
    Some(each * runs.div_ceil(plan.ask.parallel.max(1)) as u64)
}
