//! Commits that the state file names and that are gone: the work was done, wherever it is now.

use crate::model::Foreign;
use crate::systems::mgw::facts::Facts;
use crate::systems::mgw::facts::evidence::Look;
use crate::systems::mgw::shape::Stage;
use crate::world::git::GitError;

/// How many digits of an id git needs to find a commit by it.
const SHORTEST: usize = 7;
/// How the full names of the branches of remotes begin.
const REMOTE: &[u8] = b"refs/remotes/";

/// A commit that the state file names and that was found on no local branch.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Lost {
    /// As the state file names it.
    pub(crate) id: String,
    /// The branch of a remote that has it, if any, such as `origin/issue/4-x`; the error is why nobody knows.
    pub(crate) remote: Result<Option<Foreign>, GitError>,
}

impl Look<'_> {
    /// The first such commit, as far as git knows. What a rebase wrote again or relight's own rewind removed is not
    /// lost, and of an issue that has its pull request nothing is looked for.
    pub(super) fn lost(&self, facts: &Facts) -> Option<Lost> {
        let (state, branch) = (self.state, &facts.branch);
        let checkpoint = state.checkpoint()?;
        let has_ended = matches!(state.stage(), Some(Stage::Done | Stage::PrCreated))
            || facts.is_archived()
            || !state.linked_prs().is_empty();
        if has_ended || branch.unread.is_some() {
            return None;
        }
        let has_own = branch.tip.is_some() && branch.ahead != Some(0);
        let named = checkpoint.commits(true, self.world.clock());
        let mut ids = named.filter_map(|(text, before)| id(text).filter(|_| !before));
        ids.find_map(|id| {
            let remote = self.remote_of(&id, has_own)?;
            Some(Lost { id, remote })
        })
    }

    /// Where a commit is that no local branch has; `None` if one has it, or if it may have been written again.
    fn remote_of(&self, id: &str, has_own: bool) -> Option<Result<Option<Foreign>, GitError>> {
        let (git, root) = (self.world.git(), &self.lookup.root);
        if id.len() < SHORTEST || self.commits.iter().any(|own| own.id.starts_with(id)) {
            return None;
        }
        match git.find_commit(root, id) {
            // A branch that went on since may have it under another id.
            Ok(found) if self.commits.iter().any(|own| own.time >= found.time) => None,
            Ok(found) => match git.branch_with(root, &found.id) {
                Ok(Some(name)) => name
                    .as_bytes()
                    .strip_prefix(REMOTE)
                    .map(|short| Ok(Some(short.into()))),
                Ok(None) => Some(Ok(None)),
                Err(why) => Some(Err(why)),
            },
            Err(GitError::NoCommit { .. } | GitError::NotARepository) => None,
            // A subject may begin like an id.
            Err(_) if !is_surely_id(id) => None,
            // A rebase leaves commits that git removes after a while.
            Err(GitError::Missing(_)) => (!has_own).then_some(Ok(None)),
            Err(why) => Some(Err(why)),
        }
    }
}

/// Whether this is no word or date: it is whole, or has digits and letters.
fn is_surely_id(id: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit();
    id.len() == 40 || (id.bytes().any(is_digit) && !id.bytes().all(is_digit))
}

/// The id at the start of what names a commit, shortened or not.
pub(crate) fn id(text: &str) -> Option<String> {
    let id = text.split_whitespace().next().unwrap_or_default();
    let is_id = id.len() >= 4 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_id.then(|| id.to_ascii_lowercase())
}
