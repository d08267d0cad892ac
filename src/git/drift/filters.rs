//! Files that git writes through a program (`filter=`) or in another encoding. relight runs no program that a repository
//! names, so it cannot tell what belongs on the disk in the place of what the commit stores.

use std::cell::OnceCell;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use git2::{AttrCheckFlags, AttrValue, Index, Odb};

use super::Source;
use super::attributes::Attributes;
use crate::git::config::is_off;
use crate::git::objects::Repo;
use crate::git::{open, store};
use crate::model::line_ends::{LineEnds, is_binary};

/// The attributes of a work tree's files; one for each thread.
pub(super) struct Filters<'a> {
    source: &'a Source,
    repo: OnceCell<Option<Repo>>,
    settings: OnceCell<(Option<bool>, bool)>,
}

/// How git converts a text.
struct Text {
    /// Whether only its content says that it is text.
    is_guessed: bool,
    /// Whether it gets CRLF in the work tree.
    is_crlf: bool,
}

/// What an attribute about text says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Word {
    Yes,
    No,
    Auto,
    Input,
    Lf,
    Crlf,
}

impl Word {
    fn of(value: AttrValue<'_>) -> Option<Self> {
        match value {
            AttrValue::True => Some(Self::Yes),
            AttrValue::False => Some(Self::No),
            AttrValue::String("auto") => Some(Self::Auto),
            AttrValue::String("input") => Some(Self::Input),
            AttrValue::String("lf") => Some(Self::Lf),
            AttrValue::String("crlf") => Some(Self::Crlf),
            AttrValue::String(_) | AttrValue::Unspecified | AttrValue::Bytes(_) => None,
        }
    }

    /// What it says as a value of `eol`.
    fn is_crlf(self) -> Option<bool> {
        match self {
            Self::Lf => Some(false),
            Self::Crlf => Some(true),
            Self::Yes | Self::No | Self::Auto | Self::Input => None,
        }
    }
}

impl<'a> Filters<'a> {
    pub(super) fn of(source: &'a Source) -> Self {
        Self {
            source,
            repo: OnceCell::new(),
            settings: OnceCell::new(),
        }
    }

    /// The repository that the commit was made in: its configuration names the programs, and not that of another
    /// repository there. Its index and objects are in memory, and it has no work tree: libgit2 would mix the attributes
    /// on the disk with those that decide.
    fn open(&self) -> Option<Repo> {
        let Source { objects, index, .. } = self.source;
        let opened = if self.source.is_own {
            open::open_bare_objects(index)
        } else {
            store::open(objects)
        };
        let repo = opened.ok()?;
        // What else may be in its place says nothing that can be trusted, and a pipe that is opened would never end.
        let info = repo.commondir().join("info/attributes");
        let info = info.symlink_metadata();
        if info.is_ok_and(|meta| !meta.is_file()) {
            return None;
        }
        let odb = Odb::new().ok()?;
        odb.add_new_mempack_backend(1).ok()?;
        repo.set_odb(&odb).ok()?;
        repo.set_index(&mut Index::new().ok()?).ok()?;
        Some(repo)
    }

    /// Whether git would write other bytes than the commit's for a path, beyond line ends. Without an answer, it would.
    pub(super) fn rewrite(&self, from: &Attributes, path: &[u8]) -> bool {
        let encoded = self.value((from, path), "working-tree-encoding", |_, value| {
            matches!(value, AttrValue::String(_))
        });
        let filtered = || {
            self.value((from, path), "filter", |repo, value| match value {
                // Git LFS leaves content that is no pointer as it is.
                AttrValue::String(name) => name != "lfs" && has_program(repo, name),
                AttrValue::True
                | AttrValue::False
                | AttrValue::Bytes(_)
                | AttrValue::Unspecified => false,
            })
        };
        encoded.unwrap_or(true) || filtered().unwrap_or(true)
    }

    /// Whether git converts the line ends of a path with this content. Without an answer, it does not.
    pub(super) fn convert_line_ends(&self, from: &Attributes, path: &[u8], content: &[u8]) -> bool {
        let text = self.text(from, path);
        text.is_some_and(|text| !text.is_guessed || !is_binary(content))
    }

    /// The line ends that git would write for a path. Without an answer, those of the commit.
    pub(super) fn line_ends(&self, from: &Attributes, path: &[u8]) -> LineEnds {
        match self.text(from, path) {
            Some(text) if text.is_crlf && text.is_guessed => LineEnds::CrlfIfText,
            Some(text) if text.is_crlf => LineEnds::Crlf,
            Some(_) | None => LineEnds::AsStored,
        }
    }

    /// What is set for the text of a path, by git's own order; `None` where its line ends are left as they are.
    fn text(&self, from: &Attributes, path: &[u8]) -> Option<Text> {
        let word = |name| {
            self.value((from, path), name, |_, value| Word::of(value))
                .flatten()
        };
        let (lines, usual) = self.settings();
        let word_of_text = word("text").or_else(|| word("crlf"));
        let eol = word("eol").and_then(Word::is_crlf);
        match word_of_text {
            Some(Word::No) => None,
            None if eol.is_none() => lines.map(|is_crlf| Text {
                is_guessed: true,
                is_crlf,
            }),
            word => Some(Text {
                is_guessed: word == Some(Word::Auto),
                is_crlf: eol.unwrap_or_else(|| word != Some(Word::Input) && usual),
            }),
        }
    }

    /// `core.autocrlf`, where it is on: whether it asks for CRLF. And whether text gets CRLF where only its being text
    /// is known.
    fn settings(&self) -> (Option<bool>, bool) {
        *self.settings.get_or_init(|| {
            let config = self.repo().and_then(|repo| repo.config().ok());
            let config = config.and_then(|mut config| config.snapshot().ok());
            let value = |name| Some(config.as_ref()?.get_str(name).ok()?.to_ascii_lowercase());
            let lines = value("core.autocrlf").filter(|value| !is_off(value.as_bytes()));
            let lines = lines.map(|value| value != "input");
            let eol = || value("core.eol").is_some_and(|eol| eol == "crlf");
            (lines, lines.unwrap_or_else(eol))
        })
    }

    fn repo(&self) -> Option<&Repo> {
        self.repo.get_or_init(|| self.open()).as_ref()
    }

    /// What an attribute of a path says.
    fn value<T>(
        &self,
        (from, path): (&Attributes, &[u8]),
        name: &str,
        read: impl FnOnce(&Repo, AttrValue<'_>) -> T,
    ) -> Option<T> {
        let repo = self.repo()?;
        if !from.add_to(&mut repo.index().ok()?) {
            return None;
        }
        let path = Path::new(OsStr::from_bytes(path));
        let value = repo.get_attr(path, name, AttrCheckFlags::INDEX_ONLY);
        Some(read(repo, AttrValue::from_string(value.ok()?)))
    }
}

/// Whether the configuration names a program for a filter: git leaves files as they are without one.
fn has_program(repo: &Repo, name: &str) -> bool {
    let Ok(config) = repo.config() else {
        return true;
    };
    let mut programs = ["clean", "smudge", "process"].into_iter();
    programs.any(|what| config.get_entry(&format!("filter.{name}.{what}")).is_ok())
}
