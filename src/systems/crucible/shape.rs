//! Crucible's files on disk, parsed leniently and without deciding anything.

mod documents;
pub(crate) mod manifest;
pub(crate) mod sniff;

use serde_json::{Map, Value};

use crate::formats::{json, markdown, stamp};
use crate::model::{LocalTime, Stamp};
use crate::world::files::Entry as FileEntry;

pub(crate) use documents::{
    GateVerdict, Handoff, Ledger, LedgerPhase, Receipt, StatusPage, cairn, dispatch, gate_verdict,
    handoff, handoff_name, is_scratch_document, ledger, receipts, status_page,
};

pub(crate) use manifest::{Entry, Manifest, Reread, StartTimes, Sym};

/// Whether a text has the form of a commit id, possibly shortened.
pub(crate) fn is_commit_id(text: &str) -> bool {
    (7..=40).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// A row of the checkpoint table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TableRow {
    /// 7 to 40 hex.
    pub(crate) hash: String,
    pub(crate) reason: String,
}

/// The rows of a `checkpoint-manifest.md`, a pipe table next to a shadow store, without header and rules.
pub(crate) fn table(text: &str) -> Vec<TableRow> {
    text.lines().filter_map(row).collect()
}

fn row(line: &str) -> Option<TableRow> {
    let cells = markdown::cells(line)?;
    // The time has no zone, so the commit's own time is used instead.
    let [hash, _at, reason, _source] = cells.as_slice() else {
        return None;
    };
    is_commit_id(hash).then(|| TableRow {
        hash: hash.to_ascii_lowercase(),
        reason: (*reason).to_owned(),
    })
}

/// True if a directory listing is that of a git directory.
pub(crate) fn is_git_dir_listing(entries: &[FileEntry]) -> bool {
    let has = |name: &str, dir: bool| entries.iter().any(|e| e.name == name && e.is_dir == dir);
    has("HEAD", false) && has("objects", true)
}

/// A marker. It does not contain the project's path.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Marker {
    pub(crate) pipeline_id: String,
    pub(crate) skill: String,
    pub(crate) phase: Option<String>,
    pub(crate) start_time: Option<Stamp>,
    pub(crate) scratch_dir: Option<String>,
    pub(crate) dispatch_dir: Option<String>,
    /// Empty for a detached HEAD, `None` before branches were recorded.
    pub(crate) branch: Option<String>,
    pub(crate) baseline_sha: Option<String>,
    /// True for the four text lines of the first versions.
    pub(crate) ancient: bool,
}

/// Why a file of this name is not a marker of crucible.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NotAMarker {
    /// The reason, without any of the file's bytes.
    pub(crate) why: String,
    /// True if it looks like truncated or damaged JSON.
    pub(crate) damaged: bool,
}

/// Reads a marker.
pub(crate) fn marker(bytes: &[u8], zone: &dyn LocalTime) -> Result<Marker, NotAMarker> {
    let no = |why: &str, damaged| NotAMarker {
        why: why.to_owned(),
        damaged,
    };
    match json::object(bytes) {
        Ok(map) => of_json(&map, zone)
            .ok_or_else(|| no("the JSON has no string `pipeline_id` and `skill`", false)),
        Err(error) if bytes.trim_ascii_start().starts_with(b"{") => {
            Err(no(&format!("damaged JSON: {}", error.text), true))
        }
        Err(_) => of_lines(&String::from_utf8_lossy(bytes), zone)
            .ok_or_else(|| no("it is not a marker of crucible", false)),
    }
}

/// Whether a truncated marker still shows that it is of a session. An id that ends with the file is compared as far as
/// it goes; eight digits of a Unix time tell runs apart that began more than two minutes from each other.
pub(crate) fn begins_marker(bytes: &[u8], session: &str) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let value = text.split_once("\"pipeline_id\"").map(|(_, rest)| rest);
    let value = value.and_then(|rest| rest.trim_start().strip_prefix(':'));
    let value = value.and_then(|rest| rest.trim_start().strip_prefix('"'));
    value.is_some_and(|value| match value.split_once('"') {
        Some((id, _)) => id == session,
        None => value.len() >= 8 && session.starts_with(value),
    })
}

fn of_json(map: &Map<String, Value>, zone: &dyn LocalTime) -> Option<Marker> {
    let text = |key: &str| json::owned(map, key);
    let id = text("pipeline_id").filter(|id| !id.trim().is_empty())?;
    Some(Marker {
        pipeline_id: id,
        skill: text("skill")?,
        phase: map.get("phase").and_then(|phase| match phase {
            Value::String(text) => Some(text.clone()),
            Value::Number(number) => Some(number.to_string()),
            Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
        }),
        start_time: text("start_time").and_then(|t| stamp::parse(&t, zone)),
        scratch_dir: text("scratch_dir"),
        dispatch_dir: text("dispatch_dir"),
        branch: text("branch"),
        baseline_sha: text("baseline_sha").filter(|sha| is_commit_id(sha)),
        ancient: false,
    })
}

fn of_lines(text: &str, zone: &dyn LocalTime) -> Option<Marker> {
    let value = |key| markdown::value(text.lines(), key).map(str::to_owned);
    Some(Marker {
        pipeline_id: value("session-id").filter(|id| !id.is_empty())?,
        skill: value("pipeline")?,
        start_time: value("started").and_then(|t| stamp::parse(&t, zone)),
        dispatch_dir: value("dispatch-dir"),
        ancient: true,
        ..Marker::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::clock::FixedClock;

    #[test]
    fn reads_rows_with_or_without_a_header() {
        let text = "| Hash | Time | Reason | Source |\n|---|---|---|---|\n| 3FA91c02 | 2026-04-08 10:02:11 | pre-plan-gate | build |\n| xyz | a | b | c |\n| 77be04d1 | soon | pre-wave-1 | build |\n| 77be04d1 | pre-wave-1 |\n";
        let rows = table(text);
        let seen: Vec<_> = rows
            .iter()
            .map(|r| (r.hash.as_str(), r.reason.as_str()))
            .collect();
        assert_eq!(
            seen,
            [("3fa91c02", "pre-plan-gate"), ("77be04d1", "pre-wave-1")]
        );
    }

    #[test]
    fn markers_of_every_version_differ_from_other_files() {
        let zone = FixedClock("2026-04-08T12:00:00Z".parse().unwrap());
        let table = [
            (
                r#"{"pipeline_id":"1","skill":"build","phase":3,"branch":""}"#,
                Some(("1", Some("3"), Some(""))),
            ),
            (
                r#"{"pipeline_id":"u-u","skill":"debugging","phase":"3.5"}"#,
                Some(("u-u", Some("3.5"), None)),
            ),
            (
                "pipeline: build\nsession-id: 7\nstarted: 2026-04-08T09:00:00Z\ndispatch-dir: /tmp/x\n",
                Some(("7", None, None)),
            ),
            ("running", None),
            (r#"{"pipeline_id":7,"skill":"build"}"#, None),
            (r#"{"pipeline_id":"7"}"#, None),
            (r#"{"pipeline_id":"7","skill":"bui"#, None),
            ("", None),
        ];
        for (text, want) in table {
            let got = marker(text.as_bytes(), &zone).ok();
            let got = got.as_ref().map(|m| {
                (
                    m.pipeline_id.as_str(),
                    m.phase.as_deref(),
                    m.branch.as_deref(),
                )
            });
            assert_eq!(got, want, "{text}");
        }
        for (text, of_seven) in [
            (r#"{"pipeline_id":"1775642282","skill":"bui"#, true),
            (r#"{"pipeline_id" : "1775642282"#, true),
            (r#"{"pipeline_id":"17756422"#, true),
            (r#"{"pipeline_id":"1775"#, false),
            (r#"{"pipeline_id":"17756422","#, false),
            (r#"{"pipeline_i"#, false),
        ] {
            assert_eq!(
                begins_marker(text.as_bytes(), "1775642282"),
                of_seven,
                "{text}"
            );
        }
        assert!(
            marker(b"{\"pipeline_id\":\"7\",", &zone)
                .unwrap_err()
                .damaged
        );
    }
}
