//! Staging turns a draft into exchanges. New content is written into slots and existing content is digested, so that
//! every exchange knows both of its contents before any of them is applied.

pub(super) mod fill;

use std::collections::HashMap;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::batches;
use super::bytes::{Bytes, is_plain};
use super::disk::{Disk, FileKind, Identity};
use super::draft::{Change, Draft, Expect, Place, Want};
use super::each::each;
use super::error::ApplyError;
use super::exchange::{Base, BaseKind, Exchange, Known, Opened, Spot, contents, holding, know};
use super::preflight::because;
use crate::foreign;
use crate::text::Shown as _;

/// Is told how many changes are staged; an error that it returns ends the staging.
pub type Progress<'a> = dyn Fn(u64, u64) -> Result<(), ApplyError> + Sync + 'a;

/// A folder of slots for one base of the draft.
#[derive(Debug, Clone)]
pub struct SlotFolder<Dir> {
    /// Its absolute path.
    pub path: PathBuf,
    /// The folder, opened.
    pub dir: Dir,
}

/// Stages a draft: returns the folders, those of slots last, and the exchanges in batches. `slots` gives for each base of the draft the folder of slots on its mount. `progress` is told how
/// far it is, and may stop it.
pub fn stage<D: Disk>(
    disk: &D,
    draft: &Draft,
    slots: &[SlotFolder<D::Dir>],
    progress: &Progress<'_>,
) -> Result<(Vec<Base>, Vec<Exchange>), ApplyError> {
    let mut stager = Stager::new(disk, draft, slots).map_err(|e| failed("opened", &e))?;
    let mut draft = draft.clone();
    let way = draft.make_way(&|place| stager.is_dir(place));
    if let Err(path) = way.map_err(|e| failed("looked at", &e))? {
        return Err(
            ApplyError::refused(foreign!("{} is in the way of a directory.", &path))
                .hint("Move it away, or leave out the paths beneath it."),
        );
    }
    let mut changes: Vec<&Change> = draft.changes.iter().collect();
    // Folders before their content, so that a new folder is known when its content is staged or when something is moved
    // into it.
    changes.sort_by_key(|change| last_place(&draft, change));
    let mut pairs = changes.iter().zip(changes.iter().skip(1));
    // Two changes of one place would each expect the old content: the second exchange would fail after the first was
    // applied.
    if let Some((twice, _)) = pairs.find(|(a, b)| a.place == b.place) {
        return Err(ApplyError::refused(foreign!(
            "The plan changes {} twice.",
            &twice.place.rel
        )));
    }
    let total = changes.len() as u64;
    progress(0, total)?;
    // Reading and digesting take most of the time and touch nothing, so they run on several threads. Planning between
    // them is sequential, because a new folder must be known before its content.
    let found = each(&changes, |change| {
        progress(0, total).map(|()| stager.look(change))
    })?;
    let mut plans = Vec::new();
    for (change, found) in changes.into_iter().zip(found) {
        plans.extend(stager.plan(change, found)?);
    }
    let done = Mutex::new(total - plans.len() as u64);
    let filled = each(&plans, |plan| {
        let exchange = stager.fill(plan)?;
        let mut done = done.lock().unwrap_or_else(PoisonError::into_inner);
        *done += 1;
        progress(*done, total).map(|()| exchange)
    })?;
    progress(total, total)?;
    let mut exchanges: Vec<Exchange> = filled.into_iter().flatten().collect();
    note_wholes(disk, &stager, &mut exchanges);
    batches::arrange(&mut exchanges, &stager.bases)?;
    Ok((stager.bases, exchanges))
}

/// Notes what is in each folder that becomes a backup as a whole. One that cannot be read is not watched.
fn note_wholes<D: Disk>(disk: &D, stager: &Stager<'_, D>, exchanges: &mut [Exchange]) {
    let holding = holding(exchanges, &stager.bases);
    for exchange in exchanges {
        let here = exchange.here.path(&stager.bases);
        let leaves = exchange.here_had.is_some_and(|had| had.is_dir());
        if leaves && exchange.moves_to(&stager.bases).is_none() && !holding.contains(&here) {
            let dir = stager
                .opened
                .folder(exchange.here.base, &exchange.here.rel());
            let dir = dir.ok().flatten();
            exchange.here_within = dir.and_then(|dir| contents(disk, &dir).ok());
        }
    }
}

/// The later of the places among the person's files that a change needs.
fn last_place<'a>(draft: &Draft, change: &'a Change) -> &'a Place {
    match &change.want {
        Want::With(other) => {
            let base = draft.bases.get(other.base);
            let files = base.is_some_and(|base| base.kind == BaseKind::Files);
            if files && *other > change.place {
                other
            } else {
                &change.place
            }
        }
        Want::File { .. } | Want::Link { .. } | Want::Dir | Want::Nothing => &change.place,
    }
}

struct Stager<'a, D: Disk> {
    disk: &'a D,
    opened: Opened<'a, D>,
    bases: Vec<Base>,
    slots: &'a [SlotFolder<D::Dir>],
    /// For each base of the draft, the index of its slots in `bases`.
    slot_base: Vec<usize>,
    next: u64,
    /// Folders that will exist only after their exchange.
    new_dirs: HashMap<(usize, PathBuf), Identity>,
}

/// The folder of a place, and what is there under its name.
type Found = io::Result<(Identity, Option<Known>)>;

/// A change with the facts about its place.
struct Planned<'c, D: Disk> {
    change: &'c Change,
    here: Spot,
    here_had: Option<Known>,
    there: There<D>,
}

/// The other spot of a change.
enum There<D: Disk> {
    /// Its content exists already.
    Filled(Spot, Option<Known>),
    /// Its content must be written.
    Slot(Slot<D>),
}

/// An empty slot.
struct Slot<D: Disk> {
    dir: D::Dir,
    spot: Spot,
}

impl<'a, D: Disk> Stager<'a, D> {
    fn new(disk: &'a D, draft: &Draft, slots: &'a [SlotFolder<D::Dir>]) -> io::Result<Self> {
        let mut bases = Vec::new();
        for base in &draft.bases {
            let dir = disk.root(&base.path)?;
            bases.push(Base {
                kind: base.kind,
                path: Bytes::from(base.path.as_path()),
                id: disk.node(&dir)?.id,
            });
        }
        let mut slot_base = Vec::new();
        for folder in slots {
            let base = Base {
                kind: BaseKind::Slots,
                path: Bytes::from(folder.path.as_path()),
                id: disk.node(&folder.dir)?.id,
            };
            // Bases may share one folder of slots. It is listed once, since the journal compares bases by their index.
            let known = bases.iter().position(|other| *other == base);
            slot_base.push(known.unwrap_or_else(|| {
                bases.push(base);
                bases.len() - 1
            }));
        }
        let opened = Opened::open(disk, &bases)?;
        Ok(Self {
            disk,
            opened,
            bases,
            slots,
            slot_base,
            next: 0,
            new_dirs: HashMap::new(),
        })
    }

    /// Whether a place is a folder; `None` where there is nothing.
    fn is_dir(&self, place: &Place) -> io::Result<Option<bool>> {
        let (parent, name) = split(place);
        let node = self.opened.look(place.base, parent, name)?;
        Ok(node.map(|node| node.kind == FileKind::Dir))
    }

    /// What is at the places of a change, before anything is staged.
    fn look(&self, change: &Change) -> [Option<Found>; 2] {
        let look = |place: &Place| {
            let (parent, name) = split(place);
            let dir = self.disk.dir(self.opened.base(place.base)?, parent)?;
            let parent_id = self.disk.node(&dir)?.id;
            Ok((parent_id, know(self.disk, &dir, name)?))
        };
        let other = match &change.want {
            Want::With(other) => Some(other),
            Want::File { .. } | Want::Link { .. } | Want::Dir | Want::Nothing => None,
        };
        [Some(&change.place), other].map(|place| place.map(look))
    }

    /// The exchange for a change, if one is needed. New folders are staged here already, because their identity must be
    /// known for what goes into them.
    fn plan<'c>(
        &mut self,
        change: &'c Change,
        found: [Option<Found>; 2],
    ) -> Result<Option<Planned<'c, D>>, ApplyError> {
        let place = &change.place;
        let [found, other] = found;
        allowed(place, self.bases.get(place.base))?;
        let io = |what: &str, e: &io::Error| failed_at(what, place, e);
        let (here, here_had) = self.spot(place, found).map_err(|e| io("looked at", &e))?;
        let fits = match change.expect {
            Expect::Anything => true,
            Expect::Nothing => here_had.is_none(),
            Expect::Something => here_had.is_some(),
            Expect::NoFolder => here_had.is_some_and(|known| !known.is_dir()),
            Expect::Digest(digest) => here_had.and_then(|known| known.digest) == Some(digest),
        };
        if !fits {
            let text = foreign!("{} changed since the plan was made.", &place.rel);
            return Err(ApplyError::refused(text).hint("Review the plan again."));
        }
        let staged = |e: io::Error| io("staged", &e);
        let there = match &change.want {
            Want::Nothing if here_had.is_none() => return Ok(None),
            // A folder is never exchanged for a folder: its other content would move with it.
            Want::Dir if here_had.is_some_and(|had| had.is_dir()) => return Ok(None),
            Want::With(place) => {
                let (spot, had) = self.spot(place, other).map_err(staged)?;
                There::Filled(spot, had)
            }
            Want::Dir => {
                let slot = self.slot(place.base).map_err(staged)?;
                let had = self.content(change, &here, None, &slot).map_err(staged)?;
                There::Filled(slot.spot, had)
            }
            Want::File { .. } | Want::Link { .. } | Want::Nothing => {
                There::Slot(self.slot(place.base).map_err(staged)?)
            }
        };
        if let There::Filled(_, Some(new)) = &there
            && new.is_dir()
        {
            let at = (place.base, place.rel.clone());
            self.new_dirs.insert(at, new.node.id);
        }
        Ok(Some(Planned {
            change,
            here,
            here_had,
            there,
        }))
    }

    /// The spot of a place, and what it holds when its exchange is applied.
    fn spot(&self, place: &Place, found: Option<Found>) -> io::Result<(Spot, Option<Known>)> {
        let (parent, name) = split(place);
        let coming = self.new_dirs.get(&(place.base, parent.to_owned()));
        // A folder that does not exist yet is empty.
        let (parent_id, had) = match (coming, found) {
            (Some(id), _) => (*id, None),
            (None, Some(found)) => found?,
            (None, None) => return Err(io::ErrorKind::NotFound.into()),
        };
        let spot = Spot {
            base: place.base,
            parent: Bytes::from(parent),
            parent_id,
            name: Bytes::from(name),
        };
        Ok((spot, had))
    }

    /// A new empty slot.
    fn slot(&mut self, base: usize) -> io::Result<Slot<D>> {
        let missing = || io::Error::other("there is no directory for backups");
        let folder = self.slots.get(base).ok_or_else(missing)?;
        let at = *self.slot_base.get(base).ok_or_else(missing)?;
        let spot = Spot {
            base: at,
            parent: Bytes::default(),
            parent_id: self.disk.node(&folder.dir)?.id,
            name: Bytes(self.next.to_string().into_bytes()),
        };
        self.next += 1;
        let dir = folder.dir.clone();
        Ok(Slot { dir, spot })
    }
}

/// In a git directory, relight exchanges only the index.
fn allowed(place: &Place, base: Option<&Base>) -> Result<(), ApplyError> {
    let fits = if base.is_some_and(|base| base.kind == BaseKind::Git) {
        place.rel.as_os_str() == "index"
    } else {
        is_plain(&place.rel) && place.rel.file_name().is_some()
    };
    if fits {
        Ok(())
    } else {
        Err(ApplyError::refused(foreign!(
            "relight never changes {}.",
            &place.rel
        )))
    }
}

/// The folder of a place relative to its base, and the name in it.
fn split(place: &Place) -> (&Path, &OsStr) {
    let parent = place.rel.parent().unwrap_or_else(|| Path::new(""));
    (parent, place.rel.file_name().unwrap_or_default())
}

fn failed_at(what: &str, place: &Place, error: &io::Error) -> ApplyError {
    failed(&format!("{what} ({})", place.rel.shown()), error)
}

fn failed(what: &str, error: &io::Error) -> ApplyError {
    let why = because(error);
    let text = format!("Nothing was changed: a file could not be {what}: {why}.");
    ApplyError::failed(text, error)
}
