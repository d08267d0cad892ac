//! relight: a terminal recovery console for interrupted agent pipelines.
//!
//! The documents for people are in [`docs`]; begin with the [overview](docs::overview): what happens to a pipeline's
//! data, where to find what, and the words that the code uses. This page says what each module is for and which
//! others it may import. Every module may import `text`, too.
//!
//! | module | what it is for | may import |
//! |---|---|---|
//! | [`text`] | text from outside made safe to show; how counts, times, ids, paths and commands are written | nothing of ours |
//! | [`model`] | the vocabulary: plain data | `text` |
//! | [`diff`] | side-by-side rows from two texts | `model` |
//! | [`formats`] | JSON Lines, JSON with byte spans, TSV, Markdown, timestamps | `model` |
//! | [`world`] | what is true outside the state files: files, git, processes, clock; with fakes | `model` |
//! | [`git`] | the only module that names git2: repositories, shadow stores, drift; scratch repositories | `model`, `formats`, `world` |
//! | [`conversations`] | what agents' own records say: how conversations ended, which worked on a pipeline; read-only | `model`, `formats`, `world` |
//! | [`systems`] | the readers, each through [`systems::System`] and [`systems::Case`] | `model`, `formats`, `world`, `conversations` |
//! | [`recover`] | decisions: status, resume points, plan, fingerprint, and the undo of a recovery | `model` |
//! | [`apply`] | the recovery transaction; the only module that writes a person's files | `model`, `formats`, `world`, `git`, `recover` |
//! | [`discover`] | the parallel walk | `model`, `formats`, `world`, `systems` |
//! | [`config`] | the configuration, every value optional | `model` |
//! | [`replay`] | replays: plan, sessions, runs, comparisons, reports | `model`, `formats`, `world`, `git`, `systems`, `recover`, `apply`, `diff` |
//! | [`engine`] | all that a front end may ask for; assembles the world | everything above |
//! | [`demo`] | the sandbox | `model`, `git`, `engine` |
//! | [`cli`] | the commands: human output, `--json`, exit codes | `engine`, `config`, `model`, `diff`, `demo` |
//! | [`tui`] | the console: pure update and view, a worker, a terminal | `engine`, `config`, `model`, `diff`; its screens, state, update and view only `model` and `diff` |
//!
//! `tests/house/architecture.rs` reads every `use` and compares it with `IMPORTS` there, which this table shows to readers;
//! it also holds who may name git2, write files, start processes and print.

pub mod apply;
pub mod cli;
pub mod config;
pub mod conversations;
pub mod demo;
pub mod diff;
pub mod discover;
pub mod docs;
pub mod engine;
pub mod formats;
pub mod git;
pub mod model;
pub mod recover;
pub mod replay;
pub mod systems;
pub mod text;
pub mod tui;
pub mod world;

// Test support names the crate as the tests of `tests` do.
#[cfg(test)]
extern crate self as relight;
