//! Commits that the state file names and that are gone: the work was done, wherever it is now.

use crate::systems::mgw::facts::BranchFacts;
use crate::systems::mgw::facts::evidence::Look;
use crate::world::git::GitError;

/// How many digits of an id git needs to find a commit by it.
const SHORTEST: usize = 7;

impl Look<'_> {
    /// The first commit that the checkpoint names and no branch has, as far as git knows. What a rebase wrote again
    /// or relight's own rewind removed is not lost.
    pub(super) fn lost(&self, branch: &BranchFacts) -> Option<String> {
        let checkpoint = self.state.checkpoint()?;
        if checkpoint.rewound || branch.unread.is_some() {
            return None;
        }
        let has_own = branch.tip.is_some() && branch.ahead != Some(0);
        let mut ids = checkpoint.commits(true).filter_map(id);
        ids.find(|id| id.len() >= SHORTEST && self.is_lost(id, has_own))
    }

    fn is_lost(&self, id: &str, has_own: bool) -> bool {
        let (git, root) = (self.world.git(), &self.lookup.root);
        if self.commits.iter().any(|own| own.id.starts_with(id)) {
            return false;
        }
        match git.find_commit(root, id) {
            Ok(found) => {
                // A branch that went on since may have it under another id.
                let newer = self.commits.iter().any(|own| own.time >= found.time);
                !newer && git.is_on_branch(root, &found.id) == Ok(false)
            }
            // A rebase leaves commits that git removes after a while.
            Err(why) => matches!(why, GitError::Missing(_)) && !has_own,
        }
    }
}

/// The id at the start of what names a commit, shortened or not.
pub(crate) fn id(text: &str) -> Option<String> {
    let id = text.split_whitespace().next().unwrap_or_default();
    let is_id = id.len() >= 4 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then(|| id.to_ascii_lowercase())
}
