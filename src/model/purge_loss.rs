//! What is lost with the backups of recoveries, in the words of both front ends.

use std::path::PathBuf;

use super::{Recovery, RecoveryState, Reversal, short_id};
use crate::text::format::{count, list, list_first, plural, size};

/// How many files a sentence names.
const NAMED: usize = 8;

/// What is lost with the backups of recoveries. See [`recovery`](crate::docs::recovery).
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct PurgeLoss {
    /// Paths edited after a recovery, whose content is nowhere else since it was undone.
    pub only_copies: Vec<PathBuf>,
    /// How many hand-off files are deleted.
    pub handoffs: usize,
    /// The commits that only the recoveries keep.
    pub commits: Vec<LastCommits>,
}

/// Commits that left a branch, and that nothing but a recovery reaches.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LastCommits {
    /// The branch.
    pub branch: String,
    /// The last of them: where the branch was.
    pub tip: String,
    /// How many there are.
    pub count: usize,
}

impl LastCommits {
    /// What becomes of them, in a sentence, and how to keep them.
    fn said(&self) -> String {
        let (commits, are) = (count(self.count, "commit"), plural(self.count, "is", "are"));
        let them = plural(self.count, "it", "them");
        let (branch, tip) = (&self.branch, short_id(&self.tip));
        format!(
            "{commits} that {are} no longer on {branch}, up to {tip}, {are} on no other branch or tag: git will delete {them} unless one is made at {}.",
            self.tip
        )
    }
}

impl PurgeLoss {
    /// What will be lost with the backups of these recoveries, a sentence each, the worst last.
    pub fn before(&self, recoveries: &[Recovery]) -> Vec<String> {
        let mut lost = Vec::new();
        let handoffs = self.handoffs;
        if handoffs > 0 {
            lost.push(format!(
                "{} will be deleted; an agent whose prompt names {} can no longer read {}.",
                count(handoffs, "hand-off file"),
                plural(handoffs, "it", "one"),
                plural(handoffs, "it", "them"),
            ));
        }
        let half = recoveries.iter();
        for one in half.filter(|one| one.state == RecoveryState::HalfApplied) {
            lost.push(format!(
                "Recovery {} was left half-applied: its backups may be the only copies.",
                one.id
            ));
        }
        lost.extend(self.last_copies("will be deleted"));
        lost.extend(self.commits.iter().map(LastCommits::said));
        if !recoveries.is_empty() {
            let total: u64 = recoveries.iter().map(|one| one.kept_bytes).sum();
            let unable = unable(recoveries.iter(), "cannot be");
            let after = if unable.is_empty() { "" } else { " afterwards" };
            lost.push(format!(
                "{} of backups will be deleted{unable}{after}.",
                size(total)
            ));
        }
        lost
    }

    /// What was lost with the backups of these recoveries, a sentence each. `whole` is false where some were kept.
    pub fn after<'a>(
        &self,
        purged: impl Iterator<Item = &'a Recovery>,
        bytes: u64,
        whole: bool,
    ) -> Vec<String> {
        let unable = unable(purged, "can no longer be");
        let mut lost = vec![format!("Deleted {} of backups{unable}.", size(bytes))];
        if !whole {
            return lost;
        }
        let were = plural(self.only_copies.len(), "was deleted", "were deleted");
        lost.extend(self.last_copies(were));
        lost.extend(self.commits.iter().map(LastCommits::said));
        lost
    }

    /// The files whose only copy is deleted.
    fn last_copies(&self, go: &str) -> Option<String> {
        let names = self.only_copies.iter().map(|path| path.to_string_lossy());
        let copies = plural(names.len(), "copy", "copies");
        let names = list_first(names, NAMED);
        (!self.only_copies.is_empty()).then(|| {
            format!("The only {copies} of what was edited after the recovery {go}: {names}.")
        })
    }
}

/// What the purge of recoveries makes impossible: `; 1 recovery cannot be undone and 2 recoveries cannot be redone`.
fn unable<'a>(purged: impl Iterator<Item = &'a Recovery>, word: &str) -> String {
    let lost: Vec<Reversal> = purged.filter_map(Recovery::lost_by_purge).collect();
    let of_kind = [Reversal::Undo, Reversal::Redo].into_iter();
    let of_kind = of_kind.filter_map(|kind| {
        let number = lost.iter().filter(|one| **one == kind).count();
        let recoveries = count(number, "recovery");
        (number > 0).then(|| format!("{recoveries} {word} {}", kind.done()))
    });
    let text = list(of_kind);
    if text.is_empty() {
        text
    } else {
        format!("; {text}")
    }
}
