//! The subagents of a conversation of Claude Code: each has its own file next to that of the conversation.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use super::claude::{Chain, Ending, LINE_CAP, read};
use super::find::{field, tail};
use crate::formats::json;
use crate::formats::jsonl::{lines, parse_up_to};
use crate::model::{CauseKind, Place, Sure};
use crate::world::World;

/// How many subagents are read, the newest ones.
const MOST: usize = 50;
/// How many bytes at the beginning of a file are read, in steps, until they contain the prompt.
const HEADS: [usize; 3] = [16 << 10, 1 << 20, LINE_CAP];
/// How many bytes of the record beside a file are read.
const META: u64 = 16 << 10;
/// How many bytes at the end of a file are read.
const TAIL: u64 = 1 << 20;

/// A subagent's file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subagent {
    place: Place,
    size: u64,
    modified: DateTime<Utc>,
}

/// The subagents of the conversation in a file, the newest first.
pub fn of(conversation: &Path, world: &dyn World) -> Vec<Subagent> {
    let own = conversation.with_extension("");
    let mut found = files(&own.join("subagents"), world);
    // Until 2.0 they were beside the conversation's file, with those of all others of its directory.
    let beside = own.parent().map(|dir| files(dir, world));
    let is_own =
        |agent: &Subagent| own.file_name() == agent.session(world).as_deref().map(OsStr::new);
    let beside = beside.unwrap_or_default().into_iter().filter(is_own);
    found.extend(beside.take(MOST));
    found.sort_by_key(|agent| std::cmp::Reverse(agent.modified));
    found.truncate(MOST);
    found
}

/// The files of subagents in a directory, the newest first.
fn files(dir: &Path, world: &dyn World) -> Vec<Subagent> {
    let entries = world.files().list(&Place::root(dir)).unwrap_or_default();
    let found = entries.iter().filter_map(|entry| {
        let name = entry.name.to_str()?;
        let agent = name
            .strip_prefix("agent-")
            .and_then(|id| id.strip_suffix(".jsonl"));
        let place = Place::known(dir, name).ok().filter(|_| agent.is_some())?;
        let stat = world.files().stat(&place).ok()?;
        Some(Subagent {
            size: stat.size,
            modified: stat.modified,
            place,
        })
    });
    let mut found: Vec<Subagent> = found.collect();
    found.sort_by_key(|agent| std::cmp::Reverse(agent.modified));
    found
}

impl Subagent {
    /// Its file.
    pub fn file(&self) -> PathBuf {
        self.place.path()
    }

    /// The line with its prompt, which is compared but never shown.
    pub fn prompt(&self, world: &dyn World) -> Option<Vec<u8>> {
        HEADS.iter().find_map(|len| {
            let bytes = world.files().read_range(&self.place, 0, *len).ok()?;
            let is_prompt = |map| json::text(&map, "type") == Some("user");
            let prompt = lines(&bytes).find(|line| {
                let line = parse_up_to(line, LINE_CAP).object();
                line.is_some_and(is_prompt)
            })?;
            Some(prompt.bytes.to_vec())
        })
    }

    /// The conversation that its lines name.
    fn session(&self, world: &dyn World) -> Option<String> {
        let bytes = world.files().read_range(&self.place, 0, HEADS[0]).ok()?;
        field(&bytes, b"\"sessionId\":")
    }

    /// How it ended; `None` if its file has no line of a conversation.
    pub fn ending(&self, world: &dyn World) -> Option<Ending> {
        let bytes = tail(world, &self.place, self.size, TAIL)?;
        let ending = read(&bytes, self.size <= TAIL, Chain::Agent, world.clock()).ending?;
        if !self.was_stopped(world) {
            return Some(ending);
        }
        Some(Ending {
            kind: CauseKind::UserInterrupted,
            text: "A person stopped it.".to_owned(),
            sure: Sure::Certain,
            until: None,
            ..ending
        })
    }

    /// Whether the client recorded that a person stopped it; its own file does not show that.
    fn was_stopped(&self, world: &dyn World) -> bool {
        let file = self.file().with_extension("meta.json");
        let place = Place::of(&file);
        let bytes = place.and_then(|place| world.files().read(&place, META).ok());
        let meta = bytes.and_then(|bytes| json::object(&bytes).ok());
        meta.is_some_and(|meta| json::flag(&meta, "stoppedByUser") == Some(true))
    }
}
