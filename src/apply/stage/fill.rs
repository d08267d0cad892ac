//! Fills a slot: writes the new content, reads it back, and gives it the metadata of the file that it replaces.

use std::ffi::OsStr;
use std::io;

use sha2::{Digest as _, Sha256};

use super::{Planned, Slot, Stager, There, failed_at};
use crate::apply::disk::{Digest, Disk, FileKind};
use crate::apply::draft::{Change, Content, Want};
use crate::apply::error::ApplyError;
use crate::apply::exchange::{Exchange, Known, Spot, contents, know};

impl<D: Disk> Stager<'_, D> {
    /// Fills the slot and returns the exchange, if one is needed.
    pub(super) fn fill(&self, planned: &Planned<'_, D>) -> Result<Option<Exchange>, ApplyError> {
        let Planned { here, here_had, .. } = planned;
        let failed = |e: io::Error| failed_at("staged", &planned.change.place, &e);
        let (there, there_had) = match &planned.there {
            There::Filled(spot, had) => (spot, *had),
            There::Slot(slot) => {
                let had = self.content(planned.change, here, here_had.as_ref(), slot);
                (&slot.spot, had.map_err(failed)?)
            }
        };
        if here_had.is_none() && there_had.is_none() {
            return Ok(None);
        }
        // Equal content needs no exchange: the file keeps its inode, times and hard links.
        if let (Some(old), Some(new)) = (here_had, &there_had) {
            let same = old.digest.is_some() && old.digest == new.digest;
            let own = self.slot_base.contains(&there.base);
            if same && old.node.kind == new.node.kind && old.node.mode == new.node.mode && own {
                return self.drop_slot(there).map_err(failed).map(|()| None);
            }
        }
        Ok(Some(Exchange {
            batch: 0,
            here: here.clone(),
            there: there.clone(),
            here_had: *here_had,
            there_had,
            within: self.within(there, there_had.as_ref()),
            here_within: None,
        }))
    }

    /// The content of a folder that is about to leave a slot. A folder that cannot be read is not watched.
    fn within(&self, there: &Spot, there_had: Option<&Known>) -> Option<Digest> {
        there_had.filter(|known| known.is_dir())?;
        let slot = there.is_slot(&self.bases);
        let dir = slot.then(|| self.opened.folder(there.base, &there.rel()));
        contents(self.disk, &dir?.ok()??).ok()
    }

    /// Writes what a change wants into a slot.
    pub(super) fn content(
        &self,
        change: &Change,
        here: &Spot,
        old: Option<&Known>,
        slot: &Slot<D>,
    ) -> io::Result<Option<Known>> {
        let (dir, name) = (&slot.dir, slot.spot.name.name());
        match &change.want {
            Want::File { content, mode } => {
                let digest = self.file(dir, name, content)?;
                // Mode, owner and attributes come from the replaced file itself, never from the target of a link.
                let like = old.filter(|old| old.node.kind == FileKind::File);
                let mode = mode.bits(like.map(|old| old.node.mode), self.disk.umask());
                let parent = like.map(|_| self.opened.parent(here)).transpose()?;
                let like = parent.as_ref().map(|dir| (dir, here.name.name()));
                self.disk.copy_metadata((dir, name), mode, like)?;
                let node = self.disk.look(dir, name)?;
                return Ok(node.map(|node| Known {
                    node,
                    digest: Some(digest),
                }));
            }
            Want::Link { target } => self.disk.symlink(dir, name, target)?,
            // Created in a slot and exchanged like a file, so that a rollback removes it with the same rename.
            Want::Dir => self.disk.mkdir(dir, name, 0o777 & !self.disk.umask())?,
            Want::Nothing | Want::With(_) => return Ok(None),
        }
        know(self.disk, dir, name)
    }

    /// Writes a new file, reads it back, and returns its digest: the bytes on disk are what will be exchanged.
    fn file(&self, dir: &D::Dir, name: &OsStr, content: &Content) -> io::Result<Digest> {
        // Some file systems report a failed write only later, so the content is read back after the file is closed.
        let written = write(self.disk, dir, name, content)?;
        if self.disk.digest(dir, name)? == written {
            Ok(written)
        } else {
            Err(io::Error::other("the written file reads back differently"))
        }
    }

    fn drop_slot(&self, spot: &Spot) -> io::Result<()> {
        let dir = self.opened.parent(spot)?;
        self.disk.remove(&dir, spot.name.name())
    }
}

/// Writes a new file, private, and returns the digest of what was written.
pub(in crate::apply) fn write<D: Disk>(
    disk: &D,
    dir: &D::Dir,
    name: &OsStr,
    content: &Content,
) -> io::Result<Digest> {
    let file = disk.create(dir, name, 0o600)?;
    let sum = Sha256::new();
    let mut out = Out { disk, file, sum };
    match content {
        Content::Bytes(bytes) => io::Write::write_all(&mut out, bytes)?,
        Content::Source(source) => source(&mut out)?,
    }
    Ok(out.sum.finalize().into())
}

/// A file being written, with its digest.
struct Out<'a, D: Disk> {
    disk: &'a D,
    file: D::File,
    sum: Sha256,
}

impl<D: Disk> io::Write for Out<'_, D> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        // Never as `Interrupted`: `write_all` would write again what may be partly written already.
        let written = self.disk.write(&mut self.file, bytes);
        written.map_err(|why| {
            let interrupted = why.kind() == io::ErrorKind::Interrupted;
            if interrupted {
                io::Error::other(why)
            } else {
                why
            }
        })?;
        self.sum.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
