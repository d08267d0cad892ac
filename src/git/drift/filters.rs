//! Files that git writes through a program (`filter=`) or in another encoding. relight runs no program that a repository
//! names, so it cannot tell what belongs on the disk in the place of what the commit stores.

use std::cell::OnceCell;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use git2::{AttrCheckFlags, AttrValue, Repository};

use crate::git::objects::Repo;
use crate::git::open;

/// The attributes of a work tree's files; one for each thread.
pub(super) struct Filters<'a> {
    work_tree: &'a Path,
    repo: OnceCell<Option<Repo>>,
}

impl<'a> Filters<'a> {
    pub(super) fn of(work_tree: &'a Path) -> Self {
        let repo = OnceCell::new();
        Self { work_tree, repo }
    }

    /// Whether git would write other bytes than the commit's for a path, beyond line ends. Without an answer, it would.
    pub(super) fn rewrite(&self, path: &[u8]) -> bool {
        let opened = || open::open(self.work_tree).ok().map(|opened| opened.repo);
        let Some(repo) = self.repo.get_or_init(opened) else {
            return true;
        };
        let value = |name| {
            let path = Path::new(OsStr::from_bytes(path));
            repo.get_attr(path, name, AttrCheckFlags::FILE_THEN_INDEX)
                .map(AttrValue::from_string)
        };
        let encoded = value("working-tree-encoding");
        let encoded = encoded.map_or(true, |value| matches!(value, AttrValue::String(_)));
        encoded
            || match value("filter") {
                // Git LFS leaves content that is no pointer as it is.
                Ok(AttrValue::String("lfs")) => false,
                Ok(AttrValue::String(name)) => has_program(repo, name),
                Ok(_) => false,
                Err(_) => true,
            }
    }
}

/// Whether the configuration names a program for a filter: git leaves files as they are without one.
fn has_program(repo: &Repository, name: &str) -> bool {
    let Ok(config) = repo.config() else {
        return true;
    };
    let mut programs = ["smudge", "process"].into_iter();
    programs.any(|what| config.get_entry(&format!("filter.{name}.{what}")).is_ok())
}
