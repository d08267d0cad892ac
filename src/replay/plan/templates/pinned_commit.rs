//! The commit that all templates are pinned to (`--template-ref`).

use std::path::{Path, PathBuf};

use super::folder::Shelf;
use crate::foreign;
use crate::model::{EngineError, Result};
use crate::text::distinct;
use crate::world::World;
use crate::world::git::Git;

/// A commit of the templates' repository, and what it holds under their folders.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pin {
    /// The top of the repository's work tree.
    pub(super) top: PathBuf,
    /// 40 hex.
    pub(super) commit: String,
    /// Files of the commit, relative to the top.
    pub(super) paths: Vec<PathBuf>,
}

impl Pin {
    /// Resolves a git revision in the repository that the templates are in.
    pub(super) fn resolve(revision: &str, shelves: &[Shelf], world: &dyn World) -> Result<Self> {
        if !is_revision(revision) {
            let text = foreign!("“{}” is not a single git revision.", revision);
            return Err(EngineError::usage(text)
                .hint("Name a commit id, branch or tag, with ~N or ^N for an ancestor: HEAD~1."));
        }
        let Some(top) = shelves.iter().find_map(|shelf| shelf.top.clone()) else {
            let text = match shelves.first() {
                Some(shelf) => foreign!(
                    "The templates in {} are not in a git repository, so they cannot be pinned.",
                    &shelf.root
                ),
                None => "No templates were found, so none can be pinned.".into(),
            };
            let error = EngineError::refused(text);
            return Err(error.hint("Name a clone of the plugin with --templates DIR."));
        };
        let git = world.git();
        let commit = commit(git, &top, revision).ok_or_else(|| {
            EngineError::refused(foreign!("{revision} names no commit of {}.", &top))
                .hint("git log in that directory lists its commits.")
        })?;
        let inside = shelves
            .iter()
            .filter_map(|shelf| shelf.root.strip_prefix(&top).ok());
        let mut paths = Vec::new();
        for beneath in distinct(inside) {
            let found = git.tree_paths(&top, &commit, beneath).unwrap_or_default();
            let found = found.iter().map(|path| path.as_path().to_owned());
            paths.extend(found.filter(|path| path.extension().is_some_and(|end| end == "md")));
        }
        Ok(Self { top, commit, paths })
    }
}

/// The commit that a revision means: an id first, then `HEAD`, a branch, a tag, a branch of a remote, and an ancestor
/// of one of those.
fn commit(git: &dyn Git, top: &Path, revision: &str) -> Option<String> {
    let hex = revision.bytes().all(|byte| byte.is_ascii_hexdigit());
    if hex
        && (7..=40).contains(&revision.len())
        && let Ok(found) = git.find_commit(top, revision)
    {
        return Some(found.id);
    }
    if revision == "HEAD" {
        return git.repo(top).ok()?.head;
    }
    if let Ok(tip) = git.branch_tip(top, revision) {
        return Some(tip);
    }
    let named = ["tags", "remotes"].iter().find_map(|kind| {
        let named = git.log(top, &format!("refs/{kind}/{revision}"), None, 1);
        named.ok()?.first().map(|found| found.id.clone())
    });
    named.or_else(|| git.revision(top, revision).ok())
}

/// Whether a word can be the revision of one commit: no option, range, path of a file or search through history.
fn is_revision(word: &str) -> bool {
    let odd = |c: char| c.is_control() || c.is_whitespace() || ":?*[\\".contains(c);
    !(word.is_empty()
        || word.starts_with(['-', '/', '.', '^', '~'])
        || word.contains("..")
        || word.contains("^{/")
        || word.chars().any(odd))
}
