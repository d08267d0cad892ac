//! Which files exist: the folder `.mgw`, its state files by issue number, and the repository they belong to.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};

use crate::formats::json;
use crate::model::{Foreign, Place};
use crate::string_enum;
use crate::systems::kit::damage::Damage;
use crate::systems::kit::odd_files::{OddFile, closed};
use crate::systems::mgw::shape::State;
use crate::world::World;
use crate::world::git::{self, RepoFacts};

/// The folder of a project with all of mgw's files.
pub(crate) const FOLDER: &str = ".mgw";
string_enum! {
    /// Which folder of state files one is in; that of issues in progress comes first.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub(crate) enum Home {
        Active = "active",
        Completed = "completed",
    }
}

/// A parsed file name such as `57-cache-lookups.json`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Name {
    /// The digits before the first hyphen, as written.
    pub(crate) number: String,
    /// The part between hyphen and extension.
    pub(crate) slug: Foreign,
    /// True for the `.tmp` file of an interrupted write.
    pub(crate) tmp: bool,
}

impl Name {
    pub(crate) fn parse(name: &OsStr) -> Option<Self> {
        let bytes = name.as_bytes();
        let (stem, tmp) = match bytes.strip_suffix(b".json") {
            Some(stem) => (stem, false),
            None => (bytes.strip_suffix(b".json.tmp")?, true),
        };
        let digits = stem.iter().take_while(|b| b.is_ascii_digit()).count();
        let (number, rest) = stem.split_at_checked(digits)?;
        let slug = rest.strip_prefix(b"-")?;
        let number = std::str::from_utf8(number).ok()?;
        (digits > 0).then(|| Self {
            number: number.to_owned(),
            slug: slug.into(),
            tmp,
        })
    }
}

/// A state file that was found and read, whatever its content.
#[derive(Debug, Clone)]
pub(crate) struct StateFile {
    pub(crate) place: Place,
    pub(crate) path: PathBuf,
    pub(crate) home: Home,
    /// True if it is in the `.mgw` of a linked worktree.
    pub(crate) stray: bool,
    pub(crate) name: Name,
    pub(crate) modified: Option<DateTime<Utc>>,
    /// Empty if it could not be read.
    pub(crate) bytes: Vec<u8>,
    pub(crate) parsed: Result<State, Damage>,
}

impl StateFile {
    fn read(world: &dyn World, place: Place, home: Home, stray: bool, name: Name) -> Self {
        let modified = world.files().modified(&place);
        let content = world.files().whole(&place);
        let content = content.map_err(|why| Damage::unreadable(world, &place, &why));
        let parsed = content.as_deref().map_err(Clone::clone).and_then(parse);
        let bytes = content.unwrap_or_default();
        Self {
            path: place.path(),
            place,
            home,
            stray,
            name,
            modified,
            bytes,
            parsed,
        }
    }

    /// Whether it is valid JSON without the members of a state. Unless its issue has other records, another tool wrote it.
    pub(crate) fn is_odd(&self) -> bool {
        let damage = self.parsed.as_ref().err();
        let why = damage.map(|damage| (damage.code, damage.why.as_str()));
        why.is_some_and(|why| why.0 == ODD_SHAPE || why == ("bad-json", "not a JSON object"))
    }

    /// What makes it readable, if its content is unknown.
    pub(crate) fn cure(&self) -> Option<&str> {
        self.parsed.as_ref().err()?.cure.as_deref()
    }

    /// Its state, if it could be read.
    pub(crate) fn state(&self) -> Option<&State> {
        self.parsed.as_ref().ok()
    }
}

pub(crate) fn parse(bytes: &[u8]) -> Result<State, Damage> {
    let state = State::new(json::object(bytes)?);
    if state.is_ours() {
        return Ok(state);
    }
    let why = "it has neither a pipeline_stage nor a checkpoint";
    Err(Damage::new(ODD_SHAPE, why))
}

/// The code of valid JSON that is not a state.
const ODD_SHAPE: &str = "odd-shape";

/// All state files of a `.mgw` folder with a matching issue number, in the orchestrator's order: issues in progress
/// first, each folder by name.
pub(crate) fn state_files(
    world: &dyn World,
    top: &Path,
    stray: bool,
    wanted: impl Fn(&str) -> bool,
) -> Vec<StateFile> {
    let mut found = Vec::new();
    for home in Home::ALL {
        let Ok(folder) = Place::known(top, Path::new(FOLDER).join(home.word())) else {
            continue;
        };
        for entry in world.files().list(&folder).unwrap_or_default() {
            // Of thousands of issues, each asks only for its own files.
            let name = Name::parse(&entry.name).filter(|name| wanted(&name.number));
            let place = name.is_some().then(|| folder.join(&entry.name));
            if let (Some(name), Some(Ok(place))) = (name, place) {
                found.push(StateFile::read(world, place, home, stray, name));
            }
        }
    }
    found
}

/// The first folder of state files that cannot be listed, and why.
pub(crate) fn closed_home(world: &dyn World, top: &Path) -> Option<(PathBuf, OddFile)> {
    Home::ALL.into_iter().find_map(|home| {
        let folder = Place::known(top, Path::new(FOLDER).join(home.word())).ok()?;
        let odd = closed(&folder, &world.files().list(&folder).err()?)?;
        Some((folder.path(), odd))
    })
}

/// True for a folder with at least one of the files that only this system has.
pub(crate) fn is_folder(world: &dyn World, top: &Path) -> bool {
    let mut names = ["active", "completed", "project.json", "cross-refs.json"].iter();
    names.any(|name| world.files().has(top, Path::new(FOLDER).join(name)))
}

/// The top of the main repository for a folder with `.mgw`: itself, or for a linked worktree the main work tree of its
/// repository.
pub(crate) fn main_top(world: &dyn World, top: &Path) -> PathBuf {
    let real = world.files().resolved(top);
    let repo = world.git().repo(&real);
    let linked = |facts: &RepoFacts| facts.linked && facts.work_tree.as_ref() == Some(&real);
    if !repo.is_ok_and(|facts| linked(&facts)) {
        return by_layout(world, &real).unwrap_or(real);
    }
    let main = git::main_tree(world.git(), &real).and_then(|main| world.files().canonical(&main));
    main.or_else(|| by_layout(world, &real)).unwrap_or(real)
}

/// `ROOT/.worktrees/issue/<n>-<slug>` belongs to ROOT even if git no longer knows it, as long as ROOT has its own
/// `.mgw`.
fn by_layout(world: &dyn World, top: &Path) -> Option<PathBuf> {
    let folder = top.parent()?;
    let root = folder.parent()?.parent()?;
    let usual = folder.ends_with(".worktrees/issue");
    (usual && is_folder(world, root)).then(|| root.to_owned())
}

/// The folders below `ROOT/.worktrees/issue`, whether git knows them or not.
pub(crate) fn usual_worktrees(world: &dyn World, root: &Path) -> impl Iterator<Item = PathBuf> {
    let folder = ".worktrees/issue";
    let entries = world.files().entries(root, folder).into_iter();
    let folders = entries.filter(|entry| entry.is_dir);
    folders.map(move |entry| root.join(folder).join(entry.name))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number, slug, whether it is a `.tmp` file.
    type Parts = (&'static str, &'static [u8], bool);

    #[test]
    fn parses_file_names() {
        let table: &[(&[u8], Option<Parts>)] = &[
            (
                b"57-cache-lookups.json",
                Some(("57", b"cache-lookups", false)),
            ),
            (b"57-x.json.tmp", Some(("57", b"x", true))),
            (b"57-.json", Some(("57", b"", false))),
            (b"007-x.json", Some(("007", b"x", false))),
            (
                b"57-a\x1b[2J\xff.json",
                Some(("57", b"a\x1b[2J\xff", false)),
            ),
            (b"57.json", None),
            (b"-x.json", None),
            (b"x-57.json", None),
            (b"57-x.json.bak", None),
            (b"57-x.jsonl", None),
            (
                b"9999999999999999999-x.json",
                Some(("9999999999999999999", b"x", false)),
            ),
        ];
        for (name, parts) in table {
            let parsed = Name::parse(OsStr::from_bytes(name));
            let seen = parsed
                .as_ref()
                .map(|n| (n.number.as_str(), n.slug.as_bytes(), n.tmp));
            assert!(seen == *parts, "{name:?}");
        }
    }
}
