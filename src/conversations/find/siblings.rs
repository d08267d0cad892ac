//! The pipelines that keep their state files in one folder, such as the issues of a project. They share a directory,
//! often a branch, and hours, so a conversation that names only others of them is no evidence for this one.

use std::path::{Path, PathBuf};

use crate::conversations::claude::Transcript;
use crate::model::{Place, Reading};
use crate::world::World;

/// The skills of a system whose first argument is the key of a pipeline; that of others may be a group of them.
const KEYED: &[&str] = &["run", "issue"];
/// How many folders next to that of the state files are looked into, such as the archive.
const FOLDERS: usize = 8;

/// The names of the state files without their ends. Worktrees and branches contain them, too.
pub(super) struct Siblings {
    system: &'static str,
    key: String,
    own: Vec<String>,
    others: Vec<String>,
}

/// Which of the pipelines of a folder a conversation names.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Meant {
    /// This one, or there is no other.
    This,
    /// Others only.
    Another,
    /// None of several.
    Any,
    /// This one first, and another one, by its key, last.
    Next(String),
}

impl Siblings {
    /// Those of a pipeline; none where the names of its state files do not contain its key.
    pub(super) fn of(reading: &Reading, world: &dyn World) -> Self {
        let key = reading.native.lossy().into_owned();
        let begins = |name: &str| {
            let rest = name.strip_prefix(key.as_str());
            rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
        };
        let files = reading.state_files.iter();
        let mut siblings = Self {
            own: Vec::new(),
            others: Vec::new(),
            system: reading.system.0,
            key: key.clone(),
        };
        for file in files {
            let (Some(dir), Some((name, _))) = (file.parent(), stem(file)) else {
                continue;
            };
            if key.is_empty() || !begins(name) || siblings.own.iter().any(|own| own == name) {
                continue;
            }
            siblings.own.push(name.to_owned());
            let names = folders(dir, world).into_iter();
            let others = names.filter_map(|path| {
                let (name, ending) = stem(&path)?;
                (stem(file).is_some_and(|(_, own)| own == ending) && !begins(name))
                    .then(|| name.to_owned())
            });
            siblings.others.extend(others);
        }
        siblings
    }

    /// Which of them a conversation in these directories names.
    pub(super) fn meant(&self, dirs: &[Option<&Path>], transcript: &Transcript) -> Meant {
        if self.own.is_empty() {
            return Meant::This;
        }
        let paths = transcript.written.iter().chain(&transcript.worktrees);
        let paths = paths.map(PathBuf::as_path);
        let paths = paths.chain(dirs.iter().copied().flatten());
        let mut texts: Vec<_> = paths.map(|path| path.to_string_lossy()).collect();
        texts.extend(transcript.branch.iter().map(|branch| branch.lossy()));
        texts.extend(transcript.commands.iter().map(|one| one.as_str().into()));
        let named = |names: &[String]| {
            let mut texts = texts.iter();
            texts.any(|text| names.iter().any(|name| is_word_of(text, name)))
        };
        let keys = || {
            let asked = transcript.asked.iter();
            let asked = asked.filter(|(skill, _)| self.is_keyed(skill));
            let first = asked.filter_map(|(_, words)| words.split_whitespace().next());
            first.map(|word| word.trim_start_matches('#'))
        };
        let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
        let is_other = |key: &str| key != self.key && is_number(key) && is_number(&self.key);
        let this = named(&self.own) || keys().any(|key| key == self.key);
        // What was asked for last is what it ended with.
        let last = keys().next_back().filter(|key| is_other(key));
        match (this, last) {
            (true, Some(next)) => Meant::Next(next.to_owned()),
            (true, None) => Meant::This,
            (false, _) if named(&self.others) || keys().any(is_other) => Meant::Another,
            (false, _) if self.others.is_empty() => Meant::This,
            (false, _) => Meant::Any,
        }
    }

    fn is_keyed(&self, skill: &str) -> bool {
        let of_system = skill.split_once(':');
        of_system.is_some_and(|(system, verb)| system == self.system && KEYED.contains(&verb))
    }
}

/// The files of a folder and of those next to it.
fn folders(dir: &Path, world: &dyn World) -> Vec<PathBuf> {
    let list = |dir: &Path| -> Vec<(PathBuf, bool)> {
        let listed = world.files().list(&Place::root(dir)).unwrap_or_default();
        let listed = listed.into_iter();
        listed
            .map(|entry| (dir.join(entry.name), entry.is_dir))
            .collect()
    };
    let next = dir.parent().into_iter().flat_map(list);
    let next = next.filter(|(path, is_dir)| *is_dir && path != dir);
    let next = next.map(|(path, _)| path).take(FOLDERS);
    let all = std::iter::once(dir.to_owned()).chain(next);
    all.flat_map(|dir| list(&dir).into_iter().map(|(path, _)| path))
        .collect()
}

/// A file's name up to its first dot, and the rest.
fn stem(path: &Path) -> Option<(&str, &str)> {
    path.file_name()?.to_str()?.split_once('.')
}

/// Whether text contains a name that is not a part of a longer one.
fn is_word_of(text: &str, name: &str) -> bool {
    let goes_on = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    text.match_indices(name).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let after = text.get(at + name.len()..).unwrap_or_default();
        !name.is_empty() && !before.ends_with(goes_on) && !after.starts_with(goes_on)
    })
}
