//! A directory of both sides, and what is recorded of the names that only the disk has.

use std::os::fd::OwnedFd;

use git2::Oid;
use rustix::fs::{AtFlags, statat};

use crate::model::{FileForm, Forms, PathState};

use super::Outcome;
use super::attributes::Attributes;
use super::conversions::Conversion;
use super::disk::{self, FileKind};
use super::rules::{Rules, Sides};
use super::walk::{InTheWay, Job, Shared};

/// A directory being compared.
pub(super) struct Here<'a> {
    pub(super) job: &'a Job,
    /// `None` if the work tree does not have it.
    pub(super) dir: Option<&'a OwnedFd>,
    pub(super) rules: Sides<Rules>,
    pub(super) attributes: Attributes,
    pub(super) conversion: Conversion,
    pub(super) more: Vec<Job>,
}

impl Here<'_> {
    /// Whether git stored the bytes of its files.
    pub(super) fn is_raw(&self) -> bool {
        self.conversion == Conversion::None
    }

    pub(super) fn path(&self, name: &[u8]) -> Vec<u8> {
        [&self.job.path, name].concat()
    }

    /// A name that the commit does not have.
    pub(super) fn unrecorded(
        &mut self,
        shared: &Shared<'_>,
        name: &[u8],
        kind: FileKind,
        out: &mut Outcome,
    ) {
        let is_dir = kind == FileKind::Dir;
        let ignored = self.ignores(name, is_dir);
        let is_unlisted = kind == FileKind::Other || ignored.now || ignored.then;
        match self.job.in_the_way {
            InTheWay::No if kind == FileKind::Other => {}
            InTheWay::No if ignored.then => out.ignored += 1,
            // Only rules that came after the commit ignore it: it is named, and never removed as a later file.
            InTheWay::No if ignored.now => out.add(self.path(name), PathState::NotCovered, None),
            InTheWay::Listed if is_unlisted => {
                out.add(self.path(name), PathState::InTheWay, None);
                if is_dir {
                    self.beneath(shared, name, InTheWay::Searched);
                }
            }
            in_the_way if is_dir => self.beneath(shared, name, in_the_way),
            InTheWay::Searched => {}
            InTheWay::No | InTheWay::Listed => {
                out.add(self.path(name), PathState::Created, None);
                // Whether a file may be executed is not worth a question for each.
                let link = (kind == FileKind::Link).then_some(FileForm::Link);
                out.formed(Forms::new(link, None));
            }
        }
    }

    /// A file or link in the place of a folder of the commit.
    pub(super) fn in_the_way(&self, name: &[u8], kind: FileKind, out: &mut Outcome) {
        let ignored = self.ignores(name, false);
        let state = if kind == FileKind::Other || ignored.now || ignored.then {
            PathState::InTheWay
        } else {
            PathState::Created
        };
        out.add(self.path(name), state, None);
        let stat = self
            .dir
            .map(|dir| statat(dir, name, AtFlags::SYMLINK_NOFOLLOW));
        let now = stat.and_then(Result::ok).map(|stat| disk::form(&stat));
        out.formed(Forms::new(now, Some(FileForm::Directory)));
    }

    fn ignores(&self, name: &[u8], is_dir: bool) -> Sides<bool> {
        self.rules
            .ignore(self.job.ignored, &self.path(name), is_dir)
    }

    /// Adds a directory under this one, with the commit's tree for it.
    pub(super) fn enter(
        &mut self,
        shared: &Shared<'_>,
        name: &[u8],
        tree: Option<Oid>,
        on_disk: bool,
        in_the_way: InTheWay,
    ) {
        let path = self.path(name);
        let ignored = if on_disk {
            self.ignores(name, true)
        } else {
            self.job.ignored
        };
        let path = [&path, &b"/"[..]].concat();
        self.more.push(Job {
            cached: shared.cache.beneath(&self.job.cached, &path),
            path,
            tree,
            on_disk,
            rules: self.rules.clone(),
            ignored,
            attributes: self.attributes.clone(),
            conversion: self.conversion,
            in_the_way,
            hidden: self.job.hidden,
        });
    }

    /// Adds a directory that the commit does not have.
    pub(super) fn beneath(&mut self, shared: &Shared<'_>, name: &[u8], in_the_way: InTheWay) {
        self.enter(shared, name, None, true, in_the_way);
    }
}
