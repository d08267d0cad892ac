//! `checkpoint-manifest.md`: rows of a pipe table beside the git files of a shadow store.

use crate::formats::{markdown, stamp};
use crate::model::{LocalTime, Stamp};
use crate::world::files::Entry;

/// A row of the checkpoint table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TableRow {
    /// 7 to 40 hex.
    pub(crate) hash: String,
    /// Without zone as it is written, so only second to the commit's own time.
    pub(crate) at: Option<Stamp>,
    pub(crate) reason: String,
    pub(crate) source: String,
    pub(crate) line: u64,
}

/// The rows of a table; header and rules left out.
pub(crate) fn table(text: &str, zone: &dyn LocalTime) -> Vec<TableRow> {
    let lines = (1..).zip(text.lines());
    lines
        .filter_map(|(line, text)| row(line, text, zone))
        .collect()
}

fn row(line: u64, text: &str, zone: &dyn LocalTime) -> Option<TableRow> {
    let cells = markdown::cells(text)?;
    let [hash, at, reason, source] = cells.as_slice() else {
        return None;
    };
    super::is_commit_id(hash).then(|| TableRow {
        hash: hash.to_ascii_lowercase(),
        at: stamp::parse(at, zone),
        reason: (*reason).to_owned(),
        source: (*source).to_owned(),
        line,
    })
}

/// True where a directory holds the files of a git directory.
pub(crate) fn is_git_dir_listing(entries: &[Entry]) -> bool {
    let has = |name: &str, dir: bool| entries.iter().any(|e| e.name == name && e.is_dir == dir);
    has("HEAD", false) && has("objects", true)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::clock::FixedClock;

    #[test]
    fn reads_rows_with_or_without_a_header() {
        let zone = FixedClock("2026-04-08T12:00:00Z".parse().unwrap());
        let text = "| Hash | Time | Reason | Source |\n|---|---|---|---|\n| 3FA91c02 | 2026-04-08 10:02:11 | pre-plan-gate | build |\n| xyz | a | b | c |\n| 77be04d1 | soon | pre-wave-1 | build |\n| 77be04d1 | pre-wave-1 |\n";
        let rows = table(text, &zone);
        let seen: Vec<_> = rows
            .iter()
            .map(|r| (r.line, r.hash.as_str(), r.reason.as_str(), r.at.is_some()))
            .collect();
        assert_eq!(
            seen,
            [
                (3, "3fa91c02", "pre-plan-gate", true),
                (5, "77be04d1", "pre-wave-1", false)
            ]
        );
    }
}
