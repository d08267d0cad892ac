//! Applies one plan to one project: takes the locks, recovers what an earlier crash left, runs the transaction.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use chrono::{DateTime, FixedOffset, Utc};

use super::crash::{self, Ended};
use super::disk::{Disk, FileKind, Identity};
use super::draft::{Change, Draft};
use super::each::each;
use super::error::ApplyError;
use super::exchange::BaseKind;
use super::folder::{Folder, Mark};
use super::home::{Home, Seat};
use super::journal::Journal;
use super::preflight::{Preflight, because};
use super::recording;
use super::refs::Refs;
use super::stage::SlotFolder;
use super::transaction::{Recheck, Transaction, check_cancel};
use crate::foreign;
use crate::model::{Cancel, Foreign, StageProgress};
use crate::text::Clean;
use crate::text::format::{count_of, shell_line_within, time_full};

/// The width at which the command of a lock's holder is cut.
const WIDTH: usize = 80;

/// What a plan is applied to.
pub struct Context<'a, D: Disk> {
    /// The disk.
    pub disk: &'a D,
    /// References.
    pub refs: &'a dyn Refs,
    /// The canonical state folder.
    pub state: &'a Path,
    /// The canonical root of the project.
    pub root: &'a Path,
    /// The common git directory of the project's repository.
    pub common_dir: Option<&'a Path>,
    /// The user's id.
    pub me: u32,
    /// The clock.
    pub now: DateTime<FixedOffset>,
    /// Cancels it, as long as it can be cancelled.
    pub cancel: &'a Cancel,
}

/// A project whose locks are held, with nothing pending. Dropping this releases the locks.
pub struct Session<'a, D: Disk> {
    context: &'a Context<'a, D>,
    home: Home<D>,
    /// What was recovered after an earlier crash, a sentence each.
    pub notes: Vec<Foreign>,
    /// The line in the ledger of an interrupted record that was finished first; empty if it was undone.
    pub(super) finished_record: Option<Vec<u8>>,
    _locks: Vec<D::Lock>,
}

impl<'a, D: Disk> Session<'a, D> {
    /// Takes the locks and recovers what an earlier crash left.
    pub fn begin(context: &'a Context<'a, D>) -> Result<Self, ApplyError> {
        let mut session = Self::lock(context)?;
        let ids = session.home.ids(context.disk);
        for name in ids.map_err(|e| unready(context.state, &e))? {
            let found = context.disk.look(&session.home.dir, OsStr::new(&name));
            let found = found.map_err(|e| unready(context.state, &e))?;
            if found.is_none_or(|node| node.kind != FileKind::Dir) {
                continue;
            }
            let recovered = session.recover_one(&name, &[]);
            let notes = recovered.map_err(|error| session.with_notes(error))?;
            if !notes.is_empty() {
                session.notes.extend(notes);
                // The recovery could not be cancelled; the following steps can.
                context.cancel.open();
            }
        }
        Ok(session)
    }

    /// Takes the locks and recovers nothing.
    pub fn lock(context: &'a Context<'a, D>) -> Result<Self, ApplyError> {
        let disk = context.disk;
        check_cancel(context.cancel)?;
        let failed = |error: &std::io::Error| unready(context.state, error);
        let dir = disk.root(context.root).map_err(|e| failed(&e))?;
        let id = disk.node(&dir).map_err(|e| failed(&e))?.id;
        let home = Home::make(disk, context.state, (id, context.root), context.me);
        Self::hold(context, home.map_err(|e| failed(&e))?, Some(id))
    }

    /// Takes the locks of a project by its folder, whether its root still exists or not, and recovers nothing.
    pub fn lock_home(context: &'a Context<'a, D>, home: Home<D>) -> Result<Self, ApplyError> {
        check_cancel(context.cancel)?;
        let root = context.disk.root(context.root);
        let id = root.and_then(|dir| context.disk.node(&dir));
        Self::hold(context, home, id.ok().map(|node| node.id))
    }

    fn hold(
        context: &'a Context<'a, D>,
        home: Home<D>,
        root: Option<Identity>,
    ) -> Result<Self, ApplyError> {
        let disk = context.disk;
        let failed = |error: &std::io::Error| unready(context.state, error);
        let mut locks = Vec::new();
        let lock = home.lock(disk).map_err(|e| failed(&e))?;
        locks.push(lock.ok_or_else(|| held(disk, &home, root))?);
        // If the root no longer exists, no other process can work on it by another path.
        if let Some(id) = root {
            let project = home.project_lock(disk, id).map_err(|e| failed(&e))?;
            let project = project.ok_or_else(|| held(disk, &home, root))?;
            let (me, since) = (std::process::id(), time_full(context.now));
            let who = format!("process {me} ({}) since {since}\n", command());
            // For people only: nothing depends on this text.
            let _ignored = disk.sign(&project, who.as_bytes());
            locks.push(project);
        }
        let finished_record = recording::finish(disk, &home).map_err(|e| failed(&e))?;
        Ok(Self {
            context,
            home,
            finished_record,
            notes: Vec::new(),
            _locks: locks,
        })
    }

    /// Whether an interrupted record was ended first: true if it was finished, false if it was undone.
    pub fn ended_record(&self) -> Option<bool> {
        self.finished_record.as_ref().map(|line| !line.is_empty())
    }

    /// The same in a sentence.
    pub fn record_note(&self) -> Option<Foreign> {
        let done = if self.ended_record()? {
            "finished"
        } else {
            "undone"
        };
        Some(format!("An interrupted record of the same project is {done}.").into())
    }

    /// Recovers one transaction if it is pending. Paths at or under those in `keep` stay as they are. Returns what
    /// was done, a sentence each. It cannot be cancelled once it has begun.
    pub fn recover_one(&self, name: &str, keep: &[PathBuf]) -> Result<Vec<Foreign>, ApplyError> {
        let disk = self.context.disk;
        let failed = |error: &std::io::Error| unready(self.context.state, error);
        let folder = Folder::open(disk, &self.home.dir, name).map_err(|e| failed(&e))?;
        let state = crash::state(disk, &folder).map_err(|e| failed(&e))?;
        if state.has_ended() {
            return Ok(Vec::new());
        }
        if !self.context.cancel.commit() {
            return Err(ApplyError::cancelled());
        }
        let ended = crash::recover_keeping(disk, self.context.refs, &folder, keep)?;
        let left = crash::skipped_paths(disk, &folder);
        let said = match ended {
            Ended::Finished => format!("The interrupted recovery {name} was finished."),
            Ended::RolledBack if left.is_empty() => {
                format!("The interrupted recovery {name} was rolled back; every file is as before.")
            }
            Ended::RolledBack => {
                let paths = count_of(left.len(), "path stays as it is", "paths stay as they are");
                format!("The interrupted recovery {name} was rolled back; {paths}.")
            }
            Ended::HalfApplied => {
                format!("The interrupted recovery {name} is left half-applied.")
            }
            Ended::Untouched => {
                // Its record stays for the history, if it has a complete one.
                let ended = if folder.is_begun(disk).map_err(|e| failed(&e))? {
                    crash::drop_staged(disk, &folder)
                        .and_then(|()| folder.set(disk, Mark::RolledBack))
                } else {
                    crash::discard(disk, &self.home.dir, &folder)
                };
                ended.map_err(|e| failed(&e))?;
                format!("The interrupted recovery {name} had changed nothing.")
            }
        };
        let mut said = vec![said.into()];
        said.extend(left.into_iter().map(|one| one.text));
        Ok(said)
    }

    /// Adds what was completed first to a cancellation.
    pub fn with_notes(&self, error: ApplyError) -> ApplyError {
        let done = self.record_note().into_iter();
        let done: Vec<Foreign> = done.chain(self.notes.iter().cloned()).collect();
        error.after(&done)
    }

    /// The folder of the project's transactions.
    pub fn home(&self) -> &Home<D> {
        &self.home
    }

    /// Applies a draft.
    pub fn run(
        &self,
        id: &str,
        fingerprint: &str,
        record: &[u8],
        draft: &Draft,
        recheck: &Recheck<'_>,
        progress: &(dyn Fn(StageProgress) + Sync),
    ) -> Result<Journal, ApplyError> {
        let slots = |base: usize, folder: &Folder<D>| self.slots(base, folder, draft);
        let git_dirs = self.git_dirs(draft)?;
        let transaction = Transaction {
            me: self.context.me,
            git_dirs: &git_dirs,
            disk: self.context.disk,
            refs: self.context.refs,
            home: &self.home.dir,
            home_path: &self.home.path,
            slots: &slots,
            recheck,
            progress,
            cancel: self.context.cancel,
        };
        transaction.run(id, fingerprint, record, draft)
    }

    /// The folder of slots for a base: on its mount, and outside every work tree.
    fn slots(
        &self,
        base: usize,
        folder: &Folder<D>,
        draft: &Draft,
    ) -> Result<Option<SlotFolder<D::Dir>>, ApplyError> {
        let disk = self.context.disk;
        let Some(base) = draft.bases.get(base) else {
            return Ok(None);
        };
        if base.kind == BaseKind::Slots {
            return Ok(None);
        }
        let files = draft
            .bases
            .iter()
            .filter(|base| base.kind == BaseKind::Files);
        let roots: Vec<PathBuf> = files.map(|base| base.path.clone()).collect();
        let path = self.home.path.join(&folder.name);
        let seat = Seat {
            disk,
            tx: &folder.name,
            dir: &folder.dir,
            path: &path,
            roots: &roots,
            me: self.context.me,
            brief: false,
        };
        let place = disk.root(&base.path).map_err(|e| unready(&base.path, &e))?;
        let slots = seat.slots_for(&place, self.context.common_dir, &base.path);
        slots.map(Some)
    }

    /// The identities of the git directories that a draft uses.
    fn git_dirs(&self, draft: &Draft) -> Result<Vec<Identity>, ApplyError> {
        let disk = self.context.disk;
        let locked = draft.lock.iter().map(PathBuf::as_path);
        let known = |dir: &Path| {
            let node = disk.root(dir).and_then(|dir| disk.node(&dir));
            node.map(|node| node.id).map_err(|e| unready(dir, &e))
        };
        locked.chain(self.context.common_dir).map(known).collect()
    }

    /// Checks the places of a draft before anything is staged, so that a refusal comes early.
    pub fn preflight(&self, draft: &Draft) -> Result<(), ApplyError> {
        let disk = self.context.disk;
        let git_dirs = self.git_dirs(draft)?;
        let preflight = Preflight {
            disk,
            tx: "",
            tx_dir: &self.home.dir,
            me: self.context.me,
            git_dirs: &git_dirs,
        };
        let mut roots: Vec<Option<(&Path, D::Dir)>> = Vec::new();
        for base in &draft.bases {
            let path = base.path.as_path();
            let files = base.kind == BaseKind::Files;
            let opened = files.then(|| disk.root(path)).transpose();
            let opened = opened.map_err(|e| unready(path, &e))?;
            roots.push(opened.map(|root| (path, root)));
        }
        let groups = draft.changes.chunk_by(|a, b| folder(a) == folder(b));
        let groups: Vec<&[Change]> = groups.collect();
        each(&groups, |group| {
            let Some((base, parent)) = group.first().map(folder) else {
                return Ok(());
            };
            let Some(Some((path, root))) = roots.get(base) else {
                return Ok(());
            };
            let dir = disk.dir(root, parent);
            for (at, change) in group.iter().enumerate() {
                let rel = &change.place.rel;
                let shown = path.join(rel);
                let checked = match (&dir, rel.file_name()) {
                    (Ok(dir), Some(name)) => {
                        // The path to the folder is checked once for all entries in it.
                        let above = (at == 0).then(|| preflight.outside_git(root, parent, &shown));
                        above
                            .unwrap_or(Ok(()))
                            .and_then(|()| preflight.outside_git(dir, name.as_ref(), &shown))
                            .and_then(|()| preflight.thawed(dir, Some(name), &shown))
                            .and_then(|()| preflight.owned(dir, name, &shown))
                    }
                    // A folder that does not exist yet can only be checked by its path.
                    (Err(_), _) | (_, None) => preflight.outside_git(root, rel, &shown),
                };
                checked.map_err(ApplyError::refused)?;
            }
            Ok(())
        })
        .map(drop)
    }
}

/// The folder that a change is made in: its base, and the path under it.
fn folder(change: &Change) -> (usize, &Path) {
    let parent = change.place.rel.parent();
    (change.place.base, parent.unwrap_or_else(|| Path::new("")))
}

/// A new id: the time to the millisecond, then four hex digits that distinguish two ids of one instant.
pub fn new_id(now: DateTime<FixedOffset>, salt: &[u8]) -> String {
    use sha2::Digest as _;
    let sum = sha2::Sha256::new()
        .chain_update(salt)
        .chain_update(now.timestamp_nanos_opt().unwrap_or_default().to_le_bytes())
        .chain_update(std::process::id().to_le_bytes())
        .finalize();
    let tail: String = crate::model::text::hex(&sum).chars().take(4).collect();
    format!(
        "{}-{tail}",
        now.with_timezone(&Utc).format("%Y%m%dT%H%M%S%3f")
    )
}

fn held<D: Disk>(disk: &D, home: &Home<D>, root: Option<Identity>) -> ApplyError {
    let holder = root.map(|root| home.holder(disk, root));
    let holder = Foreign::from(holder.unwrap_or_default());
    let holder = holder.lossy();
    let who = if holder.trim().is_empty() {
        "another relight"
    } else {
        holder.trim()
    };
    ApplyError::refused(format!("The project is locked by {who}."))
        .hint("Wait for it to end; nothing was changed.")
}

/// The command line of this process, as far as people need it.
fn command() -> String {
    let words = std::env::args_os().skip(1).map(OsString::into_vec);
    let words: Vec<_> = std::iter::once(b"relight".to_vec()).chain(words).collect();
    shell_line_within(&words, WIDTH).map_or_else(|| "relight".to_owned(), Clean::into_string)
}

fn unready(path: &Path, error: &std::io::Error) -> ApplyError {
    let why = because(error);
    ApplyError::failed(foreign!("Nothing was changed: {}: {}.", path, why), error)
}
