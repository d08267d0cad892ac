//! The report of a comparison in the seed's form: Markdown for people, one JSON line for programs (format note
//! crucible, section i).

use crate::model::Comparison;

/// The file that the JSON lines are appended to, beside a session's manifest.
pub const RECORD: &str = "replay-diff.jsonl";

/// The Markdown report. Foreign text in it is presentable.
pub fn markdown(comparison: &Comparison) -> String {
    let _ = comparison;
    String::new()
}

/// The JSON lines, one for each run of B, each without its newline.
pub fn lines(comparison: &Comparison) -> Vec<String> {
    let _ = comparison;
    Vec::new()
}
