//! The opened bases of a transaction: what is in spots, and the exchange of two of them.

use std::ffi::OsStr;
use std::io;
use std::path::Path;

use super::{Base, Exchange, Seen, Spot, contents, if_there, is_absent, know};
use crate::apply::disk::{Digest, Disk, Node};
use crate::text::Shown as _;

/// The opened bases of a transaction.
pub struct Opened<'a, D: Disk> {
    disk: &'a D,
    bases: Vec<Result<D::Dir, (io::ErrorKind, String)>>,
}

impl<'a, D: Disk> Opened<'a, D> {
    /// Opens the bases, each of which must still be the directory it was.
    pub fn open(disk: &'a D, bases: &[Base]) -> io::Result<Self> {
        let opened = Self::open_some(disk, bases);
        (0..bases.len()).try_for_each(|at| opened.base(at).map(drop))?;
        Ok(opened)
    }

    // All bases must open before the first rename. A base that fails later would leave half of the exchanges applied.

    /// Opens the bases that can be opened. A base that cannot is an error only when one of its paths is used.
    pub fn open_some(disk: &'a D, bases: &[Base]) -> Self {
        let open = |base: &Base| {
            let path = base.path.path();
            let found = disk
                .root(&path)
                .and_then(|dir| Ok((disk.node(&dir)?.id, dir)));
            // The path alone proves nothing: a directory that was moved away and recreated has the same path and other
            // files.
            match found {
                Ok((id, dir)) if id == base.id => Ok(dir),
                Ok(_) => {
                    let text = "was replaced by a different directory";
                    let text = format!("{} {text}", path.shown());
                    Err((io::ErrorKind::Other, text))
                }
                Err(error) => {
                    let text = format!("{} cannot be opened: {error}", path.shown());
                    Err((error.kind(), text))
                }
            }
        };
        let bases = bases.iter().map(open).collect();
        Self { disk, bases }
    }

    /// The opened base.
    pub fn base(&self, at: usize) -> io::Result<&D::Dir> {
        let base = self.bases.get(at);
        let base = base.ok_or_else(|| {
            io::Error::other("the journal names a directory that it does not list")
        })?;
        base.as_ref()
            .map_err(|(kind, text)| io::Error::new(*kind, text.clone()))
    }

    /// The folder of a spot, whichever directory is there now; `None` where there is none.
    pub fn folder(&self, base: usize, parent: &Path) -> io::Result<Option<D::Dir>> {
        if_there(self.disk.dir(self.base(base)?, parent))
    }

    /// What is at a name in a folder, whichever directory that is now.
    pub fn look(&self, base: usize, parent: &Path, name: &OsStr) -> io::Result<Option<Node>> {
        match self.folder(base, parent)? {
            Some(dir) => self.disk.look(&dir, name),
            None => Ok(None),
        }
    }

    /// The folder of a spot, which must be the planned one.
    pub fn parent(&self, spot: &Spot) -> io::Result<D::Dir> {
        let parent = spot.parent.path();
        let dir = self.disk.dir(self.base(spot.base)?, &parent)?;
        if self.disk.node(&dir)?.id == spot.parent_id {
            Ok(dir)
        } else {
            Err(io::Error::other(format!(
                "{} was replaced by a different directory",
                parent.shown()
            )))
        }
    }

    /// What a spot holds now, without its digest. If its folder does not exist or was replaced, the spot counts as
    /// unreachable.
    pub fn see(&self, spot: &Spot) -> io::Result<Seen> {
        let gone = Seen {
            reached: false,
            node: None,
        };
        let Some(dir) = self.folder(spot.base, &spot.parent.path())? else {
            return Ok(gone);
        };
        // The same path with another inode: somebody replaced the folder, so its content is not part of this
        // transaction.
        if self.disk.node(&dir)?.id != spot.parent_id {
            return Ok(gone);
        }
        Ok(Seen {
            reached: true,
            node: self.disk.look(&dir, spot.name.name())?,
        })
    }

    /// The folders of both spots of an exchange.
    pub fn parents(&self, exchange: &Exchange) -> io::Result<[D::Dir; 2]> {
        Ok([self.parent(&exchange.here)?, self.parent(&exchange.there)?])
    }

    /// Exchanges the contents of both spots, which must be these, and returns their folders.
    pub fn exchange(
        &self,
        exchange: &Exchange,
        contents: [Option<Node>; 2],
    ) -> io::Result<[D::Dir; 2]> {
        let dirs = self.parents(exchange)?;
        self.exchange_in(&dirs, exchange, contents)?;
        Ok(dirs)
    }

    /// The same between folders that are already open, after looking at both spots once more.
    pub fn exchange_in(
        &self,
        [here, there]: &[D::Dir; 2],
        exchange: &Exchange,
        [first, second]: [Option<Node>; 2],
    ) -> io::Result<()> {
        let (a, b) = (
            (here, exchange.here.name.name()),
            (there, exchange.there.name.name()),
        );
        let changed = || {
            io::Error::other(format!(
                "{} was changed by another program",
                exchange.here.rel().shown()
            ))
        };
        // No file system offers a rename "only if the target is still this inode". The look before the rename makes the
        // window small, the look after it closes it.
        if self.disk.look(a.0, a.1)? != first || self.disk.look(b.0, b.1)? != second {
            return Err(changed());
        }
        self.rename(a, b, (first.is_some(), second.is_some()))?;
        // An editor may have saved between the look and the rename. Its version is moved back at once: left in the
        // slot, it would look lost to the person.
        let came = self.disk.look(b.0, b.1)?;
        // Only a changed `first` counts. An empty spot means that somebody moved the file on, and moving back would
        // find nothing.
        if first.is_some() && came.is_some() && came != first {
            self.rename(b, a, (true, second.is_some()))?;
            return Err(changed());
        }
        Ok(())
    }

    fn rename(
        &self,
        a: (&D::Dir, &OsStr),
        b: (&D::Dir, &OsStr),
        is_there: (bool, bool),
    ) -> io::Result<()> {
        match is_there {
            // Swapped in one call, so that the person's file is missing at no moment.
            (true, true) => self.disk.swap(a, b),
            (true, false) => self.disk.shift(a, b),
            // Neither `shift` can replace anything: if a name appeared since the look, RENAME_NOREPLACE fails and both
            // files survive.
            (false, true) => self.disk.shift(b, a),
            (false, false) => Ok(()),
        }
    }

    /// Compares the disk with what an applied exchange must have left, contents included.
    pub fn verify(&self, exchange: &Exchange) -> io::Result<()> {
        for (spot, want) in [
            (&exchange.here, &exchange.there_had),
            (&exchange.there, &exchange.here_had),
        ] {
            let found = match self.parent(spot) {
                // Digests, not only inodes: a program with an open descriptor writes into the same inode.
                Ok(dir) => know(self.disk, &dir, spot.name.name())?,
                // The folder itself was moved by another exchange, so the spot must be empty.
                Err(error) if want.is_none() && is_absent(&error) => None,
                Err(error) => return Err(error),
            };
            if found != *want {
                return Err(io::Error::other(format!(
                    "{} is not what relight wrote",
                    spot.rel().shown()
                )));
            }
        }
        match self.is_altered(&exchange.there, exchange.here_within) {
            Some(true) => Err(io::Error::other(format!(
                "{} was changed by another program",
                exchange.here.rel().shown()
            ))),
            Some(false) | None => Ok(()),
        }
    }

    /// Whether a folder no longer contains what was `noted`; `None` if nothing was noted or it cannot be read.
    pub fn is_altered(&self, spot: &Spot, noted: Option<Digest>) -> Option<bool> {
        let noted = noted?;
        let dir = self.folder(spot.base, &spot.rel()).ok()??;
        contents(self.disk, &dir).ok().map(|now| now != noted)
    }
}
