//! The record of an amendment.

use serde_json::{Map, Value, json};

use crate::formats::json::{At, Edit};
use crate::model::AmendKind;
use crate::systems::superscientist::facts::Flow;
use crate::systems::superscientist::record::{Approval, Draft, NOW, one_line};

/// The record of an amendment, the new version, and its line of the log.
pub(crate) fn amendment<'a>(
    flow: &Flow,
    stage: &str,
    kind: AmendKind,
    approval: &Approval<'_>,
    changes: Map<String, Value>,
    invalidated: Vec<Value>,
) -> Draft<'a> {
    let usual = if kind == AmendKind::StageSkip {
        "Skipped by the user's decision"
    } else {
        "Re-run by the user's decision"
    };
    let description = approval.reason.unwrap_or(usual);
    let (kind, by) = (kind.word(), approval.by);
    let file = &flow.state;
    let numbers = file.amendments.iter();
    let numbers = numbers.filter_map(|a| a.id.strip_prefix("amend-")?.parse::<usize>().ok());
    let highest = numbers.max().unwrap_or(0).max(file.amendments.len());
    let number = highest.saturating_add(1);
    let version = file.version.unwrap_or(1).saturating_add(1);
    let id = format!("amend-{number}");
    let mut record = Map::new();
    let members = [
        ("id", json!(id)),
        ("version", json!(version)),
        ("timestamp", json!(NOW)),
        ("type", json!(kind)),
        ("stage_id", json!(stage)),
        ("description", json!(description)),
        ("changes", Value::Object(changes)),
        ("invalidated_stages", Value::Array(invalidated)),
        ("approved_by", json!(by)),
    ];
    record.extend(members.map(|(key, value)| (key.to_owned(), value)));
    let (stage, by) = (one_line(stage), one_line(by));
    let what = description.trim_end_matches('.');
    Draft {
        changes: vec![
            Edit::push([At::Key("amendments")], record),
            Edit::member("version", version),
        ],
        lines: vec![format!(
            "[{NOW}] Amendment {id} ({kind}): {stage}. {what}. Approved by {by}."
        )],
        amends: true,
        ..Draft::default()
    }
}
