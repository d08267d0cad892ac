//! What is shown beside the outcome and never judged.

use super::Metric;
use crate::model::{Foreign, Usage};
use crate::text::format::numbered;

/// Tokens, money, sizes and what reviewers said.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Beside {
    /// The names of both sides: `control` and `mutated`, or `original` and `replayed`.
    pub sides: [String; 2],
    /// The figures, a median of the runs each.
    pub figures: Vec<Metric>,
    /// What each reviewing role said in all runs.
    pub findings: Vec<RoleFindings>,
    /// What all runs of each side used; `None` where no runner reported it.
    pub usage: [Option<Usage>; 2],
}

/// What one reviewing role said in all runs of both sides. A reviewer that says FAIL has done its work, so nothing is
/// judged by it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RoleFindings {
    /// The role: `red-team`, `reviewer`.
    pub role: Foreign,
    /// On the left side.
    pub a: Said,
    /// On the right side.
    pub b: Said,
}

/// How often a role said what.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Said {
    /// PASS.
    pub pass: u64,
    /// FAIL.
    pub fail: u64,
    /// Neither.
    pub neither: u64,
}

impl Said {
    /// `27 FAIL, 3 PASS`.
    pub fn text(self) -> String {
        let counts = [
            (self.fail, "FAIL"),
            (self.pass, "PASS"),
            (self.neither, "neither"),
        ];
        let said = numbered(counts);
        if said.is_empty() {
            return "n/a".to_owned();
        }
        said.join(", ")
    }
}
