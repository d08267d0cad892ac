//! Lenient access to JSON that models wrote, [edits](fn@edit) that keep every other byte, and a search for duplicate
//! keys.

mod assign;
mod document;
mod edit;
mod members;
mod style;

pub use assign::{BadPair, assign};
pub use document::{Duplicate, duplicates, element_lines, line, raw};
pub use edit::{Edit, edit};
pub use members::{Scalar, members};
pub use style::{CLOCK, NOW, NonAscii, one_line, pretty};

use serde_json::{Map, Value};

/// A JSON file that could not be used, with the line of the error.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JsonError {
    /// Line, counted from 1.
    pub line: u64,
    /// True if the file ends too early: an interrupted write.
    pub cut: bool,
    /// The reason, without any bytes of the file.
    pub text: String,
}

/// Parses a whole file as one JSON object.
pub fn object(bytes: &[u8]) -> Result<Map<String, Value>, JsonError> {
    let body = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let (line, cut, text) = match serde_json::from_slice::<Value>(body) {
        Ok(Value::Object(map)) => return Ok(map),
        Ok(_) => (1, false, "not a JSON object".to_owned()),
        Err(_) if body.trim_ascii().is_empty() => (1, true, "the file is empty".to_owned()),
        Err(e) => (
            e.line() as u64,
            e.is_eof(),
            format!("{} (line {}, column {})", fault(&e), e.line(), e.column()),
        ),
    };
    Err(JsonError { line, cut, text })
}

/// The reason of a parse error in a single line, without the input that serde quotes in some messages.
pub fn why(error: &serde_json::Error) -> String {
    format!("{} (column {})", fault(error), error.column())
}

fn fault(error: &serde_json::Error) -> &'static str {
    match error.classify() {
        serde_json::error::Category::Eof => "it ends too early",
        serde_json::error::Category::Syntax => "it is not valid JSON",
        serde_json::error::Category::Data => "a value has the wrong type",
        serde_json::error::Category::Io => "it could not be read",
    }
}

/// A string member.
pub fn text<'a>(map: &'a Map<String, Value>, key: &str) -> Option<&'a str> {
    map.get(key).and_then(Value::as_str)
}

/// A string member, owned.
pub fn owned(map: &Map<String, Value>, key: &str) -> Option<String> {
    text(map, key).map(str::to_owned)
}

/// An integer member; also accepts a string and a number with `.0`.
pub fn int(map: &Map<String, Value>, key: &str) -> Option<i64> {
    map.get(key).and_then(as_int)
}

/// An integer; also accepts a string and a number with `.0`.
pub fn as_int(value: &Value) -> Option<i64> {
    match value {
        Value::Number(n) => n.as_i64().or_else(|| n.as_f64().and_then(whole)),
        Value::String(s) => s.trim().parse().ok(),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

fn whole(number: f64) -> Option<i64> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the range is checked first"
    )]
    (number.fract() == 0.0 && number.abs() < 9e15).then_some(number as i64)
}

/// A number member; also accepts a string.
pub fn number(map: &Map<String, Value>, key: &str) -> Option<f64> {
    match map.get(key)? {
        Value::Number(n) => n.as_f64(),
        Value::String(s) => s.trim().parse().ok().filter(|n: &f64| n.is_finite()),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}

/// A boolean member.
pub fn flag(map: &Map<String, Value>, key: &str) -> Option<bool> {
    map.get(key).and_then(Value::as_bool)
}

/// An object member.
pub fn child<'a>(map: &'a Map<String, Value>, key: &str) -> Option<&'a Map<String, Value>> {
    map.get(key).and_then(Value::as_object)
}

/// A list member; empty if it is missing or has another type.
pub fn list<'a>(map: &'a Map<String, Value>, key: &str) -> &'a [Value] {
    map.get(key)
        .and_then(Value::as_array)
        .map_or(&[], Vec::as_slice)
}

/// The strings of a list member.
pub fn texts<'a>(map: &'a Map<String, Value>, key: &str) -> Vec<&'a str> {
    list(map, key).iter().filter_map(Value::as_str).collect()
}

/// The value below an object at a path of keys.
pub fn at_keys<'a>(map: &'a Map<String, Value>, path: &[&str]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    let mut rest = rest.iter();
    rest.try_fold(map.get(*first)?, |value, key| value.get(*key))
}

/// The kind of a value, for a sentence.
pub fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

/// One step of a path in a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At<'a> {
    /// A member of an object.
    Key(&'a str),
    /// An element of an array.
    Index(usize),
}

/// The position of the first byte from `from` that is not white space.
fn skip_space(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.iter().take_while(|b| b.is_ascii_whitespace()).count()
}

/// Skips a comma, or stops at the closing bracket.
fn next(bytes: &[u8], from: usize) -> Option<usize> {
    let at = skip_space(bytes, from);
    match bytes.get(at)? {
        b',' => Some(skip_space(bytes, at + 1)),
        _ => Some(at),
    }
}

/// The end of the text, number or word that starts at `from`. It must be valid JSON.
fn value_end(bytes: &[u8], from: usize) -> Option<usize> {
    if bytes.get(from)? != &b'"' {
        let ends = |byte: &u8| byte.is_ascii_whitespace() || b",]}".contains(byte);
        let len = bytes
            .iter()
            .skip(from)
            .take_while(|byte| !ends(byte))
            .count();
        return Some(from + len);
    }
    let mut at = from + 1;
    while bytes.get(at)? != &b'"' {
        at += if bytes.get(at) == Some(&b'\\') { 2 } else { 1 };
    }
    Some(at + 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_numbers_in_every_notation() {
        let map = object(br#"{"a": 3, "b": "4", "c": 5.0, "d": 2.5, "e": null}"#).unwrap();
        assert_eq!(
            ["a", "b", "c", "d", "e"].map(|k| int(&map, k)),
            [Some(3), Some(4), Some(5), None, None]
        );
        assert_eq!(number(&map, "d"), Some(2.5));
    }

    #[test]
    fn a_truncated_file_differs_from_a_corrupt_one() {
        assert!(object(b"{\"a\": ").unwrap_err().cut);
        assert!(object(b"").unwrap_err().cut);
        assert!(!object(b"{\"a\": }").unwrap_err().cut);
        assert_eq!(object(b"{\n\n\"a\": }").unwrap_err().line, 3);
    }

    proptest! {
        #[test]
        fn never_panics(bytes in proptest::collection::vec(any::<u8>(), 0..80)) {
            prop_assert!(line(&bytes, &[At::Key("a"), At::Index(1)]).is_none());
            let read = object(&bytes);
            prop_assert!(read.is_ok() || read.is_err());
        }
    }
}
