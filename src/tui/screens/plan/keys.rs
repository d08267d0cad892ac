//! The keys of the screen, and the commands that only it has.

use crate::tui::commands::{Command, Context, commands, row};

/// The context of the keys of a plan.
pub(crate) const CONTEXT: Context = Context::new("Plan");

/// The context of the keys of a record of a recovery.
pub(crate) const RECORD: Context = Context::new("Recovery");

commands! {
    Mode, Paths, Rewind, Reason,
}

commands! { acting: Rehearse, Apply }

/// Its keys.
pub(crate) const KEYS: &[Command] = &[
    row!(Enter => "plan-open", CONTEXT, ["enter"], "open", "Show the difference of an action or a path; fold or unfold a heading.", foot 1),
    row!(Include => "include", CONTEXT, ["space"], "exclude", "Exclude the path, or all paths of the directory, or include them again; in an undo, keep them as they are now.", cli "relight plan PIPELINE --point POINT --path PATH", foot 3),
    row!(Mode => "mode", CONTEXT, ["x"], "overlay/exact", "Switch the mode: overlay keeps files created after the checkpoint, exact moves them aside.", cli "relight plan PIPELINE --point POINT --exact", foot 5),
    row!(Paths => "paths", CONTEXT, ["c"], "which paths", "Include all paths, or only missing ones, or only modified ones."),
    row!(Rewind => "rewind-branch", CONTEXT, ["b"], "rewind branch", "Turn on or off: reset the branch to its commit at the time of the checkpoint, too. The old tip is kept.", cli "relight plan PIPELINE --point POINT --rewind-branch"),
    row!(Rehearse => "rehearse", CONTEXT, ["t"], "rehearse", "Try the plan in a scratch directory, and run the configured check there.", cli "relight rehearse PIPELINE --point POINT", foot 5),
    row!(Reason => "reason", CONTEXT, ["w"], "reason", "Enter the reason for resuming here; the hand-off includes it.", cli "relight resume PIPELINE --point POINT --reason TEXT"),
    row!(Handoff => "plan-hand-off", CONTEXT, ["H"], "hand-off", "Show how the orchestrator resumes: directory, command, prompt and briefing.", foot 6),
    row!(Apply => "apply", CONTEXT, ["A"], "apply", "Ask whether to apply the plan. Nothing is written before you answer.", cli "relight resume PIPELINE --point POINT", foot 2),
    row!(Points => "plan-points", CONTEXT, ["r"], "resume points", "Show the points from which this pipeline can resume, to choose another one.", cli "relight points PIPELINE"),
    row!(Filter => "plan-search", CONTEXT, ["/"], "search", "Search the rows of the plan; n and N go to the matches.", foot 7),
    row!(NextHit => "plan-next-hit", CONTEXT, ["n"], "next file", "Go to the next match of a search; without a search, to the next file that changes.", foot 4),
    row!(PrevHit => "plan-previous-hit", CONTEXT, ["N"], "previous file", "Go to the previous match of a search; without a search, to the previous file that changes."),
    row!(NextPane => "plan-next-section", CONTEXT, ["tab", "]"], "next section", "Go to the next section."),
    row!(PrevPane => "plan-previous-section", CONTEXT, ["shift-tab", "["], "previous section", "Go to the previous section."),
    row!(NextChange => "plan-next-change", CONTEXT, ["."], "next change", "Scroll the difference on the right to its next change."),
    row!(PrevChange => "plan-previous-change", CONTEXT, [","], "previous change", "Scroll the difference on the right to its previous change."),
    // What one recovery did.
    row!(Enter => "record-open", RECORD, ["enter"], "open", "Compare a backup with the file now; fold or unfold a heading.", foot 1),
    row!(Undo => "record-undo", RECORD, ["u", "z"], "undo", "Show what an undo of the recovery would do. Nothing is written.", cli "relight undo RECOVERY --dry-run", foot 2),
    row!(Redo => "record-redo", RECORD, ["ctrl-r", "Z"], "redo", "Show what a redo of the undone recovery would do. Nothing is written.", cli "relight redo RECOVERY --dry-run", foot 3),
    row!(Recover => "record-recover", RECORD, ["s"], "recover", "Recover an interrupted recovery; the chosen paths stay as they are now.", cli "relight recover RECOVERY --keep PATH", foot 4),
    row!(Include => "record-keep", RECORD, ["space"], "keep path", "Keep the path as it is now when the interrupted recovery is recovered.", cli "relight recover RECOVERY --keep PATH", foot 5),
    row!(Handoff => "record-hand-off", RECORD, ["H"], "hand-off", "Show how the orchestrator resumes after the recovery.", foot 4),
    row!(Filter => "record-search", RECORD, ["/"], "search", "Search the rows of the plan; n and N go to the matches."),
    row!(NextHit => "record-next-hit", RECORD, ["n"], "next", "Go to the next match of a search; without a search, to the next file that changes."),
    row!(PrevHit => "record-previous-hit", RECORD, ["N"], "previous", "Go to the previous match of a search; without a search, to the previous file that changes."),
    row!(NextPane => "record-next-section", RECORD, ["tab", "]"], "next section", "Go to the next section."),
    row!(PrevPane => "record-previous-section", RECORD, ["shift-tab", "["], "previous section", "Go to the previous section."),
    row!(NextChange => "record-next-change", RECORD, ["."], "next change", "Scroll the difference on the right to its next change."),
    row!(PrevChange => "record-previous-change", RECORD, [","], "previous change", "Scroll the difference on the right to its previous change."),
];
