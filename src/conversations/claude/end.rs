//! A fast path that finds the same facts without parsing all lines. A list needs the ends of many conversations, and
//! parsing 256 KiB of each costs more than everything else that a list does.

use std::collections::HashSet;

use memchr::memmem::find;
use serde_json::{Map, Value};

use super::{Chain, LINE_CAP, Transcript, gather, whole_lines};
use crate::formats::json;
use crate::formats::jsonl::{Line, Parsed, lines, parse_up_to};
use crate::model::LocalTime;

/// Lines with one of these keys count anywhere: they show what was written, run, queued and left in the background.
const KEYS: &[&[u8]] = &[
    b"file_path",
    b"filePath",
    b"notebook_path",
    b"\"Skill\"",
    b"<command-name>/",
    b"\"Bash\"",
    b"\"TodoWrite\"",
    b"\"runId\"",
    b"worktreePath",
    b"\"pr-link\"",
    b"async_launched",
    b"task-notification",
    b"\"task_id\"",
    b"queue-operation",
    b"continued-in",
];
/// Every line of a skill repeats its name, so one line for each name is enough.
const ATTRIBUTED: &[&[u8]] = &[b"\"attributionSkill\":", b"\"attributionPlugin\":"];
/// How many replies at the end are parsed. The rules use the last reply and its calls, and at most three lines before
/// the end.
const REPLIES: usize = 3;
/// Keys whose last occurrence counts.
const LAST: &[&str] = &["cwd", "gitBranch", "version", "entrypoint"];

/// Reads the end of a session file like [`read`](super::read), but without quotes and the sum of tokens, which need all
/// lines.
pub fn read_end(bytes: &[u8], whole: bool, zone: &dyn LocalTime) -> Transcript {
    let mut seen = Seen::default();
    let all: Vec<Line<'_>> = lines(whole_lines(bytes, whole)).collect();
    let mut parsed = Vec::new();
    for line in all.iter().rev() {
        let names = seen.new_names(line.bytes);
        let needed = !names.is_empty() || KEYS.iter().any(|key| find(line.bytes, key).is_some());
        if seen.is_enough() && !needed {
            continue;
        }
        let one = parse_up_to(line, LINE_CAP);
        if let Parsed::Object(map) = &one {
            seen.note(map, names);
        }
        parsed.push((whole.then_some(line.number), one));
    }
    gather(parsed.into_iter().rev(), Chain::Main, zone)
}

/// What was found so far, walking backwards from the end.
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

    /// The skills and plugins in a line that are not known yet.
    fn new_names(&self, line: &'a [u8]) -> Vec<&'a [u8]> {
        let named = ATTRIBUTED.iter().filter_map(|key| {
            let rest = line.get(find(line, key)?..)?;
            let end = memchr::memchr_iter(b'"', rest).nth(3);
            rest.get(..end.unwrap_or(rest.len()))
        });
        named
            .filter(|name| !self.attributed.contains(name))
            .collect()
    }

    fn note(&mut self, map: &Map<String, Value>, attributed: Vec<&'a [u8]>) {
        let kind = json::text(map, "type");
        let conversation = matches!(kind, Some("user" | "assistant" | "system" | "attachment"));
        if !conversation || json::flag(map, "isSidechain").unwrap_or(false) {
            return;
        }
        self.attributed.extend(attributed);
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
