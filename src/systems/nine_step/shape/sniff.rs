//! Distinguishes a nine-step state file from files of other tools with the same name.

use serde_json::{Map, Value};

use crate::formats::json;
use crate::systems::kit::damage::Damage;
use crate::systems::nine_step::shape::{StepNo, missing};

/// The content of a file with a matching name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Shape {
    /// A state file of this system.
    Ours,
    /// Truncated, corrupt or without required keys: ours only with other evidence.
    Partial(Damage),
    /// A file of another tool; why.
    Foreign(String),
}

/// Keys that only this system writes.
const OWN: [&str; 4] = [
    "feature_name",
    "current_step",
    "last_execution",
    "completed_steps",
];

/// Keys of other tools' files with this name, and the conclusion.
#[rustfmt::skip]
const OTHERS: [(&str, &str); 6] = [
    ("stages", "it lists stages, so another system wrote it"),
    ("workflow_id", "it has a workflow_id, as another tool writes"),
    ("workflowId", "it has a workflowId, as another tool writes"),
    ("skill", "it names a skill, as another tool writes"),
    ("applied_edits", "it lists applied edits, as another tool writes"),
    ("steps", "it lists named steps, as another tool writes"),
];

/// Looks at the bytes of a file.
pub(crate) fn of(bytes: &[u8]) -> Shape {
    let map = match json::object(bytes) {
        Ok(map) => map,
        Err(error) => return Shape::Partial(error.into()),
    };
    let lists_stages = !json::list(&map, "stages").is_empty();
    match problem(&map) {
        None if !lists_stages => Shape::Ours,
        missing => foreign(&map, missing.unwrap_or_default()),
    }
}

/// The first required member that is missing or of another type.
fn problem(map: &Map<String, Value>) -> Option<String> {
    if let Some(why) = missing(map) {
        return Some(why);
    }
    let Some(last) = json::child(map, "last_execution") else {
        return Some("last_execution is not an object".to_owned());
    };
    let number = |value: &Value| value.is_number() || StepNo::read(value).is_some();
    let why = if json::int(map, "current_phase").is_none() {
        "current_phase is not a number"
    } else if !last.get("step").is_some_and(number) {
        "last_execution has no numeric step"
    } else if !last.get("status").is_some_and(Value::is_string) {
        "last_execution has no status"
    } else if last.get("phase").is_none_or(Value::is_null) {
        "last_execution has no phase"
    } else {
        return None;
    };
    Some(why.to_owned())
}

/// A file with missing members: foreign if it has another tool's keys or none of ours.
fn foreign(map: &Map<String, Value>, missing: String) -> Shape {
    if let Some((_, why)) = OTHERS.iter().find(|(key, _)| map.contains_key(*key)) {
        return Shape::Foreign((*why).to_owned());
    }
    let named_phase = map.get("current_phase").and_then(Value::as_str);
    if named_phase.is_some_and(|phase| phase.trim().parse::<f64>().is_err()) {
        return Shape::Foreign("its current phase is a name, as another tool writes".to_owned());
    }
    if !OWN.iter().any(|key| map.contains_key(*key)) {
        return Shape::Foreign("it has none of this system's fields".to_owned());
    }
    Shape::Partial(Damage::new("missing-field", missing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accepts_its_own_shape_and_rejects_those_of_other_tools() {
        let ours = [
            r#"{"feature_name":"x","current_phase":1,"current_step":2.5,"last_execution":{"phase":1,"step":2.5,"status":"waiting_approval"}}"#,
            r#"{"feature_name":"x","current_phase":"1","current_step":"3","last_execution":{"phase":"1","step":"2.5","status":"?"}}"#,
            "\u{feff}{\"feature_name\":\"x\",\"current_phase\":1,\"current_step\":12,\"last_execution\":{\"phase\":1,\"step\":12,\"status\":\"x\"}}",
        ];
        for text in ours {
            assert_eq!(of(text.as_bytes()), Shape::Ours, "{text}");
        }
        let foreign = [
            "{}",
            r#"{"workflow_id":"w","stages":[{"id":"a","status":"done","depends_on":[]}]}"#,
            r#"{"workflow_id":"w","current_step":3}"#,
            r#"{"steps":[{"id":1,"name":"a","startTime":0}],"current_step":1}"#,
            r#"{"skill":"x","current_step":1}"#,
            r#"{"applied_edits":[]}"#,
            r#"{"current_phase":"planning","current_step":1,"feature_name":"x"}"#,
            r#"{"phase":"build","status":"ok"}"#,
            r#"{"feature_name":"x","current_phase":1,"current_step":3,"last_execution":{"phase":1,"step":3,"status":"x"},"stages":[{}]}"#,
        ];
        for text in foreign {
            assert!(matches!(of(text.as_bytes()), Shape::Foreign(_)), "{text}");
        }
        let partial = [
            "",
            "{\"feature_name\": \"x\", ",
            "[]",
            r#"{"feature_name":"x","current_phase":1,"current_step":3}"#,
            r#"{"feature_name":"x","current_phase":1,"current_step":3,"last_execution":"x"}"#,
            r#"{"feature_name":"x","current_phase":1,"current_step":3,"last_execution":{"phase":1,"step":3}}"#,
            r#"{"feature_name":"x","current_phase":1,"current_step":3,"last_execution":{"phase":1,"step":"a","status":"x"}}"#,
        ];
        for text in partial {
            assert!(matches!(of(text.as_bytes()), Shape::Partial(_)), "{text}");
        }
    }
}
