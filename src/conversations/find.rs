//! Finds the conversations that worked on a pipeline, with the reasons.
//!
//! A home can hold thousands of files of many megabytes. So the name of the project directory and the time of the
//! file choose the candidates, and only of those the beginning and the end are read.

mod judged;
mod matching;
#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use chrono::{DateTime, TimeDelta, Utc};

use super::claude::{Chain, Transcript, read, read_end};
use super::codex;
use super::register::{self, Registered};
use crate::formats::json;
use crate::model::{Cause, Client, Conversation, LifeSign, Place, Reading, Stamp};
use crate::world::World;
use crate::world::files::FileKind;
use matching::Subject;

/// What is read of the beginning of a file, in steps, until its directory is known.
const HEADS: [usize; 2] = [8 << 10, 64 << 10];
/// What is read of the end at first.
const TAIL: u64 = 256 << 10;
/// The most that is read of the end.
const TAIL_CAP: u64 = 16 << 20;
/// The most conversations that are read for one row of a list.
const LISTED: usize = 3;
/// The most that are read for one pipeline that is asked for.
const ASKED: usize = 100;
/// Times of a pipeline's files and of a conversation that worked on it may differ by this.
const SLACK: TimeDelta = TimeDelta::minutes(10);
/// Days after which Claude Code deletes conversations, unless its settings name others.
const KEPT_DAYS: i64 = 30;
/// Longest name of a project directory before the client shortens it.
const SLUG: usize = 200;

/// How much is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// The newest candidates: for a list.
    List,
    /// All candidates, whatever their directory is called: for one pipeline.
    All,
}

/// A file that may be a conversation of the pipeline.
#[derive(Debug)]
struct Candidate {
    root: PathBuf,
    place: Place,
    id: String,
    size: u64,
    modified: DateTime<Utc>,
    /// Its beginning and its end as a list needs them, read once: several pipelines share a project.
    head: OnceLock<Head>,
    end: OnceLock<Option<Transcript>>,
}

/// A project directory of a client.
struct Project {
    root: PathBuf,
    dir: PathBuf,
    /// Its files, listed once.
    files: OnceLock<Vec<Arc<Candidate>>>,
}

/// The beginning of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Head {
    pub(super) cwd: Option<PathBuf>,
    pub(super) at: Option<Stamp>,
}

/// The conversations of this machine, as one run sees them.
#[derive(Default)]
pub struct Index {
    projects: Vec<Project>,
    register: HashMap<String, Registered>,
    kept_days: HashMap<PathBuf, i64>,
    rollouts: OnceLock<Vec<codex::Rollout>>,
}

impl Index {
    /// Lists the project directories and the register of running sessions. No conversation is opened.
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
            HashMap::new()
        } else {
            let roots: Vec<&Path> = roots.iter().map(PathBuf::as_path).collect();
            register::read(world, &roots)
        };
        let kept = |root: &PathBuf| (root.clone(), kept_days(world, root));
        Self {
            kept_days: roots.iter().map(kept).collect(),
            projects,
            register,
            ..Self::default()
        }
    }

    /// The conversations that worked on a pipeline, the newest first.
    pub fn of(&self, reading: &Reading, depth: Depth, world: &dyn World) -> Vec<Conversation> {
        let subject = Subject::of(reading, world);
        let mut found = self.of_claude(&subject, depth, world);
        found.extend(self.of_codex(&subject, depth, world));
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
        candidates.sort_by_key(|candidate| std::cmp::Reverse(candidate.modified));
        let most = if depth == Depth::List { LISTED } else { ASKED };
        let mut moved = Vec::new();
        let mut found = Vec::new();
        for candidate in &candidates {
            let (place, size) = (&candidate.place, candidate.size);
            let head = candidate.head.get_or_init(|| head(world, place, size));
            if depth == Depth::List && !subject.may_be(head) {
                continue;
            }
            let transcript = match depth {
                Depth::List => {
                    let end = || transcript(world, place, size, depth);
                    candidate.end.get_or_init(end).clone()
                }
                Depth::All => transcript(world, place, size, depth),
            };
            let Some(transcript) = transcript else {
                continue;
            };
            if let Some(to) = &transcript.moved_to {
                moved.push((candidate.id.clone(), to.clone()));
            }
            if let Some(one) = self.conversation(subject, candidate, head, transcript, world) {
                found.push(one);
            }
            if found.len() >= most {
                break;
            }
        }
        // A conversation that moved is judged by the one it continues in.
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

    /// The files whose directory and time allow it.
    fn candidates(
        &self,
        subject: &Subject<'_>,
        depth: Depth,
        world: &dyn World,
    ) -> Vec<Arc<Candidate>> {
        let slugs: Vec<String> = subject.dirs().map(slug).collect();
        let fits = |dir: &Path| {
            let name = dir
                .file_name()
                .map(|name| name.to_string_lossy())
                .unwrap_or_default();
            // A name that is none of the client's making was set by the person.
            depth == Depth::All
                || !name.starts_with('-')
                || slugs.iter().any(|slug| name.starts_with(slug))
        };
        let mut found = Vec::new();
        for project in self.projects.iter().filter(|project| fits(&project.dir)) {
            let listed = || files(world, &project.root, &project.dir);
            let files = project.files.get_or_init(listed).iter();
            let young = files.filter(|file| subject.began_before(file.modified));
            found.extend(young.cloned());
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
        let resume = judged::claude_resume(world, known, &candidate.id, cwd.as_deref());
        let cause = judged::cause(&transcript, &candidate.place.path(), known, resume.as_ref());
        Some(Conversation {
            client: Client::ClaudeCode,
            id: candidate.id.as_str().into(),
            file: candidate.place.path(),
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

    fn of_codex(
        &self,
        subject: &Subject<'_>,
        depth: Depth,
        world: &dyn World,
    ) -> Vec<Conversation> {
        let rollouts = self.rollouts.get_or_init(|| codex::rollouts(world));
        let most = if depth == Depth::List { LISTED } else { ASKED };
        let fit = rollouts
            .iter()
            .filter(|rollout| subject.began_before(rollout.modified));
        let read = fit.filter_map(|rollout| {
            let head = codex::head(world, rollout)?;
            if !subject.may_be(&head) {
                return None;
            }
            codex::conversation(world, rollout, &head, |dirs, times| {
                subject.reasons(dirs, times, &Transcript::default())
            })
        });
        read.take(most).collect()
    }
}

/// The name that Claude Code gives the directory of a project: lossy, so it only finds candidates.
fn slug(dir: &Path) -> String {
    let text = dir.to_string_lossy();
    let signs = text.encode_utf16().map(|unit| match u8::try_from(unit) {
        Ok(byte) if byte.is_ascii_alphanumeric() => char::from(byte),
        Ok(_) | Err(_) => '-',
    });
    signs.take(SLUG).collect()
}

/// The conversations in a project directory. Files of subagents are no conversations of their own.
fn files(world: &dyn World, root: &Path, dir: &Path) -> Vec<Arc<Candidate>> {
    let entries = world.files().list(&Place::root(dir)).unwrap_or_default();
    let found = entries.into_iter().filter_map(|entry| {
        let name = entry.name.to_str()?;
        let id = name.strip_suffix(".jsonl").filter(|id| is_uuid(id))?;
        let place = Place::known(dir, name).ok()?;
        let stat = world.files().stat(&place).ok()?;
        (stat.kind == FileKind::File).then(|| {
            Arc::new(Candidate {
                root: root.to_owned(),
                id: id.to_owned(),
                size: stat.size,
                modified: stat.modified,
                place,
                head: OnceLock::new(),
                end: OnceLock::new(),
            })
        })
    });
    found.collect()
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, b)| {
            if matches!(at, 8 | 13 | 18 | 23) {
                b == b'-'
            } else {
                b.is_ascii_hexdigit()
            }
        })
}

/// The beginning of a file, read until its directory is known.
pub(super) fn head(world: &dyn World, place: &Place, size: u64) -> Head {
    let mut head = Head::default();
    for len in HEADS {
        let Ok(bytes) = world.files().read_range(place, 0, len) else {
            break;
        };
        head = Head {
            cwd: field(&bytes, b"\"cwd\":").map(PathBuf::from),
            at: field(&bytes, b"\"timestamp\":")
                .and_then(|text| crate::formats::stamp::parse(&text, world.clock())),
        };
        if head.cwd.is_some() || size <= len as u64 {
            break;
        }
    }
    head
}

/// The first text of a field. The lines are not parsed: this is done to thousands of files.
fn field(bytes: &[u8], key: &[u8]) -> Option<String> {
    let at = memchr::memmem::find(bytes, key)?;
    let rest = bytes.get(at + key.len()..)?;
    let mut texts = serde_json::Deserializer::from_slice(rest).into_iter::<String>();
    texts.next()?.ok()
}

/// The end of a file, read further back until it shows how the conversation ended.
fn transcript(world: &dyn World, place: &Place, size: u64, depth: Depth) -> Option<Transcript> {
    let mut len = TAIL;
    loop {
        let from = size.saturating_sub(len);
        let bytes = world
            .files()
            .read_range(place, from, usize::try_from(len).ok()?)
            .ok()?;
        let found = match depth {
            Depth::List => read_end(&bytes, from == 0, world.clock()),
            Depth::All => read(&bytes, from == 0, Chain::Main, world.clock()),
        };
        if found.ending.is_some() || from == 0 || len >= TAIL_CAP {
            return Some(found);
        }
        len *= 4;
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

/// The cause among what a pipeline's own records and its conversations say: the newest, and of those that are
/// equally new the surest. The others become evidence.
pub fn cause(recorded: Option<Cause>, conversations: &[Conversation], reading: &Reading) -> Cause {
    judged::newest_and_surest(recorded, conversations, reading)
}
