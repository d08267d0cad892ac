//! Saved states of files that a resume point can be restored from.

use std::ffi::OsString;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::{Blob, Foreign, Forms, Stamp};
use crate::text::{format, stored};

/// Where a checkpoint's content is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum CheckpointKind {
    /// A commit in a shadow checkpoint store (crucible).
    Shadow {
        /// The bare git directory of the store.
        #[serde(with = "stored")]
        store: PathBuf,
    },
    /// A commit of the project's own repository.
    Commit {
        /// A work tree or git directory of that repository.
        #[serde(with = "stored")]
        repo: PathBuf,
    },
    /// A file kept beside the state it saves. Neither this nor a kind below is stored: no stored replay begins at one.
    #[serde(skip)]
    File {
        /// The kept file.
        path: PathBuf,
    },
    /// A folder kept beside the outputs it saves.
    #[serde(skip)]
    Folder {
        /// The kept folder.
        path: PathBuf,
    },
    /// A position in a state file itself: a row, a recorded step, an amendment with its old values.
    #[serde(skip)]
    Record {
        /// The file that holds the record.
        path: PathBuf,
    },
}

impl CheckpointKind {
    /// The repository with its commit; `None` where it is no commit.
    pub fn repository(&self) -> Option<&PathBuf> {
        match self {
            Self::Shadow { store: at } | Self::Commit { repo: at } => Some(at),
            Self::File { .. } | Self::Folder { .. } | Self::Record { .. } => None,
        }
    }
}

/// A saved state.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The full object id of a commit; else a word that is unique within the pipeline.
    pub id: String,
    /// Where it is.
    #[serde(flatten)]
    pub kind: CheckpointKind,
    /// What it was taken for: `pre-wave-2`, `end of round 1`.
    pub reason: Foreign,
    /// When it was taken.
    pub taken_at: Option<Stamp>,
    /// Who took it, or which record names it.
    pub source: Foreign,
    /// What it could restore, in a sentence.
    pub brings_back: Foreign,
    /// What it could not restore, a sentence each; empty where nothing is known to be missing.
    pub cannot: Vec<Foreign>,
    /// How far the work tree has moved from it; `None` until it was measured or where it cannot be.
    #[serde(skip)]
    pub drift: Option<Drift>,
}

impl Checkpoint {
    /// A saved state whose drift was not measured: who took it, what it could restore and what not.
    pub fn new(
        id: impl Into<String>,
        kind: CheckpointKind,
        reason: impl Into<Foreign>,
        taken_at: Option<Stamp>,
        [source, brings_back, cannot]: [&str; 3],
    ) -> Self {
        Self {
            id: id.into(),
            kind,
            reason: reason.into(),
            taken_at,
            source: source.into(),
            brings_back: brings_back.into(),
            cannot: vec![cannot.into()],
            drift: None,
        }
    }

    /// Whether relight took it for itself.
    pub fn is_own(&self) -> bool {
        self.source.as_bytes() == CHECKPOINT_SOURCE.as_bytes()
    }
}

/// The source of relight's own checkpoints.
pub const CHECKPOINT_SOURCE: &str = "relight";

/// A checkpoint that is to be taken.
#[derive(Debug, Clone, Default)]
pub struct CheckpointAsk {
    /// The pipeline: a path, a key of its system, or an id.
    pub pipeline: OsString,
    /// What it is taken for.
    pub reason: String,
    /// The phase that the pipeline is in.
    pub phase: Option<String>,
    /// Whether the work tree is kept too.
    pub tree: bool,
    /// Whether what git ignores, secrets and large files are kept with it.
    pub everything: bool,
}

/// What was left out of a work tree that was kept.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// Files and folders that git ignores.
    pub ignored: u64,
    /// `.env*` and key files.
    pub secret: u64,
    /// Files over 10 MiB.
    pub large: u64,
}

impl LeftOut {
    /// What was left out, for people; `None` where nothing was.
    pub fn said(&self) -> Option<String> {
        let kinds = [
            (self.ignored, "ignored by git"),
            (self.secret, "that may hold secrets"),
            (self.large, "too large"),
        ];
        let said = format::numbered(kinds);
        (!said.is_empty()).then(|| format::list(said))
    }

    /// The numbers of a text that [`std::fmt::Display`] wrote: the subject of a checkpoint's commit is all that is kept
    /// of them.
    pub fn read(text: &str) -> Option<Self> {
        let mut parts = text.split(", ");
        let mut number = |what| {
            let (number, of) = parts.next()?.split_once(' ')?;
            number.parse().ok().filter(|_| of == what)
        };
        Some(Self {
            ignored: number("ignored")?,
            secret: number("secret")?,
            large: number("large")?,
        })
    }
}

impl std::fmt::Display for LeftOut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self {
            ignored,
            secret,
            large,
        } = self;
        write!(f, "{ignored} ignored, {secret} secret, {large} large")
    }
}

/// A checkpoint that was taken.
#[derive(Debug, Clone)]
pub struct TakenCheckpoint {
    /// Its commit.
    pub id: String,
    /// The store that it is in.
    pub store: PathBuf,
    /// What it was taken for.
    pub reason: String,
    /// Who takes such checkpoints: relight, or the pipeline's own skill.
    pub source: String,
    /// The state files in it.
    pub state_files: Vec<PathBuf>,
    /// What was left out of its work tree; `None` where it holds none.
    pub left_out: Option<LeftOut>,
    /// True where one was taken less than a second before, so that this is that one.
    pub repeated: bool,
}

/// How far a work tree has moved from a checkpoint, in numbers of files.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Drift {
    /// Files whose bytes, type or executable bit differ.
    pub modified: u64,
    /// Files of the checkpoint that are no longer there.
    pub missing: u64,
    /// Files that were created after it and are not ignored.
    pub created: u64,
    /// Entries that the checkpoint cannot restore (nested repositories and what they hide, ignored files,
    /// over budget).
    pub not_covered: u64,
    /// Each path, in byte order.
    pub paths: Vec<DriftPath>,
}

impl Drift {
    /// The drift that these paths are, which are sorted. The row of what the project ignores counts for nothing.
    pub fn of(paths: Vec<DriftPath>) -> Self {
        let mut drift = Self::default();
        let mut before: Option<&[u8]> = None;
        for path in &paths {
            let count = match path.state {
                PathState::Modified => &mut drift.modified,
                PathState::Missing => &mut drift.missing,
                PathState::Created => &mut drift.created,
                PathState::Ignored => continue,
                // A folder in the way of a file gets no entry next to that file.
                PathState::InTheWay if before == Some(path.path.as_bytes()) => continue,
                PathState::NotCovered | PathState::Hidden | PathState::InTheWay => {
                    &mut drift.not_covered
                }
            };
            *count += 1;
            before = Some(path.path.as_bytes());
        }
        Self { paths, ..drift }
    }

    /// Of these directories alone, which are relative to the work tree; of all of it where there are none. What the
    /// project ignores stays one number for the whole tree.
    #[must_use]
    pub fn within(self, only: &[PathBuf]) -> Self {
        if only.is_empty() {
            return self;
        }
        let not_covered = self.not_covered;
        let whole = Self::of(self.paths);
        let ignored = not_covered.saturating_sub(whole.not_covered);
        let inside = |path: &DriftPath| {
            let own = path.path.as_path();
            path.state == PathState::Ignored || only.iter().any(|dir| own.starts_with(dir))
        };
        let mut drift = Self::of(whole.paths.into_iter().filter(inside).collect());
        drift.not_covered += ignored;
        drift
    }

    /// The paths that differ, are missing or are new.
    pub fn changed(self) -> impl Iterator<Item = Foreign> {
        let real = [PathState::Modified, PathState::Missing, PathState::Created];
        let paths = self.paths.into_iter();
        paths
            .filter(move |path| real.contains(&path.state))
            .map(|path| path.path)
    }

    /// The paths of the checkpoint that a nested repository or another mount hides.
    pub fn hidden(&self) -> impl Iterator<Item = &DriftPath> {
        let paths = self.paths.iter();
        paths.filter(|path| path.state == PathState::Hidden)
    }
}

/// What became of one path since the checkpoint.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PathState {
    /// There, but different.
    Modified,
    /// In the checkpoint, gone from the work tree.
    Missing,
    /// Created since.
    Created,
    /// Not covered by the checkpoint.
    NotCovered,
    /// In the checkpoint, but a nested repository or another mount is in its place or above it, so it cannot be
    /// restored. It differs, or it could not be compared.
    Hidden,
    /// In the place of something of the checkpoint, though it is not a file created after it: ignored, a pipe, or a
    /// folder where the checkpoint has a file. A folder carries the path of what belongs in its place.
    InTheWay,
    /// All paths that the project ignores, counted in one row.
    Ignored,
}

/// One path of a drift.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DriftPath {
    /// Path relative to the work tree, as bytes.
    pub path: Foreign,
    /// What became of it.
    pub state: PathState,
    /// What the checkpoint has for it, if anything.
    pub blob: Option<Blob>,
    /// What is there now, and what the checkpoint has, where that was looked at.
    pub forms: Forms,
    /// What a fingerprint takes for what is there: identity, times and the hash of its content; empty where nothing
    /// is there, `None` where it was not read.
    pub seen: Option<Vec<u8>>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_left_out_is_read_as_it_is_written() {
        let left_out = LeftOut {
            ignored: 3,
            secret: 0,
            large: 12,
        };
        assert_eq!(LeftOut::read(&left_out.to_string()), Some(left_out));
        for other in ["", "3 ignored", "3 ignored, 0 secret, x large", "nothing"] {
            assert_eq!(LeftOut::read(other), None, "{other}");
        }
    }
}
