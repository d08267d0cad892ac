//! Finds out whether a directory is writable by writing in it: `access(2)` knows nothing of mounts, attributes and
//! security policies.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use super::{Preflight, about, because};
use crate::apply::disk::{Disk, FileKind};
use crate::apply::exchange::present;
use crate::model::Foreign;

/// The file in a transaction's folder that lists where its probes may be.
const PROBES: &str = "probes";

/// The most bytes that are read of it.
const CAP: u64 = 256 * 1024 * 1024;

/// An existing directory in which an entry will be renamed.
#[derive(Debug, Clone)]
pub struct Parent<D: Disk> {
    /// The directory.
    pub dir: D::Dir,
    /// The slots for its entries.
    pub slots: D::Dir,
    /// Its canonical path.
    pub path: PathBuf,
    /// The path of the slots if they are in a person's folder too, as for a move aside.
    pub slots_path: Option<PathBuf>,
}

/// The name of a transaction's probes.
pub fn probe_name(tx: &str) -> OsString {
    OsString::from(format!(".relight-probe-{tx}"))
}

impl<D: Disk> Preflight<'_, D> {
    /// Checks that each directory is writable and on the mount of its slots: an empty private file is created there,
    /// moved into the slots, and removed from them. Returns a sentence for each failure. A directory that is listed
    /// twice is checked once.
    pub fn writable(&self, parents: &[Parent<D>]) -> Vec<Foreign> {
        let mut seen = BTreeSet::new();
        let mut fresh = |parent: &&Parent<D>| match self.disk.node(&parent.dir) {
            Ok(node) => seen.insert(node.id),
            Err(_) => true,
        };
        let parents: Vec<&Parent<D>> = parents.iter().filter(&mut fresh).collect();
        let mut failed = Vec::new();
        let mut sound = Vec::new();
        for parent in parents {
            // First, because in an append-only directory a probe could be created but never removed.
            let looked = self
                .thawed(&parent.dir, None, &parent.path)
                .and_then(|()| self.one_mount(&parent.dir, &parent.slots, &parent.path));
            match looked {
                Ok(()) => sound.push(parent),
                Err(why) => failed.push(why),
            }
        }
        if sound.is_empty() {
            return failed;
        }
        if let Err(why) = self.announce(&sound) {
            let text = format!(
                "The recovery's own directory is not writable: {}.",
                because(&why)
            );
            return vec![Foreign::from(text)];
        }
        for parent in sound {
            if let Err(why) = self.probe(parent) {
                let why = because(&why);
                let text =
                    format!(" is not writable: {why}; make it writable, or leave out its paths.");
                failed.push(about(&parent.path, &text));
            }
        }
        failed
    }

    /// Lists where probes may be, durably, before the first one is created: after a crash, `sweep` removes them.
    fn announce(&self, parents: &[&Parent<D>]) -> io::Result<()> {
        let name = OsStr::new(PROBES);
        self.disk.remove_if_any(self.tx_dir, name)?;
        let paths: Vec<&[u8]> = parents
            .iter()
            .flat_map(|parent| std::iter::once(&parent.path).chain(&parent.slots_path))
            .map(|path| path.as_os_str().as_bytes())
            .collect();
        self.disk.put(self.tx_dir, name, 0o600, &paths.join(&0))?;
        self.disk.barrier(std::slice::from_ref(self.tx_dir))
    }

    fn probe(&self, parent: &Parent<D>) -> io::Result<()> {
        let name = probe_name(self.tx);
        let here = (&parent.dir, name.as_os_str());
        let there = (&parent.slots, name.as_os_str());
        drop(self.disk.create(here.0, here.1, 0o600)?);
        // An entry that moves within one directory needs no more than that.
        if self.disk.node(here.0)?.id == self.disk.node(there.0)?.id {
            return self.disk.remove(here.0, here.1);
        }
        if let Err(why) = self.disk.shift(here, there) {
            self.disk.remove(here.0, here.1)?;
            return Err(why);
        }
        self.disk.remove(there.0, there.1)
    }
}

/// Removes the probes that a crash left: empty files with the transaction's probe name. Returns the directories in
/// which one could not be removed. The list of probes stays; it does no harm.
pub fn sweep<D: Disk>(
    disk: &D,
    tx: &str,
    tx_dir: &D::Dir,
    slots: &[D::Dir],
) -> io::Result<Vec<PathBuf>> {
    let name = probe_name(tx);
    let gone = |dir: &D::Dir| -> io::Result<()> {
        match disk.look(dir, &name)? {
            Some(node) if node.kind == FileKind::File && node.size == 0 => disk.remove(dir, &name),
            Some(_) | None => Ok(()),
        }
    };
    slots.iter().try_for_each(gone)?;
    let Some(bytes) = present(disk.read(tx_dir, OsStr::new(PROBES), CAP))? else {
        return Ok(Vec::new());
    };
    let (mut left, mut dirs) = (Vec::new(), Vec::new());
    for path in bytes.split(|byte| *byte == 0).filter(|p| !p.is_empty()) {
        let path = PathBuf::from(OsString::from_vec(path.to_vec()));
        // In a directory that can no longer be opened, a probe cannot be removed either.
        if let Ok(dir) = disk.root(Path::new(&path)) {
            if gone(&dir).is_err() {
                left.push(path);
            }
            dirs.push(dir);
        }
    }
    // Even if no probe was found: an earlier removal may not be durable, a power cut could bring the file back, and
    // nothing looks for it after the transaction has ended.
    disk.barrier(&dirs)?;
    Ok(left)
}
