//! What a transaction is asked to do: plain data, computed from a plan or from the journal of the recovery that is
//! undone, before the places are read.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use super::disk::Digest;
use super::exchange::BaseKind;
use super::journal::RefMove;

/// A folder that contains changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftBase {
    /// Its kind.
    pub kind: BaseKind,
    /// Its canonical absolute path.
    pub path: PathBuf,
}

/// A path under a base.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Place {
    /// Index of the base in [`Draft::bases`].
    pub base: usize,
    /// The path relative to it, plain components.
    pub rel: PathBuf,
}

/// Content that is streamed, such as a blob of a checkpoint. Several threads may call it at once.
pub type Source = Arc<dyn Fn(&mut dyn io::Write) -> io::Result<()> + Send + Sync>;

/// The content of a new file.
#[derive(Clone)]
pub enum Content {
    /// These bytes.
    Bytes(Vec<u8>),
    /// The bytes that this writes.
    Source(Source),
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bytes(bytes) => write!(f, "{} bytes", bytes.len()),
            Self::Source(_) => f.write_str("source"),
        }
    }
}

/// Which permission bits a new file gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Those of the file it replaces, else 0644.
    Kept,
    /// Those of the file it replaces with the executable bits off, else 0644.
    Plain,
    /// Those of the file it replaces with an executable bit wherever it may be read, else 0755.
    Executable,
}

impl Mode {
    /// Permission bits of a new file: those of the file that it replaces, with the executable bits as wanted; without
    /// one, those that git would give it, under the umask.
    pub fn bits(self, old: Option<u32>, umask: u32) -> u32 {
        let kept = old.map(|old| old & 0o777);
        match self {
            Self::Kept => kept.unwrap_or(0o666 & !umask),
            Self::Plain => kept.map_or(0o666 & !umask, |kept| kept & !0o111),
            Self::Executable => kept.map_or(0o777 & !umask, |kept| kept | ((kept & 0o444) >> 2)),
        }
    }
}

/// What a place must hold afterwards.
#[derive(Debug, Clone)]
pub enum Want {
    /// A regular file.
    File {
        /// Its content.
        content: Content,
        /// Its permission bits.
        mode: Mode,
    },
    /// A symbolic link.
    Link {
        /// Its target, as written.
        target: Vec<u8>,
    },
    /// A directory; its content has changes of its own.
    Dir,
    /// Nothing: what is there becomes a backup.
    Nothing,
    /// The content of another place, which gets the content of this one in return: the slot of an undo, or the empty
    /// place that something is moved to.
    With(Place),
}

/// What the plan expects at a place before a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expect {
    /// No expectation.
    Anything,
    /// The place is empty.
    Nothing,
    /// The place is not empty.
    Something,
    /// The place holds something other than a folder.
    NoFolder,
    /// A file or link with this digest.
    Digest(Digest),
}

/// One change.
#[derive(Debug, Clone)]
pub struct Change {
    /// The place.
    pub place: Place,
    /// What it must hold afterwards.
    pub want: Want,
    /// What it must hold now.
    pub expect: Expect,
}

/// Lines for a log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DraftAppend {
    /// The log.
    pub place: Place,
    /// The lines, each with its newline.
    pub block: Vec<u8>,
}

/// What a transaction is asked to do.
#[derive(Debug, Clone, Default)]
pub struct Draft {
    /// The folders that contain all changes.
    pub bases: Vec<DraftBase>,
    /// Changes of files.
    pub changes: Vec<Change>,
    /// Lines for logs.
    pub appends: Vec<DraftAppend>,
    /// References to move.
    pub refs: Vec<RefMove>,
    /// Git directories whose index is locked during the transaction.
    pub lock: Vec<PathBuf>,
}

impl Draft {
    /// Adds the missing folders above every place that will hold something. If the plan removes a file in place of such
    /// a folder, the file is exchanged for the folder. The inner error is the path of a file that is in the way.
    /// `is_dir` says whether a place is a directory now; `None` if it is empty.
    pub fn make_way(
        &mut self,
        is_dir: &dyn Fn(&Place) -> io::Result<Option<bool>>,
    ) -> io::Result<Result<(), PathBuf>> {
        let mut at: HashMap<Place, usize> = HashMap::new();
        for (index, change) in self.changes.iter().enumerate() {
            at.insert(change.place.clone(), index);
        }
        let mut needed: Vec<Place> = Vec::new();
        for change in &self.changes {
            match &change.want {
                Want::Nothing => {}
                Want::With(other) => needed.extend([change.place.clone(), other.clone()]),
                Want::File { .. } | Want::Link { .. } | Want::Dir => {
                    needed.push(change.place.clone());
                }
            }
        }
        needed.extend(self.appends.iter().map(|append| append.place.clone()));
        let mut seen: HashSet<Place> = HashSet::new();
        for place in needed {
            for above in place.rel.ancestors().skip(1) {
                let above = Place {
                    base: place.base,
                    rel: above.to_owned(),
                };
                if above.rel.as_os_str().is_empty() || !seen.insert(above.clone()) {
                    continue;
                }
                match at
                    .get(&above)
                    .and_then(|index| self.changes.get_mut(*index))
                {
                    Some(change) => match change.want {
                        Want::Nothing => change.want = Want::Dir,
                        Want::Dir | Want::With(_) => {}
                        Want::File { .. } | Want::Link { .. } => return Ok(Err(above.rel)),
                    },
                    None => match is_dir(&above)? {
                        Some(true) => {}
                        Some(false) => return Ok(Err(above.rel)),
                        None => self.changes.push(Change {
                            place: above,
                            want: Want::Dir,
                            expect: Expect::Anything,
                        }),
                    },
                }
            }
        }
        Ok(Ok(()))
    }

    /// The index of a folder in the list; it is added if it is missing.
    pub fn base(&mut self, kind: BaseKind, path: PathBuf) -> usize {
        let base = DraftBase { kind, path };
        if let Some(at) = self.bases.iter().position(|known| *known == base) {
            return at;
        }
        self.bases.push(base);
        self.bases.len() - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn w11_a_new_file_has_the_mode_that_git_gives_it() {
        use Mode::{Executable, Kept, Plain};
        for (umask, plain, executable) in [
            (0o022, 0o644, 0o755),
            (0o002, 0o664, 0o775),
            (0o077, 0o600, 0o700),
            (0o027, 0o640, 0o750),
            (0o000, 0o666, 0o777),
        ] {
            assert_eq!(Kept.bits(None, umask), plain);
            assert_eq!(Plain.bits(None, umask), plain);
            assert_eq!(Executable.bits(None, umask), executable);
            // A replaced file keeps its own bits, whatever the umask.
            assert_eq!(Kept.bits(Some(0o100_751), umask), 0o751);
            assert_eq!(Plain.bits(Some(0o755), umask), 0o644);
            assert_eq!(Executable.bits(Some(0o640), umask), 0o750);
        }
    }
}
