//! Claude Code's register of running sessions: one file for each, removed when it exits.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use chrono::{DateTime, TimeDelta};
use serde_json::{Map, Value};

use crate::formats::json;
use crate::model::{LifeSign, Place, SignKind, SignVerdict};
use crate::world::World;
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

/// The register in these folders, by session id. Never opens the secret keys next to the entries.
pub fn read(world: &dyn World, roots: &[&Path]) -> BTreeMap<String, Registered> {
    let mut found = BTreeMap::new();
    for root in roots {
        let Ok(dir) = Place::known(root, "sessions") else {
            continue;
        };
        let files = world.files();
        for entry in files.list(&dir).unwrap_or_default() {
            let path = Path::new(&entry.name);
            let stem = path.file_stem().and_then(|stem| stem.to_str());
            let is_entry = path.extension().is_some_and(|ending| ending == "json");
            let Some(pid) = stem.and_then(|stem| stem.parse().ok()).filter(|_| is_entry) else {
                continue;
            };
            let bytes = dir
                .join(path)
                .ok()
                .and_then(|place| files.read(&place, CAP).ok());
            let Some(map) = bytes.and_then(|bytes| json::object(&bytes).ok()) else {
                continue;
            };
            if let Some(id) = json::owned(&map, "sessionId") {
                found.insert(id, state(world, pid, &map));
            }
        }
    }
    found
}

fn state(world: &dyn World, pid: u32, map: &Map<String, Value>) -> Registered {
    let processes = world.processes().snapshot();
    match processes {
        Ok(all) => match all.iter().find(|process| process.pid == pid) {
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
        Err(_) => Registered::Unknown,
    }
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

/// Signs of life for the sessions that are open in one of these directories.
pub(super) fn signs(
    register: &BTreeMap<String, Registered>,
    dirs: &[PathBuf],
    ancestors: &[u32],
) -> Vec<LifeSign> {
    let signs = register.iter().filter_map(|(id, registered)| {
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
        here.then(|| LifeSign::new(SignKind::Process, verdict, text))
    });
    signs.collect()
}
