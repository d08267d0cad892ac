//! Settling what a crash left (safety.md 3.4). It may be repeated, and may itself be cut short, at any instant.
//!
//! Nothing is remembered about how far a transaction came: which inode is in which spot says it. What was not
//! committed is rolled back; what was is finished; what fits neither is left alone and explained.

use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use super::appends;
use super::disk::{Disk, Kind};
use super::folder::{Folder, Mark};
use super::home::forget;
use super::journal::{HeldLock, Journal, RefMove};
use super::locks;
use super::preflight::sweep;
use super::refs::Refs;
use super::token::{BaseKind, Opened, Standing, Token};
use super::transaction::turn_wave;
use super::trouble::Trouble;

/// How a transaction stands, by what is on the disk.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum State {
    /// It never began: nothing was exchanged.
    Untouched,
    /// It was prepared and not committed: it will be rolled back.
    Prepared,
    /// It was committed, and something is left to do.
    Committed,
    /// It is done.
    Done,
    /// It was rolled back.
    RolledBack,
}

/// What settling did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Everything is as planned.
    Finished,
    /// Everything is as it was before.
    RolledBack,
    /// Nothing had been changed.
    Untouched,
}

/// How a transaction stands. Reads only.
pub fn state<D: Disk>(disk: &D, folder: &Folder<D>) -> io::Result<State> {
    Ok(if folder.has(disk, Mark::Done)? {
        State::Done
    } else if folder.has(disk, Mark::RolledBack)? {
        State::RolledBack
    } else if folder.has(disk, Mark::Committed)? {
        State::Committed
    } else if folder.journal(disk)?.is_some() {
        State::Prepared
    } else {
        State::Untouched
    })
}

/// Settles a transaction as its state wants.
pub fn settle<D: Disk>(disk: &D, refs: &dyn Refs, folder: &Folder<D>) -> Result<Ended, Trouble> {
    let doubt = |error: &io::Error| unclear(folder, format!("The disk reported: {error}."));
    match state(disk, folder).map_err(|e| doubt(&e))? {
        State::Done => Ok(Ended::Finished),
        State::RolledBack => {
            release_noted(disk, folder).map_err(|e| doubt(&e))?;
            Ok(Ended::RolledBack)
        }
        State::Untouched => {
            sweep(disk, &folder.name, &folder.dir, &[]).map_err(|e| doubt(&e))?;
            release_noted(disk, folder).map_err(|e| doubt(&e))?;
            Ok(Ended::Untouched)
        }
        State::Committed => {
            if folder.has(disk, Mark::RollingBack).map_err(|e| doubt(&e))? {
                let text = "It is marked as committed and as being rolled back.";
                return Err(unclear(folder, text.to_owned()));
            }
            let journal = journal(disk, folder)?;
            // Whoever set the mark may have died before it was durable, and lines may only follow a commit.
            folder.set(disk, Mark::Committed).map_err(|e| doubt(&e))?;
            finish(disk, folder, &journal).map_err(|e| doubt(&e))?;
            Ok(Ended::Finished)
        }
        State::Prepared => {
            let journal = journal(disk, folder)?;
            roll_back(disk, refs, folder, &journal)?;
            Ok(Ended::RolledBack)
        }
    }
}

fn journal<D: Disk>(disk: &D, folder: &Folder<D>) -> Result<Journal, Trouble> {
    match folder.journal(disk) {
        Ok(Some(Ok(journal))) if journal.id == folder.name => Ok(journal.present(disk)),
        Ok(Some(Ok(_))) => Err(unclear(
            folder,
            "Its journal belongs to another recovery.".to_owned(),
        )),
        Ok(Some(Err(damage))) => Err(unclear(folder, format!("It cannot be settled: {damage}."))),
        Ok(None) => Err(unclear(folder, "Its journal is gone.".to_owned())),
        Err(error) => Err(unclear(
            folder,
            format!("Its journal cannot be read: {error}."),
        )),
    }
}

/// Puts everything back. Changes nothing unless every token and reference is where it can only be by our doing.
fn roll_back<D: Disk>(
    disk: &D,
    refs: &dyn Refs,
    folder: &Folder<D>,
    journal: &Journal,
) -> Result<(), Trouble> {
    let doubt = |error: &io::Error| unclear(folder, format!("Rolling back stopped: {error}."));
    let opened = Opened::open(disk, &journal.bases).map_err(|e| doubt(&e))?;
    let moved = moved(&opened, folder, journal)?;
    for (token, _) in journal
        .tokens
        .iter()
        .zip(&moved)
        .filter(|(_, moved)| **moved)
    {
        if let Some(path) = stranger(disk, &opened, journal, token).map_err(|e| doubt(&e))? {
            let text = format!(
                "{} came into a folder that is to go.",
                path.to_string_lossy()
            );
            return Err(unclear(folder, text));
        }
    }
    let moved_refs = refs_moved(refs, folder, journal)?;
    // What a crash left half-known becomes certain before anything rests on it.
    let mut touched = Vec::new();
    for token in &journal.tokens {
        for spot in [&token.here, &token.there] {
            if let Some(dir) = opened
                .folder(spot.base, &spot.parent.path())
                .map_err(|e| doubt(&e))?
            {
                touched.push(dir);
            }
        }
    }
    disk.barrier(&touched).map_err(|e| doubt(&e))?;
    folder.set(disk, Mark::RollingBack).map_err(|e| doubt(&e))?;
    if locks::any_left(disk, &journal.locks).map_err(|e| doubt(&e))? {
        unlock_refs(refs, journal).map_err(|e| doubt(&e))?;
    }
    for (back, is_moved) in journal.refs.iter().zip(moved_refs).rev() {
        if is_moved {
            move_ref(refs, back, true).map_err(|e| doubt(&e))?;
        }
    }
    let last = journal.tokens.iter().map(|token| token.wave).max();
    for wave in (0..last.map_or(0, |last| last + 1)).rev() {
        let of_it = journal.tokens.iter().zip(&moved);
        let of_it = of_it.filter(|(token, moved)| token.wave == wave && **moved);
        let of_it: Vec<_> = of_it.map(|(token, _)| token).collect();
        if !of_it.is_empty() {
            turn_wave(disk, &opened, &of_it, true, &|_| {}).map_err(|e| doubt(&e))?;
        }
    }
    for token in &journal.tokens {
        match opened.standing(token) {
            Ok(Standing::Before) => {}
            Ok(Standing::After | Standing::Unclear) => {
                return Err(unclear(folder, explain(journal, token)));
            }
            Err(error) => return Err(doubt(&error)),
        }
    }
    // Before the mark: nobody settles it again afterwards.
    locks::release(disk, &journal.locks).map_err(|e| doubt(&e))?;
    folder.set(disk, Mark::RolledBack).map_err(|e| doubt(&e))
}

/// Which tokens have moved. Refuses where one is unclear, or where the whole has a shape that no crash leaves:
/// full waves, then one wave in part, then none.
fn moved<D: Disk>(
    opened: &Opened<'_, D>,
    folder: &Folder<D>,
    journal: &Journal,
) -> Result<Vec<bool>, Trouble> {
    let mut moved = Vec::with_capacity(journal.tokens.len());
    let (mut last_moved, mut first_left) = (None, None);
    for token in &journal.tokens {
        let standing = opened.standing(token);
        let after = match standing {
            Ok(Standing::After) => true,
            Ok(Standing::Before) => false,
            Ok(Standing::Unclear) => return Err(unclear(folder, explain(journal, token))),
            Err(error) => return Err(unclear(folder, format!("The disk reported: {error}."))),
        };
        moved.push(after);
        if after {
            last_moved = last_moved.max(Some(token.wave));
        } else if first_left.is_none_or(|first| token.wave < first) {
            first_left = Some(token.wave);
        }
    }
    match (last_moved, first_left) {
        (Some(last), Some(first)) if last > first => {
            let text = "Its renames stand in an order that relight never leaves.";
            Err(unclear(folder, text.to_owned()))
        }
        _ => Ok(moved),
    }
}

/// Something that somebody else put into a folder that this transaction made: it would go with the folder.
fn stranger<D: Disk>(
    disk: &D,
    opened: &Opened<'_, D>,
    journal: &Journal,
    token: &Token,
) -> io::Result<Option<PathBuf>> {
    // A folder that was staged was empty; its slot lies in a folder of this transaction.
    let kept_in = journal.bases.get(token.there.base);
    let staged = kept_in.is_some_and(|base| {
        let own = |part| part == OsStr::new(&journal.id);
        base.kind == BaseKind::Slots && base.path.path().iter().any(own)
    });
    let is_dir = token
        .there_had
        .is_some_and(|known| known.node.kind == Kind::Dir);
    if !staged || !is_dir {
        return Ok(None);
    }
    let folder = token.here.rel();
    let Some(dir) = opened.folder(token.here.base, &folder)? else {
        return Ok(None);
    };
    let ours = |path: &Path| {
        let all = journal.tokens.iter().flat_map(|t| [&t.here, &t.there]);
        let mut beneath = all.filter(|spot| spot.base == token.here.base);
        beneath.any(|spot| spot.rel() == path)
    };
    let inside = disk.list(&dir)?.into_iter().map(|name| folder.join(name));
    Ok(inside.into_iter().find(|path| !ours(path)))
}

fn refs_moved<D: Disk>(
    refs: &dyn Refs,
    folder: &Folder<D>,
    journal: &Journal,
) -> Result<Vec<bool>, Trouble> {
    let mut moved = Vec::with_capacity(journal.refs.len());
    for one in &journal.refs {
        let now = refs.read(&one.git_dir.path(), &one.name);
        let now =
            now.map_err(|why| unclear(folder, format!("{} cannot be read: {why}.", one.name)))?;
        if now == one.old {
            moved.push(false);
        } else if now == one.new {
            moved.push(true);
        } else {
            let text = format!("{} was moved by something else in the meantime.", one.name);
            return Err(unclear(folder, text));
        }
    }
    Ok(moved)
}

/// A kill while a reference was moved leaves its lock, and git would wait for it for ever.
fn unlock_refs(refs: &dyn Refs, journal: &Journal) -> io::Result<()> {
    for moved in &journal.refs {
        let ours: Vec<&str> = [&moved.old, &moved.new]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();
        let unlocked = refs.unlock(&moved.git_dir.path(), &moved.name, &ours);
        unlocked.map_err(|why| {
            let name = &moved.name;
            io::Error::other(format!("the lock of {name} cannot be removed: {why}"))
        })?;
    }
    Ok(())
}

/// Moves a reference, or puts it back.
pub(super) fn move_ref(refs: &dyn Refs, moved: &RefMove, back: bool) -> io::Result<()> {
    let (mut old, mut new) = (moved.old.as_deref(), moved.new.as_deref());
    if back {
        std::mem::swap(&mut old, &mut new);
    }
    match refs.swap(&moved.git_dir.path(), &moved.name, old, new) {
        Ok(true) => Ok(()),
        Ok(false) => Err(io::Error::other(format!(
            "{} was moved in the meantime",
            moved.name
        ))),
        Err(why) => Err(io::Error::other(format!(
            "{} cannot be moved: {why}",
            moved.name
        ))),
    }
}

/// Does what is left after a commit.
pub(super) fn finish<D: Disk>(disk: &D, folder: &Folder<D>, journal: &Journal) -> io::Result<()> {
    if !journal.appends.is_empty() {
        let opened = Opened::open(disk, &journal.bases)?;
        for append in &journal.appends {
            appends::redo(disk, &opened, append).map_err(|error| {
                let log = appends::shown(append);
                io::Error::other(format!("{}: {error}", log.to_string_lossy()))
            })?;
        }
    }
    locks::release(disk, &journal.locks)?;
    folder.drop_ballast(disk);
    folder.set(disk, Mark::Done)
}

/// The locks of a transaction that has no journal to list them.
fn release_noted<D: Disk>(disk: &D, folder: &Folder<D>) -> io::Result<()> {
    let noted = folder.noted_locks(disk)?;
    let noted: Vec<HeldLock> = serde_json::from_slice(&noted).unwrap_or_default();
    locks::release(disk, &noted)
}

/// Removes the folder of a transaction that never began, with what was staged in it, there and in the slots that
/// it has elsewhere. Only relight's own.
pub fn discard<D: Disk>(disk: &D, home: &D::Dir, folder: &Folder<D>) -> io::Result<()> {
    forget(disk, &folder.name, &folder.dir)?;
    // The journal first: without it nothing that is left can be taken for a transaction that is pending.
    folder.drop_journal(disk)?;
    remove_all(disk, &folder.dir)?;
    disk.remove(home, OsStr::new(&folder.name))
}

/// Removes everything in one of relight's own folders.
pub(super) fn remove_all<D: Disk>(disk: &D, dir: &D::Dir) -> io::Result<()> {
    for name in disk.list(dir)? {
        let node = disk.look(dir, &name)?;
        if node.is_some_and(|node| node.kind == Kind::Dir) {
            remove_all(disk, &disk.dir(dir, name.as_ref())?)?;
        }
        disk.remove(dir, &name)?;
    }
    Ok(())
}

/// What is wrong with a token, for a person: which path, and where its contents should be.
fn explain(journal: &Journal, token: &Token) -> String {
    let path = |spot: &super::token::Spot| {
        let base = journal.bases.get(spot.base).map(|base| base.path.path());
        base.unwrap_or_default().join(spot.rel())
    };
    format!(
        "{} is neither what it was nor what was planned; what it was or was to be is {}.",
        path(&token.here).to_string_lossy(),
        path(&token.there).to_string_lossy()
    )
}

fn unclear<D: Disk>(folder: &Folder<D>, text: String) -> Trouble {
    Trouble::Unclear {
        text: text.into(),
        hints: vec![
            format!("relight recover {} --export DIR copies out everything that it keeps.", folder.name).into(),
            "Nothing more was changed. Put the file that is named in order by hand, then run relight recover again.".into(),
        ],
    }
}
