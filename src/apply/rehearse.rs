//! A rehearsal: applies a plan to a copy of the project in one of relight's own folders.
//!
//! Files are copied, never hard-linked: the check command that runs in the copy may write to any of them.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use super::appends;
use super::crash::remove;
use super::disk::{Disk, FileKind};
use super::draft::{Change, Draft, Place, Want};
use super::exchange::{BaseKind, is_absent};
use super::purge::copy;
use super::stage::fill::write;
use crate::model::path::is_git_dir;
use crate::text::Shown as _;

/// The maximum number of files in a copy.
const MOST_FILES: u64 = 300_000;

/// A copy of a project's root with a plan applied to it.
#[derive(Debug)]
pub struct Rehearsed {
    /// The copied root.
    pub folder: PathBuf,
    /// The number of paths that the plan changed in it.
    pub changed: u64,
    /// What the copy lacks, a sentence each.
    pub left_out: Vec<String>,
}

/// The inputs of a rehearsal.
pub struct Rehearsing<'a, D: Disk> {
    /// The disk.
    pub disk: &'a D,
    /// The canonical root that is copied.
    pub root: &'a Path,
    /// An empty folder of relight's own, opened, and its path.
    pub scratch: (&'a D::Dir, &'a Path),
    /// Called with the number of copied files; an error ends the rehearsal.
    pub progress: &'a dyn Fn(u64, u64) -> io::Result<()>,
}

impl<D: Disk> Rehearsing<'_, D> {
    /// Copies the root and applies a draft to the copy.
    pub fn run(&self, draft: &Draft) -> io::Result<Rehearsed> {
        let name = OsStr::new("tree");
        self.disk.mkdir(self.scratch.0, name, 0o700)?;
        let target = self.disk.dir(self.scratch.0, name.as_ref())?;
        let mut rehearsed = Rehearsed {
            folder: self.scratch.1.join(name),
            changed: 0,
            left_out: vec!["Git directories are not copied.".to_owned()],
        };
        let mut files = 0;
        self.copy_in(&self.disk.root(self.root)?, &target, &mut files)?;
        let mut outside = BTreeSet::new();
        let mut changes: Vec<&Change> = draft.changes.iter().collect();
        changes.sort_by(|a, b| a.place.cmp(&b.place));
        // A folder is removed after its content, and created before it.
        let (removed, created): (Vec<&Change>, Vec<&Change>) = changes
            .into_iter()
            .partition(|change| matches!(change.want, Want::Nothing));
        for change in removed.into_iter().rev().chain(created) {
            match self.within(draft, &change.place) {
                Some(rel) => {
                    self.change(draft, &target, &rel, &change.want)?;
                    rehearsed.changed += 1;
                }
                None => {
                    outside.insert(change.place.base);
                }
            }
        }
        for append in &draft.appends {
            let Some(rel) = self.within(draft, &append.place) else {
                outside.insert(append.place.base);
                continue;
            };
            let (dir, name) = self.parent(&target, &rel)?;
            let size = self.disk.look(&dir, &name)?.map_or(0, |node| node.size);
            let tail = match size.checked_sub(1) {
                Some(last) => self.disk.read_from(&dir, &name, last, 1)?,
                None => Vec::new(),
            };
            let whole = appends::after(&tail, &append.block);
            let added = whole.get(tail.len()..).unwrap_or_default();
            self.disk.append(&dir, &name, added)?;
            rehearsed.changed += 1;
        }
        for base in outside {
            if let Some(base) = draft
                .bases
                .get(base)
                .filter(|base| base.kind == BaseKind::Files)
            {
                rehearsed.left_out.push(format!(
                    "Changes in {} are not rehearsed: only {} is copied.",
                    base.path.shown(),
                    self.root.shown()
                ));
            }
        }
        if !draft.refs.is_empty() {
            rehearsed
                .left_out
                .push("Branches and the index are not rehearsed.".to_owned());
        }
        Ok(rehearsed)
    }

    fn copy_in(&self, from: &D::Dir, to: &D::Dir, files: &mut u64) -> io::Result<()> {
        use std::os::unix::ffi::OsStrExt as _;
        let mount = self.disk.mount(from)?;
        for name in self.disk.list(from)? {
            if is_git_dir(name.as_bytes()) {
                continue;
            }
            let Some(node) = self.disk.look(from, &name)? else {
                continue;
            };
            if node.kind == FileKind::Dir {
                let inner = match self.disk.dir(from, name.as_ref()) {
                    Ok(inner) if self.disk.mount(&inner)? == mount => inner,
                    // Other mounts are not copied, and a folder that cannot be opened was removed meanwhile.
                    Ok(_) | Err(_) => continue,
                };
                self.disk.mkdir(to, &name, 0o700)?;
                self.copy_in(&inner, &self.disk.dir(to, name.as_ref())?, files)?;
                continue;
            }
            *files += 1;
            if *files > MOST_FILES {
                return Err(io::Error::other(format!(
                    "the project has more than {MOST_FILES} files, too many for a rehearsal"
                )));
            }
            (self.progress)(*files, *files)?;
            copy(self.disk, (from, &name), (to, &name))?;
        }
        Ok(())
    }

    /// A place in the copy; `None` if it is outside the copied root.
    fn within(&self, draft: &Draft, place: &Place) -> Option<PathBuf> {
        let base = draft
            .bases
            .get(place.base)
            .filter(|base| base.kind == BaseKind::Files)?;
        let path = base.path.join(&place.rel);
        path.strip_prefix(self.root).ok().map(Path::to_owned)
    }

    /// The folder of a path in the copy, created if it does not exist.
    fn parent(&self, target: &D::Dir, rel: &Path) -> io::Result<(D::Dir, std::ffi::OsString)> {
        let mut dir = target.clone();
        for name in rel.parent().into_iter().flat_map(Path::iter) {
            match self.disk.look(&dir, name)? {
                Some(node) if node.kind == FileKind::Dir => {}
                Some(_) => {
                    self.disk.remove(&dir, name)?;
                    self.disk.mkdir(&dir, name, 0o700)?;
                }
                None => self.disk.mkdir(&dir, name, 0o700)?,
            }
            dir = self.disk.dir(&dir, name.as_ref())?;
        }
        let name = rel.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        Ok((dir, name.to_owned()))
    }

    fn change(&self, draft: &Draft, target: &D::Dir, rel: &Path, want: &Want) -> io::Result<()> {
        let (dir, name) = self.parent(target, rel)?;
        if let Want::With(other) = want {
            let Some(other) = self.within(draft, other) else {
                return remove(self.disk, &dir, &name);
            };
            let (to, new) = self.parent(target, &other)?;
            return match self.disk.shift((&dir, &name), (&to, &new)) {
                Err(error) if !is_absent(&error) => Err(error),
                Ok(()) | Err(_) => Ok(()),
            };
        }
        let mode = self.disk.look(&dir, &name)?;
        let mode = mode
            .filter(|node| node.kind == FileKind::File)
            .map(|node| node.mode);
        if !matches!(want, Want::Dir) || mode.is_some() {
            remove(self.disk, &dir, &name)?;
        }
        match want {
            Want::File {
                content,
                mode: rule,
            } => {
                write(self.disk, &dir, &name, content)?;
                self.disk
                    .copy_metadata((&dir, &name), rule.bits(mode, self.disk.umask()), None)
            }
            Want::Link { target } => self.disk.symlink(&dir, &name, target),
            Want::Dir if self.disk.look(&dir, &name)?.is_none() => {
                self.disk.mkdir(&dir, &name, 0o700)
            }
            Want::Dir | Want::Nothing | Want::With(_) => Ok(()),
        }
    }
}
