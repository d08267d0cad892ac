//! Conversations of Gemini CLI: one file each, one message per line. Older versions rewrite one JSON document instead.

use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::claude::{Ending, Transcript, ending as said, ending::Unread, whole_lines};
use super::find::{Beginning, Cwd, Depth, Folder, Head, Source, Stored, field, tail};
use crate::formats::jsonl::{Parsed, lines, parse};
use crate::formats::{json, stamp};
use crate::model::{CauseKind, Client, LocalTime, Place, Quote, Stamp, Sure};
use crate::text::format::list;
use crate::world::World;
use crate::world::files::SMALL_CAP;

/// How many bytes at the beginning of a file are read, for the id and the first time.
const HEAD: usize = 16 << 10;
/// How many bytes at the end are read at first.
const TAIL: u64 = 1 << 20;

/// The tool by which the agent asks a person.
const QUESTION: &str = "ask_user";

pub(super) const SOURCE: Source = Source {
    client: Client::GeminiCli,
    resume: ["gemini", "--resume"],
    folders,
    files,
    begin,
    read,
};

/// The `chats` of every folder of `tmp`, each of which is one project.
fn folders(world: &dyn World) -> Vec<Folder> {
    let Some(root) = &world.places().gemini else {
        return Vec::new();
    };
    let entries = world.files().entries(root, "tmp");
    let projects = entries.into_iter().filter(|entry| entry.is_dir);
    let mut known = None;
    let folders = projects.map(|entry| {
        let dir = root.join("tmp").join(&entry.name);
        let own = read_text(world, &dir, ".project_root");
        let cwd = own.map(|own| PathBuf::from(own.trim()));
        let cwd = cwd.filter(|cwd| cwd.is_absolute()).or_else(|| {
            let known = known.get_or_insert_with(|| registered(world, root));
            known.remove(&entry.name)
        });
        // The first versions named the folder by a hash of the directory.
        let hash = || Cwd::Hashed(entry.name.to_string_lossy().into_owned());
        Folder::new(dir.join("chats"), cwd.map_or_else(hash, Cwd::Is))
    });
    folders.collect()
}

/// The directories of projects by the names of their folders.
fn registered(world: &dyn World, root: &Path) -> HashMap<OsString, PathBuf> {
    let text = read_text(world, root, "projects.json").unwrap_or_default();
    let map = json::object(text.as_bytes()).unwrap_or_default();
    let projects = json::child(&map, "projects").into_iter().flatten();
    let named = projects.filter_map(|(dir, name)| Some((name.as_str()?.into(), dir.into())));
    named.collect()
}

fn read_text(world: &dyn World, dir: &Path, name: &str) -> Option<String> {
    let place = Place::known(dir, name).ok()?;
    let bytes = world.files().read(&place, SMALL_CAP).ok()?;
    String::from_utf8(bytes).ok()
}

fn files(world: &dyn World, chats: &Path) -> Vec<Stored> {
    Stored::all(world, chats, |name| {
        name.starts_with("session-") && (has_ending(name, "jsonl") || has_ending(name, "json"))
    })
}

fn has_ending(name: &str, ending: &str) -> bool {
    Path::new(name)
        .extension()
        .is_some_and(|known| known == ending)
}

fn is_lines(stored: &Stored) -> bool {
    has_ending(&stored.name, "jsonl")
}

fn begin(world: &dyn World, stored: &Stored) -> Option<Beginning> {
    let bytes = world.files().read_range(&stored.place, 0, HEAD).ok()?;
    let end = if is_lines(stored) {
        memchr::memchr(b'\n', &bytes)
    } else {
        memchr::memmem::find(&bytes, b"\"messages\":")
    };
    let bytes = bytes.get(..end.unwrap_or(bytes.len()))?;
    let started = field(bytes, b"\"startTime\":");
    let of_agent = field(bytes, b"\"kind\":").is_some_and(|kind| kind == SUBAGENT);
    (!of_agent).then_some(())?;
    Some(Beginning {
        id: field(bytes, b"\"sessionId\":")?,
        head: Head {
            cwd: None,
            at: started.and_then(|text| stamp::parse(&text, world.clock())),
        },
    })
}

/// The kind of a conversation that another one started.
const SUBAGENT: &str = "subagent";

fn read(world: &dyn World, stored: &Stored, depth: Depth) -> Option<Transcript> {
    let messages = if is_lines(stored) {
        last_messages(world, stored)?
    } else {
        let bytes = world.files().read(&stored.place, SMALL_CAP).ok();
        let document = bytes.and_then(|bytes| json::object(&bytes).ok());
        let document = document.unwrap_or_default();
        // Documents have their kind after the messages, where the beginning does not show it.
        if json::text(&document, "kind") == Some(SUBAGENT) {
            return None;
        }
        all_of(&document)
    };
    Some(transcript(&messages, depth, world.clock()))
}

/// The messages at the end of a file of lines; more is read until there is one.
fn last_messages(world: &dyn World, stored: &Stored) -> Option<Messages> {
    let mut len = TAIL;
    loop {
        let bytes = tail(world, &stored.place, stored.size, len)?;
        let whole = stored.size <= len;
        let messages = messages(&bytes, whole);
        if !messages.all.is_empty() || whole || len >= SMALL_CAP {
            return Some(messages);
        }
        len *= 4;
    }
}

/// Messages, oldest first.
#[derive(Default)]
struct Messages {
    all: Vec<Message>,
    /// A line after the last of them that cannot be read.
    unread: Option<Unread>,
}

/// One message, with its line where lines are numbered.
#[derive(Debug, Clone, PartialEq)]
struct Message {
    line: Option<u64>,
    map: Map<String, Value>,
}

/// The messages of a document, or of an update that replaces all of them.
fn all_of(map: &Map<String, Value>) -> Messages {
    let all = json::list(map, "messages")
        .iter()
        .filter_map(Value::as_object);
    let message = |map: &Map<String, Value>| Message {
        line: None,
        map: map.clone(),
    };
    Messages {
        all: all.map(message).collect(),
        unread: None,
    }
}

/// The final messages of lines: a repeated message replaces the earlier one.
fn messages(bytes: &[u8], whole: bool) -> Messages {
    let mut found = Messages::default();
    let at = |found: &[Message], id: &str| {
        let is_it = |one: &Message| json::text(&one.map, "id") == Some(id);
        found.iter().rposition(is_it)
    };
    for line in lines(whole_lines(bytes, whole)) {
        let number = whole.then_some(line.number);
        let Parsed::Object(map) = parse(&line) else {
            found.unread = Some(Unread::line(number));
            continue;
        };
        if let Some(id) = json::text(&map, "$rewindTo") {
            // A message that is not here came before all that are.
            let rest = at(&found.all, id).unwrap_or(0);
            found.all.truncate(rest);
        } else if let Some(id) = json::text(&map, "id") {
            let place = at(&found.all, id);
            let message = Message { line: number, map };
            match place.and_then(|place| found.all.get_mut(place)) {
                Some(known) => *known = message,
                None => found.all.push(message),
            }
        } else if let Some(set) =
            json::child(&map, "$set").filter(|set| set.contains_key("messages"))
        {
            found = all_of(set);
        } else {
            continue;
        }
        found.unread = None;
    }
    found
}

fn transcript(found: &Messages, depth: Depth, zone: &dyn LocalTime) -> Transcript {
    let messages = found.all.as_slice();
    let ending = ending(messages, zone).map(|ending| ending.before_unread(found.unread));
    let quotes = messages.iter().filter(|_| depth == Depth::All);
    Transcript {
        ending,
        last_at: messages.iter().filter_map(|one| one.at(zone)).max(),
        // The input of a reply includes cached tokens.
        context_tokens: messages.iter().rev().find_map(Message::input),
        written: messages.iter().flat_map(Message::written).collect(),
        quotes: quotes.filter_map(|one| one.passage(zone)).collect(),
        ..Transcript::default()
    }
}

impl Message {
    fn kind(&self) -> &str {
        json::text(&self.map, "type").unwrap_or_default()
    }

    fn calls(&self) -> impl Iterator<Item = &Map<String, Value>> {
        let calls = json::list(&self.map, "toolCalls").iter();
        calls.filter_map(Value::as_object)
    }

    /// The last time in it: tool calls have their own times.
    fn at(&self, zone: &dyn LocalTime) -> Option<Stamp> {
        let maps = std::iter::once(&self.map).chain(self.calls());
        let times = maps.filter_map(|map| json::text(map, "timestamp"));
        times.filter_map(|text| stamp::parse(text, zone)).max()
    }

    fn input(&self) -> Option<u64> {
        let tokens = json::child(&self.map, "tokens")?;
        json::int(tokens, "input").and_then(|count| u64::try_from(count).ok())
    }

    fn written(&self) -> Vec<PathBuf> {
        let writes = |call: &&Map<String, Value>| {
            matches!(json::text(call, "name"), Some("write_file" | "replace"))
                && !matches!(status(call), "error" | "cancelled")
        };
        let args = self
            .calls()
            .filter(writes)
            .filter_map(|call| json::child(call, "args"));
        let files = args.filter_map(|args| json::text(args, "file_path"));
        files.map(PathBuf::from).collect()
    }

    /// The texts of its parts; a plain text counts as one part.
    fn texts<'a>(&'a self) -> Vec<&'a str> {
        let parts = match self.map.get("content") {
            Some(Value::Array(parts)) => parts.iter().collect(),
            other => Vec::from_iter(other),
        };
        let text = |part: &'a Value| part.as_str().or_else(|| part.get("text")?.as_str());
        parts.into_iter().filter_map(text).collect()
    }

    fn passage(&self, zone: &dyn LocalTime) -> Option<Quote> {
        let from = match self.kind() {
            "user" => "person",
            "gemini" => "agent",
            _ => return None,
        };
        super::quotes::passage(from, self.at(zone), &self.texts().join(" "))
    }

    /// Whether it notes that a person cancelled the turn.
    fn cancels(&self) -> bool {
        self.kind() == "info" && self.texts() == ["Request cancelled."]
    }

    /// Whether it is the result of a tool, which no person typed.
    fn is_answer(&self) -> bool {
        let parts = json::list(&self.map, "content");
        parts
            .iter()
            .any(|part| part.get("functionResponse").is_some())
    }
}

fn status(call: &Map<String, Value>) -> &str {
    json::text(call, "status").unwrap_or_default()
}

/// How it ended. A reply is written when it is complete, and a tool call when it has ended, so most interruptions leave
/// no trace.
fn ending(messages: &[Message], zone: &dyn LocalTime) -> Option<Ending> {
    let speaks =
        |one: &&Message| matches!(one.kind(), "user" | "gemini" | "error") || one.cancels();
    let last = messages.iter().rev().find(speaks)?;
    let called = |is: fn(&str) -> bool| {
        let calls = last.calls().filter(|call| is(status(call)));
        let names = calls.map(|call| json::text(call, "name").unwrap_or("a tool"));
        names.collect::<Vec<_>>()
    };
    let open = called(|status| !matches!(status, "success" | "error" | "cancelled"));
    let cancelled = called(|status| status == "cancelled");
    let (kind, sure, text) = match last.kind() {
        "info" => (
            CauseKind::UserInterrupted,
            Sure::Likely,
            said::INTERRUPTED.to_owned(),
        ),
        "error" => (
            CauseKind::ApiError,
            Sure::Guess,
            "The last record is an error, whose kind is not recorded.".to_owned(),
        ),
        "user" if !last.is_answer() => (
            CauseKind::CutWhileStreaming,
            Sure::Guess,
            "A prompt was sent and no reply was recorded: it was interrupted or killed before the reply was complete."
                .to_owned(),
        ),
        _ if !open.is_empty() => said::open_calls(&open, QUESTION),
        _ if !cancelled.is_empty() => (
            CauseKind::Unknown,
            Sure::Guess,
            format!(
                "A tool call ({}) was cancelled, and by whom is not recorded.",
                list(&cancelled)
            ),
        ),
        // The reply to a tool result is a separate message.
        _ if last.is_answer() || last.calls().next().is_some() => (
            CauseKind::KilledBetweenTurns,
            Sure::Guess,
            "It stopped after a tool call and before the next reply was complete.".to_owned(),
        ),
        _ => (CauseKind::TurnEnded, Sure::Likely, said::TURN_ENDED.to_owned()),
    };
    Some(Ending::new(kind, sure, text, last.at(zone), last.line))
}
