//! The byte spans of a JSON document, found in one pass, and the duplicate keys of its objects.

use std::collections::HashMap;
use std::ops::Range;

use serde::de::IgnoredAny;
use serde_json::Value;

use super::{At, next, skip_space, value_end};

/// The nesting limit, the same as serde's.
const DEPTH: usize = 128;
/// How many duplicate keys are listed for one document.
const LISTED: usize = 20;
/// How many characters of a value are shown.
const SHOWN: usize = 60;

/// A document with the byte span of every value in it.
#[derive(Debug, Clone)]
pub(super) struct Document<'a> {
    pub(super) bytes: &'a [u8],
    pub(super) root: Node,
}

/// A value and where it is.
#[derive(Debug, Clone)]
pub(super) struct Node {
    pub(super) span: Range<usize>,
    pub(super) kind: Kind,
}

#[derive(Debug, Clone)]
pub(super) enum Kind {
    Object(Vec<Member>),
    List(Vec<Node>),
    Scalar,
}

impl Kind {
    /// Where its members or elements start.
    pub(super) fn starts(&self) -> Vec<usize> {
        match self {
            Self::Object(members) => members.iter().map(|one| one.start).collect(),
            Self::List(elements) => elements.iter().map(|one| one.span.start).collect(),
            Self::Scalar => Vec::new(),
        }
    }
}

/// A member of an object.
#[derive(Debug, Clone)]
pub(super) struct Member {
    pub(super) key: String,
    /// The byte position where the key starts.
    pub(super) start: usize,
    pub(super) value: Node,
}

/// A key that occurs more than once in an object. Parsers silently take the last value, so the file is ambiguous: it is
/// read but never edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Duplicate {
    /// The position in the document: `stages[1].id`.
    pub path: String,
    /// The key.
    pub key: String,
    /// The earlier value as JSON, shortened.
    pub first: String,
    /// The later value, which parsers use, as JSON, shortened.
    pub second: String,
}

impl<'a> Document<'a> {
    /// Finds the spans; `None` if the bytes are not one JSON document.
    pub(super) fn read(bytes: &'a [u8]) -> Option<Self> {
        let start = if bytes.starts_with(b"\xef\xbb\xbf") {
            3
        } else {
            0
        };
        serde_json::from_slice::<IgnoredAny>(bytes.get(start..)?).ok()?;
        let root = node(bytes, skip_space(bytes, start), DEPTH)?;
        Some(Self { bytes, root })
    }

    /// The parsed document; the last of duplicate keys wins.
    pub(super) fn value(&self) -> Option<Value> {
        serde_json::from_slice(self.text(&self.root.span)).ok()
    }

    pub(super) fn text(&self, span: &Range<usize>) -> &'a [u8] {
        self.bytes.get(span.clone()).unwrap_or_default()
    }

    /// The value at a path.
    pub(super) fn find(&self, path: &[At<'_>]) -> Option<&Node> {
        path.iter().try_fold(&self.root, |node, step| match step {
            At::Key(key) => node.member(key),
            At::Index(index) => match &node.kind {
                Kind::List(elements) => elements.get(*index),
                Kind::Object(_) | Kind::Scalar => None,
            },
        })
    }

    /// The keys that occur more than once in their object, at any depth, in the order of the document.
    pub(super) fn duplicates(&self) -> Vec<Duplicate> {
        let mut found = Vec::new();
        self.collect(&self.root, "", &mut found);
        found
    }

    fn collect(&self, node: &Node, path: &str, found: &mut Vec<Duplicate>) {
        match &node.kind {
            Kind::Scalar => {}
            Kind::List(elements) => {
                for (index, element) in elements.iter().enumerate() {
                    self.collect(element, &format!("{path}[{index}]"), found);
                }
            }
            Kind::Object(members) => {
                let mut seen: HashMap<&str, &Node> = HashMap::new();
                for member in members {
                    let dot = if path.is_empty() { "" } else { "." };
                    let path = format!("{path}{dot}{}", member.key);
                    self.collect(&member.value, &path, found);
                    let first = seen.insert(&member.key, &member.value);
                    if let Some(first) = first.filter(|_| found.len() < LISTED) {
                        found.push(Duplicate {
                            path,
                            key: member.key.clone(),
                            first: self.shown(first),
                            second: self.shown(&member.value),
                        });
                    }
                }
            }
        }
    }

    fn shown(&self, node: &Node) -> String {
        let value: Option<Value> = serde_json::from_slice(self.text(&node.span)).ok();
        let text = value.map_or_else(String::new, |value| value.to_string());
        text.chars().take(SHOWN).collect()
    }
}

impl Node {
    pub(super) fn member(&self, key: &str) -> Option<&Self> {
        match &self.kind {
            Kind::Object(members) => {
                let member = members.iter().rfind(|member| member.key == key);
                member.map(|member| &member.value)
            }
            Kind::List(_) | Kind::Scalar => None,
        }
    }
}

/// The duplicate keys of all objects; none for text that is not JSON.
pub fn duplicates(bytes: &[u8]) -> Vec<Duplicate> {
    Document::read(bytes).map_or_else(Vec::new, |document| document.duplicates())
}

/// The line, counted from 1, of the value at a path; `None` if it is missing or the text is not JSON.
pub fn line(bytes: &[u8], path: &[At<'_>]) -> Option<u64> {
    let document = Document::read(bytes)?;
    let start = document.find(path)?.span.start;
    Some(newlines(bytes, 0, start) + 1)
}

/// The bytes of the value at a path as written; `None` if it is missing or the text is not JSON.
pub fn raw<'a>(bytes: &'a [u8], path: &[At<'_>]) -> Option<&'a [u8]> {
    let document = Document::read(bytes)?;
    Some(document.text(&document.find(path)?.span))
}

/// The lines of the elements of a list, in one pass; empty if there is no such list.
pub fn element_lines(bytes: &[u8], path: &[At<'_>]) -> Vec<u64> {
    let document = Document::read(bytes);
    let Some(Kind::List(elements)) = document.as_ref().and_then(|d| Some(&d.find(path)?.kind))
    else {
        return Vec::new();
    };
    let (mut line, mut counted) = (1, 0);
    let lines = elements.iter().map(|element| {
        line += newlines(bytes, counted, element.span.start);
        counted = element.span.start;
        line
    });
    lines.collect()
}

fn newlines(bytes: &[u8], from: usize, to: usize) -> u64 {
    let between = bytes.get(from..to).unwrap_or_default();
    memchr::memchr_iter(b'\n', between).count() as u64
}

/// The value that starts at `start`. The text must be valid JSON.
fn node(bytes: &[u8], start: usize, depth: usize) -> Option<Node> {
    let depth = depth.checked_sub(1)?;
    let (kind, end) = match bytes.get(start)? {
        b'{' => {
            let mut members = Vec::new();
            let mut at = skip_space(bytes, start + 1);
            while bytes.get(at)? == &b'"' {
                let end = value_end(bytes, at)?;
                let key = serde_json::from_slice(bytes.get(at..end)?).ok()?;
                let value = node(bytes, skip_space(bytes, skip_space(bytes, end) + 1), depth)?;
                let after = value.span.end;
                members.push(Member {
                    key,
                    start: at,
                    value,
                });
                at = next(bytes, after)?;
            }
            (Kind::Object(members), at + 1)
        }
        b'[' => {
            let mut elements = Vec::new();
            let mut at = skip_space(bytes, start + 1);
            while bytes.get(at)? != &b']' {
                let element = node(bytes, at, depth)?;
                at = next(bytes, element.span.end)?;
                elements.push(element);
            }
            (Kind::List(elements), at + 1)
        }
        _ => (Kind::Scalar, value_end(bytes, start)?),
    };
    Some(Node {
        span: start..end,
        kind,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn duplicate_keys_are_found_at_every_depth_with_both_values() {
        let table: [(&str, &[[&str; 4]]); 6] = [
            (r#"{"a":1,"b":{"a":2}}"#, &[]),
            (r#"{"a":1,"a":2}"#, &[["a", "a", "1", "2"]]),
            (
                r#"{"a":1,"x":[{"b":"p","b":[2]}],"a":null}"#,
                &[["x[0].b", "b", "\"p\"", "[2]"], ["a", "a", "1", "null"]],
            ),
            (
                "\u{feff}{\"s\":[0,{\"id\":1, \"id\":2,\"id\" : 3}]}",
                &[["s[1].id", "id", "1", "2"], ["s[1].id", "id", "2", "3"]],
            ),
            (r#"{"a":1,"a":"#, &[]),
            ("[1e-6, null, true, -1]", &[]),
        ];
        for (text, expected) in table {
            let found = duplicates(text.as_bytes());
            let found: Vec<[&str; 4]> = found
                .iter()
                .map(|one| [&*one.path, &*one.key, &*one.first, &*one.second])
                .collect();
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn nesting_beyond_the_limit_is_refused() {
        let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(Document::read(nested(100).as_bytes()).is_some());
        assert!(Document::read(nested(10_000).as_bytes()).is_none());
    }

    #[test]
    fn values_and_elements_have_lines() {
        let text =
            b"{\"a\": 1,\n \"list\": [\n  {\"x\": [1,\n2]},\n  2, 3,\n  \"]\"\n ],\n \"none\": []}";
        assert_eq!(line(text, &[At::Key("list")]), Some(2));
        assert_eq!(line(text, &[At::Key("gone")]), None);
        assert_eq!(element_lines(text, &[At::Key("list")]), [3, 5, 5, 6]);
        assert_eq!(element_lines(text, &[At::Key("none")]), [0; 0]);
        assert_eq!(element_lines(text, &[At::Key("a")]), [0; 0]);
        assert_eq!(
            element_lines(b"{\"list\": [1, ", &[At::Key("list")]),
            [0; 0]
        );
    }
}
