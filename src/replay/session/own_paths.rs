//! The folders that a session has in place of the original's: dispatches are written with their paths, and the files
//! that dispatches name are copied into them.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Path, PathBuf};

use super::Ground;
use super::folder::{self, DISPATCH, Folder, SCRATCH, TREE};
use crate::apply::bytes::is_plain;
use crate::apply::disk::{Disk as _, RealDir};
use crate::foreign;
use crate::model::{Foreign, Place, ReplayPlan, StepBody};
use crate::replay::isolation::paths::{Spellings, folders, rest_of_path};
use crate::text::format::{count, size};
use crate::world::World;
use crate::world::files::{FileKind, SMALL_CAP};

/// The most files that are copied because dispatches name them.
const FILES: usize = 2_000;

/// The most bytes of them.
const BYTES: u64 = 64 << 20;

/// The paths of the original and what is in their place.
pub(super) struct OwnPaths(Option<(Spellings, [Option<PathBuf>; 3])>);

impl OwnPaths {
    /// Those of a session's folder; a session in place, or one that keeps paths, has none.
    pub(super) fn of(plan: &ReplayPlan, session: &Path, world: &dyn World) -> Self {
        if plan.ask.in_place || plan.ask.isolation.keep_paths {
            return Self(None);
        }
        let home = world.places().home.as_deref();
        let spellings = Spellings::of(folders(&plan.experiment), home);
        let own = [TREE, SCRATCH, DISPATCH].map(|name| Some(session.join(name)));
        Self(Some((spellings, own)))
    }

    /// A text with the session's own paths.
    pub(super) fn rewrite(&self, text: &[u8]) -> Vec<u8> {
        match &self.0 {
            Some((spellings, own)) => spellings.rewrite(text, own.each_ref().map(Option::as_deref)),
            None => text.to_vec(),
        }
    }
}

/// Makes the session's scratch folder, and copies what the dispatches name in the original's scratch and dispatch
/// folders. Their own results are not there to be read: only what is named. Answers with what could not be copied,
/// a sentence each.
pub(super) fn copy_named(
    ground: &Ground<'_>,
    plan: &ReplayPlan,
    session: &Folder,
) -> io::Result<Vec<Foreign>> {
    let scratch = session.mkdir(SCRATCH)?;
    if plan.ask.isolation.keep_paths {
        return Ok(Vec::new());
    }
    let dispatch = session.sub(DISPATCH)?;
    let folders = folders(&plan.experiment);
    let spellings = Spellings::of(folders, ground.world.places().home.as_deref());
    let mut named: [BTreeSet<PathBuf>; 3] = Default::default();
    for step in &plan.steps {
        let StepBody::Ready(text) = &step.body else {
            continue;
        };
        for mention in spellings.mentions(text) {
            let rest = Path::new(OsStr::from_bytes(rest_of_path(text, &mention)));
            if let Some(named) = named.get_mut(mention.folder)
                && !rest.as_os_str().is_empty()
                && is_plain(rest)
            {
                named.insert(rest.to_owned());
            }
        }
    }
    let mut copier = Copier {
        ground,
        left: (FILES, BYTES),
        left_out: Vec::new(),
    };
    // The files of the project itself are in the tree.
    let others = folders.into_iter().zip(named).skip(1);
    for ((original, named), own) in others.zip([&scratch, &dispatch]) {
        let Some(original) = original else { continue };
        for rel in named {
            copier.copy(original, own, &rel)?;
        }
    }
    Ok(copier.left_out)
}

struct Copier<'a> {
    ground: &'a Ground<'a>,
    /// Files and bytes that may still be copied.
    left: (usize, u64),
    left_out: Vec<Foreign>,
}

impl Copier<'_> {
    /// Copies a file, or a folder with all that is in it. What is not there is nothing: a dispatch may name a file
    /// that it is to write.
    fn copy(&mut self, original: &Path, own: &RealDir, rel: &Path) -> io::Result<()> {
        let files = self.ground.world.files();
        let place = Place::known(original, rel).ok();
        let found = place.and_then(|place| Some((files.stat(&place).ok()?, place)));
        let Some((stat, place)) = found else {
            return Ok(());
        };
        match stat.kind {
            FileKind::Dir => {
                for entry in files.list(&place).unwrap_or_default() {
                    self.copy(original, own, &rel.join(&entry.name))?;
                }
                Ok(())
            }
            FileKind::File if self.left.0 == 0 || stat.size > self.left.1.min(SMALL_CAP) => {
                let path = &place.path();
                let text = foreign!(
                    "{} is named by a dispatch and was not copied (limits: {} a file, {} and {} in all).",
                    path,
                    size(SMALL_CAP),
                    count(FILES, "file"),
                    size(BYTES)
                );
                self.left_out.push(text);
                Ok(())
            }
            FileKind::File => {
                let Ok(bytes) = files.read(&place, SMALL_CAP) else {
                    return Ok(());
                };
                self.left = (self.left.0 - 1, self.left.1.saturating_sub(stat.size));
                self.put(own, rel, &bytes)
            }
            FileKind::Link | FileKind::Other => Ok(()),
        }
    }

    fn put(&self, own: &RealDir, rel: &Path, bytes: &[u8]) -> io::Result<()> {
        let disk = &self.ground.disk;
        let mut dir = own.clone();
        for name in rel.parent().into_iter().flat_map(Path::iter) {
            dir = folder::enter(disk, &dir, name)?;
        }
        let name = rel.file_name().ok_or(io::ErrorKind::InvalidInput)?;
        if disk.look(&dir, name)?.is_some() {
            return Ok(());
        }
        folder::put(disk, &dir, name, bytes)
    }
}
