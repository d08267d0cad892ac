//! The one way text gets onto the screen. It takes [`Clean`] texts and our own literals, nothing else, cuts
//! what does not fit, and never breaks a wide sign.

mod bits;
mod speech;

use bits::Bit;
use ratatui::buffer::Buffer;
use ratatui::layout::Position;
use ratatui::widgets::{Block, BorderType, Clear, Widget as _};
use speech::Said;
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use crate::tui::prelude::*;
use crate::tui::theme::Theme;

pub(crate) use bits::{Bits, ellipsis};

/// What is written on.
enum Paper<'a> {
    /// The cells of a frame.
    Cells(&'a mut Buffer),
    /// What is read aloud.
    Speech(Said),
}

/// Draws on a frame, or reads aloud what would be drawn.
pub(crate) struct Pen<'a> {
    paper: Paper<'a>,
    theme: Theme,
    /// What is named where.
    pub(crate) named: Named,
}

/// What texts name, each with its place.
#[derive(Default)]
pub(crate) struct Named {
    /// Files and folders.
    pub(crate) files: Vec<(Rect, Arc<Path>)>,
    /// Keys.
    pub(crate) keys: Vec<(Rect, Key)>,
    /// Where a person writes.
    pub(crate) cursor: Option<Position>,
}

impl<'a> Pen<'a> {
    pub(crate) fn new(buffer: &'a mut Buffer, theme: Theme) -> Self {
        let paper = Paper::Cells(buffer);
        Self {
            paper,
            theme,
            named: Named::default(),
        }
    }

    /// A pen that reads aloud. What does not fit is not cut then.
    pub(crate) fn speaking(theme: Theme) -> Self {
        let paper = Paper::Speech(Said::default());
        Self {
            paper,
            theme,
            named: Named::default(),
        }
    }

    /// Whether it reads aloud: there are no columns, colors and boxes then, and as many lines as are needed.
    pub(crate) fn speaks(&self) -> bool {
        matches!(self.paper, Paper::Speech(_))
    }

    /// What was read aloud since the last call.
    pub(crate) fn said(&mut self) -> Said {
        match &mut self.paper {
            Paper::Cells(_) => Said::default(),
            Paper::Speech(said) => std::mem::take(said),
        }
    }

    /// Reads a row aloud by the number that chooses it.
    pub(crate) fn row(&mut self, number: usize, selected: bool, bits: &Bits) {
        if let Paper::Speech(said) = &mut self.paper {
            said.row(number, selected, bits);
        }
    }

    /// Writes a line into the first row of an area; what does not fit is cut with `…`.
    pub(crate) fn line(&mut self, area: Rect, bits: &Bits) {
        let theme = self.theme;
        let buffer = match &mut self.paper {
            Paper::Cells(buffer) => buffer,
            Paper::Speech(said) => return said.line(bits),
        };
        let area = area.intersection(*buffer.area());
        if area.is_empty() {
            return;
        }
        let width = usize::from(area.width);
        let named = &mut self.named;
        if bits.width() <= width {
            write(buffer, theme, area, bits, named);
        } else {
            let mut cut = bits.clone();
            cut.cut(width);
            write(buffer, theme, area, &cut, named);
        }
    }

    /// Gives an area a look, over what is written there.
    pub(crate) fn look(&mut self, area: Rect, role: Role) {
        if let Paper::Cells(buffer) = &mut self.paper {
            buffer.set_style(area, self.theme.style(role));
        }
    }

    /// Empties an area, so that a dialog can be drawn on it.
    pub(crate) fn clear(&mut self, area: Rect) {
        let Paper::Cells(buffer) = &mut self.paper else {
            return;
        };
        let area = area.intersection(*buffer.area());
        self.named
            .files
            .retain(|(place, _)| !place.intersects(area));
        self.named.keys.retain(|(place, _)| !place.intersects(area));
        Clear.render(area, buffer);
        for y in area.top()..area.bottom() {
            // A wide sign that began left of the area would reach into it.
            if let Some(left) = area.left().checked_sub(1)
                && let Some(cell) = buffer.cell_mut(Position { x: left, y })
                && cell.symbol().width() > 1
            {
                cell.reset();
            }
        }
    }

    /// A horizontal rule.
    pub(crate) fn rule(&mut self, area: Rect) {
        if self.speaks() {
            return;
        }
        let text = Clean::new(&"─".repeat(usize::from(area.width)));
        self.line(area, &Bits::new().say(Role::Border, text));
    }

    /// A box with a title; returns its inside.
    pub(crate) fn frame(&mut self, area: Rect, title: &Bits, focus: bool) -> Rect {
        let role = if focus { Role::Focus } else { Role::Border };
        let block = Block::bordered().border_type(BorderType::Rounded);
        let inside = block.inner(area);
        let Paper::Cells(buffer) = &mut self.paper else {
            self.line(area, title);
            return inside;
        };
        let block = block.border_style(self.theme.style(role));
        block.render(area, buffer);
        let title_area = Rect::new(inside.x, area.y, inside.width, 1);
        let padded = Bits::new()
            .say(role, " ")
            .join(title.clone())
            .say(role, " ");
        self.line(title_area, &padded);
        inside
    }
}

fn write(buffer: &mut Buffer, theme: Theme, area: Rect, bits: &Bits, named: &mut Named) {
    let mut x = area.x;
    for bit in &bits.0 {
        let room = usize::from(area.right().saturating_sub(x));
        if room == 0 {
            return;
        }
        let from = x;
        if bit.over.is_empty() {
            let style = theme.style(bit.role);
            x = buffer
                .set_stringn(x, area.y, bit.text.as_str(), room, style)
                .0;
        } else {
            x = write_marked(buffer, theme, x, area, bit);
        }
        let place = Rect::new(from, area.y, x - from, 1);
        if let Some(column) = bit.cursor {
            let column = u16::try_from(column).unwrap_or(u16::MAX);
            let x = from.saturating_add(column).min(area.right());
            named.cursor = Some(Position { x, y: area.y });
        }
        let file = bit.file.iter().map(|file| (place, Arc::clone(file)));
        named.files.extend(file);
        if bit.role == Role::Key {
            let keys = named_keys(bit.text.as_str(), place);
            named.keys.extend(keys);
        }
    }
}

/// The keys that a text names, each with its cells.
fn named_keys(text: &str, place: Rect) -> impl Iterator<Item = (Rect, Key)> + '_ {
    let mut x = place.x;
    text.split_inclusive(' ').filter_map(move |word| {
        let cells = |text: &str| u16::try_from(text.width()).unwrap_or(u16::MAX);
        let from = x;
        x = x.saturating_add(cells(word));
        let name = word.trim_end();
        let width = cells(name).min(place.right().saturating_sub(from));
        let place = Rect::new(from, place.y, width, 1);
        Key::shown(name).map(|key| (place, key))
    })
}

fn write_marked(buffer: &mut Buffer, theme: Theme, mut x: u16, area: Rect, bit: &Bit) -> u16 {
    let plain = theme.style(bit.role);
    for (byte, sign) in bit.text.as_str().grapheme_indices(true) {
        let room = usize::from(area.right().saturating_sub(x));
        let over = bit.over.iter().find(|(range, _)| range.contains(&byte));
        let style = over.map_or(plain, |(_, role)| plain.patch(theme.style(*role)));
        x = buffer.set_stringn(x, area.y, sign, room, style).0;
    }
    x
}
