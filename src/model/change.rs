//! What happens to the paths of an action, and how many there are of each change.

use super::{Blob, Foreign, Forms};
use crate::string_enum;
use crate::text::format::count;

/// Numbers of files that a tree action changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChangeCounts {
    /// Files that get other content.
    pub modified: u64,
    /// Files that are restored where nothing is now.
    pub added: u64,
    /// Files that are removed (moved to the backups).
    pub removed: u64,
    /// The branch that moves with them, if one does.
    pub branch: Option<BranchMove>,
}

impl ChangeCounts {
    /// How many there are of each change.
    pub fn of(changes: impl IntoIterator<Item = PathChange>) -> Self {
        let mut counts = Self::default();
        for change in changes {
            match change {
                PathChange::Write => counts.modified += 1,
                PathChange::Create => counts.added += 1,
                PathChange::Remove => counts.removed += 1,
                PathChange::KeepNewer | PathChange::NotCovered => {}
            }
        }
        counts
    }

    /// How many files.
    pub const fn files(self) -> u64 {
        self.modified + self.added + self.removed
    }
}

/// The commits between the two tips of a branch that moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct BranchMove {
    /// Commits that leave the branch.
    pub removed: u64,
    /// Commits that come back to it.
    pub restored: u64,
}

impl BranchMove {
    /// The move back.
    #[must_use]
    pub const fn back(self) -> Self {
        Self {
            removed: self.restored,
            restored: self.removed,
        }
    }

    /// The commits that leave and come back: ` (2 commits removed)`; empty where they are unknown.
    pub fn commits(self) -> String {
        let sides = [(self.removed, "removed"), (self.restored, "restored")];
        let sides = sides.into_iter().filter(|(number, _)| *number > 0);
        let said = sides.map(|(number, word)| format!("{} {word}", count(number, "commit")));
        let said: Vec<String> = said.collect();
        if said.is_empty() {
            return String::new();
        }
        format!(" ({})", said.join(", "))
    }
}

string_enum! {
    /// What happens to one path.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
    pub enum PathChange {
        /// Gets other content.
        Write = "write",
        /// Restored where nothing is now.
        Create = "create",
        /// Moved to the backups.
        Remove = "remove",
        /// Created after the checkpoint, and kept.
        KeepNewer = "keep_newer",
        /// Not covered by the checkpoint, and unchanged.
        NotCovered = "not_covered",
    }
}

impl PathChange {
    /// True where the path is not as it was afterwards.
    pub fn touches(self) -> bool {
        match self {
            Self::Write | Self::Create | Self::Remove => true,
            Self::KeepNewer | Self::NotCovered => false,
        }
    }
}

/// One path of an action.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlanPath {
    /// Relative to the action's target.
    pub path: Foreign,
    /// What happens to it.
    pub change: PathChange,
    /// Its new content, if that comes from a git object.
    pub blob: Option<Blob>,
    /// What it is now and afterwards, where it changes.
    pub forms: Forms,
    /// True where the plan is an undo and this path has changed since.
    pub drifted: bool,
}

/// The paths that are no directory. An undo lists directories too, and a person counts files.
pub fn files_of(sorted: &[PlanPath]) -> impl Iterator<Item = &PlanPath> {
    let rows = sorted.iter().enumerate();
    let files = rows.filter(|(at, _)| !is_directory(sorted, *at));
    files.map(|(_, path)| path)
}

/// True for a path with others beneath it that change in the same way.
pub(super) fn is_directory(sorted: &[PlanPath], at: usize) -> bool {
    sorted.get(at).is_some_and(|path| {
        let inside = [path.path.as_bytes(), b"/"].concat();
        let before = |one: &PlanPath| one.path.as_bytes() < inside.as_slice();
        let next = sorted.get(sorted.partition_point(before));
        next.is_some_and(|one| {
            one.change == path.change && one.path.as_bytes().starts_with(&inside)
        })
    })
}

/// The directories above a path.
pub(crate) fn above(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    memchr::memchr_iter(b'/', path).filter_map(|at| path.get(..at))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_of_changed_files_is_no_file() {
        let row = |(path, change): (&str, PathChange)| PlanPath {
            path: path.into(),
            change,
            blob: None,
            forms: crate::model::Forms::default(),
            drifted: false,
        };
        let rows = [
            (".planning", PathChange::Create),
            (".planning/quick", PathChange::Create),
            (".planning/quick/PLAN.md", PathChange::Create),
            // A file takes the place of a directory.
            ("src", PathChange::Create),
            ("src-old", PathChange::Write),
            ("src/a.rs", PathChange::Remove),
        ];
        let counts = ChangeCounts::of(files_of(&rows.map(row)).map(|path| path.change));
        let counts = (counts.modified, counts.added, counts.removed);
        assert_eq!(counts, (1, 2, 1));
    }
}
