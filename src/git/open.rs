//! Finds and opens the repository of a directory.
//!
//! relight itself climbs to `.git`; libgit2 only opens the result and never searches. A `.git` that points elsewhere is
//! followed only if the other end points back.

use std::cell::Cell;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use git2::{Repository, RepositoryOpenFlags};
use rustix::fs::{CWD, Mode, OFlags, lstat, openat};

use crate::model::Place;
use crate::world::files::{FileKind, Files as _, ReadError};
use crate::world::git::GitError;
use crate::world::real_files::RealFiles;

use super::config::{LocalConfig, OwnConfig};
use super::objects::Repo;
use super::path_history::Walk;
use super::pool::Touched;
use super::{error, store};
use crate::text::Shown as _;
use crate::text::format::shell_path;

const LINE_CAP: u64 = 16 << 10;

/// An open repository with the locations of its parts.
pub(super) struct Opened {
    pub(super) repo: Repo,
    /// Where it was found: the top of its work tree, else its git directory.
    pub(super) at: PathBuf,
    pub(super) touched: Touched,
    pub(super) work_tree: Option<PathBuf>,
    pub(super) git_dir: PathBuf,
    pub(super) common_dir: PathBuf,
    pub(super) linked: bool,
    /// The person's configuration, once it was asked for. It counts for one question, or for one look.
    pub(super) own: Arc<OnceLock<OwnConfig>>,
    /// Kept from the last question about the history of a path.
    pub(super) walk: Cell<Option<Box<Walk>>>,
}

/// Opens the repository that contains a directory, or the git directory itself.
pub(super) fn open(dir: &Path) -> Result<Opened, GitError> {
    find(dir)?.open()
}

/// A repository that was found but not yet judged.
#[derive(Clone)]
pub(super) struct Lead {
    /// Where it was found: the top of its work tree, else its git directory.
    pub(super) at: PathBuf,
    is_bare: bool,
}

impl Lead {
    /// Judges it and opens it.
    pub(super) fn open(&self) -> Result<Opened, GitError> {
        if self.is_bare {
            open_bare(&self.at)
        } else {
            open_work_tree(&self.at)
        }
    }
}

/// Finds the repository that contains a directory, or the git directory itself.
pub(super) fn find(dir: &Path) -> Result<Lead, GitError> {
    let dir = RealFiles.canonical(dir).ok_or(GitError::NotARepository)?;
    let top = |at| Ok(Lead { at, is_bare: false });
    let is_top = |dir: &Path| lstat(dir.join(".git")).is_ok();
    if !is_top(&dir) && is_git_dir(&dir) {
        if let (Some(above), true) = (dir.parent(), dir.ends_with(".git")) {
            return top(above.to_owned());
        }
        return match linked_top(&dir) {
            Some(at) => top(at),
            None => Ok(Lead {
                at: dir,
                is_bare: true,
            }),
        };
    }
    let found = dir.ancestors().find(|above| is_top(above));
    found.map_or(Err(GitError::NotARepository), |at| top(at.to_owned()))
}

fn is_git_dir(dir: &Path) -> bool {
    let has = |name: &str, kind| {
        lstat(dir.join(name)).is_ok_and(|stat| FileKind::of_mode(stat.st_mode) == kind)
    };
    has("HEAD", FileKind::File)
        && (has("objects", FileKind::Dir) && has("refs", FileKind::Dir)
            || has("commondir", FileKind::File))
}

/// The top of the work tree that a linked worktree's git directory names.
pub(super) fn linked_top(git_dir: &Path) -> Option<PathBuf> {
    let named = read_line(git_dir, "gitdir").ok()?;
    let dot_git = git_dir.join(named);
    RealFiles.canonical(dot_git.parent()?)
}

fn open_bare(git_dir: &Path) -> Result<Opened, GitError> {
    let touched = Touched::of(git_dir, git_dir, git_dir);
    let config = LocalConfig::read(git_dir)?;
    let repo = if config.work_tree().is_some() {
        store::open(git_dir)?
    } else {
        config.supported()?;
        plain_files(git_dir, git_dir)?;
        open_bare_objects(git_dir)?
    };
    Ok(Opened {
        repo,
        at: git_dir.to_owned(),
        touched,
        work_tree: None,
        git_dir: git_dir.to_owned(),
        common_dir: git_dir.to_owned(),
        linked: false,
        own: Arc::default(),
        walk: Cell::default(),
    })
}

fn open_work_tree(top: &Path) -> Result<Opened, GitError> {
    let (git_dir, common_dir) = git_dirs(top)?;
    let touched = Touched::of(top, &git_dir, &common_dir);
    LocalConfig::read(&common_dir)?.supported()?;
    plain_files(&git_dir, &common_dir)?;
    let repo = open_as(top, RepositoryOpenFlags::empty())?;
    let opened = RealFiles.canonical(repo.path());
    let common = RealFiles.canonical(repo.commondir());
    if opened.as_deref() != Some(&git_dir) || common.as_deref() != Some(&common_dir) {
        return Err(GitError::Hostile(
            "git finds a different git directory than `.git` names".to_owned(),
        ));
    }
    let work_tree = repo.workdir().and_then(|dir| RealFiles.canonical(dir));
    if !repo.is_bare() && work_tree.as_deref() != Some(top) {
        return Err(GitError::Hostile(format!(
            "`core.worktree` points to a directory other than {}",
            top.shown()
        )));
    }
    Ok(Opened {
        linked: git_dir != common_dir,
        own: Arc::default(),
        walk: Cell::default(),
        repo,
        at: top.to_owned(),
        touched,
        work_tree,
        git_dir,
        common_dir,
    })
}

/// Opens a git directory only for its objects. The caller must judge it.
pub(super) fn open_bare_objects(git_dir: &Path) -> Result<Repo, GitError> {
    open_as(
        git_dir,
        RepositoryOpenFlags::BARE | RepositoryOpenFlags::NO_DOTGIT,
    )
}

/// Whether a directory is a git directory separate from its work tree, as checkpoint stores are.
pub(super) fn is_apart(dir: &Path) -> bool {
    lstat(dir.join(".git")).is_err()
        && is_git_dir(dir)
        && dir.file_name() != Some(OsStr::new(".git"))
        && LocalConfig::read(dir).is_ok_and(|config| config.work_tree().is_some())
}

/// Opens exactly this path, without a search and without the environment.
pub(super) fn open_as(path: &Path, flags: RepositoryOpenFlags) -> Result<Repo, GitError> {
    let none: [&OsStr; 0] = [];
    let opened = Repository::open_ext(path, flags | RepositoryOpenFlags::NO_SEARCH, none);
    opened.map(Repo::from).map_err(|e| {
        if e.code() == git2::ErrorCode::NotFound {
            GitError::NotARepository
        } else {
            e.into()
        }
    })
}

/// The git directory and the common directory of a work tree's top. Each link away from the top must have a link back.
fn git_dirs(top: &Path) -> Result<(PathBuf, PathBuf), GitError> {
    let dot_git = top.join(".git");
    let kind = lstat(&dot_git).map(|stat| FileKind::of_mode(stat.st_mode));
    match kind.unwrap_or(FileKind::Other) {
        FileKind::Dir if lstat(dot_git.join("commondir")).is_ok() => Err(GitError::Hostile(
            "`.git` is a directory that points to another repository".to_owned(),
        )),
        FileKind::Dir => Ok((dot_git.clone(), dot_git)),
        FileKind::File => from_file(top, &dot_git),
        FileKind::Link => Err(GitError::Hostile(
            "`.git` is a symbolic link, which is not followed".to_owned(),
        )),
        FileKind::Other => Err(GitError::NotARepository),
    }
}

fn from_file(top: &Path, dot_git: &Path) -> Result<(PathBuf, PathBuf), GitError> {
    let named = gitdir_of(dot_git).ok_or(GitError::NotARepository)?;
    // Git refuses to work here, so it may know what cannot be asked.
    let gone = |dir: &Path| {
        GitError::Other(format!(
            "the `.git` file points to {}, which is not there",
            dir.shown()
        ))
    };
    let git_dir = RealFiles.canonical(&named).ok_or_else(|| gone(&named))?;
    let no_way_back = |command: &str| {
        let at = shell_path(top);
        let cure = at.map_or_else(String::new, |at| {
            format!(" (if it is this project's: git -C {at} {command}{at})")
        });
        GitError::Hostile(format!(
            "the `.git` file points to a git directory that does not point back{cure}"
        ))
    };
    if let Ok(named) = read_line(&git_dir, "commondir") {
        let common = git_dir.join(named);
        let common = RealFiles.canonical(&common).ok_or_else(|| gone(&common))?;
        let beneath = git_dir.parent() == Some(&common.join("worktrees"));
        if beneath && linked_top(&git_dir).as_deref() == Some(top) {
            return Ok((git_dir, common));
        }
        return Err(no_way_back("worktree repair "));
    }
    let back = LocalConfig::read(&git_dir)?
        .work_tree()
        .and_then(|named| RealFiles.canonical(&git_dir.join(named)));
    if back.as_deref() == Some(top) {
        Ok((git_dir.clone(), git_dir))
    } else {
        Err(no_way_back("config core.worktree "))
    }
}

/// The path in a `.git` file, relative to its folder.
pub(super) fn gitdir_of(dot_git: &Path) -> Option<PathBuf> {
    // Not a `Place`: that type forbids `.git` in foreign paths, and `.git` is wanted here.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = openat(CWD, dot_git, flags, Mode::empty()).ok()?;
    let stat = rustix::fs::fstat(&file).ok()?;
    if FileKind::of_mode(stat.st_mode) != FileKind::File {
        return None;
    }
    let mut bytes = [0; 8192];
    let len = rustix::io::read(&file, &mut bytes).ok()?;
    let named = bytes.get(..len)?.strip_prefix(b"gitdir:")?.trim_ascii();
    Some(dot_git.parent()?.join(OsStr::from_bytes(named)))
}

/// The content of a small file of a git directory, as a path. Like git, it ends at the last newline: a path may have
/// others.
pub(super) fn read_line(git_dir: &Path, name: &str) -> Result<PathBuf, ReadError> {
    let place = Place::known(git_dir, name).map_err(|e| ReadError::Other(e.to_string()))?;
    let bytes = RealFiles.read(&place, LINE_CAP)?;
    Ok(PathBuf::from(OsStr::from_bytes(bytes.trim_ascii_end())))
}

/// Refuses a pipe or a link where libgit2 would open a file and block.
pub(super) fn plain_files(git_dir: &Path, common_dir: &Path) -> Result<(), GitError> {
    for (dir, name) in [
        (git_dir, "HEAD"),
        (git_dir, "index"),
        (common_dir, "config"),
        (common_dir, "packed-refs"),
    ] {
        let place = error::place(dir, name)?;
        match RealFiles.stat(&place) {
            Ok(stat) if stat.kind == FileKind::File => {}
            Ok(_) => return Err(error::file(name, &ReadError::NotRegular)),
            Err(ReadError::NotFound) => {}
            Err(e) => return Err(error::file(name, &e)),
        }
    }
    Ok(())
}
