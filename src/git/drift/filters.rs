//! Files that git writes through a program (`filter=`) or in another encoding. relight runs no program that a repository
//! names, so it cannot tell what belongs on the disk in the place of what the commit stores.

use std::cell::OnceCell;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use git2::{AttrCheckFlags, AttrValue};

use super::Source;
use crate::git::config::is_off;
use crate::git::objects::Repo;
use crate::git::{open, store};

/// The attributes of a work tree's files; one for each thread.
pub(super) struct Filters<'a> {
    source: &'a Source,
    repo: OnceCell<Option<Repo>>,
}

impl<'a> Filters<'a> {
    pub(super) fn of(source: &'a Source) -> Self {
        let repo = OnceCell::new();
        Self { source, repo }
    }

    /// The repository that the commit was made in, with the work tree it was made of: its configuration names the
    /// programs, and not that of another repository there.
    fn open(&self) -> Option<Repo> {
        let Source {
            objects, work_tree, ..
        } = self.source;
        if self.source.is_own {
            return open::open(work_tree).ok().map(|opened| opened.repo);
        }
        let repo = store::open(objects).ok()?;
        repo.set_workdir(work_tree, false).ok()?;
        Some(repo)
    }

    /// Whether git would write other bytes than the commit's for a path, beyond line ends. Without an answer, it would.
    pub(super) fn rewrite(&self, path: &[u8]) -> bool {
        let encoded = self.value(path, "working-tree-encoding", |_, value| {
            matches!(value, AttrValue::String(_))
        });
        let filtered = || {
            self.value(path, "filter", |repo, value| match value {
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
    pub(super) fn convert_line_ends(&self, path: &[u8], content: &[u8]) -> bool {
        let is_set = |_: &Repo, value: AttrValue<'_>| match value {
            AttrValue::String("auto") => Some(!is_binary(content)),
            AttrValue::True | AttrValue::String(_) => Some(true),
            AttrValue::False => Some(false),
            AttrValue::Unspecified | AttrValue::Bytes(_) => None,
        };
        let stated = ["text", "crlf", "eol"].into_iter();
        let mut stated = stated.filter_map(|name| self.value(path, name, is_set).flatten());
        let by_setting = || {
            let config = self.repo()?.config().ok()?.snapshot().ok()?;
            let value = config.get_str("core.autocrlf").ok()?;
            Some(!is_off(value.as_bytes()) && !is_binary(content))
        };
        stated.next().or_else(by_setting).unwrap_or(false)
    }

    fn repo(&self) -> Option<&Repo> {
        self.repo.get_or_init(|| self.open()).as_ref()
    }

    /// What an attribute of a path says.
    fn value<T>(
        &self,
        path: &[u8],
        name: &str,
        read: impl FnOnce(&Repo, AttrValue<'_>) -> T,
    ) -> Option<T> {
        let path = Path::new(OsStr::from_bytes(path));
        let repo = self.repo().filter(|repo| self.are_files(repo, path))?;
        let value = repo.get_attr(path, name, AttrCheckFlags::FILE_THEN_INDEX);
        Some(read(repo, AttrValue::from_string(value.ok()?)))
    }

    /// Whether the files of attributes that count for a path are files. What else may be there says nothing that can
    /// be trusted, and a pipe that is opened would never end.
    fn are_files(&self, repo: &Repo, path: &Path) -> bool {
        let dirs = path.ancestors().skip(1);
        let own = dirs.map(|dir| self.source.work_tree.join(dir).join(".gitattributes"));
        let of_git = [repo.path(), repo.commondir()].map(|dir| dir.join("info/attributes"));
        own.chain(of_git).all(|file| match file.symlink_metadata() {
            Ok(meta) => meta.is_file(),
            Err(why) => matches!(
                why.kind(),
                io::ErrorKind::NotFound | io::ErrorKind::NotADirectory
            ),
        })
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

/// Whether git takes content for no text where it has to guess: it has a NUL, a lone carriage return, or more than one
/// control character in 128 others.
fn is_binary(content: &[u8]) -> bool {
    let (mut plain, mut control) = (0, 0);
    // A Ctrl-Z at the end marks the end of a text.
    let content = content.strip_suffix(b"\x1a").unwrap_or(content);
    for (at, byte) in content.iter().enumerate() {
        match byte {
            0 => return true,
            b'\r' if content.get(at + 1) != Some(&b'\n') => return true,
            b'\r' | b'\n' => {}
            b'\t' | 0x08 | 0x0c | 0x1b => plain += 1,
            0x01..0x20 | 0x7f => control += 1,
            _ => plain += 1,
        }
    }
    plain >> 7 < control
}
