//! Undoing a recovery: its exchanges with both contents swapped, over the same slots. Nothing is written anew: the
//! original inodes come back, and what is there now goes where they were kept.

mod whole;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::io;
use std::path::{Path, PathBuf};

use super::disk::Disk;
use super::draft::{Change, Draft, Expect, Place, Want};
use super::each::each;
use super::exchange::{BaseKind, Exchange, Known, Opened, Spot, holding, if_there, know};
use super::journal::{Journal, RefMove};
use crate::git::refs::UNDO;

pub use whole::{Found, Side, Whole, moves_with};

/// What undoing a recovery would do.
#[derive(Debug, Default)]
pub struct Undo {
    /// The draft.
    pub draft: Draft,
    /// Places that changed since the recovery, absolute.
    pub drifted: HashSet<PathBuf>,
    /// Places that changed since the recovery and whose content goes to another place among the person's files: where
    /// it is, and where it goes.
    pub moved: BTreeMap<PathBuf, PathBuf>,
    /// Places that changed since the recovery and hold what would be restored: they are left alone.
    pub same: HashSet<PathBuf>,
    /// Folders that the recovery created and that now contain something else: they stay.
    pub staying: Vec<PathBuf>,
    /// Places whose backup is missing, so that they cannot be restored.
    pub lost: Vec<PathBuf>,
    /// Places whose backup holds other content than the journal recorded.
    pub damaged: Vec<PathBuf>,
    /// For each place the facts that the plan depends on.
    pub basis: Vec<(PathBuf, Option<Known>, Option<Known>)>,
    /// For each place, the path of its other content; the slot may be empty.
    pub kept: HashMap<PathBuf, PathBuf>,
}

/// What is known of the folders that contain a journal's exchanges.
struct Folders {
    /// Places that are empty after the undo.
    emptied: HashSet<PathBuf>,
    /// Folders that contain some exchange, or what it moves.
    holding: HashSet<PathBuf>,
}

impl Folders {
    fn of(journal: &Journal, keep: &[PathBuf]) -> Self {
        let holding = holding(&journal.exchanges, &journal.bases);
        let mut emptied = HashSet::new();
        for exchange in &journal.exchanges {
            let here = exchange.here.path(&journal.bases);
            if exchange.here_had.is_none() && !keep.contains(&here) {
                emptied.insert(here);
            }
        }
        Self { emptied, holding }
    }

    /// Whether a place held nothing before the recovery made a folder there, for other exchanges.
    fn is_made(&self, exchange: &Exchange, here: &Path, journal: &Journal) -> bool {
        let had = exchange.there_had.is_some_and(|had| had.is_dir());
        let made = had && exchange.here_had.is_none() && self.holding.contains(here);
        made && exchange.there.is_slot(&journal.bases)
    }
}

impl Known {
    /// Whether a person sees no difference: a file or a link with the same content, mode and owner.
    pub fn is_same(&self, other: &Self) -> bool {
        let seen = |known: &Self| {
            let node = known.node;
            (known.digest, node.kind, node.mode, node.uid, node.gid)
        };
        self.digest.is_some() && seen(self) == seen(other)
    }
}

/// How the content of a place is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// It is read.
    All,
    /// It is read unless the entry looks as the journal noted it. For a draft: the plan is computed again from all the
    /// content before anything is exchanged.
    Changed,
}

/// Works out how to undo what a journal did. Paths in `keep` (absolute) stay as they are. Reads only.
pub fn work_out<D: Disk>(
    disk: &D,
    journal: &Journal,
    keep: &[PathBuf],
    reading: Reading,
) -> io::Result<Undo> {
    let mut undo = Undo::default();
    let journal = &journal.clone().present(disk);
    let opened = Opened::open(disk, &journal.bases)?;
    let mut folders = Folders::of(journal, keep);
    let found = each(&journal.exchanges, |exchange| {
        let at = |spot, noted: Option<Known>| {
            let noted = noted.filter(|_| reading == Reading::Changed);
            at(disk, &opened, spot, noted)
        };
        let now = at(&exchange.here, exchange.there_had)?;
        io::Result::Ok((now, at(&exchange.there, exchange.here_had)?))
    })?;
    // The content of a folder was moved in after the folder. So everything is judged in reverse, content before folder.
    for (exchange, found) in journal.exchanges.iter().zip(found).rev() {
        let here = exchange.here.path(&journal.bases);
        let there = exchange.there.path(&journal.bases);
        undo.kept.insert(here.clone(), there);
        if keep.iter().any(|kept| here.starts_with(kept)) {
            continue;
        }
        one(
            disk,
            &opened,
            journal,
            (exchange, found),
            &here,
            &mut folders,
            &mut undo,
        )?;
    }
    for moved in &journal.refs {
        // The references that keep old commits reachable stay: without them, git could delete the commits that a redo
        // needs.
        if !moved.name.starts_with(UNDO) {
            undo.draft.refs.push(RefMove {
                git_dir: moved.git_dir.clone(),
                name: moved.name.clone(),
                old: moved.new.clone(),
                new: moved.old.clone(),
            });
        }
    }
    for lock in &journal.locks {
        undo.draft.lock.push(lock.git_dir.path());
    }
    Ok(undo)
}

fn one<D: Disk>(
    disk: &D,
    opened: &Opened<'_, D>,
    journal: &Journal,
    (exchange, (now, kept)): (&Exchange, (Option<Known>, Option<Known>)),
    here: &Path,
    folders: &mut Folders,
    undo: &mut Undo,
) -> io::Result<()> {
    // A drifted place is not refused here. The plan shows it, and its current content goes to the slot like everything
    // else that is replaced.
    if now != exchange.there_had {
        if let Some(to) = exchange.moves_to(&journal.bases) {
            undo.moved.insert(here.to_owned(), to);
        } else {
            undo.drifted.insert(here.to_owned());
        }
    }
    // A slot that holds other content, or another directory, was changed by somebody else. Restoring it would present
    // foreign content as the original. A file that was copied back, with the whole state directory, is the original.
    let lost = match (kept, exchange.here_had) {
        (None, Some(_)) => Some(&mut undo.lost),
        (Some(kept), Some(had)) if kept.is_same(&had) => None,
        _ if kept.map(|k| k.node.id) != exchange.here_had.map(|k| k.node.id) => {
            Some(&mut undo.damaged)
        }
        // Where a file was moved aside, the person may go on writing to it.
        (Some(kept), Some(had)) if kept.digest != had.digest => exchange
            .there
            .is_slot(&journal.bases)
            .then_some(&mut undo.damaged),
        _ if opened.is_altered(&exchange.there, exchange.here_within) == Some(true) => {
            Some(&mut undo.damaged)
        }
        _ => None,
    };
    if let Some(lost) = lost {
        folders.emptied.remove(here);
        lost.push(here.to_owned());
        return Ok(());
    }
    undo.basis.push((here.to_owned(), now, kept));
    if now.is_none() && kept.is_none() {
        return Ok(());
    }
    // Somebody brought the old content back already.
    if undo.drifted.contains(here) && now.zip(kept).is_some_and(|(now, kept)| now.is_same(&kept)) {
        undo.drifted.remove(here);
        undo.same.insert(here.to_owned());
        return Ok(());
    }
    // A folder that was moved in as a whole leaves as a whole. Only a folder that was created to hold other exchanges
    // may have to stay.
    if folders.is_made(exchange, here, journal) && now.is_some_and(|now| now.is_dir()) {
        let Some(dir) = opened.folder(exchange.here.base, &exchange.here.rel())? else {
            return Ok(());
        };
        let others = disk.list(&dir)?;
        if others
            .iter()
            .any(|name| !folders.emptied.contains(&here.join(name)))
        {
            folders.emptied.remove(here);
            undo.staying.push(here.to_owned());
            return Ok(());
        }
    }
    let place = |undo: &mut Undo, spot: &Spot| {
        let base = journal.bases.get(spot.base);
        let (kind, path) = base.map_or((BaseKind::Slots, PathBuf::new()), |base| {
            (base.kind, base.path.path())
        });
        Place {
            base: undo.draft.base(kind, path),
            rel: spot.rel(),
        }
    };
    let (from, with) = (place(undo, &exchange.here), place(undo, &exchange.there));
    undo.draft.changes.push(Change {
        place: from,
        want: Want::With(with),
        // `basis` is part of the fingerprint, which catches a change since the plan was shown.
        expect: Expect::Anything,
    });
    Ok(())
}

/// What a spot holds now, whatever its folder is by now.
fn at<D: Disk>(
    disk: &D,
    opened: &Opened<'_, D>,
    spot: &Spot,
    noted: Option<Known>,
) -> io::Result<Option<Known>> {
    let Some(dir) = opened.folder(spot.base, &spot.parent.path())? else {
        return Ok(None);
    };
    if let Some(noted) = noted
        && disk.look(&dir, spot.name.name()).ok().flatten() == Some(noted.node)
    {
        return Ok(Some(noted));
    }
    if_there(know(disk, &dir, spot.name.name())).map(Option::flatten)
}
