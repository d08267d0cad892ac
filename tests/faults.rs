//! The real binary under fire: killed before its system calls, interrupted at them, lied to by them, out of room, cut off from its
//! power, raced and deceived. Whatever happens, the files are afterwards as before or as planned, and not a byte
//! is lost (safety.md, sections 2 and 4).
//!
//! Every test takes a slice of its cases by `RELIGHT_FAULTS_SEED` (a number, 1 unless told), so that the whole
//! stays short. All of them:
//!
//! ```text
//! RELIGHT_FAULTS=full cargo test --release --test faults -- --nocapture
//! ```
//!
//! What the machine does not allow (strace, mounts) is skipped aloud.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test ends at the first surprise, and says what it reached and what it skipped"
)]

#[path = "faults/calls.rs"]
mod calls;
#[path = "faults/census.rs"]
mod census;
#[path = "faults/cuts.rs"]
mod cuts;
#[path = "faults/deeds.rs"]
mod deeds;
#[path = "faults/editor.rs"]
mod editor;

#[path = "faults/errors.rs"]
mod errors;
#[path = "faults/full_disk.rs"]
mod full_disk;
#[path = "faults/ground.rs"]
mod ground;
#[path = "faults/hostile.rs"]
mod hostile;
#[path = "faults/judge.rs"]
mod judge;
#[path = "faults/kills.rs"]
mod kills;
#[path = "faults/own.rs"]
mod own;
#[path = "faults/races.rs"]
mod races;
#[path = "faults/signals.rs"]
mod signals;

/// Whether all cases are run.
fn full() -> bool {
    std::env::var_os("RELIGHT_FAULTS").is_some_and(|value| value == "full")
}

/// A slice of cases: all of them in a full run, else about `few`.
fn slice<T>(cases: Vec<T>, few: usize) -> Vec<T> {
    if full() { cases } else { spread(cases, few) }
}

/// At most about `few` of the cases, spread evenly and shifted by the seed.
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
