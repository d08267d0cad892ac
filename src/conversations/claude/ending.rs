//! The ending that the last lines of a conversation show.

use crate::model::{CauseKind, Stamp, Sure};

/// How a conversation or an agent ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Ending {
    /// What stopped it.
    pub kind: CauseKind,
    /// The kind as a sentence, without any text of the conversation.
    pub text: String,
    /// When it ended.
    pub at: Option<Stamp>,
    /// The reset of a limit.
    pub until: Option<Stamp>,
    /// How sure that is.
    pub sure: Sure,
    /// The line that shows it, where lines are numbered.
    pub line: Option<u64>,
    /// Additional facts.
    pub facts: Vec<String>,
    /// The names of tools that were called and never answered.
    pub open_tools: Vec<String>,
}

impl Ending {
    /// An ending without details.
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
