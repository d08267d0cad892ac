//! The real binary under fire: killed before its system calls, interrupted at them, lied to by them, out of room, cut off from its
//! power, raced and deceived. Whatever happens, the files are afterwards as before or as planned, and not a byte
//! is lost (safety.md, sections 2 and 4).
//!
//! Every test takes a slice of its cases by `RELIGHT_FAULTS_SEED` (a number, 1 unless told), so that the whole
//! stays short. All of them, for some hours:
//!
//! ```text
//! RELIGHT_FAULTS=full cargo test --release --test faults -- --nocapture --test-threads=1 | tee faults.log
//! grep SUMMARY faults.log
//! ```
//!
//! Each test adds a `SUMMARY` line with the total of its kind so far; the last one of a kind counts.
//!
//! What the machine does not allow (strace, mounts) is skipped aloud.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test ends at the first surprise, and says what it reached and what it skipped"
)]

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
mod own;
mod races;
mod signals;
mod tally;

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
