//! Sets members of a JSON document by replacing bytes: nothing outside the member changes, and a new member gets the
//! indentation and the escapes of its neighbors.

use serde_json::Value;

use crate::formats::json::{At, replace, span};

/// How a document is written.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Style {
    /// White space of one level, where members stand on lines of their own.
    indent: Option<String>,
    /// True where characters beyond ASCII are written as `\uXXXX`.
    escaped: bool,
}

/// The document with the member `key` of the object at `path` set to a value; `None` where the object is
/// missing, a key occurs twice, or the text is not JSON.
pub(crate) fn set(bytes: &[u8], path: &[&str], key: &str, value: &Value) -> Option<Vec<u8>> {
    let (mark, body) = match bytes.strip_prefix(b"\xef\xbb\xbf") {
        Some(body) => (&b"\xef\xbb\xbf"[..], body),
        None => (&b""[..], bytes),
    };
    let style = style(body);
    let mut at: Vec<At<'_>> = path.iter().map(|key| At::Key(key)).collect();
    let object = span(body, &at)?;
    at.push(At::Key(key));
    let text = written(value, &style, at.len());
    let edited = if span(body, &at).is_some() {
        replace(body, &at, &text)?
    } else if has_key(body.get(object.clone())?, key) {
        // There, and not to be found by its path: it occurs twice.
        return None;
    } else {
        insert(body, object, key, &text, &style, at.len())?
    };
    Some([mark, &edited].concat())
}

/// The document with a value added at the end of the list `key` of the object at `path`; the entries keep their
/// bytes. `None` where the object is missing, the member is no list, or a key occurs twice.
pub(crate) fn append(bytes: &[u8], path: &[&str], key: &str, value: &Value) -> Option<Vec<u8>> {
    let (mark, body) = match bytes.strip_prefix(b"\xef\xbb\xbf") {
        Some(body) => (&b"\xef\xbb\xbf"[..], body),
        None => (&b""[..], bytes),
    };
    let mut at: Vec<At<'_>> = path.iter().map(|key| At::Key(key)).collect();
    let object = span(body, &at)?;
    at.push(At::Key(key));
    let Some(list) = span(body, &at) else {
        if has_key(body.get(object)?, key) {
            return None;
        }
        return set(bytes, path, key, &Value::Array(vec![value.clone()]));
    };
    let inner = body.get(list.start + 1..list.end.checked_sub(1)?)?;
    if body.get(list.start) != Some(&b'[') {
        return None;
    }
    let style = style(body);
    let depth = at.len();
    let end = list.start + 1 + inner.trim_ascii_end().len();
    let comma = if inner.trim_ascii().is_empty() {
        ""
    } else {
        ","
    };
    // Entries that stand on one line get a neighbor on that line.
    let lines = comma.is_empty() || inner.contains(&b'\n');
    let text = if lines {
        written(value, &style, depth + 1)
    } else {
        let indent = None;
        written(
            value,
            &Style {
                indent,
                ..style.clone()
            },
            depth + 1,
        )
    };
    let (before, after) = match &style.indent {
        Some(indent) if lines => (
            format!("\n{}", indent.repeat(depth + 1)),
            format!("\n{}", indent.repeat(depth)),
        ),
        _ if comma.is_empty() => (String::new(), String::new()),
        _ => (spacing(body).to_owned(), String::new()),
    };
    let entry = format!("{comma}{before}{text}{after}");
    let rest = body.get(list.end - 1..)?;
    Some([mark, body.get(..end)?, entry.as_bytes(), rest].concat())
}

fn has_key(object: &[u8], key: &str) -> bool {
    serde_json::from_slice::<Value>(object)
        .ok()
        .and_then(|value| value.as_object().map(|map| map.contains_key(key)))
        .unwrap_or(true)
}

/// The indentation of the first member, and how characters are written.
fn style(body: &[u8]) -> Style {
    let after = body
        .iter()
        .position(|b| *b == b'{')
        .and_then(|open| body.get(open + 1..))
        .unwrap_or_default();
    let space: Vec<u8> = after
        .iter()
        .copied()
        .take_while(u8::is_ascii_whitespace)
        .collect();
    let indent = space
        .iter()
        .rposition(|b| *b == b'\n')
        .and_then(|newline| space.get(newline + 1..))
        .and_then(|indent| String::from_utf8(indent.to_vec()).ok());
    let ascii = body.is_ascii();
    Style {
        indent,
        escaped: ascii && memchr::memmem::find(body, b"\\u").is_some(),
    }
}

/// A value as text for a member at a depth.
fn written(value: &Value, style: &Style, depth: usize) -> String {
    let text = match &style.indent {
        None => value.to_string(),
        Some(indent) => {
            let pretty = format!("{value:#}");
            let mut lines = pretty.lines();
            let mut out = lines.next().unwrap_or_default().to_owned();
            for line in lines {
                let body = line.trim_start_matches(' ');
                let inner = (line.len() - body.len()) / 2;
                out.push('\n');
                out.push_str(&indent.repeat(depth + inner));
                out.push_str(body);
            }
            out
        }
    };
    if style.escaped { escape(&text) } else { text }
}

/// Characters beyond ASCII as `\uXXXX`, in pairs where they need two.
fn escape(text: &str) -> String {
    use std::fmt::Write as _;
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_ascii() {
            out.push(c);
            continue;
        }
        let mut units = [0_u16; 2];
        for unit in c.encode_utf16(&mut units) {
            // Writing to a string cannot fail.
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    out
}

/// A new last member of an object.
fn insert(
    body: &[u8],
    object: std::ops::Range<usize>,
    key: &str,
    text: &str,
    style: &Style,
    depth: usize,
) -> Option<Vec<u8>> {
    let inner = body.get(object.start + 1..object.end.checked_sub(1)?)?;
    if body.get(object.start) != Some(&b'{') {
        return None;
    }
    let end = object.start + 1 + inner.trim_ascii_end().len();
    let comma = if inner.trim_ascii().is_empty() {
        ""
    } else {
        ","
    };
    let key = Value::from(key).to_string();
    let key = if style.escaped { escape(&key) } else { key };
    let (before, colon) = match &style.indent {
        Some(indent) => (format!("\n{}", indent.repeat(depth)), ": "),
        None if comma.is_empty() => (String::new(), ":"),
        None => (
            spacing(inner).to_owned(),
            if spacing(inner).is_empty() { ":" } else { ": " },
        ),
    };
    let tail = match &style.indent {
        Some(indent) if comma.is_empty() => format!("\n{}", indent.repeat(depth - 1)),
        _ => String::new(),
    };
    let rest = if comma.is_empty() {
        body.get(object.end - 1..)?
    } else {
        body.get(end..)?
    };
    let member = format!("{comma}{before}{key}{colon}{text}{tail}");
    Some([body.get(..end)?, member.as_bytes(), rest].concat())
}

/// A space where members on one line are set apart.
fn spacing(inner: &[u8]) -> &'static str {
    if memchr::memmem::find(inner, b"\": ").is_some() {
        " "
    } else {
        ""
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn text(bytes: &str, path: &[&str], key: &str, value: &Value) -> Option<String> {
        set(bytes.as_bytes(), path, key, value).map(|b| String::from_utf8(b).unwrap())
    }

    #[test]
    fn a_member_is_replaced_where_it_stands() {
        let doc = "{\n  \"z\": 1.10,\n  \"a\": {\n    \"b\": null\n  },\n  \"big\": 18446744073709551616\n}";
        assert_eq!(
            text(doc, &["a"], "b", &json!({"c": "d", "e": []})).unwrap(),
            "{\n  \"z\": 1.10,\n  \"a\": {\n    \"b\": {\n      \"c\": \"d\",\n      \"e\": []\n    }\n  },\n  \"big\": 18446744073709551616\n}"
        );
    }

    #[test]
    fn a_missing_member_comes_last_in_the_style_of_its_neighbours() {
        for (doc, path, expected) in [
            (
                "{\n  \"a\": 1\n}\n",
                &[][..],
                "{\n  \"a\": 1,\n  \"k\": {\n    \"v\": 1\n  }\n}\n",
            ),
            ("{\"a\":1}", &[][..], "{\"a\":1,\"k\":{\"v\":1}}"),
            ("{\"a\": 1}", &[][..], "{\"a\": 1, \"k\": {\"v\":1}}"),
            ("{}", &[][..], "{\"k\":{\"v\":1}}"),
            (
                "{\n\t\"a\": {}\n}",
                &["a"][..],
                "{\n\t\"a\": {\n\t\t\"k\": {\n\t\t\t\"v\": 1\n\t\t}\n\t}\n}",
            ),
            (
                "\u{feff}{\"a\":1}",
                &[][..],
                "\u{feff}{\"a\":1,\"k\":{\"v\":1}}",
            ),
        ] {
            assert_eq!(text(doc, path, "k", &json!({"v": 1})).unwrap(), expected);
        }
    }

    #[test]
    fn the_escapes_of_the_document_are_kept() {
        assert_eq!(
            text(r#"{"t":"\u00e9","k":1}"#, &[], "k", &json!("é😀")).unwrap(),
            r#"{"t":"\u00e9","k":"\u00e9\ud83d\ude00"}"#
        );
        assert_eq!(
            text(r#"{"t":"é","k":1}"#, &[], "k", &json!("ü")).unwrap(),
            r#"{"t":"é","k":"ü"}"#
        );
    }

    #[test]
    fn an_entry_is_added_at_the_end_of_a_list_and_the_others_keep_their_bytes() {
        for (doc, expected) in [
            (
                "{\n  \"a\": {\n    \"h\": [\n      {\"n\": 1.10}\n    ]\n  }\n}\n",
                "{\n  \"a\": {\n    \"h\": [\n      {\"n\": 1.10},\n      {\n        \"v\": 1\n      }\n    ]\n  }\n}\n",
            ),
            (
                "{\n  \"a\": {\n    \"h\": []\n  }\n}",
                "{\n  \"a\": {\n    \"h\": [\n      {\n        \"v\": 1\n      }\n    ]\n  }\n}",
            ),
            ("{\"a\":{\"h\":[1]}}", "{\"a\":{\"h\":[1,{\"v\":1}]}}"),
            ("{\"a\":{\"h\":[]}}", "{\"a\":{\"h\":[{\"v\":1}]}}"),
            ("{\"a\":{}}", "{\"a\":{\"h\":[{\"v\":1}]}}"),
        ] {
            let edited = append(doc.as_bytes(), &["a"], "h", &json!({"v": 1})).unwrap();
            assert_eq!(String::from_utf8(edited).unwrap(), expected);
        }
        for doc in [
            "{\"a\":{\"h\":{}}}",
            "{\"a\":{\"h\":[],\"h\":[]}}",
            "{}",
            "[",
        ] {
            assert_eq!(
                append(doc.as_bytes(), &["a"], "h", &json!(1)),
                None,
                "{doc}"
            );
        }
    }

    #[test]
    fn a_key_that_occurs_twice_is_not_written() {
        assert_eq!(text(r#"{"k":1,"k":2}"#, &[], "k", &json!(3)), None);
        assert_eq!(text(r#"{"a":{},"a":{}}"#, &["a"], "k", &json!(3)), None);
        assert_eq!(text(r#"{"a":[]}"#, &["a"], "k", &json!(3)), None);
        assert_eq!(text(r#"{"a":"#, &[], "k", &json!(3)), None);
    }

    proptest! {
        #[test]
        fn only_the_member_changes(
            keys in proptest::collection::btree_map("[a-d]{1,2}", any::<i32>(), 0..6),
            key in "[a-d]{1,2}",
            pretty in any::<bool>(),
            newline in any::<bool>(),
        ) {
            let before = json!(keys);
            let mut doc = if pretty { format!("{before:#}") } else { before.to_string() };
            if newline {
                doc.push('\n');
            }
            let edited = set(doc.as_bytes(), &[], &key, &json!("new")).unwrap();
            let mut expected = before;
            expected.as_object_mut().unwrap().insert(key, json!("new"));
            prop_assert_eq!(serde_json::from_slice::<Value>(&edited).unwrap(), expected);
            prop_assert_eq!(edited.ends_with(b"\n"), newline);
        }

        #[test]
        fn any_bytes_are_refused_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
            drop(set(&bytes, &["a"], "k", &json!(1)));
        }
    }
}
