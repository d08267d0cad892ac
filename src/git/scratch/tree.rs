//! Writes files of a work tree together with their index entries.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use git2::{Index, IndexEntry, IndexTime, ObjectType, Oid, Repository, Tree};
use rustix::fs::{Stat, lstat};

use super::layout::{io, make_dir, touch, write};
use super::{Content, ScratchError};
use crate::model::RelPath;
use crate::text::Shown as _;

pub(super) const FILE: u32 = 0o100_644;
pub(super) const EXECUTABLE: u32 = 0o100_755;
pub(super) const LINK: u32 = 0o120_000;

pub(super) fn place(work_tree: &Path, path: &[u8]) -> Result<PathBuf, ScratchError> {
    let rel = RelPath::parse(path).map_err(|why| ScratchError::Path {
        path: path.shown().to_string(),
        why,
    })?;
    Ok(work_tree.join(rel.as_path()))
}

/// Writes one path of a work tree with its object and its index entry. The old entry is removed first, so that nothing is
/// written through a link.
pub(super) fn put(
    (repo, index): (&Repository, &mut Index),
    work_tree: &Path,
    path: &[u8],
    content: Content<'_>,
    at: DateTime<Utc>,
) -> Result<(), ScratchError> {
    let place = place(work_tree, path)?;
    remove(work_tree, &place)?;
    let (bytes, mode) = match content {
        Content::Gone => return Ok(index.remove(Path::new(OsStr::from_bytes(path)), 0)?),
        Content::File(bytes) => (bytes, FILE),
        Content::Executable(bytes) => (bytes, EXECUTABLE),
        Content::Link(target) => (target, LINK),
    };
    if let Some(parent) = place.parent() {
        make_dir(parent)?;
    }
    if mode == LINK {
        symlink(OsStr::from_bytes(bytes), &place).map_err(io(&place))?;
    } else {
        write(&place, bytes)?;
        fs::set_permissions(&place, fs::Permissions::from_mode(mode & 0o777))
            .map_err(io(&place))?;
    }
    touch(&place, at)?;
    let id = repo.odb()?.write(ObjectType::Blob, bytes)?;
    let stat = lstat(&place).map_err(|e| io(&place)(e.into()))?;
    Ok(index.add(&entry(path, mode, id, &stat))?)
}

/// Removes a file and the folders that become empty.
fn remove(work_tree: &Path, place: &Path) -> Result<(), ScratchError> {
    let Ok(meta) = fs::symlink_metadata(place) else {
        return Ok(());
    };
    if meta.is_dir() {
        fs::remove_dir_all(place).map_err(io(place))?;
    } else {
        fs::remove_file(place).map_err(io(place))?;
    }
    let mut above = place.parent();
    while let Some(folder) = above.filter(|folder| *folder != work_tree) {
        if fs::remove_dir(folder).is_err() {
            break;
        }
        above = folder.parent();
    }
    Ok(())
}

/// An index entry with stat data.
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "the index keeps the low 32 bits of every stat field"
)]
pub(super) fn entry(path: &[u8], mode: u32, id: Oid, stat: &Stat) -> IndexEntry {
    IndexEntry {
        ctime: IndexTime::new(stat.st_ctime as i32, stat.st_ctime_nsec as u32),
        mtime: IndexTime::new(stat.st_mtime as i32, stat.st_mtime_nsec as u32),
        dev: stat.st_dev as u32,
        ino: stat.st_ino as u32,
        mode,
        uid: stat.st_uid,
        gid: stat.st_gid,
        file_size: stat.st_size as u32,
        id,
        flags: 0,
        flags_extended: 0,
        path: path.to_vec(),
    }
}

/// Replaces all tracked files of a work tree, and the index, by a tree.
pub(super) fn replace(
    repo: &Repository,
    work_tree: &Path,
    tree: &Tree<'_>,
    at: DateTime<Utc>,
) -> Result<(), ScratchError> {
    let mut wanted = BTreeMap::new();
    flatten(repo, tree, &[], &mut wanted)?;
    let mut index = repo.index()?;
    for old in index.iter() {
        if !wanted.contains_key(&old.path) {
            remove(work_tree, &place(work_tree, &old.path)?)?;
        }
    }
    let mut kept: Vec<IndexEntry> = index.iter().collect();
    kept.retain(|old| wanted.get(&old.path) == Some(&(old.mode, old.id)));
    index.clear()?;
    for old in &kept {
        index.add(old)?;
        wanted.remove(&old.path);
    }
    for (path, (mode, id)) in &wanted {
        let blob = repo.find_blob(*id)?;
        let content = match *mode {
            LINK => Content::Link(blob.content()),
            EXECUTABLE => Content::Executable(blob.content()),
            _ => Content::File(blob.content()),
        };
        put((repo, &mut index), work_tree, path, content, at)?;
    }
    index.write()?;
    Ok(())
}

fn flatten(
    repo: &Repository,
    tree: &Tree<'_>,
    above: &[u8],
    found: &mut BTreeMap<Vec<u8>, (u32, Oid)>,
) -> Result<(), ScratchError> {
    for entry in tree {
        let path = [above, entry.name_bytes()].concat();
        match entry.kind() {
            Some(ObjectType::Tree) => {
                let beneath = repo.find_tree(entry.id())?;
                flatten(repo, &beneath, &[&path, &b"/"[..]].concat(), found)?;
            }
            Some(ObjectType::Blob) => {
                let mode = u32::try_from(entry.filemode()).unwrap_or(FILE);
                found.insert(path, (mode, entry.id()));
            }
            _ => {}
        }
    }
    Ok(())
}
