//! The files of a tree and their content. Links are never followed: the content of a link is its target path.

use std::collections::BTreeSet;
use std::path::Path;

use super::super::Engine;
use crate::diff::LARGEST;
use crate::git::blobs::Blobs;
use crate::model::{FileForm, Foreign, PathState, Place, RunTree};
use crate::text::Shown as _;
use crate::world::files::{FileKind, ReadError};

/// Files under a folder that are looked at.
pub(super) const MOST: usize = 100_000;

/// Folders within folders.
const DEPTH: usize = 64;

/// What a file holds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    /// There is none.
    Absent,
    /// Its bytes, or where the link points.
    Bytes(Vec<u8>),
    /// More than is read.
    Huge(u64),
}

impl Engine {
    /// The paths of a tree.
    pub(super) fn paths_of(&self, tree: &RunTree) -> Result<BTreeSet<Foreign>, String> {
        let git = self.world.git();
        match tree {
            RunTree::None => Ok(BTreeSet::new()),
            RunTree::Commit { repo, commit } => {
                let paths = git.tree_paths(repo, commit, Path::new(""));
                let paths = paths.map(|paths| paths.into_iter().collect());
                paths.map_err(|why| why.to_string())
            }
            RunTree::WorkTree(top) => {
                let Some(head) = git.repo(top).ok().and_then(|repo| repo.head) else {
                    return self.walk(top, MOST);
                };
                let paths = git.tree_paths(top, &head, Path::new(""));
                let drift = git.drift(top, &head, top);
                let both = paths.and_then(|paths| Ok((paths, drift?)));
                let (paths, drift) = both.map_err(|why| why.to_string())?;
                let mut paths: BTreeSet<Foreign> = paths.into_iter().collect();
                paths.extend(self.nested_files(top, &drift)?);
                for moved in drift.paths {
                    if moved.state == PathState::Created {
                        paths.insert(moved.path);
                    } else if moved.state == PathState::Missing {
                        paths.remove(&moved.path);
                    }
                }
                Ok(paths)
            }
            RunTree::Files(files) => Ok(files.iter().map(|(name, _)| name.clone()).collect()),
        }
    }

    /// The files and links under a folder, git's own left out. A folder that is not there has none.
    pub(super) fn walk(&self, top: &Path, most: usize) -> Result<BTreeSet<Foreign>, String> {
        let files = self.world.files();
        let mut found = BTreeSet::new();
        let mut todo = vec![(Place::root(top), Vec::new(), 0_usize)];
        while let Some((place, above, depth)) = todo.pop() {
            let entries = match files.list(&place) {
                Ok(entries) => entries,
                Err(ReadError::NotFound | ReadError::NotRegular) if depth == 0 => break,
                Err(why) => return Err(format!("{}: {why}", place.path().shown())),
            };
            for entry in entries.into_iter().filter(|entry| entry.name != ".git") {
                let name = std::os::unix::ffi::OsStrExt::as_bytes(entry.name.as_os_str());
                let path = [above.as_slice(), name].concat();
                if !entry.is_dir {
                    found.insert(Foreign::from(path));
                } else if let (Ok(place), true) = (place.join(&entry.name), depth < DEPTH) {
                    todo.push((place, [path.as_slice(), b"/"].concat(), depth + 1));
                }
                if found.len() > most {
                    let top = top.to_string_lossy();
                    return Err(format!("{top} holds more than {most} files"));
                }
            }
        }
        Ok(found)
    }

    /// What a file of a tree holds.
    pub(super) fn content_of(&self, tree: &RunTree, path: &Foreign) -> Result<Content, String> {
        match tree {
            RunTree::None => Ok(Content::Absent),
            RunTree::Commit { repo, commit } => {
                let read = self.world.git().blob(repo, commit, path.as_path());
                match read {
                    Ok(bytes) => Ok(Content::Bytes(bytes)),
                    Err(crate::world::git::GitError::Missing(_)) => Ok(Content::Absent),
                    Err(why) => Err(why.to_string()),
                }
            }
            RunTree::WorkTree(top) => {
                let place = Place::known(top, path.as_path()).map_err(|why| why.to_string())?;
                self.content_at(&place)
            }
            RunTree::Files(files) => {
                let found = files.iter().find(|(name, _)| name == path);
                match found.and_then(|(_, at)| at.as_deref()) {
                    Some(at) => self.content_of_file(at),
                    None => Ok(Content::Absent),
                }
            }
        }
    }

    /// What a file of known path holds.
    pub(super) fn content_of_file(&self, path: &Path) -> Result<Content, String> {
        let (Some(parent), Some(name)) = (path.parent(), path.file_name()) else {
            return Ok(Content::Absent);
        };
        let place = Place::known(parent, name).map_err(|why| why.to_string())?;
        self.content_at(&place)
    }

    /// What a path of a tree is; `None` where there is nothing.
    pub(super) fn form_of(&self, tree: &RunTree, path: &Foreign) -> Option<FileForm> {
        let place = match tree {
            RunTree::Files(files) => {
                let found = files.iter().find(|(name, _)| name == path);
                return self.form_at(found?.1.as_deref()?);
            }
            RunTree::Commit { repo, commit } => {
                let found = Blobs::open(repo).ok()?.find(commit, path.as_bytes()).ok()?;
                return Some(found.0);
            }
            RunTree::WorkTree(top) => Place::known(top, path.as_path()).ok()?,
            RunTree::None => return None,
        };
        self.form_of_place(&place)
    }

    fn content_at(&self, place: &Place) -> Result<Content, String> {
        let files = self.world.files();
        let stat = match files.stat(place) {
            Ok(stat) => stat,
            Err(ReadError::NotFound) => return Ok(Content::Absent),
            Err(why) => return Err(why.to_string()),
        };
        let read = match stat.kind {
            FileKind::Dir => return Ok(Content::Absent),
            FileKind::Other => return Err("it is not a file".to_owned()),
            FileKind::Link => {
                let target = files.link_target(place);
                target.map(|target| target.as_bytes().to_vec())
            }
            FileKind::File => files.read(place, LARGEST as u64),
        };
        match read {
            Ok(bytes) => Ok(Content::Bytes(bytes)),
            Err(ReadError::TooLarge { size, .. }) => Ok(Content::Huge(size)),
            Err(ReadError::NotFound) => Ok(Content::Absent),
            Err(why) => Err(why.to_string()),
        }
    }
}
