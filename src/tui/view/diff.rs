//! The comparison screen: only the lines that are seen are ever made presentable.

mod heading;
mod minimap;
mod rows;

use ratatui::layout::Rect;

use super::pen::Bits;
use super::pipeline::waiting;
use super::{Canvas, split_top};
use crate::clean;
use crate::diff::{Diff, Kind};
use crate::model::Clean;
use crate::tui::data::Load;
use crate::tui::state::compare::DiffScreen;
use crate::tui::theme::Role;
use crate::tui::words;

/// Draws the screen.
pub(super) fn draw(canvas: &mut Canvas<'_>, area: Rect, screen: &DiffScreen) {
    let ready = match &screen.diff {
        Load::Pending => {
            waiting(canvas, area, "Comparing …");
            return;
        }
        Load::Failed(trouble) => {
            let line = Bits::new()
                .say(Role::Bad, " ✗ ")
                .add(Role::Text, trouble.text.clean());
            super::lines(canvas, area, &[Bits::new(), line]);
            return;
        }
        Load::Ready(ready) => std::sync::Arc::clone(ready),
    };
    let (title, diff) = (&ready.0, &ready.1);
    let (head, body) = split_top(area, 3);
    let inside = Rect::new(
        head.x + 1,
        head.y,
        head.width.saturating_sub(2),
        head.height,
    );
    let lines = heading::lines(screen, &title.clean(), diff, usize::from(inside.width));
    super::lines(canvas, inside, &lines);
    canvas
        .pen
        .rule(Rect::new(head.x, head.y + 2, head.width, 1));
    let why = unshown(screen, diff);
    if why.is_empty() {
        rows::draw(canvas, body, screen, diff);
        return;
    }
    let inside = Rect::new(
        body.x + 1,
        body.y,
        body.width.saturating_sub(1),
        body.height,
    );
    super::lines(canvas, inside, &why);
}

/// Why there are no lines to show, if there are none.
fn unshown(screen: &DiffScreen, diff: &Diff) -> Vec<Bits> {
    let say = |text| Bits::new().say(Role::Dim, text);
    if diff.is_same() {
        let alike = diff.old.is_present() == diff.new.is_present();
        return vec![match (alike, diff.old.is_present()) {
            (true, true) if screen.source.says_it_changes() => {
                say("Both sides hold the same bytes; only the file's mode or kind differs.")
            }
            (true, true) => say("Both sides hold the same bytes."),
            (true, false) => say("There is no file on either side."),
            (false, _) => say("One side is an empty file; on the other there is no file at all."),
        }];
    }
    let why = match diff.kind {
        Kind::Text => return Vec::new(),
        Kind::Binary => say("Binary: only the sizes can be compared."),
        Kind::Huge => say("Too large to compare line by line: only the sizes are known."),
    };
    let [left, right] = screen.sides();
    let side = |name: &'static str, present: bool, size: usize| {
        let size = if present {
            words::count_of(size, "byte", "bytes")
        } else {
            Clean::new("absent")
        };
        Bits::new().add(Role::Text, clean!("  {}: {}", name, size))
    };
    let [old, new] = diff.sizes;
    vec![
        why,
        side(left, diff.old.is_present(), old),
        side(right, diff.new.is_present(), new),
    ]
}

/// A number of bytes, or that there is no file.
fn size(present: bool, bytes: usize) -> Clean {
    if present {
        words::size(bytes)
    } else {
        Clean::new("absent")
    }
}
