//! The keys of the screen, and the commands that only it has.

use crate::tui::commands::{Command, Context, commands, row};

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Replay plan");

commands! { acting: StartReplay }

/// Its keys.
pub(crate) const KEYS: &[Command] = &[
    row!(Enter => "trial-open", CONTEXT, ["enter"], "open", "Open a conflict, or the difference between a template and its replacement.", foot 1),
    row!(StartReplay => "trial-start", CONTEXT, ["A"], "run", "Ask whether to run the replay, how often and where. Nothing runs before you answer.", cli "relight replay PIPELINE --mutate ORIGINAL=REPLACEMENT", foot 2),
];
