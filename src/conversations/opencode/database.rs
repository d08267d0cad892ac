//! opencode 1.2 and later: sessions, messages and their parts in one SQLite database.
//!
//! `SQLite` writes files next to a database even when it only reads: the log of a database in use needs an index file.
//! So a database is opened as immutable, and one with a log is read into memory.

mod log;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, Utc};
use rusqlite::{Connection, OpenFlags, Params, Row};
use serde_json::{Map, Value};

use super::{CAP, Message, PARTS, Records};
use crate::conversations::find::{Beginning, Head, Stored};
use crate::formats::json;
use crate::model::{Place, Stamp};
use crate::text::format;
use crate::world::World;

/// Its name.
pub(super) const NAME: &str = "opencode.db";
/// How many sessions are listed.
const SESSIONS: usize = 10_000;
/// A database with a log is read whole, up to this size.
const COPIED: u64 = 512 << 20;

/// An open database.
pub(in crate::conversations) struct Database(Mutex<Connection>);

/// The sessions in a database, or the database as one that cannot be read.
pub(super) fn sessions(world: &dyn World, dir: &Path) -> Vec<Stored> {
    let Ok(place) = Place::known(dir, NAME) else {
        return Vec::new();
    };
    let unread = || {
        let stored = Stored::of(world, dir, NAME);
        let stored = stored.filter(|_| world.files().has_content(&place));
        stored.map(|stored| stored.unread("it is damaged, in use, or of another version"))
    };
    let Some(connection) = open(world, &place) else {
        return unread().into_iter().collect();
    };
    let database = Arc::new(Database(Mutex::new(connection)));
    let query = "SELECT id, directory, time_created, time_updated FROM session WHERE parent_id IS NULL ORDER BY time_updated DESC";
    let read = database.rows(query, [], SESSIONS, |row| {
        let modified = time(row, 3)?;
        let directory: String = row.get(1).ok()?;
        let head = Head {
            cwd: Some(PathBuf::from(directory)),
            at: time(row, 2).map(Stamp::utc),
        };
        let id = row.get(0).ok()?;
        Some((modified, Beginning { id, head }))
    });
    let stored = |(modified, beginning)| {
        Stored::in_database(place.clone(), modified, beginning, Arc::clone(&database))
    };
    // A row of another form is as unknown as damage.
    let skipped = read.skipped.then(unread).flatten();
    read.found.into_iter().map(stored).chain(skipped).collect()
}

impl Database {
    /// The last messages of a session, oldest first.
    pub(super) fn messages(&self, session: &str, most: usize) -> Records<Message> {
        let query = "SELECT data, id FROM message WHERE session_id = ?1 ORDER BY time_created DESC, id DESC";
        let records = self.rows(query, [session], most, |row| {
            let id: String = row.get(1).ok()?;
            Some((data(row)?, id))
        });
        records.reversed().map(|(map, id)| Message {
            map,
            parts: self.parts(&id),
        })
    }

    fn parts(&self, message: &str) -> Records<Map<String, Value>> {
        let query = "SELECT data FROM part WHERE message_id = ?1 ORDER BY id DESC";
        self.rows(query, [message], PARTS, data).reversed()
    }

    /// The first rows of a query. Rows that cannot be read are skipped, and reading ends at damage.
    fn rows<T>(
        &self,
        query: &str,
        values: impl Params,
        most: usize,
        read: impl Fn(&Row<'_>) -> Option<T>,
    ) -> Records<T> {
        let connection = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let Ok(mut statement) = connection.prepare(query) else {
            return Records::of([None]);
        };
        let Ok(rows) = statement.query_map(values, |row| Ok(read(row))) else {
            return Records::of([None]);
        };
        let mut is_whole = true;
        let rows = rows.take(most).take_while(|row| {
            let was_whole = is_whole;
            is_whole = row.is_ok();
            was_whole
        });
        Records::of(rows.map(|row| row.ok().flatten()))
    }
}

/// The record in the first column; `None` if it is invalid or too large.
fn data(row: &Row<'_>) -> Option<Map<String, Value>> {
    let bytes = row.get_ref(0).ok()?.as_bytes().ok()?;
    let fits = u64::try_from(bytes.len()).is_ok_and(|len| len <= CAP);
    fits.then(|| json::object(bytes).ok()).flatten()
}

fn time(row: &Row<'_>, column: usize) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp_millis(row.get(column).ok()?)
}

fn open(world: &dyn World, place: &Place) -> Option<Connection> {
    let path = place.path();
    let log = Place::of(&path.with_file_name(format!("{NAME}-wal")))?;
    if world.files().has_content(&log) {
        return copied(world, place, &log);
    }
    // SQLite would follow a link, and create a missing file.
    if !world.files().has_content(place) {
        return None;
    }
    let uri = format!("file:{}?immutable=1", format::url_path(&path));
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY
        | OpenFlags::SQLITE_OPEN_URI
        | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    Connection::open_with_flags(uri, flags).ok()
}

/// A copy in memory, with the log applied.
fn copied(world: &dyn World, place: &Place, log: &Place) -> Option<Connection> {
    let files = world.files();
    let size = |place| files.stat(place).ok().map(|stat| stat.size);
    if size(place)?.saturating_add(size(log)?) > COPIED {
        return None;
    }
    let before = files.read_range(log, 0, log::HEADER).ok()?;
    let image = files.read(place, COPIED).ok()?;
    let bytes = files.read(log, COPIED).ok()?;
    // The log was restarted meanwhile, so its old content may be only partly in the file.
    if !bytes.starts_with(&before) {
        return None;
    }
    let image = log::apply(image, &bytes, COPIED)?;
    let mut connection = Connection::open_in_memory().ok()?;
    connection
        .deserialize_read_exact("main", image.as_slice(), image.len(), true)
        .ok()?;
    Some(connection)
}
