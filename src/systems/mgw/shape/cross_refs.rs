//! `cross-refs.json`: the links of an issue.

use serde_json::{Map, Value};

use crate::formats::json;

/// The kinds of link that the orchestrator knows.
const LINKS: &[&str] = &["related", "implements", "tracks", "maps-to", "blocked-by"];

/// One entry of `cross-refs.json`, its two ends normalized.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) a: String,
    pub(crate) b: String,
    pub(crate) kind: String,
}

/// The links, and a sentence for each entry that the orchestrator would skip.
pub(crate) fn links(refs: &Map<String, Value>) -> (Vec<Link>, Vec<String>) {
    let mut links = Vec::new();
    let mut bad = Vec::new();
    for (at, entry) in json::list(refs, "links").iter().enumerate() {
        let entry = entry.as_object();
        let part = |key: &str| entry.and_then(|map| json::text(map, key));
        match (part("a"), part("b"), part("type")) {
            (Some(a), Some(b), Some(kind)) if LINKS.contains(&kind) => links.push(Link {
                a: normal(a),
                b: normal(b),
                kind: kind.to_owned(),
            }),
            (Some(_), Some(_), Some(kind)) => {
                bad.push(format!("entry {} has the unknown type {kind}", at + 1));
            }
            _ => bad.push(format!("entry {} lacks an end or its type", at + 1)),
        }
    }
    (links, bad)
}

/// Normalizes the three notations of an issue: `#42`, `issue:#42` and `issue:42`.
fn normal(reference: &str) -> String {
    let reference = reference.trim();
    if let Some(number) = reference.strip_prefix('#') {
        return format!("issue:{number}");
    }
    reference.replacen(":#", ":", 1)
}

/// The issues at the other end of an issue's links.
pub(crate) fn linked<'a>(links: &'a [Link], number: &str) -> Vec<(&'a str, &'a str)> {
    let own = format!("issue:{number}");
    let of_issue = links.iter().filter_map(|link| {
        let (a, b) = (link.a.as_str(), link.b.as_str());
        let other = (a == own).then_some(b);
        let other = other.or_else(|| (b == own).then_some(a))?;
        Some((link.kind.as_str(), other))
    });
    of_issue.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(text: &str) -> Map<String, Value> {
        json::object(text.as_bytes()).unwrap()
    }

    #[test]
    fn references_are_normalized_and_bad_entries_named() {
        let refs = map(
            r##"{"links":[{"a":"issue:57","b":"branch:issue/57-x","type":"tracks"},
                {"a":"#57","b":"issue:#12","type":"blocked-by"},{"a":"issue:57","b":"pr:3","type":"odd"},
                {"a":"issue:57"},7]}"##,
        );
        let (links, bad) = links(&refs);
        assert_eq!(
            linked(&links, "57"),
            [("tracks", "branch:issue/57-x"), ("blocked-by", "issue:12")]
        );
        assert_eq!(linked(&links, "5"), []);
        assert_eq!(bad.len(), 3);
        assert_eq!(bad[0], "entry 3 has the unknown type odd");
    }
}
