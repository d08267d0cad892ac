//! The keys of the screen, and the commands that only it has.

use crate::tui::commands::{Command, Context, commands, row};

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Running replay");

commands! {
    StopReplay,
}

/// Its keys.
pub(crate) const KEYS: &[Command] = &[
    row!(Enter => "replaying-compare", CONTEXT, ["enter"], "compare", "Compare the result with the original, once the replay has ended.", foot 1),
    row!(StopReplay => "replay-stop", CONTEXT, ["x"], "stop", "Ask whether to stop the replay. Finished dispatches are kept, and it can be continued.", foot 2),
    row!(NextPane => "replaying-next-run", CONTEXT, ["tab", "]"], "next run", "Go to the next run.", foot 3),
    row!(PrevPane => "replaying-previous-run", CONTEXT, ["shift-tab", "["], "previous run", "Go to the previous run."),
];
