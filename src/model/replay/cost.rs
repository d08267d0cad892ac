//! What a replay will cost, known before it starts, and what it used.

use crate::text::format::count;

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

/// Space on the disk, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DiskCost {
    /// The tree of one run.
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
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Usage {
    /// Tokens that went in, those read from and written to a cache among them.
    pub input: u64,
    /// Tokens that came out.
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
        let cost = self
            .cost_usd
            .map_or_else(String::new, |cost| format!(", ${cost:.2}"));
        let tokens = count(self.tokens(), "token");
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
