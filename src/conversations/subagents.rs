//! The subagents of a conversation of Claude Code: each has its own file next to that of the conversation.

use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use super::claude::{Chain, Ending, read};
use super::find::tail;
use crate::formats::json;
use crate::model::{CauseKind, Place, Sure};
use crate::world::World;

/// How many subagents are read, the newest ones.
const MOST: usize = 50;
/// How many bytes at the beginning of a file are read; they contain the prompt.
const HEAD: usize = 16 << 10;
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
    let dir = conversation.with_extension("").join("subagents");
    let entries = world.files().list(&Place::root(&dir)).unwrap_or_default();
    let mut found: Vec<Subagent> = entries
        .iter()
        .filter_map(|entry| {
            let name = entry.name.to_str()?;
            let agent = name
                .strip_prefix("agent-")
                .and_then(|id| id.strip_suffix(".jsonl"));
            let place = Place::known(&dir, name).ok().filter(|_| agent.is_some())?;
            let stat = world.files().stat(&place).ok()?;
            Some(Subagent {
                size: stat.size,
                modified: stat.modified,
                place,
            })
        })
        .collect();
    found.sort_by_key(|agent| std::cmp::Reverse(agent.modified));
    found.truncate(MOST);
    found
}

impl Subagent {
    /// Its file.
    pub fn file(&self) -> PathBuf {
        self.place.path()
    }

    /// The beginning of its file. It contains the prompt, which is compared but never shown.
    pub fn beginning(&self, world: &dyn World) -> Vec<u8> {
        let read = world.files().read_range(&self.place, 0, HEAD);
        read.unwrap_or_default()
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
        let bytes = place.and_then(|place| world.files().read(&place, HEAD as u64).ok());
        let meta = bytes.and_then(|bytes| json::object(&bytes).ok());
        meta.is_some_and(|meta| json::flag(&meta, "stoppedByUser") == Some(true))
    }
}
