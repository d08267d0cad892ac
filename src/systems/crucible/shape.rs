//! Crucible's files on disk, parsed leniently and without deciding anything.

mod checkpoints;
mod documents;
pub(crate) mod manifest;
mod marker;
pub(crate) mod sniff;

pub(crate) use checkpoints::{TableRow, is_git_dir_listing, table};
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
