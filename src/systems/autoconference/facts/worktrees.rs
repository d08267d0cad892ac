//! The git worktrees of researchers, in the only mode that has them: metric conferences that allow changes of code.
//! They are found by branch, because no document has their paths; one that left its branch, by what git keeps of it.

mod away;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::text::Shown as _;
use crate::world::World;
use crate::world::git::StatusPath;

use super::State;
use crate::systems::autoconference::shape::Raw;

/// The branch that collects validated findings.
pub(crate) const BEST: &str = "conference/best";

/// The branch of a researcher.
pub(crate) fn branch(id: char) -> String {
    format!("conference/researcher-{id}")
}

/// The branch and worktree of a researcher.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Tree {
    /// The researcher.
    pub id: char,
    /// The commit its branch is at; `None` without such a branch, or if it cannot be read.
    pub tip: Option<String>,
    /// Its worktree, if it exists and has the branch checked out.
    pub path: Option<PathBuf>,
    /// Its worktree, if something else is checked out there: another branch, or a commit.
    pub away: Option<PathBuf>,
    /// Why the status of its worktree cannot be read, if it has one.
    pub unread: Option<String>,
}

impl Tree {
    /// Its worktree, whatever is checked out there.
    pub(crate) fn place(&self) -> Option<&Path> {
        self.path.as_deref().or(self.away.as_deref())
    }
}

/// git's facts about the researchers' worktrees.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) enum Trees {
    /// This conference should not have any.
    #[default]
    NotExpected,
    /// git gave no answer; why.
    Unasked(String),
    /// The answer.
    Known(Answer),
}

/// The researchers' worktrees, and their repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Answer {
    /// One entry for each researcher.
    pub trees: Vec<Tree>,
    /// The commit of `conference/best`.
    pub best: Option<String>,
    /// The branches that cannot be read, so that they may be there, with the reason.
    pub unread: BTreeMap<String, String>,
    /// The top of the repository.
    pub top: PathBuf,
    /// Its common git directory.
    pub common: PathBuf,
}

impl Trees {
    /// Asks git.
    pub(crate) fn look(raw: &Raw, state: &State, world: &dyn World) -> Self {
        if !raw.config.expects_worktrees() {
            return Self::NotExpected;
        }
        let git = world.git();
        let asked = git
            .repo(&raw.dir)
            .and_then(|facts| Ok((git.worktrees(&raw.dir)?, facts)));
        let (worktrees, facts) = match asked {
            Ok(answer) => answer,
            Err(why) => return Self::Unasked(why.to_string()),
        };
        let mut unread = BTreeMap::new();
        let mut tip = |name: &str| match git.branch_tip(&raw.dir, name) {
            Ok(tip) => Some(tip),
            Err(why) => {
                let why = why.is_unknown().then(|| (name.to_owned(), why.to_string()));
                unread.extend(why);
                None
            }
        };
        let on = |id: char| {
            let name = branch(id);
            let found = worktrees.iter().find(|w| {
                !w.main && !w.prunable && w.branch.as_ref().is_some_and(|b| *b == name.as_str())
            });
            Some((id, found?.path.clone()))
        };
        let ids = state.ids.iter().copied();
        let on_branch: BTreeMap<char, PathBuf> = ids.clone().filter_map(on).collect();
        let tree = |id: char| {
            let path = on_branch.get(&id).cloned();
            Tree {
                id,
                tip: tip(&branch(id)),
                unread: path.as_ref().and_then(|path| dirt(path, world).err()),
                path,
                away: away::of(id, &worktrees, &on_branch, world),
            }
        };
        Self::Known(Answer {
            trees: ids.map(tree).collect(),
            best: tip(BEST),
            unread,
            top: facts.work_tree.unwrap_or_else(|| raw.dir.clone()),
            common: facts.common_dir,
        })
    }

    /// The answer of git.
    pub(crate) fn answer(&self) -> Option<&Answer> {
        match self {
            Self::Known(answer) => Some(answer),
            Self::NotExpected | Self::Unasked(_) => None,
        }
    }

    /// The entries; none if git gave no answer.
    pub(crate) fn known(&self) -> &[Tree] {
        self.answer().map_or(&[], |answer| &answer.trees)
    }

    /// The commit of `conference/best`, if it is known.
    pub(crate) fn best(&self) -> Option<&str> {
        self.answer()?.best.as_deref()
    }

    /// The entry of a researcher.
    pub(crate) fn of(&self, id: char) -> Option<&Tree> {
        self.known().iter().find(|t| t.id == id)
    }

    /// Why the worktree of a researcher is neither reset nor known to be as it was, as a clause; `None` if it is, or if
    /// there is none.
    pub(crate) fn untouched(&self, id: char) -> Option<String> {
        if let Self::Unasked(why) = self {
            return Some(format!("git cannot list the worktrees: {why}"));
        }
        let (tree, branch) = (self.of(id)?, branch(id));
        if let Some(path) = &tree.away {
            return Some(format!("{} is not on {branch}", path.shown()));
        }
        let path = tree.path.as_ref()?.shown();
        if let Some(why) = &tree.unread {
            return Some(format!("{path} cannot be read: {why}"));
        }
        let lacks_tip = || {
            let why = self.answer()?.unread.get(&branch);
            Some(why.map_or_else(
                || format!("{branch} has no commit"),
                |why| format!("{branch} cannot be read: {why}"),
            ))
        };
        tree.tip.is_none().then(lacks_tip).flatten()
    }

    /// The worktree of a researcher that has its branch checked out.
    pub(crate) fn path(&self, id: char) -> Option<&Path> {
        self.of(id)?.path.as_deref()
    }
}

/// Uncommitted changes of tracked files and the number of untracked ones.
pub(crate) fn dirt(path: &Path, world: &dyn World) -> Result<(Vec<StatusPath>, usize), String> {
    let all = world.git().status(path).map_err(|why| why.to_string())?;
    let (untracked, tracked): (Vec<_>, Vec<_>) =
        all.into_iter().partition(StatusPath::is_untracked);
    Ok((tracked, untracked.len()))
}
