//! What answers the console: the engine, or a fake one in tests.

use crate::model::Handoff;
use crate::tui::data::Launched;
use crate::tui::msg::Reply;
use crate::tui::prelude::*;

/// How progress is reported.
pub type Tell<'a> = &'a (dyn Fn(Reply) + Sync);

/// Everything the console asks for.
pub trait Source: Send + Sync + 'static {
    /// Now.
    fn now(&self) -> DateTime<FixedOffset>;

    /// Answers a question. `tell` gets progress on the way; `stop` is true once nobody wants the answer.
    fn answer(&self, query: Query, tell: Tell<'_>, stop: &dyn Fn() -> bool) -> Reply;

    /// Opens a text in the person's editor, in the foreground, and reads it back. The terminal must be free.
    fn edit(&self, text: &[u8]) -> Result<Vec<u8>, EngineError>;

    /// Opens a file in the person's editor or pager, in the foreground. The terminal must be free.
    fn open(&self, origin: &Origin) -> Result<(), EngineError>;

    /// Gives a text to the clipboard by a program, and names what has it; `None` where only the terminal can.
    fn copy(&self, _text: &str) -> Option<&'static str> {
        None
    }

    /// Runs the orchestrator in the foreground and waits until it ends. The terminal must be free.
    fn launch(&self, id: &PipelineId, handoff: &Handoff) -> Result<Launched, EngineError>;
}
