//! Fault tests of the real binary: kills, signals and errors at its system calls, full disks, power cuts, races and
//! hostile files. After each fault the files are as before or as planned, and no byte is lost.
//!
//! By default every test runs a few of its cases. `RELIGHT_FAULTS_SEED` (a number, default 1) chooses others. All
//! of them take some hours:
//!
//! ```text
//! RELIGHT_FAULTS=full cargo test --release --test faults -- --nocapture --test-threads=1 | tee faults.log
//! grep SUMMARY faults.log
//! ```
//!
//! Each test adds a `SUMMARY` line with the total of its kind so far; the last one of a kind counts.
//!
//! A test that needs strace or mounts prints `SKIPPED` where the machine does not allow them.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test ends at the first surprise, and says what it reached and what it skipped"
)]

mod at_once;
mod calls;
mod census;
mod cuts;
mod deeds;
mod editor;
mod errors;
mod full_disk;
mod ground;
mod hostile;
mod judge;
mod kills;
mod orchestrators;
mod own;
mod racer;
mod races;
mod records;
mod signals;
mod tally;
#[path = "../../src/world/temporary.rs"]
mod temporary;
mod upstream;

use std::cell::Cell;

/// Whether all cases are run.
fn full() -> bool {
    std::env::var_os("RELIGHT_FAULTS").is_some_and(|value| value == "full")
}

/// A slice of cases: all of them in a full run, else about `few`.
fn slice<T>(cases: Vec<T>, few: usize) -> Vec<T> {
    if full() { cases } else { spread(cases, few) }
}

/// The cases of `slice`, and then, until `found` says that what the test is about was met, the others from the last: a
/// test must not depend on the luck of its seed.
fn until<T: Clone>(cases: Vec<T>, few: usize, found: &Cell<bool>) -> impl Iterator<Item = T> {
    let first = slice(cases.clone(), few);
    first
        .into_iter()
        .chain(cases.into_iter().rev().take_while(|_| !found.get()))
}

/// At most about `few` of the cases, spread evenly and shifted by `RELIGHT_FAULTS_SEED`.
fn spread<T>(cases: Vec<T>, few: usize) -> Vec<T> {
    if cases.len() <= few {
        return cases;
    }
    let seed = std::env::var("RELIGHT_FAULTS_SEED");
    let seed: usize = seed.ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let step = cases.len().div_ceil(few);
    let from = (seed * 7) % step;
    cases.into_iter().skip(from).step_by(step).collect()
}
