//! What a command answers: the same facts as JSON and as lines for a person.

use serde::Serialize;

use super::Exit;
use crate::engine::EngineError;
use crate::model::Clean;

/// How a piece of text stands out. Never the only carrier of a meaning.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Tone {
    /// As the rest.
    #[default]
    Plain,
    /// A heading, or what matters most.
    Strong,
    /// Of less weight.
    Faint,
    /// As it should be.
    Good,
    /// To be looked at.
    Warn,
    /// Wrong.
    Bad,
}

/// A piece of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Span(pub Tone, pub Clean);

impl Span {
    pub(super) fn plain(text: impl Into<Clean>) -> Self {
        Self(Tone::Plain, text.into())
    }
}

/// A line for a person.
pub(super) type Line = Vec<Span>;

/// Lines for a person, made as they are printed.
pub(super) type Page<'a> = Box<dyn Iterator<Item = Line> + 'a>;

/// Something that goes out as one JSON object.
pub(super) trait Wire {
    fn write(&self, out: &mut dyn std::io::Write) -> std::io::Result<()>;
}

impl<T: Serialize> Wire for T {
    fn write(&self, out: &mut dyn std::io::Write) -> std::io::Result<()> {
        super::json::write(out, self)
    }
}

/// A command's answer.
pub(super) struct Answer {
    /// How it ended.
    pub exit: Exit,
    /// The JSON.
    pub wire: Box<dyn Wire>,
    /// The lines.
    pub page: Page<'static>,
    /// Said on stderr beside it, unless `--quiet`.
    pub notes: Vec<Clean>,
    /// What was done for good, in a sentence or two: said on stderr where the answer cannot be printed, or where
    /// the person cancelled too late.
    pub done: Option<Clean>,
}

impl Answer {
    /// A plain answer.
    pub(super) fn new(wire: impl Wire + 'static, lines: Vec<Line>) -> Self {
        Self {
            exit: Exit::Done,
            wire: Box::new(wire),
            page: Box::new(lines.into_iter()),
            notes: Vec::new(),
            done: None,
        }
    }

    /// The same of something that was done for good.
    pub(super) fn done(mut self, done: Clean) -> Self {
        self.done = Some(done);
        self
    }

    /// The same with another exit code.
    pub(super) fn exit(mut self, exit: Exit) -> Self {
        self.exit = exit;
        self
    }
}

/// A command that could not answer.
pub(super) struct Failure(pub EngineError);

impl From<EngineError> for Failure {
    fn from(error: EngineError) -> Self {
        Self(error)
    }
}
