//! The raw shapes of crucible's small files, read leniently (format note, b.3 to b.7). Nothing here judges.

mod checkpoints;
mod documents;
pub(crate) mod manifest;
mod marker;
pub(crate) mod sniff;

pub(crate) use checkpoints::{TableRow, is_git_dir_listing, table};
pub(crate) use documents::{
    Dispatch, GateVerdict, Handoff, Ledger, LedgerPhase, Receipt, StatusPage, cairn, dispatch,
    gate_verdict, handoff, handoff_name, ledger, receipts, status_page,
};
pub(crate) use marker::{Marker, marker};
