//! Searches for a text on both sides of a comparison.

use std::borrow::Cow;
use std::ops::Range;

use memchr::memmem::Finder;

use super::{Diff, Row, Side};
use crate::model::Clean;

/// The text to search for. ASCII letters match either case unless one of them is a capital (smart case).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Needle {
    text: Vec<u8>,
    any_case: bool,
}

impl Needle {
    /// A text to search for; `None` for the empty text, which matches everywhere.
    pub fn new(text: &str) -> Option<Self> {
        let any_case = !text.chars().any(char::is_uppercase);
        let text = text.as_bytes().to_vec();
        (!text.is_empty()).then_some(Self { text, any_case })
    }

    /// The rows that contain it on either side, in order.
    pub fn rows(&self, diff: &Diff) -> Vec<usize> {
        // Lines of a side are in order, so each list is walked once.
        let [mut old, mut new] =
            [&diff.old, &diff.new].map(|side| self.lines(side).into_iter().peekable());
        let holds = |(_, row): &(usize, &Row)| {
            let on_old = old.next_if(|line| row.old() == Some(*line)).is_some();
            let on_new = new.next_if(|line| row.new_line() == Some(*line)).is_some();
            on_old || on_new
        };
        let rows = diff.rows.iter().enumerate().filter(holds);
        rows.map(|(place, _)| place).collect()
    }

    /// What is searched of a text.
    fn cased<'a>(&self, text: &'a [u8]) -> Cow<'a, [u8]> {
        if self.any_case {
            Cow::Owned(text.to_ascii_lowercase())
        } else {
            Cow::Borrowed(text)
        }
    }

    /// The lines of a side that contain it, in order, without repeats.
    fn lines(&self, side: &Side) -> Vec<usize> {
        let bytes = self.cased(side.bytes());
        let finder = Finder::new(&self.text);
        let mut out = Vec::new();
        let (mut from, mut line) = (0, 0);
        while let Some(at) = bytes.get(from..).and_then(|rest| finder.find(rest)) {
            // A common text is in one of the next lines, a rare one far away.
            line = side.line_at(from + at, line);
            out.push(line);
            from = side.end_of(line);
        }
        out
    }

    /// The byte ranges in a clean text where it occurs; they do not overlap.
    pub fn places(&self, text: &Clean) -> Vec<Range<usize>> {
        let bytes = self.cased(text.as_str().as_bytes());
        let found = memchr::memmem::find_iter(&bytes, &self.text);
        found.map(|at| at..at + self.text.len()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diff::{Options, rows};

    #[test]
    fn a_text_is_found_on_both_sides() {
        let table: &[(&str, &str, &str, &[usize])] = &[
            ("price", "a\nPrice\nb\n", "a\nprices\nb price\n", &[1, 2]),
            ("Price", "a\nPrice\nb\n", "a\nprices\nb price\n", &[1]),
            ("日本", "日本\n", "", &[0]),
            ("aa", "aaaa\naaa\n", "aaaa\naaa\n", &[0, 1]),
            ("none", "a\n", "b\n", &[]),
            ("b\u{301}", "ab\u{301}\n", "x\n", &[0]),
        ];
        for (text, old, new, expected) in table {
            let diff = rows(
                Some(old.as_bytes().to_vec()),
                Some(new.as_bytes().to_vec()),
                Options::default(),
            );
            let needle = Needle::new(text).unwrap();
            assert_eq!(needle.rows(&diff), *expected, "{text}");
        }
        assert_eq!(Needle::new(""), None);
    }

    #[test]
    fn ranges_are_on_character_boundaries() {
        let text = Clean::new("日本 ABC 日本 abc");
        let all = Needle::new("abc").unwrap().places(&text);
        let found: Vec<_> = all.into_iter().map(|at| text.as_str().get(at)).collect();
        assert_eq!(found, [Some("ABC"), Some("abc")]);
        assert_eq!(Needle::new("ABC").unwrap().places(&text).len(), 1);
    }
}
