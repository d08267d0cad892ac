//! Creating, writing, syncing, and setting metadata.

use std::ffi::OsStr;
use std::io;
use std::sync::Arc;

use rustix::io::Errno;

use super::SimDir;
use crate::apply::disk::sim::SimDisk;
use crate::apply::disk::sim::changes::Change;
use crate::apply::disk::sim::content::Content;
use crate::apply::disk::sim::fault::{How, Verb};
use crate::apply::disk::sim::state::State;
use crate::apply::disk::sim::tree::{Body, Ino, Inode};

impl SimDisk {
    /// Makes something at a name where nothing is.
    pub(super) fn make(
        &self,
        verb: Verb,
        at: &SimDir,
        name: &OsStr,
        body: Body,
        mode: u32,
    ) -> io::Result<Ino> {
        self.perform(verb, &[(*at, name)], |state, _| {
            state.make(*at, name, body, mode)
        })
    }

    /// Writes at a file's end, in two calls where writes come short.
    pub(super) fn write_at_end(&self, ino: Ino, bytes: &[u8]) -> io::Result<()> {
        let short = self.lock_state().faults.short_writes;
        let cut = if short { bytes.len() / 2 } else { 0 };
        let (first, rest) = bytes.split_at(cut);
        for piece in [first, rest] {
            if !piece.is_empty() || (cut == 0 && bytes.is_empty()) {
                self.perform(Verb::Write, &[], |state, how| state.write(ino, piece, how))?;
            }
            if bytes.is_empty() {
                break;
            }
        }
        Ok(())
    }

    pub(super) fn sync_inode(&self, ino: Ino) -> io::Result<()> {
        self.perform(Verb::Sync, &[], |state, how| {
            match how {
                How::Well => state.persist_inode(ino),
                How::Badly => state.break_inode(ino),
            }
            Ok(())
        })
    }

    pub(super) fn put_on_mode(&self, staged: (&SimDir, &OsStr), mode: u32) -> io::Result<()> {
        let (at, name) = staged;
        self.perform(Verb::Metadata, &[(*at, name)], |state, _| {
            let (ino, inode) = state.get(*at, name)?;
            if !matches!(inode.body, Body::Link(_)) {
                state.now.get_mut(ino).meta.mode = mode;
            }
            Ok(())
        })
    }

    pub(super) fn put_on_owner(
        &self,
        staged: (&SimDir, &OsStr),
        like: (&SimDir, &OsStr),
    ) -> io::Result<()> {
        let (at, name) = staged;
        self.perform(Verb::Metadata, &[(*at, name)], |state, _| {
            let worn = state.get(*like.0, like.1)?.1.meta.clone();
            let ino = state.get(*at, name)?.0;
            let meta = &mut state.now.get_mut(ino).meta;
            (meta.uid, meta.gid, meta.xattrs) = (worn.uid, worn.gid, worn.xattrs);
            Ok(())
        })
    }
}

impl State {
    /// Makes something at a name where nothing is.
    pub(in crate::apply::disk::sim) fn make(
        &mut self,
        at: SimDir,
        name: &OsStr,
        body: Body,
        mode: u32,
    ) -> io::Result<Ino> {
        if self.find(at, name)?.is_some() {
            return Err(Errno::EXIST.into());
        }
        let dir = self.open(at)?;
        if dir.gone {
            return Err(Errno::NOENT.into());
        }
        let dev = dir.dev;
        if self.quota.is_some() && self.room().1 == 0 {
            return Err(Errno::NOSPC.into());
        }
        let (ino, birth) = (self.free_number(), self.tick());
        let inode = Inode::new(body, mode, dev, birth);
        self.change(Change::make(at.ino, name, ino, inode));
        Ok(ino)
    }

    /// Writes at a file's end. Where there is no room for all of it, or the call is to fail, a part of it.
    fn write(&mut self, ino: Ino, bytes: &[u8], how: How) -> io::Result<()> {
        let wanted = match how {
            How::Well => bytes.len(),
            How::Badly => bytes.len() / 2,
        };
        let left = if self.quota.is_some() {
            usize::try_from(self.room().0).unwrap_or(usize::MAX)
        } else {
            usize::MAX
        };
        let fits = wanted.min(left);
        let time = self.tick().cast_signed();
        let old = self.now.get(ino).and_then(|inode| inode.file());
        let mut whole = old.ok_or(Errno::BADF)?.bytes.clone();
        whole.extend_from_slice(&bytes[..fits]);
        self.now.get_mut(ino).body = Body::File(Arc::new(Content::new(whole, time)));
        if fits < wanted {
            return Err(Errno::NOSPC.into());
        }
        Ok(())
    }
}
