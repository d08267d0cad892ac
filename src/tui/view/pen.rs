//! The one way text gets onto the screen. It takes [`Clean`] texts and our own literals, nothing else, cuts
//! what does not fit, and never breaks a wide sign.

mod speech;

use speech::Said;

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use crate::diff::find::Needle;
use crate::model::Clean;
use crate::tui::theme::{Role, Theme};

/// The most bytes of one text that are laid out: more cannot be seen.
const MOST: usize = 4 * 1024;

/// A piece of a line.
#[derive(Debug, Clone)]
struct Bit {
    text: Clean,
    role: Role,
    /// Bytes of the text that look different.
    over: Vec<(Range<usize>, Role)>,
    /// Whether it names what follows.
    label: bool,
}

/// A line of pieces, one after the other.
#[derive(Debug, Clone, Default)]
pub(crate) struct Bits(Vec<Bit>);

impl Bits {
    pub(crate) fn new() -> Self {
        Self::default()
    }

    /// A line that begins with a text.
    pub(crate) fn of(role: Role, text: impl Into<Clean>) -> Self {
        Self::new().say(role, text)
    }

    /// Adds a text.
    pub(crate) fn say(self, role: Role, text: impl Into<Clean>) -> Self {
        self.marked(role, text, Vec::new())
    }

    /// Adds so many blanks.
    pub(crate) fn gap(self, cells: usize) -> Self {
        self.say(Role::Text, " ".repeat(cells))
    }

    /// Adds a text of which some bytes look different.
    pub(crate) fn marked(
        mut self,
        role: Role,
        text: impl Into<Clean>,
        over: Vec<(Range<usize>, Role)>,
    ) -> Self {
        let (text, label) = (text.into(), false);
        self.0.push(Bit {
            text,
            role,
            over,
            label,
        });
        self
    }

    /// Adds what names the text that follows it, in a column of a width.
    pub(crate) fn label(self, text: &'static str, width: usize) -> Self {
        let mut label = Self::of(Role::Dim, text);
        for bit in &mut label.0 {
            bit.label = true;
        }
        self.join(label.pad(width))
    }

    /// Adds a text with some of its characters lit.
    pub(crate) fn lit(self, role: Role, text: Clean, letters: &[usize]) -> Self {
        let mut over = Vec::with_capacity(letters.len());
        if !letters.is_empty() {
            for (place, (byte, letter)) in text.as_str().char_indices().enumerate() {
                if letters.binary_search(&place).is_ok() {
                    over.push((byte..byte + letter.len_utf8(), Role::Hit));
                }
            }
        }
        self.marked(role, text, over)
    }

    /// Lights what a search is for.
    pub(crate) fn found(mut self, needle: &Needle) -> Self {
        for bit in &mut self.0 {
            let places = needle.places(&bit.text).into_iter();
            bit.over.extend(places.map(|place| (place, Role::Hit)));
        }
        self
    }

    /// What is written.
    pub(crate) fn text(&self) -> Clean {
        Clean::concat(self.0.iter().map(|bit| &bit.text))
    }

    /// Adds a text in a column of a width.
    pub(crate) fn cell(self, role: Role, text: impl Into<Clean>, width: usize) -> Self {
        self.join(Self::new().say(role, text).pad(width))
    }

    /// Adds a sign with its word in a column of a width.
    pub(crate) fn badge(
        self,
        role: Role,
        sign: &'static str,
        word: &'static str,
        width: usize,
    ) -> Self {
        let badge = Self::new().say(role, sign).say(Role::Text, " ");
        self.join(badge.say(role, word).pad(width))
    }

    /// Adds another line's pieces.
    pub(crate) fn join(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Adds blanks until the line is this wide, or cuts it there.
    pub(crate) fn pad(mut self, width: usize) -> Self {
        let used = self.width();
        if used > width {
            self.cut(width);
        } else if used < width {
            self = self.gap(width - used);
        }
        self
    }

    fn cut(&mut self, width: usize) {
        let mut room = width;
        let mut kept = Vec::new();
        for mut bit in std::mem::take(&mut self.0) {
            let wide = bit.text.width();
            if wide <= room {
                room -= wide;
                kept.push(bit);
                continue;
            }
            if room > 0 {
                bit.text = ellipsis(&bit.text, room);
                let short = bit.text.width();
                kept.push(bit);
                if short < room {
                    kept.push(Bit {
                        text: Clean::new(&" ".repeat(room - short)),
                        role: Role::Text,
                        over: Vec::new(),
                        label: false,
                    });
                }
            }
            break;
        }
        self.0 = kept;
    }

    /// Width in cells.
    pub(crate) fn width(&self) -> usize {
        self.0.iter().map(|bit| bit.text.width()).sum()
    }
}

/// A text cut to a width, with `…` where it was cut. For prose; what is known by its ending is clipped by
/// [`Clean::clip`], which keeps different texts different.
pub(crate) fn ellipsis(text: &Clean, width: usize) -> Clean {
    let text = if text.as_str().len() > MOST {
        &head(text, MOST)
    } else {
        text
    };
    if text.width() <= width {
        return text.clone();
    }
    let Some(room) = width.checked_sub(1) else {
        return Clean::empty();
    };
    let mut used = 0;
    let mut end = 0;
    for (byte, sign) in text.as_str().grapheme_indices(true) {
        used += sign.width();
        if used > room {
            break;
        }
        end = byte + sign.len();
    }
    crate::clean!("{}…", text.part(0..end))
}

/// At most so many bytes.
fn head(text: &Clean, bytes: usize) -> Clean {
    let mut end = bytes.min(text.as_str().len());
    while !text.as_str().is_char_boundary(end) {
        end -= 1;
    }
    text.part(0..end)
}

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
}

impl<'a> Pen<'a> {
    pub(crate) fn new(buffer: &'a mut Buffer, theme: Theme) -> Self {
        let paper = Paper::Cells(buffer);
        Self { paper, theme }
    }

    /// A pen that reads aloud. What does not fit is not cut then.
    pub(crate) fn speaking(theme: Theme) -> Self {
        let paper = Paper::Speech(Said::default());
        Self { paper, theme }
    }

    /// Whether it reads aloud: there are no columns, colors and boxes then, and as many lines as are needed.
    pub(crate) fn speaks(&self) -> bool {
        matches!(self.paper, Paper::Speech(_))
    }

    /// What was said since it was asked last.
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
        if bits.width() <= width {
            write(buffer, theme, area, bits);
        } else {
            let mut cut = bits.clone();
            cut.cut(width);
            write(buffer, theme, area, &cut);
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
        for y in area.top()..area.bottom() {
            for x in area.left()..area.right() {
                if let Some(cell) = buffer.cell_mut(Position { x, y }) {
                    cell.reset();
                }
            }
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
        let (Some(inner_width), Some(inner_height)) =
            (area.width.checked_sub(2), area.height.checked_sub(2))
        else {
            return Rect::default();
        };
        let inside = Rect::new(area.x + 1, area.y + 1, inner_width, inner_height);
        if self.speaks() {
            self.line(area, title);
            return inside;
        }
        let wide = usize::from(inner_width);
        let top = format!("╭{}╮", "─".repeat(wide));
        let bottom = format!("╰{}╯", "─".repeat(wide));
        let edge = Bits::new().say(role, Clean::new("│"));
        self.line(area, &Bits::new().say(role, Clean::new(&top)));
        for y in area.y + 1..area.bottom() - 1 {
            self.line(Rect::new(area.x, y, 1, 1), &edge);
            self.line(Rect::new(area.right() - 1, y, 1, 1), &edge);
        }
        let last = Rect::new(area.x, area.bottom() - 1, area.width, 1);
        self.line(last, &Bits::new().say(role, Clean::new(&bottom)));
        let title_area = Rect::new(area.x + 1, area.y, inner_width, 1);
        let padded = Bits::new()
            .say(role, " ")
            .join(title.clone())
            .say(role, " ");
        self.line(title_area, &padded);
        inside
    }
}

fn write(buffer: &mut Buffer, theme: Theme, area: Rect, bits: &Bits) {
    let mut x = area.x;
    for bit in &bits.0 {
        let room = usize::from(area.right().saturating_sub(x));
        if room == 0 {
            return;
        }
        if bit.over.is_empty() {
            let style = theme.style(bit.role);
            x = buffer
                .set_stringn(x, area.y, bit.text.as_str(), room, style)
                .0;
        } else {
            x = write_marked(buffer, theme, x, area, bit);
        }
    }
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
