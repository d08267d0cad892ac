//! What agents' own records say: how their conversations ended, and which of them worked on a pipeline.
//!
//! Read-only: nothing below an agent's own folders is ever written. The formats are internal to the clients and
//! change between versions, so an unknown line, field or version is never an error: what no rule matches is
//! `unknown`. What a person or a model said is left out except in [`Quote`](crate::model::Quote)s, which only
//! `--conversation` asks for.

pub mod claude;
pub mod codex;
pub mod find;
mod gemini;
mod limits;
mod opencode;
mod quotes;
pub mod register;
pub mod subagents;
