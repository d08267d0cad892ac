//! relight: a terminal recovery console for interrupted agent pipelines.
//!
//! Files on disk become facts, facts become judgements, judgements become a plan, a person consents to the
//! plan, one place applies it and can undo it. Data goes one way through the rooms:
//!
//! ```text
//!  disk ──▶ systems ──▶ model ◀── world (git, processes, file facts)
//!            (read)       │
//!                         ▼
//!                      recover      pure: facts in, checks / points / plan out; the clock is an argument
//!                         │
//!                         ▼
//!                       apply       the only room that writes: consent, lock, stage, journal, exchange, undo
//!                         │
//!                         ▼
//!                       engine      what a face may ask for
//!                       ╱     ╲
//!                     cli     tui   two faces; neither touches disk or git
//! ```
//!
//! # Rooms
//!
//! Every room may import `text` too.
//!
//! | room | what it is for | may import |
//! |---|---|---|
//! | [`text`] | text from outside made safe to show; how counts, times, ids, paths and commands are written | nothing of ours |
//! | [`model`] | the vocabulary: plain data | `text` |
//! | [`diff`] | side-by-side rows from two texts | `model` |
//! | [`formats`] | JSON Lines, JSON with byte spans, TSV, Markdown, timestamps | `model` |
//! | [`world`] | what is true outside the state files: files, git, processes, clock; with fakes | `model` |
//! | [`git`] | the only room that names git2: repositories, shadow stores, drift; scratch repositories | `model`, `formats`, `world` |
//! | [`conversations`] | what agents' own records say: how conversations ended, which worked on a pipeline; read-only | `model`, `formats`, `world` |
//! | [`systems`] | the readers, each through [`systems::System`] and [`systems::Case`] | `model`, `formats`, `world`, `conversations` |
//! | [`recover`] | judgement: standing, ladder, plan, fingerprint, and the undo of a recovery | `model` |
//! | [`apply`] | the recovery transaction; the only room that writes a person's files | `model`, `formats`, `world`, `git`, `recover` |
//! | [`discover`] | the parallel walk | `model`, `formats`, `world`, `systems` |
//! | [`config`] | the configuration, every value optional | `model` |
//! | [`replay`] | replays: plan, sessions, runs, comparisons, reports | `model`, `formats`, `world`, `git`, `systems`, `recover`, `apply`, `diff` |
//! | [`engine`] | all that a face may ask for; assembles the world | everything above |
//! | [`demo`] | the sandbox | `model`, `git`, `engine` |
//! | [`cli`] | the commands: human output, `--json`, exit codes | `engine`, `config`, `model`, `diff`, `demo` |
//! | [`tui`] | the console: pure update and view, a worker, a terminal | `engine`, `config`, `model`, `diff`; its screens, state, update and view only `model` and `diff` |
//!
//! `tests/house/architecture.rs` reads every `use` and compares it with `IMPORTS` there, which this table shows to readers;
//! it also holds who may name git2, write files, start processes and print.
//!
//! # Words
//!
//! A *pipeline* is one instance of a workflow on disk; its *status* is interrupted, live, waiting, complete or
//! unreadable, and beside that it has a *liveness*: alive, dead or unknown. A *phase* is a row of its table, an
//! *event* a row of its timeline, a *finding* one thing the reader noticed. A *check* verifies a claim against
//! the world. A *resume point* is a boundary to resume from, and a *checkpoint* a saved state of files
//! that one can be restored from. A *plan* says what a resume would do: its *actions* change the disk and can be
//! undone, its *guards* must hold. A *recovery* is a plan that was applied. The *hand-off* is the briefing
//! and the command with which the original orchestrator resumes.
//!
//! A *replay* runs the dispatches of a pipeline again from a boundary; a *mutation* swaps one template for another. Each
//! independent run of it is a *session* with a folder of its own, and a *runner* is the program that is given each
//! dispatch. A *comparison* sets two *operands* side by side (the original, sessions, rounds, versions of a stage, before
//! and after a recovery): *pairs* of their work, figures, files, and a *verdict* that says no more than they bear. A
//! *confounder* is what else differs between them.

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
