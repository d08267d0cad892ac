//! Causes that a pipeline's own records state.

use crate::model::{Cause, CauseEvidence, CauseKind, Foreign, Origin, Stamp, Sure};

/// The most cells that are shown of a recorded error.
const LONGEST: usize = 200;

/// A cause as it is recorded. Where no time is known, the last write of the pipeline is taken for it later.
pub(crate) fn cause(
    kind: CauseKind,
    sure: Sure,
    text: impl Into<Foreign>,
    at: Option<Stamp>,
    evidence: Vec<CauseEvidence>,
) -> Cause {
    Cause {
        kind,
        text: text.into(),
        at,
        until: None,
        sure,
        evidence,
        next: Vec::new(),
    }
}

/// A record, and what it says in relight's own words.
pub(crate) fn evidence(origin: Origin, text: impl Into<Foreign>) -> CauseEvidence {
    CauseEvidence {
        file: origin.file,
        line: origin.line,
        text: text.into(),
    }
}

/// The beginning of an error that the pipeline recorded, on one line.
pub(crate) fn beginning(error: &str) -> Foreign {
    let words: Vec<&str> = error.split_whitespace().collect();
    let clean = Foreign::from(words.join(" ")).clean();
    Foreign::from(clean.ellipsis(LONGEST).into_string())
}
