//! What the end of a session file shows beside how it ended: the last prompt that a person typed, and whether the client
//! waits for the reset of a limit.

use memchr::memmem::find;
use serde_json::{Map, Value};

use crate::conversations::claude::LINE_CAP;
use crate::conversations::claude::entry::Entry;
use crate::conversations::claude::local::Local;
use crate::formats::json;
use crate::formats::jsonl::{Parsed, lines, parse_up_to};
use crate::model::{LocalTime, Stamp};

/// How a text begins that a client writes as if a person had typed it.
const INTERRUPTED: &str = "[Request interrupted";

/// The marks at the end of a file.
#[derive(Debug, Clone, Default)]
pub(super) struct Marks {
    /// When a person last typed a prompt, if that is in the part that was read.
    pub(super) prompted_at: Option<Stamp>,
    /// Whether the client says since then that it continues by itself at the reset of a limit, or no longer does.
    pub(super) continues: Option<bool>,
}

impl Marks {
    /// Those of the last bytes of a file.
    pub(super) fn of(bytes: &[u8], zone: &dyn LocalTime) -> Self {
        let mut marks = Self::default();
        let mut local = Local::default();
        let all: Vec<_> = lines(bytes).collect();
        for line in all.iter().rev() {
            let has = |key: &[u8]| find(line.bytes, key).is_some();
            let is_prompt = has(b"\"user\"") && !has(b"\"tool_use_id\"");
            let is_notice = marks.continues.is_none() && has(b"\"informational\"");
            if !is_prompt && !is_notice {
                continue;
            }
            let Parsed::Object(map) = parse_up_to(line, LINE_CAP) else {
                continue;
            };
            if is_notice && json::text(&map, "subtype") == Some("informational") {
                marks.continues = json::text(&map, "content").and_then(continues);
            }
            let is_typed = typed(&map).is_some_and(|text| !text.starts_with(INTERRUPTED));
            let entry = Entry::of(map, None, zone).filter(|_| is_typed);
            if let Some(entry) = entry.filter(|entry| !local.wrote(entry)) {
                marks.prompted_at = entry.at;
                break;
            }
        }
        marks
    }
}

/// What a notice of the client says about a limit; `None` for any other.
fn continues(text: &str) -> Option<bool> {
    if text.starts_with("Usage limit reached") && text.contains("continuing automatically") {
        return Some(true);
    }
    text.starts_with("Automatic continue").then_some(false)
}

/// The text of a line that a person may have typed.
fn typed(map: &Map<String, Value>) -> Option<&str> {
    let flag = |key| json::flag(map, key).unwrap_or(false);
    let injected = ["isMeta", "isSidechain", "isCompactSummary"];
    let origin = json::child(map, "origin").and_then(|origin| json::text(origin, "kind"));
    let is_person = origin.is_none_or(|kind| kind == "human");
    if json::text(map, "type") != Some("user") || injected.into_iter().any(flag) || !is_person {
        return None;
    }
    let message = json::child(map, "message")?;
    let blocks = json::list(message, "content").iter();
    let mut blocks = blocks.filter_map(|block| json::text(block.as_object()?, "text"));
    let text = json::text(message, "content").or_else(|| blocks.next());
    text.map(str::trim_start)
}
