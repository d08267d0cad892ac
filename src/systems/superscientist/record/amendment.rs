//! The record of an amendment.

use serde_json::{Map, Value, json};

use crate::formats::json::{At, Edit};
use crate::systems::superscientist::facts::Flow;
use crate::systems::superscientist::record::{Draft, NOW, one_line, set_top};
use crate::systems::superscientist::shape::Stage;

/// The record of an amendment, the new version, and its line of the log.
pub(crate) fn amendment(
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
            Edit::push([At::Key("amendments")], record),
            set_top("version", version),
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
