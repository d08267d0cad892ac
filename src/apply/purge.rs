//! Deletes the backups of a recovery, and exports them. Both only when a person asks for it.

use std::ffi::{OsStr, OsString};
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use super::crash;
use super::disk::{Disk, FileKind};
use super::exchange::{BaseKind, Exchange, Known, Opened, if_there, know};
use super::folder::{Folder, Mark};
use super::history::{Entry, size};
use super::home::forget;
use super::journal::Journal;
use super::refs::Refs;
use crate::git::refs::UNDO;

/// Deletes the backups of a finished recovery, and the references that kept old branch tips. Returns the freed bytes.
/// May be repeated: an interrupted purge is finished by the next.
pub fn purge<D: Disk>(disk: &D, refs: &dyn Refs, entry: &Entry<D>) -> io::Result<u64> {
    // All that is freed: after a rollback that is what had been prepared.
    let bytes = size(disk, &entry.recovery.kept_in)?;
    // The mark comes first: an undo must not be offered once some backups are gone.
    entry.folder.set(disk, Mark::Purged)?;
    for path in &entry.recovery.kept_in {
        empty(disk, path)?;
    }
    forget(disk, &entry.folder.name, &entry.folder.dir)?;
    let journal = entry.good_journal().into_iter();
    let moves = journal.flat_map(|journal| &journal.refs);
    for kept in moves.filter(|moved| moved.name.starts_with(UNDO)) {
        let git_dir = kept.git_dir.path();
        let gone = refs.swap(&git_dir, &kept.name, kept.new.as_deref(), None);
        // A repository that no longer exists has no reference to delete.
        if let Err(why) = gone
            && disk.root(&git_dir).is_ok()
        {
            return Err(io::Error::other(why));
        }
    }
    Ok(bytes)
}

/// The places of a recovery whose slot holds neither what was there before it nor what it wrote: a person's later work,
/// which its undo replaced and which is nowhere else.
pub fn edited<D: Disk>(disk: &D, entry: &Entry<D>) -> Vec<PathBuf> {
    let Some(journal) = entry.good_journal() else {
        return Vec::new();
    };
    let journal = &journal.clone().present(disk);
    let opened = Opened::open_some(disk, &journal.bases);
    let is_edited = |exchange: &&Exchange| {
        let dir = opened.folder(exchange.there.base, &exchange.there.parent.path());
        let (true, Ok(Some(dir))) = (exchange.there.is_slot(&journal.bases), dir) else {
            return false;
        };
        let now = know(disk, &dir, exchange.there.name.name()).ok().flatten();
        let known = [exchange.here_had, exchange.there_had]
            .into_iter()
            .flatten();
        now.is_some_and(|now| !known.into_iter().any(|had| had.digest == now.digest))
    };
    let edited = journal.exchanges.iter().filter(is_edited);
    edited
        .map(|exchange| exchange.here.path(&journal.bases))
        .collect()
}

/// Deletes one of relight's own folders. False if it does not exist.
pub fn remove_folder<D: Disk>(disk: &D, path: &Path) -> io::Result<bool> {
    let (Some(above), Some(name)) = (path.parent(), path.file_name()) else {
        return Ok(false);
    };
    let Some(above) = if_there(disk.root(above))? else {
        return Ok(false);
    };
    if disk.look(&above, name)?.is_none() {
        return Ok(false);
    }
    empty(disk, path)?;
    disk.remove(&above, name)?;
    disk.barrier(&[above])?;
    Ok(true)
}

/// Removes everything in a folder of slots.
fn empty<D: Disk>(disk: &D, path: &Path) -> io::Result<()> {
    let Some(dir) = if_there(disk.root(path))? else {
        return Ok(());
    };
    crash::remove_all(disk, &dir)?;
    disk.barrier(&[dir])
}

/// Copies the backups of a recovery into a new folder, with a list of what each file is. Leaves the recovery unchanged.
/// `None` if `stop` returned true before everything was copied.
pub fn export<D: Disk>(
    disk: &D,
    entry: &Entry<D>,
    to: &Path,
    stop: &dyn Fn() -> bool,
) -> io::Result<Option<u64>> {
    let missing = || io::Error::from(io::ErrorKind::NotFound);
    let above = disk.root(to.parent().ok_or_else(missing)?)?;
    let name = to.file_name().ok_or_else(missing)?;
    disk.mkdir(&above, name, 0o700)?;
    let out = Folder::<D> {
        dir: disk.dir(&above, name.as_ref())?,
        name: String::new(),
    };
    let mut list = format!("Backups of recovery {}.\n", entry.recovery.id);
    let mut copied = 0;
    if let Some(journal) = entry.good_journal() {
        let journal = &journal.clone().present(disk);
        let opened = Opened::open_some(disk, &journal.bases);
        for (at, exchange) in journal.exchanges.iter().enumerate() {
            if stop() {
                return Ok(None);
            }
            // A folder that cannot be opened is left out of the copy and of the list.
            let Ok(Some(dir)) = backup_folder(disk, journal, &opened, exchange) else {
                continue;
            };
            let name = exchange.there.name.name();
            let Some(now) = know(disk, &dir, name)? else {
                continue;
            };
            let what = what_it_is(exchange, now);
            let here = exchange.here.path(&journal.bases);
            let _infallible = writeln!(list, "{at}\t{what}\t{}", here.to_string_lossy());
            let numbered = at.to_string();
            copied += copy(disk, (&dir, name), (&out.dir, OsStr::new(&numbered)))?;
        }
    } else {
        // Without a journal the original paths are unknown, but the files are still exported.
        for (at, path) in entry.recovery.kept_in.iter().enumerate() {
            let Some(slots) = if_there(disk.root(path))? else {
                continue;
            };
            for name in disk.list(&slots)? {
                if stop() {
                    return Ok(None);
                }
                let mut numbered = OsString::from(format!("{at}-"));
                numbered.push(&name);
                let _infallible = writeln!(
                    list,
                    "{}\tunknown\t{}",
                    numbered.to_string_lossy(),
                    path.join(&name).to_string_lossy()
                );
                copied += copy(disk, (&slots, &name), (&out.dir, &numbered))?;
            }
        }
    }
    disk.put(&out.dir, OsStr::new("LIST.txt"), 0o600, list.as_bytes())?;
    disk.barrier(&[out.dir])?;
    Ok(Some(copied))
}

/// The folder of a backup. One of slots that was copied, with the state directory or with the project, is another
/// directory than the journal recorded and holds the backups all the same.
fn backup_folder<D: Disk>(
    disk: &D,
    journal: &Journal,
    opened: &Opened<'_, D>,
    exchange: &Exchange,
) -> io::Result<Option<D::Dir>> {
    let parent = exchange.there.parent.path();
    let base = journal.bases.get(exchange.there.base);
    match base.filter(|base| base.kind == BaseKind::Slots) {
        Some(base) => {
            let slots = if_there(disk.root(&base.path.path()))?;
            let dir = slots.map(|slots| if_there(disk.dir(&slots, &parent)));
            dir.transpose().map(Option::flatten)
        }
        None => opened.folder(exchange.there.base, &parent),
    }
}

/// What a backup is, by its content where the journal has its digest: content survives a copy, which has other inodes.
fn what_it_is(exchange: &Exchange, now: Known) -> &'static str {
    let is = |had: Option<Known>| {
        had.is_some_and(|had| match had.digest {
            Some(digest) => now.digest == Some(digest),
            None => now.node.id == had.node.id,
        })
    };
    if is(exchange.here_had) {
        "before"
    } else if is(exchange.there_had) {
        "planned"
    } else {
        "changed"
    }
}

/// How much of a file is copied at a time.
const PIECE: u64 = 4 << 20;

/// Copies a file, link or folder into one of relight's own folders. Returns the number of files and links. Pipes,
/// sockets and devices are left out.
pub fn copy<D: Disk>(
    disk: &D,
    (from, name): (&D::Dir, &OsStr),
    (to, new): (&D::Dir, &OsStr),
) -> io::Result<u64> {
    let Some(node) = disk.look(from, name)? else {
        return Ok(0);
    };
    match node.kind {
        FileKind::File => {
            let mut file = disk.create(to, new, 0o600)?;
            let mut offset = 0;
            loop {
                let piece = disk.read_from(from, name, offset, PIECE)?;
                if piece.is_empty() {
                    break;
                }
                disk.write(&mut file, &piece)?;
                offset += piece.len() as u64;
            }
            disk.copy_metadata((to, new), node.mode & 0o777, None)?;
            Ok(1)
        }
        FileKind::Link => {
            disk.symlink(to, new, &disk.target(from, name)?)?;
            Ok(1)
        }
        FileKind::Dir => {
            disk.mkdir(to, new, 0o700)?;
            let (source, target) = (disk.dir(from, name.as_ref())?, disk.dir(to, new.as_ref())?);
            let mut copied = 0;
            for name in disk.list(&source)? {
                copied += copy(disk, (&source, &name), (&target, &name))?;
            }
            Ok(copied)
        }
        FileKind::Other => Ok(0),
    }
}
