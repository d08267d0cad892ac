//! The records of agent clients: how their conversations ended, and which of them worked on a pipeline.
//!
//! Read-only: nothing in an agent's own folders is ever written. The formats are internal to the clients and change
//! between versions, so an unknown line, field or version is never an error: a record that matches no rule is
//! `unknown`. What a person or a model said is left out, except in [`Quote`](crate::model::Quote)s, which only
//! `--conversation` requests.

pub mod claude;
pub mod codex;
pub mod find;
mod gemini;
mod limits;
mod opencode;
mod quotes;
pub mod register;
pub mod subagents;
