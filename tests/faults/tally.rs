//! What the runs of a kind came to, summed up over its tests, with the goal of a full run.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use super::full;

/// How many cases of each kind a full run has to reach.
const GOALS: [(&str, usize); 7] = [
    ("real kills", 3_000),
    ("failing calls", 10_000),
    ("power cuts on ext4", 1_000),
    ("races", 1_000),
    ("kills of orchestrators", 1_000),
    ("kills of records", 250),
    ("rounds of twelve records", 420),
];

/// All cases so far, by kind.
static TOTALS: Mutex<BTreeMap<&str, usize>> = Mutex::new(BTreeMap::new());

/// The cases of one test. Every case is asserted, so whoever gets to the end lost nothing, mixed nothing and
/// left nothing pending.
pub(crate) struct Tally {
    kind: &'static str,
    cases: usize,
}

impl Tally {
    pub(crate) fn new(kind: &'static str) -> Self {
        Self { kind, cases: 0 }
    }

    /// Counts cases that held.
    pub(crate) fn add(&mut self, cases: usize) {
        let before = self.cases;
        self.cases += cases;
        if full() && before / 500 != self.cases / 500 {
            println!("{}: {} cases in this test so far", self.kind, self.cases);
        }
    }
}

impl Drop for Tally {
    fn drop(&mut self) {
        let Self { kind, cases } = self;
        if std::thread::panicking() {
            println!("SUMMARY {kind}: FAILED after {cases} cases");
            return;
        }
        let total = {
            let mut totals = TOTALS.lock().unwrap_or_else(PoisonError::into_inner);
            let total = totals.entry(kind).or_default();
            *total += *cases;
            *total
        };
        let goal = GOALS.iter().find(|(known, _)| known == kind);
        let goal = goal.map_or_else(String::new, |(_, goal)| format!(" (goal {goal})"));
        println!("SUMMARY {kind}: {total} cases{goal}, 0 lost, 0 mixed, 0 stuck");
    }
}
