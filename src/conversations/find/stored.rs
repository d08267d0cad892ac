//! The folders and files of clients without a register, listed and read once.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use chrono::{DateTime, Utc};
use sha2::{Digest as _, Sha256};

use super::Head;
use super::matching::Subject;
use crate::conversations::claude::Transcript;
use crate::conversations::opencode::database::Database;
use crate::formats::json;
use crate::model::Place;
use crate::text::format::hex;
use crate::world::World;
use crate::world::files::FileKind;
use crate::world::noting::NotingWorld;

/// How much of a file is read to see whether it is damaged.
const BEGINNING: u64 = 1 << 20;

/// A folder with conversations.
pub(in crate::conversations) struct Folder {
    pub(super) dir: PathBuf,
    cwd: Cwd,
    /// Its files, listed once, and what was there and could not be read.
    pub(super) files: OnceLock<(Vec<Stored>, Noted)>,
}

/// Files and folders that were not read, and why.
pub(super) type Noted = Vec<(PathBuf, String)>;

/// What a folder says about the directory of its conversations.
pub(in crate::conversations) enum Cwd {
    /// Nothing: each file names its directory.
    InFiles,
    /// The directory.
    Is(PathBuf),
    /// The SHA-256 of the directory in hexadecimal.
    Hashed(String),
}

/// A file that may be a conversation.
pub(in crate::conversations) struct Stored {
    /// The file.
    pub(in crate::conversations) place: Place,
    /// Its name.
    pub(in crate::conversations) name: String,
    /// Its size.
    pub(in crate::conversations) size: u64,
    /// The database, if the conversation is a row of one instead of a file.
    pub(in crate::conversations) database: Option<Arc<Database>>,
    /// Why it cannot be read, if it cannot.
    pub(super) unread: Option<String>,
    pub(super) modified: DateTime<Utc>,
    /// Its beginning and its end as a list needs them, read once, because several pipelines share a project.
    pub(super) begun: OnceLock<Result<Option<Beginning>, String>>,
    pub(super) end: OnceLock<Option<Transcript>>,
}

/// The beginning of a conversation.
pub(in crate::conversations) struct Beginning {
    /// The id that resumes it.
    pub(in crate::conversations) id: String,
    /// Its directory and its first time.
    pub(in crate::conversations) head: Head,
}

impl Folder {
    /// A folder whose files are not yet listed.
    pub(in crate::conversations) fn new(dir: PathBuf, cwd: Cwd) -> Self {
        Self {
            dir,
            cwd,
            files: OnceLock::new(),
        }
    }

    /// The directory of its conversations, if it is known or equals the pipeline's.
    pub(super) fn cwd(&self, subject: &Subject<'_>) -> Option<PathBuf> {
        match &self.cwd {
            Cwd::InFiles => None,
            Cwd::Is(dir) => Some(dir.clone()),
            Cwd::Hashed(hash) => {
                let of = |dir: &&Path| hex(&Sha256::digest(dir.as_os_str().as_encoded_bytes()));
                let dir = subject.dirs().find(|dir| of(dir) == *hash);
                dir.map(Path::to_owned)
            }
        }
    }

    pub(super) fn may_be(&self, subject: &Subject<'_>, cwd: Option<&Path>) -> bool {
        match cwd {
            Some(cwd) => subject.holds(cwd),
            None => matches!(self.cwd, Cwd::InFiles),
        }
    }
}

impl Stored {
    /// A regular file in a folder; `None` for anything else.
    pub(in crate::conversations) fn of(world: &dyn World, dir: &Path, name: &str) -> Option<Self> {
        let place = Place::known(dir, name).ok()?;
        let stat = world.files().stat(&place).ok()?;
        (stat.kind == FileKind::File).then(|| Self {
            place,
            name: name.to_owned(),
            size: stat.size,
            database: None,
            unread: None,
            modified: stat.modified,
            begun: OnceLock::new(),
            end: OnceLock::new(),
        })
    }

    /// The regular files in a folder with such names. Compressed ones are there and not read.
    pub(in crate::conversations) fn all(
        world: &dyn World,
        dir: &Path,
        is_one: impl Fn(&str) -> bool,
    ) -> Vec<Self> {
        let entries = world.files().list(&Place::root(dir)).unwrap_or_default();
        let names = entries.iter().filter_map(|entry| entry.name.to_str());
        let stored = names.filter_map(|name| {
            let packed = name.strip_suffix(".zst");
            let is_one = is_one(packed.unwrap_or(name));
            let stored = is_one.then(|| Self::of(world, dir, name))??;
            Some(match packed {
                Some(_) => stored.unread("it is compressed"),
                None => stored,
            })
        });
        stored.collect()
    }

    /// A file that cannot be read.
    pub(in crate::conversations) fn unread(mut self, why: &str) -> Self {
        self.unread = Some(why.to_owned());
        self
    }

    /// A row of a database.
    pub(in crate::conversations) fn in_database(
        place: Place,
        modified: DateTime<Utc>,
        begun: Beginning,
        database: Arc<Database>,
    ) -> Self {
        Self {
            place,
            name: begun.id.clone(),
            size: 0,
            database: Some(database),
            unread: None,
            modified,
            begun: OnceLock::from(Ok(Some(begun))),
            end: OnceLock::new(),
        }
    }
}

/// What could not be read.
pub(super) fn noted(world: NotingWorld<'_>) -> Noted {
    let unread = world.unread().into_iter();
    let unread = unread.filter(|(_, why)| why.leaves_unknown());
    unread.map(|(path, why)| (path, why.to_string())).collect()
}

/// Whether a file does not even begin with a record.
pub(super) fn is_damaged(world: &dyn World, stored: &Stored) -> bool {
    let files = world.files();
    let len = usize::try_from(BEGINNING.min(stored.size)).unwrap_or_default();
    let Ok(bytes) = files.read_range(&stored.place, 0, len) else {
        return false;
    };
    let is_whole = len as u64 == stored.size;
    let record = if stored
        .place
        .path()
        .extension()
        .is_some_and(|end| end == "jsonl")
    {
        memchr::memchr(b'\n', &bytes).and_then(|end| bytes.get(..end))
    } else {
        Some(bytes.as_slice())
    };
    match record {
        Some(record) if is_whole || record.len() < bytes.len() => json::object(record).is_err(),
        Some(_) => false,
        None => is_whole,
    }
}
