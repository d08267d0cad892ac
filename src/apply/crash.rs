//! Recovers what a crash left. Recovery may be interrupted at any instant, and repeated.
//!
//! No progress is stored: which inode is in which spot tells it. What was not committed is rolled back; what was
//! committed is finished. A path that another program changed meanwhile stays as it is, and the rest is recovered. Only
//! where no rule can decide, nothing is changed, and the error names the commands that decide it.

mod own_folders;
mod references;
mod roll_back;
mod skipped_paths;
mod standing;
mod state;
mod state_table;

use std::io;
use std::path::{Path, PathBuf};

use super::appends;
use super::disk::Disk;
use super::error::{self, ApplyError};
use super::exchange::{Opened, is_absent, path_of};
use super::folder::{Folder, Mark};
use super::journal::{Append, HeldLock, Journal, RefMove};
use super::locks;
use super::preflight::sweep;
use super::record::Record;
use super::refs::Refs;
use crate::foreign;
use crate::model::{LeftPath, shell_word};
use crate::text::format::count_of;

use crate::text::Shown as _;
use roll_back::Trust;

pub use own_folders::{discard, drop_staged};
pub(super) use own_folders::{remove, remove_all};
pub use skipped_paths::read as skipped_paths;
pub use standing::{Standing, standing};
pub use state::{State, state};

/// The result of a recovery.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// Everything is as planned.
    Finished,
    /// Everything is as before, except what [`skipped_paths`](fn@skipped_paths) names.
    RolledBack,
    /// Nothing had been changed.
    Untouched,
    /// Nothing could be rolled back, and a person ended it: what is applied stays applied.
    HalfApplied,
}

/// Recovers a transaction of this process according to its state.
pub fn recover<D: Disk>(
    disk: &D,
    refs: &dyn Refs,
    folder: &Folder<D>,
) -> Result<Ended, ApplyError> {
    Case::new(disk, refs, folder).recover()
}

/// Recovers a transaction of an earlier process. Paths at or under these absolute paths stay as they are.
pub fn recover_keeping<D: Disk>(
    disk: &D,
    refs: &dyn Refs,
    folder: &Folder<D>,
    keep: &[PathBuf],
) -> Result<Ended, ApplyError> {
    let trust = Trust::Content;
    let case = Case::new(disk, refs, folder);
    Case {
        keep,
        trust,
        ..case
    }
    .recover()
}

/// What is being recovered.
struct Case<'a, D: Disk> {
    disk: &'a D,
    refs: &'a dyn Refs,
    folder: &'a Folder<D>,
    keep: &'a [PathBuf],
    trust: Trust,
}

impl<'a, D: Disk> Case<'a, D> {
    /// A transaction of this process, all of it.
    fn new(disk: &'a D, refs: &'a dyn Refs, folder: &'a Folder<D>) -> Self {
        Self {
            disk,
            refs,
            folder,
            keep: &[],
            trust: Trust::Slot,
        }
    }

    /// Recovers it according to its state.
    fn recover(&self) -> Result<Ended, ApplyError> {
        let (disk, folder, case) = (self.disk, self.folder, self);
        let doubt = |error: &io::Error| case.failed("A disk operation failed", error);
        match state(disk, folder).map_err(|e| doubt(&e))? {
            State::Done => Ok(Ended::Finished),
            State::RolledBack => {
                // A crash after the mark may have left the locks, and git would wait for them for ever.
                release_noted(disk, folder).map_err(|e| doubt(&e))?;
                Ok(Ended::RolledBack)
            }
            State::HalfApplied => Ok(Ended::HalfApplied),
            State::Untouched => {
                sweep(disk, &folder.name, &folder.dir, &[]).map_err(|e| doubt(&e))?;
                release_noted(disk, folder).map_err(|e| doubt(&e))?;
                Ok(Ended::Untouched)
            }
            // The slots hold old content, but only the journal knew its paths: a guess could overwrite newer files.
            State::Lost if folder.journal(disk).is_none() => {
                case.given_up("Its journal is missing, so nothing says where its backups belong.")
            }
            // It may have been applied, and what was written since would be overwritten.
            State::Lost => case.given_up(
                "The files that mark how far it came are missing, so whether it was applied is unknown.",
            ),
            state @ (State::Committed | State::Prepared) => {
                let committed = state == State::Committed;
                // relight never sets both marks. Finishing would destroy what the rollback wrote, and the reverse.
                if committed && folder.has(disk, Mark::RollingBack).map_err(|e| doubt(&e))? {
                    return case.given_up("It is marked as committed and as being rolled back.");
                }
                let journal = match case.journal() {
                    Ok(journal) => journal,
                    Err(why) => return case.given_up(&why),
                };
                if !committed {
                    return roll_back::roll_back(case, &journal);
                }
                // The process that set the mark may have died before it was durable. Lines in logs may only follow a
                // durable commit.
                folder.set(disk, Mark::Committed).map_err(|e| doubt(&e))?;
                case.finish(&journal)?;
                Ok(Ended::Finished)
            }
        }
    }

    /// Whether the person wants a path to stay as it is.
    fn keeps(&self, path: &Path) -> bool {
        self.keep.iter().any(|kept| path.starts_with(kept))
    }

    /// The journal, or why it cannot be used.
    fn journal(&self) -> Result<Journal, String> {
        match self.folder.journal(self.disk) {
            Some(Ok(journal)) if journal.id == self.folder.name => Ok(journal.present(self.disk)),
            Some(Ok(_)) => Err("Its journal belongs to another recovery.".to_owned()),
            Some(Err(damage)) => Err(format!("It cannot be recovered: {damage}.")),
            None => Err("Its journal is missing.".to_owned()),
        }
    }

    /// The root of the project; `/` where no file says which it is.
    fn root(&self) -> PathBuf {
        let record = self.folder.record(self.disk).unwrap_or_default();
        let record = serde_json::from_slice::<Record>(&record).ok();
        let journal = || self.journal().ok();
        let root = record.map(|record| record.root.path());
        let root = root.or_else(|| journal()?.root());
        root.filter(|root| root.is_absolute())
            .unwrap_or_else(|| PathBuf::from("/"))
    }

    /// No rule can decide. Keeping the whole project ends it: git is unlocked, and all backups are kept.
    fn given_up(&self, why: &str) -> Result<Ended, ApplyError> {
        let root = self.root();
        if !self.keeps(&root) {
            let mut trouble = self.unclear(why, &[]);
            let damage = self.folder.journal(self.disk).and_then(Result::err);
            let cure = damage.and_then(|damage| damage.cure());
            trouble.hints.splice(1..1, cure.map(Into::into));
            return Err(trouble);
        }
        let ended = self.leave_all(&root, why);
        ended.map_err(|error| self.failed("A disk operation failed", &error))
    }

    fn leave_all(&self, root: &Path, why: &str) -> io::Result<Ended> {
        let (disk, folder) = (self.disk, self.folder);
        if let Ok(journal) = self.journal() {
            locks::release(disk, &journal.locks)?;
        }
        release_noted(disk, folder)?;
        let mut one = skipped_paths::about(root, skipped_paths::Why::Chosen, None, None);
        one.text = format!("{} {why}", one.text.shown()).into();
        skipped_paths::write(disk, folder, &[one])?;
        folder.drop_ballast(disk);
        // With both marks it must not end as done: that would permit an undo.
        let torn = folder.has(disk, Mark::RollingBack)?;
        if folder.has(disk, Mark::Committed)? && !torn {
            folder.set(disk, Mark::Done)?;
            return Ok(Ended::Finished);
        }
        folder.set(disk, Mark::HalfApplied)?;
        Ok(Ended::HalfApplied)
    }

    /// Appends the lines that logs still need. A log that somebody removed or replaced is skipped.
    fn finish(&self, journal: &Journal) -> Result<(), ApplyError> {
        let (disk, folder) = (self.disk, self.folder);
        let doubt = |error: &io::Error| self.failed("A disk operation failed", error);
        let opened = Opened::open_some(disk, &journal.bases);
        let mut left = Vec::new();
        for append in &journal.appends {
            let log = log_path(journal, append);
            if self.keeps(&log) {
                left.push(not_appended(&log, append, "it is kept unchanged (--keep)"));
                continue;
            }
            // Safe to repeat: an earlier attempt may have written the line and died before its mark.
            match appends::redo(disk, &opened, append) {
                Ok(()) => {}
                Err(error) if cannot_take_lines(&error) => {
                    left.push(not_appended(&log, append, &error.to_string()));
                }
                Err(error) => {
                    let text = format!("{}: {error}.", log.shown());
                    return Err(self.unclear(&text, &[&log]));
                }
            }
        }
        if !left.is_empty() {
            skipped_paths::write(disk, folder, &left).map_err(|e| doubt(&e))?;
        }
        // The mark comes last: after a crash before it, every step is repeated and changes nothing the second time.
        locks::release(disk, &journal.locks).map_err(|e| doubt(&e))?;
        folder.drop_ballast(disk);
        folder.set(disk, Mark::Done).map_err(|e| doubt(&e))
    }

    /// A call failed: the command may be tried again.
    fn failed(&self, what: &str, error: &io::Error) -> ApplyError {
        let mut trouble = self.unclear(&format!("{what}: {error}."), &[]);
        let again = format!("To try again: relight recover {}", self.folder.name);
        trouble.hints.insert(1, again.into());
        trouble
    }

    /// What could not be decided, with the commands that decide it for the paths in `about`.
    fn unclear(&self, text: &str, about: &[&Path]) -> ApplyError {
        let id = &self.folder.name;
        let root = self.root();
        let whole = [root.as_path()];
        let about = if about.is_empty() { &whole } else { about };
        let word = |path: &&Path| {
            // A path that no shell line can hold is replaced by a directory above it.
            let mut above = path.ancestors();
            let typed = above.find_map(|path| shell_word(path.to_str()?));
            typed.unwrap_or_else(|| "/".to_owned())
        };
        let mut words: Vec<String> = about.iter().map(word).collect();
        words.sort();
        words.dedup();
        let all = words.clone();
        words.retain(|word| {
            let beneath = |other: &String| word != other && Path::new(word).starts_with(other);
            !all.iter().any(beneath)
        });
        let rest = match words.as_slice() {
            [one] if *one == word(&root.as_path()) => "keeps everything unchanged and unlocks git",
            [_] => "keeps that path unchanged and recovers the rest",
            _ => "keeps those paths unchanged and recovers the rest",
        };
        let keep: String = words
            .iter()
            .fold(String::new(), |all, word| all + " --keep " + word);
        let export = format!("relight recover {id} --export ./kept-{id}");
        let hints = vec![
            "Nothing more was changed.".into(),
            format!("{export} copies its backups.").into(),
            format!("relight recover {id}{keep} {rest}.").into(),
        ];
        error::unclear(text, hints)
    }
}

fn log_path(journal: &Journal, append: &Append) -> PathBuf {
    path_of(&journal.bases, append.base, &appends::shown(append))
}

fn not_appended(log: &Path, append: &Append, why: &str) -> LeftPath {
    let lines = append
        .block
        .0
        .split_inclusive(|byte| *byte == b'\n')
        .count();
    let lines = count_of(lines, "line was", "lines were");
    let text = foreign!("{} not appended to {}: {}.", lines, log, why);
    LeftPath {
        path: log.to_owned(),
        before: None,
        planned: None,
        text,
    }
}

/// Whether a log is gone, is a directory now, or has another name (hard link): its lines are skipped.
fn cannot_take_lines(error: &io::Error) -> bool {
    use io::ErrorKind::{IsADirectory, TooManyLinks};
    is_absent(error) || matches!(error.kind(), IsADirectory | TooManyLinks)
}

/// Moves a reference, or moves it back.
pub(super) fn move_ref(refs: &dyn Refs, moved: &RefMove, back: bool) -> io::Result<()> {
    let (mut old, mut new) = (moved.old.as_deref(), moved.new.as_deref());
    if back {
        std::mem::swap(&mut old, &mut new);
    }
    match refs.swap(&moved.git_dir.path(), &moved.name, old, new) {
        Ok(true) => Ok(()),
        Ok(false) => Err(io::Error::other(format!(
            "{} was moved by another program",
            moved.name
        ))),
        Err(why) => Err(io::Error::other(format!(
            "{} cannot be moved: {why}",
            moved.name
        ))),
    }
}

/// Does what remains after a commit.
pub(super) fn finish<D: Disk>(
    disk: &D,
    refs: &dyn Refs,
    folder: &Folder<D>,
    journal: &Journal,
) -> Result<(), ApplyError> {
    Case::new(disk, refs, folder).finish(journal)
}

/// The locks of a transaction that has no journal to list them.
fn release_noted<D: Disk>(disk: &D, folder: &Folder<D>) -> io::Result<()> {
    let noted = folder.noted_locks(disk)?;
    let noted: Vec<HeldLock> = serde_json::from_slice(&noted).unwrap_or_default();
    locks::release(disk, &noted)
}
