//! The keys of the screen, and the commands that only it has.

use crate::tui::commands::{Command, Context, row};

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Outcome");

/// Its keys.
pub(crate) const KEYS: &[Command] = &[
    row!(Enter => "outcome-close", CONTEXT, ["enter"], "close", "Go back to the screen that opened the plan.", foot 1),
    row!(Undo => "outcome-undo", CONTEXT, ["u", "z"], "undo", "Show what an undo would overwrite, and ask to confirm; Esc shows the plan. Nothing is written before you answer.", cli "relight undo RECOVERY --dry-run", foot 2),
    row!(Redo => "outcome-redo", CONTEXT, ["ctrl-r", "Z"], "redo", "Show what a redo would overwrite, and ask to confirm; Esc shows the plan. Nothing is written before you answer.", cli "relight redo RECOVERY --dry-run", foot 2),
    row!(Handoff => "outcome-hand-off", CONTEXT, ["H"], "hand-off", "Show how the orchestrator resumes: directory, command, prompt and briefing.", foot 3),
    row!(Recoveries => "outcome-recoveries", CONTEXT, ["R"], "history", "List the recoveries, newest first.", cli "relight history", foot 4),
];
