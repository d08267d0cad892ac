//! The keys of the screen, and the commands that only it has.

use crate::tui::commands::{Command, Context, commands, row};

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Comparison");

commands! {
    Only, Blocks, Evidence, RunA, RunB, Divergence, NextDifferent, PrevDifferent, TemplateDiff,
    DispatchDiff, OutputDiff, SummaryDiff,
}

/// Its keys.
pub(crate) const KEYS: &[Command] = &[
    row!(Enter => "comparison-open", CONTEXT, ["enter"], "open", "Compare the two runs of the selected block; or show the difference of the selected row: outputs, else dispatch files, else summaries; or the file.", foot 1),
    row!(Only => "only", CONTEXT, ["v"], "which rows", "Show all pairs, then only different ones, then those of each outcome.", foot 2),
    row!(Blocks => "comparison-blocks", CONTEXT, ["b"], "blocks", "Go to the blocks of the experiment; h and l move along them.", foot 3),
    row!(Evidence => "evidence", CONTEXT, ["E"], "evidence", "Show the evidence behind the verdict in numbers.", foot 6),
    row!(NextPane => "comparison-next-part", CONTEXT, ["tab", "]"], "next part", "Go to the next part: blocks, metrics, dispatches, files, about.", foot 3),
    row!(PrevPane => "comparison-previous-part", CONTEXT, ["shift-tab", "["], "previous part", "Go to the previous part."),
    row!(Pane1 => "comparison-metrics", CONTEXT, ["1"], "metrics", "Go to the metrics of both sides."),
    row!(Pane2 => "comparison-dispatches", CONTEXT, ["2"], "dispatches", "Go to the dispatches of both sides, aligned by phase."),
    row!(Pane3 => "comparison-files", CONTEXT, ["3"], "files", "Go to the files that differ."),
    row!(Pane4 => "comparison-about", CONTEXT, ["4"], "about", "Go to the details of both sides."),
    row!(Divergence => "divergence", CONTEXT, ["f"], "first difference", "Jump to the first difference. With several runs per side, the first pair where the majority outcome differs, or where only one side has a status.", foot 4),
    row!(NextDifferent => "next-different", CONTEXT, ["n"], "next different", "Go to the next pair with a different outcome."),
    row!(PrevDifferent => "previous-different", CONTEXT, ["N"], "previous different", "Go to the previous pair with a different outcome."),
    row!(TemplateDiff => "template-difference", CONTEXT, ["t"], "template", "Show the difference between the template of the selected row and its replacement.", foot 5),
    row!(DispatchDiff => "dispatch-difference", CONTEXT, ["i"], "dispatch", "Show the difference between the dispatch files of the selected row.", foot 6),
    row!(OutputDiff => "output-difference", CONTEXT, ["O"], "output", "Show the difference between the outputs of the selected row.", foot 7),
    row!(SummaryDiff => "summary-difference", CONTEXT, ["s"], "summary", "Show the difference between the summaries of the selected row."),
    row!(RunA => "run-a", CONTEXT, ["<"], "run of A", "Show the next run of A, if it has several; of an experiment the previous block.", foot 8),
    row!(RunB => "run-b", CONTEXT, [">"], "run of B", "Show the next run of B, if it has several; of an experiment the next block.", foot 8),
];
