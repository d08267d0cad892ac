//! The report of a comparison in the seed's form: Markdown for people, one JSON line for programs (format note
//! crucible, section i). What relight adds to the seed's sections stands behind them.

mod lines;
mod markdown;
mod words;

pub use lines::lines;
pub use markdown::markdown;

/// The file that the JSON lines are appended to, beside a session's manifest.
pub const RECORD: &str = "replay-diff.jsonl";

#[cfg(test)]
mod tests;
