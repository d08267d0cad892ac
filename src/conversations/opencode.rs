//! Conversations of opencode: records of sessions, of messages and of parts of messages. Before 1.2 each was a small
//! JSON file; since then they are rows of a database.

pub(super) mod database;

use std::path::{Path, PathBuf};

use chrono::DateTime;
use serde_json::{Map, Value};

use super::claude::{Ending, Transcript, ending, ending::Unread};
use super::find::{Beginning, Cwd, Depth, Folder, Head, Source, Stored};
use crate::formats::json;
use crate::model::{CauseKind, Client, Place, Quote, Stamp, Sure};
use crate::world::World;

/// How many bytes of one file are read. A part can contain the output of a tool.
const CAP: u64 = 4 << 20;
/// How many of the last messages are read for a list: the last may have no tokens yet.
const LISTED: usize = 2;
/// How many of the last messages are read for one pipeline.
const ASKED: usize = 20;
/// How many of the last parts of a message are read.
const PARTS: usize = 100;

/// The tool by which the agent asks a person.
const QUESTION: &str = "question";

pub(super) const SOURCE: Source = Source {
    client: Client::Opencode,
    resume: ["opencode", "-s"],
    folders,
    files,
    begin,
    read,
};

/// The folders of projects, which are named by a commit of their repository, and the one with the database.
fn folders(world: &dyn World) -> Vec<Folder> {
    let Some(root) = &world.places().opencode else {
        return Vec::new();
    };
    let sessions = "storage/session";
    let entries = world.files().entries(root, sessions);
    let dirs = entries.into_iter().filter(|entry| entry.is_dir);
    let mut dirs: Vec<PathBuf> = dirs
        .map(|entry| root.join(sessions).join(entry.name))
        .collect();
    if world.files().is_there(root, database::NAME) {
        dirs.push(root.clone());
    }
    let folder = |dir| Folder::new(dir, Cwd::InFiles);
    dirs.into_iter().map(folder).collect()
}

fn files(world: &dyn World, project: &Path) -> Vec<Stored> {
    if world.places().opencode.as_deref() == Some(project) {
        return database::sessions(world, project);
    }
    Stored::all(world, project, |name| {
        id(name).is_some_and(|id| id.starts_with("ses_"))
    })
}

/// The id of the record in a file.
fn id(name: &str) -> Option<&str> {
    name.strip_suffix(".json")
}

fn begin(world: &dyn World, stored: &Stored) -> Option<Beginning> {
    let bytes = world.files().read(&stored.place, CAP).ok()?;
    let session = json::object(&bytes).ok()?;
    // The session of a subagent names its parent session.
    if json::text(&session, "parentID").is_some() {
        return None;
    }
    Some(Beginning {
        id: id(&stored.name)?.to_owned(),
        head: Head {
            cwd: json::owned(&session, "directory").map(PathBuf::from),
            at: time(&session, "created"),
        },
    })
}

fn read(world: &dyn World, stored: &Stored, depth: Depth) -> Option<Transcript> {
    let most = if depth == Depth::List { LISTED } else { ASKED };
    if let Some(database) = &stored.database {
        let messages = database.messages(&stored.name, most);
        return Some(transcript(&messages, depth));
    }
    let storage = world.places().opencode.as_ref()?.join("storage");
    let all = last_records(
        world,
        &storage.join("message").join(id(&stored.name)?),
        most,
    );
    let messages = all.map(|(id, map)| Message {
        parts: last_records(world, &storage.join("part").join(id), PARTS).map(|(_, part)| part),
        map,
    });
    Some(transcript(&messages, depth))
}

/// Records in order, without those that cannot be read.
struct Records<T> {
    found: Vec<T>,
    /// Whether any was skipped.
    skipped: bool,
    /// Whether one was skipped that comes before the first that was found.
    first: bool,
}

impl<T> Records<T> {
    fn of(all: impl IntoIterator<Item = Option<T>>) -> Self {
        let mut records = Self {
            found: Vec::new(),
            skipped: false,
            first: false,
        };
        for one in all {
            records.skipped |= one.is_none();
            records.first |= one.is_none() && records.found.is_empty();
            records.found.extend(one);
        }
        records
    }

    fn reversed(mut self) -> Self {
        self.found.reverse();
        self
    }

    fn map<U>(self, change: impl FnMut(T) -> U) -> Records<U> {
        Records {
            found: self.found.into_iter().map(change).collect(),
            skipped: self.skipped,
            first: self.first,
        }
    }
}

/// The last records in a folder, with their ids: ids ascend with time.
fn last_records(
    world: &dyn World,
    dir: &Path,
    most: usize,
) -> Records<(String, Map<String, Value>)> {
    let entries = world.files().list(&Place::root(dir)).unwrap_or_default();
    let names = entries.iter().rev().filter_map(|entry| entry.name.to_str());
    let records = names.filter_map(|name| {
        let id = id(name)?.to_owned();
        let place = Place::known(dir, name).ok()?;
        let bytes = world.files().read(&place, CAP).ok();
        let map = bytes.and_then(|bytes| json::object(&bytes).ok());
        Some(map.map(|map| (id, map)))
    });
    // Those that cannot be read take no place of the others.
    let mut found = 0;
    let enough = |one: &Option<_>| {
        let more = found < most;
        found += usize::from(one.is_some());
        more
    };
    Records::of(records.take_while(enough)).reversed()
}

/// A time in milliseconds in the record's `time`.
fn time(map: &Map<String, Value>, key: &str) -> Option<Stamp> {
    let millis = json::int(json::child(map, "time")?, key)?;
    DateTime::from_timestamp_millis(millis).map(Stamp::utc)
}

/// A message with its parts, in order.
struct Message {
    map: Map<String, Value>,
    parts: Records<Map<String, Value>>,
}

/// The facts of the last messages, oldest first.
fn transcript(records: &Records<Message>, depth: Depth) -> Transcript {
    let messages = &records.found;
    let unread = records.first.then_some(Unread::Message);
    let ending = messages.iter().rev().find_map(Message::ending);
    let ending = ending.map(|ending| ending.before_unread(unread));
    let quotes = messages.iter().filter(|_| depth == Depth::All);
    Transcript {
        ending,
        last_at: messages.iter().filter_map(Message::at).max(),
        context_tokens: messages.iter().rev().find_map(Message::context_tokens),
        written: messages.iter().flat_map(Message::written).collect(),
        quotes: quotes.filter_map(Message::passage).collect(),
        ..Transcript::default()
    }
}

impl Message {
    /// Its author; `None` for roles that only newer versions have.
    fn from(&self) -> Option<&'static str> {
        match json::text(&self.map, "role")? {
            "user" => Some("person"),
            "assistant" => Some("agent"),
            _ => None,
        }
    }

    /// The calls of tools: their names and states.
    fn calls(&self) -> impl Iterator<Item = (&str, &Map<String, Value>)> {
        let tools = self
            .parts
            .found
            .iter()
            .filter(|part| json::text(part, "type") == Some("tool"));
        tools.filter_map(|part| {
            let name = json::text(part, "tool").unwrap_or("a tool");
            Some((name, json::child(part, "state")?))
        })
    }

    /// The last time in it.
    fn at(&self) -> Option<Stamp> {
        let own = ["created", "completed"].map(|key| time(&self.map, key));
        let calls = self
            .calls()
            .flat_map(|(_, state)| ["start", "end"].map(|key| time(state, key)));
        own.into_iter().chain(calls).flatten().max()
    }

    /// The tokens that a reply read. An incomplete reply has zeros.
    fn context_tokens(&self) -> Option<u64> {
        let tokens = json::child(&self.map, "tokens")?;
        let cache = json::child(tokens, "cache");
        let cached = |key| cache.and_then(|cache| json::int(cache, key));
        let all = [json::int(tokens, "input"), cached("read"), cached("write")];
        let counts = all.into_iter().flatten();
        let counts = counts.filter_map(|count| u64::try_from(count).ok());
        let sum = counts.fold(0, u64::saturating_add);
        (sum > 0).then_some(sum)
    }

    fn written(&self) -> Vec<PathBuf> {
        let writes = |(name, state): &(&str, &Map<String, Value>)| {
            matches!(*name, "write" | "edit") && json::text(state, "status") != Some("error")
        };
        let inputs = self
            .calls()
            .filter(writes)
            .filter_map(|(_, state)| json::child(state, "input"));
        let files = inputs.filter_map(|input| json::text(input, "filePath"));
        files.map(PathBuf::from).collect()
    }

    fn passage(&self) -> Option<Quote> {
        let texts = self
            .parts
            .found
            .iter()
            .filter(|part| json::text(part, "type") == Some("text"));
        let texts: Vec<&str> = texts.filter_map(|part| json::text(part, "text")).collect();
        super::quotes::passage(self.from()?, self.at(), &texts.join(" "))
    }

    /// How the conversation ended if this is its last message.
    fn ending(&self) -> Option<Ending> {
        let (kind, sure, text) = match self.from()? {
            "person" => {
                let text = ending::NO_REPLY.to_owned();
                (CauseKind::CutWhileStreaming, Sure::Guess, text)
            }
            _ => self.reply(),
        };
        let ending = Ending::new(kind, sure, text, self.at(), None);
        // A turn that the message itself ends is over whatever its parts say.
        let lacks = self.parts.skipped && kind != CauseKind::TurnEnded;
        Some(if lacks {
            ending.lacking(Unread::Part)
        } else {
            ending
        })
    }

    fn reply(&self) -> (CauseKind, Sure, String) {
        use CauseKind as K;
        if let Some(error) = json::child(&self.map, "error") {
            let (kind, sure, text) = match json::text(error, "name") {
                Some("MessageAbortedError") => {
                    (K::UserInterrupted, Sure::Likely, ending::INTERRUPTED)
                }
                Some("ProviderAuthError") => {
                    (K::Auth, Sure::Certain, "The provider refused the login.")
                }
                Some("APIError") => (
                    K::ApiError,
                    Sure::Certain,
                    "The API answered with an error.",
                ),
                Some("MessageOutputLengthError") => {
                    (K::OutputLimit, Sure::Certain, ending::CUT_AT_LIMIT)
                }
                Some("ContextOverflowError") => {
                    (K::ContextFull, Sure::Certain, "The context was full.")
                }
                Some(_) | None => (
                    K::Unknown,
                    Sure::Guess,
                    "The last reply ended with an error of another kind.",
                ),
            };
            return (kind, sure, text.to_owned());
        }
        if time(&self.map, "completed").is_none() {
            return self.cut();
        }
        let (kind, sure, text) = match json::text(&self.map, "finish") {
            Some("length") => (K::OutputLimit, Sure::Certain, ending::CUT_AT_LIMIT),
            Some("tool-calls") => (K::KilledBetweenTurns, Sure::Likely, ending::AFTER_CALL),
            Some("stop") => (K::TurnEnded, Sure::Certain, ending::TURN_ENDED),
            Some(_) | None => (
                K::TurnEnded,
                Sure::Likely,
                "The last reply is complete; nothing more was asked.",
            ),
        };
        (kind, sure, text.to_owned())
    }

    /// How an incomplete reply ended.
    fn cut(&self) -> (CauseKind, Sure, String) {
        let running = |state| matches!(json::text(state, "status"), Some("pending" | "running"));
        let calls = self.calls().filter(|(_, state)| running(state));
        let open: Vec<&str> = calls.map(|(name, _)| name).collect();
        if open.is_empty() {
            let text = ending::CUT_IN_STREAM.to_owned();
            return (CauseKind::CutWhileStreaming, Sure::Guess, text);
        }
        ending::open_calls(&open, QUESTION)
    }
}
