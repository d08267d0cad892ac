//! The history of recoveries, read from the folders of the transactions. There is no separate list, so the history
//! cannot contradict the backups that exist. Reads only.

mod backups;
mod marks;
mod places;
mod trouble;
mod written;

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use chrono::{DateTime, FixedOffset};

use super::crash::{self, Standing, State};
use super::disk::Disk;
use super::exchange::is_absent;
use super::folder::{Folder, Mark};
use super::home::{Home, own, projects};
use super::journal::{Damage, Journal};
use super::record::Record;
use crate::model::{Action, KeptContent, Preview, Recovery, RecoveryId, RecoveryState};
pub(super) use backups::size;
use backups::{is_emptied, own_slots, used};
pub use written::Memory;
use written::Written;

/// One transaction.
pub struct Entry<D: Disk> {
    /// The folder of its project.
    pub home: Home<D>,
    /// Its own folder.
    pub folder: Folder<D>,
    /// How far it came.
    pub state: State,
    written: Arc<Written>,
    /// All of this for display. The size of the backups is only known of one that is left half-way, until
    /// [`measure`](Self::measure).
    pub recovery: Recovery,
    /// The folders whose size is not known yet.
    unmeasured: Vec<PathBuf>,
}

impl<D: Disk> Entry<D> {
    /// What was planned.
    pub fn record(&self) -> &Record {
        &self.written.record
    }

    /// Its journal, or why it cannot be used; `None` if it never had one.
    pub fn journal(&self) -> Option<&Result<Journal, Damage>> {
        self.written.journal.as_ref()
    }

    /// Its journal, if it can be used.
    pub fn good_journal(&self) -> Option<&Journal> {
        self.written.good_journal()
    }

    /// Adds the size of the backups to what is displayed. It looks at every file of them.
    pub fn measure(&mut self, disk: &D) -> io::Result<()> {
        self.recovery.kept_bytes += size(disk, &std::mem::take(&mut self.unmeasured))?;
        Ok(())
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

/// Reads the history.
#[derive(Debug)]
pub struct Reader<'a, D: Disk> {
    /// The disk.
    pub disk: &'a D,
    /// The state directory.
    pub state: &'a Path,
    /// The zone of the times that are displayed.
    pub zone: FixedOffset,
    /// What was read before.
    pub memory: &'a Memory,
}

impl<D: Disk> Reader<'_, D> {
    /// All transactions of all projects, the latest first. A damaged one is included, as needing attention. What cannot be
    /// read at all is listed separately, so that it does not hide the others.
    pub fn read(&self) -> io::Result<(Vec<Entry<D>>, Vec<Unreadable>)> {
        let (disk, state) = (self.disk, self.state);
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
                match self.entry(&home, &name) {
                    Ok(one) => found.extend(one),
                    // Another relight was cancelled and removed its folder in the meantime.
                    Err(error) if is_absent(&error) && is_gone(disk, &home, &name) => {}
                    Err(error) => fails(path.join(name), &error),
                }
            }
        }
        found.sort_by(|a, b| {
            let key = |entry: &Entry<D>| (entry.record().number, entry.recovery.id.clone());
            key(b).cmp(&key(a))
        });
        // An undo that another purge emptied has no backups either.
        marks::emptied(&mut found);
        marks::undone(&mut found);
        self.reach(&mut found);
        marks::superseded(&mut found);
        Ok((found, unreadable))
    }

    /// Says of those that are applied why they cannot be reversed, where they cannot.
    fn reach(&self, found: &mut [Entry<D>]) {
        for entry in found {
            let recovery = &entry.recovery;
            if recovery.stands() && !recovery.purged && !recovery.only_lines() {
                let trouble = places::out_of_reach(self.disk, &entry.folder.name, entry.journal());
                entry.recovery.trouble = trouble;
            }
        }
    }

    /// All transactions that can be read.
    pub fn entries(&self) -> io::Result<Vec<Entry<D>>> {
        self.read().map(|(entries, _)| entries)
    }

    /// Whether all that is there can be read and has ended. Only the marks are read, so this costs the same for a large
    /// recovery.
    pub fn all_ended(&self) -> io::Result<bool> {
        let disk = self.disk;
        for project in projects(disk, self.state)? {
            let Some(home) = Home::open(disk, self.state, &project)? else {
                continue;
            };
            for name in home.ids(disk)? {
                let folder = Folder::open(disk, &home.dir, &name)?;
                if !crash::state(disk, &folder)?.has_ended() {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// One transaction by its id, without what later ones say of it; `None` where there is none that can be read.
    pub fn alone(&self, id: &str) -> io::Result<Option<Entry<D>>> {
        for project in projects(self.disk, self.state)? {
            let home = Home::open(self.disk, self.state, &project);
            let entry = |home| self.entry(&home, id).ok().flatten();
            if let Some(found) = home.ok().flatten().and_then(entry) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// One transaction. `None` for one that never began: it has no journal, and its record is truncated.
    pub fn entry(&self, home: &Home<D>, name: &str) -> io::Result<Option<Entry<D>>> {
        let folder = Folder::open(self.disk, &home.dir, name)?;
        let state = crash::state(self.disk, &folder)?;
        let written = self.memory.written(self.disk, &home.path, &folder)?;
        if !written.is_recorded && state == State::Untouched {
            return Ok(None);
        }
        let (disk, record) = (self.disk, &written.record);
        let good = written.good_journal();
        let purged = folder.has(disk, Mark::Purged)?
            || state == State::Done
                && good.is_some_and(|journal| is_emptied(disk, &folder.name, journal));
        let kept_in = own_slots(disk, home, &folder, good);
        let used = used(disk, &kept_in)?;
        let has_ended = state.has_ended();
        let running = !has_ended && home.is_locked(disk);
        let ended = folder.ended_ns(disk)?;
        // Of what was applied as a whole, everything that is kept is a backup.
        let partly = good.filter(|_| !running && state != State::Done);
        let standing = partly.map(|journal| crash::standing(disk, journal));
        // Where not every slot was seen, or nothing says any more which of them are backups, all of them may be.
        let is_known = |known: &Standing| known.unseen == 0 && state != State::HalfApplied;
        let counted = standing.as_ref().filter(|known| is_known(known));
        let kept_bytes = counted.map_or(0, |known| known.backup_bytes);
        let unmeasured = if counted.is_some() || state == State::Untouched {
            Vec::new()
        } else {
            kept_in.clone()
        };
        let standing = standing.unwrap_or_default();
        let content = (state != State::Done).then_some(&standing.kept);
        let actions = written.actions.iter().cloned();
        let actions = actions.map(|action| kept(action, content));
        let recovery = Recovery {
            id: RecoveryId(folder.name.clone()),
            pipeline: record.pipeline.clone(),
            root: record.root.path(),
            label: record.label(),
            started_at: record.started_at(),
            ended_at: ended.map(|ns| DateTime::from_timestamp_nanos(ns).with_timezone(&self.zone)),
            state: shown(&state),
            undoes: record.undoes.clone().map(RecoveryId),
            is_redo: record.is_redo(),
            undone_by: None,
            undo_purged: false,
            superseded_by: None,
            actions: actions.collect(),
            handoff: record.handoff(),
            kept_bytes,
            trouble: if running {
                vec!["Another relight is applying or recovering it now.".into()]
            } else if purged {
                Vec::new()
            } else {
                let lost = good.filter(|_| standing.unseen > 0);
                trouble::trouble(&trouble::About {
                    standing: &standing,
                    lost: lost.and_then(|journal| places::lost(disk, journal)),
                    state: &state,
                    journal: written.journal.as_ref(),
                    name: &folder.name,
                    root: &record.root.path(),
                    is_rooted: record.root.path() != home.path,
                    kept_in: &kept_in,
                })
            },
            running,
            kept_in: if purged { Vec::new() } else { used },
            purged,
            left: record
                .kept()
                .chain(crash::skipped_paths(disk, &folder))
                .collect(),
            // Of one that has ended, the standing only says what its slots keep.
            paths: if has_ended {
                Vec::new()
            } else {
                standing.paths
            },
        };
        Ok(Some(Entry {
            home: home.clone(),
            folder,
            state,
            written,
            recovery,
            unmeasured,
        }))
    }
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
