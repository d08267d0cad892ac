//! The journal: everything that recovering a transaction needs, written and flushed before the first exchange. When it
//! is read again it is untrusted input: its checksum detects damage, and its paths are checked by the same rules as all
//! others.

use std::collections::HashMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::bytes::{Bytes, is_plain};
use super::disk::{Disk, Identity};
use super::exchange::{Base, BaseKind, Exchange, Known, Spot, holding};
use crate::model::path::is_git_dir;
use crate::model::text::hex;

/// The version of the format that is written. Version 1 is still read; it has digests as lists of numbers.
const FORMAT: u32 = 2;

/// The maximum size of a journal in bytes.
pub const CAP: u64 = 1 << 30;

/// A branch or other reference that is moved after the last batch, by compare-and-swap.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefMove {
    /// The git directory.
    pub git_dir: Bytes,
    /// Its full name.
    pub name: String,
    /// 40 hex before; `None` if it does not exist.
    pub old: Option<String>,
    /// 40 hex after; `None` if it is deleted.
    pub new: Option<String>,
}

/// Lines that are appended to a log after the commit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Append {
    /// Index of the base in [`Journal::bases`].
    pub base: usize,
    /// The folder, relative to the base.
    pub parent: Bytes,
    /// The name of the log in it.
    pub name: Bytes,
    /// The size of the log before, in bytes.
    pub before: u64,
    /// The lines, each with its newline.
    pub block: Bytes,
}

/// A lock file that makes git wait until the transaction has ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeldLock {
    /// The git directory.
    pub git_dir: Bytes,
    /// The text in its `index.lock`, by which relight recognizes its own lock.
    pub text: String,
}

/// The journal.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Journal {
    /// The version of the format.
    pub format: u32,
    /// The recovery.
    pub id: String,
    /// The fingerprint that was confirmed.
    pub fingerprint: String,
    /// The folders that contain the spots of all exchanges.
    pub bases: Vec<Base>,
    /// The renames, in batches.
    #[serde(rename = "tokens")]
    pub exchanges: Vec<Exchange>,
    /// The references to move after the last batch.
    pub refs: Vec<RefMove>,
    /// The lines to append after the commit.
    pub appends: Vec<Append>,
    /// The locks that are held.
    pub locks: Vec<HeldLock>,
    /// The line of the ledger, for a record.
    #[serde(default, skip_serializing_if = "no_bytes")]
    pub ledger: Bytes,
}

fn no_bytes(bytes: &Bytes) -> bool {
    bytes.0.is_empty()
}

/// Why a journal cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Damage {
    /// Its checksum does not match, or it is truncated.
    #[error("the journal is damaged")]
    Checksum,
    /// Another version of relight wrote it.
    #[error("the journal has format {0}, which this version of relight does not know")]
    Format(u32),
    /// It names a path that no plan could have named.
    #[error("the journal names a path that is not allowed")]
    Path,
    /// It exists and cannot be read.
    #[error("the journal cannot be read: {0}")]
    Unreadable(String),
}

impl Damage {
    /// What helps, as a sentence.
    pub fn cure(&self) -> Option<&'static str> {
        let of_other = matches!(self, Self::Format(_));
        of_other.then_some("Use the version of relight that made it.")
    }
}

impl Journal {
    /// A journal of this version.
    pub fn new(id: String, fingerprint: String) -> Self {
        Self {
            format: FORMAT,
            id,
            fingerprint,
            ..Self::default()
        }
    }

    /// How many of the person's paths it changes, how many of them were there before, and how many directories are moved
    /// as a whole. Git's index and logs that are appended to are none.
    pub fn paths(&self) -> (usize, usize, usize) {
        let kind = |spot: &Spot| self.bases.get(spot.base).map(|base| base.kind);
        let is_log = |spot: &Spot| {
            let mut logs = self.appends.iter();
            logs.any(|log| {
                (log.base, &log.parent, &log.name) == (spot.base, &spot.parent, &spot.name)
            })
        };
        let is_file = |known: Option<Known>| known.is_some_and(|known| !known.is_dir());
        let own = |one: &&Exchange| kind(&one.here) == Some(BaseKind::Files) && !is_log(&one.here);
        let is_path = |one: &&Exchange| is_file(one.here_had) || is_file(one.there_had);
        let all = self.exchanges.iter().filter(own);
        let (paths, folders): (Vec<_>, Vec<_>) = all.partition(is_path);
        let replaced = paths.iter().filter(|one| one.here_had.is_some());
        let holding = holding(&self.exchanges, &self.bases);
        let wholes = folders.iter();
        let wholes = wholes.filter(|one| !holding.contains(&one.here.path(&self.bases)));
        (paths.len(), replaced.count(), wholes.count())
    }

    /// The same journal with the current device numbers of its file systems. A reboot can change the number of a
    /// device, but not of an inode. A base that was replaced, or one old device that would get two new numbers, keeps
    /// the recorded number; opening it then fails.
    #[must_use]
    pub fn present<D: Disk>(mut self, disk: &D) -> Self {
        let mut now: HashMap<u64, Option<u64>> = HashMap::new();
        for base in &self.bases {
            let found = disk.root(&base.path.path()).and_then(|dir| disk.node(&dir));
            let Some(found) = found.ok().filter(|node| node.id.ino == base.id.ino) else {
                continue;
            };
            let dev = found.id.dev;
            let known = now.entry(base.id.dev).or_insert(Some(dev));
            *known = known.filter(|known| *known == dev);
        }
        let renumber = |id: &mut Identity| {
            if let Some(Some(dev)) = now.get(&id.dev) {
                id.dev = *dev;
            }
        };
        self.bases
            .iter_mut()
            .for_each(|base| renumber(&mut base.id));
        for exchange in &mut self.exchanges {
            renumber(&mut exchange.here.parent_id);
            renumber(&mut exchange.there.parent_id);
            let had = [&mut exchange.here_had, &mut exchange.there_had];
            had.into_iter()
                .flatten()
                .for_each(|known| renumber(&mut known.node.id));
        }
        self
    }

    /// The root of the project, as far as the journal tells. Used when the record is lost.
    pub fn root(&self) -> Option<PathBuf> {
        let files = self.bases.iter().find(|base| base.kind == BaseKind::Files);
        files
            .or_else(|| self.bases.first())
            .map(|base| base.path.path())
    }

    /// The batches, in order.
    pub fn batches(&self) -> impl Iterator<Item = Vec<&Exchange>> {
        let last = self.exchanges.iter().map(|exchange| exchange.batch).max();
        let count = last.map_or(0, |last| last + 1);
        (0..count).map(|batch| self.exchanges.iter().filter(|t| t.batch == batch).collect())
    }

    /// The bytes of the file: a line of JSON, and a line with its checksum.
    pub fn encode(&self) -> Result<Vec<u8>, serde_json::Error> {
        let mut bytes = serde_json::to_vec(self)?;
        let sum = hex(&Sha256::digest(&bytes));
        bytes.extend_from_slice(format!("\nEND {sum}\n").as_bytes());
        Ok(bytes)
    }

    /// Reads the bytes of a file.
    pub fn decode(bytes: &[u8]) -> Result<Self, Damage> {
        let end = memchr::memchr(b'\n', bytes).ok_or(Damage::Checksum)?;
        let (body, rest) = bytes.split_at(end);
        let sum = format!("\nEND {}\n", hex(&Sha256::digest(body)));
        if rest != sum.as_bytes() {
            return Err(Damage::Checksum);
        }
        // The format comes first: another one may have another shape, and is not damaged.
        let Version { format } = parsed(body)?;
        if !(1..=FORMAT).contains(&format) {
            return Err(Damage::Format(format));
        }
        let journal: Self = parsed(body)?;
        if journal.is_plain() {
            Ok(journal)
        } else {
            Err(Damage::Path)
        }
    }

    /// Whether a plan could contain every path: plain components under a listed base, none of them a git directory,
    /// and names of one component.
    fn is_plain(&self) -> bool {
        let folder = |bytes: &Bytes| bytes.0.is_empty() || is_plain(&bytes.path());
        let name = |bytes: &Bytes| {
            let plain = !bytes.0.is_empty() && !bytes.0.contains(&b'/') && !bytes.0.contains(&0);
            plain && bytes.0 != b"." && bytes.0 != b".." && !is_git_dir(&bytes.0)
        };
        let absolute = |bytes: &Bytes| bytes.0.first() == Some(&b'/') && !bytes.0.contains(&0);
        let mut spots = self.exchanges.iter().flat_map(|t| [&t.here, &t.there]);
        let spots = spots.all(|s| s.base < self.bases.len() && folder(&s.parent) && name(&s.name));
        let mut appends = self.appends.iter();
        let appends =
            appends.all(|a| a.base < self.bases.len() && folder(&a.parent) && name(&a.name));
        let bases = self.bases.iter().all(|base| absolute(&base.path));
        let locks = self.locks.iter().all(|lock| absolute(&lock.git_dir));
        let refs = self
            .refs
            .iter()
            .all(|r| absolute(&r.git_dir) && r.name.starts_with("refs/"));
        spots && appends && bases && locks && refs
    }
}

/// What every format of a journal has.
#[derive(Deserialize)]
struct Version {
    format: u32,
}

fn parsed<'a, T: Deserialize<'a>>(body: &'a [u8]) -> Result<T, Damage> {
    serde_json::from_slice(body).map_err(|_bad| Damage::Checksum)
}

#[cfg(test)]
mod tests;
