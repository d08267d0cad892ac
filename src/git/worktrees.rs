//! The worktrees of a repository, according to its own records.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use crate::model::Foreign;
use crate::world::files::Files as _;
use crate::world::git::{GitError, Worktree};
use crate::world::real_files::RealFiles;

use super::config::{LocalConfig, is_off};
use super::error;
use super::open::{self, Opened};

/// All worktrees, the main one first, the others by name. A bare repository stands for its main one and has no
/// branch checked out, whatever its HEAD names.
pub(super) fn list(opened: &Opened) -> Result<Vec<Worktree>, GitError> {
    let common = &opened.common_dir;
    // Not that of libgit2, which reads a linked worktree's own settings in place of these.
    let config = LocalConfig::of_work_tree(common, common)?;
    let is_bare = config.get("core.bare").is_some_and(|value| !is_off(value));
    let (branch, head) = head_of(opened, common);
    let branch = branch.filter(|_| !is_bare);
    let mut found = vec![Worktree {
        path: main_path(opened),
        branch,
        head,
        main: true,
        locked: false,
        prunable: false,
    }];
    let place = error::place(common, "worktrees")?;
    for entry in RealFiles.list(&place).unwrap_or_default() {
        let git_dir = common.join("worktrees").join(&entry.name);
        if let (true, Ok(named)) = (entry.is_dir, open::read_line(&git_dir, "gitdir")) {
            found.push(linked(opened, &git_dir, &named));
        }
    }
    Ok(found)
}

fn main_path(opened: &Opened) -> PathBuf {
    match (&opened.work_tree, opened.linked) {
        (Some(top), false) => top.clone(),
        _ if opened.common_dir.file_name() == Some(OsStr::new(".git")) => {
            let top = opened.common_dir.parent();
            top.unwrap_or(&opened.common_dir).to_owned()
        }
        _ => opened.common_dir.clone(),
    }
}

fn linked(opened: &Opened, git_dir: &Path, named: &Path) -> Worktree {
    let dot_git = git_dir.join(named);
    let path = dot_git.parent().unwrap_or(&dot_git).to_owned();
    // A folder whose `.git` names another repository is not this worktree, whatever the record says.
    let back = open::gitdir_of(&dot_git).and_then(|back| RealFiles.canonical(&back));
    let ours = RealFiles.canonical(git_dir);
    let (branch, head) = head_of(opened, git_dir);
    Worktree {
        path: RealFiles.canonical(&path).unwrap_or(path),
        branch,
        head,
        main: false,
        locked: rustix::fs::lstat(git_dir.join("locked")).is_ok(),
        prunable: back.is_none() || back != ours,
    }
}

/// Branch and commit of a git directory's own HEAD.
fn head_of(opened: &Opened, git_dir: &Path) -> (Option<Foreign>, Option<String>) {
    let Ok(line) = open::read_line(git_dir, "HEAD") else {
        return (None, None);
    };
    let line = line.as_os_str().as_bytes();
    let Some(name) = line.strip_prefix(b"ref:").map(<[u8]>::trim_ascii) else {
        let id = std::str::from_utf8(line).ok().map(str::to_owned);
        return (
            None,
            id.filter(|id| git2::Oid::from_str(id).is_ok() && id.len() == 40),
        );
    };
    let tip = std::str::from_utf8(name)
        .ok()
        .and_then(|name| opened.repo.refname_to_id(name).ok())
        .map(|id| id.to_string());
    (name.strip_prefix(b"refs/heads/").map(Foreign::from), tip)
}
