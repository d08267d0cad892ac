//! Causes that a pipeline's own records state.

use crate::model::{Cause, CauseEvidence, CauseKind, Foreign, Origin, Stamp, Sure};

/// How many cells of a recorded error are shown.
const LONGEST: usize = 200;

/// A recorded cause. Without a time of its own it later gets the time of the pipeline's last write.
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
        open: false,
    }
}

/// A record, and its meaning in relight's own words.
pub(crate) fn evidence(origin: Origin, text: impl Into<Foreign>) -> CauseEvidence {
    CauseEvidence {
        file: origin.file,
        line: origin.line,
        text: text.into(),
    }
}

/// A sentence about a failure with what the pipeline recorded of it: lists show the sentence and no evidence.
pub(crate) fn saying(sentence: &str, what: &str, recorded: Option<&str>) -> String {
    match recorded.map(beginning).filter(|text| !text.is_empty()) {
        None => sentence.to_owned(),
        Some(text) => {
            let text = text.lossy();
            format!("{sentence} Its {what}: {}.", text.trim_end_matches('.'))
        }
    }
}

/// The start of an error that the pipeline recorded, on one line.
pub(crate) fn beginning(error: &str) -> Foreign {
    let words: Vec<&str> = error.split_whitespace().collect();
    let clean = Foreign::from(words.join(" ")).clean();
    Foreign::from(clean.ellipsis(LONGEST).into_string())
}
