//! The state of a disk in memory, guarded by its lock.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io;
use std::sync::Arc;

use rustix::io::Errno;

use super::Promises;
use super::calls::SimDir;
use super::changes::Change;
use super::fault::{Faults, Verb};
use super::tree::{Body, Ino, Inode, MAIN_DEV, ROOT, Tree};

/// The two trees, the changes that are in only one of them, and the state of the simulation.
#[derive(Debug, Clone)]
pub(super) struct State {
    /// What every process sees.
    pub(super) now: Tree,
    /// What a power cut leaves at the least.
    pub(super) durable: Tree,
    /// Changes of entries that are in `now` and not in `durable`, oldest first.
    pub(super) pending: Vec<Arc<Change>>,
    /// Counts the times at which something was made or written.
    pub(super) clock: u64,
    /// Files that are locked.
    pub(super) locks: BTreeSet<(Ino, u64)>,
    /// The most bytes and inodes.
    pub(super) quota: Option<(u64, u64)>,
    pub(super) promises: Promises,
    pub(super) faults: Faults,
    pub(super) trace: Trace,
}

impl State {
    pub(super) fn new() -> Self {
        let mut tree = Tree::default();
        let root = Inode::new(
            Body::Dir(std::collections::BTreeMap::new()),
            0o755,
            MAIN_DEV,
            0,
        );
        tree.put(ROOT, Arc::new(root));
        Self {
            durable: tree.clone(),
            now: tree,
            pending: Vec::new(),
            clock: 0,
            locks: BTreeSet::new(),
            quota: None,
            promises: Promises::default(),
            faults: Faults::default(),
            trace: Trace::default(),
        }
    }

    pub(super) fn tick(&mut self) -> u64 {
        self.clock += 1;
        self.clock
    }

    /// The inode of an open directory. A directory that is gone stays open, and nothing is in it.
    pub(super) fn open(&self, dir: SimDir) -> io::Result<&Arc<Inode>> {
        let inode = self.now.get(dir.ino);
        let same = inode.filter(|inode| inode.birth == dir.birth);
        same.ok_or_else(|| Errno::NOENT.into())
    }

    /// The entry of a name in an open directory.
    pub(super) fn find(&self, at: SimDir, name: &OsStr) -> io::Result<Option<(Ino, &Arc<Inode>)>> {
        component(name)?;
        self.open(at)?;
        let ino = self.now.child(at.ino, name);
        Ok(ino.and_then(|ino| Some((ino, self.now.get(ino)?))))
    }

    /// The same, which must be there.
    pub(super) fn get(&self, at: SimDir, name: &OsStr) -> io::Result<(Ino, &Arc<Inode>)> {
        self.find(at, name)?.ok_or_else(|| Errno::NOENT.into())
    }

    /// The lowest number that is neither in use nor may come back after a power cut: what was removed stays in
    /// `now`, nameless, until it is collected.
    pub(super) fn free_number(&self) -> Ino {
        let mut number = ROOT + 1;
        while self.now.get(number).is_some() {
            number += 1;
        }
        number
    }

    /// Bytes and inodes that are left.
    pub(super) fn room(&self) -> (u64, u64) {
        let Some((bytes, inodes)) = self.quota else {
            return (1 << 40, u64::MAX);
        };
        let reachable = self.now.reachable();
        let files = reachable
            .iter()
            .filter_map(|ino| self.now.get(*ino)?.file());
        let used: u64 = files.map(|content| content.bytes.len() as u64).sum();
        let left = inodes.saturating_sub(reachable.len() as u64);
        (bytes.saturating_sub(used), left)
    }

    /// Frees the numbers of what no name leads to any more. Only where nothing is pending: a lost removal would
    /// bring an inode back.
    pub(super) fn collect(&mut self) {
        if self.pending.is_empty() {
            let mut keep = self.now.reachable();
            keep.extend(self.durable.reachable());
            self.now.retain(&keep);
            self.durable.retain(&keep);
        }
    }

    /// A new process on this disk.
    pub(super) fn restart(&mut self, why: &str) {
        self.locks.clear();
        self.faults = Faults::default();
        self.trace.say(why);
    }
}

/// Refuses what is not one name.
pub(super) fn component(name: &OsStr) -> io::Result<()> {
    let bytes = name.as_encoded_bytes();
    let one = !bytes.is_empty() && bytes != b"." && bytes != b"..";
    if !one || bytes.contains(&b'/') || bytes.contains(&0) {
        return Err(Errno::INVAL.into());
    }
    if bytes.len() > 255 {
        return Err(Errno::NAMETOOLONG.into());
    }
    Ok(())
}

/// The mutating calls so far. Branches share what is before them.
#[derive(Debug, Clone, Default)]
pub(super) struct Trace {
    pub(super) lines: Vec<Line>,
    pub(super) past: Option<Arc<Self>>,
}

/// One call, or a sentence.
#[derive(Debug, Clone)]
pub(super) enum Line {
    Call {
        step: u64,
        verb: Verb,
        on: Vec<(Ino, OsString)>,
        error: Option<String>,
    },
    Said(String),
}

impl Trace {
    pub(super) fn note(
        &mut self,
        step: u64,
        verb: Verb,
        on: &[(SimDir, &OsStr)],
        error: Option<&io::Error>,
    ) {
        let on = on.iter().map(|(dir, name)| (dir.ino, (*name).to_owned()));
        self.lines.push(Line::Call {
            step,
            verb,
            on: on.collect(),
            error: error.map(ToString::to_string),
        });
    }

    pub(super) fn say(&mut self, what: &str) {
        self.lines.push(Line::Said(what.to_owned()));
    }

    /// Puts what was noted in an `Arc`, so that branches share it.
    pub(super) fn freeze(&mut self) {
        if !self.lines.is_empty() {
            let lines = std::mem::take(&mut self.lines);
            let past = self.past.take();
            self.past = Some(Arc::new(Self { lines, past }));
        }
    }

    /// Writes the lines, the directories named as a tree has them.
    pub(super) fn write(&self, f: &mut impl fmt::Write, tree: &Tree) -> fmt::Result {
        if let Some(past) = &self.past {
            past.write(f, tree)?;
        }
        self.lines.iter().try_for_each(|line| match line {
            Line::Said(what) => writeln!(f, "--- {what}"),
            Line::Call {
                step,
                verb,
                on,
                error,
            } => {
                write!(f, "{step:4} {verb:?}")?;
                for (dir, name) in on {
                    match tree.path_of(*dir) {
                        Some(path) => write!(f, " {}", path.join(name).display())?,
                        None => write!(f, " #{dir}/{}", name.display())?,
                    }
                }
                let error = error.as_ref();
                writeln!(f, "{}", error.map(|e| format!(": {e}")).unwrap_or_default())
            }
        })
    }
}
