//! What the last lines of a conversation come to.

use crate::model::{CauseKind, Stamp, Sure};

/// How a conversation or an agent ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Ending {
    /// What stopped it.
    pub kind: CauseKind,
    /// The same in a sentence, without anything that was said in the conversation.
    pub text: String,
    /// When.
    pub at: Option<Stamp>,
    /// The reset of a limit.
    pub until: Option<Stamp>,
    /// How sure that is.
    pub sure: Sure,
    /// The line that shows it, where lines are numbered.
    pub line: Option<u64>,
    /// What else was read.
    pub facts: Vec<String>,
    /// The names of tools that were called and never answered.
    pub open_tools: Vec<String>,
}

impl Ending {
    /// An ending of which no more is known.
    pub(in crate::conversations) fn new(
        kind: CauseKind,
        sure: Sure,
        text: impl Into<String>,
        at: Option<Stamp>,
        line: Option<u64>,
    ) -> Self {
        Self {
            kind,
            text: text.into(),
            at,
            until: None,
            sure,
            line,
            facts: Vec::new(),
            open_tools: Vec::new(),
        }
    }
}
