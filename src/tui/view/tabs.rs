//! The parts of a screen: named in a line where one is shown at a time, and each in a box where all are.

use crate::tui::prelude::*;

/// A part of a screen.
pub(crate) struct Part {
    /// What leads there, and its name.
    pub(crate) names: (Cmd, &'static str),
    /// What it holds, in a word: problems show even when the tab is not open.
    pub(crate) tally: Bits,
    /// Whether keys go to it.
    pub(crate) focus: bool,
}

impl Part {
    fn name(self, key: Option<Clean>, other: Role) -> Bits {
        let role = if self.focus { Role::Title } else { other };
        let lead = key.map_or_else(Bits::new, |key| Bits::of(Role::Key, key).gap(1));
        let gap = usize::from(self.tally.width() > 0);
        lead.say(role, self.names.1).gap(gap).join(self.tally)
    }
}

/// Names every part, the one with the keys lit, in as many lines as they need, and a rule; returns the area below.
pub(crate) fn bar(
    canvas: &mut Canvas<'_>,
    area: Rect,
    parts: impl IntoIterator<Item = Part>,
) -> Rect {
    // Read aloud, numbers choose rows; a part is reached by its name.
    let speaks = canvas.pen.speaks();
    let (mut line, mut below) = split_top(area, 1);
    let mut x = line.x + 1;
    for part in parts {
        let (cmd, focus) = (part.names.0, part.focus);
        let (role, sign) = if focus {
            (Role::Focus, "▌")
        } else {
            (Role::Dim, " ")
        };
        let shown = if speaks && focus { "  (shown)" } else { "" };
        let bits = Bits::of(role, sign)
            .join(part.name((!speaks).then(|| canvas.state.key(cmd)), Role::Dim));
        let bits = bits.dim(shown);
        let width = u16::try_from(bits.width()).unwrap_or(0);
        if x + width > line.right() && x > line.x + 1 {
            (line, below) = split_top(below, 1);
            x = line.x + 1;
        }
        let place = Rect::new(x, line.y, width.min(line.right().saturating_sub(x)), 1);
        canvas.pen.line(place, &bits);
        canvas.map.spot(place, Target::Button(cmd));
        x = place.right().saturating_add(2).min(line.right());
    }
    let (border, below) = split_top(below, 1);
    canvas.pen.rule(border);
    below
}

/// The box of a part, with something after its name; returns its inside.
pub(crate) fn frame(canvas: &mut Canvas<'_>, area: Rect, part: Part, behind: Bits) -> Rect {
    let (focus, key) = (part.focus, canvas.state.key(part.names.0));
    let title = part.name(Some(key), Role::Text).join(behind);
    canvas.pen.frame(area, &title, focus)
}
