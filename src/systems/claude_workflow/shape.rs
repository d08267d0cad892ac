//! The files of a run as they are on disk. The format is internal to the client and changes between versions, so an
//! unknown line, field or status is kept or counted, never an error.

pub(crate) mod journal;
pub(crate) mod launch;
pub(crate) mod snapshot;

use crate::model::Foreign;

/// The most cells of a label, a phase or a name: models write them, and they paraphrase the person's task.
const LABEL_CELLS: usize = 60;

/// A label as it may be shown.
pub(crate) fn label(text: &str) -> String {
    let clean = Foreign::from(text).clean();
    clean.ellipsis(LABEL_CELLS).into_string()
}
