//! A repository for a tree that relight made, so that git works in it as in the original: the same branch at a commit
//! of the original, whose objects it borrows. Nothing of the original is written, and its configuration, hooks and
//! remotes are not copied.

use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use git2::{Index, IndexEntry, Oid, Reference, Repository};
use rustix::fs::lstat;

use super::layout::{self, io};
use super::{ScratchError, full_id, tree};
use crate::git::blobs::BlobEntry;
use crate::git::open;
use crate::model::FileForm;
use crate::model::Place;
use crate::world::files::{Files as _, ReadError, SMALL_CAP};
use crate::world::real_files::RealFiles;

/// The branch name if the original's is unknown or invalid.
const BRANCH: &str = "replay";

/// Commits need an author. No signature is requested, no hook of the person's runs, and no background maintenance
/// starts.
const CONFIG: &str = "[user]\n\tname = relight\n\temail = relight@example.invalid\n\
    [core]\n\thooksPath = /dev/null\n\tfsmonitor = false\n\
    [commit]\n\tgpgSign = false\n[tag]\n\tgpgSign = false\n\
    [gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n";

/// The specification of a tree's repository.
#[derive(Debug, Clone, Copy)]
pub struct Replica<'a> {
    /// The top of the tree; it exists and has no `.git`.
    pub tree: &'a Path,
    /// A work tree or git directory of the original; `None` where there is no repository.
    pub original: Option<&'a Path>,
    /// The branch of HEAD, short; any bytes.
    pub branch: Option<&'a [u8]>,
    /// The commit that it is at, 40 hex; unborn without one.
    pub commit: Option<&'a str>,
    /// The files in the tree, so that git need not read those that equal the commit.
    pub present: &'a [BlobEntry],
}

impl Replica<'_> {
    /// Creates `.git`. The index is the commit's, so that `git status` shows how the tree differs from it.
    pub fn make(&self) -> Result<(), ScratchError> {
        let git_dir = self.tree.join(".git");
        layout::git_dir(&git_dir, &self.branch(), None)?;
        layout::append(&git_dir.join("config"), CONFIG.as_bytes())?;
        let Some(original) = self.original else {
            return Ok(());
        };
        let opened = open::open(original).map_err(|error| ScratchError::git(error.to_string()))?;
        borrow(&git_dir, &opened.common_dir)?;
        let Some(commit) = self.commit else {
            return Ok(());
        };
        let repo = layout::open(self.tree, &git_dir)?;
        let id = full_id(commit)?;
        let name = format!("refs/heads/{}", self.branch());
        repo.reference(&name, id, false, "")?;
        self.index(&repo, id)
    }

    fn branch(&self) -> String {
        let named = self.branch.and_then(|name| std::str::from_utf8(name).ok());
        let fits = |name: &&str| Reference::is_valid_name(&format!("refs/heads/{name}"));
        named.filter(fits).unwrap_or(BRANCH).to_owned()
    }

    /// The index of the commit. Entries whose file in the tree has the same content get its stat data.
    fn index(&self, repo: &Repository, commit: Oid) -> Result<(), ScratchError> {
        let mut index = Index::open(&repo.path().join("index"))?;
        index.read_tree(&repo.find_commit(commit)?.tree()?)?;
        let present: HashMap<&[u8], (u32, &str)> = self
            .present
            .iter()
            .filter_map(|entry| Some((entry.path.as_slice(), (mode(entry.kind?), &*entry.id))))
            .collect();
        let recorded: Vec<IndexEntry> = index.iter().collect();
        for entry in recorded {
            let same = present
                .get(entry.path.as_slice())
                .is_some_and(|(mode, id)| *mode == entry.mode && *id == entry.id.to_string());
            // If the name is refused elsewhere, git only has to read the file.
            if let (true, Ok(place)) = (same, tree::place(self.tree, &entry.path)) {
                let stat = lstat(&place).map_err(|e| io(&place)(e.into()))?;
                index.add(&tree::entry(&entry.path, entry.mode, entry.id, &stat))?;
            }
        }
        Ok(index.write()?)
    }
}

fn mode(kind: FileForm) -> u32 {
    match kind {
        FileForm::File => tree::FILE,
        FileForm::Executable => tree::EXECUTABLE,
        FileForm::Link => tree::LINK,
        // Neither is an entry of an index.
        FileForm::Directory | FileForm::Special => 0,
    }
}

/// Makes a repository read the objects of another, with the same end of history and the same excludes.
fn borrow(git_dir: &Path, common_dir: &Path) -> Result<(), ScratchError> {
    let objects = common_dir.join("objects");
    let bytes = objects.as_os_str().as_bytes();
    if bytes.contains(&b'\n') {
        return Err(ScratchError::Name(
            "objects cannot be borrowed from a directory with a line break in its name".to_owned(),
        ));
    }
    let alternates = git_dir.join("objects/info/alternates");
    layout::write(&alternates, &[bytes, b"\n"].concat())?;
    keep(common_dir, git_dir, "shallow")?;
    // Otherwise files that only `info/exclude` ignores would be committed here.
    keep(common_dir, git_dir, "info/exclude")
}

/// Copies a small file of the original's git directory, if it exists.
fn keep(from: &Path, to: &Path, name: &str) -> Result<(), ScratchError> {
    let place = Place::known(from, name).map_err(|why| ScratchError::Path {
        path: name.to_owned(),
        why,
    })?;
    let bytes = match RealFiles.read(&place, SMALL_CAP) {
        Ok(bytes) => bytes,
        Err(ReadError::NotFound) => return Ok(()),
        Err(error) => return Err(ScratchError::git(format!("{name}: {error}"))),
    };
    let place = to.join(name);
    if let Some(folder) = place.parent() {
        layout::make_dir(folder)?;
    }
    layout::write(&place, &bytes)
}
