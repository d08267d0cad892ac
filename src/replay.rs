//! Replays: a pipeline's dispatches run again from a boundary with templates swapped, and compared with the
//! original. Makes the plan of one, keeps its sessions in folders of relight's own, runs them, and compares.
//!
//! It never changes the original: not its manifest, not its dispatch files, not its work tree (a replay in
//! place puts the work tree back through the recovery transaction first, and then appends). Everything is
//! written through `apply`'s disk; programs are started through `world`.

pub mod compare;
mod isolation;
pub mod plan;
pub mod report;
pub mod run;
pub mod runner;
pub mod session;
pub mod slurm;
pub(crate) mod verdict;
