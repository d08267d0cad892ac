//! The keys of the screen, and the commands that only it has.

use crate::tui::commands::{Command, Context, commands, row};

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Difference");

commands! {
    NextFile, PrevFile, NextFold, PrevFold, Swap, Json, Layout, FoldAll, UnfoldAll, LessContext,
    MoreContext, Wrap, Blanks,
}

/// Its keys.
pub(crate) const KEYS: &[Command] = &[
    row!(NextHit => "next-change-or-hit", CONTEXT, ["n"], "next", "Go to the next match of a search; without a search, to the next change.", foot 1),
    row!(PrevHit => "previous-change-or-hit", CONTEXT, ["N"], "previous", "Go to the previous match of a search; without a search, to the previous change.", foot 2),
    row!(NextChange => "next-change", CONTEXT, ["."], "next change", "Go to the next change, even during a search."),
    row!(PrevChange => "previous-change", CONTEXT, [","], "previous change", "Go to the previous change, even during a search."),
    row!(NextFile => "next-file", CONTEXT, ["]"], "next file", "Go to the next file, template, dispatch or output of the same list.", foot 4),
    row!(PrevFile => "previous-file", CONTEXT, ["["], "previous file", "Go to the previous one of the same list."),
    row!(Filter => "search", CONTEXT, ["/"], "search", "Search both sides for a text; n and N go to the matches.", foot 3),
    row!(Layout => "layout", CONTEXT, ["|"], "layout", "Switch the layout: side by side, unified, words within lines.", foot 5),
    row!(Enter => "open-fold", CONTEXT, ["enter"], "unfold", "Expand the marked fold; a click expands any fold.", foot 6),
    row!(NextFold => "next-fold", CONTEXT, ["tab"], "next fold", "Go to the next fold of unchanged lines."),
    row!(PrevFold => "previous-fold", CONTEXT, ["shift-tab"], "previous fold", "Go to the previous fold of unchanged lines."),
    row!(FoldAll => "fold", CONTEXT, ["-"], "fold", "Fold the unchanged lines.", foot 7),
    row!(UnfoldAll => "unfold", CONTEXT, ["="], "unfold all", "Show every line."),
    row!(MoreContext => "more-context", CONTEXT, ["}"], "more context", "Show more unchanged lines around each change."),
    row!(LessContext => "less-context", CONTEXT, ["{"], "less context", "Show fewer unchanged lines around each change."),
    row!(Wrap => "wrap", CONTEXT, ["W"], "wrap", "Wrap or truncate long lines; h and l scroll truncated lines."),
    row!(Blanks => "blanks", CONTEXT, ["b"], "whitespace", "Ignore whitespace, or compare it."),
    row!(Swap => "swap", CONTEXT, ["x"], "swap sides", "Swap the sides."),
    row!(Json => "json", CONTEXT, ["i"], "indent", "Show one-line JSON files indented, or as they are."),
];
