//! The manifest that a session continues: the lines that it already has, and new lines, each appended with one write. A
//! truncated last line is ended with a newline first.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::Path;

use serde_json::Value;

use crate::apply::disk::{Disk as _, RealDir, RealDisk};
use crate::apply::home;
use crate::formats::jsonl::{self, Parsed};
use crate::model::{DispatchStatus, Foreign, SessionId};

/// The most that is read of a manifest.
const CAP: u64 = 1 << 30;

/// What the manifest says last about one dispatch of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Last {
    pub(super) seq: u64,
    pub(super) status: DispatchStatus,
    pub(super) duration_s: Option<u64>,
    pub(super) summary: Option<Foreign>,
}

impl Last {
    /// Whether it says how the dispatch ended.
    pub(super) fn is_terminal(&self) -> bool {
        !matches!(
            self.status,
            DispatchStatus::Dispatched | DispatchStatus::Unknown
        )
    }
}

/// What a manifest says.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Seen {
    /// The largest number of any line, torn ones among them.
    pub(super) largest: u64,
    /// The dispatches of one session, by the number that they re-execute.
    pub(super) of: BTreeMap<u64, Last>,
}

/// Reads a manifest for a session.
pub(super) fn seen(bytes: &[u8], session: &SessionId) -> Seen {
    let mut seen = Seen::default();
    for line in jsonl::lines(bytes) {
        let map = match jsonl::parse(&line) {
            Parsed::Object(map) => map,
            Parsed::Bad(_) | Parsed::Torn(_) => {
                seen.largest = seen.largest.max(torn_seq(line.bytes).unwrap_or(0));
                continue;
            }
        };
        let number = |key: &str| map.get(key).and_then(Value::as_u64);
        let text = |key: &str| map.get(key).and_then(Value::as_str);
        let Some(seq) = number("seq") else {
            continue;
        };
        seen.largest = seen.largest.max(seq);
        let Some(of) = number("replay_of") else {
            continue;
        };
        if text("replay_session") != Some(session.0.as_str()) {
            continue;
        }
        // `replayed` is left to the system's reader.
        let status = text("status").and_then(|word| word.parse().ok());
        let last = Last {
            seq,
            status: status.unwrap_or(DispatchStatus::Unknown),
            duration_s: number("duration_s"),
            summary: text("summary").map(Foreign::from),
        };
        // A retry takes its number again; a larger one is a newer try.
        if seen.of.get(&of).is_none_or(|known| known.seq <= seq) {
            seen.of.insert(of, last);
        }
    }
    seen
}

/// The number in a line that cannot be read: it was given out all the same.
fn torn_seq(line: &[u8]) -> Option<u64> {
    const KEY: &[u8] = b"\"seq\":";
    let at = memchr::memmem::find(line, KEY)? + KEY.len();
    let rest = line.get(at..)?.trim_ascii_start();
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(rest.get(..digits)?).ok()?.parse().ok()
}

/// The largest number that the name of a file in a folder begins with.
pub(super) fn largest_file(disk: &RealDisk, dir: &RealDir) -> io::Result<u64> {
    let names = disk.list(dir)?;
    let number = |name: &OsString| name.to_str()?.split_once('-')?.0.parse().ok();
    Ok(names.iter().filter_map(number).max().unwrap_or(0))
}

/// The same error, which does not name the manifest itself.
pub(super) fn of_manifest(error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("the manifest: {error}"))
}

/// A manifest that lines are appended to. The caller holds the lock under which that may be done.
#[derive(Debug)]
pub(super) struct Continuation {
    disk: RealDisk,
    dir: RealDir,
    name: OsString,
}

impl Continuation {
    /// Opens the folder of a manifest.
    pub(super) fn open(disk: &RealDisk, manifest: &Path) -> io::Result<Self> {
        let absent = || io::Error::from(io::ErrorKind::NotFound);
        let folder = home::canonical(manifest.parent().ok_or_else(absent)?)?;
        Ok(Self {
            disk: disk.clone(),
            dir: disk.root(&folder)?,
            name: manifest.file_name().ok_or_else(absent)?.to_owned(),
        })
    }

    /// Its content.
    pub(super) fn bytes(&self) -> io::Result<Vec<u8>> {
        self.disk.read(&self.dir, &self.name, CAP)
    }

    /// What it says now.
    pub(super) fn seen(&self, session: &SessionId) -> io::Result<Seen> {
        Ok(seen(&self.bytes()?, session))
    }

    /// Appends a line that has its newline.
    pub(super) fn append(&self, line: &[u8]) -> io::Result<()> {
        let size = self.disk.look(&self.dir, &self.name)?;
        let size = size.ok_or(io::ErrorKind::NotFound)?.size;
        let tail = match size.checked_sub(1) {
            Some(last) => self.disk.read_from(&self.dir, &self.name, last, 2)?,
            None => Vec::new(),
        };
        let heal: &[u8] = match tail.last() {
            None | Some(b'\n') => b"",
            Some(_) => b"\n",
        };
        self.disk
            .append(&self.dir, &self.name, &[heal, line].concat())
    }
}
