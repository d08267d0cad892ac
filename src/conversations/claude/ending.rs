//! The ending that the last lines of a conversation show.

use crate::model::{CauseKind, Stamp, Sure};
use crate::text::format::list;

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

/// What several clients record in their own ways.
pub(in crate::conversations) const TURN_ENDED: &str =
    "The turn ended normally; nothing more was asked.";
pub(in crate::conversations) const INTERRUPTED: &str = "The turn was interrupted.";
pub(in crate::conversations) const CUT_AT_LIMIT: &str = "A reply was cut at the output limit.";
pub(in crate::conversations) const CUT_IN_STREAM: &str = "A reply was cut while it was streamed.";
pub(in crate::conversations) const AFTER_CALL: &str =
    "It stopped after a tool call and before the next reply.";
pub(in crate::conversations) const NO_REPLY: &str = "A prompt was sent and no reply was recorded: it was interrupted or killed before the first word.";

/// The cause that calls without an answer are. `question` is the tool by which the agent asks a person.
pub(in crate::conversations) fn open_calls(
    open: &[&str],
    question: &str,
) -> (CauseKind, Sure, String) {
    if open.contains(&question) {
        let text = "The agent asked a question that was not answered.";
        return (CauseKind::WaitingAnswer, Sure::Likely, text.to_owned());
    }
    (CauseKind::KilledInTool, Sure::Likely, in_tools(open))
}

/// The sentence about calls of tools that were never answered.
pub(in crate::conversations) fn in_tools(open: &[&str]) -> String {
    let tools = list(open);
    format!(
        "It stopped in a tool call ({tools}), running or at its permission prompt. Side effects of the call are unknown."
    )
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

    /// The same, if something after it in the file cannot be read: it may have been the end.
    pub(in crate::conversations) fn before_unread(self, unread: Option<Unread>) -> Self {
        let Some(unread) = unread else { return self };
        let mut ending = self.lacking(unread);
        if ending.kind == CauseKind::TurnEnded {
            ending.kind = CauseKind::Unknown;
            ending.sure = Sure::Guess;
            "A turn ended, and what came after it cannot be read.".clone_into(&mut ending.text);
        }
        ending
    }

    /// The same, less sure, because something that cannot be read may say otherwise.
    pub(in crate::conversations) fn lacking(mut self, unread: Unread) -> Self {
        let what = match unread {
            Unread::Line(number) => format!("Line {number}"),
            Unread::SomeLine => "A line".to_owned(),
            Unread::Message => "A message".to_owned(),
            Unread::Part => "A part of the last message".to_owned(),
        };
        self.facts.push(format!(
            "{what} cannot be read, and may say otherwise: it is damaged, or was cut by a crash or a power cut."
        ));
        self.sure = self.sure.min(Sure::Likely);
        self
    }
}

/// What of a file cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::conversations) enum Unread {
    Line(u64),
    /// A line of a file whose end alone was read, so that its number is not known.
    SomeLine,
    Message,
    Part,
}

impl Unread {
    /// A line, whose number may be known.
    pub(in crate::conversations) fn line(number: Option<u64>) -> Self {
        number.map_or(Self::SomeLine, Self::Line)
    }
}
