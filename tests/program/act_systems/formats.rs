//! The rules of the formats, held against what was written: it parses, and its order, indentation and last
//! newline are the file's own.

use relight::model::{Action, Plan, Preview};
use serde_json::Value;

use super::snapshot::{Node, Tree};
use super::support::Trouble;

/// Holds every file that a plan wrote against its format.
pub(crate) fn hold(plan: &Plan, before: &Tree, after: &Tree) -> Result<(), Trouble> {
    for action in &plan.actions {
        let old = before.get(&action.target).and_then(Node::bytes);
        let new = after.get(&action.target).and_then(Node::bytes);
        let Some(new) = new else {
            continue;
        };
        one(action, old, new)
            .map_err(|why| Trouble(format!("{}: {why}", action.target.display())))?;
    }
    Ok(())
}

fn one(action: &Action, old: Option<&[u8]>, new: &[u8]) -> Result<(), String> {
    let name = action.target.file_name().unwrap_or_default();
    let name = name.to_string_lossy();
    match &action.preview {
        Preview::Content { clock, .. } => {
            if clock.is_some() && memchr::memmem::find(new, b"{now}").is_some() {
                return Err("the clock was not filled in".to_owned());
            }
            if name.ends_with(".json") {
                json(old, new)?;
            }
            Ok(())
        }
        Preview::Rows { .. } => {
            let old = old.unwrap_or_default();
            let prefix = old.starts_with(new) && new.ends_with(b"\n") && new.len() < old.len();
            prefix
                .then_some(())
                .ok_or_else(|| "no prefix of the table".to_owned())
        }
        Preview::Lines { appended, .. } => {
            let old = old.unwrap_or_default();
            let added = new.strip_prefix(old).ok_or("the log's bytes changed")?;
            let added = String::from_utf8_lossy(added);
            let lines: Vec<&str> = added.trim_start_matches('\n').lines().collect();
            if lines.len() != appended.len() || !added.ends_with('\n') {
                return Err(format!("{} lines, not {}", lines.len(), appended.len()));
            }
            let records = name.ends_with(".jsonl");
            let bad = lines.iter().find(|line| {
                records && !serde_json::from_str::<Value>(line).is_ok_and(|v| v.is_object())
            });
            bad.map_or(Ok(()), |line| Err(format!("no record: {line}")))
        }
        Preview::Tree { .. }
        | Preview::Rename { .. }
        | Preview::Appended { .. }
        | Preview::Kept { .. } => Ok(()),
    }
}

/// A JSON file that was edited: what both have is in the same order, and the layout is the old one.
fn json(old: Option<&[u8]>, new: &[u8]) -> Result<(), String> {
    let text = |bytes: &[u8]| {
        let text = String::from_utf8_lossy(bytes).into_owned();
        text.trim_start_matches('\u{feff}').to_owned()
    };
    // A new file is a copy of another, damaged or not.
    let Some(old) = old.map(text) else {
        return Ok(());
    };
    let new = text(new);
    let parsed: Value = serde_json::from_str(&new).map_err(|why| why.to_string())?;
    let Ok(before) = serde_json::from_str::<Value>(&old) else {
        return Ok(());
    };
    if old.ends_with('\n') != new.ends_with('\n') {
        return Err("the last newline changed".to_owned());
    }
    let indent = |text: &str| {
        let line = text.lines().nth(1).unwrap_or_default();
        line.len() - line.trim_start().len()
    };
    if indent(&old) != indent(&new) {
        return Err("the indentation changed".to_owned());
    }
    let keys = |value: &Value| -> Vec<String> {
        value
            .as_object()
            .map(|map| map.keys().cloned().collect())
            .unwrap_or_default()
    };
    let kept: Vec<String> = keys(&parsed);
    let known = keys(&before);
    let common: Vec<&String> = kept.iter().filter(|key| known.contains(key)).collect();
    let order: Vec<&String> = known.iter().filter(|key| kept.contains(key)).collect();
    if common == order {
        Ok(())
    } else {
        Err("the order of the keys changed".to_owned())
    }
}
