//! The layout of a JSON file, so that new text looks like the rest of it.

use std::fmt::Write as _;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::LazyLock;

use serde_json::Value;

use super::document::{Document, Kind, Node};

/// How non-ASCII characters are written if the file itself has none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NonAscii {
    /// As they are: Node's `JSON.stringify`, and models.
    Raw,
    /// As `\uXXXX`: Python's `json.dump`.
    Escaped,
}

/// What stands for the time of writing in a planned file. Text of others that has it is escaped in JSON, so that the clock
/// does not replace it.
pub const NOW: &str = "{now}";

/// The string of a draft that is written as [`NOW`]. Nobody can know it, so no text of a person is the same.
pub static CLOCK: LazyLock<String> = LazyLock::new(|| {
    let secret = RandomState::new().hash_one(NOW);
    format!("{NOW}{secret:x}")
});

/// How [`NOW`] is written where it is only text.
const NOW_AS_TEXT: &str = "{\\u006eow}";

/// A document on several lines with two spaces, as Node's `JSON.stringify` and Python's `json.dump` write it, without a
/// newline at the end.
pub fn pretty(value: &Value) -> Vec<u8> {
    let style = Style {
        indent: Some("  ".to_owned()),
        ..Style::on_one_line(false)
    };
    style.lines(value, "").into_bytes()
}

/// A value on one line, with a space after each comma and colon unless it is `compact`.
pub fn one_line(value: &Value, compact: bool) -> String {
    Style::on_one_line(compact).inline(value)
}

/// The layout of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Style {
    /// The indentation of one level; `None` if everything is on one line.
    pub(super) indent: Option<String>,
    newline: &'static str,
    /// True if some lists or objects of an indented file are on one line.
    pub(super) compact: bool,
    colon: &'static str,
    /// What follows a comma on one line.
    pub(super) gap: &'static str,
    escaped: bool,
}

impl Style {
    fn on_one_line(compact: bool) -> Self {
        let (colon, gap) = if compact { (":", "") } else { (": ", " ") };
        Self {
            indent: None,
            newline: "\n",
            compact: false,
            colon,
            gap,
            escaped: false,
        }
    }

    /// The layout that a document uses.
    pub(super) fn of(document: &Document<'_>, unsure: NonAscii) -> Self {
        let bytes = document.bytes;
        let starts = document.root.kind.starts();
        let space = starts.first().map(|at| gap_before(bytes, *at));
        let space = space.unwrap_or_default();
        let indent = space.rsplit_once('\n').map(|(_, unit)| unit.to_owned());
        let mut seen = Seen::default();
        seen.look(document, &document.root);
        Self {
            compact: indent.is_some() && seen.one_line,
            newline: if space.contains("\r\n") { "\r\n" } else { "\n" },
            // Indented files have a space after the colon unless they show otherwise.
            colon: if seen.colon.unwrap_or_else(|| indent.is_some()) {
                ": "
            } else {
                ":"
            },
            gap: if seen
                .comma
                .or(seen.colon)
                .unwrap_or_else(|| indent.is_some())
            {
                " "
            } else {
                ""
            },
            escaped: bytes.is_ascii()
                && (unsure == NonAscii::Escaped || memchr::memmem::find(bytes, b"\\u").is_some()),
            indent,
        }
    }

    /// A string or a key.
    fn string(&self, text: &str) -> String {
        if text == *CLOCK {
            return format!("\"{NOW}\"");
        }
        let mut json = Value::from(text).to_string();
        if text.contains(NOW) {
            json = json.replace(NOW, NOW_AS_TEXT);
        }
        if !self.escaped {
            return json;
        }
        let mut out = String::with_capacity(json.len());
        for c in json.chars() {
            if c.is_ascii() {
                out.push(c);
                continue;
            }
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a string cannot fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        }
        out
    }

    /// A member with its key.
    pub(super) fn member(&self, key: &str, value: &str) -> String {
        format!("{}{}{value}", self.string(key), self.colon)
    }

    /// The value of a member: on several lines if the file is indented.
    pub(super) fn value(&self, value: &Value, margin: &str) -> String {
        if self.compact {
            self.inline(value)
        } else {
            self.lines(value, margin)
        }
    }

    /// A value on one line.
    pub(super) fn inline(&self, value: &Value) -> String {
        let separator = format!(",{}", self.gap);
        match value {
            Value::Array(list) => {
                let parts: Vec<String> = list.iter().map(|one| self.inline(one)).collect();
                format!("[{}]", parts.join(&separator))
            }
            Value::Object(map) => {
                let parts: Vec<String> = map
                    .iter()
                    .map(|(key, value)| self.member(key, &self.inline(value)))
                    .collect();
                format!("{{{}}}", parts.join(&separator))
            }
            Value::String(text) => self.string(text),
            Value::Null | Value::Bool(_) | Value::Number(_) => value.to_string(),
        }
    }

    /// A value on several lines, its closing bracket indented by `margin`; on one line if the file is.
    pub(super) fn lines(&self, value: &Value, margin: &str) -> String {
        let Some(unit) = &self.indent else {
            return self.inline(value);
        };
        let inner = format!("{margin}{unit}");
        if let Some(list) = value.as_array().filter(|list| !list.is_empty()) {
            let parts = list.iter().map(|one| self.value(one, &inner));
            self.bracketed('[', &parts.collect::<Vec<_>>(), ']', margin)
        } else if let Some(map) = value.as_object().filter(|map| !map.is_empty()) {
            let parts = map.iter();
            let parts = parts.map(|(key, value)| self.member(key, &self.value(value, &inner)));
            self.bracketed('{', &parts.collect::<Vec<_>>(), '}', margin)
        } else {
            self.inline(value)
        }
    }

    /// Members or elements between brackets, on lines of their own if the file is indented.
    pub(super) fn bracketed(
        &self,
        open: char,
        parts: &[String],
        close: char,
        margin: &str,
    ) -> String {
        let Some(unit) = &self.indent else {
            return format!("{open}{}{close}", parts.join(&format!(",{}", self.gap)));
        };
        let newline = self.newline;
        let inner = format!("{newline}{margin}{unit}");
        let parts = parts.join(&format!(",{inner}"));
        format!("{open}{inner}{parts}{newline}{margin}{close}")
    }
}

/// What a document reveals about its layout.
#[derive(Debug, Default)]
struct Seen {
    one_line: bool,
    colon: Option<bool>,
    comma: Option<bool>,
}

impl Seen {
    fn look(&mut self, document: &Document<'_>, node: &Node) {
        let bytes = document.bytes;
        match &node.kind {
            Kind::Scalar => return,
            Kind::List(elements) => elements.iter().for_each(|one| self.look(document, one)),
            Kind::Object(members) => {
                for member in members {
                    let spaced = !gap_before(bytes, member.value.span.start).is_empty();
                    self.colon.get_or_insert(spaced);
                    self.look(document, &member.value);
                }
            }
        }
        let starts = node.kind.starts();
        let own = document.text(&node.span);
        self.one_line |= !starts.is_empty() && memchr::memchr(b'\n', own).is_none();
        let gaps = starts.iter().skip(1).map(|at| gap_before(bytes, *at));
        if let Some(gap) = gaps.into_iter().find(|gap| !gap.contains('\n')) {
            self.comma.get_or_insert(!gap.is_empty());
        }
    }
}

/// The white space before a position.
pub(super) fn gap_before(bytes: &[u8], at: usize) -> &str {
    let before = bytes.get(..at).unwrap_or_default();
    let kept = before.trim_ascii_end().len();
    std::str::from_utf8(before.get(kept..).unwrap_or_default()).unwrap_or_default()
}

/// The indentation of the line of a position.
pub(super) fn margin(bytes: &[u8], at: usize) -> &str {
    let before = bytes.get(..at).unwrap_or_default();
    let line = memchr::memrchr(b'\n', before).map_or(0, |newline| newline + 1);
    let line = bytes.get(line..).unwrap_or_default();
    let space = line.iter().take_while(|b| matches!(b, b' ' | b'\t'));
    let space = line.get(..space.count()).unwrap_or_default();
    std::str::from_utf8(space).unwrap_or_default()
}
