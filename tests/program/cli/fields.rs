//! The JSON of every pipeline of the sandbox has the fields that the contract lists for each object, and no others.

use std::collections::BTreeMap;

use serde_json::Value;

use super::{json, pipelines};
use crate::act_systems::part::{SOME, tried};

/// What the contract says of a field.
#[derive(Debug, Clone, Copy, Default)]
struct Field {
    nullable: bool,
    optional: bool,
}

type Objects = BTreeMap<String, BTreeMap<String, Field>>;

/// The objects that the contract describes by name: `Check       {"id","remedy"|null,…}`.
fn contract() -> Objects {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/docs/contract.md");
    let page = std::fs::read_to_string(path).unwrap();
    let lines = page.lines().enumerate();
    let begins = |line: &str| line.starts_with(|c: char| c.is_ascii_uppercase());
    let named = lines.filter(|(_, line)| begins(line) && line.contains(" {\""));
    let rest = |from: usize| page.lines().skip(from).collect::<String>();
    named
        .map(|(at, line)| {
            let name = line.split(' ').next().unwrap().to_owned();
            (name, fields(&rest(at)))
        })
        .collect()
}

/// The fields of the first object in a text, without those of the objects within it.
fn fields(text: &str) -> BTreeMap<String, Field> {
    let mut found: BTreeMap<String, Field> = BTreeMap::new();
    let (mut depth, mut name, mut before) = (0, String::new(), ' ');
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '{' | '[' => depth += 1,
            '}' | ']' => depth -= 1,
            '"' => {
                let (string, after) = rest.as_str().split_once('"').unwrap();
                rest = after.chars();
                // After a colon it is a value: `"sure":"certain|likely"`.
                if depth == 1 && before != ':' {
                    string.clone_into(&mut name);
                    found.entry(name.clone()).or_default().optional = after.starts_with('?');
                }
            }
            '|' if depth == 1 && rest.as_str().starts_with("null") => {
                found.get_mut(&name).unwrap().nullable = true;
            }
            _ => {}
        }
        before = c;
        if depth == 0 && !found.is_empty() {
            break;
        }
    }
    found
}

/// The objects at a path of keys, every element of a list.
fn at<'a>(value: &'a Value, path: &str) -> Vec<&'a Value> {
    let each = |value: &'a Value| match value.as_array() {
        Some(all) => all.iter().collect(),
        None => vec![value],
    };
    let steps = path.split('/');
    steps.fold(vec![value], |found, key| {
        let below = found.into_iter().map(|one| &one[key]);
        below.flat_map(each).collect()
    })
}

/// What an object has beside or against its description.
fn wrong(name: &str, object: &Value, objects: &Objects) -> Vec<String> {
    let (Value::Object(has), known) = (object, &objects[name]) else {
        return Vec::new();
    };
    // The contract says once for all objects that these may be there, and that a time may be null.
    let everywhere = |key: &str| key == "zone" || key.ends_with("path_b64");
    let time = |key: &str| key.ends_with("_at");
    let fits = |key: &String, value: &Value| match known.get(key) {
        Some(field) => !value.is_null() || field.nullable || time(key),
        None => everywhere(key),
    };
    let more = has.iter().filter(|(key, value)| !fits(key, value));
    let more = more.map(|(key, value)| {
        let what = if value.is_null() {
            "null"
        } else {
            "not listed"
        };
        format!("{name}.{key} is {what}")
    });
    let less = known.iter().filter(|(_, field)| !field.optional);
    let less = less.filter(|(key, _)| !has.contains_key(*key));
    more.chain(less.map(|(key, _)| format!("{name}.{key} is missing")))
        .collect()
}

#[test]
fn every_object_has_the_fields_of_the_contract() {
    let objects = contract();
    assert!(objects.len() > 20, "{:?}", objects.keys());
    let mut all = Vec::new();
    let mut look = |args: &[&str], places: &[(&str, &str)]| {
        let (_, answer) = json(args);
        for (path, name) in places {
            let found = at(&answer, path).into_iter();
            all.extend(found.flat_map(|object| wrong(name, object, &objects)));
        }
        answer
    };
    for (nth, pipeline) in pipelines().values().enumerate() {
        let id = pipeline["id"].as_str().unwrap();
        for (command, places) in [
            (
                "show",
                &[
                    ("pipeline", "Pipeline"),
                    ("pipeline/cause", "Cause"),
                    ("phases", "Phase"),
                    ("findings", "Finding"),
                ][..],
            ),
            ("why", &[("conversations", "Conversation")]),
            ("timeline", &[("events", "Event")]),
            ("verify", &[("checks", "Check")]),
            ("checkpoints", &[("checkpoints", "Checkpoint")]),
            (
                "compare",
                &[
                    ("metrics", "Metric"),
                    ("dispatches", "Pair"),
                    ("dispatches/a", "Run"),
                    ("dispatches/b", "Run"),
                    ("artifacts", "Artifacts"),
                ],
            ),
        ] {
            look(&[command, id], places);
        }
        let points = look(&["points", id], &[("points", "Point")]);
        let points = at(&points, "points/id").into_iter();
        let points: Vec<&str> = points.filter_map(Value::as_str).collect();
        for point in tried(points, nth, SOME) {
            let plan = [
                ("plan", "Plan"),
                ("plan/point/checkpoint", "Checkpoint"),
                ("plan/actions", "Action"),
                ("plan/handoff", "Handoff"),
                ("plan/irreversible", "Irreversible"),
            ];
            look(&["plan", id, point], &plan);
        }
    }
    all.sort();
    all.dedup();
    assert!(all.is_empty(), "\n{}\n", all.join("\n"));
}
