//! The keys of the screen, and the commands that only it has.

use crate::tui::commands::{Command, Context, row};

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("History");

/// Its keys.
pub(crate) const KEYS: &[Command] = &[
    row!(Enter => "recovery-open", CONTEXT, ["enter"], "open", "Show what the recovery did, and compare its backups with the files now.", foot 1),
    row!(Undo => "recovery-undo", CONTEXT, ["u", "z"], "undo", "Show what an undo of the recovery would do. Nothing is written.", cli "relight undo RECOVERY --dry-run", foot 2),
    row!(Redo => "recovery-redo", CONTEXT, ["ctrl-r", "Z"], "redo", "Show what a redo of the undone recovery would do. Nothing is written.", cli "relight redo RECOVERY --dry-run", foot 3),
    row!(Recover => "recovery-recover", CONTEXT, ["s"], "recover", "Show an interrupted recovery, and ask how to recover it.", cli "relight recover RECOVERY", foot 4),
    row!(Handoff => "recovery-hand-off", CONTEXT, ["H"], "hand-off", "Show how the orchestrator resumes after the recovery.", foot 5),
    row!(Export => "recovery-export", CONTEXT, ["e"], "export", "Copy the backups of a pending recovery to a directory that you name.", cli "relight recover RECOVERY --export DIR"),
    row!(Purge => "purge", CONTEXT, ["P"], "purge", "Ask whether to delete the backups of the recovery. It cannot be undone then.", cli "relight purge RECOVERY", foot 6),
];
