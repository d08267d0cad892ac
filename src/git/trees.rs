//! Tree objects, read raw: libgit2's own reader hides names and modes that a hostile store may contain.

use std::collections::hash_map::Entry;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use git2::{ObjectType, Oid};

use crate::model::{FileForm, Foreign};
use crate::world::git::GitError;

use super::history;
use super::objects::Repo;

/// How many entries of one tree are walked.
pub(super) const ENTRIES: u64 = 1_000_000;
/// How long a path may be; the system opens no longer one.
pub(super) const PATH: usize = 4096;

/// The kind of a tree entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    File,
    Executable,
    Link,
    Tree,
    Repository,
}

impl Kind {
    /// The mode in an index.
    pub(super) const fn mode(self) -> u32 {
        match self {
            Self::File => 0o100_644,
            Self::Executable => 0o100_755,
            Self::Link => 0o120_000,
            Self::Tree => 0o040_000,
            Self::Repository => 0o160_000,
        }
    }

    /// The form that it has in a work tree; `None` for a repository of its own, which is not written.
    pub(super) const fn form(self) -> Option<FileForm> {
        match self {
            Self::File => Some(FileForm::File),
            Self::Executable => Some(FileForm::Executable),
            Self::Link => Some(FileForm::Link),
            Self::Tree => Some(FileForm::Directory),
            Self::Repository => None,
        }
    }
}

/// One entry of a tree object.
#[derive(Debug, Clone, Copy)]
pub(super) struct TreeEntry<'a> {
    pub(super) kind: Kind,
    pub(super) name: &'a [u8],
    pub(super) id: &'a [u8],
}

impl TreeEntry<'_> {
    /// The id as git2 knows it.
    pub(super) fn oid(&self) -> Oid {
        Oid::from_bytes(self.id).unwrap_or(Oid::ZERO_SHA1)
    }
}

/// The entries of a tree object, sorted by name alone. A tree with misleading entries is refused.
pub(super) fn entries(id: Oid, mut data: &[u8]) -> Result<Vec<TreeEntry<'_>>, GitError> {
    let broken = |why: &str| GitError::Hostile(format!("the tree object {id} {why}"));
    let mut found: Vec<TreeEntry<'_>> = Vec::with_capacity(data.len() / 32);
    while !data.is_empty() {
        let (entry, rest) = split(data).ok_or_else(|| broken("is truncated"))?;
        data = rest;
        let (mode, name, id) = entry;
        let kind = match mode {
            b"100644" | b"100664" => Kind::File,
            b"100755" => Kind::Executable,
            b"120000" => Kind::Link,
            b"40000" | b"040000" => Kind::Tree,
            b"160000" => Kind::Repository,
            _ => return Err(broken("has an entry of an unknown mode")),
        };
        if name.is_empty() || name == b"." || name == b".." || name.contains(&b'/') {
            return Err(broken("has an entry whose name leads elsewhere"));
        }
        found.push(TreeEntry { kind, name, id });
    }
    // Only a folder beside a file whose name it begins with is not where bytes would sort it.
    if found.is_sorted_by(|a, b| a.name < b.name) {
        return Ok(found);
    }
    found.sort_unstable_by(|a, b| a.name.cmp(b.name));
    if found
        .windows(2)
        .any(|pair| matches!(pair, [a, b] if a.name == b.name))
    {
        return Err(broken("has two entries of one name"));
    }
    Ok(found)
}

type Raw<'a> = (&'a [u8], &'a [u8], &'a [u8]);

fn split(data: &[u8]) -> Option<(Raw<'_>, &[u8])> {
    let space = memchr::memchr(b' ', data)?;
    let (mode, rest) = data.split_at_checked(space)?;
    let rest = rest.get(1..)?;
    let nul = memchr::memchr(0, rest)?;
    let (name, rest) = rest.split_at_checked(nul)?;
    let (id, rest) = rest.get(1..)?.split_at_checked(20)?;
    Some(((mode, name, id), rest))
}

/// The files of a commit's tree below a directory, sorted by bytes.
pub(super) fn paths(repo: &Repo, revision: &str, beneath: &Path) -> Result<Vec<Foreign>, GitError> {
    let found = walk(repo, revision, beneath)?.into_iter();
    let files = found.filter(|leaf| leaf.kind != Kind::Repository);
    Ok(files.map(|leaf| Foreign::from(leaf.path)).collect())
}

/// An entry of a tree that is not a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Leaf {
    pub(super) path: Vec<u8>,
    pub(super) kind: Kind,
    pub(super) id: Oid,
}

/// The files, links and nested repositories of a commit's tree below a directory, sorted by bytes.
pub(super) fn walk(repo: &Repo, revision: &str, beneath: &Path) -> Result<Vec<Leaf>, GitError> {
    let odb = repo.odb()?;
    let mut id = history::find(repo, revision)?.tree_id();
    for part in beneath.components() {
        let read = repo.objects.read(&odb, ObjectType::Tree, id)?;
        let entries = entries(id, read.data())?;
        let found = entries
            .iter()
            .find(|entry| entry.kind == Kind::Tree && entry.name == part.as_os_str().as_bytes());
        let missing = || GitError::Missing(beneath.to_string_lossy().into_owned());
        id = found.ok_or_else(missing)?.oid();
    }
    let prefix = beneath
        .components()
        .flat_map(|part| [part.as_os_str().as_bytes(), b"/"]);
    let prefix: Vec<u8> = prefix.flatten().copied().collect();
    leaves(repo, id, prefix)
}

/// The same of a whole tree, with something before each path.
pub(super) fn leaves(repo: &Repo, tree: Oid, prefix: Vec<u8>) -> Result<Vec<Leaf>, GitError> {
    let odb = repo.odb()?;
    let mut found: Vec<Leaf> = Vec::new();
    let mut todo = vec![(prefix, tree)];
    let mut count = 0_u64;
    while let Some((above, id)) = todo.pop() {
        let read = repo.objects.read(&odb, ObjectType::Tree, id)?;
        for entry in entries(id, read.data())? {
            count += 1;
            within_budget(count, above.len() + entry.name.len())?;
            match entry.kind {
                Kind::Tree => todo.push(([&above, entry.name, b"/"].concat(), entry.oid())),
                Kind::File | Kind::Executable | Kind::Link | Kind::Repository => found.push(Leaf {
                    path: [&above, entry.name].concat(),
                    kind: entry.kind,
                    id: entry.oid(),
                }),
            }
        }
    }
    found.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    Ok(found)
}

/// What is counted of a folder without those in it.
#[derive(Debug, Default)]
pub(super) struct Counted {
    files: usize,
    entries: u64,
    longest: usize,
    /// Its folders, with the lengths of their names.
    folders: Vec<(Oid, usize)>,
}

impl Counted {
    fn of(id: Oid, data: &[u8]) -> Result<Self, GitError> {
        let mut own = Self::default();
        for entry in entries(id, data)? {
            own.entries += 1;
            own.longest = own.longest.max(entry.name.len());
            match entry.kind {
                Kind::Tree => own.folders.push((entry.oid(), entry.name.len() + 1)),
                Kind::File | Kind::Executable | Kind::Link => own.files += 1,
                Kind::Repository => {}
            }
        }
        Ok(own)
    }
}

/// How many files and links a commit's tree has. Every folder of it is read and verified, in one look only once:
/// checkpoints of one run share most of theirs.
pub(super) fn files(repo: &Repo, revision: &str) -> Result<usize, GitError> {
    let odb = repo.odb()?;
    let mut known = repo.counted.borrow_mut();
    let mut todo = vec![(0, history::find(repo, revision)?.tree_id())];
    let (mut files, mut count) = (0, 0);
    while let Some((above, id)) = todo.pop() {
        let own = match known.entry(id) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let read = repo.objects.read(&odb, ObjectType::Tree, id)?;
                new.insert(Counted::of(id, read.data())?)
            }
        };
        files += own.files;
        count += own.entries;
        within_budget(count, above + own.longest)?;
        todo.extend(own.folders.iter().map(|(id, name)| (above + name, *id)));
    }
    Ok(files)
}

/// Refuses trees that are larger or deeper than any real one.
pub(super) fn within_budget(entries: u64, path_len: usize) -> Result<(), GitError> {
    if entries > ENTRIES {
        return Err(GitError::Hostile(format!(
            "the tree has more than {ENTRIES} entries"
        )));
    }
    if path_len > PATH {
        return Err(GitError::Hostile(format!(
            "the tree has a path of more than {PATH} bytes"
        )));
    }
    Ok(())
}
