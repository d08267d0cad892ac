//! The folder of a session: its name, its content, and writing files that are either complete or missing. Private to
//! its owner, and written through `apply`'s disk only.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use serde::Serialize;

use super::Ground;
use crate::apply::disk::{Disk as _, RealDir, RealDisk, RealFile, RealLock};
use crate::apply::{home, mirror};
use crate::model::text::hex;
use crate::model::{PipelineId, SessionId};
use crate::text::is_digits;

/// The record. A folder without one is incomplete and no session.
pub(super) const RECORD: &str = "session.json";
/// How it ended; not there while it runs and after a crash.
pub(super) const ENDED: &str = "ended.json";
/// Held by the process that runs it.
pub(super) const LOCK: &str = "lock";
/// The tree it works in.
pub(super) const TREE: &str = "tree";
/// Its dispatch files.
pub(super) const DISPATCH: &str = "dispatch";
/// In place of the original's folder of notes.
pub(super) const SCRATCH: &str = "scratch";
/// What its runners printed.
pub(super) const OUTPUTS: &str = "outputs";
/// The templates that were swapped, and what they were swapped for.
pub(super) const TEMPLATES: &str = "templates";
/// What the metrics of a person's own came to.
pub(super) const METRICS: &str = "metrics.json";
/// The manifest that it continues.
pub(super) const MANIFEST: &str = "manifest.jsonl";
/// How its dispatches are run by hand.
pub(super) const HANDOFF: &str = "hand-off.md";

/// The most that is read of a record.
const CAP: u64 = 256 << 20;
/// The longest name that is made from a foreign one.
const NAME: usize = 120;
/// How often a lock is tried again that a reader may hold for a moment.
const TRIES: usize = 200;
/// The same for whoever only looks himself.
const LOOKS: usize = 20;

/// A folder that is open.
#[derive(Debug, Clone)]
pub(super) struct Folder {
    pub(super) disk: RealDisk,
    pub(super) dir: RealDir,
    pub(super) path: PathBuf,
}

/// A single plain component made from foreign text: the text itself where that is one, else what is left of it,
/// and a hash that tells it from others.
pub(super) fn component(text: &[u8]) -> OsString {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"._~-".contains(byte);
    let is_plain = text.iter().all(plain)
        && text.first().is_some_and(|first| *first != b'.')
        && text.len() <= NAME;
    let kept = text
        .iter()
        .map(|byte| if plain(byte) { *byte } else { b'-' });
    let kept: Vec<u8> = kept.skip_while(|byte| *byte == b'.').take(NAME).collect();
    let mut name = String::from_utf8_lossy(&kept).into_owned();
    if !is_plain {
        let sum = hex(&Sha256::digest(text));
        name.push('~');
        name.extend(sum.chars().take(16));
    }
    name.into()
}

/// Whether a name could be a session's: seconds, with or without a number behind.
pub(super) fn is_id(name: &str) -> bool {
    match name.split_once('-') {
        Some((seconds, number)) => is_digits(seconds) && is_digits(number),
        None => is_digits(name),
    }
}

/// Where the sessions of a pipeline are.
pub fn home_of(state: &Path, pipeline: &PipelineId) -> PathBuf {
    home::replays_path(state, &component(pipeline.0.as_bytes()))
}

/// The names under a pipeline's folder that could be sessions, oldest first. Empty where there is no folder.
pub(super) fn ids(state: &Path, pipeline: &PipelineId) -> io::Result<Vec<SessionId>> {
    let names = match Folder::home(state, pipeline) {
        Ok(home) => home.names()?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut ids: Vec<String> = names.into_iter().filter(|name| is_id(name)).collect();
    ids.sort_by_cached_key(|name| age(name));
    Ok(ids.into_iter().map(SessionId).collect())
}

/// The pipelines that have replays. Where they cannot be listed there are none.
pub(super) fn pipelines(state: &Path) -> Vec<PipelineId> {
    let disk = RealDisk::new();
    let all = disk.root(&home::replays_path(state, OsStr::new("")));
    let names = all.and_then(|dir| disk.list(&dir)).unwrap_or_default();
    let names = names.into_iter().filter_map(|name| name.into_string().ok());
    names.map(PipelineId).collect()
}

/// By which sessions are ordered: their seconds, then their number.
pub(super) fn age(id: &str) -> (u64, u64) {
    let (seconds, number) = id.split_once('-').unwrap_or((id, "0"));
    let number_of = |text: &str| text.parse().unwrap_or(u64::MAX);
    (number_of(seconds), number_of(number))
}

impl Folder {
    /// The folder of a pipeline's replays.
    pub(super) fn home(state: &Path, pipeline: &PipelineId) -> io::Result<Self> {
        let (disk, path) = (RealDisk::new(), home_of(state, pipeline));
        let dir = disk.root(&path)?;
        Ok(Self { disk, dir, path })
    }

    /// The same, made where it is not there.
    pub(super) fn make_home(ground: &Ground<'_>, pipeline: &PipelineId) -> io::Result<Self> {
        let (disk, me) = (ground.disk.clone(), ground.world.places().uid);
        let name = component(pipeline.0.as_bytes());
        let (dir, path) = home::Home::replays(&disk, ground.state, &name, me)?;
        Ok(Self { disk, dir, path })
    }

    /// Makes an empty one for a session. `AlreadyExists` where there is one of that name.
    pub(super) fn make(
        ground: &Ground<'_>,
        pipeline: &PipelineId,
        id: &SessionId,
    ) -> io::Result<Self> {
        let home = Self::make_home(ground, pipeline)?;
        home.mkdir(&id.0)?;
        home.within(&id.0)
    }

    /// Opens that of a session.
    pub(super) fn open(state: &Path, pipeline: &PipelineId, id: &SessionId) -> io::Result<Self> {
        if !is_id(&id.0) {
            return Err(io::ErrorKind::NotFound.into());
        }
        Self::home(state, pipeline)?.within(&id.0)
    }

    /// A folder in it, with its path.
    pub(super) fn within(&self, name: &str) -> io::Result<Self> {
        Ok(Self {
            disk: self.disk.clone(),
            dir: self.sub(name)?,
            path: self.path.join(name),
        })
    }

    /// The names in it.
    pub(super) fn names(&self) -> io::Result<Vec<String>> {
        let names = self.disk.list(&self.dir)?.into_iter();
        Ok(names.filter_map(|name| name.into_string().ok()).collect())
    }

    /// Takes the lock; `None` where a process runs the session.
    pub(super) fn lock(&self) -> io::Result<Option<RealLock>> {
        self.try_lock(TRIES)
    }

    fn try_lock(&self, tries: usize) -> io::Result<Option<RealLock>> {
        for _ in 0..tries {
            if let Some(lock) = self.disk.lock(&self.dir, OsStr::new(LOCK))? {
                return Ok(Some(lock));
            }
            std::thread::yield_now();
        }
        Ok(None)
    }

    /// Whether a process runs the session. Makes nothing.
    pub(super) fn is_held(&self) -> io::Result<bool> {
        Ok(self.has(LOCK)? && self.try_lock(LOOKS)?.is_none())
    }

    /// Whether a name is there.
    pub(super) fn has(&self, name: &str) -> io::Result<bool> {
        Ok(self.disk.look(&self.dir, OsStr::new(name))?.is_some())
    }

    /// Makes a folder in it.
    pub(super) fn mkdir(&self, name: &str) -> io::Result<RealDir> {
        self.disk.mkdir(&self.dir, OsStr::new(name), 0o700)?;
        self.disk.dir(&self.dir, Path::new(name))
    }

    /// Opens a folder in it.
    pub(super) fn sub(&self, name: &str) -> io::Result<RealDir> {
        self.disk.dir(&self.dir, Path::new(name))
    }

    /// The same, made where it is not there.
    pub(super) fn sub_or_mkdir(&self, name: &str) -> io::Result<RealDir> {
        if self.has(name)? {
            self.sub(name)
        } else {
            self.mkdir(name)
        }
    }

    /// The content of a file in it.
    pub(super) fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        self.disk.read(&self.dir, OsStr::new(name), CAP)
    }

    /// The same, if it is there.
    pub(super) fn find(&self, name: &str) -> io::Result<Option<Vec<u8>>> {
        self.has(name)?.then(|| self.read(name)).transpose()
    }

    /// Writes a file in it, whole and durable.
    pub(super) fn put(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        put(&self.disk, &self.dir, OsStr::new(name), bytes)
    }

    /// Takes a file in it away, if it is there.
    pub(super) fn drop_file(&self, name: &str) -> io::Result<()> {
        if self.has(name)? {
            self.disk.remove(&self.dir, OsStr::new(name))?;
            self.disk.barrier(std::slice::from_ref(&self.dir))?;
        }
        Ok(())
    }

    /// Removes a folder in it with everything in that, if it is there.
    pub(super) fn remove(&self, name: &str) -> io::Result<()> {
        if self.has(name)? {
            mirror::clear(&self.sub(name)?)?;
            self.disk.remove(&self.dir, OsStr::new(name))?;
        }
        Ok(())
    }

    /// Takes everything in it away, and the folder itself. For one that was never made whole.
    pub(super) fn discard(&self) -> io::Result<()> {
        mirror::clear(&self.dir)?;
        let (Some(above), Some(name)) = (self.path.parent(), self.path.file_name()) else {
            return Ok(());
        };
        self.disk.remove(&self.disk.root(above)?, name)
    }
}

/// Opens a folder of a tree, made if need be.
pub(super) fn enter(disk: &RealDisk, at: &RealDir, name: &OsStr) -> io::Result<RealDir> {
    match disk.mkdir(at, name, 0o755) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
        Ok(()) | Err(_) => disk.dir(at, name.as_ref()),
    }
}

/// A record as a person can read it, with its newline.
pub(super) fn pretty(record: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut bytes = serde_json::to_vec_pretty(record).map_err(io::Error::other)?;
    bytes.push(b'\n');
    Ok(bytes)
}

/// A file that is being written through the disk.
pub(super) struct Out {
    pub(super) disk: RealDisk,
    pub(super) file: RealFile,
}

impl io::Write for Out {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.disk.write(&mut self.file, bytes)?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Writes a file under a name that may be taken by an older one of relight's own: it is there whole, the old one
/// or the new one, whenever the process or the machine stops.
pub(super) fn put(disk: &RealDisk, dir: &RealDir, name: &OsStr, bytes: &[u8]) -> io::Result<()> {
    let mut begun = OsString::from(".");
    begun.push(name);
    begun.push(".relight");
    if disk.look(dir, &begun)?.is_some() {
        disk.remove(dir, &begun)?;
    }
    let mut file = disk.create(dir, &begun, 0o600)?;
    disk.write(&mut file, bytes)?;
    disk.sync(&file)?;
    if disk.look(dir, name)?.is_some() {
        disk.swap((dir, &begun), (dir, name))?;
        disk.remove(dir, &begun)?;
    } else {
        disk.shift((dir, &begun), (dir, name))?;
    }
    disk.barrier(std::slice::from_ref(dir))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_names_become_single_plain_components() {
        let long = "x".repeat(300);
        let table: &[(&str, &str)] = &[
            ("crucible-1775430161~ab12", "crucible-1775430161~ab12"),
            ("../../etc", "-..-etc~"),
            (".", "~"),
            ("..", "~"),
            ("", "~"),
            (".git", "git~"),
            ("a/b", "a-b~"),
            ("a\0b", "a-b~"),
            (&long, "xxx"),
        ];
        for (text, begins) in table {
            let name = component(text.as_bytes()).into_string().unwrap();
            assert!(
                name.starts_with(begins) && name.len() <= 140,
                "{text:?}: {name}"
            );
            assert!(!name.contains('/') && !name.starts_with('.'), "{name}");
            assert_eq!(name == *text, begins == text, "{name}");
        }
        assert_ne!(component(b"a/b"), component(b"a-b"));
        assert_ne!(component(b"a/b"), component(b"a\0b"));
    }

    #[test]
    fn session_ids_are_seconds_and_a_number() {
        for good in ["1775431900", "1775431900-2", "1-10"] {
            assert!(is_id(good), "{good}");
        }
        for bad in ["", "-1", "1-", "1-2-3", "x", "1775431900.new", "1/2", "."] {
            assert!(!is_id(bad), "{bad}");
        }
        let mut ids = ["10-10", "10-2", "9", "10"];
        ids.sort_by_key(|id| age(id));
        assert_eq!(ids, ["9", "10", "10-2", "10-10"]);
    }
}
