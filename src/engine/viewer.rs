//! Opening the file of a fact in a program of the person's choice.

use super::{Engine, EngineError, Result};
use crate::model::Origin;
use crate::text::Shown as _;
use crate::world::viewer;

impl Engine {
    /// Shows a file in the person's editor or pager, in the foreground, and waits. The terminal must be free.
    pub fn show_file(&self, origin: &Origin) -> Result<()> {
        viewer::show(&origin.file, origin.line, &|name| std::env::var_os(name)).map_err(|why| {
            let text = format!("{} was not opened: {why}.", origin.file.shown());
            EngineError::unreadable(text)
                .hint("Set EDITOR or PAGER to a program that is installed.")
        })
    }
}
