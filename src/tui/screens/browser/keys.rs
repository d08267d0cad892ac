//! The keys of the screen, and the commands that only it has.

use crate::tui::commands::{Command, Context, commands, row};

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Pipelines");

commands! {
    Sort, Reverse, Group, Scope, View, Hide, ShowHidden, Checks, Complete,
}

/// Its keys.
pub(crate) const KEYS: &[Command] = &[
    row!(Enter => "open", CONTEXT, ["enter"], "open", "Open the selected pipeline. Nothing is written.", cli "relight show PIPELINE", foot 1),
    row!(Points => "points", CONTEXT, ["r"], "resume points", "Show the points from which the selected pipeline can resume.", cli "relight points PIPELINE", foot 2),
    row!(Plan => "plan", CONTEXT, ["p"], "plan", "Show what a resume at the recommended point would do. Nothing is written.", cli "relight plan PIPELINE"),
    row!(Filter => "filter", CONTEXT, ["/"], "filter", "Filter all columns; !word excludes rows that contain the word.", foot 3),
    row!(NextHit => "next-hit", CONTEXT, ["n"], "next hit", "Go to the next row that matches the filter; wrap around at the end."),
    row!(PrevHit => "previous-hit", CONTEXT, ["N"], "previous hit", "Go to the previous row that matches the filter; wrap around at the start."),
    row!(NextWarning => "next-waiting", CONTEXT, ["w"], "next waiting", "Go to the next pipeline that waits for a person; wrap around at the end."),
    row!(PrevWarning => "previous-waiting", CONTEXT, ["W"], "previous waiting", "Go to the previous pipeline that waits for a person; wrap around at the start."),
    row!(Scope => "scope", CONTEXT, ["a"], "scope", "Change the scope: this directory, the repository, the machine.", cli "relight list --scope machine", foot 4),
    row!(Complete => "complete", CONTEXT, ["c"], "complete", "Show or hide complete pipelines.", cli "relight list --all", foot 5),
    row!(Sort => "sort", CONTEXT, ["s"], "sort", "Sort by the next column; the message names it.", foot 8),
    row!(Reverse => "reverse", CONTEXT, ["S"], "reverse", "Reverse the order."),
    row!(Recoveries => "recoveries", CONTEXT, ["R"], "history", "List the recoveries, newest first, to undo or inspect them.", cli "relight history", foot 7),
    row!(Replays => "replays", CONTEXT, ["V"], "replays", "List the replays of the selected pipeline, or start a new one.", cli "relight compare PIPELINE", foot 6),
    row!(View => "view", CONTEXT, ["v"], "view", "Show the next saved view of the configuration; after the last one, none.", cli "relight list --view NAME"),
    row!(Include => "mark-row", CONTEXT, ["space"], "mark", "Mark the row for C (verify), e (export), y (copy the ids) and X (hide), or remove the mark."),
    row!(Checks => "verify-rows", CONTEXT, ["C"], "verify", "Verify the marked pipelines, and list what did not pass, the worst first.", cli "relight verify PIPELINES", foot 0),
    row!(Export => "export-rows", CONTEXT, ["e"], "export", "Write the reports and results of the marked pipelines to a directory that you name.", cli "relight export --report PIPELINES DIR", foot 0),
    row!(Hide => "hide", CONTEXT, ["X"], "hide", "Hide the marked rows until the console ends; for what is not a pipeline, it copies the line that makes the configuration ignore them.", foot 0),
    row!(ShowHidden => "show-hidden", CONTEXT, ["x"], "show hidden", "Show the hidden rows, or hide them again; X brings a shown one back."),
    row!(Group => "group", CONTEXT, ["b"], "group", "Group by nothing, status, system or project."),
];
