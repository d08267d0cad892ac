//! Where the documents of an issue are: in its worktree, in ROOT, or only in a commit of its branch. Paths in
//! state files are foreign: refused ones are reported, never opened.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::model::{Foreign, PathRefusal, Place, RelPath};
use crate::string_enum;
use crate::systems::kit::odd_files::{OddFile, closed, odd_file};
use crate::world::World;
use crate::world::files::{FileKind, ReadError, SMALL_CAP};
use crate::world::git::GitError;

string_enum! {
    /// The place where something was found.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
    pub(crate) enum Where {
        Worktree = "in the worktree",
        Root = "in ROOT",
        Branch = "on the branch",
    }
}

/// The result of looking up a path of a state file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seen {
    Found(Where),
    /// Found, but empty: an interrupted write.
    Empty(Where),
    Missing,
    /// Something that is no file: it is not followed or opened.
    Odd(Where),
    /// Nobody may look there, so it may exist.
    Closed(Where),
    /// git cannot be read, so it may be on the branch.
    Unread,
    Refused(PathRefusal),
    /// A URL, not a path.
    Url,
}

/// The three places, in the order of search.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lookup {
    pub(crate) worktree: Option<PathBuf>,
    pub(crate) root: PathBuf,
    /// The commit that the issue's branch is at.
    pub(crate) tip: Option<String>,
    /// True if the branch cannot be read, so that it may have anything.
    pub(crate) unread: bool,
    /// Files and folders that a plan removes: they are looked up as if they were gone.
    pub(crate) removed: BTreeSet<PathBuf>,
}

impl Lookup {
    /// The folders, in order.
    fn folders(&self) -> impl Iterator<Item = (Where, &Path)> {
        let worktree = self.worktree.as_deref().map(|dir| (Where::Worktree, dir));
        let root = (Where::Root, self.root.as_path());
        // A branch that is checked out in ROOT itself is searched once.
        let root = (self.worktree.as_deref() != Some(self.root.as_path())).then_some(root);
        worktree.into_iter().chain(root)
    }

    /// The places of a path, in order, without what the plan removes.
    fn places(&self, rel: &RelPath) -> impl Iterator<Item = (Where, Place)> {
        self.folders().filter_map(move |(at, dir)| {
            let place = Place::known(dir, rel.as_path()).ok()?;
            let gone = self.removed.contains(&place.path());
            (!gone).then_some((at, place))
        })
    }

    /// A path as plain components: relative as written, or absolute below the worktree or ROOT.
    pub(crate) fn rel(&self, path: &str) -> Result<RelPath, PathRefusal> {
        let roots: Vec<&Path> = self.folders().map(|(_, dir)| dir).collect();
        let place = Place::foreign(&roots, path.as_bytes())?;
        place.beneath().cloned().ok_or(PathRefusal::Empty)
    }

    /// Looks for a file or folder.
    pub(crate) fn find(&self, world: &dyn World, path: &str) -> Seen {
        if path.contains("://") {
            return Seen::Url;
        }
        let rel = match self.rel(path) {
            Ok(rel) => rel,
            Err(why) => return Seen::Refused(why),
        };
        let mut other = None;
        for (at, place) in self.places(&rel) {
            match world.files().stat(&place) {
                Ok(stat) if stat.kind == FileKind::Dir => return Seen::Found(at),
                Ok(stat) if stat.kind != FileKind::File => other = other.or(Some(Seen::Odd(at))),
                Ok(stat) if stat.size > 0 => return Seen::Found(at),
                Ok(_) => other = other.or(Some(Seen::Empty(at))),
                Err(why) if why.leaves_unknown() => other = other.or(Some(Seen::Closed(at))),
                Err(_) => {}
            }
        }
        match self.in_branch(world, rel.as_path()) {
            Some(true) => Seen::Found(Where::Branch),
            Some(false) if !self.unread => other.unwrap_or(Seen::Missing),
            Some(false) | None => other.unwrap_or(Seen::Unread),
        }
    }

    /// Whether the issue's own worktree or branch has a file, whatever ROOT has; `None` if git cannot tell.
    pub(crate) fn has_in_issue(&self, world: &dyn World, path: &str) -> Option<bool> {
        use Seen::{Closed, Empty, Found, Missing, Odd, Refused, Unread, Url};
        match self.find(world, path) {
            Found(Where::Worktree | Where::Branch) => Some(true),
            Found(Where::Root) => self.in_branch(world, self.rel(path).ok()?.as_path()),
            Unread => None,
            Empty(_) | Missing | Odd(_) | Closed(_) | Refused(_) | Url => Some(false),
        }
    }

    /// Whether the branch has a file with content, or a folder; `None` if git cannot tell.
    fn in_branch(&self, world: &dyn World, rel: &Path) -> Option<bool> {
        let Some(tip) = self.tip.as_deref() else {
            return (!self.unread).then_some(false);
        };
        let git = world.git();
        match git.blob(&self.root, tip, rel) {
            Ok(bytes) => Some(!bytes.is_empty()),
            // A partial clone has the name of a file without its content, which git itself fetches when it needs it.
            Err(GitError::NotFetched(_)) => {
                let beside = git.tree_paths(&self.root, tip, rel.parent()?).ok()?;
                let listed = beside.iter().any(|path| path.as_path() == rel);
                listed.then_some(true)
            }
            Err(why) if why.is_unknown() => None,
            Err(_) => match git.tree_paths(&self.root, tip, rel) {
                Ok(paths) => Some(!paths.is_empty()),
                Err(why) => (!why.is_unknown()).then_some(false),
            },
        }
    }

    /// Whether the branch may have more of these files in a folder than git can read of it.
    pub(crate) fn hides(
        &self,
        world: &dyn World,
        folder: &str,
        counts: impl Fn(&str) -> bool,
    ) -> bool {
        let Some(tip) = self.tip.as_deref() else {
            return self.unread;
        };
        let Ok(rel) = self.rel(folder) else {
            return false;
        };
        match world.git().tree_paths(&self.root, tip, rel.as_path()) {
            Err(why) => why.is_unknown(),
            Ok(paths) => {
                let files = paths.iter().filter_map(Foreign::as_str);
                let mut own = files.filter(|path| Path::new(path).parent() == Some(rel.as_path()));
                own.any(|path| counts(path) && self.find(world, path) == Seen::Unread)
            }
        }
    }

    /// The content of a file, from the first place that has it; `None`, too, if it cannot be read there.
    pub(crate) fn read(&self, world: &dyn World, path: &str) -> Option<(Where, Vec<u8>)> {
        let rel = self.rel(path).ok()?;
        for (at, place) in self.places(&rel) {
            match world.files().read(&place, SMALL_CAP) {
                Ok(bytes) if bytes.is_empty() => {}
                Ok(bytes) => return Some((at, bytes)),
                Err(ReadError::NotFound) => {}
                Err(_) => return None,
            }
        }
        let tip = self.tip.as_ref()?;
        let bytes = world.git().blob(&self.root, tip, rel.as_path()).ok()?;
        Some((Where::Branch, bytes))
    }

    /// The content of a file as text.
    pub(crate) fn text(&self, world: &dyn World, path: &str) -> Option<String> {
        let (_, bytes) = self.read(world, path)?;
        Some(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The first entry of a folder with such an end of its name that cannot be read, or the folder, with its path.
    pub(crate) fn unread(
        &self,
        world: &dyn World,
        path: &str,
        end: &str,
    ) -> Option<(String, OddFile)> {
        let rel = self.rel(path).ok()?;
        self.folders().find_map(|(_, dir)| {
            let folder = Place::known(dir, rel.as_path()).ok()?;
            let entries = match world.files().list(&folder) {
                Ok(entries) => entries.into_iter(),
                Err(why) => return Some((path.to_owned(), closed(&folder, &why)?)),
            };
            let mut names = entries.filter_map(|entry| entry.name.into_string().ok());
            names.find_map(|name| {
                let place = Place::known(dir, rel.as_path().join(&name)).ok()?;
                let ends = name.ends_with(end) && !self.removed.contains(&place.path());
                let why = ends.then(|| world.files().read(&place, SMALL_CAP).err())??;
                Some((format!("{path}/{name}"), odd_file(&place, &why, world)?))
            })
        })
    }

    /// The names directly in a folder, each with the first place that has it, without empty files.
    pub(crate) fn list(
        &self,
        world: &dyn World,
        path: &str,
        folders: bool,
    ) -> BTreeMap<String, Where> {
        let mut names = BTreeMap::new();
        let Ok(rel) = self.rel(path) else {
            return names;
        };
        for (at, dir) in self.folders() {
            let there = on_disk(world, dir, rel.as_path(), folders).into_iter();
            let gone = |name: &String| self.removed.contains(&dir.join(rel.as_path()).join(name));
            for name in there.filter(|name| !gone(name)) {
                names.entry(name).or_insert(at);
            }
        }
        for name in self.in_tree(world, self.tip.as_deref(), rel.as_path(), folders) {
            let filled = || self.in_branch(world, &rel.as_path().join(&name));
            if !names.contains_key(&name) && (folders || filled() == Some(true)) {
                names.insert(name, Where::Branch);
            }
        }
        names
    }

    /// The names directly in a folder of a commit.
    pub(crate) fn in_tree(
        &self,
        world: &dyn World,
        commit: Option<&str>,
        rel: &Path,
        folders: bool,
    ) -> Vec<String> {
        let paths = commit.and_then(|tip| world.git().tree_paths(&self.root, tip, rel).ok());
        let paths = paths.unwrap_or_default();
        let names = paths.iter().filter_map(|path| {
            let path = Path::new(path.as_str()?);
            let mut parts = path.strip_prefix(rel).unwrap_or(path).components();
            let first = parts.next()?.as_os_str().to_str()?.to_owned();
            (parts.next().is_some() == folders).then_some(first)
        });
        names.collect()
    }
}

fn on_disk(world: &dyn World, dir: &Path, rel: &Path, folders: bool) -> Vec<String> {
    let filled = |name: &OsStr| {
        let place = Place::known(dir, rel.join(name));
        place.is_ok_and(|file| world.files().has_content(&file))
    };
    let entries = world.files().entries(dir, rel).into_iter();
    let entries = entries.filter(|entry| entry.is_dir == folders && !entry.is_link);
    let entries = entries.filter(|entry| folders || filled(&entry.name));
    entries
        .filter_map(|entry| entry.name.into_string().ok())
        .collect()
}
