//! Expectation against answer.

use serde_json::{Map, Value};

use super::asked::Answers;
use super::case::Expect;

type Facts = Map<String, Value>;

/// Every difference, a line each; nothing where the answer is as expected.
pub(crate) fn differences(expect: &Expect, found: &Answers) -> Vec<String> {
    let mut lines = Vec::new();
    let mut left: Vec<&Facts> = found.pipelines.iter().collect();
    for wanted in &expect.pipelines {
        for key in ["system", "native", "status"] {
            if !wanted.contains_key(key) {
                lines.push(format!("an expected pipeline has no `{key}`"));
            }
        }
        // Of several with one key the best fit is the one that is meant.
        let best = left
            .iter()
            .enumerate()
            .filter(|(_, facts)| {
                ["system", "native"]
                    .iter()
                    .all(|k| facts.get(*k) == wanted.get(*k))
            })
            .min_by_key(|(_, facts)| between(wanted, facts).len())
            .map(|(at, _)| at);
        match best {
            Some(at) => {
                let facts = left.remove(at);
                let name = named(facts);
                let found = between(wanted, facts);
                lines.extend(found.iter().map(|line| format!("{name}: {line}")));
            }
            None => lines.push(format!("{} was not found", named(wanted))),
        }
    }
    lines.extend(
        left.iter()
            .map(|facts| format!("{} was not expected", named(facts))),
    );
    if let Some(skipped) = expect.skipped
        && skipped != found.skipped.len()
    {
        lines.push(format!(
            "skipped: expected {skipped}, found {:?}",
            found.skipped
        ));
    }
    lines
}

fn named(facts: &Facts) -> String {
    let part = |key| facts.get(key).and_then(Value::as_str).unwrap_or("?");
    format!("{} {}", part("system"), part("native"))
}

/// The keys of one pipeline that differ.
fn between(wanted: &Facts, found: &Facts) -> Vec<String> {
    let mut lines = Vec::new();
    for (key, wanted) in wanted {
        let Some(found) = found.get(key) else {
            lines.push(format!("`{key}` is no key of a pipeline, or it has none"));
            continue;
        };
        match (key.as_str(), wanted, found) {
            ("checks" | "plan" | "plans", Value::Object(wanted), Value::Object(found)) => {
                for (inner, wanted) in wanted {
                    let found = found.get(inner).unwrap_or(&Value::Null);
                    if !fits(inner, found, wanted) {
                        lines.push(format!("{key}.{inner}: expected {wanted}, found {found}"));
                    }
                }
            }
            ("findings", Value::Array(wanted), Value::Array(all)) => {
                for code in wanted {
                    if !all.contains(code) {
                        lines.push(format!("findings: expected {code} among {found}"));
                    }
                }
            }
            _ if wanted == found => {}
            _ => lines.push(format!("{key}: expected {wanted}, found {found}")),
        }
    }
    lines
}

/// A prompt begins as expected: what every hand-off says after it follows from the plan.
fn fits(key: &str, found: &Value, wanted: &Value) -> bool {
    match (key, found, wanted) {
        ("prompt", Value::String(found), Value::String(wanted)) => found.starts_with(wanted),
        _ => covers(found, wanted),
    }
}

/// Equal, or for objects: every expected key equal.
fn covers(found: &Value, wanted: &Value) -> bool {
    match (found, wanted) {
        (Value::Object(found), Value::Object(wanted)) => wanted
            .iter()
            .all(|(key, wanted)| found.get(key).is_some_and(|found| fits(key, found, wanted))),
        _ => found == wanted,
    }
}
