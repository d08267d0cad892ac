//! How a JSON file is laid out, so that what is put into it looks like the rest: Python's `json.dump` with
//! its indentation and escapes.

use std::fmt::Write as _;
use std::ops::Range;

/// The layout of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Style {
    /// White space of one level; `None` where everything stands on one line.
    indent: Option<String>,
    /// True where characters beyond ASCII are written as `\uXXXX`.
    ascii: bool,
}

impl Style {
    /// The layout of a document.
    pub(crate) fn of(body: &[u8]) -> Self {
        let inner = body
            .trim_ascii_start()
            .strip_prefix(b"{")
            .unwrap_or_default();
        let space = inner.iter().take_while(|b| b.is_ascii_whitespace()).count();
        let space = inner.get(..space).unwrap_or_default();
        let line = space
            .iter()
            .rposition(|b| *b == b'\n')
            .and_then(|at| space.get(at + 1..));
        Self {
            indent: line.map(|indent| String::from_utf8_lossy(indent).into_owned()),
            ascii: body.is_ascii(),
        }
    }

    /// A string with its quotes.
    pub(crate) fn text(&self, text: &str) -> String {
        let mut out = String::from("\"");
        for c in text.chars() {
            match c {
                '"' => out.push_str("\\\""),
                '\\' => out.push_str("\\\\"),
                '\n' => out.push_str("\\n"),
                '\r' => out.push_str("\\r"),
                '\t' => out.push_str("\\t"),
                '\u{8}' => out.push_str("\\b"),
                '\u{c}' => out.push_str("\\f"),
                c if (c as u32) < 0x20 || (self.ascii && !c.is_ascii()) => {
                    for unit in c.encode_utf16(&mut [0; 2]) {
                        // Writing to a string cannot fail.
                        let _ = write!(out, "\\u{unit:04x}");
                    }
                }
                c => out.push(c),
            }
        }
        out.push('"');
        out
    }

    /// An object at a depth; its members have their JSON text already.
    pub(crate) fn object(&self, members: &[(&str, String)], depth: usize) -> String {
        let parts: Vec<String> = members
            .iter()
            .map(|(key, value)| format!("{}: {value}", self.text(key)))
            .collect();
        self.bracketed('{', &parts, '}', depth)
    }

    /// A list at a depth; its elements have their JSON text already.
    pub(crate) fn list(&self, elements: &[String], depth: usize) -> String {
        self.bracketed('[', elements, ']', depth)
    }

    fn bracketed(&self, open: char, parts: &[String], close: char, depth: usize) -> String {
        if parts.is_empty() {
            return format!("{open}{close}");
        }
        let (inner, outer) = (self.line(depth + 1), self.line(depth));
        let comma = if self.indent.is_some() { "," } else { ", " };
        format!(
            "{open}{inner}{}{outer}{close}",
            parts.join(&format!("{comma}{inner}"))
        )
    }

    /// A line break with its indentation; nothing where everything stands on one line.
    fn line(&self, depth: usize) -> String {
        self.indent
            .as_ref()
            .map_or_else(String::new, |one| format!("\n{}", one.repeat(depth)))
    }

    /// A member to add after the last one of the document.
    pub(crate) fn member(&self, key: &str, value: &str) -> String {
        let gap = if self.indent.is_some() {
            self.line(1)
        } else {
            " ".to_owned()
        };
        format!(",{gap}{}: {value}", self.text(key))
    }

    /// A list made of raw elements, with the white space that the list had around and between its own.
    pub(crate) fn joined(
        &self,
        body: &[u8],
        whole: &Range<usize>,
        elements: &[Range<usize>],
        texts: &[&[u8]],
    ) -> Vec<u8> {
        let (Some(first), false) = (elements.first(), texts.is_empty()) else {
            let texts: Vec<String> = texts
                .iter()
                .map(|text| String::from_utf8_lossy(text).into_owned())
                .collect();
            return self.list(&texts, 1).into_bytes();
        };
        let last = elements.last().unwrap_or(first);
        let part = |range: Range<usize>| body.get(range).unwrap_or_default();
        let fallback = format!(
            ",{}",
            if self.indent.is_some() {
                self.line(2)
            } else {
                " ".to_owned()
            }
        );
        let between = match elements {
            [a, b, ..] => part(a.end..b.start),
            _ => fallback.as_bytes(),
        };
        [
            part(whole.start..first.start),
            &texts.join(between),
            part(last.end..whole.end),
        ]
        .concat()
    }
}
