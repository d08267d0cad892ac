//! One conflict: the three texts wherever template, dispatch and replacement differ, with a few resolved lines around.

use super::replay_plan;
use crate::model::{Merge, MergePiece};
use crate::tui::prelude::*;

/// The screen.
#[derive(Debug, Clone)]
pub(crate) struct ConflictScreen {
    /// The number of the dispatch.
    pub(crate) seq: u64,
    /// What the dispatch is.
    pub(crate) label: Foreign,
    /// The merge.
    pub(crate) merge: Merge,
    /// How it is resolved, if it is.
    pub(crate) resolution: Option<Resolved>,
    /// The edit under way.
    pub(crate) ticket: Option<Ticket>,
}

/// The context of its keys.
pub(crate) const CONTEXT: Context = Context::new("Conflict");

commands! {
    TakeReplacement, TakeOriginal, EditMerge,
}

/// Its keys.
pub(crate) const KEYS: &[Command] = &[
    row!(TakeReplacement => "take-replacement", CONTEXT, ["R"], "take replacement", "Resolve it: use the replacement's text wherever both changed.", foot 1),
    row!(TakeOriginal => "take-original", CONTEXT, ["O"], "take original", "Resolve it: use the original dispatch's text wherever both changed.", foot 2),
    row!(EditMerge => "edit-merge", CONTEXT, ["e"], "edit", "Edit the text with its conflict markers in $EDITOR; a text saved without markers resolves it.", foot 3),
];

/// Merged lines that stay before and after a conflict.
const AROUND: usize = 3;

impl Screen for ConflictScreen {
    fn profile(&self) -> Profile<'_> {
        Profile::screen("conflict", CONTEXT).runs(replay_plan::of_conflict)
    }

    fn draw(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let pieces = &self.merge.pieces;
        let open = |piece: &&MergePiece| matches!(piece, MergePiece::Conflict { .. });
        let number = pieces.iter().filter(open).count();
        let state = match &self.resolution {
            None => Bits::of(Role::Bad, "✗ open"),
            Some(Resolved::Replacement) => Bits::of(Role::Good, "✓ resolved: the replacement"),
            Some(Resolved::Original) => Bits::of(Role::Good, "✓ resolved: the original"),
            Some(Resolved::Edited(_)) => Bits::of(Role::Good, "✓ resolved: your text"),
        };
        let head = [
            Bits::of(Role::Text, " ")
                .title(self.label.clean())
                .text("  ")
                .join(state)
                .dim(clean!("  {}", format::count(number, "place"))),
            Bits::of(Role::Text, " ")
                .dim("The dispatch and the replacement both changed these lines of the template."),
        ];
        let (top, body) = split_top(area, 3);
        canvas.lines(top, &head);
        let mut page = TextPage::of(body);
        let mut at = 0;
        for (place, piece) in pieces.iter().enumerate() {
            match piece {
                MergePiece::Resolved(text) => {
                    let last = place + 1 == pieces.len();
                    resolved(&mut page, text, place == 0, last);
                }
                MergePiece::Conflict {
                    template,
                    dispatch,
                    replacement,
                } => {
                    at += 1;
                    let title = clean!("  place {} of {}", at, number);
                    page.line(Bits::of(Role::Title, title));
                    let sides = [
                        ("the template has", "  ", Role::Dim, template),
                        ("the original dispatch has", "- ", Role::Removed, dispatch),
                        ("the replacement has", "+ ", Role::Added, replacement),
                    ];
                    for (what, mark, role, text) in sides {
                        side(&mut page, what, mark, role, text);
                    }
                }
            }
        }
        page.draw(canvas, body, ListId::of::<Self>());
    }

    fn crumb(&self, _: bool) -> Option<Bits> {
        Some(Bits::of(Role::Text, clean!("conflict {}", self.seq)))
    }
}

fn side(page: &mut TextPage, what: &'static str, mark: &'static str, role: Role, text: &[u8]) {
    let lead = || Bits::of(Role::Text, "    ");
    let title = Bits::of(Role::Text, "  ").dim("┄ ");
    page.line(title.text(what));
    if text.is_empty() {
        page.line(lead().dim("(nothing)"));
    }
    for line in texts(text) {
        page.line(lead().say(role, mark).say(role, line));
    }
}

fn texts(text: &[u8]) -> Vec<Clean> {
    let text = Foreign::from(text);
    text.lines().map(|line| line.clean()).collect()
}

/// Lines that are the same whatever is chosen: those next to a conflict, and how many are left out.
fn resolved(page: &mut TextPage, text: &[u8], first: bool, last: bool) {
    let all = texts(text);
    let before = if first { 0 } else { AROUND };
    let after = if last { 0 } else { AROUND };
    let line = |text: &Clean| Bits::of(Role::Text, "      ").text(text.clone());
    if all.len() <= before + after + 1 {
        page.lines.extend(all.iter().map(line));
        return;
    }
    page.lines.extend(all.iter().take(before).map(line));
    let left_out = all.len() - before - after;
    let number = format::count(left_out, "line");
    page.line(Bits::of(Role::Dim, clean!("    ⋯ {} merged", number)));
    page.lines
        .extend(all.iter().skip(all.len() - after).map(line));
}
