//! The same facts as from all lines, from few of them: a list asks for the ends of many conversations, and parsing
//! 256 KiB of each costs more than everything else that a list does.

use std::collections::HashSet;

use memchr::memmem::find;
use serde_json::{Map, Value};

use super::{Chain, LINE_CAP, Transcript, gather, whole_lines};
use crate::formats::json;
use crate::formats::jsonl::{Line, Parsed, lines, parse_up_to};
use crate::model::LocalTime;

/// Lines with one of these count wherever they are: they tell what was written, what was run and what is queued.
const KEYS: &[&[u8]] = &[
    b"file_path",
    b"filePath",
    b"notebook_path",
    b"\"Skill\"",
    b"<command-name>/",
    b"queue-operation",
    b"continued-in",
];
/// Every line of a skill names it, so one line for each name suffices.
const ATTRIBUTED: &[&[u8]] = &[b"\"attributionSkill\":", b"\"attributionPlugin\":"];
/// Replies that are parsed at the end. The rules look at the last reply and its calls, and at no more than three
/// lines before the end.
const REPLIES: usize = 3;
/// What the last line that has it decides.
const LAST: &[&str] = &["cwd", "gitBranch", "version", "entrypoint"];

/// Reads the end of a session file as [`read`](super::read) does, except for the passages and the sum of tokens,
/// which need all lines.
pub fn read_end(bytes: &[u8], whole: bool, zone: &dyn LocalTime) -> Transcript {
    let mut seen = Seen::default();
    let all: Vec<Line<'_>> = lines(whole_lines(bytes, whole)).collect();
    let mut parsed = Vec::new();
    for line in all.iter().rev() {
        let named = seen.names_another(line.bytes);
        if seen.is_enough() && !named && !KEYS.iter().any(|key| find(line.bytes, key).is_some()) {
            continue;
        }
        let one = parse_up_to(line, LINE_CAP);
        if let Parsed::Object(map) = &one {
            seen.note(map);
        }
        parsed.push((whole.then_some(line.number), one));
    }
    gather(parsed.into_iter().rev(), Chain::Main, zone)
}

/// What was met on the way from the end.
#[derive(Default)]
struct Seen<'a> {
    replies: usize,
    reply: Option<String>,
    last: HashSet<&'static str>,
    attributed: HashSet<&'a [u8]>,
}

impl<'a> Seen<'a> {
    fn is_enough(&self) -> bool {
        self.replies >= REPLIES && self.last.len() == LAST.len()
    }

    /// Whether a line names a skill or plugin that no line so far named.
    fn names_another(&mut self, line: &'a [u8]) -> bool {
        let mut another = false;
        for key in ATTRIBUTED {
            let named = find(line, key).and_then(|at| line.get(at..)).map(|rest| {
                let end = memchr::memchr_iter(b'"', rest).nth(3);
                rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
            });
            another |= named.is_some_and(|name| self.attributed.insert(name));
        }
        another
    }

    fn note(&mut self, map: &Map<String, Value>) {
        let kind = json::text(map, "type");
        let conversation = matches!(kind, Some("user" | "assistant" | "system" | "attachment"));
        if !conversation || json::flag(map, "isSidechain").unwrap_or(false) {
            return;
        }
        let named = |key: &&&str| json::text(map, key).is_some_and(|text| !text.is_empty());
        self.last.extend(LAST.iter().filter(named));
        let message = json::child(map, "message").filter(|_| kind == Some("assistant"));
        let message = message.filter(|message| {
            json::text(message, "model") != Some("<synthetic>")
                && json::child(message, "usage").is_some()
        });
        let id = message.and_then(|message| json::owned(message, "id"));
        if id.is_some() && id != self.reply {
            self.replies += 1;
            self.reply = id;
        }
    }
}
