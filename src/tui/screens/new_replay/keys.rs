//! The keys of the screen, and the commands that only it has.

use crate::tui::commands::{Command, Context, row};

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("New replay");

/// Its keys.
pub(crate) const KEYS: &[Command] = &[
    row!(Enter => "form-edit", CONTEXT, ["enter"], "fill in", "Edit the selected field, or take its next value; on the last row, show the plan.", foot 1),
    row!(ShowPlan => "form-plan", CONTEXT, ["p"], "replay plan", "Show what the replay would do. Nothing is written and nothing runs.", cli "relight replay PIPELINE --mutate ORIGINAL=REPLACEMENT --dry-run", foot 2),
];
