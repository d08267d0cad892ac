//! The comparison screen: only the lines that are seen are ever made presentable.

use super::wrap::columns;
use super::{heading, rows};
use crate::tui::screens::diff::DiffScreen;
use crate::tui::view::inset;
use crate::tui::view::loaded;
use ratatui::layout::Rect;

use crate::clean;
use crate::diff::fold::Layout;
use crate::diff::{Diff, Kind};
use crate::model::Clean;
use crate::text::format;
use crate::tui::theme::Role;
use crate::tui::view::pen::Bits;
use crate::tui::view::{Canvas, split_top};

/// Draws the screen.
pub(crate) fn draw(canvas: &mut Canvas<'_>, area: Rect, screen: &DiffScreen) {
    let Some(ready) = loaded(canvas, area, Some(&screen.diff), "Comparing …") else {
        return;
    };
    let (title, diff) = (&ready.0, &ready.1);
    let (head, body) = split_top(area, 3);
    let inside = inset(head);
    let lines = heading::lines(screen, &title.clean(), diff, usize::from(inside.width));
    crate::tui::view::lines(canvas, inside, &lines);
    canvas
        .pen
        .rule(Rect::new(head.x, head.y + 2, head.width, 1));
    let why = unshown(screen, diff);
    if why.is_empty() {
        if screen.layout == Layout::Split {
            column_heads(canvas, head, screen);
        }
        rows::draw(canvas, body, screen, diff);
        return;
    }
    let inside = crate::tui::view::indented(body);
    crate::tui::view::lines(canvas, inside, &why);
}

/// The names of the sides above their columns.
fn column_heads(canvas: &mut Canvas<'_>, head: Rect, screen: &DiffScreen) {
    let y = head.y + 2;
    let [left, right] = columns(head.width.saturating_sub(2));
    let places = [head.x + 1, head.right().saturating_sub(1 + right)];
    for ((x, name), width) in places.into_iter().zip(screen.sides()).zip([left, right]) {
        let bits = Bits::of(Role::Dim, clean!(" {} ", name.clip(usize::from(width) / 2)));
        let place = Rect::new(x + 2, y, width.saturating_sub(2), 1);
        canvas.pen.line(place, &bits);
    }
}

/// Why there are no lines to show, if there are none.
fn unshown(screen: &DiffScreen, diff: &Diff) -> Vec<Bits> {
    let say = |text| Bits::of(Role::Dim, text);
    if diff.is_same() {
        let alike = diff.old.is_present() == diff.new.is_present();
        return vec![match (alike, diff.old.is_present()) {
            (true, true) if screen.source.says_it_changes() => {
                say("The contents are identical; only the mode or type differs.")
            }
            (true, true) => say("The contents are identical."),
            (true, false) => say("Neither side has a file."),
            (false, _) => say("One side is an empty file, the other has no file."),
        }];
    }
    let why = match diff.kind {
        Kind::Text => return Vec::new(),
        Kind::Binary => say("Binary file: only the sizes are compared."),
        Kind::Huge => say("Too large to compare: only the sizes are shown."),
    };
    let [left, right] = screen.sides();
    let side = |name: Clean, present: bool, size: usize| {
        let size = if present {
            Clean::from(format::count(size, "byte"))
        } else {
            Clean::new("absent")
        };
        Bits::of(Role::Text, clean!("  {}: {}", name, size))
    };
    let [old, new] = diff.sizes;
    vec![
        why,
        side(left, diff.old.is_present(), old),
        side(right, diff.new.is_present(), new),
    ]
}

/// A number of bytes, or that there is no file.
pub(crate) fn size(present: bool, bytes: usize) -> Clean {
    if present {
        format::size(bytes).into()
    } else {
        Clean::new("absent")
    }
}
