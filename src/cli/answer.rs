//! What a command answers: the same facts as JSON and as lines for a person.

use std::path::Path;
use std::sync::Arc;

use serde::{Serialize, Serializer};
use serde_json::Value;

use super::Exit;
use crate::model::{Clean, Status, Verdict};
use crate::text::Present;

/// How a piece of text is emphasized. Never the only sign of a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Tone {
    /// Not emphasized.
    #[default]
    Plain,
    /// A heading, or what matters most.
    Strong,
    /// Less important.
    Faint,
    /// Good.
    Good,
    /// A warning.
    Warn,
    /// An error.
    Bad,
}

impl Tone {
    /// Text in this tone.
    pub(super) fn of(self, text: impl Present) -> Span {
        let file = text.file().map(Arc::from);
        Span(self, text.present(), file)
    }
}

impl From<Status> for Tone {
    fn from(status: Status) -> Self {
        match status {
            Status::Live | Status::Complete => Self::Good,
            Status::Waiting => Self::Warn,
            Status::Interrupted => Self::Strong,
            Status::Unreadable => Self::Bad,
        }
    }
}

impl From<Verdict> for Tone {
    fn from(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Pass => Self::Good,
            Verdict::Skipped => Self::Faint,
            Verdict::Warn => Self::Warn,
            Verdict::Fail => Self::Bad,
        }
    }
}

/// A piece of a line, and the file or folder that it names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span(pub Tone, pub Clean, pub Option<Arc<Path>>);

impl Span {
    pub(super) fn plain(text: impl Into<Clean>) -> Self {
        Self(Tone::Plain, text.into(), None)
    }
}

/// A line for a person.
pub(super) type Line = Vec<Span>;

/// Something that is printed as one JSON object.
pub(super) trait Wire {
    fn write(&self, out: &mut dyn std::io::Write) -> std::io::Result<()>;
}

impl<T: Serialize> Wire for T {
    fn write(&self, out: &mut dyn std::io::Write) -> std::io::Result<()> {
        super::json::write(out, self)
    }
}

/// JSON that is built only with `--json`: a plan may name half a million dispatches.
pub(super) struct Late<F>(pub F);

impl<F: Fn() -> Value> Serialize for Late<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (self.0)().serialize(serializer)
    }
}

/// A command's answer.
pub(super) struct Answer {
    /// How it ended.
    pub exit: Exit,
    /// The JSON.
    pub wire: Box<dyn Wire>,
    /// The lines, built while they are printed.
    pub lines: Box<dyn Iterator<Item = Line>>,
    /// Notes for stderr, unless `--quiet`.
    pub notes: Vec<Clean>,
    /// What was changed on disk, in a sentence or two: printed on stderr if the answer cannot be printed, or if the
    /// command was canceled too late.
    pub done: Option<Clean>,
    /// Whether another program had the terminal since: a signal of that time was meant for it.
    pub launched: bool,
}

impl Answer {
    /// A plain answer.
    pub(super) fn new<L>(wire: impl Wire + 'static, lines: L) -> Self
    where
        L: IntoIterator<Item = Line>,
        L::IntoIter: 'static,
    {
        Self {
            exit: Exit::Done,
            wire: Box::new(wire),
            lines: Box::new(lines.into_iter()),
            notes: Vec::new(),
            done: None,
            launched: false,
        }
    }

    /// The same answer, with what was changed on disk.
    pub(super) fn done(mut self, done: impl Into<Option<Clean>>) -> Self {
        self.done = done.into();
        self
    }

    /// The same with another exit code.
    pub(super) fn exit(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self
    }

    /// The same with notes.
    pub(super) fn noted(mut self, notes: impl IntoIterator<Item = Clean>) -> Self {
        self.notes.extend(notes);
        self
    }
}
