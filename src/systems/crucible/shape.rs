//! Crucible's files on disk, parsed leniently and without deciding anything.

mod documents;
pub(crate) mod manifest;
mod marker;
pub(crate) mod sniff;

use crate::formats::markdown;
use crate::world::files::Entry as FileEntry;

pub(crate) use documents::{
    Dispatch, GateVerdict, Handoff, Ledger, LedgerPhase, Receipt, StatusPage, cairn, dispatch,
    gate_verdict, handoff, handoff_name, is_scratch_document, ledger, receipts, status_page,
};
pub(crate) use marker::{Marker, begins_marker, marker};

pub(crate) use manifest::{Entry, Manifest, Reread, StartTimes, Sym};

/// Whether a text has the form of a commit id, possibly shortened.
pub(crate) fn is_commit_id(text: &str) -> bool {
    (7..=40).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// A row of the checkpoint table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TableRow {
    /// 7 to 40 hex.
    pub(crate) hash: String,
    pub(crate) reason: String,
}

/// The rows of a `checkpoint-manifest.md`, a pipe table next to a shadow store, without header and rules.
pub(crate) fn table(text: &str) -> Vec<TableRow> {
    text.lines().filter_map(row).collect()
}

fn row(line: &str) -> Option<TableRow> {
    let cells = markdown::cells(line)?;
    // The time has no zone, so the commit's own time is used instead.
    let [hash, _at, reason, _source] = cells.as_slice() else {
        return None;
    };
    is_commit_id(hash).then(|| TableRow {
        hash: hash.to_ascii_lowercase(),
        reason: (*reason).to_owned(),
    })
}

/// True if a directory listing is that of a git directory.
pub(crate) fn is_git_dir_listing(entries: &[FileEntry]) -> bool {
    let has = |name: &str, dir: bool| entries.iter().any(|e| e.name == name && e.is_dir == dir);
    has("HEAD", false) && has("objects", true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_rows_with_or_without_a_header() {
        let text = "| Hash | Time | Reason | Source |\n|---|---|---|---|\n| 3FA91c02 | 2026-04-08 10:02:11 | pre-plan-gate | build |\n| xyz | a | b | c |\n| 77be04d1 | soon | pre-wave-1 | build |\n| 77be04d1 | pre-wave-1 |\n";
        let rows = table(text);
        let seen: Vec<_> = rows
            .iter()
            .map(|r| (r.hash.as_str(), r.reason.as_str()))
            .collect();
        assert_eq!(
            seen,
            [("3fa91c02", "pre-plan-gate"), ("77be04d1", "pre-wave-1")]
        );
    }
}
