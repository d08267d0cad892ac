//! What a system says should be done at a boundary, before it is compiled into a plan.

use std::path::{Path, PathBuf};

use super::{
    Action, ActionKind, BranchMove, ChangeCounts, Check, ClockStyle, Foreign, Guard, Loss, PointId,
    Preview, TreeNeed,
};

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
    /// Its place on a clock in seconds, where others ran beside it: what ran at the same time takes that time once.
    pub span: Option<(i64, i64)>,
}

/// Ends the summary of a step with a clock. A summary is read in the plan and, when the time is in the file, in the
/// history: it must be true in both.
pub const DATED: &str = "A plan shows the time of writing as {now}.";

impl WorkItem {
    /// Work of which no time is recorded.
    pub fn new(
        id: impl Into<Foreign>,
        label: impl Into<Foreign>,
        detail: impl Into<Foreign>,
    ) -> Self {
        Self {
            id: id.into(),
            label: label.into(),
            detail: detail.into(),
            duration_s: None,
            span: None,
        }
    }

    /// The recorded time of some work, in seconds: no work takes none. `None` where none of it is recorded.
    pub fn recorded_time(items: &[Self]) -> Option<u64> {
        if items.is_empty() {
            return Some(0);
        }
        let known = || items.iter().filter(|item| item.duration_s.is_some());
        let alone = known().filter(|item| item.span.is_none());
        let alone = alone.filter_map(|item| item.duration_s);
        let beside = covered_seconds(known().filter_map(|item| item.span));
        known().next()?;
        Some(alone.fold(beside, u64::saturating_add))
    }
}

/// How many seconds lie in at least one of these spans.
pub fn covered_seconds(spans: impl IntoIterator<Item = (i64, i64)>) -> u64 {
    let mut spans: Vec<(i64, i64)> = spans.into_iter().collect();
    spans.sort_unstable();
    let (mut covered, mut end) = (0_u64, i64::MIN);
    for (from, to) in spans {
        let more = to.saturating_sub(from.max(end));
        covered = covered.saturating_add(u64::try_from(more).unwrap_or(0));
        end = end.max(to);
    }
    covered
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
    /// Any other change, which needs no look at a work tree.
    Change(Action),
}

impl Step {
    /// The change of a step that needs no look at a work tree; `None` where nothing would change: such an action would
    /// still need consent.
    pub fn change(&self) -> Option<&Action> {
        match self {
            Self::Change(action) if !action.preview.is_empty() => Some(action),
            Self::Change(_) | Self::RestoreTree { .. } | Self::ResetWorktree { .. } => None,
        }
    }

    /// What a step restores from git: the kind, the work tree, the repository with the commit, and the commit.
    pub fn tree(&self) -> Option<(ActionKind, &Path, &Path, &str)> {
        match self {
            Self::RestoreTree {
                store,
                commit,
                work_tree,
            } => Some((ActionKind::RestoreTree, work_tree, store, commit)),
            Self::ResetWorktree { worktree, commit } => {
                Some((ActionKind::ResetWorktree, worktree, worktree, commit))
            }
            Self::Change(_) => None,
        }
    }

    /// Give a file new content, or create it. `expect` is its content now; `None` where it must not exist. `clock` is how
    /// the clock is written where the content says `{now}`; `None` where its bytes are exact.
    pub fn replace_file(
        path: impl Into<PathBuf>,
        expect: Option<Vec<u8>>,
        content: Vec<u8>,
        clock: Option<ClockStyle>,
        summary: impl Into<Foreign>,
    ) -> Self {
        let preview = Preview::Content {
            before: expect,
            after: content,
            clock,
        };
        Self::of(ActionKind::ReplaceFile, path, preview, summary)
    }

    /// Append whole lines to a log, given without their newline. `{now}` inside a line is filled with the clock when it
    /// is written.
    pub fn append_lines(
        path: impl Into<PathBuf>,
        lines: Vec<String>,
        clock: ClockStyle,
        summary: impl Into<Foreign>,
    ) -> Self {
        let appended = lines.into_iter().map(Foreign::from).collect();
        let preview = Preview::Lines { appended, clock };
        Self::of(ActionKind::AppendLines, path, preview, summary)
    }

    /// Cut the last rows of a table with this content, so that as many bytes stay.
    pub fn truncate_rows(
        path: impl Into<PathBuf>,
        expect: Vec<u8>,
        keep_bytes: usize,
        summary: impl Into<Foreign>,
    ) -> Self {
        let gone = Foreign::from(expect.get(keep_bytes..).unwrap_or_default());
        let preview = Preview::Rows {
            removed: gone.lines().collect(),
            before: expect,
            keep_bytes,
        };
        Self::of(ActionKind::TruncateRows, path, preview, summary)
    }

    /// Rename something out of the way. Nothing may have the new name.
    pub fn move_aside(
        from: impl Into<PathBuf>,
        to: impl Into<PathBuf>,
        summary: impl Into<Foreign>,
    ) -> Self {
        let preview = Preview::Rename { to: to.into() };
        Self::of(ActionKind::MoveAside, from, preview, summary)
    }

    /// Move the branch and the index of a worktree back to a commit, given by its full id, without changing its files:
    /// that many commits leave the branch.
    pub fn rewind_branch(
        worktree: PathBuf,
        (commit, removed): (String, u64),
        summary: impl Into<Foreign>,
    ) -> Self {
        let preview = Preview::Tree {
            store: worktree.clone(),
            commit,
        };
        let branch = Some(BranchMove {
            removed,
            restored: 0,
        });
        Self::Change(Action {
            kind: ActionKind::ResetWorktree,
            target: worktree,
            summary: summary.into(),
            changes: Some(ChangeCounts {
                branch,
                ..ChangeCounts::default()
            }),
            paths: Vec::new(),
            preview,
        })
    }

    fn of(
        kind: ActionKind,
        target: impl Into<PathBuf>,
        preview: Preview,
        summary: impl Into<Foreign>,
    ) -> Self {
        Self::Change(Action {
            kind,
            target: target.into(),
            summary: summary.into(),
            changes: None,
            paths: Vec::new(),
            preview,
        })
    }
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
    /// The program that the configuration names for the system, if it names one. It may be the system's own client with
    /// other options.
    pub client: Option<&'a str>,
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
            client: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_work_takes_no_time_and_unrecorded_work_an_unknown_one() {
        let item = |duration_s| WorkItem {
            duration_s,
            ..WorkItem::new("1", "code", "")
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

    #[test]
    fn what_ran_at_the_same_time_takes_that_time_once() {
        for (spans, covered) in [
            (&[][..], 0),
            (&[(0, 5), (5, 8)], 8),
            (&[(3, 6), (0, 5)], 6),
            (&[(0, 9), (2, 3), (10, 12)], 11),
            (&[(4, 1)], 0),
        ] {
            assert_eq!(covered_seconds(spans.iter().copied()), covered, "{spans:?}");
        }
    }
}
