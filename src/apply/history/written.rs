//! What a transaction wrote down before it began. It never changes afterwards, so it is read once.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::apply::appends::shown as shown_log;
use crate::apply::disk::{Disk, Identity, Node};
use crate::apply::exchange::Spot;
use crate::apply::folder::{Folder, JOURNAL, RECORD};
use crate::apply::journal::{Damage, Journal};
use crate::apply::record::Record;
use crate::model::{Action, ActionKind, Foreign, Preview, lock};

/// The most that is remembered, in bytes of the files that were read.
const CAP: u64 = 128 << 20;

/// A transaction's record and journal.
#[derive(Debug)]
pub(super) struct Written {
    /// What was planned; of one without a readable record, what its journal tells.
    pub(super) record: Record,
    /// Whether the record could be read.
    pub(super) is_recorded: bool,
    /// Its journal, or why it cannot be used; `None` if it never had one.
    pub(super) journal: Option<Result<Journal, Damage>>,
    /// The actions of the record, with the other path of each place.
    pub(super) actions: Vec<Action>,
}

impl Written {
    /// The journal, if it can be used.
    pub(super) fn good_journal(&self) -> Option<&Journal> {
        self.journal.as_ref()?.as_ref().ok()
    }

    fn read<D: Disk>(disk: &D, home: &Path, folder: &Folder<D>) -> Self {
        let journal = folder.journal(disk);
        let good = journal.as_ref().and_then(|journal| journal.as_ref().ok());
        let found = folder.record(disk);
        let is_there = !matches!(&found, Ok(bytes) if bytes.is_empty());
        let record = serde_json::from_slice::<Record>(&found.unwrap_or_default()).ok();
        let is_recorded = record.is_some();
        let record = record.unwrap_or_else(|| Record::lost(&folder.name, home, good, is_there));
        let places = good.map(other_places).unwrap_or_default();
        // A directory is kept as a whole: what was in it lies beneath its other place.
        let at = |path: &Path| {
            path.ancestors().find_map(|above| {
                let other = places.get(above)?.join(path.strip_prefix(above).ok()?);
                // Without the slash that the join leaves behind the place itself.
                Some(other.components().collect())
            })
        };
        let actions = record.actions.iter();
        let actions = actions.map(|action| counted(action.action(&at), good));
        Self {
            actions: actions.collect(),
            record,
            is_recorded,
            journal,
        }
    }
}

/// The folder, and its record and journal: each is another file once it has another content.
type Version = (Identity, [Option<Node>; 2]);

/// What was read of the history. Whoever reads it several times, as an undo does, reads the journals of large
/// recoveries once.
#[derive(Debug, Default)]
pub struct Memory(Mutex<HashMap<Version, Arc<Written>>>);

impl Memory {
    pub(super) fn written<D: Disk>(
        &self,
        disk: &D,
        home: &Path,
        folder: &Folder<D>,
    ) -> io::Result<Arc<Written>> {
        let node = |name| disk.look(&folder.dir, OsStr::new(name));
        let version = (disk.node(&folder.dir)?.id, [node(RECORD)?, node(JOURNAL)?]);
        if let Some(known) = lock(&self.0).get(&version) {
            return Ok(Arc::clone(known));
        }
        let read = Arc::new(Written::read(disk, home, folder));
        let mut known = lock(&self.0);
        let size = |(_, files): &Version| files.iter().flatten().map(|file| file.size).sum::<u64>();
        let fits = known.keys().map(size).sum::<u64>() + size(&version) <= CAP;
        // What cannot be read now, or is still being written, may be readable later.
        if fits && read.is_recorded && matches!(read.journal, Some(Ok(_))) {
            known.insert(version, Arc::clone(&read));
        }
        Ok(read)
    }
}

/// For every place among a person's files, the path of its other content.
fn other_places(journal: &Journal) -> HashMap<PathBuf, PathBuf> {
    let path = |spot: &Spot| spot.path(&journal.bases);
    let mut places = HashMap::new();
    for exchange in &journal.exchanges {
        let (here, there) = (path(&exchange.here), path(&exchange.there));
        // A file that was moved aside can be looked up by either of its names.
        places.entry(there.clone()).or_insert_with(|| here.clone());
        places.insert(here, there);
    }
    places
}

/// An action of a record, with the number of lines that the journal says were appended.
fn counted(action: Action, journal: Option<&Journal>) -> Action {
    match journal.filter(|_| action.kind == ActionKind::AppendLines) {
        Some(journal) => Action {
            preview: Preview::Appended {
                lines: appended(journal, &action.target),
            },
            ..action
        },
        None => action,
    }
}

/// How many lines a recovery appended to a log.
fn appended(journal: &Journal, log: &Path) -> usize {
    let of_log = journal.appends.iter().filter(|append| {
        let base = journal.bases.get(append.base);
        base.is_some_and(|base| base.path.path().join(shown_log(append)) == log)
    });
    of_log
        .map(|append| Foreign::from(append.block.0.as_slice()).lines().count())
        .sum()
}
