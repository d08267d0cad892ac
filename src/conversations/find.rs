//! Finds the conversations that worked on a pipeline, with the reasons.
//!
//! A home can have thousands of files of many megabytes. So candidates are chosen by the name of the project directory
//! and the time of the file, and only their beginnings and ends are read.

mod clients;
mod files;
mod judged;
mod marks;
mod matching;
mod sessions;
mod siblings;
mod stored;
#[cfg(test)]
mod tests;
mod unread;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use chrono::{DateTime, FixedOffset, TimeDelta};

use super::register::{self, Register};
use crate::formats::json;
use crate::model::{Client, Conversation, LifeSign, Place, Reading};
use crate::world::World;
use crate::world::files::ReadError;
use clients::ClientIndex;
pub(super) use clients::Source;
use files::Candidate;
pub(super) use files::{Head, field, head, tail};
pub use judged::{doubted, is_told_by_open, newest_and_surest as cause};
use matching::Subject;
pub(super) use stored::{Beginning, Cwd, Folder, Stored};
pub use unread::Unread;

/// How many conversations are read for one row of a list.
const LISTED: usize = 3;
/// How many are read for a single pipeline.
const ASKED: usize = 100;
/// Times of a pipeline's files and of a conversation that worked on it may differ by this.
const SLACK: TimeDelta = TimeDelta::minutes(10);
/// A conversation that ended this long after the last write may have ended in other work.
const LATER: TimeDelta = TimeDelta::hours(1);
/// Days after which Claude Code deletes conversations, unless its settings say otherwise.
const KEPT_DAYS: i64 = 30;

/// How much to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// The newest candidates: for a list.
    List,
    /// All candidates, whatever their directory: for one pipeline.
    All,
}

/// A project directory of a client.
struct Project {
    root: PathBuf,
    dir: PathBuf,
    /// Its files, listed once.
    files: OnceLock<Result<Vec<Candidate>, ReadError>>,
}

/// The conversations of a pipeline, and what of them was not read.
#[derive(Debug, Default)]
pub struct Found {
    /// The conversations, the newest first.
    pub conversations: Vec<Conversation>,
    /// What may hold others.
    pub unread: Vec<Unread>,
}

/// The conversations of this machine, as one run sees them.
#[derive(Default)]
pub struct Index {
    projects: Vec<Project>,
    register: Register,
    kept_days: HashMap<PathBuf, i64>,
    /// The conversations of clients without a register.
    client_indexes: Vec<ClientIndex>,
    /// Folders of projects that cannot be listed.
    unread: Vec<Unread>,
}

impl Index {
    /// Lists the project directories and the register of running sessions. Opens no conversation.
    pub fn new(world: &dyn World) -> Self {
        let places = world.places();
        let home = places.home.as_ref().map(|home| home.join(".claude"));
        let mut roots: Vec<PathBuf> = Vec::new();
        for root in places.claude.iter().cloned().chain(home) {
            let real = world.files().resolved(&root);
            // One may be a link to the other.
            if roots
                .iter()
                .all(|known| world.files().resolved(known) != real)
            {
                roots.push(root);
            }
        }
        let mut projects = Vec::new();
        let mut unread = Vec::new();
        for root in &roots {
            let listed = Place::known(root, "projects").map(|place| world.files().list(&place));
            let dirs = listed.unwrap_or(Err(ReadError::NotFound));
            if let Err(why) = dirs.as_ref()
                && why.leaves_unknown()
            {
                let path = root.join("projects");
                unread.push(Unread::new(
                    world,
                    Client::ClaudeCode,
                    path,
                    why.to_string(),
                ));
            }
            let dirs = dirs.unwrap_or_default().into_iter();
            let dirs = dirs.filter(|entry| entry.is_dir);
            projects.extend(dirs.map(|entry| Project {
                root: root.clone(),
                dir: root.join("projects").join(entry.name),
                files: OnceLock::new(),
            }));
        }
        let all: Vec<&Path> = roots.iter().map(PathBuf::as_path).collect();
        let kept = |root: &PathBuf| (root.clone(), kept_days(world, root));
        Self {
            kept_days: roots.iter().map(kept).collect(),
            projects,
            register: register::read(world, &all),
            unread,
            client_indexes: clients::client_indexes(),
        }
    }

    /// The conversations that worked on a pipeline.
    pub fn of(&self, reading: &Reading, depth: Depth, world: &dyn World) -> Found {
        let subject = Subject::of(reading, world);
        let mut found = self.of_claude(&subject, depth, world);
        found.unread.extend(self.unread.iter().cloned());
        for client in &self.client_indexes {
            client.of(&subject, depth, &mut found, world);
        }
        let began = |one: &Unread| one.modified.is_none_or(|at| subject.began_before(at));
        found.unread.retain(began);
        let newest = |one: &Conversation| std::cmp::Reverse(one.last_at);
        found.conversations.sort_by_key(newest);
        found
    }

    /// All conversations of this machine that cannot be read.
    pub fn unread(&self, world: &dyn World) -> Vec<Unread> {
        let mut all = self.unread.clone();
        for project in &self.projects {
            all.extend(project.unread(world));
        }
        for client in &self.client_indexes {
            all.extend(client.unread(world));
        }
        all
    }

    /// The process of a conversation that is open.
    pub fn pid(&self, id: &str) -> Option<u32> {
        self.register.pid(id)
    }

    /// The sessions that are open in a pipeline's directories.
    pub fn signs(&self, reading: &Reading, world: &dyn World) -> Vec<LifeSign> {
        let subject = Subject::of(reading, world);
        let dirs: Vec<PathBuf> = subject.dirs().map(Path::to_owned).collect();
        register::signs(&self.register, &dirs, &world.processes().ancestors())
    }
}

/// Days after which conversations are deleted.
pub(crate) fn kept_days(world: &dyn World, root: &Path) -> i64 {
    let place = Place::known(root, "settings.json").ok();
    let bytes = place.and_then(|place| world.files().read(&place, 1 << 20).ok());
    let settings = bytes.and_then(|bytes| json::object(&bytes).ok());
    let days = settings.and_then(|map| json::int(&map, "cleanupPeriodDays"));
    days.filter(|days| (1..=36_500).contains(days))
        .unwrap_or(KEPT_DAYS)
}

/// What to do about a conversation that stopped and is closed. `with` makes a sentence of a verb and the way to
/// continue it.
pub fn advice(
    stopped: &Conversation,
    now: DateTime<FixedOffset>,
    with: impl Fn(&str) -> String,
) -> String {
    judged::advice(stopped.client, &stopped.cause, now, with)
}
