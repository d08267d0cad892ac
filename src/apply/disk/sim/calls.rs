//! The calls of [`Disk`] on a disk in memory.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Component, Path};
use std::sync::{Arc, Mutex, PoisonError};

use rustix::io::Errno;

use super::SimDisk;
use super::changes::Change;
use super::content::{self, Content};
use super::fault::{How, Verb};
use super::state::{State, component};
use super::tree::{Body, Ino, Inode, ROOT};
use crate::apply::disk::{Digest, Disk, FileKind, Frozen, Node, Room, linked, overtaken};

mod renames;
mod writes;

/// An open directory. It serves on every branch of its disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SimDir {
    pub(super) ino: Ino,
    pub(super) birth: u64,
}

/// An open file.
#[derive(Debug)]
pub struct SimFile {
    ino: Ino,
}

/// A lock that is held until it is dropped.
#[derive(Debug)]
pub struct SimLock {
    state: Arc<Mutex<State>>,
    key: (Ino, u64),
}

impl Drop for SimLock {
    fn drop(&mut self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.locks.remove(&self.key);
    }
}

impl SimDisk {
    fn open<T>(&self, effect: impl FnOnce(&State) -> io::Result<T>) -> io::Result<T> {
        self.perform(Verb::Open, &[], |state, _| effect(state))
    }

    fn glance<T>(&self, effect: impl FnOnce(&State) -> io::Result<T>) -> io::Result<T> {
        self.perform(Verb::Look, &[], |state, _| effect(state))
    }
}

/// The content of a regular file; no link is followed.
fn regular(inode: &Inode) -> io::Result<&Arc<Content>> {
    match &inode.body {
        Body::File(content) => Ok(content),
        Body::Dir(_) => Err(Errno::ISDIR.into()),
        Body::Link(_) => Err(Errno::LOOP.into()),
        Body::Other => Err(io::Error::other("This is not a regular file.")),
    }
}

/// Goes down plain components, no link followed.
fn descend(state: &State, from: Ino, rel: &Path, cross: bool) -> io::Result<SimDir> {
    let mut ino = from;
    for part in rel.components() {
        let Component::Normal(name) = part else {
            return Err(Errno::XDEV.into());
        };
        component(name)?;
        let here = state.now.get(ino).ok_or(Errno::NOENT)?;
        let next = here.entries().ok_or(Errno::NOTDIR)?.get(name);
        ino = *next.ok_or(Errno::NOENT)?;
        let there = state.now.get(ino).ok_or(Errno::NOENT)?;
        match there.kind() {
            FileKind::Dir if cross || there.dev == here.dev => {}
            FileKind::Dir => return Err(Errno::XDEV.into()),
            FileKind::Link => return Err(Errno::LOOP.into()),
            FileKind::File | FileKind::Other => return Err(Errno::NOTDIR.into()),
        }
    }
    let birth = state.now.get(ino).ok_or(Errno::NOENT)?.birth;
    Ok(SimDir { ino, birth })
}

impl Disk for SimDisk {
    type Dir = SimDir;
    type File = SimFile;
    type Lock = SimLock;

    fn root(&self, path: &Path) -> io::Result<SimDir> {
        self.open(|state| {
            let rel = path.strip_prefix("/").ok().ok_or(Errno::INVAL)?;
            descend(state, ROOT, rel, true)
        })
    }

    fn dir(&self, at: &SimDir, rel: &Path) -> io::Result<SimDir> {
        self.open(|state| {
            state.open(*at)?;
            descend(state, at.ino, rel, false)
        })
    }

    fn node(&self, dir: &SimDir) -> io::Result<Node> {
        self.glance(|state| Ok(state.open(*dir)?.facts(dir.ino)))
    }

    fn look(&self, at: &SimDir, name: &OsStr) -> io::Result<Option<Node>> {
        self.glance(|state| {
            let found = state.find(*at, name)?;
            Ok(found.map(|(ino, inode)| inode.facts(ino)))
        })
    }

    fn list(&self, at: &SimDir) -> io::Result<Vec<OsString>> {
        self.open(|state| {
            let entries = state.open(*at)?.entries().ok_or(Errno::NOTDIR)?;
            Ok(entries.keys().cloned().collect())
        })
    }

    fn read(&self, at: &SimDir, name: &OsStr, cap: u64) -> io::Result<Vec<u8>> {
        self.open(|state| {
            let content = regular(state.get(*at, name)?.1)?;
            if content.bytes.len() as u64 > cap {
                return Err(Errno::FBIG.into());
            }
            Ok(content.bytes.clone())
        })
    }

    fn read_from(&self, at: &SimDir, name: &OsStr, offset: u64, cap: u64) -> io::Result<Vec<u8>> {
        self.open(|state| {
            let content = regular(state.get(*at, name)?.1)?;
            let rest = content.bytes.iter().copied();
            let number = |n: u64| usize::try_from(n).unwrap_or(usize::MAX);
            Ok(rest.skip(number(offset)).take(number(cap)).collect())
        })
    }

    fn frozen(&self, _: &SimDir, _: Option<&OsStr>) -> io::Result<Option<Frozen>> {
        Ok(None)
    }

    fn named_ns(&self, at: &SimDir, name: &OsStr) -> io::Result<Option<i64>> {
        Ok(self.look(at, name)?.map(|node| node.mtime_ns))
    }

    fn umask(&self) -> u32 {
        0o022
    }

    fn note(&self, at: &SimDir, name: &OsStr, bytes: &[u8]) -> io::Result<()> {
        self.append(at, name, bytes)
    }

    fn target(&self, at: &SimDir, name: &OsStr) -> io::Result<Vec<u8>> {
        self.glance(|state| match &state.get(*at, name)?.1.body {
            Body::Link(target) => Ok(target.clone()),
            Body::File(_) | Body::Dir(_) | Body::Other => Err(Errno::INVAL.into()),
        })
    }

    fn digest(&self, at: &SimDir, name: &OsStr) -> io::Result<Digest> {
        self.open(|state| {
            let inode = state.get(*at, name)?.1;
            match &inode.body {
                Body::Link(target) => Ok(content::digest(target)),
                Body::File(_) | Body::Dir(_) | Body::Other => Ok(regular(inode)?.digest()),
            }
        })
    }

    fn mount(&self, dir: &SimDir) -> io::Result<u64> {
        self.glance(|state| Ok(state.open(*dir)?.dev))
    }

    fn room(&self, dir: &SimDir) -> io::Result<Room> {
        self.glance(|state| {
            state.open(*dir)?;
            let (bytes, inodes) = state.room();
            Ok(Room {
                bytes,
                inodes,
                read_only: false,
            })
        })
    }

    fn has_one_name(&self, at: &SimDir, name: &OsStr) -> io::Result<bool> {
        self.open(|state| {
            let Some((ino, inode)) = state.find(*at, name)? else {
                return Ok(true);
            };
            regular(inode)?;
            Ok(state.now.names(ino) <= 1)
        })
    }

    fn mkdir(&self, at: &SimDir, name: &OsStr, mode: u32) -> io::Result<()> {
        let body = Body::Dir(std::collections::BTreeMap::new());
        self.make(Verb::Make, at, name, body, mode).map(|_| ())
    }

    fn create(&self, at: &SimDir, name: &OsStr, mode: u32) -> io::Result<SimFile> {
        let ino = self.make(Verb::Make, at, name, Body::File(Arc::default()), mode)?;
        Ok(SimFile { ino })
    }

    fn write(&self, file: &mut SimFile, bytes: &[u8]) -> io::Result<()> {
        self.write_at_end(file.ino, bytes)
    }

    fn sync(&self, file: &SimFile) -> io::Result<()> {
        self.sync_inode(file.ino)
    }

    fn symlink(&self, at: &SimDir, name: &OsStr, target: &[u8]) -> io::Result<()> {
        let body = Body::Link(target.to_vec());
        self.make(Verb::Make, at, name, body, 0o777).map(|_| ())
    }

    fn copy_metadata(
        &self,
        staged: (&SimDir, &OsStr),
        mode: u32,
        like: Option<(&SimDir, &OsStr)>,
    ) -> io::Result<()> {
        self.put_on_mode(staged, mode)?;
        like.map_or(Ok(()), |like| self.put_on_owner(staged, like))
    }

    fn remove(&self, at: &SimDir, name: &OsStr) -> io::Result<()> {
        self.perform(Verb::Remove, &[(*at, name)], |state, _| {
            let (ino, inode) = state.get(*at, name)?;
            if inode.entries().is_some_and(|entries| !entries.is_empty()) {
                return Err(Errno::NOTEMPTY.into());
            }
            if inode.dev != state.open(*at)?.dev {
                return Err(Errno::BUSY.into());
            }
            let is_dir = inode.entries().is_some();
            state.change(Change::set(&[(at.ino, name, None)]));
            if is_dir {
                state.now.get_mut(ino).gone = true;
            }
            Ok(())
        })
    }

    fn lock(&self, at: &SimDir, name: &OsStr) -> io::Result<Option<SimLock>> {
        if self.look(at, name)?.is_none() {
            self.make(Verb::Make, at, name, Body::File(Arc::default()), 0o600)?;
        }
        let key = self.perform(Verb::Lock, &[], |state, _| {
            let (ino, inode) = state.get(*at, name)?;
            regular(inode)?;
            let key = (ino, inode.birth);
            Ok(state.locks.insert(key).then_some(key))
        })?;
        Ok(key.map(|key| SimLock {
            state: Arc::clone(&self.state),
            key,
        }))
    }

    fn is_locked(&self, at: &SimDir, name: &OsStr) -> bool {
        let state = self.lock_state();
        let found = state.get(*at, name);
        found.is_ok_and(|(ino, inode)| state.locks.contains(&(ino, inode.birth)))
    }

    fn sign(&self, lock: &SimLock, text: &[u8]) -> io::Result<()> {
        self.perform(Verb::Sign, &[], |state, how| {
            let time = state.tick().cast_signed();
            let kept = match how {
                How::Well => text,
                How::Badly => &[],
            };
            let content = Arc::new(Content::new(kept.to_vec(), time));
            state.now.get_mut(lock.key.0).body = Body::File(content);
            Ok(())
        })
    }

    fn swap(&self, a: (&SimDir, &OsStr), b: (&SimDir, &OsStr)) -> io::Result<()> {
        self.exchange((*a.0, a.1), (*b.0, b.1))
    }

    fn shift(&self, from: (&SimDir, &OsStr), to: (&SimDir, &OsStr)) -> io::Result<()> {
        self.move_to((*from.0, from.1), (*to.0, to.1))
    }

    fn barrier(&self, dirs: &[SimDir]) -> io::Result<()> {
        let on: Vec<(SimDir, &OsStr)> = dirs.iter().map(|dir| (*dir, OsStr::new(""))).collect();
        self.perform(Verb::Barrier, &on, |state, how| {
            for dir in dirs {
                state.open(*dir)?;
            }
            if how == How::Well {
                state.persist_dirs(dirs.iter().map(|dir| dir.ino));
            }
            Ok(())
        })
    }

    fn harden(&self, at: &SimDir, name: &OsStr) -> io::Result<()> {
        let node = self.look(at, name)?;
        let node = node.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?;
        self.sync_inode(node.id.ino)
    }

    fn flush(&self, dir: &SimDir) -> io::Result<()> {
        self.perform(Verb::Barrier, &[(*dir, OsStr::new("*"))], |state, how| {
            let dev = state.open(*dir)?.dev;
            match how {
                How::Well => state.persist_device(dev),
                How::Badly => state.break_device(dev),
            }
            Ok(())
        })
    }

    fn cut(&self, at: &SimDir, name: &OsStr, keep: u64, last: &[u8]) -> io::Result<()> {
        let ino = self.perform(Verb::Cut, &[(*at, name)], |state, _| {
            let (ino, inode) = state.get(*at, name)?;
            let content = Arc::clone(regular(inode)?);
            if state.now.names(ino) > 1 {
                return Err(linked());
            }
            let keep = usize::try_from(keep).unwrap_or(usize::MAX);
            if content.bytes.get(keep..) != Some(last) {
                return Err(overtaken());
            }
            let time = state.tick().cast_signed();
            let kept = Arc::new(Content::new(content.bytes[..keep].to_vec(), time));
            state.now.get_mut(ino).body = Body::File(kept);
            Ok(ino)
        })?;
        self.perform(Verb::Cut, &[], |state, _| {
            state.persist_inode(ino);
            Ok(())
        })
    }

    fn append(&self, at: &SimDir, name: &OsStr, bytes: &[u8]) -> io::Result<()> {
        let found = self.open(|state| {
            let Some((ino, inode)) = state.find(*at, name)? else {
                return Ok(None);
            };
            regular(inode)?;
            if state.now.names(ino) > 1 {
                return Err(linked());
            }
            Ok(Some(ino))
        })?;
        let ino = match found {
            Some(ino) => ino,
            None => self.make(Verb::Make, at, name, Body::File(Arc::default()), 0o644)?,
        };
        self.write_at_end(ino, bytes)?;
        self.sync_inode(ino)?;
        if found.is_none() {
            self.barrier(&[*at])?;
        }
        Ok(())
    }
}
