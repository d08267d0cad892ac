//! The keys of the screen, and the commands that only it has.

use crate::tui::commands::{Command, Context, commands, row};

/// The context of its keys, whatever pane has the focus.
pub(crate) const CONTEXT: Context = Context::new("Pipeline");

/// The context of the keys of its timeline.
pub(crate) const TIMELINE: Context = Context::within("Timeline", &CONTEXT);

commands! {
    Pane5, Zoom, NextError, PrevError, NextPhase, PrevPhase, Mark, GoMark, Follow, Restore,
}

/// Its keys.
pub(crate) const KEYS: &[Command] = &[
    row!(Enter => "detail", CONTEXT, ["enter"], "detail", "Open the selected row: its fields, and the raw line or file it was read from.", foot 1),
    row!(Points => "pipeline-points", CONTEXT, ["r"], "resume points", "Show the points from which this pipeline can resume.", cli "relight points PIPELINE", foot 2),
    row!(Plan => "pipeline-plan", CONTEXT, ["p"], "plan", "Show what a resume at the recommended point would do. Nothing is written.", cli "relight plan PIPELINE", foot 3),
    row!(Restore => "restore", CONTEXT, ["P"], "restore files", "Show what restoring only the files of the selected checkpoint would do. Nothing is written.", cli "relight restore PIPELINE --checkpoint CHECKPOINT --dry-run", foot 0),
    row!(Amend => "pipeline-amend", CONTEXT, ["M"], "amend", "Change the plan of the pipeline by an amendment that you approve.", cli "relight amend PIPELINE --type TYPE --stage STAGE --reason TEXT --dry-run"),
    row!(Recoveries => "pipeline-recoveries", CONTEXT, ["R"], "history", "List the recoveries, newest first, to undo or inspect them.", cli "relight history", foot 6),
    row!(Replays => "pipeline-replays", CONTEXT, ["V"], "replays", "List the replays of this pipeline, or start a new one.", cli "relight compare PIPELINE", foot 7),
    row!(Compare => "pipeline-compare", CONTEXT, ["C"], "compare", "List what can be compared in this pipeline: runs, rounds, stages, recoveries.", cli "relight compare PIPELINE A B"),
    row!(NextPane => "next-pane", CONTEXT, ["tab", "]"], "next pane", "Go to the next pane.", foot 4),
    row!(PrevPane => "previous-pane", CONTEXT, ["shift-tab", "["], "previous pane", "Go to the previous pane."),
    row!(Pane1 => "pane-phases", CONTEXT, ["1"], "phases", "Go to the phases.", cli "relight show PIPELINE"),
    row!(Pane2 => "pane-timeline", CONTEXT, ["2"], "timeline", "Go to the timeline.", cli "relight timeline PIPELINE"),
    row!(Pane3 => "pane-verification", CONTEXT, ["3"], "verification", "Go to the checks, worst first.", cli "relight verify PIPELINE"),
    row!(Pane4 => "pane-checkpoints", CONTEXT, ["4"], "checkpoints", "Go to the checkpoints, and see how far the work tree has drifted from each.", cli "relight checkpoints PIPELINE"),
    row!(Pane5 => "pane-cause", CONTEXT, ["5"], "cause", "Go to the cause of the stop, and to the conversations of the agents that worked on it.", cli "relight why PIPELINE"),
    row!(Zoom => "zoom", CONTEXT, ["z"], "zoom", "Show the pane on the whole screen, or restore the layout.", foot 5),
    // The timeline.
    row!(NextError => "next-error", TIMELINE, ["e"], "next error", "Go to the next failure.", foot 0),
    row!(PrevError => "previous-error", TIMELINE, ["E"], "previous error", "Go to the previous failure."),
    row!(NextWarning => "next-warning", TIMELINE, ["w"], "next warning", "Go to the next warning or failure."),
    row!(PrevWarning => "previous-warning", TIMELINE, ["W"], "previous warning", "Go to the previous warning or failure."),
    row!(NextPhase => "next-phase", TIMELINE, ["}"], "next phase", "Go to the first event of the next phase."),
    row!(PrevPhase => "previous-phase", TIMELINE, ["{"], "previous phase", "Go to the last event of the previous phase."),
    row!(Filter => "timeline-filter", TIMELINE, ["/"], "filter", "Show only events that contain a text; !word excludes events that contain the word."),
    row!(NextHit => "timeline-next-hit", TIMELINE, ["n"], "next hit", "Go to the next event that matches the filter; wrap around at the end."),
    row!(PrevHit => "timeline-previous-hit", TIMELINE, ["N"], "previous hit", "Go to the previous event that matches the filter; wrap around at the start."),
    row!(Mark => "mark", TIMELINE, ["m"], "mark", "Mark the event, or remove the mark."),
    row!(GoMark => "go-mark", TIMELINE, ["'"], "go to mark", "Go to the next marked event."),
    row!(Follow => "follow", TIMELINE, ["f"], "follow", "Follow the newest event while the file grows, or stop following."),
];
