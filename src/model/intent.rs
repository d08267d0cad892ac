//! What a system says should be done at a boundary, before it is compiled into a plan.

use std::path::{Path, PathBuf};

use super::{Action, Check, ClockStyle, Foreign, Guard, Loss, PointId, TreeNeed};

/// One unit of work in the kept or redone table of a plan.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkItem {
    /// Its id: a dispatch's seq, a step, a stage.
    pub id: Foreign,
    /// What it was.
    pub label: Foreign,
    /// Its status or summary.
    pub detail: Foreign,
    /// Recorded working time, in seconds.
    pub duration_s: Option<u64>,
}

/// Ends the summary of a step with a clock. A summary is read in the plan and, when the time is in the file, in the
/// history: it must be true in both.
pub const DATED: &str = "A plan shows the time of writing as {now}.";

impl WorkItem {
    /// The recorded time of some work, in seconds: no work takes none. `None` where none of it is recorded.
    pub fn recorded_time(items: &[Self]) -> Option<u64> {
        if items.is_empty() {
            return Some(0);
        }
        let known = items.iter().filter_map(|item| item.duration_s);
        known.reduce(u64::saturating_add)
    }
}

/// One thing to be done on disk, as the system's rules want it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Restore the work tree to a commit of a shadow store.
    RestoreTree {
        /// The bare git directory of the shadow store.
        store: PathBuf,
        /// Full commit id.
        commit: String,
        /// The work tree.
        work_tree: PathBuf,
    },
    /// Reset a worktree, its index and its branch to a commit of its own repository.
    ResetWorktree {
        /// The worktree.
        worktree: PathBuf,
        /// Full commit id.
        commit: String,
    },
    /// Move the branch and the index of a worktree back to a commit, without changing its files.
    RewindBranch {
        /// The worktree.
        worktree: PathBuf,
        /// Full commit id.
        commit: String,
        /// The purpose.
        summary: Foreign,
    },
    /// Give a file new content (or create it).
    ReplaceFile {
        /// The file.
        path: PathBuf,
        /// Its content when the intent was made; `None` where it must not exist.
        expect: Option<Vec<u8>>,
        /// Its content afterwards.
        content: Vec<u8>,
        /// How the clock is written where the content says `{now}`; `None` where its bytes are exact.
        clock: Option<ClockStyle>,
        /// The purpose.
        summary: Foreign,
    },
    /// Append whole lines to a log.
    AppendLines {
        /// The log.
        path: PathBuf,
        /// Lines without their newline. `{now}` inside a line is filled with the clock when it is written.
        lines: Vec<String>,
        /// How the clock is written.
        clock: ClockStyle,
        /// The purpose.
        summary: Foreign,
    },
    /// Cut the last rows of a table.
    TruncateRows {
        /// The table.
        path: PathBuf,
        /// Its content when the intent was made.
        expect: Vec<u8>,
        /// How many bytes stay.
        keep_bytes: usize,
        /// The purpose.
        summary: Foreign,
    },
    /// Rename something out of the way.
    MoveAside {
        /// What is moved.
        from: PathBuf,
        /// Its new name; nothing may be there.
        to: PathBuf,
        /// The purpose.
        summary: Foreign,
    },
}

/// Everything a system says about resuming at one boundary.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Intent {
    /// Work that is kept.
    pub kept: Vec<WorkItem>,
    /// Work that will be done again.
    pub redone: Vec<WorkItem>,
    /// What would change on disk, in order.
    pub steps: Vec<Step>,
    /// Guards of this system alone; the common ones (liveness, branch, git state) are added by `recover::plan`.
    pub guards: Vec<Guard>,
    /// The work tree and branch that the tree steps need; `None` without tree steps.
    pub tree: Option<TreeNeed>,
    /// What is overwritten or not restored.
    pub losses: Vec<Loss>,
}

/// What a hand-off is computed from: the plan after the person's choices.
#[derive(Debug, Clone, Copy)]
pub struct Prospect<'a> {
    /// The point.
    pub point: &'a PointId,
    /// The checks.
    pub checks: &'a [Check],
    /// What will have been changed on disk.
    pub actions: &'a [Action],
    /// Work that stays done.
    pub kept: &'a [WorkItem],
    /// Work that will be done again.
    pub redone: &'a [WorkItem],
}

impl Prospect<'_> {
    /// The content that the plan gives a file; `None` if it does not replace it.
    pub fn content_of(&self, file: &Path) -> Option<&[u8]> {
        let mut actions = self.actions.iter();
        let action = actions.find(|action| action.target == file)?;
        action.preview.content()
    }
}

#[cfg(test)]
impl<'a> Prospect<'a> {
    /// A plan of which nothing is known yet but the point.
    pub(crate) fn new(point: &'a PointId, checks: &'a [Check]) -> Self {
        Self {
            point,
            checks,
            actions: &[],
            kept: &[],
            redone: &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_work_takes_no_time_and_unrecorded_work_an_unknown_one() {
        let item = |duration_s| WorkItem {
            id: "1".into(),
            label: "code".into(),
            detail: Foreign::default(),
            duration_s,
        };
        let table: [(&[Option<u64>], Option<u64>); 4] = [
            (&[], Some(0)),
            (&[None], None),
            (&[Some(2), None], Some(2)),
            (&[Some(2), Some(3)], Some(5)),
        ];
        for (durations, time) in table {
            let items: Vec<WorkItem> = durations.iter().copied().map(item).collect();
            assert_eq!(WorkItem::recorded_time(&items), time, "{durations:?}");
        }
    }
}
