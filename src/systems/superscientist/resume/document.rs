//! The byte spans of a state file, found in one pass: members of the document, elements of `stages` and their
//! members. Edits are cut into these spans, and nothing outside them changes.

use std::ops::Range;

use crate::formats::json::{next, open, skip_space, value_end};

/// A member of an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Member {
    pub(super) key: String,
    /// Where the key begins.
    pub(super) start: usize,
    pub(super) value: Range<usize>,
}

/// An object with its members.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Object {
    pub(super) span: Range<usize>,
    pub(super) members: Vec<Member>,
}

impl Object {
    /// The member of a key, if it occurs once.
    pub(super) fn member(&self, key: &str) -> Option<&Member> {
        let mut found = self.members.iter().filter(|m| m.key == key);
        let first = found.next()?;
        found.next().is_none().then_some(first)
    }
}

/// The spans of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Document {
    pub(super) top: Object,
    /// One for each element of `stages`.
    pub(super) stages: Vec<Object>,
}

impl Document {
    /// Finds the spans; `None` for text that is not one JSON object with a list of stages.
    pub(super) fn read(bytes: &[u8]) -> Option<Self> {
        let start = if bytes.starts_with(b"\xef\xbb\xbf") {
            3
        } else {
            0
        };
        serde_json::from_slice::<serde::de::IgnoredAny>(bytes.get(start..)?).ok()?;
        let top = object(bytes, skip_space(bytes, start))?;
        let stages = elements(bytes, top.member("stages")?.value.start)?
            .into_iter()
            .map(|span| object(bytes, span.start))
            .collect::<Option<Vec<Object>>>()?;
        Some(Self { top, stages })
    }
}

/// The spans of a list's elements.
pub(super) fn elements(bytes: &[u8], list: usize) -> Option<Vec<Range<usize>>> {
    let mut at = open(bytes, list, b'[')?;
    let mut spans = Vec::new();
    while bytes.get(at)? != &b']' {
        let end = value_end(bytes, at)?;
        spans.push(at..end);
        at = next(bytes, end)?;
    }
    Some(spans)
}

fn object(bytes: &[u8], start: usize) -> Option<Object> {
    let mut at = open(bytes, start, b'{')?;
    let mut members = Vec::new();
    while bytes.get(at)? == &b'"' {
        let key_end = value_end(bytes, at)?;
        let key = serde_json::from_slice(bytes.get(at..key_end)?).ok()?;
        let value = skip_space(bytes, skip_space(bytes, key_end) + 1);
        let end = value_end(bytes, value)?;
        members.push(Member {
            key,
            start: at,
            value: value..end,
        });
        at = next(bytes, end)?;
    }
    Some(Object {
        span: start..at + 1,
        members,
    })
}
