//! The primitive: two entries change places, or one moves to where nothing is.

use std::ffi::OsStr;
use std::io;

use rustix::io::Errno;

use super::SimDir;
use crate::apply::disk::sim::SimDisk;
use crate::apply::disk::sim::changes::Change;
use crate::apply::disk::sim::fault::Verb;
use crate::apply::disk::sim::state::State;
use crate::apply::disk::sim::tree::Ino;

type Place<'a> = (SimDir, &'a OsStr);

impl SimDisk {
    pub(super) fn exchange(&self, a: Place<'_>, b: Place<'_>) -> io::Result<()> {
        self.perform(Verb::Rename, &[a, b], |state, _| state.exchange(a, b))
    }

    pub(super) fn move_to(&self, from: Place<'_>, to: Place<'_>) -> io::Result<()> {
        self.perform(Verb::Rename, &[from, to], |state, _| {
            state.move_to(from, to)
        })
    }
}

impl State {
    /// `RENAME_EXCHANGE`.
    fn exchange(&mut self, a: Place<'_>, b: Place<'_>) -> io::Result<()> {
        let (one, other) = (self.get(a.0, a.1)?.0, self.get(b.0, b.1)?.0);
        self.may_move(one, a.0, b.0)?;
        self.may_move(other, b.0, a.0)?;
        if one != other {
            let sets = [(a.0.ino, a.1, Some(other)), (b.0.ino, b.1, Some(one))];
            self.change(Change::set(&sets));
        }
        Ok(())
    }

    /// `RENAME_NOREPLACE`.
    pub(in crate::apply::disk::sim) fn move_to(
        &mut self,
        from: Place<'_>,
        to: Place<'_>,
    ) -> io::Result<()> {
        let ino = self.get(from.0, from.1)?.0;
        if self.find(to.0, to.1)?.is_some() {
            return Err(Errno::EXIST.into());
        }
        if self.open(to.0)?.gone {
            return Err(Errno::NOENT.into());
        }
        self.may_move(ino, from.0, to.0)?;
        let sets = [(from.0.ino, from.1, None), (to.0.ino, to.1, Some(ino))];
        self.change(Change::set(&sets));
        Ok(())
    }

    /// Refuses to move a mount point, across devices, or a directory into itself.
    fn may_move(&self, ino: Ino, from: SimDir, to: SimDir) -> io::Result<()> {
        let (from, to_dev) = (self.open(from)?.dev, self.open(to)?.dev);
        let moved = self.now.get(ino).ok_or(Errno::NOENT)?;
        if moved.dev != from {
            return Err(Errno::BUSY.into());
        }
        if from != to_dev {
            return Err(Errno::XDEV.into());
        }
        let into_itself = moved.entries().is_some()
            && self
                .now
                .walk(ino)
                .iter()
                .any(|(_, inside)| *inside == to.ino);
        if into_itself {
            return Err(Errno::INVAL.into());
        }
        Ok(())
    }
}
