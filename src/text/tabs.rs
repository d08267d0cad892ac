//! Tab stops: a tab is shown as `␉` and padded with spaces to the next stop.

use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr as _;

use super::Clean;

/// The clean form of a tab. It is unambiguous, because the sign itself is escaped in clean text.
const TAB: &str = "\u{2409}";

/// A text whose tabs are padded to the next stop.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tabbed {
    /// The text.
    pub text: Clean,
    /// Where spaces were inserted, as byte offsets of the original text, and how many.
    pads: Vec<(usize, usize)>,
}

impl Tabbed {
    /// Pads every tab up to the next multiple of `stop` cells.
    pub fn new(text: &Clean, stop: usize) -> Self {
        let stop = stop.max(1);
        if !text.as_str().contains(TAB) {
            return Self {
                text: text.clone(),
                pads: Vec::new(),
            };
        }
        let mut out = String::with_capacity(text.as_str().len() * 2);
        let mut pads = Vec::new();
        let mut column = 0;
        for (byte, sign) in text.as_str().grapheme_indices(true) {
            out.push_str(sign);
            column += sign.width();
            if sign.starts_with(TAB) {
                let blanks = (stop - column % stop) % stop;
                out.extend(std::iter::repeat_n(' ', blanks));
                column += blanks;
                pads.push((byte + sign.len(), blanks));
            }
        }
        Self {
            text: Clean(out),
            pads,
        }
    }

    /// The range in the padded text for a range of the original; padding belongs to its tab.
    pub fn range(&self, before: &Range<usize>) -> Range<usize> {
        let moved = |byte: usize| {
            let passed = self.pads.iter().take_while(|(at, _)| *at <= byte);
            byte + passed.map(|(_, blanks)| blanks).sum::<usize>()
        };
        moved(before.start)..moved(before.end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tabs_reach_to_the_next_stop() {
        let table: &[(&str, &str)] = &[
            ("none", "none"),
            ("\ta", "␉   a"),
            ("abc\td", "abc␉d"),
            ("abcd\te", "abcd␉   e"),
            ("日\tb", "日␉ b"),
            ("a\t\tb", "a␉  ␉   b"),
            ("\u{2409}\t", "<U+2409>␉   "),
        ];
        for (text, expected) in table {
            let shown = Tabbed::new(&Clean::new(text), 4);
            assert_eq!(shown.text.as_str(), *expected, "{text:?}");
        }
    }

    #[test]
    fn ranges_move_with_their_text() {
        let before = Clean::new("a\tbé\tc");
        let shown = Tabbed::new(&before, 4);
        for (byte, sign) in before.as_str().char_indices() {
            let moved = shown.range(&(byte..byte + sign.len_utf8()));
            let there = shown.text.as_str().get(moved).unwrap();
            assert_eq!(there.trim_end(), sign.to_string());
        }
    }
}
