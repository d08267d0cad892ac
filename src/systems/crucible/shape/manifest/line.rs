//! One manifest line, parsed without copying and with any types that a language model wrote: numbers as strings, nulls,
//! unknown fields, duplicate keys. An extra or missing key is not an error.

use std::borrow::{Borrow, BorrowMut, Cow};
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::{Map, Value};

use super::shown;
use crate::formats::json::{self, Scalar};

/// A field that should be text but may be a number or missing.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Word<'a> {
    /// Missing, null, or of an unusable type.
    #[default]
    None,
    /// A whole number.
    Int(i64),
    /// Text.
    Text(Cow<'a, str>),
}

impl<'a> From<Scalar<'a>> for Word<'a> {
    fn from(scalar: Scalar<'a>) -> Self {
        match scalar {
            Scalar::Null => Self::None,
            Scalar::Int(number) => Self::Int(number),
            Scalar::Text(text) => Self::Text(text),
        }
    }
}

impl Word<'_> {
    /// The number; one written as text is accepted.
    pub(crate) fn int(&self) -> Option<i64> {
        match self {
            Self::None => None,
            Self::Int(number) => Some(*number),
            Self::Text(text) => text.trim().parse().ok(),
        }
    }

    /// As text; `None` if it is missing.
    pub(crate) fn shown(&self) -> Option<Cow<'_, str>> {
        match self {
            Self::None => None,
            Self::Int(number) => Some(Cow::Owned(number.to_string())),
            Self::Text(text) => Some(Cow::Borrowed(text)),
        }
    }

    /// The number if it is not negative.
    pub(crate) fn count(&self) -> Option<u64> {
        self.int().and_then(|number| u64::try_from(number).ok())
    }

    /// True if the field has a value.
    pub(crate) fn is_some(&self) -> bool {
        !matches!(self, Self::None)
    }
}

/// The fields that the evaluation needs. Everything else is read again when it is shown.
#[derive(Debug, Default)]
pub(crate) struct RawLine<'a> {
    /// Dispatch number.
    pub(crate) seq: Word<'a>,
    /// Dispatch file.
    pub(crate) file: Word<'a>,
    /// Role.
    pub(crate) role: Word<'a>,
    /// Phase label.
    pub(crate) phase: Word<'a>,
    /// Task number.
    pub(crate) task: Word<'a>,
    /// Status.
    pub(crate) status: Word<'a>,
    /// Wall seconds.
    pub(crate) duration_s: Word<'a>,
    /// Whether there is a summary.
    pub(crate) summary: bool,
    /// The seq that this one runs again.
    pub(crate) replay_of: Word<'a>,
    /// The replay run.
    pub(crate) replay_session: Word<'a>,
    /// The replacing template.
    pub(crate) mutation: Word<'a>,
}

impl<'a> RawLine<'a> {
    /// Parses a line in any layout; `None` if it is not an object.
    pub(crate) fn parse(line: &'a [u8]) -> Option<Self> {
        Self::plain(line).or_else(|| serde_json::from_slice(line).ok())
    }

    /// Parses a line in the layout that programs write, on a fast path.
    fn plain(line: &'a [u8]) -> Option<Self> {
        let mut raw = Self::default();
        json::members(line, |key, value| {
            if let Some(slot) = raw.slot(key) {
                *slot = value.into();
            } else if key == "summary" {
                raw.summary = value != Scalar::Null;
            }
        })?;
        Some(raw)
    }

    /// The field for a key.
    fn slot(&mut self, key: &str) -> Option<&mut Word<'a>> {
        Some(match key {
            "seq" => &mut self.seq,
            "file" => &mut self.file,
            "role" => &mut self.role,
            "phase" => &mut self.phase,
            "task" => &mut self.task,
            "status" => &mut self.status,
            "duration_s" => &mut self.duration_s,
            "replay_of" => &mut self.replay_of,
            "replay_session" => &mut self.replay_session,
            "mutation" => &mut self.mutation,
            _ => return None,
        })
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for RawLine<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(LineVisitor)
    }
}

struct LineVisitor;

impl<'de> Visitor<'de> for LineVisitor {
    type Value = RawLine<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut line = RawLine::default();
        while let Some(key) = map.next_key::<Word<'_>>()? {
            let Word::Text(key) = &key else { continue };
            if let Some(slot) = line.slot(key) {
                *slot = map.next_value()?;
            } else if key == "summary" {
                line.summary = map.next_value::<Option<IgnoredAny>>()?.is_some();
            } else {
                map.next_value::<IgnoredAny>()?;
            }
        }
        Ok(line)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Word<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(match Any::deserialize(deserializer)? {
            Any::Int(number) => Self::Int(number),
            Any::Float(number) => json::as_int(&number.into())
                .map_or_else(|| Self::Text(number.to_string().into()), Self::Int),
            Any::Text(text) => Self::Text(text),
            Any::Large(_) | Any::Other(_) => Self::None,
        })
    }
}

/// A value of any type, by the first that fits.
#[derive(Deserialize)]
#[serde(untagged)]
enum Any<'a> {
    Int(i64),
    /// A whole number above those.
    #[expect(dead_code, reason = "only its type counts")]
    Large(u64),
    Float(f64),
    #[serde(borrow)]
    Text(Cow<'a, str>),
    Other(IgnoredAny),
}

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
    pub(crate) fn of(line: &'a [u8], mut list: L) -> Option<Self> {
        let known = list.borrow_mut();
        known.clear();
        match json::members(line, |key, value| known.push((key, value.into()))) {
            Some(()) => Some(Self::Listed(list)),
            None => json::object(line).ok().map(Self::Parsed),
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

    fn parse(text: &str) -> RawLine<'_> {
        serde_json::from_str(text).unwrap()
    }

    #[test]
    fn reads_fields_of_any_type_and_the_last_of_a_double_key() {
        let line = parse(
            r#"{"x":{"y":[1]},"seq":"7","role":null,"phase":3.5,"task":4.0,"status":"dispatched","status":"completed","duration_s":[1],"summary":null,"replay_of":18446744073709551615}"#,
        );
        assert_eq!(line.seq.count(), Some(7));
        assert_eq!(line.role, Word::None);
        assert_eq!(line.phase, Word::Text("3.5".into()));
        assert_eq!(line.task, Word::Int(4));
        assert_eq!(line.status, Word::Text("completed".into()));
        assert_eq!(line.duration_s, Word::None);
        assert!(!line.summary);
        assert_eq!(line.replay_of, Word::None);
    }

    #[test]
    fn survives_deep_nesting_in_an_unused_field() {
        let text = format!(
            "{{\"x\":{}{},\"seq\":1}}",
            "[".repeat(100_000),
            "]".repeat(100_000)
        );
        assert_eq!(parse(&text).seq.count(), Some(1));
        let text = format!("{{\"seq\":{}{}}}", "[".repeat(100_000), "]".repeat(100_000));
        drop(serde_json::from_str::<RawLine<'_>>(&text));
    }

    fn line(text: &str) -> Line<'_> {
        Members::of(text.as_bytes(), Vec::new()).unwrap()
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
