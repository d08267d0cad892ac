//! Edits of the state file as byte splices: a value's span is replaced, a member or an amendment inserted in
//! the style of its neighbours. The result is parsed and held against the intended model before it is used
//! (format note, section h).

use std::ops::Range;

use serde_json::{Map, Value};

use super::document::{Document, Member, Object, elements};
use crate::systems::superscientist::files::State;

/// One intended change.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Change {
    /// A member of the document gets a value.
    Top(&'static str, Value),
    /// A member of a stage gets a value.
    Stage(usize, &'static str, Value),
    /// An amendment is appended.
    Amend(Map<String, Value>),
}

/// The file with the changes made; `None` where they cannot be made exactly.
pub(super) fn apply(state: &State, changes: &[Change]) -> Option<Vec<u8>> {
    let bytes = &state.bytes;
    let document = Document::read(bytes)?;
    let mut cuts: Vec<(Range<usize>, String)> = Vec::new();
    for change in changes {
        cuts.push(match change {
            Change::Top(key, value) => set(bytes, &document.top, key, value)?,
            Change::Stage(at, key, value) => set(bytes, document.stages.get(*at)?, key, value)?,
            Change::Amend(record) => amend(bytes, &document.top, record)?,
        });
    }
    cuts.sort_by_key(|(span, _)| (span.start, span.end));
    let mut out = Vec::with_capacity(bytes.len() + 512);
    let mut at = 0;
    for (span, text) in cuts {
        out.extend_from_slice(bytes.get(at..span.start)?);
        out.extend_from_slice(text.as_bytes());
        at = span.end;
    }
    out.extend_from_slice(bytes.get(at..)?);
    let body = out.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&out);
    let seen: Map<String, Value> = serde_json::from_slice(body).ok()?;
    (seen == intended(state, changes)?).then_some(out)
}

/// The model that the edited file must parse to.
fn intended(state: &State, changes: &[Change]) -> Option<Map<String, Value>> {
    let mut map = state.map.clone();
    for change in changes {
        match change {
            Change::Top(key, value) => {
                map.insert((*key).to_owned(), value.clone());
            }
            Change::Stage(at, key, value) => {
                let object = map.get_mut("stages")?.get_mut(*at)?.as_object_mut()?;
                object.insert((*key).to_owned(), value.clone());
            }
            Change::Amend(record) => {
                let list = map
                    .entry("amendments")
                    .or_insert_with(|| Value::Array(Vec::new()));
                list.as_array_mut()?.push(Value::Object(record.clone()));
            }
        }
    }
    Some(map)
}

/// Replaces a member's value, or adds the member behind the last one.
fn set(bytes: &[u8], object: &Object, key: &str, value: &Value) -> Option<(Range<usize>, String)> {
    let text = inline(value);
    if object.members.iter().any(|m| m.key == key) {
        return Some((object.member(key)?.value.clone(), text));
    }
    Some(behind(
        bytes,
        object,
        &format!("{}: {text}", inline(&Value::from(key))),
    ))
}

/// Text put behind the last member, with the white space that stands before that member.
fn behind(bytes: &[u8], object: &Object, member: &str) -> (Range<usize>, String) {
    match object.members.last() {
        None => (
            object.span.start + 1..object.span.start + 1,
            member.to_owned(),
        ),
        Some(last) => {
            let gap = gap(bytes, last.start);
            (last.value.end..last.value.end, format!(",{gap}{member}"))
        }
    }
}

/// The white space before a place.
fn gap(bytes: &[u8], at: usize) -> String {
    let before = bytes.get(..at).unwrap_or_default();
    let len = before
        .iter()
        .rev()
        .take_while(|b| b.is_ascii_whitespace())
        .count();
    let from = before.len() - len;
    String::from_utf8_lossy(before.get(from..).unwrap_or_default()).into_owned()
}

/// Appends an amendment in the style of the list: on lines of its own where the file has lines.
fn amend(
    bytes: &[u8],
    top: &Object,
    record: &Map<String, Value>,
) -> Option<(Range<usize>, String)> {
    let Some(member) = top.members.iter().find(|m| m.key == "amendments") else {
        let gap = top
            .members
            .last()
            .map(|m| gap(bytes, m.start))
            .unwrap_or_default();
        let text = format!("\"amendments\": {}", list_of(record, &gap));
        return Some(behind(bytes, top, &text));
    };
    let Member { start, value, .. } = top.member(&member.key)?;
    let spans = elements(bytes, value.start)?;
    let Some(last) = spans.last() else {
        return Some((value.clone(), list_of(record, &gap(bytes, *start))));
    };
    let between = gap(bytes, last.start);
    let unit = indent(&gap(bytes, *start));
    let text = format!(
        ",{}{}",
        if between.is_empty() { " " } else { &between },
        object(record, &between, &unit)
    );
    Some((last.end..last.end, text))
}

/// A list of one record, for a member that stands behind `gap`.
fn list_of(record: &Map<String, Value>, gap: &str) -> String {
    if !gap.contains('\n') {
        return format!("[{}]", object(record, "", ""));
    }
    let unit = indent(gap);
    let inner = format!("{gap}{unit}");
    format!("[{inner}{}{gap}]", object(record, &inner, &unit))
}

/// One level of indentation, as the white space before a member of the document shows it.
fn indent(gap: &str) -> String {
    gap.rsplit('\n')
        .next()
        .filter(|unit| !unit.is_empty())
        .unwrap_or("  ")
        .to_owned()
}

/// An object over lines where `gap` breaks the line, else inline. Its values are inline.
fn object(record: &Map<String, Value>, gap: &str, unit: &str) -> String {
    if !gap.contains('\n') {
        return inline(&Value::Object(record.clone()));
    }
    let newline = if gap.contains("\r\n") { "\r\n" } else { "\n" };
    let margin = gap.rsplit('\n').next().unwrap_or_default();
    let members: Vec<String> = record
        .iter()
        .map(|(key, value)| {
            format!(
                "{margin}{unit}{}: {}",
                inline(&Value::from(key.as_str())),
                inline(value)
            )
        })
        .collect();
    format!(
        "{{{newline}{}{newline}{margin}}}",
        members.join(&format!(",{newline}"))
    )
}

/// JSON on one line with a space behind colons and commas, as the files have it.
fn inline(value: &Value) -> String {
    match value {
        Value::Array(list) => {
            let parts: Vec<String> = list.iter().map(inline).collect();
            format!("[{}]", parts.join(", "))
        }
        Value::Object(map) => {
            let parts: Vec<String> = map
                .iter()
                .map(|(key, value)| format!("{}: {}", Value::from(key.as_str()), inline(value)))
                .collect();
            format!("{{{}}}", parts.join(", "))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::systems::superscientist::tests::{document, parsed};

    fn record() -> Map<String, Value> {
        let value =
            json!({"id": "amend-1", "version": 2, "invalidated_stages": ["stage-1", "stage-2"]});
        value.as_object().unwrap().clone()
    }

    fn edited(text: &str, changes: &[Change]) -> String {
        String::from_utf8(apply(&parsed(text), changes).unwrap()).unwrap()
    }

    #[test]
    fn an_amendment_lands_in_the_style_of_the_file() {
        let text = document(&[("stage-1", "completed", &[])]);
        let once = edited(
            &text,
            &[Change::Amend(record()), Change::Top("version", json!(2))],
        );
        let added = "[\n    {\n      \"id\": \"amend-1\",\n      \"version\": 2,\n      \"invalidated_stages\": [\"stage-1\", \"stage-2\"]\n    }\n  ]";
        let expected = text
            .replace("\"amendments\": []", &format!("\"amendments\": {added}"))
            .replace("\"version\": 1,", "\"version\": 2,");
        assert_eq!(once, expected);
        let twice = edited(&once, &[Change::Amend(record())]);
        assert_eq!(twice.matches("    {\n      \"id\": \"amend-1\"").count(), 2);
        assert!(twice.contains("    },\n    {\n      \"id\": \"amend-1\""));
    }

    #[test]
    fn every_style_of_file_takes_an_amendment() {
        let stages = r#""stages": [{"id": "stage-1", "status": "ready", "depends_on": []}]"#;
        let table = [
            (format!("{{\"amendments\": [], {stages}}}"), ""),
            (format!("{{{stages}}}"), ""),
            (
                format!("{{\"amendments\":[{{\"id\":\"amend-0\"}}],{stages}}}"),
                "",
            ),
            (
                format!("\u{feff}{{\r\n\t\"amendments\": [],\r\n\t{stages}\r\n}}\r\n"),
                "\r\n\t\t{\r\n\t\t\t\"id\"",
            ),
        ];
        for (text, part) in table {
            let state = {
                let map = crate::formats::json::object(text.as_bytes()).unwrap();
                State::read(text.clone().into_bytes(), map).unwrap()
            };
            let new = apply(&state, &[Change::Amend(record())]);
            let new = String::from_utf8(new.unwrap_or_else(|| panic!("{text}"))).unwrap();
            assert!(new.contains(part), "{new}");
        }
    }

    #[test]
    fn nothing_outside_the_spans_changes() {
        let text = document(&[
            ("stage-1", "failed", &[]),
            ("stage-2", "pending", &["stage-1"]),
        ]);
        let new = edited(
            &text,
            &[
                Change::Stage(0, "status", json!("ready")),
                Change::Stage(0, "retry_count", json!(1)),
                Change::Stage(1, "note", json!("x")),
            ],
        );
        let expected = text
            .replacen("\"status\": \"failed\"", "\"status\": \"ready\"", 1)
            .replacen("\"retry_count\": 0", "\"retry_count\": 1", 1);
        let tail = "\"running_process\": null\n    }\n  ]";
        let expected = expected.replace(
            tail,
            &tail.replace("null\n    }", "null,\n      \"note\": \"x\"\n    }"),
        );
        assert_eq!(new, expected);
        assert!(new.contains("1e-6") && new.contains("κ\": 18.0"));
    }

    #[test]
    fn a_key_that_occurs_twice_is_never_edited() {
        let text = document(&[("stage-1", "failed", &[])]).replacen(
            "\"retry_count\": 0",
            "\"retry_count\": 0, \"retry_count\": 1",
            1,
        );
        assert_eq!(
            apply(&parsed(&text), &[Change::Stage(0, "retry_count", json!(2))]),
            None
        );
    }

    proptest! {
        #[test]
        fn any_value_fits_anywhere(name in any::<String>(), count in any::<i64>()) {
            let text = document(&[("stage-1", "failed", &[]), ("stage-2", "pending", &[])]);
            let changes = [Change::Stage(1, "name", json!(name)), Change::Stage(0, "retry_count", json!(count)), Change::Top("updated", json!(name))];
            prop_assert!(apply(&parsed(&text), &changes).is_some());
        }
    }
}
