//! The record of an amendment (format note, section b.2).

use serde_json::{Map, Value, json};

use super::edit::Change;
use super::steps::{Draft, NOW, one_line};
use crate::systems::superscientist::facts::Flow;
use crate::systems::superscientist::files::Stage;

/// The record of an amendment, the new version, and its line of the log.
pub(super) fn amendment(
    flow: &Flow,
    stage: &Stage,
    kind: &str,
    description: &str,
    changes: Value,
    invalidated: Vec<Value>,
) -> Draft {
    let file = &flow.state;
    let highest = file
        .amendments
        .iter()
        .filter_map(|a| a.id.strip_prefix("amend-")?.parse::<usize>().ok())
        .max();
    let number = highest
        .unwrap_or(0)
        .max(file.amendments.len())
        .saturating_add(1);
    let version = file.version.unwrap_or(1).saturating_add(1);
    let id = format!("amend-{number}");
    let mut record = Map::new();
    let members = [
        ("id", json!(id)),
        ("version", json!(version)),
        ("timestamp", json!(NOW)),
        ("type", json!(kind)),
        ("stage_id", json!(stage.id)),
        ("description", json!(description)),
        ("changes", changes),
        ("invalidated_stages", Value::Array(invalidated)),
        ("approved_by", json!("user")),
    ];
    record.extend(members.map(|(key, value)| (key.to_owned(), value)));
    let mut draft = Draft {
        changes: vec![
            Change::Amend(record),
            Change::Top("version", json!(version)),
        ],
        amends: true,
        ..Draft::default()
    };
    let text = format!(
        "Amendment {id} ({kind}): {}. {}. Approved by user.",
        one_line(&stage.id),
        description.trim_end_matches('.')
    );
    draft.lines.push(format!("[{NOW}] {text}"));
    draft
}
