//! The keys of the screen, and the commands that only it has.

use crate::tui::commands::{Command, Context, commands, row};

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Replays");

commands! {
    NewReplay, WatchReplay,
}

commands! { acting: ContinueReplay, AddBlocks }

/// Its keys.
pub(crate) const KEYS: &[Command] = &[
    row!(Enter => "replay-compare", CONTEXT, ["enter"], "compare", "Compare the two marked replays, or the selected one with the original.", cli "relight compare PIPELINE A B", foot 1),
    row!(Side => "replay-mark", CONTEXT, ["space"], "mark A, B", "Mark the selected row as A, then another one as B, or remove the mark.", foot 2),
    row!(NewReplay => "replay-new", CONTEXT, ["n"], "new replay", "Choose templates to replace and a starting point; nothing runs before you confirm.", cli "relight replay PIPELINE --mutate ORIGINAL=REPLACEMENT --dry-run", foot 3),
    row!(ContinueReplay => "replay-continue", CONTEXT, ["c"], "continue", "Ask whether to continue an interrupted replay: it starts programs.", foot 0),
    row!(AddBlocks => "replay-add-blocks", CONTEXT, ["+"], "add blocks", "Ask whether to add blocks to the experiment, as many as its verdict advises, else five: it starts programs.", cli "relight replay PIPELINE --repeat +5", foot 7),
    row!(Purge => "replay-purge", CONTEXT, ["P"], "delete", "Ask whether to delete the replay, with work trees, outputs and records.", cli "relight purge REPLAY", foot 8),
    row!(WatchReplay => "replay-watch", CONTEXT, ["w"], "progress", "Show the progress of the running replay.", foot 4),
    row!(Handoff => "replay-hand-off", CONTEXT, ["H"], "hand-off", "Show how to run a replay without a runner by hand.", foot 6),
    row!(Compare => "replay-operands", CONTEXT, ["C"], "other sides", "List what else can be compared in this pipeline: rounds, stages, recoveries.", cli "relight compare PIPELINE A B", foot 5),
];
