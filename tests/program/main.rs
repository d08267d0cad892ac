//! Tests of the built program and of the library as a whole: commands, their words and shapes, terminals, hostile
//! files, and git as a judge. One binary, so that it is linked once.
//!
//! Run a part of it with `cargo test --test program cli_acting::`.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test ends at the first surprise, and says what it skips"
)]

mod act_systems;
mod amending;
mod cli;
mod cli_acting;
mod consistent;
mod errors;
mod exporting;
mod git_worlds;
mod golden;
mod hostile;
mod judge;
mod plain;
mod private;
mod record;
mod refusals;
mod replay;
mod scope;
mod seed_mgw_nine;
mod several;
#[expect(dead_code, reason = "the fixtures' own runner uses the rest")]
#[path = "../support/all.rs"]
mod support;
mod terminal;
mod trees;
mod unreadable;
mod waiting;
