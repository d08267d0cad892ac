//! Staging: a draft becomes exchanges. New content is written into slots, and what is there now is looked at and
//! digested, so that every exchange knows both of its contents before anything is exchanged.

use std::collections::HashMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::batches;
use super::bytes::{Bytes, is_plain};
use super::disk::{Digest, Disk, Identity, Kind};
use super::draft::{Change, Content, Draft, Expect, Place, Want};
use super::error::ApplyError;
use super::exchange::{Base, BaseKind, Exchange, Known, Opened, Spot, contents, know};
use super::preflight::because;

/// What staging made.
#[derive(Debug)]
pub struct Staged {
    /// The folders, those of slots last.
    pub bases: Vec<Base>,
    /// The exchanges, in batches.
    pub exchanges: Vec<Exchange>,
}

/// A folder of slots for one base of the draft.
#[derive(Debug, Clone)]
pub struct SlotFolder<Dir> {
    /// Its absolute path.
    pub path: PathBuf,
    /// The folder, opened.
    pub dir: Dir,
}

/// Stages a draft. `slots` gives for each base of the draft the folder of slots on its mount. `progress` hears how
/// far it is, and may stop it.
pub fn stage<D: Disk>(
    disk: &D,
    draft: &Draft,
    slots: &[SlotFolder<D::Dir>],
    progress: &dyn Fn(u64, u64) -> Result<(), ApplyError>,
) -> Result<Staged, ApplyError> {
    let mut stager = Stager::new(disk, draft, slots).map_err(|e| failed("opened", &e))?;
    let mut draft = draft.clone();
    let way = draft.make_way(&|place| stager.is_dir(place));
    if let Err(path) = way.map_err(|e| failed("looked at", &e))? {
        let path = path.to_string_lossy();
        return Err(
            ApplyError::refused(format!("{path} is in the way of a directory."))
                .hint("Move it away, or leave out the paths beneath it."),
        );
    }
    let mut changes: Vec<&Change> = draft.changes.iter().collect();
    // Folders come before what lies in them, so that a new folder is known when its content is staged, and when
    // something is moved into it.
    changes.sort_by_key(|change| last_place(&draft, change));
    let mut pairs = changes.iter().zip(changes.iter().skip(1));
    if let Some((twice, _)) = pairs.find(|(a, b)| a.place == b.place) {
        return Err(ApplyError::refused(format!(
            "The plan changes {} twice.",
            twice.place.rel.to_string_lossy()
        )));
    }
    let total = changes.len() as u64;
    for (done, change) in changes.into_iter().enumerate() {
        progress(done as u64, total)?;
        stager.stage(change)?;
    }
    progress(total, total)?;
    let mut exchanges = stager.exchanges;
    batches::arrange(&mut exchanges, &stager.bases)?;
    Ok(Staged {
        bases: stager.bases,
        exchanges,
    })
}

/// The last of the places among the person's files that a change needs.
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
    /// For each base of the draft, the place of its slots in `bases`.
    slot_base: Vec<usize>,
    next: u64,
    /// Folders that will be there only once their exchange has moved.
    new_dirs: HashMap<(usize, PathBuf), Identity>,
    exchanges: Vec<Exchange>,
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
            exchanges: Vec::new(),
        })
    }

    /// Whether a place is a folder; `None` where there is nothing.
    fn is_dir(&self, place: &Place) -> io::Result<Option<bool>> {
        let parent = place.rel.parent().unwrap_or_else(|| Path::new(""));
        let name = place.rel.file_name().unwrap_or_default();
        let Some(dir) = self.opened.folder(place.base, parent)? else {
            return Ok(None);
        };
        let node = self.disk.look(&dir, name)?;
        Ok(node.map(|node| node.kind == Kind::Dir))
    }

    fn stage(&mut self, change: &Change) -> Result<(), ApplyError> {
        let place = &change.place;
        let shown = place.rel.to_string_lossy().into_owned();
        allowed(place, self.bases.get(place.base))?;
        let io = |what: &str, e: &io::Error| failed(&format!("{what} ({shown})"), e);
        let (here, here_had) = self.spot(place).map_err(|e| io("looked at", &e))?;
        let fits = match change.expect {
            Expect::Anything => true,
            Expect::Nothing => here_had.is_none(),
            Expect::Something => here_had.is_some(),
            Expect::NoFolder => here_had.is_some_and(|known| known.node.kind != Kind::Dir),
            Expect::Digest(digest) => here_had.and_then(|known| known.digest) == Some(digest),
        };
        if !fits {
            let text = format!("{shown} changed since the plan was made.");
            return Err(ApplyError::refused(text).hint("Review the plan again."));
        }
        if matches!(change.want, Want::Nothing) && here_had.is_none() {
            return Ok(());
        }
        // A folder is never exchanged for a folder: what else lies in it would go with it.
        if matches!(change.want, Want::Dir)
            && here_had.is_some_and(|known| known.node.kind == Kind::Dir)
        {
            return Ok(());
        }
        let staged = self.content(change, &here, here_had.as_ref());
        let (there, there_had) = staged.map_err(|e| io("staged", &e))?;
        if here_had.is_none() && there_had.is_none() {
            return Ok(());
        }
        // Equal content needs no exchange: the file keeps its inode, times and hard links.
        if let (Some(old), Some(new)) = (&here_had, &there_had) {
            let same = old.digest.is_some() && old.digest == new.digest;
            let own = self.slot_base.contains(&there.base);
            if same && old.node.kind == new.node.kind && old.node.mode == new.node.mode && own {
                return self.drop_slot(&there).map_err(|e| io("staged", &e));
            }
        }
        if let Some(new) = there_had.filter(|new| new.node.kind == Kind::Dir) {
            let at = (place.base, place.rel.clone());
            self.new_dirs.insert(at, new.node.id);
        }
        let within = self.within(&there, there_had.as_ref());
        self.exchanges.push(Exchange {
            batch: 0,
            here,
            there,
            here_had,
            there_had,
            within,
        });
        Ok(())
    }

    /// What lies in a folder that is about to come out of a slot. One that cannot be read goes unwatched.
    fn within(&self, there: &Spot, there_had: Option<&Known>) -> Option<Digest> {
        there_had.filter(|known| known.node.kind == Kind::Dir)?;
        let base = self.bases.get(there.base)?;
        let slot = base.kind == BaseKind::Slots;
        let dir = slot.then(|| self.opened.folder(there.base, &there.rel()));
        contents(self.disk, &dir?.ok()??).ok()
    }

    /// The spot of a place, and what it will hold when its exchange is moved.
    fn spot(&self, place: &Place) -> io::Result<(Spot, Option<Known>)> {
        let name = place.rel.file_name().unwrap_or_default();
        let parent = place.rel.parent().unwrap_or_else(|| Path::new(""));
        let spot = |parent_id| Spot {
            base: place.base,
            parent: Bytes::from(parent),
            parent_id,
            name: Bytes::from(name),
        };
        // What lies in a folder that is still to come is nothing.
        if let Some(id) = self.new_dirs.get(&(place.base, parent.to_owned())) {
            return Ok((spot(*id), None));
        }
        let dir = self.disk.dir(self.opened.base(place.base)?, parent)?;
        let spot = spot(self.disk.node(&dir)?.id);
        Ok((spot, know(self.disk, &dir, name)?))
    }

    /// The other spot of a change, filled.
    fn content(
        &mut self,
        change: &Change,
        here: &Spot,
        old: Option<&Known>,
    ) -> io::Result<(Spot, Option<Known>)> {
        let (dir, spot, name) = match &change.want {
            Want::With(other) => return self.spot(other),
            Want::File { .. } | Want::Link { .. } | Want::Dir | Want::Nothing => {
                self.slot(change.place.base)?
            }
        };
        match &change.want {
            Want::File { content, mode } => {
                let digest = self.file(&dir, &name, content)?;
                // Mode, owner and attributes come from the file that is replaced, never from a link's target.
                let like = old.filter(|old| old.node.kind == Kind::File);
                let mode = mode.bits(like.map(|old| old.node.mode), self.disk.umask());
                let parent = like.map(|_| self.opened.parent(here)).transpose()?;
                let like = parent.as_ref().map(|dir| (dir, here.name.name()));
                self.disk.copy_metadata((&dir, &name), mode, like)?;
                let node = self.disk.look(&dir, &name)?;
                let known = node.map(|node| Known {
                    node,
                    digest: Some(digest),
                });
                return Ok((spot, known));
            }
            Want::Link { target } => self.disk.symlink(&dir, &name, target)?,
            // Made in a slot and exchanged like a file, so that a rollback takes it away by the same rename.
            Want::Dir => self.disk.mkdir(&dir, &name, 0o777 & !self.disk.umask())?,
            Want::Nothing | Want::With(_) => return Ok((spot, None)),
        }
        let known = know(self.disk, &dir, &name)?;
        Ok((spot, known))
    }

    /// Writes a new file and reads it again: what was written is what will be exchanged. Gives its digest.
    fn file(&self, dir: &D::Dir, name: &OsStr, content: &Content) -> io::Result<Digest> {
        let mut out = Out {
            disk: self.disk,
            file: self.disk.create(dir, name, 0o600)?,
            sum: Sha256::new(),
        };
        match content {
            Content::Bytes(bytes) => io::Write::write_all(&mut out, bytes)?,
            Content::Source(source) => source(&mut out)?,
        }
        let written: Digest = out.sum.finalize().into();
        // What can be read back after the close is what will be exchanged, whatever the writes reported.
        drop(out.file);
        if self.disk.digest(dir, name)? == written {
            Ok(written)
        } else {
            Err(io::Error::other("the written file reads back differently"))
        }
    }

    /// A slot that nothing is in yet.
    fn slot(&mut self, base: usize) -> io::Result<(D::Dir, Spot, OsString)> {
        let missing = || io::Error::other("there is no folder for backups");
        let folder = self.slots.get(base).ok_or_else(missing)?;
        let at = *self.slot_base.get(base).ok_or_else(missing)?;
        let name = OsString::from(self.next.to_string());
        self.next += 1;
        let spot = Spot {
            base: at,
            parent: Bytes::default(),
            parent_id: self.disk.node(&folder.dir)?.id,
            name: Bytes::from(name.as_os_str()),
        };
        Ok((folder.dir.clone(), spot, name))
    }

    fn drop_slot(&self, spot: &Spot) -> io::Result<()> {
        let dir = self.opened.parent(spot)?;
        self.disk.remove(&dir, spot.name.name())
    }
}

/// Nothing is ever exchanged in a git directory but its index.
fn allowed(place: &Place, base: Option<&Base>) -> Result<(), ApplyError> {
    let index = base.is_some_and(|base| base.kind == BaseKind::Git);
    let plain = is_plain(&place.rel);
    let fits = if index {
        place.rel.as_os_str() == "index"
    } else {
        plain && place.rel.file_name().is_some()
    };
    if fits {
        Ok(())
    } else {
        let path = place.rel.to_string_lossy();
        Err(ApplyError::refused(format!(
            "relight never changes {path}."
        )))
    }
}

fn failed(what: &str, error: &io::Error) -> ApplyError {
    ApplyError::refused(format!(
        "Nothing was changed: a file could not be {what}: {}.",
        because(error)
    ))
}

/// A file being written, with its digest.
struct Out<'a, D: Disk> {
    disk: &'a D,
    file: D::File,
    sum: Sha256,
}

impl<D: Disk> io::Write for Out<'_, D> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Never as an interruption: `write_all` would write again what may be there in part already.
        let written = self.disk.write(&mut self.file, bytes);
        written.map_err(io::Error::other)?;
        self.sum.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
