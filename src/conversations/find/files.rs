//! The files of conversations: how they are found, and their beginning and end.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use chrono::{DateTime, Utc};

use super::Depth;
use super::marks::Marks;
use crate::conversations::claude::{Chain, Transcript, read, read_end};
use crate::model::{Place, Stamp};
use crate::world::World;
use crate::world::files::{FileKind, ReadError};

/// How many bytes of the beginning of a file are read, in steps, until its directory is known.
const HEADS: [usize; 2] = [8 << 10, 64 << 10];
/// How many bytes of the end are read at first.
pub(super) const TAIL: u64 = 256 << 10;
/// How many bytes of the end are read at most.
const TAIL_CAP: u64 = 16 << 20;
/// The client shortens a longer name of a project directory.
const SLUG: usize = 200;

/// A file that may be a conversation of the pipeline.
#[derive(Debug)]
pub(super) struct Candidate {
    pub(super) root: PathBuf,
    pub(super) place: Place,
    pub(super) id: String,
    pub(super) size: u64,
    pub(super) modified: DateTime<Utc>,
    /// Its beginning and its end as a list needs them, read once, because several pipelines share a project.
    pub(super) head: OnceLock<Result<Head, ReadError>>,
    pub(super) end: OnceLock<Option<End>>,
}

/// The end of a file.
#[derive(Debug, Clone)]
pub(super) struct End {
    pub(super) transcript: Transcript,
    pub(super) marks: Marks,
}

/// The beginning of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub(in crate::conversations) struct Head {
    pub(in crate::conversations) cwd: Option<PathBuf>,
    pub(in crate::conversations) at: Option<Stamp>,
}

/// The name that Claude Code gives a project's directory. It is lossy, so it only finds candidates.
pub(super) fn slug(dir: &Path) -> String {
    let text = dir.to_string_lossy();
    let signs = text.encode_utf16().map(|unit| match u8::try_from(unit) {
        Ok(byte) if byte.is_ascii_alphanumeric() => char::from(byte),
        Ok(_) | Err(_) => '-',
    });
    signs.take(SLUG).collect()
}

/// The conversations in a project directory, without the files of subagents.
pub(super) fn files(
    world: &dyn World,
    root: &Path,
    dir: &Path,
) -> Result<Vec<Candidate>, ReadError> {
    let entries = world.files().list(&Place::root(dir))?;
    let found = entries.into_iter().filter_map(|entry| {
        let id = entry.name.to_str()?.strip_suffix(".jsonl")?;
        file(world, root, dir, id)
    });
    Ok(found.collect())
}

/// The conversation of an id in a project directory.
pub(super) fn file(world: &dyn World, root: &Path, dir: &Path, id: &str) -> Option<Candidate> {
    if !is_uuid(id) {
        return None;
    }
    let place = Place::known(dir, format!("{id}.jsonl")).ok()?;
    let stat = world.files().stat(&place).ok()?;
    (stat.kind == FileKind::File).then(|| Candidate {
        root: root.to_owned(),
        id: id.to_owned(),
        size: stat.size,
        modified: stat.modified,
        place,
        head: OnceLock::new(),
        end: OnceLock::new(),
    })
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

impl Candidate {
    /// Its beginning, or why that cannot be read.
    pub(super) fn head(&self, world: &dyn World) -> Result<&Head, &ReadError> {
        let read = || begin(world, &self.place, self.size);
        self.head.get_or_init(read).as_ref()
    }
}

/// The beginning of a file as far as it can be read.
pub(in crate::conversations) fn head(world: &dyn World, place: &Place, size: u64) -> Head {
    begin(world, place, size).unwrap_or_default()
}

/// The beginning of a file, read until its directory is known.
fn begin(world: &dyn World, place: &Place, size: u64) -> Result<Head, ReadError> {
    let mut head = Head::default();
    for len in HEADS {
        let bytes = world.files().read_range(place, 0, len)?;
        head = Head {
            cwd: field(&bytes, b"\"cwd\":").map(PathBuf::from),
            at: field(&bytes, b"\"timestamp\":")
                .and_then(|text| crate::formats::stamp::parse(&text, world.clock())),
        };
        if head.cwd.is_some() || size <= len as u64 {
            break;
        }
    }
    Ok(head)
}

/// The first value of a string field. The lines are not parsed, because thousands of files are searched.
pub(in crate::conversations) fn field(bytes: &[u8], key: &[u8]) -> Option<String> {
    let at = memchr::memmem::find(bytes, key)?;
    let rest = bytes.get(at + key.len()..)?;
    let mut texts = serde_json::Deserializer::from_slice(rest).into_iter::<String>();
    texts.next()?.ok()
}

/// The end of a file. More of it is read until it shows how the conversation ended.
pub(super) fn end(world: &dyn World, place: &Place, size: u64, depth: Depth) -> Option<End> {
    let mut len = TAIL;
    loop {
        let bytes = tail(world, place, size, len)?;
        let whole = size <= len;
        let found = match depth {
            Depth::List => read_end(&bytes, whole, world.clock()),
            Depth::All => read(&bytes, whole, Chain::Main, world.clock()),
        };
        if found.ending.is_some() || whole || len >= TAIL_CAP {
            return Some(End {
                transcript: found,
                marks: Marks::of(&bytes, world.clock()),
            });
        }
        len *= 4;
    }
}

/// The last bytes of a file.
pub(in crate::conversations) fn tail(
    world: &dyn World,
    place: &Place,
    size: u64,
    len: u64,
) -> Option<Vec<u8>> {
    let from = size.saturating_sub(len);
    let len = usize::try_from(len).ok()?;
    world.files().read_range(place, from, len).ok()
}
