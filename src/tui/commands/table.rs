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
    row!(Replays => "replays", Browser, ["V"], "replays", "Lists the replays of the selected pipeline; new ones are begun there.", cli "relight compare PIPELINE", foot 8),
    row!(Group => "group", Browser, ["b"], "group", "Groups by nothing, status, system or project."),
    // A pipeline.
    row!(Enter => "detail", Pipeline, ["enter"], "detail", "Opens the selected row: its fields, and the raw line or file behind it.", foot 1),
    row!(Points => "pipeline-points", Pipeline, ["r"], "resume points", "Shows from where this pipeline can be taken up.", cli "relight points PIPELINE", foot 2),
    row!(Plan => "pipeline-plan", Pipeline, ["p"], "plan", "Shows what taking up at the recommended point would do. Nothing is written.", cli "relight plan PIPELINE", foot 3),
    row!(Restore => "restore", Pipeline, ["P"], "restore files", "Shows what putting back only the files of the selected checkpoint would do. Nothing is written.", cli "relight restore PIPELINE --checkpoint CHECKPOINT --dry-run"),
    row!(Recoveries => "pipeline-recoveries", Pipeline, ["R"], "recoveries", "Lists what has been carried out, newest first, to be taken back or looked at.", cli "relight history", foot 6),
    row!(Replays => "pipeline-replays", Pipeline, ["V"], "replays", "Lists the replays of this pipeline; new ones are begun there.", cli "relight compare PIPELINE", foot 7),
    row!(Compare => "pipeline-compare", Pipeline, ["C"], "compare", "Lists what of this pipeline can be compared: runs, rounds, stages, recoveries.", cli "relight compare PIPELINE A B"),
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
    // The replays of a pipeline.
    row!(Enter => "replay-compare", Replays, ["enter"], "compare", "Compares the two marked ones, else the selected one with the original.", cli "relight compare PIPELINE A B", foot 1),
    row!(Side => "replay-mark", Replays, ["space"], "mark A, B", "Marks the selected one as A, then another one as B, or takes the mark away.", foot 2),
    row!(NewReplay => "replay-new", Replays, ["n"], "new replay", "Asks which templates to swap and from where; nothing runs before the question is answered.", cli "relight replay PIPELINE --mutate ORIGINAL=REPLACEMENT --dry-run", foot 3),
    row!(ContinueReplay => "replay-continue", Replays, ["c"], "continue", "Asks whether to go on with one that was cut short: it starts programs.", foot 0),
    row!(WatchReplay => "replay-watch", Replays, ["w"], "progress", "Shows how far the replay is that runs.", foot 4),
    row!(Handoff => "replay-hand-off", Replays, ["H"], "hand-off", "Shows how a replay without a runner is run by hand.", foot 6),
    row!(Compare => "replay-operands", Replays, ["C"], "other sides", "Lists what else of this pipeline can be compared: rounds, stages, recoveries.", cli "relight compare PIPELINE A B", foot 5),
    // A new replay.
    row!(Enter => "form-edit", NewReplay, ["enter"], "fill in", "Writes into the selected field, or takes its next value; on the last row it shows the plan.", foot 1),
    row!(ShowPlan => "form-plan", NewReplay, ["p"], "replay plan", "Shows what the replay would do. Nothing is written and nothing runs.", cli "relight replay PIPELINE --mutate ORIGINAL=REPLACEMENT --dry-run", foot 2),
    // Its plan.
    row!(Enter => "trial-open", ReplayPlan, ["enter"], "look", "Opens a conflict, or the difference between a template and its replacement.", foot 1),
    row!(StartReplay => "trial-start", ReplayPlan, ["A"], "run it", "Asks whether to run the replay, how often and where. Nothing runs before the question is answered.", cli "relight replay PIPELINE --mutate ORIGINAL=REPLACEMENT", foot 2),
    // A conflict.
    row!(TakeReplacement => "take-replacement", Conflict, ["R"], "take replacement", "Settles it: the replacement's text is taken wherever both changed.", foot 1),
    row!(TakeOriginal => "take-original", Conflict, ["O"], "take original", "Settles it: the original dispatch's text is taken wherever both changed.", foot 2),
    row!(EditMerge => "edit-merge", Conflict, ["e"], "edit", "Opens the text with its conflicts marked in $EDITOR; what is saved without marks settles it.", foot 3),
    // A replay under way.
    row!(Enter => "replaying-compare", Replaying, ["enter"], "compare", "Compares what came of it with the original, once it has ended.", foot 1),
    row!(StopReplay => "replay-stop", Replaying, ["x"], "cancel", "Asks whether to stop it. What has been done is kept and can be continued.", foot 2),
    row!(NextPane => "replaying-next-run", Replaying, ["tab", "]"], "next run", "Goes to the next run.", foot 3),
    row!(PrevPane => "replaying-previous-run", Replaying, ["shift-tab", "["], "previous run", "Goes to the previous run."),
    // What can be compared.
    row!(Enter => "operand-compare", Operands, ["enter"], "compare", "Compares the two marked ones, else the selected one with what it follows.", cli "relight compare PIPELINE A B", foot 1),
    row!(Side => "operand-mark", Operands, ["space"], "mark A, B", "Marks the selected one as A, then another one as B, or takes the mark away.", foot 2),
    // Two runs side by side.
    row!(Enter => "comparison-open", Comparison, ["enter"], "difference", "Opens the difference of the selected row: outputs, else dispatch files, else summaries; or the file.", foot 1),
    row!(Only => "only", Comparison, ["v"], "all/different", "Shows all, only what is different, only what regressed, only what was fixed.", foot 2),
    row!(NextPane => "comparison-next-part", Comparison, ["tab", "]"], "next part", "Goes to the next part: metrics, dispatches, files, about.", foot 3),
    row!(PrevPane => "comparison-previous-part", Comparison, ["shift-tab", "["], "previous part", "Goes to the previous part."),
    row!(Pane1 => "comparison-metrics", Comparison, ["1"], "metrics", "Goes to the figures of both sides."),
    row!(Pane2 => "comparison-dispatches", Comparison, ["2"], "dispatches", "Goes to the work of both sides, phases aligned."),
    row!(Pane3 => "comparison-files", Comparison, ["3"], "files", "Goes to the files that differ."),
    row!(Pane4 => "comparison-about", Comparison, ["4"], "about", "Goes to everything that is said about both sides, in full."),
    row!(Divergence => "divergence", Comparison, ["f"], "first difference", "Goes to the first pair at which the sides part.", foot 4),
    row!(NextDifferent => "next-different", Comparison, ["n"], "next different", "Goes to the next pair that did not come out the same."),
    row!(PrevDifferent => "previous-different", Comparison, ["N"], "previous different", "Goes to the previous pair that did not come out the same."),
    row!(TemplateDiff => "template-difference", Comparison, ["t"], "template", "Opens the difference between the template of the selected row and its replacement.", foot 5),
    row!(DispatchDiff => "dispatch-difference", Comparison, ["i"], "dispatch", "Opens the difference between the dispatch files of the selected row.", foot 6),
    row!(OutputDiff => "output-difference", Comparison, ["O"], "output", "Opens the difference between the outputs of the selected row.", foot 7),
    row!(SummaryDiff => "summary-difference", Comparison, ["s"], "summary", "Opens the difference between the summaries of the selected row."),
    row!(RunA => "run-a", Comparison, ["<"], "run of A", "Looks at the next run of A, where it has several.", foot 8),
    row!(RunB => "run-b", Comparison, [">"], "run of B", "Looks at the next run of B, where it has several.", foot 8),
    // A comparison.
    row!(NextChange => "next-change", Diff, ["n", "."], "next change", "Goes to the next difference.", foot 1),
    row!(PrevChange => "previous-change", Diff, ["N", ","], "previous change", "Goes to the previous difference.", foot 2),
    row!(Layout => "layout", Diff, ["|"], "side by side", "Changes between side by side and one below the other.", foot 3),
    row!(FoldAll => "fold", Diff, ["-"], "fold", "Folds the unchanged lines away.", foot 4),
    row!(UnfoldAll => "unfold", Diff, ["="], "unfold", "Shows every line."),
    row!(MoreContext => "more-context", Diff, ["}"], "more context", "Shows more unchanged lines around each difference."),
    row!(LessContext => "less-context", Diff, ["{"], "less context", "Shows fewer unchanged lines around each difference."),
    row!(Wrap => "wrap", Diff, ["W"], "wrap", "Wraps long lines, or cuts them; h and l show what lies further left and right of the cut."),
    row!(Blanks => "blanks", Diff, ["b"], "blanks", "Ignores blanks, or counts them again."),
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
