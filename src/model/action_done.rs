//! The counts of what actions did.

use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::change::is_directory;
use super::{
    Action, ActionKind, BranchMove, ChangeCounts, Clean, PathChange, PlanPath, Preview, above,
};
use crate::clean;
use crate::text::format::{clean_list, count, numbered};

/// What actions do or did: `2 rows removed from results.tsv and notes.md created`.
///
/// Two files of the same name have their directories, below the one that all targets are in. So has each file next to a
/// tree, which may have one of that name.
pub fn actions_done<'a>(actions: impl IntoIterator<Item = &'a Action>) -> Clean {
    let actions: Vec<&Action> = actions.into_iter().collect();
    let folder = actions.first().and_then(|first| {
        let mut above = first.target.ancestors().skip(1);
        above.find(|above| actions.iter().all(|it| it.target.starts_with(above)))
    });
    let each = actions.iter().map(|action| {
        let twin = |other: &&Action| {
            let same = other.target.file_name() == action.target.file_name();
            other.target != action.target && (same || other.kind.touches_tree())
        };
        let below = folder
            .filter(|_| !action.kind.touches_tree() && actions.iter().copied().any(|it| twin(&it)));
        let below = below.and_then(|folder| action.target.strip_prefix(folder).ok());
        match below {
            Some(path) => action_done(action, &Clean::from_bytes(path.as_os_str().as_bytes())),
            None => action.done(),
        }
    });
    clean_list(&each.collect::<Vec<Clean>>(), usize::MAX)
}

/// Said of files that get another mode or type, which their number alone does not show.
pub const REFORMED: &str = "with another mode or type";

impl Action {
    /// How many of its paths get another mode or type.
    pub fn reformed(&self) -> u64 {
        let paths = self.paths.iter();
        paths.filter(|path| path.forms.change()).count() as u64
    }

    /// What it did: `4 files in shop (3 modified, 1 restored)`.
    pub fn done(&self) -> Clean {
        action_done(self, &last_part(&self.target))
    }

    /// What happens to the one file of an action that lists no paths; `None` for the other kinds.
    pub fn change(&self) -> Option<PathChange> {
        let one = self.kind == ActionKind::ReplaceFile && self.paths.is_empty();
        one.then(|| match self.changes {
            Some(ChangeCounts { added: 1.., .. }) => PathChange::Create,
            Some(ChangeCounts { removed: 1.., .. }) => PathChange::Remove,
            Some(_) => PathChange::Write,
            None => self.preview.change(),
        })
    }

    /// True for a path that is a file and changes. The others are only listed, and a directory comes or goes with the
    /// files in it.
    pub fn changes_file(&self, path: usize) -> bool {
        let change = self.paths.get(path).map(|path| path.change);
        change.is_some_and(PathChange::touches) && !self.is_directory(path)
    }

    /// True for a path with others beneath it that change in the same way.
    pub fn is_directory(&self, path: usize) -> bool {
        is_directory(&self.paths, path)
    }

    /// The outermost directory among the paths that this one is in; without one, itself.
    pub fn outermost(&self, path: usize) -> usize {
        let whole = self.paths.get(path);
        let whole = whole.map_or(&[][..], |path| path.path.as_bytes());
        let mut above = above(whole).filter_map(|above| {
            let found = |one: &PlanPath| one.path.as_bytes().cmp(above);
            self.paths.binary_search_by(found).ok()
        });
        above.find(|at| self.is_directory(*at)).unwrap_or(path)
    }

    /// What it does, for a person: the words of its outcome, before it is done.
    pub fn phrase(&self) -> &'static str {
        match self.change() {
            Some(PathChange::Create) => "create file",
            Some(PathChange::Remove) => "remove file",
            Some(PathChange::Write | PathChange::KeepNewer | PathChange::NotCovered) | None => {
                self.kind.phrase()
            }
        }
    }

    /// What was done to its one file, in a word.
    pub fn verb_done(&self) -> &'static str {
        match self.change().unwrap_or_else(|| self.preview.change()) {
            PathChange::Create => "created",
            PathChange::Remove => "removed",
            PathChange::Write | PathChange::KeepNewer | PathChange::NotCovered => "replaced",
        }
    }

    /// The branch that it moves.
    pub fn branch(&self) -> Option<BranchMove> {
        self.changes.and_then(|changes| changes.branch)
    }
}

fn action_done(action: &Action, name: &Clean) -> Clean {
    let counts = action.changes.filter(|_| action.change().is_none());
    if let Some(counts) = counts {
        let reset = |branch: BranchMove| clean!("the branch of {} reset{}", name, branch.commits());
        let branch = counts.branch.map(reset);
        let index = || clean!("the index of {} reset", name);
        return match (counts.files(), branch) {
            (0, branch) => branch.unwrap_or_else(index),
            (_, None) => files_done(action, counts, name),
            (_, Some(branch)) => clean!("{} with {}", files_done(action, counts, name), branch),
        };
    }
    // The record of a recovery has no rows, only backups, and no lines, only their number.
    match (action.kind, &action.preview) {
        (ActionKind::TruncateRows, Preview::Rows { removed, .. }) => {
            clean!("{} removed from {}", count(removed.len(), "row"), name)
        }
        (ActionKind::TruncateRows, _) => clean!("rows removed from {}", name),
        (ActionKind::AppendLines, Preview::Lines { appended, .. }) => {
            clean!("{} appended to {}", count(appended.len(), "line"), name)
        }
        (ActionKind::AppendLines, Preview::Appended { lines }) => {
            clean!("{} appended to {}", count(*lines, "line"), name)
        }
        (ActionKind::AppendLines, _) => clean!("lines appended to {}", name),
        (ActionKind::MoveAside, Preview::Rename { to }) => {
            clean!("{} moved to {}", name, last_part(to))
        }
        (ActionKind::MoveAside, _) => clean!("{} moved", name),
        (ActionKind::ReplaceFile | ActionKind::RestoreTree | ActionKind::ResetWorktree, _) => {
            clean!("{} {}", name, action.verb_done())
        }
    }
}

/// `4 files in shop (3 overwritten, 1 recreated, 1 with another mode or type)`.
fn files_done(action: &Action, counts: ChangeCounts, name: &Clean) -> Clean {
    let parts = [
        (counts.modified, "overwritten"),
        (counts.added, "recreated"),
        (counts.removed, "moved aside"),
        (action.reformed(), REFORMED),
    ];
    let files = count(counts.files(), "file");
    clean!("{} in {} ({})", files, name, numbered(parts).join(", "))
}

fn last_part(path: &Path) -> Clean {
    Clean::from_bytes(path.file_name().unwrap_or(path.as_os_str()).as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_comes_and_goes_with_its_files() {
        use PathChange::{Create, KeepNewer, Remove, Write};
        let path = |(name, change): (&str, PathChange)| PlanPath {
            path: name.into(),
            change,
            blob: None,
            forms: crate::model::Forms::default(),
            drifted: false,
        };
        let table = [
            ("new", Create),
            ("new/a", Create),
            ("src", Write),
            ("src/a", Remove),
            ("src/a-b", Remove),
            ("src/a/sub", Remove),
            ("src/a/sub/x.rs", Remove),
            ("src/c", Write),
            ("src/d", KeepNewer),
        ];
        let action = Action {
            kind: ActionKind::RestoreTree,
            target: "/projects/shop".into(),
            summary: "".into(),
            changes: None,
            paths: table.map(path).into(),
            preview: Preview::Kept { pairs: Vec::new() },
        };
        let of = |is: &dyn Fn(usize) -> bool| (0..9).filter(|at| is(*at)).collect::<Vec<_>>();
        assert_eq!(of(&|at| action.is_directory(at)), [0, 3, 5]);
        assert_eq!(of(&|at| action.changes_file(at)), [1, 2, 4, 6, 7]);
        assert_eq!([1, 2, 4, 6].map(|at| action.outermost(at)), [0, 2, 4, 3]);
    }

    #[test]
    fn a_branch_that_was_reset_is_named_beside_the_files_and_is_none() {
        let moved = |removed, restored| Some(BranchMove { removed, restored });
        for (removed, branch, said) in [
            (0, None, "the index of shop reset"),
            (0, moved(0, 0), "the branch of shop reset"),
            (
                0,
                moved(2, 0),
                "the branch of shop reset (2 commits removed)",
            ),
            (1, None, "1 file in shop (1 moved aside)"),
            (
                1,
                moved(1, 0),
                "1 file in shop (1 moved aside) with the branch of shop reset (1 commit removed)",
            ),
            (
                1,
                moved(0, 3),
                "1 file in shop (1 moved aside) with the branch of shop reset (3 commits restored)",
            ),
        ] {
            let action = Action {
                kind: ActionKind::ResetWorktree,
                target: "/projects/shop".into(),
                summary: "".into(),
                changes: Some(ChangeCounts {
                    removed,
                    branch,
                    ..ChangeCounts::default()
                }),
                paths: Vec::new(),
                preview: Preview::Kept { pairs: Vec::new() },
            };
            assert_eq!(actions_done([&action]).as_str(), said);
        }
    }

    #[test]
    fn files_of_one_name_are_told_apart() {
        let action = |kind, target: &str| Action {
            kind,
            target: target.into(),
            summary: "".into(),
            changes: None,
            paths: Vec::new(),
            preview: Preview::Kept { pairs: Vec::new() },
        };
        let file = |target| action(ActionKind::ReplaceFile, target);
        let tree = |target| Action {
            changes: Some(ChangeCounts {
                branch: Some(BranchMove::default()),
                ..ChangeCounts::default()
            }),
            ..action(ActionKind::ResetWorktree, target)
        };
        for (actions, said) in [
            (
                vec![file("/p/a/s.json"), file("/p/b/t.json")],
                "s.json removed and t.json removed",
            ),
            (
                vec![file("/p/.backup/s.json"), file("/p/s.json")],
                ".backup/s.json removed and s.json removed",
            ),
            (
                vec![file("/p/.backup/app/csv.py"), tree("/p/wt")],
                ".backup/app/csv.py removed and the branch of wt reset",
            ),
        ] {
            assert_eq!(actions_done(&actions).as_str(), said);
        }
    }
}
