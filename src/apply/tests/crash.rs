//! The proof of the transaction on a simulated disk: the process dies before every
//! mutating call, power goes with every allowed loss, recovery is cut short in turn, calls fail, somebody else
//! meddles, the journal is damaged. Whatever happens, the tree is exactly as before or exactly as planned.
//!
//! `cargo test` runs a slice drawn by a fixed seed. The full run:
//!
//! ```text
//! RELIGHT_FAULTS=full cargo test --release --lib apply::tests::crash -- --nocapture | tee crash.log
//! grep SUMMARY crash.log
//! ```
//!
//! Each test prints how many recoveries it ran (`--nocapture` shows it). A failure names the case and its seed,
//! and tells every call that led to it.

mod backups;
mod cancelled;
mod cases;
mod combinations;
mod cuts;
mod damage;
mod errors;
mod expected;
mod foreign;
mod judge;
mod kit;
mod linked;
mod lost;
mod standing;
mod swapped;
mod touched;
