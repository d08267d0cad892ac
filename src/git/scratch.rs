//! Repositories in folders that relight made: the demo's sandbox, the trees of replays, checkpoints and test worlds.
//!
//! The caller states everything: content, branch, time. No configuration of the person is used, no hook runs, no clock
//! is read, and no reflog is kept, so the same calls always give the same object ids. The identity is fixed.

mod files;
mod layout;
mod replica;
mod shadow;
mod snapshots;
mod tree;

use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use git2::{Oid, Repository};

use crate::model::PathRefusal;
use crate::text::Shown as _;

pub(super) use files::OWN_INDEX;
pub(super) use layout::is_own;
pub use replica::Replica;
pub use shadow::{Shadow, row_time};
pub use snapshots::{Snapshots, TreeAsk};

/// Why a scratch repository could not be built.
#[derive(Debug, thiserror::Error)]
pub enum ScratchError {
    /// An error of git.
    #[error("git: {text}")]
    Git {
        /// What it says.
        text: String,
        /// The error of the file system, where it says that there is no more room.
        full: Option<std::io::Error>,
    },
    /// A file could not be read or written.
    #[error("{}: {reason}", path.shown())]
    Io {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: std::io::Error,
    },
    /// A path that is not allowed in a repository.
    #[error("{path}: {why}")]
    Path {
        /// The path.
        path: String,
        /// Why not.
        why: PathRefusal,
    },
    /// An invalid name of a branch, commit or worktree.
    #[error("{0}")]
    Name(String),
}

impl ScratchError {
    fn git(text: String) -> Self {
        Self::Git { text, full: None }
    }

    /// The error of the file system, where it was one.
    pub fn io(&self) -> Option<&std::io::Error> {
        match self {
            Self::Io { reason, .. } => Some(reason),
            Self::Git { full, .. } => full.as_ref(),
            Self::Path { .. } | Self::Name(_) => None,
        }
    }
}

impl From<git2::Error> for ScratchError {
    fn from(error: git2::Error) -> Self {
        Self::Git {
            text: error.message().to_owned(),
            full: super::error::full(&error),
        }
    }
}

/// The content of a path in a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Content<'a> {
    /// A file with these bytes.
    File(&'a [u8]),
    /// An executable file.
    Executable(&'a [u8]),
    /// A symbolic link with this target.
    Link(&'a [u8]),
    /// The path is removed.
    Gone,
}

/// A repository with its work tree, or one linked worktree of it.
#[derive(Debug, Clone)]
pub struct Scratch {
    work_tree: PathBuf,
    git_dir: PathBuf,
    common_dir: PathBuf,
}

impl Scratch {
    /// Creates an empty repository in `dir`, with an unborn branch. The times of the git directory's own files are set
    /// to `at`.
    pub fn init(dir: &Path, branch: &str, at: DateTime<Utc>) -> Result<Self, ScratchError> {
        layout::make_dir(dir)?;
        let work_tree = layout::canonical(dir)?;
        let git_dir = work_tree.join(".git");
        layout::git_dir(&git_dir, branch, None)?;
        layout::age(&git_dir, at)?;
        Ok(Self {
            work_tree,
            common_dir: git_dir.clone(),
            git_dir,
        })
    }

    /// The top of the work tree.
    pub fn work_tree(&self) -> &Path {
        &self.work_tree
    }

    /// The git directory of this work tree.
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// The git directory that all worktrees share.
    pub fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// Commits to the branch of HEAD: each file with its new bytes, `None` to remove it. Writes objects and work tree,
    /// so that the work tree is clean afterwards. Returns the commit's id.
    pub fn commit(
        &self,
        files: &[(&str, Option<&[u8]>)],
        subject: &str,
        body: &str,
        at: DateTime<Utc>,
    ) -> Result<String, ScratchError> {
        let contents: Vec<(&[u8], Content<'_>)> = files
            .iter()
            .map(|(path, bytes)| (path.as_bytes(), bytes.map_or(Content::Gone, Content::File)))
            .collect();
        self.commit_contents(&contents, subject, body, at)
    }

    /// Commits with links, executables, and paths of any bytes.
    pub fn commit_contents(
        &self,
        files: &[(&[u8], Content<'_>)],
        subject: &str,
        body: &str,
        at: DateTime<Utc>,
    ) -> Result<String, ScratchError> {
        let repo = layout::open(&self.work_tree, &self.common_dir)?;
        let mut index = repo.index()?;
        for (path, content) in files {
            tree::put((&repo, &mut index), &self.work_tree, path, *content, at)?;
        }
        let tree = index.write_tree()?;
        index.write()?;
        let id = layout::commit_to_head(&repo, tree, &message(subject, body), at)?;
        Ok(id.to_string())
    }

    /// Sets a branch to a commit (40 hex), creating it if necessary. Does not change the work tree.
    pub fn branch(&self, name: &str, commit: &str) -> Result<(), ScratchError> {
        self.reference(&format!("refs/heads/{name}"), commit)
    }

    /// Sets any full reference name to a commit (40 hex).
    pub fn reference(&self, name: &str, commit: &str) -> Result<(), ScratchError> {
        let repo = layout::open(&self.work_tree, &self.common_dir)?;
        repo.reference(name, full_id(commit)?, true, "")?;
        Ok(())
    }

    /// Makes a local branch track `origin`'s branch of that name, which is at a commit (40 hex).
    pub fn track(&self, branch: &str, commit: &str) -> Result<(), ScratchError> {
        self.reference(&format!("refs/remotes/origin/{branch}"), commit)?;
        layout::append(
            &self.common_dir.join("config"),
            format!("[branch \"{branch}\"]\n\tremote = origin\n\tmerge = refs/heads/{branch}\n")
                .as_bytes(),
        )?;
        let repo = layout::open(&self.work_tree, &self.common_dir)?;
        if repo.find_remote("origin").is_err() {
            let section = "[remote \"origin\"]\n\turl = /nowhere\n\tfetch = +refs/heads/*:refs/remotes/origin/*\n";
            layout::append(&self.common_dir.join("config"), section.as_bytes())?;
        }
        Ok(())
    }

    /// Switches HEAD, index and work tree to a branch. Only for trees that this module has written: it replaces every
    /// tracked file. The files get the time of the branch's commit.
    pub fn checkout(&self, branch: &str) -> Result<(), ScratchError> {
        let repo = layout::open(&self.work_tree, &self.common_dir)?;
        let name = format!("refs/heads/{branch}");
        let commit = repo.find_reference(&name)?.peel_to_commit()?;
        repo.set_head(&name)?;
        let at = DateTime::from_timestamp(commit.time().seconds(), 0).unwrap_or_default();
        tree::replace(&repo, &self.work_tree, &commit.tree()?, at)
    }

    /// Detaches HEAD at its current commit.
    pub fn detach(&self) -> Result<(), ScratchError> {
        let repo = layout::open(&self.work_tree, &self.common_dir)?;
        let id = repo.head()?.peel_to_commit()?.id();
        repo.set_head_detached(id)?;
        Ok(())
    }

    /// Adds a linked worktree at `path` on a branch, which is created at HEAD's commit if it does not exist. Its files
    /// get the time `at`.
    pub fn worktree(
        &self,
        path: &Path,
        branch: &str,
        at: DateTime<Utc>,
    ) -> Result<Self, ScratchError> {
        let repo = layout::open(&self.work_tree, &self.common_dir)?;
        let name = format!("refs/heads/{branch}");
        if repo.find_reference(&name).is_err() {
            let tip = repo.head()?.peel_to_commit()?.id();
            repo.reference(&name, tip, false, "")?;
        }
        layout::make_dir(path)?;
        let work_tree = layout::canonical(path)?;
        let git_dir = layout::link_worktree(&self.common_dir, &work_tree, branch)?;
        let linked = Self {
            work_tree,
            git_dir,
            common_dir: self.common_dir.clone(),
        };
        let repo = layout::open(&linked.work_tree, &linked.common_dir)?;
        let tree = repo.head()?.peel_to_tree()?;
        tree::replace(&repo, &linked.work_tree, &tree, at)?;
        layout::age(&linked.git_dir, at)?;
        Ok(linked)
    }

    /// Sets the times of the git directory's own files, so that nothing in it looks recently written.
    pub fn age(&self, at: DateTime<Utc>) -> Result<(), ScratchError> {
        layout::age(&self.git_dir, at)
    }

    /// The commit that HEAD is at.
    pub fn head(&self) -> Result<String, ScratchError> {
        let repo: Repository = layout::open(&self.work_tree, &self.common_dir)?;
        Ok(repo.head()?.peel_to_commit()?.id().to_string())
    }
}

fn full_id(text: &str) -> Result<Oid, ScratchError> {
    if text.len() != 40 {
        return Err(ScratchError::Name(format!("`{text}` is no full object id")));
    }
    Ok(Oid::from_str(text)?)
}

fn message(subject: &str, body: &str) -> String {
    if body.is_empty() {
        format!("{subject}\n")
    } else {
        format!("{subject}\n\n{}\n", body.trim_end())
    }
}

#[cfg(test)]
mod tests;
