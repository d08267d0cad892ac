//! Replays: runs a pipeline's dispatches again from a boundary with swapped templates, and compares the result with the
//! original. This module computes the plan, stores sessions in folders of relight's own, runs them, and compares.
//!
//! A replay never changes the original: not its manifest, its dispatch files or its work tree. The exception is a
//! replay in place: it first restores the work tree with the recovery transaction, and then appends. Everything is
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
