//! The rows, grouped by where they are heard.

use super::{Cmd, Command, Context};

/// Writes one row, on one line: command, name, context, keys, label, help, then what only some rows have.
macro_rules! row {
    ($id:ident => $name:literal, $context:ident, [$($key:literal),*], $label:literal, $help:literal $(, cli $cli:literal)? $(, foot $foot:literal)?) => {
        Command {
            id: Cmd::$id,
            name: $name,
            context: Context::$context,
            keys: &[$($key),*],
            label: $label,
            help: $help,
            cli: row!(@option $($cli)?),
            footer: row!(@option $($foot)?),
        }
    };
    (@option) => { None };
    (@option $value:literal) => { Some($value) };
}

/// Every command of the console.
pub const COMMANDS: &[Command] = &[
    // The list of pipelines.
    row!(Enter => "open", Browser, ["enter"], "open", "Opens the selected pipeline. Nothing is written.", cli "relight show PIPELINE", foot 1),
    row!(Points => "points", Browser, ["r"], "resume points", "Shows from where the selected pipeline can be taken up.", cli "relight points PIPELINE", foot 2),
    row!(Plan => "plan", Browser, ["p"], "plan", "Shows what taking up at the recommended point would do. Nothing is written.", cli "relight plan PIPELINE"),
    row!(Filter => "filter", Browser, ["/"], "filter", "Filters over all columns; !word leaves out what holds the word.", foot 3),
    row!(NextHit => "next-hit", Browser, ["n"], "next hit", "Goes to the next row that the filter leaves, round to the first."),
    row!(PrevHit => "previous-hit", Browser, ["N"], "previous hit", "Goes to the previous row that the filter leaves, round to the last."),
    row!(Scope => "scope", Browser, ["a"], "scope", "Looks further: here, the repository, the machine, and round again.", cli "relight list --scope machine", foot 4),
    row!(Complete => "complete", Browser, ["c"], "complete", "Shows or hides the pipelines that are complete.", cli "relight list --all", foot 5),
    row!(Sort => "sort", Browser, ["s"], "sort", "Sorts by the next key: last activity, status, system, title, progress.", foot 6),
    row!(Reverse => "reverse", Browser, ["S"], "reverse", "Turns the order round."),
    row!(Recoveries => "recoveries", Browser, ["R"], "recoveries", "Lists what has been carried out, newest first, to be taken back or looked at.", cli "relight history", foot 7),
    row!(Group => "group", Browser, ["b"], "group", "Groups by nothing, status, system or project."),
    // A pipeline.
    row!(Enter => "detail", Pipeline, ["enter"], "detail", "Opens the selected row: its fields, and the raw line or file behind it.", foot 1),
    row!(Points => "pipeline-points", Pipeline, ["r"], "resume points", "Shows from where this pipeline can be taken up.", cli "relight points PIPELINE", foot 2),
    row!(Plan => "pipeline-plan", Pipeline, ["p"], "plan", "Shows what taking up at the recommended point would do. Nothing is written.", cli "relight plan PIPELINE", foot 3),
    row!(Restore => "restore", Pipeline, ["P"], "restore files", "Shows what putting back only the files of the selected checkpoint would do. Nothing is written.", cli "relight restore PIPELINE --checkpoint CHECKPOINT --dry-run"),
    row!(Recoveries => "pipeline-recoveries", Pipeline, ["R"], "recoveries", "Lists what has been carried out, newest first, to be taken back or looked at.", cli "relight history", foot 6),
    row!(NextPane => "next-pane", Pipeline, ["tab", "]"], "next pane", "Goes to the next pane.", foot 4),
    row!(PrevPane => "previous-pane", Pipeline, ["shift-tab", "["], "previous pane", "Goes to the previous pane."),
    row!(Pane1 => "pane-phases", Pipeline, ["1"], "phases", "Goes to the phases.", cli "relight show PIPELINE"),
    row!(Pane2 => "pane-timeline", Pipeline, ["2"], "timeline", "Goes to the timeline.", cli "relight timeline PIPELINE"),
    row!(Pane3 => "pane-verification", Pipeline, ["3"], "verification", "Goes to the checks, worst first.", cli "relight verify PIPELINE"),
    row!(Pane4 => "pane-checkpoints", Pipeline, ["4"], "checkpoints", "Goes to the checkpoints, with how far the work tree has moved from each.", cli "relight checkpoints PIPELINE"),
    row!(Zoom => "zoom", Pipeline, ["z"], "zoom", "Gives the pane the whole screen, or takes it back.", foot 5),
    // Its timeline.
    row!(NextError => "next-error", Timeline, ["e"], "next error", "Goes to the next failure.", foot 0),
    row!(PrevError => "previous-error", Timeline, ["E"], "previous error", "Goes to the previous failure."),
    row!(NextWarning => "next-warning", Timeline, ["w"], "next warning", "Goes to the next warning or failure."),
    row!(PrevWarning => "previous-warning", Timeline, ["W"], "previous warning", "Goes to the previous warning or failure."),
    row!(NextPhase => "next-phase", Timeline, ["}"], "next phase", "Goes to the first event of the next phase."),
    row!(PrevPhase => "previous-phase", Timeline, ["{"], "previous phase", "Goes to the last event of the previous phase."),
    row!(Filter => "timeline-filter", Timeline, ["/"], "filter", "Leaves only the events that hold a text; !word leaves out those that hold the word."),
    row!(NextHit => "timeline-next-hit", Timeline, ["n"], "next hit", "Goes to the next event that the filter leaves, round to the first."),
    row!(PrevHit => "timeline-previous-hit", Timeline, ["N"], "previous hit", "Goes to the previous event that the filter leaves, round to the last."),
    row!(Mark => "mark", Timeline, ["m"], "mark", "Marks the event, or takes the mark away."),
    row!(GoMark => "go-mark", Timeline, ["'"], "go to mark", "Goes to the next marked event."),
    row!(Follow => "follow", Timeline, ["f"], "follow", "Stays at the newest event while the file grows, or stops doing so."),
    // The resume points.
    row!(Enter => "point-plan", Picker, ["enter", "p"], "plan", "Shows what taking up at this point would do. Nothing is written.", cli "relight plan PIPELINE --point POINT", foot 1),
    // The plan.
    row!(Enter => "plan-open", Plan, ["enter"], "look", "Opens the difference behind an action or a path; folds or unfolds a heading.", foot 1),
    row!(Include => "include", Plan, ["space"], "include", "Leaves the path out of the plan, or takes it in again; in an undo, keeps it as it is now.", cli "relight plan PIPELINE --point POINT --path PATH", foot 3),
    row!(Mode => "mode", Plan, ["x"], "overlay/exact", "Overlay keeps files that came since the checkpoint; exact moves them aside. The numbers show what each does.", cli "relight plan PIPELINE --point POINT --exact", foot 4),
    row!(Paths => "paths", Plan, ["c"], "which paths", "Takes all paths into the plan, or only those that are missing, or only those that differ."),
    row!(Rewind => "rewind-branch", Plan, ["b"], "rewind branch", "Puts the branch back to its commit at the checkpoint's time, too, or leaves it where it is. The old tip is kept.", cli "relight plan PIPELINE --point POINT --rewind-branch"),
    row!(Rehearse => "rehearse", Plan, ["t"], "rehearse", "Tries the plan in a scratch folder, and runs the configured check there.", cli "relight rehearse PIPELINE --point POINT", foot 5),
    row!(Handoff => "plan-hand-off", Plan, ["H"], "hand-off", "Shows how the orchestrator goes on: where, with which command, and what it is told.", foot 6),
    row!(Apply => "apply", Plan, ["A"], "carry out", "Asks whether to carry the plan out. Nothing is written before the question is answered.", cli "relight resume PIPELINE --point POINT", foot 2),
    // What has been carried out.
    row!(Enter => "recovery-open", Recoveries, ["enter"], "look", "Opens what the recovery did, with the difference between what is kept and what is there.", foot 1),
    row!(Undo => "recovery-undo", Recoveries, ["u", "z"], "undo", "Shows what taking the recovery back would do. Nothing is written.", cli "relight undo RECOVERY --dry-run", foot 2),
    row!(Redo => "recovery-redo", Recoveries, ["ctrl-r", "Z"], "redo", "Shows what doing again what was taken back would do. Nothing is written.", cli "relight redo RECOVERY --dry-run", foot 3),
    row!(Settle => "recovery-settle", Recoveries, ["s"], "settle", "Shows what a crash left of a pending recovery, and asks how to settle it.", cli "relight recover RECOVERY", foot 4),
    row!(Handoff => "recovery-hand-off", Recoveries, ["H"], "hand-off", "Shows how the orchestrator goes on after the recovery.", foot 5),
    row!(Export => "recovery-export", Recoveries, ["e"], "export", "Asks for a folder, and copies into it what a pending recovery keeps.", cli "relight recover RECOVERY --export DIR"),
    row!(Purge => "purge", Recoveries, ["P"], "purge", "Asks whether to give back the space of what the recovery keeps. It can no longer be taken back then.", cli "relight purge RECOVERY", foot 6),
    // What one recovery did.
    row!(Enter => "record-open", Record, ["enter"], "look", "Opens the difference between what is kept and what is there; folds or unfolds a heading.", foot 1),
    row!(Undo => "record-undo", Record, ["u", "z"], "undo", "Shows what taking the recovery back would do. Nothing is written.", cli "relight undo RECOVERY --dry-run", foot 2),
    row!(Redo => "record-redo", Record, ["ctrl-r", "Z"], "redo", "Shows what doing again what was taken back would do. Nothing is written.", cli "relight redo RECOVERY --dry-run", foot 3),
    row!(Handoff => "record-hand-off", Record, ["H"], "hand-off", "Shows how the orchestrator goes on after the recovery.", foot 4),
    // What a crash left pending.
    row!(Settle => "settle", Pending, ["S"], "settle", "Settles it: what was not committed is rolled back, what was is finished.", cli "relight recover RECOVERY", foot 1),
    row!(RollBack => "roll-back", Pending, ["B"], "roll back", "Puts everything back as it was before; refused for what was committed.", cli "relight recover RECOVERY --roll-back", foot 2),
    row!(Finish => "finish", Pending, ["F"], "finish", "Finishes what was committed; refused for what was not.", cli "relight recover RECOVERY --finish", foot 3),
    row!(Export => "export", Pending, ["e"], "export", "Asks for a folder, and copies into it what the recovery keeps. Nothing is settled.", cli "relight recover RECOVERY --export DIR", foot 4),
    row!(Enter => "pending-open", Pending, ["enter"], "look", "Opens what the recovery did, as far as it came.", foot 5),
    // What came of it.
    row!(Enter => "outcome-close", Outcome, ["enter"], "close", "Goes back to where the plan was opened.", foot 1),
    row!(Undo => "outcome-undo", Outcome, ["u", "z"], "undo", "Shows what taking it back would do. Nothing is written.", cli "relight undo RECOVERY --dry-run", foot 2),
    row!(Redo => "outcome-redo", Outcome, ["ctrl-r", "Z"], "redo", "Shows what doing again what was taken back would do. Nothing is written.", cli "relight redo RECOVERY --dry-run"),
    row!(Handoff => "outcome-hand-off", Outcome, ["H"], "hand-off", "Shows how the orchestrator goes on: where, with which command, and what it is told.", foot 3),
    row!(Recoveries => "outcome-recoveries", Outcome, ["R"], "recoveries", "Lists what has been carried out, newest first.", cli "relight history", foot 4),
    // The hand-off.
    row!(CopyPrompt => "copy-prompt", Handoff, ["p"], "copy the prompt", "Copies what to type once the orchestrator runs.", foot 2),
    row!(CopyBriefing => "copy-briefing", Handoff, ["b"], "copy the briefing", "Copies the whole briefing.", foot 3),
    row!(Launch => "launch", Handoff, ["A"], "launch here", "Asks whether to run the command here. The terminal is the orchestrator's until it ends.", cli "relight resume PIPELINE --launch", foot 4),
    row!(WatchRecords => "watch", Handoff, ["w"], "watch", "Watches for the orchestrator's first new record, wherever it was started.", foot 5),
    row!(NextStep => "next-step", Handoff, ["n"], "next step", "Goes on with the next step, after one has ended.", foot 0),
    row!(AllSteps => "all-steps", Handoff, ["N"], "until the phase ends", "Goes on by itself until the phase ends; a gate or an error always pauses.", foot 1),
    // A comparison.
    row!(NextHit => "next-change-or-hit", Diff, ["n"], "next", "Goes to the next hit of a search; without one, to the next difference.", foot 1),
    row!(PrevHit => "previous-change-or-hit", Diff, ["N"], "previous", "Goes to the previous hit of a search; without one, to the previous difference.", foot 2),
    row!(NextChange => "next-change", Diff, ["."], "next change", "Goes to the next difference, whatever is looked for."),
    row!(PrevChange => "previous-change", Diff, [","], "previous change", "Goes to the previous difference, whatever is looked for."),
    row!(NextFile => "next-file", Diff, ["]"], "next file", "Goes to the next file, template, dispatch or output of the same list.", foot 4),
    row!(PrevFile => "previous-file", Diff, ["["], "previous file", "Goes to the previous one of the same list."),
    row!(Filter => "search", Diff, ["/"], "search", "Looks for a text on both sides; n and N then go to where it stands.", foot 3),
    row!(Layout => "layout", Diff, ["|"], "layout", "Changes from side by side to one below the other, then to words within lines, and round again.", foot 5),
    row!(Enter => "open-fold", Diff, ["enter"], "unfold", "Shows the unchanged lines of the fold that says so; a click shows those of any.", foot 6),
    row!(NextFold => "next-fold", Diff, ["tab"], "next fold", "Goes to the next unchanged lines that are folded away."),
    row!(PrevFold => "previous-fold", Diff, ["shift-tab"], "previous fold", "Goes to the previous unchanged lines that are folded away."),
    row!(FoldAll => "fold", Diff, ["-"], "fold", "Folds the unchanged lines away.", foot 7),
    row!(UnfoldAll => "unfold", Diff, ["="], "unfold all", "Shows every line."),
    row!(MoreContext => "more-context", Diff, ["}"], "more context", "Shows more unchanged lines around each difference."),
    row!(LessContext => "less-context", Diff, ["{"], "less context", "Shows fewer unchanged lines around each difference."),
    row!(Wrap => "wrap", Diff, ["W"], "wrap", "Wraps long lines, or cuts them; h and l show what lies further left and right of the cut."),
    row!(Blanks => "blanks", Diff, ["b"], "blanks", "Ignores blanks, or counts them again."),
    row!(Swap => "swap", Diff, ["x"], "swap sides", "Exchanges the sides."),
    row!(Json => "json", Diff, ["i"], "indent", "Shows files that are one long line of JSON indented, or as they are."),
    // Moving.
    row!(Down => "down", Everywhere, ["j", "down"], "down", "Goes one row down."),
    row!(Up => "up", Everywhere, ["k", "up"], "up", "Goes one row up."),
    row!(First => "first", Everywhere, ["g", "home"], "first", "Goes to the first row."),
    row!(Last => "last", Everywhere, ["G", "end"], "last", "Goes to the last row."),
    row!(HalfDown => "half-down", Everywhere, ["ctrl-d"], "half a page down", "Goes half a page down, and does nothing else anywhere."),
    row!(HalfUp => "half-up", Everywhere, ["ctrl-u"], "half a page up", "Goes half a page up."),
    row!(PageDown => "page-down", Everywhere, ["pgdn"], "page down", "Goes a page down."),
    row!(PageUp => "page-up", Everywhere, ["pgup"], "page up", "Goes a page up."),
    row!(Left => "left", Everywhere, ["h", "left"], "left", "Folds, goes to the pane on the left, or shows what lies further left."),
    row!(Right => "right", Everywhere, ["l", "right"], "right", "Unfolds, goes to the pane on the right, or shows what lies further right."),
    // What every screen has.
    row!(Copy => "copy", Everywhere, ["y"], "copy", "Copies the id, path or command of the selected row."),
    row!(Open => "editor", Everywhere, ["o"], "editor", "Opens the file behind the selected row in $EDITOR, else in $PAGER."),
    row!(Reload => "reload", Everywhere, ["f5"], "reload", "Reads everything that is shown again."),
    row!(Palette => "palette", Everywhere, [":"], "commands", "Lists every command of this screen, to be chosen by name."),
    row!(Log => "log", Everywhere, ["@"], "log", "Shows what the console has done, newest first."),
    row!(Mouse => "mouse", Everywhere, ["f2"], "mouse", "Takes the mouse, or leaves it to the terminal for selecting text."),
    row!(Redraw => "redraw", Everywhere, ["ctrl-l"], "redraw", "Draws the whole screen anew."),
    row!(Suspend => "suspend", Everywhere, ["ctrl-z"], "suspend", "Stops the console as a job of the shell; `fg` takes it up again."),
    row!(Back => "back", Everywhere, ["esc"], "back", "Closes what is on top, then clears the filter."),
    row!(Quit => "quit", Everywhere, ["q"], "quit", "Goes back; leaves the console from the list of pipelines.", foot 9),
    row!(Cancel => "cancel", Everywhere, ["ctrl-c"], "cancel", "Cancels what is on top; with nothing to cancel it leaves the console."),
    row!(Help => "help", Everywhere, ["?", "f1"], "help", "Shows every key of this screen, with the command that gives the same.", foot 8),
];
