//! The console: a terminal application over the same engine as the commands.
//!
//! ```text
//!   keys, mouse, signals, ticks ──┐              ┌──▶ view(&State) ──▶ frame, and the map of it
//!                                 ├──▶ update ──▶ State
//!   answers of the worker ────────┘      └──▶ effects ──▶ worker ──▶ engine
//! ```
//!
//! `update` and `view` are pure: no input, output, clock, thread or git. All events arrive on one channel; the loop
//! handles all that are waiting, then draws once. Without events it draws nothing. Requests carry a ticket, and a reply
//! whose ticket is no longer awaited is dropped. One table of commands drives the keys, the footer, the help and the
//! palette.

#![expect(
    clippy::wildcard_enum_match_arm,
    reason = "a screen answers a few of the worker's replies and of a terminal's keys"
)]

pub(crate) mod command_lines;
pub mod commands;
pub mod data;
pub mod geometry;
pub mod keys;
pub mod msg;
pub(crate) mod prelude;
mod run;
pub(crate) mod screens;
pub mod state;
mod terminal;
pub mod theme;
pub mod update;
pub mod view;
pub mod worker;

pub use run::{background, run, unknown_keys};

#[cfg(test)]
mod tests;
