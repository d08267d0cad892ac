//! Claude Code's register of running sessions: one file for each, removed when it exits.

use std::cell::OnceCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use chrono::{DateTime, TimeDelta};
use serde_json::{Map, Value};

use crate::foreign;
use crate::formats::json;
use crate::model::{LifeSign, Place, SignKind, SignVerdict};
use crate::world::World;
use crate::world::files::ReadError;
use crate::world::process::Process;

/// How large a file of the register may be.
const CAP: u64 = 64 << 10;

/// What the register says about a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Registered {
    /// It is running in this process.
    Open {
        /// The process.
        pid: u32,
        /// `busy`, `idle`, `waiting`.
        status: String,
        /// What it waits for: `permission prompt`, `input needed`.
        waiting_for: Option<String>,
        /// Its directory.
        cwd: PathBuf,
    },
    /// Its process is gone and the entry is left: it was killed, or the machine stopped.
    Crashed,
    /// Whether the process runs is unknown, as for one in another container.
    Unknown,
}

impl Registered {
    /// Of several entries of one session, that which says most about now counts.
    const fn rank(&self) -> u8 {
        match self {
            Self::Open { .. } => 2,
            Self::Unknown => 1,
            Self::Crashed => 0,
        }
    }
}

/// The sessions of the register, and what of it could not be read.
#[derive(Debug, Default)]
pub struct Register {
    sessions: BTreeMap<String, Registered>,
    /// What is there and was not read, with the reason.
    pub unread: Vec<(PathBuf, String)>,
}

impl Register {
    /// What it says about a session; unknown where the entry may be among those that were not read.
    pub fn state(&self, id: &str) -> Option<Registered> {
        let unknown = (!self.unread.is_empty()).then_some(Registered::Unknown);
        self.sessions.get(id).cloned().or(unknown)
    }

    /// Whether it names a session.
    pub fn names(&self, id: &str) -> bool {
        self.sessions.contains_key(id)
    }

    /// Whether a session is open.
    pub fn is_open(&self, id: &str) -> bool {
        self.pid(id).is_some()
    }

    /// The process of a session that is open.
    pub fn pid(&self, id: &str) -> Option<u32> {
        match self.sessions.get(id)? {
            Registered::Open { pid, .. } => Some(*pid),
            Registered::Crashed | Registered::Unknown => None,
        }
    }
}

/// The register in these folders. Never opens the secret keys next to the entries.
pub fn read(world: &dyn World, roots: &[&Path]) -> Register {
    let mut register = Register::default();
    let processes = OnceCell::new();
    let processes = || {
        let all = processes.get_or_init(|| world.processes().snapshot().ok());
        all.as_deref()
    };
    for root in roots {
        let Ok(dir) = Place::known(root, "sessions") else {
            continue;
        };
        let entries = match world.files().list(&dir) {
            Ok(entries) => entries,
            Err(ReadError::NotFound) if world.files().stat(&dir).is_err() => continue,
            Err(why) => {
                register.unread.push((dir.path(), why.to_string()));
                continue;
            }
        };
        for entry in entries {
            let path = Path::new(&entry.name);
            let stem = path.file_stem().and_then(|stem| stem.to_str());
            let is_entry = path.extension().is_some_and(|ending| ending == "json");
            let Some(pid) = stem.and_then(|stem| stem.parse().ok()).filter(|_| is_entry) else {
                continue;
            };
            let Ok(place) = dir.join(path) else { continue };
            match session(world, &place) {
                Ok((id, map)) => {
                    let state = state(processes(), pid, &map);
                    // A session that crashed and was resumed has an entry of each of its processes.
                    match register.sessions.get(&id) {
                        Some(known) if known.rank() >= state.rank() => {}
                        Some(_) | None => drop(register.sessions.insert(id, state)),
                    }
                }
                // Its session has just ended.
                Err(None) => {}
                // The rest of a session whose process is gone, as after a full disk.
                Err(Some(_)) if is_gone(processes(), pid) => {}
                Err(Some(why)) => register.unread.push((place.path(), why)),
            }
        }
    }
    register
}

/// The session of an entry, or why it cannot be read; no reason where it is gone.
fn session(
    world: &dyn World,
    place: &Place,
) -> Result<(String, Map<String, Value>), Option<String>> {
    let bytes = world.files().read(place, CAP).map_err(|why| {
        let is_gone = why == ReadError::NotFound;
        (!is_gone).then(|| why.to_string())
    })?;
    let map = json::object(&bytes).ok();
    let named = map.and_then(|map| Some((json::owned(&map, "sessionId")?, map)));
    named.ok_or_else(|| Some("it names no session".to_owned()))
}

fn state(processes: Option<&[Process]>, pid: u32, map: &Map<String, Value>) -> Registered {
    match processes {
        Some(all) => match all.iter().find(|process| process.pid == pid) {
            Some(process) if is_it(process, map) => Registered::Open {
                pid,
                status: json::owned(map, "status").unwrap_or_default(),
                waiting_for: json::owned(map, "waitingFor"),
                cwd: json::owned(map, "cwd")
                    .map(PathBuf::from)
                    .unwrap_or_default(),
            },
            // In another PID namespace the process may exist without being visible.
            Some(_) | None if map.contains_key("pidDomain") => Registered::Unknown,
            Some(_) | None => Registered::Crashed,
        },
        None => Registered::Unknown,
    }
}

/// Whether no process has this pid, as far as they could be listed.
fn is_gone(processes: Option<&[Process]>, pid: u32) -> bool {
    processes.is_some_and(|all| all.iter().all(|process| process.pid != pid))
}

/// Whether a process is the one of the entry. The pid may have been reused, and then the process started after the
/// session. `procStart` differs by platform and is compared only if it is a date.
fn is_it(process: &Process, map: &Map<String, Value>) -> bool {
    let Some(started) = process.started else {
        return false;
    };
    let given =
        json::text(map, "procStart").and_then(|text| DateTime::parse_from_rfc3339(text).ok());
    if let Some(given) = given {
        return (given.to_utc() - started).abs() <= TimeDelta::seconds(2);
    }
    let session = json::int(map, "startedAt").and_then(DateTime::from_timestamp_millis);
    session.is_some_and(|session| started <= session + TimeDelta::seconds(2))
}

/// Signs of life for the sessions that are open in one of these directories. What cannot be read may be one of them.
pub(super) fn signs(register: &Register, dirs: &[PathBuf], ancestors: &[u32]) -> Vec<LifeSign> {
    let signs = register.sessions.iter().filter_map(|(id, registered)| {
        let Registered::Open {
            pid, status, cwd, ..
        } = registered
        else {
            return None;
        };
        let status = if status.is_empty() { "running" } else { status };
        let id = crate::text::format::short_uuid(id);
        let here = dirs.iter().any(|dir| cwd.starts_with(dir));
        let text = format!("Claude Code's conversation {id} is open here in pid {pid} ({status}).");
        // If relight runs inside a conversation, the process itself already shows that.
        let verdict = if ancestors.contains(pid) {
            SignVerdict::Note
        } else {
            SignVerdict::Positive
        };
        here.then(|| LifeSign::new(SignKind::Process, verdict, text).of(*pid))
    });
    let unread = register.unread.iter().map(|(path, why)| {
        let is_entry = path.extension().is_some();
        let cure = " It is named after its process: if that is not Claude Code, remove the file.";
        let text = foreign!(
            "Claude Code's register of open conversations cannot be read ({}: {}).{}",
            path,
            why.as_str(),
            if is_entry { cure } else { "" }
        );
        LifeSign::new(SignKind::Process, SignVerdict::Unreadable, text)
    });
    signs.chain(unread).collect()
}
