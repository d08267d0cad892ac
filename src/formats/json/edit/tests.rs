use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::formats::json::{one_line, pretty};

fn edited(text: &str, edits: &[Edit<'_>]) -> Result<String, String> {
    edit(text.as_bytes(), edits, NonAscii::Raw).map(|bytes| String::from_utf8(bytes).unwrap())
}

fn set<'a>(path: &[&'a str], value: Value) -> Edit<'a> {
    let path: Vec<At<'_>> = path.iter().map(|key| At::Key(key)).collect();
    Edit::set(path, value)
}

fn push<'a>(path: &[&'a str], value: Value) -> Edit<'a> {
    let path: Vec<At<'_>> = path.iter().map(|key| At::Key(key)).collect();
    Edit::push(path, value)
}

#[test]
fn a_value_is_replaced_in_place() {
    let text =
        "{\n  \"z\": 1.10,\n  \"a\": {\n    \"b\": null\n  },\n  \"big\": 18446744073709551616\n}";
    assert_eq!(
        edited(text, &[set(&["a", "b"], json!({"c": "d", "e": []}))]).unwrap(),
        text.replace("null", "{\n      \"c\": \"d\",\n      \"e\": []\n    }")
    );
    let text = r#"{"a": [1e-6, {"b": 18.0}, "x"]}"#;
    let path = [At::Key("a"), At::Index(1), At::Key("b")];
    assert_eq!(
        edited(text, &[Edit::set(path, 2)]).unwrap(),
        text.replace("18.0", "2")
    );
}

#[test]
fn a_missing_member_comes_last_in_the_layout_of_its_neighbors() {
    let table = [
        (
            "{\n  \"a\": 1\n}\n",
            &["k"][..],
            "{\n  \"a\": 1,\n  \"k\": {\n    \"v\": 1\n  }\n}\n",
        ),
        ("{\"a\":1}", &["k"], "{\"a\":1,\"k\":{\"v\":1}}"),
        ("{\"a\": 1}", &["k"], "{\"a\": 1, \"k\": {\"v\": 1}}"),
        ("{}", &["k"], "{\"k\":{\"v\":1}}"),
        (
            "{\n\t\"a\": {}\n}",
            &["a", "k"],
            "{\n\t\"a\": {\n\t\t\"k\": {\n\t\t\t\"v\": 1\n\t\t}\n\t}\n}",
        ),
        (
            "\u{feff}{\r\n  \"a\": 1\r\n}\r\n",
            &["k"],
            "\u{feff}{\r\n  \"a\": 1,\r\n  \"k\": {\r\n    \"v\": 1\r\n  }\r\n}\r\n",
        ),
        // A file with short lists on one line keeps other values on one line too.
        (
            "{\n  \"a\": [1, 2]\n}",
            &["k"],
            "{\n  \"a\": [1, 2],\n  \"k\": {\"v\": 1}\n}",
        ),
    ];
    for (text, path, expected) in table {
        assert_eq!(
            edited(text, &[set(path, json!({"v": 1}))]).unwrap(),
            expected
        );
    }
    let two = [set(&["k"], json!(1)), set(&["l"], json!([]))];
    assert_eq!(
        edited("{\n  \"a\": 0\n}", &two).unwrap(),
        "{\n  \"a\": 0,\n  \"k\": 1,\n  \"l\": []\n}"
    );
    assert_eq!(edited("{}", &two).unwrap(), "{\"k\":1,\"l\":[]}");
}

#[test]
fn the_escapes_of_the_file_are_kept() {
    let set = |value: &str| [set(&["k"], json!(value))];
    assert_eq!(
        edited(r#"{"t":"\u00e9","k":1}"#, &set("é😀")).unwrap(),
        r#"{"t":"\u00e9","k":"\u00e9\ud83d\ude00"}"#
    );
    assert_eq!(
        edited(r#"{"t":"é","k":1}"#, &set("ü")).unwrap(),
        r#"{"t":"é","k":"ü"}"#
    );
    for (unsure, expected) in [
        (NonAscii::Raw, r#"{"k":"ü"}"#),
        (NonAscii::Escaped, r#"{"k":"\u00fc"}"#),
    ] {
        let bytes = edit(br#"{"k":1}"#, &set("ü"), unsure).unwrap();
        assert_eq!(String::from_utf8(bytes).unwrap(), expected);
    }
}

#[test]
fn an_element_is_added_at_the_end_of_a_list() {
    for (text, expected) in [
        (
            "{\n  \"h\": [\n    {\n      \"n\": 1.10\n    }\n  ]\n}\n",
            "{\n  \"h\": [\n    {\n      \"n\": 1.10\n    },\n    {\n      \"v\": 1\n    }\n  ]\n}\n",
        ),
        (
            "{\n  \"h\": [\n    {\"n\": 1},\n    {\"n\": 2}\n  ]\n}",
            "{\n  \"h\": [\n    {\"n\": 1},\n    {\"n\": 2},\n    {\"v\": 1}\n  ]\n}",
        ),
        (
            "{\n  \"h\": []\n}",
            "{\n  \"h\": [\n    {\n      \"v\": 1\n    }\n  ]\n}",
        ),
        (
            "{\n  \"h\": [],\n  \"s\": [1, 2]\n}",
            "{\n  \"h\": [\n    {\n      \"v\": 1\n    }\n  ],\n  \"s\": [1, 2]\n}",
        ),
        ("{\"h\":[1]}", "{\"h\":[1,{\"v\":1}]}"),
        ("{\"h\":[]}", "{\"h\":[{\"v\":1}]}"),
        ("{}", "{\"h\":[{\"v\":1}]}"),
    ] {
        assert_eq!(
            edited(text, &[push(&["h"], json!({"v": 1}))]).unwrap(),
            expected
        );
    }
}

#[test]
fn elements_are_dropped_and_the_others_keep_their_bytes() {
    let list = |drop: &[usize], add: &[Value]| {
        [Edit::List {
            path: vec![At::Key("h")],
            drop: drop.to_vec(),
            add: add.to_vec(),
        }]
    };
    let text = "{\"h\": [1.50, {\"a\":  1}, 1e3], \"z\": 0}";
    let table: [(&[usize], &[Value], &str); 5] = [
        (&[], &[], "[1.50, {\"a\":  1}, 1e3]"),
        (&[1], &[], "[1.50, 1e3]"),
        (&[0, 2], &[json!(7)], "[{\"a\":  1}, 7]"),
        (&[0, 1, 2], &[json!(7)], "[7]"),
        (&[0, 1, 2], &[], "[]"),
    ];
    for (drop, add, expected) in table {
        assert_eq!(
            edited(text, &list(drop, add)).unwrap(),
            format!("{{\"h\": {expected}, \"z\": 0}}")
        );
    }
}

#[test]
fn an_edit_that_cannot_be_exact_is_refused() {
    let table = [
        (r#"{"k":1,"k":2}"#, "the key `k` is duplicated"),
        (
            r#"{"a":{"k":1},"x":[{"b":1,"b":2}]}"#,
            "the key `x[0].b` is duplicated",
        ),
        (r#"{"a":[]}"#, "`a.k` is missing"),
        ("{}", "`a.k` is missing"),
        (r#"{"a":"#, "it is not valid JSON"),
    ];
    for (text, why) in table {
        assert_eq!(
            edited(text, &[set(&["a", "k"], json!(3))]).unwrap_err(),
            why
        );
    }
    assert_eq!(
        edited(r#"{"h":{}}"#, &[push(&["h"], json!(1))]).unwrap_err(),
        "`h` is not a list"
    );
    let both = [set(&["a"], json!({})), set(&["a", "k"], json!(3))];
    assert!(edited(r#"{"a":{"k":1}}"#, &both).is_err());
}

/// Any JSON, nested a few levels.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            proptest::collection::btree_map(".{0,3}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Every path of a document.
fn paths<'a>(value: &'a Value, path: &mut Vec<At<'a>>, all: &mut Vec<Vec<At<'a>>>) {
    all.push(path.clone());
    let inner: Vec<(At<'a>, &Value)> = match value {
        Value::Object(map) => map.iter().map(|(key, one)| (At::Key(key), one)).collect(),
        Value::Array(list) => list
            .iter()
            .enumerate()
            .map(|(at, one)| (At::Index(at), one))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    };
    for (step, one) in inner {
        path.push(step);
        paths(one, path, all);
        path.pop();
    }
}

/// A document as text: on one line, or indented with tabs.
fn written(value: &Value, pretty: bool) -> String {
    if pretty {
        format!("{value:#}\n").replace("\n  ", "\n\t")
    } else {
        value.to_string()
    }
}

proptest! {
    /// The result parses to the intended document (the edit checks that itself), and no byte outside the value changes.
    #[test]
    fn only_the_value_at_the_path_changes(document in any_json(), new in any_json(), pretty in any::<bool>(), pick in any::<prop::sample::Index>()) {
        let mut all = Vec::new();
        paths(&document, &mut Vec::new(), &mut all);
        let path = pick.get(&all);
        let text = written(&document, pretty);
        let read = Document::read(text.as_bytes()).unwrap();
        let span = read.find(path).unwrap().span.clone();
        let out = edit(text.as_bytes(), &[Edit::Set(path.clone(), new)], NonAscii::Raw).unwrap();
        prop_assert!(out.starts_with(&text.as_bytes()[..span.start]));
        prop_assert!(out.ends_with(&text.as_bytes()[span.end..]));
    }

    #[test]
    fn a_member_or_an_element_can_be_added_anywhere(document in any_json(), new in any_json(), key in ".{0,4}", pretty in any::<bool>()) {
        let mut all = Vec::new();
        paths(&document, &mut Vec::new(), &mut all);
        let text = written(&document, pretty);
        for mut path in all {
            let target = path.iter().try_fold(&document, |at, step| match step {
                At::Key(key) => at.get(*key),
                At::Index(index) => at.get(*index),
            });
            let change = match target.unwrap() {
                Value::Array(_) => Edit::push(path, new.clone()),
                Value::Object(map) if !map.contains_key(&key) => {
                    path.push(At::Key(&key));
                    Edit::set(path, new.clone())
                }
                Value::Null
                | Value::Bool(_)
                | Value::Number(_)
                | Value::String(_)
                | Value::Object(_) => continue,
            };
            let out = edit(text.as_bytes(), &[change], NonAscii::Escaped).unwrap();
            // Only bytes are added, in one place.
            let same = out.iter().zip(text.as_bytes()).take_while(|(a, b)| a == b).count();
            let rest = text.len() - same;
            let tail = text.as_bytes()[same..].iter().rev().zip(out.iter().rev()).take_while(|(a, b)| a == b).count();
            prop_assert_eq!(tail.min(rest), rest);
        }
    }

    #[test]
    fn any_bytes_are_refused_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..60)) {
        drop(edit(&bytes, &[set(&["a", "k"], json!(1))], NonAscii::Raw));
    }
}

/// Only the clock itself is written as the placeholder for the time of writing.
#[test]
fn the_placeholder_for_the_time_is_escaped_where_it_is_only_text() {
    let bytes = br#"{"a": 1}"#;
    let value = |at: &str| json!({"at": at, "text": "x {now}", "{now} y": 1});
    for (at, written) in [("{now}", r#""{\u006eow}""#), (CLOCK.as_str(), r#""{now}""#)] {
        let edits = [Edit::member("b", value(at))];
        let after = String::from_utf8(edit(bytes, &edits, NonAscii::Raw).unwrap()).unwrap();
        let expected = format!(
            r#"{{"a": 1, "b": {{"at": {written}, "text": "x {{\u006eow}}", "{{\u006eow}} y": 1}}}}"#
        );
        assert_eq!(after, expected);
        let parsed: Value = serde_json::from_str(&after).unwrap();
        assert_eq!(parsed["b"], value("{now}"));
        for text in [one_line(&value(at), true).into_bytes(), pretty(&value(at))] {
            let dated = memchr::memmem::find(&text, b"{now}").is_some();
            assert_eq!(dated, at != "{now}");
            assert_eq!(
                serde_json::from_slice::<Value>(&text).unwrap(),
                value("{now}")
            );
        }
    }
}
