//! relight: a terminal recovery console for interrupted agent pipelines.
//!
//! Files on disk become facts, facts become judgements, judgements become a plan, a person consents to the
//! plan, one place carries it out and can take it back. Data goes one way through the rooms:
//!
//! ```text
//!  disk ──▶ systems ──▶ model ◀── world (git, processes, file facts)
//!            (read)       │
//!                         ▼
//!                      recover      pure: facts in, checks / points / plan out; the clock is an argument
//!                         │
//!                         ▼
//!                       engine      what a face may ask for
//!                       ╱     ╲
//!                     cli     tui   two faces; neither touches disk or git
//! ```
//!
//! `tests/architecture.rs` holds which room may import which.

pub mod cli;
pub mod config;
pub mod demo;
pub mod diff;
pub mod discover;
pub mod engine;
pub mod formats;
pub mod git;
pub mod model;
pub mod recover;
pub mod systems;
pub mod tui;
pub mod world;
