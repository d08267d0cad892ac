//! The git directory's own files, written directly so that no template or configuration affects them.

use std::fs;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use git2::{Commit, Config, ConfigLevel, Oid, Repository, RepositoryOpenFlags, Signature, Time};
use rustix::fs::{AtFlags, CWD, Timespec, Timestamps, utimensat};

use super::ScratchError;

const NAME: &str = "relight";
const MAIL: &str = "relight@example.invalid";

pub(super) fn io(path: &Path) -> impl FnOnce(std::io::Error) -> ScratchError + '_ {
    move |reason| ScratchError::Io {
        path: path.to_owned(),
        reason,
    }
}

pub(super) fn make_dir(path: &Path) -> Result<(), ScratchError> {
    fs::create_dir_all(path).map_err(io(path))
}

pub(super) fn canonical(path: &Path) -> Result<PathBuf, ScratchError> {
    fs::canonicalize(path).map_err(io(path))
}

pub(super) fn write(path: &Path, bytes: &[u8]) -> Result<(), ScratchError> {
    fs::write(path, bytes).map_err(io(path))
}

pub(super) fn append(path: &Path, bytes: &[u8]) -> Result<(), ScratchError> {
    fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .and_then(|mut file| file.write_all(bytes))
        .map_err(io(path))
}

/// An empty git directory. With a work tree it is a separate store, as created by `GIT_DIR=… git init`.
pub(super) fn git_dir(
    git_dir: &Path,
    branch: &str,
    work_tree: Option<&Path>,
) -> Result<(), ScratchError> {
    for folder in ["objects/info", "objects/pack", "refs/heads", "refs/tags"] {
        make_dir(&git_dir.join(folder))?;
    }
    config(git_dir, work_tree)?;
    // Last: a store with a HEAD is complete, and one without is created again.
    let head = format!("ref: refs/heads/{branch}\n");
    write_whole(&git_dir.join("HEAD"), head.as_bytes())
}

/// Writes a file atomically.
fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), ScratchError> {
    let new = path.with_extension("new");
    write(&new, bytes)?;
    fs::rename(&new, path).map_err(io(path))
}

/// Writes the configuration of a git directory atomically, if it differs.
pub(super) fn config(git_dir: &Path, work_tree: Option<&Path>) -> Result<(), ScratchError> {
    // No reflog: its lines would contain the clock and the machine's user.
    let mut config = b"[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = false\n\tautocrlf = false\n".to_vec();
    if let Some(work_tree) = work_tree {
        config.extend_from_slice(b"\tworktree = \"");
        for byte in work_tree.as_os_str().as_bytes() {
            match byte {
                b'\n' => config.extend_from_slice(b"\\n"),
                b'"' | b'\\' => config.extend_from_slice(&[b'\\', *byte]),
                _ => config.push(*byte),
            }
        }
        config.extend_from_slice(b"\"\n[gc]\n\tauto = 0\n");
    }
    let path = git_dir.join("config");
    if fs::read(&path).is_ok_and(|old| old == config) {
        return Ok(());
    }
    write_whole(&path, &config)
}

/// Creates the two ends of a linked worktree, which point to each other. Returns its git directory.
pub(super) fn link_worktree(
    common_dir: &Path,
    work_tree: &Path,
    branch: &str,
) -> Result<PathBuf, ScratchError> {
    let base = work_tree
        .file_name()
        .ok_or_else(|| ScratchError::Name("a worktree needs a name".to_owned()))?;
    let mut git_dir = common_dir.join("worktrees").join(base);
    let mut n = 1;
    while git_dir.exists() {
        let mut name = base.to_owned();
        name.push(n.to_string());
        git_dir.set_file_name(name);
        n += 1;
    }
    make_dir(&git_dir)?;
    write(
        &git_dir.join("HEAD"),
        format!("ref: refs/heads/{branch}\n").as_bytes(),
    )?;
    write(&git_dir.join("commondir"), b"../..\n")?;
    let dot_git = work_tree.join(".git");
    write(&git_dir.join("gitdir"), &line(b"", &dot_git))?;
    write(&dot_git, &line(b"gitdir: ", &git_dir))?;
    Ok(git_dir)
}

fn line(before: &[u8], path: &Path) -> Vec<u8> {
    [before, path.as_os_str().as_bytes(), b"\n"].concat()
}

/// Opens without a search, and uses only the repository's own configuration.
pub(super) fn open(dir: &Path, common_dir: &Path) -> Result<Repository, ScratchError> {
    let none: [&Path; 0] = [];
    let repo = Repository::open_ext(dir, RepositoryOpenFlags::NO_SEARCH, none)?;
    let mut config = Config::new()?;
    config.add_file(&common_dir.join("config"), ConfigLevel::Local, false)?;
    repo.set_config(&config)?;
    Ok(repo)
}

/// Commits a tree on HEAD, which may be unborn.
pub(super) fn commit_to_head(
    repo: &Repository,
    tree: Oid,
    message: &str,
    at: DateTime<Utc>,
) -> Result<Oid, ScratchError> {
    let parent = repo.head().ok().and_then(|head| head.target());
    let id = commit(repo, tree, message, at, parent.as_slice())?;
    advance(repo, id)?;
    Ok(id)
}

/// Commits a tree without moving a reference.
pub(super) fn commit(
    repo: &Repository,
    tree: Oid,
    message: &str,
    at: DateTime<Utc>,
    parents: &[Oid],
) -> Result<Oid, ScratchError> {
    let who = Signature::new(NAME, MAIL, &Time::new(at.timestamp(), 0))?;
    let tree = repo.find_tree(tree)?;
    let parents = parents.iter().map(|id| repo.find_commit(*id));
    let parents = parents.collect::<Result<Vec<_>, _>>()?;
    let parents: Vec<_> = parents.iter().collect();
    Ok(repo.commit(None, &who, &who, message, &tree, &parents)?)
}

/// Whether relight made a commit: the files of its tree are stored byte for byte.
pub(in crate::git) fn is_own(commit: &Commit<'_>) -> bool {
    commit.committer().email_bytes() == MAIL.as_bytes()
}

/// Moves HEAD, or its branch, to a commit. A lock that stays the same for a second was left by a killed process: git
/// holds the lock of a reference only while it writes forty characters.
pub(super) fn advance(repo: &Repository, id: Oid) -> Result<(), ScratchError> {
    let head = repo.find_reference("HEAD")?;
    let branch = head.symbolic_target()?;
    let moved = || match branch {
        Some(branch) => repo.reference(branch, id, true, "").map(drop),
        None => repo.set_head_detached(id),
    };
    let locked = |error: &git2::Error| error.code() == git2::ErrorCode::Locked;
    match moved() {
        Err(error) if locked(&error) => {
            let lock = format!("{}.lock", branch.unwrap_or("HEAD"));
            remove_stale(&repo.path().join(lock));
            Ok(moved()?)
        }
        moved => Ok(moved?),
    }
}

/// Removes a lock that is still the same one after a second.
fn remove_stale(lock: &Path) {
    let which = || {
        let facts = fs::symlink_metadata(lock).ok()?;
        Some((facts.ino(), facts.mtime(), facts.mtime_nsec()))
    };
    let before = which();
    std::thread::sleep(std::time::Duration::from_secs(1));
    if before.is_some() && which() == before {
        // If it cannot be removed, moving the reference reports the lock.
        drop(fs::remove_file(lock));
    }
}

/// Sets modification and access time of one path, without following links.
pub(super) fn touch(path: &Path, at: DateTime<Utc>) -> Result<(), ScratchError> {
    let time = Timespec {
        tv_sec: at.timestamp(),
        tv_nsec: 0,
    };
    let both = Timestamps {
        last_access: time,
        last_modification: time,
    };
    utimensat(CWD, path, &both, AtFlags::SYMLINK_NOFOLLOW).map_err(|e| io(path)(e.into()))
}

/// Sets the times of everything in a git directory except objects. The index is made a second newer than the files it
/// lists; otherwise git would have to read each of them to know that it is clean.
pub(super) fn age(git_dir: &Path, at: DateTime<Utc>) -> Result<(), ScratchError> {
    let mut folders = vec![git_dir.to_owned()];
    let mut seen = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).map_err(io(&folder))? {
            let entry = entry.map_err(io(&folder))?;
            let kind = entry.file_type().map_err(io(&folder))?;
            if kind.is_dir() && entry.file_name() != "objects" {
                folders.push(entry.path());
            }
            seen.push(entry.path());
        }
    }
    seen.push(git_dir.to_owned());
    for path in seen {
        let young = path.file_name().is_some_and(|name| name == "index");
        let at = if young {
            at + chrono::TimeDelta::seconds(1)
        } else {
            at
        };
        touch(&path, at)?;
    }
    Ok(())
}
