//! Merges a restored state file with the later one: artifacts and history only grow, because their entries describe
//! finished work.

use serde_json::Value;

use crate::formats::json::{self, At, Edit, NonAscii, edit};

/// The saved state with the later lists; `None` if one of them has no checkpoint.
pub(crate) fn merge(saved: &[u8], now: &[u8]) -> Option<Vec<u8>> {
    let (before, later) = (json::object(saved).ok()?, json::object(now).ok()?);
    json::child(&before, "checkpoint")?;
    let later = json::child(&later, "checkpoint")?;
    let lists = ["artifacts", "step_history"].into_iter();
    let edits = lists.filter_map(|key| {
        let list: &Value = later.get(key).filter(|list| list.is_array())?;
        let path = [At::Key("checkpoint"), At::Key(key)];
        Some(Edit::set(path, list.clone()))
    });
    edit(saved, &edits.collect::<Vec<_>>(), NonAscii::Raw).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_kept_and_everything_else_is_restored() {
        let saved =
            br#"{"a": 1.0, "checkpoint": {"resume": "x", "artifacts": [1], "step_history": []}}"#;
        let now =
            br#"{"a": 2, "checkpoint": {"resume": "y", "artifacts": [1, 2], "step_history": [3]}}"#;
        let merged = merge(saved, now).unwrap();
        let text = String::from_utf8(merged).unwrap();
        assert!(
            text.starts_with(r#"{"a": 1.0, "checkpoint": {"resume": "x""#),
            "{text}"
        );
        let value: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(value["checkpoint"]["artifacts"], serde_json::json!([1, 2]));
        assert_eq!(value["checkpoint"]["step_history"], serde_json::json!([3]));
        assert_eq!(merge(br#"{"checkpoint": null}"#, now), None);
    }
}
