//! What a replay will cost, known before it starts, and what it used.

use std::fmt::Write as _;

use super::ReplayPlan;
use crate::text::format::{count, duration, size};

/// What a replay will cost. What is unknown is `None`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ReplayCost {
    /// Runs: blocks times arms.
    pub runs: usize,
    /// Dispatches of all runs.
    pub dispatches: usize,
    /// Seconds that all of it takes by the original's durations, with as many runs side by side as were asked for.
    pub time_s: Option<u64>,
    /// Space on the disk; `None` for a replay in place, which copies nothing.
    pub disk: Option<DiskCost>,
    /// Tokens of all runs, estimated from earlier replays of the same dispatches.
    pub tokens: Option<Usage>,
}

impl ReplayPlan {
    /// What it will cost, each with its name: how much is run, time, space and tokens.
    pub fn cost_texts(&self) -> Vec<(&'static str, String)> {
        let cost = &self.cost;
        let runs = count(cost.runs, "run");
        let runs_of = format!(
            "{runs} × {} = {}",
            count(self.steps.len(), "dispatch"),
            count(cost.dispatches, "dispatch")
        );
        let time = cost.time_s.map_or_else(
            || "unknown: the original's durations are not all recorded".to_owned(),
            |seconds| format!("at most {}, by the original's durations", duration(seconds)),
        );
        let mut all = vec![("runs", runs_of), ("time", time)];
        if let Some(disk) = cost.disk {
            let mut text = format!(
                "about {} a run, {} in all with copies for retries, beside what runners write",
                size(disk.each),
                size(disk.all)
            );
            if let Some(free) = disk.free {
                let _ = write!(text, "; {} are free", size(free));
            }
            all.push(("disk", text));
        }
        if self.runner.is_some() {
            let tokens = cost.tokens.as_ref().map_or_else(
                || "unknown: no earlier replay reported any".to_owned(),
                |usage| format!("about {}, as in earlier replays", usage.text()),
            );
            all.push(("tokens", tokens));
        }
        all
    }
}

/// Space on the disk, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DiskCost {
    /// One run: its tree and its records, without what its runners write.
    pub each: u64,
    /// All trees, and the copies for further attempts of the runs that work side by side.
    pub all: u64,
    /// What is free; `None` where nobody can tell.
    pub free: Option<u64>,
}

impl DiskCost {
    /// Whether all of it fits.
    pub fn fits(self) -> bool {
        self.free.is_none_or(|free| self.all <= free)
    }
}

/// Tokens and money, as runners report them.
#[derive(Debug, Clone, Copy, PartialEq, Default, serde::Serialize, serde::Deserialize)]
pub struct Usage {
    /// Tokens that went in, those read from and written to a cache among them.
    #[serde(rename = "input_tokens")]
    pub input: u64,
    /// Tokens that came out.
    #[serde(rename = "output_tokens")]
    pub output: u64,
    /// Money in US dollars, where it was reported.
    pub cost_usd: Option<f64>,
}

impl Usage {
    /// All tokens.
    pub fn tokens(&self) -> u64 {
        self.input.saturating_add(self.output)
    }

    /// `12345 tokens (12000 in, 345 out), $1.23`.
    pub fn text(&self) -> String {
        let cost = self.cost_usd.map(|cost| format!(", ${cost:.2}"));
        let (tokens, cost) = (count(self.tokens(), "token"), cost.unwrap_or_default());
        format!("{tokens} ({} in, {} out){cost}", self.input, self.output)
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cost_usd = match (self.cost_usd, other.cost_usd) {
            (None, None) => None,
            (one, other) => Some(one.unwrap_or_default() + other.unwrap_or_default()),
        };
    }
}

impl std::iter::Sum for Usage {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |mut sum, one| {
            sum += one;
            sum
        })
    }
}
