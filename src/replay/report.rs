//! The report of a comparison in crucible's form: Markdown for people, one JSON line for programs. What relight adds to crucible's sections comes after them.

mod lines;
mod markdown;
mod numbers;

pub use lines::lines;
pub use markdown::markdown;

/// The file that the JSON lines are appended to, beside a session's manifest.
pub const RECORD: &str = "replay-diff.jsonl";

#[cfg(test)]
mod tests;
