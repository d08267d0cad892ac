//! The history of recoveries, read from the folders of the transactions. There is no separate list, so the history
//! cannot contradict the backups that exist. Reads only.

mod marks;
mod trouble;

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use chrono::{DateTime, FixedOffset};

use super::appends::shown as shown_log;
use super::crash::{self, State};
use super::disk::{Disk, FileKind};
use super::exchange::{BaseKind, if_there, is_absent};
use super::folder::{Folder, Mark, SLOTS};
use super::home::{Home, own, pointers, projects};
use super::journal::{Damage, Journal};
use super::record::Record;
use crate::model::{
    Action, ActionKind, Foreign, KeptContent, Preview, Recovery, RecoveryId, RecoveryState,
};

/// One transaction.
pub struct Entry<D: Disk> {
    /// The folder of its project.
    pub home: Home<D>,
    /// Its own folder.
    pub folder: Folder<D>,
    /// What was planned.
    pub record: Record,
    /// How far it came.
    pub state: State,
    /// Its journal, or why it cannot be used; `None` if it never had one.
    pub journal: Option<Result<Journal, Damage>>,
    /// All of this for display.
    pub recovery: Recovery,
}

impl<D: Disk> Entry<D> {
    /// Its journal, if it can be used.
    pub fn good_journal(&self) -> Option<&Journal> {
        self.journal.as_ref()?.as_ref().ok()
    }
}

/// A folder among the transactions that cannot be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unreadable {
    /// Its path.
    pub path: PathBuf,
    /// The id of its project.
    pub project: String,
    /// Why it cannot be read, as the end of a sentence.
    pub reason: String,
}

/// All transactions of all projects, the latest first. A damaged one is included, as needing attention. What cannot be
/// read at all is listed separately, so that it does not hide the others.
pub fn read<D: Disk>(
    disk: &D,
    state: &Path,
    zone: FixedOffset,
) -> io::Result<(Vec<Entry<D>>, Vec<Unreadable>)> {
    let (mut found, mut unreadable) = (Vec::new(), Vec::new());
    for project in projects(disk, state)? {
        let mut fails = |path: PathBuf, error: &io::Error| {
            unreadable.push(Unreadable {
                path,
                project: project.clone(),
                reason: error.to_string(),
            });
        };
        let path = own(state).join(&project);
        let home = Home::open(disk, state, &project);
        let listed = home.and_then(|home| {
            let names = home.as_ref().map(|home| home.ids(disk)).transpose()?;
            Ok(home.zip(names))
        });
        let (home, names) = match listed {
            Ok(Some(listed)) => listed,
            Ok(None) => continue,
            Err(error) => {
                fails(path, &error);
                continue;
            }
        };
        for name in names {
            match entry(disk, &home, &name, zone) {
                Ok(one) => found.extend(one),
                // Another relight was cancelled and removed its folder in the meantime.
                Err(error) if is_absent(&error) && is_gone(disk, &home, &name) => {}
                Err(error) => fails(path.join(name), &error),
            }
        }
    }
    found.sort_by(|a, b| {
        let key = |entry: &Entry<D>| (entry.record.number, entry.recovery.id.clone());
        key(b).cmp(&key(a))
    });
    // An undo that another purge emptied has no backups either.
    marks::emptied(&mut found);
    marks::undone(&mut found);
    marks::superseded(&mut found);
    Ok((found, unreadable))
}

/// All transactions that can be read.
pub fn entries<D: Disk>(disk: &D, state: &Path, zone: FixedOffset) -> io::Result<Vec<Entry<D>>> {
    read(disk, state, zone).map(|(entries, _)| entries)
}

/// The number of the next transaction in the order of all. It does not use the clock, which may be set back.
pub fn next_number<D: Disk>(disk: &D, state: &Path) -> u64 {
    #[derive(serde::Deserialize)]
    struct Numbered {
        #[serde(default)]
        number: u64,
    }
    let mut last = 0;
    let seen = visit(disk, state, |_, folder| {
        let record = folder.record(disk).unwrap_or_default();
        if let Ok(found) = serde_json::from_slice::<Numbered>(&record) {
            last = last.max(found.number);
        }
    });
    seen.map_or(1, |()| last.saturating_add(1))
}

/// Visits the folders of the recoveries of all projects, one after the other. What cannot be read is left out: it must
/// not hide the others.
pub(super) fn visit<D: Disk>(
    disk: &D,
    state: &Path,
    mut see: impl FnMut(&Home<D>, &Folder<D>),
) -> io::Result<()> {
    for project in projects(disk, state)? {
        let Ok(Some(home)) = Home::open(disk, state, &project) else {
            continue;
        };
        for name in home.ids(disk).unwrap_or_default() {
            if let Ok(folder) = Folder::open(disk, &home.dir, &name) {
                see(&home, &folder);
            }
        }
    }
    Ok(())
}

fn is_gone<D: Disk>(disk: &D, home: &Home<D>, name: &str) -> bool {
    matches!(disk.look(&home.dir, OsStr::new(name)), Ok(None))
}

/// Whether a name is an id: ids begin with the time, such as `20261121T064512`.
pub fn is_id(name: &str) -> bool {
    let digits = name.bytes().take(8).filter(u8::is_ascii_digit).count();
    digits == 8 && name.as_bytes().get(8) == Some(&b'T')
}

/// One transaction. `None` for one that never began: it has no journal, and its record is truncated.
pub fn entry<D: Disk>(
    disk: &D,
    home: &Home<D>,
    name: &str,
    zone: FixedOffset,
) -> io::Result<Option<Entry<D>>> {
    let folder = Folder::open(disk, &home.dir, name)?;
    let state = crash::state(disk, &folder)?;
    let journal = folder.journal(disk);
    let record = folder.record(disk).unwrap_or_default();
    let record = match serde_json::from_slice::<Record>(&record) {
        Ok(record) => record,
        Err(_) if state == State::Untouched => return Ok(None),
        Err(_) => {
            let journal = journal.as_ref().and_then(|journal| journal.as_ref().ok());
            Record::lost(name, &home.path, journal)
        }
    };
    let recovery = recovery(disk, home, &folder, &record, &state, journal.as_ref(), zone)?;
    Ok(Some(Entry {
        home: home.clone(),
        folder,
        record,
        state,
        journal,
        recovery,
    }))
}

fn recovery<D: Disk>(
    disk: &D,
    home: &Home<D>,
    folder: &Folder<D>,
    record: &Record,
    state: &State,
    journal: Option<&Result<Journal, Damage>>,
    zone: FixedOffset,
) -> io::Result<Recovery> {
    let good = journal.and_then(|journal| journal.as_ref().ok());
    let purged = folder.has(disk, Mark::Purged)?
        || *state == State::Done
            && good.is_some_and(|journal| is_emptied(disk, &folder.name, journal));
    let places = good.map(other_places).unwrap_or_default();
    let mut kept_in = vec![home.path.join(&folder.name).join(SLOTS)];
    kept_in.extend(good.into_iter().flat_map(slot_folders));
    if good.is_none() {
        kept_in.extend(pointers(disk, &folder.dir).unwrap_or_default());
    }
    kept_in.sort();
    kept_in.dedup();
    // An undo uses the slots of the recovery that it undoes; they are counted there.
    kept_in.retain(|folder_path| {
        folder_path
            .iter()
            .any(|part| part == OsStr::new(&folder.name))
    });
    let (kept_bytes, used) = used(disk, &kept_in)?;
    // A directory is kept as a whole: what was in it lies beneath its other place.
    let at = |path: &Path| {
        path.ancestors().find_map(|above| {
            let other = places.get(above)?.join(path.strip_prefix(above).ok()?);
            // Without the slash that the join leaves behind the place itself.
            Some(other.components().collect())
        })
    };
    let has_ended = state.has_ended();
    let running = !has_ended && home.is_locked(disk);
    let ended = folder.ended_ns(disk)?;
    // Of what was applied as a whole, everything that is kept is a backup.
    let partly = good.filter(|_| !running && *state != State::Done);
    let standing = partly.map(|journal| crash::standing(disk, journal));
    let kept_bytes = match &standing {
        Some(standing) => standing.backup_bytes,
        None if *state == State::Untouched => 0,
        None => kept_bytes,
    };
    let standing = standing.unwrap_or_default();
    let content = (*state != State::Done).then_some(&standing.kept);
    let actions = record.actions.iter();
    let actions = actions.map(|action| kept(counted(action.action(&at), good), content));
    let actions: Vec<Action> = actions.collect();
    Ok(Recovery {
        id: RecoveryId(folder.name.clone()),
        pipeline: record.pipeline.clone(),
        root: record.root.path(),
        label: record.label(),
        started_at: record.started_at(),
        ended_at: ended.map(|ns| DateTime::from_timestamp_nanos(ns).with_timezone(&zone)),
        state: shown(state),
        undoes: record.undoes.clone().map(RecoveryId),
        is_redo: record.is_redo(),
        undone_by: None,
        undo_purged: false,
        superseded_by: None,
        actions,
        handoff: record.handoff(),
        kept_bytes,
        trouble: if running {
            vec!["Another relight is applying or recovering it now.".into()]
        } else if purged {
            Vec::new()
        } else {
            trouble::trouble(
                &standing,
                state,
                journal,
                (&folder.name, &record.root.path()),
                &kept_in,
            )
        },
        running,
        kept_in: if purged { Vec::new() } else { used },
        purged,
        left: crash::skipped_paths(disk, folder),
        // Of one that has ended, the standing only says what its slots keep.
        paths: if has_ended {
            Vec::new()
        } else {
            standing.paths
        },
    })
}

fn shown(state: &State) -> RecoveryState {
    match state {
        State::Done => RecoveryState::Committed,
        State::RolledBack => RecoveryState::RolledBack,
        State::HalfApplied => RecoveryState::HalfApplied,
        State::Untouched | State::Prepared | State::Lost | State::Committed => {
            RecoveryState::NeedsAttention
        }
    }
}

/// For every place among a person's files, the path of its other content.
fn other_places(journal: &Journal) -> HashMap<PathBuf, PathBuf> {
    let path = |spot: &super::exchange::Spot| spot.path(&journal.bases);
    let mut places = HashMap::new();
    for exchange in &journal.exchanges {
        let (here, there) = (path(&exchange.here), path(&exchange.there));
        // A file that was moved aside can be looked up by either of its names.
        places.entry(there.clone()).or_insert_with(|| here.clone());
        places.insert(here, there);
    }
    places
}

/// Whether a folder of its own backups was deleted by hand. One whose surroundings are not there either may come back
/// with them, as a directory that was moved or a disk.
fn is_emptied<D: Disk>(disk: &D, name: &str, journal: &Journal) -> bool {
    let is_own = |path: &PathBuf| path.iter().any(|part| part == OsStr::new(name));
    slot_folders(journal).filter(is_own).any(|path| {
        let above = path.parent().map(|above| disk.root(above));
        matches!(if_there(disk.root(&path)), Ok(None)) && matches!(above, Some(Ok(_)))
    })
}

/// The bytes of folders of backups, and those of them in which there is something: a recovery that only appends lines, and
/// an undo, which uses the backups of what it undoes, have empty ones.
pub(super) fn used<D: Disk>(disk: &D, folders: &[PathBuf]) -> io::Result<(u64, Vec<PathBuf>)> {
    let (mut bytes, mut used) = (0, Vec::new());
    for path in folders {
        let Some(dir) = if_there(disk.root(path))? else {
            continue;
        };
        bytes += bytes_in(disk, &dir)?;
        if !if_there(disk.list(&dir))?.unwrap_or_default().is_empty() {
            used.push(path.clone());
        }
    }
    Ok((bytes, used))
}

/// An action of a record, with what is kept of it where not all of it was applied.
fn kept(mut action: Action, content: Option<&HashMap<PathBuf, KeptContent>>) -> Action {
    if let (Preview::Kept { pairs }, Some(content)) = (&mut action.preview, content) {
        for pair in pairs {
            let known = content.get(&pair.here).copied();
            pair.content = known.unwrap_or(KeptContent::Unknown);
        }
    }
    action
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

fn slot_folders(journal: &Journal) -> impl Iterator<Item = PathBuf> + '_ {
    let bases = journal.bases.iter();
    bases
        .filter(|base| base.kind == BaseKind::Slots)
        .map(|base| base.path.path())
}

/// Bytes of all files under one of relight's own folders. A file that is deleted meanwhile counts as empty.
fn bytes_in<D: Disk>(disk: &D, dir: &D::Dir) -> io::Result<u64> {
    let mut bytes = 0;
    for name in if_there(disk.list(dir))?.unwrap_or_default() {
        match disk.look(dir, &name)? {
            Some(node) if node.kind == FileKind::Dir => {
                if let Some(inner) = if_there(disk.dir(dir, name.as_ref()))? {
                    bytes += bytes_in(disk, &inner)?;
                }
            }
            Some(node) => bytes += node.size,
            None => {}
        }
    }
    Ok(bytes)
}
