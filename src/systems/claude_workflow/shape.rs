//! The files of a run. The format is internal to the client and changes between versions, so an unknown line, field or
//! status is kept or counted, never an error.

pub(crate) mod journal;
pub(crate) mod launch;
pub(crate) mod snapshot;

use crate::model::Foreign;

pub(crate) use journal::{End, Journal};
pub(crate) use launch::Notice;
pub(crate) use snapshot::Snapshot;

/// How many cells of a label, phase or name are shown: models write them, and they paraphrase the person's task.
const LABEL_CELLS: usize = 60;

/// A label shortened for display.
pub(crate) fn label(text: &str) -> String {
    let clean = Foreign::from(text).clean();
    clean.ellipsis(LABEL_CELLS).into_string()
}
