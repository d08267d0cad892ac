//! The members of a line that is read again, whatever their types.

use std::borrow::{Borrow, BorrowMut, Cow};

use serde_json::{Map, Value};

use super::line::Word;
use super::{object, shown};
use crate::formats::json;

/// Members in the order in which they were written.
pub(crate) type Listed<'a> = Vec<(&'a str, Word<'a>)>;

/// The members of a line: listed by the scanner where it can read the line, else parsed. The list may be one that serves
/// many lines.
pub(crate) enum Members<L> {
    Listed(L),
    Parsed(Map<String, Value>),
}

/// A line with a list of its own.
pub(crate) type Line<'a> = Members<Listed<'a>>;

impl<L> Default for Members<L> {
    fn default() -> Self {
        Self::Parsed(Map::new())
    }
}

impl<'a, L: BorrowMut<Listed<'a>>> Members<L> {
    /// The members of a line that is known to have been usable.
    pub(crate) fn of(line: &'a [u8], number: u32, mut list: L) -> Option<Self> {
        let known = list.borrow_mut();
        known.clear();
        match json::members(line, |key, value| known.push((key, value.into()))) {
            Some(()) => Some(Self::Listed(list)),
            None => object(line, number).map(Self::Parsed),
        }
    }
}

impl<'a, L: Borrow<Listed<'a>>> Members<L> {
    /// A whole number, also one written as text.
    pub(crate) fn int(&self, key: &str) -> Option<i64> {
        match self {
            Self::Listed(list) => last(list.borrow(), key)?.int(),
            Self::Parsed(map) => {
                json::int(map, key).or_else(|| json::text(map, key)?.trim().parse().ok())
            }
        }
    }

    /// A member as text, whatever its type; `None` for null and for what is missing.
    pub(crate) fn shown<'m>(&'m self, key: &str) -> Option<Cow<'m, str>>
    where
        'a: 'm,
    {
        match self {
            Self::Listed(list) => last(list.borrow(), key)?.shown(),
            Self::Parsed(map) => shown(map, key),
        }
    }
}

/// The last of a double key counts.
fn last<'m, 'a>(members: &'m [(&str, Word<'a>)], key: &str) -> Option<&'m Word<'a>> {
    let mut last = members.iter().rev().filter(|(known, _)| *known == key);
    last.next().map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Line<'_> {
        Members::of(text.as_bytes(), 1, Vec::new()).unwrap()
    }

    /// The two ways of reading a line differ only in speed.
    #[test]
    fn a_line_says_the_same_however_it_is_read() {
        const KEYS: [&str; 5] = ["seq", "role", "task", "summary", "none"];
        let plain = r#"{"seq":7,"role":"a","task":null,"summary":"12","role":"b"}"#;
        // White space before a colon is left to the parser.
        let spaced = plain.replace(':', " :");
        let (listed, parsed) = (line(plain), line(&spaced));
        assert!(matches!(listed, Members::Listed(_)) && matches!(parsed, Members::Parsed(_)));
        for key in KEYS {
            assert_eq!(listed.shown(key), parsed.shown(key), "{key}");
            assert_eq!(listed.int(key), parsed.int(key), "{key}");
        }
        assert_eq!(listed.shown("role").as_deref(), Some("b"));
        assert_eq!(listed.int("summary"), Some(12));
    }
}
