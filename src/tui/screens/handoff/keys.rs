//! The keys of the screen, and the commands that only it has.

use crate::tui::commands::{Command, Context, commands, row};

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Hand-off");

commands! {
    CopyPrompt, CopyBriefing, WatchRecords, CopyContinue,
}

commands! { acting: Launch, NextStep, AllSteps }

/// Its keys.
pub(crate) const KEYS: &[Command] = &[
    row!(CopyPrompt => "copy-prompt", CONTEXT, ["p"], "copy the prompt", "Copy the prompt to type once the orchestrator runs.", foot 2),
    row!(CopyBriefing => "copy-briefing", CONTEXT, ["b"], "copy the briefing", "Copy the whole briefing.", foot 3),
    row!(Launch => "launch", CONTEXT, ["A"], "launch here", "Ask whether to run the command here. The orchestrator has the terminal until it ends.", cli "relight resume PIPELINE --launch", foot 4),
    row!(CopyContinue => "copy-continue", CONTEXT, ["c"], "copy to continue", "Copy the command that continues the conversation instead of starting a new one.", foot 6),
    row!(WatchRecords => "watch", CONTEXT, ["w"], "watch", "Watch for the orchestrator's first new record, wherever it was started.", foot 5),
    row!(NextStep => "next-step", CONTEXT, ["n"], "next step", "Run the next step, after one has ended.", foot 0),
    row!(AllSteps => "all-steps", CONTEXT, ["N"], "until phase ends", "Run step after step until the phase ends; a gate or an error always pauses.", foot 1),
];
