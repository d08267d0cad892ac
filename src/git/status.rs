//! Uncommitted changes and ignored paths as git reports them. libgit2 can report both, but it blocks forever on a pipe
//! that is named like an ignore file, so relight walks the tree itself.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use git2::{Delta, DiffOptions, Index, Tree};

use crate::model::PathState;
use crate::world::files::{FileKind, Files as _};
use crate::world::git::{GitError, StatusKind, StatusPath};
use crate::world::real_files::RealFiles;

use super::config::OwnConfig;
use super::drift::{self, Rules, Source};
use super::index::{self, SKIP_WORKTREE};
use super::open::Opened;
use super::{error, history};

fn top(opened: &Opened) -> Result<&Path, GitError> {
    opened
        .work_tree
        .as_deref()
        .ok_or_else(|| GitError::Other("the repository has no work tree".to_owned()))
}

/// Uncommitted changes, sorted by path: differences between HEAD and the work tree, and between HEAD and the index.
/// Writes nothing and does not open submodules.
pub(super) fn list(opened: &Opened) -> Result<Vec<StatusPath>, GitError> {
    let work_tree = top(opened)?;
    let rules = base_rules(opened);
    let source = Source::own(opened, work_tree.to_owned());
    let repo = &opened.repo;
    let tree = match history::head(repo)? {
        Some(head) => Some(history::find(repo, &head.to_string())?.tree_id()),
        None => None,
    };
    let outcome = drift::as_git(&source, tree, rules)?;
    let index = index::read(opened)?;
    let mut found = BTreeMap::new();
    for path in outcome {
        let bytes = path.path.as_bytes();
        let entry = index::entry(&index, bytes);
        let sparse = |entry: &git2::IndexEntry| entry.flags_extended & SKIP_WORKTREE != 0;
        let (path, kind, on_disk) = match path.state {
            PathState::Missing if entry.as_ref().is_some_and(sparse) => continue,
            PathState::Modified => (bytes.to_vec(), StatusKind::Changed, true),
            PathState::Missing => (bytes.to_vec(), StatusKind::Changed, false),
            PathState::Created if entry.is_some() => (bytes.to_vec(), StatusKind::New, true),
            PathState::Created => (bytes.to_vec(), StatusKind::Untracked, true),
            PathState::NotCovered if entry.is_none() => {
                (with_slash(work_tree, bytes), StatusKind::Untracked, true)
            }
            PathState::NotCovered
            | PathState::Hidden
            | PathState::InTheWay
            | PathState::Ignored => continue,
        };
        found.insert(path, (kind, on_disk));
    }
    if let Some(id) = tree {
        repo.check_tree(id)?;
    }
    let tree = tree.map(|id| repo.find_tree(id)).transpose()?;
    for (path, kind) in staged(repo, tree.as_ref(), &index)? {
        // Added and deleted since, or ignored and added by force: only the disk can tell.
        let place = work_tree.join(OsStr::from_bytes(&path));
        let on_disk = || rustix::fs::lstat(&place).is_ok();
        let (known, _) = found.entry(path).or_insert_with(|| (kind, on_disk()));
        // A path that was added to the index counts as tracked.
        *known = kind.min(*known);
    }
    let found = found.into_iter();
    let paths = found.map(|(path, (kind, on_disk))| StatusPath {
        path: path.into(),
        kind,
        on_disk,
    });
    Ok(paths.collect())
}

/// A folder that git does not enter is listed with a slash.
fn with_slash(work_tree: &Path, path: &[u8]) -> Vec<u8> {
    let place = work_tree.join(OsStr::from_bytes(path));
    let is_dir = rustix::fs::lstat(&place).is_ok_and(|stat| {
        rustix::fs::FileType::from_raw_mode(stat.st_mode) == rustix::fs::FileType::Directory
    });
    [path, if is_dir { &b"/"[..] } else { b"" }].concat()
}

fn staged(
    repo: &git2::Repository,
    tree: Option<&Tree<'_>>,
    index: &Index,
) -> Result<Vec<(Vec<u8>, StatusKind)>, GitError> {
    let mut options = DiffOptions::new();
    options.ignore_submodules(true);
    let diff = repo.diff_tree_to_index(tree, Some(index), Some(&mut options))?;
    let paths = diff.deltas().filter_map(|delta| {
        let file = delta.new_file();
        let path = file.path_bytes().or_else(|| delta.old_file().path_bytes());
        let kind = if delta.status() == Delta::Added {
            StatusKind::New
        } else {
            StatusKind::Changed
        };
        Some((path?.to_vec(), kind))
    });
    Ok(paths.collect())
}

/// The person's own excludes, then the repository's.
fn base_rules(opened: &Opened) -> Rules {
    let config = opened.repo.config();
    let named = config.and_then(|config| config.get_path("core.excludesfile"));
    // The person's configuration may be newer than a pooled repository.
    let named = named
        .ok()
        .or_else(|| opened.own.get_or_init(OwnConfig::read).excludes.clone());
    let own = named.or_else(usual_excludes);
    let own = own.and_then(|path| drift::small(path.parent()?, path.file_name()?));
    let rules = own.map_or_else(Rules::default, |bytes| Rules::default().with(0, &bytes));
    drift::with_exclude(rules, &opened.common_dir)
}

fn usual_excludes() -> Option<PathBuf> {
    let config = std::env::var_os("XDG_CONFIG_HOME").filter(|path| !path.is_empty());
    let config = config.map(PathBuf::from).or_else(|| {
        let home = std::env::var_os("HOME")?;
        Some(PathBuf::from(home).join(".config"))
    });
    Some(config?.join("git/ignore"))
}

/// Whether git ignores a path. Tracked paths are never ignored, whatever the rules say.
pub(super) fn is_ignored(opened: &Opened, path: &Path) -> Result<bool, GitError> {
    let top = top(opened)?;
    let inside = beneath(top, path)?;
    let bytes = inside.as_os_str().as_bytes();
    if index::entry(&index::read(opened)?, bytes).is_some() {
        return Ok(false);
    }
    let mut rules = base_rules(opened);
    let mut above = PathBuf::new();
    let mut parts = inside.components().peekable();
    while let Some(part) = parts.next() {
        if let Some(bytes) = drift::small(top, above.join(".gitignore")) {
            let slash = usize::from(!above.as_os_str().is_empty());
            rules = rules.with(above.as_os_str().len() + slash, &bytes);
        }
        above.push(part);
        let is_dir = parts.peek().is_some() || {
            let stat = error::place(top, &above).map(|place| RealFiles.stat(&place));
            matches!(stat, Ok(Ok(stat)) if stat.kind == FileKind::Dir)
        };
        if rules.ignore(above.as_os_str().as_bytes(), is_dir) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn beneath(top: &Path, path: &Path) -> Result<PathBuf, GitError> {
    if path.is_relative() {
        return Ok(path.components().collect());
    }
    let outside = || GitError::Missing(path.to_string_lossy().into_owned());
    if let Ok(inside) = path.strip_prefix(top) {
        return Ok(inside.to_owned());
    }
    // The same place by another name, such as a temporary folder reached through a link.
    let parent = path.parent().and_then(|above| RealFiles.canonical(above));
    let (parent, name) = parent.zip(path.file_name()).ok_or_else(outside)?;
    let inside = parent.strip_prefix(top).ok().ok_or_else(outside)?;
    Ok(inside.join(name))
}
