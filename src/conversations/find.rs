//! Finds the conversations that worked on a pipeline, with the reasons.
//!
//! A home can have thousands of files of many megabytes. So candidates are chosen by the name of the project directory
//! and the time of the file, and only their beginnings and ends are read.

mod clients;
mod files;
mod judged;
mod matching;
mod siblings;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use chrono::{DateTime, FixedOffset, TimeDelta};

use super::claude::Transcript;
use super::register::{self, Registered};
use crate::formats::json;
use crate::model::{Client, Conversation, LifeSign, Place, Reading, Stamp};
use crate::world::World;
use clients::ClientIndex;
pub(super) use clients::{Beginning, Cwd, Folder, Source, Stored};
use files::{Candidate, TAIL, files, slug, transcript};
pub(super) use files::{Head, field, head, tail};
pub use judged::newest_and_surest as cause;
use matching::Subject;

/// How many conversations are read for one row of a list.
const LISTED: usize = 3;
/// How many are read for a single pipeline.
const ASKED: usize = 100;
/// Times of a pipeline's files and of a conversation that worked on it may differ by this.
const SLACK: TimeDelta = TimeDelta::minutes(10);
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
    files: OnceLock<Vec<Candidate>>,
}

/// The conversations of this machine, as one run sees them.
#[derive(Default)]
pub struct Index {
    projects: Vec<Project>,
    register: BTreeMap<String, Registered>,
    kept_days: HashMap<PathBuf, i64>,
    /// The conversations of clients without a register.
    client_indexes: Vec<ClientIndex>,
}

impl Index {
    /// Lists the project directories and the register of running sessions. Opens no conversation.
    pub fn new(world: &dyn World) -> Self {
        let places = world.places();
        let home = places.home.as_ref().map(|home| home.join(".claude"));
        let mut roots: Vec<PathBuf> = places.claude.iter().cloned().chain(home).collect();
        roots.dedup();
        let mut projects = Vec::new();
        for root in &roots {
            let dirs = world.files().entries(root, "projects");
            let dirs = dirs.into_iter().filter(|entry| entry.is_dir);
            projects.extend(dirs.map(|entry| Project {
                root: root.clone(),
                dir: root.join("projects").join(entry.name),
                files: OnceLock::new(),
            }));
        }
        let register = if projects.is_empty() {
            BTreeMap::new()
        } else {
            let roots: Vec<&Path> = roots.iter().map(PathBuf::as_path).collect();
            register::read(world, &roots)
        };
        let kept = |root: &PathBuf| (root.clone(), kept_days(world, root));
        Self {
            kept_days: roots.iter().map(kept).collect(),
            projects,
            register,
            client_indexes: clients::client_indexes(),
        }
    }

    /// The conversations that worked on a pipeline, the newest first.
    pub fn of(&self, reading: &Reading, depth: Depth, world: &dyn World) -> Vec<Conversation> {
        let subject = Subject::of(reading, world);
        let mut found = self.of_claude(&subject, depth, world);
        for client in &self.client_indexes {
            found.extend(client.of(&subject, depth, world));
        }
        found.sort_by_key(|conversation| std::cmp::Reverse(conversation.last_at));
        found
    }

    /// The sessions that are open in a pipeline's directories.
    pub fn signs(&self, reading: &Reading, world: &dyn World) -> Vec<LifeSign> {
        if self.register.is_empty() {
            return Vec::new();
        }
        let subject = Subject::of(reading, world);
        let dirs: Vec<PathBuf> = subject.dirs().map(Path::to_owned).collect();
        register::signs(&self.register, &dirs, &world.processes().ancestors())
    }

    fn of_claude(
        &self,
        subject: &Subject<'_>,
        depth: Depth,
        world: &dyn World,
    ) -> Vec<Conversation> {
        let mut candidates = self.candidates(subject, depth, world);
        let open = |id: &str| matches!(self.register.get(id), Some(Registered::Open { .. }));
        // Open conversations first: one may have been waiting for days.
        candidates.sort_by_key(|one| (!open(&one.id), std::cmp::Reverse(one.modified)));
        let most = if depth == Depth::List { LISTED } else { ASKED };
        let mut moved = Vec::new();
        let mut found: Vec<Conversation> = Vec::new();
        for candidate in candidates {
            let place = &candidate.place;
            let answered = found.iter().any(|one| {
                let rivals = judged::rivals_end(one, subject.reading());
                rivals.is_some_and(|oldest| candidate.modified < oldest)
            });
            if found.len() >= most || depth == Depth::List && answered {
                break;
            }
            let head = || head(world, place, candidate.size);
            let head = candidate.head.get_or_init(head);
            let Some(transcript) = self.end_of(subject, candidate, head, depth, world) else {
                continue;
            };
            if let Some(to) = &transcript.moved_to {
                moved.push((candidate.id.clone(), to.clone()));
            }
            found.extend(self.conversation(subject, candidate, head, transcript, world));
        }
        // A conversation that moved is judged by the one in which it continues.
        let there: Vec<String> = found
            .iter()
            .map(|one| one.id.lossy().into_owned())
            .collect();
        found.retain(|one| {
            let id = one.id.lossy();
            !moved
                .iter()
                .any(|(from, to)| *from == id && there.contains(to))
        });
        found
    }

    /// The end of a file, if its beginning allows that it worked on the pipeline.
    fn end_of(
        &self,
        subject: &Subject<'_>,
        candidate: &Candidate,
        head: &Head,
        depth: Depth,
        world: &dyn World,
    ) -> Option<Transcript> {
        let (place, size) = (&candidate.place, candidate.size);
        let here = subject.may_be(head);
        let in_time = subject.was_written_after(head) || self.register.contains_key(&candidate.id);
        match depth {
            Depth::List if here && in_time => {
                let end = || transcript(world, place, size, depth);
                candidate.end.get_or_init(end).clone()
            }
            Depth::List => None,
            Depth::All => {
                // A conversation elsewhere only counts if it wrote the pipeline's files, and parsing thousands of files
                // for that is too slow.
                let named =
                    || subject.is_named_in(&tail(world, place, size, TAIL).unwrap_or_default());
                let elsewhere = || in_time && (named() || subject.shares_repository(head));
                (here || elsewhere()).then(|| transcript(world, place, size, depth))?
            }
        }
    }

    /// The files whose directory and time fit.
    fn candidates(
        &self,
        subject: &Subject<'_>,
        depth: Depth,
        world: &dyn World,
    ) -> Vec<&Candidate> {
        let slugs: Vec<String> = subject.dirs().map(slug).collect();
        let fits = |dir: &Path| {
            let name = dir
                .file_name()
                .map(|name| name.to_string_lossy())
                .unwrap_or_default();
            // A name that the client would not generate was set by the person.
            depth == Depth::All
                || !name.starts_with('-')
                || slugs.iter().any(|slug| name.starts_with(slug))
        };
        let mut found = Vec::new();
        for project in self.projects.iter().filter(|project| fits(&project.dir)) {
            let listed = || files(world, &project.root, &project.dir);
            let files = project.files.get_or_init(listed).iter();
            let young = files.filter(|file| subject.began_before(file.modified));
            found.extend(young);
        }
        found
    }

    fn conversation(
        &self,
        subject: &Subject<'_>,
        candidate: &Candidate,
        head: &Head,
        transcript: Transcript,
        world: &dyn World,
    ) -> Option<Conversation> {
        let last_at = transcript
            .last_at
            .or_else(|| Some(Stamp::utc(candidate.modified)));
        let cwd = transcript.cwd.clone().or_else(|| head.cwd.clone());
        let dirs = [head.cwd.as_deref(), cwd.as_deref()];
        let reasons = subject.reasons(&dirs, (head.at, last_at), &transcript)?;
        let known = self.register.get(&candidate.id);
        let fresh = world.clock().now().to_utc() - candidate.modified < TimeDelta::minutes(2);
        let alive = judged::aliveness(known, fresh);
        let days = self
            .kept_days
            .get(&candidate.root)
            .copied()
            .unwrap_or(KEPT_DAYS);
        let expires = candidate.modified.checked_add_signed(TimeDelta::days(days));
        let argv = ["claude", "--resume", &candidate.id];
        let resume = judged::resume_command(world, argv, cwd.as_deref());
        // An open conversation is never resumed a second time.
        let resume = resume.filter(|_| !matches!(known, Some(Registered::Open { .. })));
        let file = candidate.place.path();
        let client = Client::ClaudeCode;
        let cause = judged::cause(
            client,
            &transcript,
            &file,
            known,
            resume.as_ref(),
            world.clock().now(),
        );
        let cause = subject.about(cause, &dirs, &transcript);
        Some(Conversation {
            client,
            id: candidate.id.as_str().into(),
            file,
            cwd,
            branch: transcript.branch,
            started_at: head.at,
            last_at,
            tokens: transcript.context_tokens,
            alive,
            reasons,
            expires_at: expires.map(Stamp::utc),
            resume,
            cause,
            quotes: transcript.quotes,
        })
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
