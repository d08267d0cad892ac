//! Compares one directory: its tree and its listing are merged by name, and each pair is judged.

use std::cmp::Ordering;
use std::ffi::CStr;
use std::os::fd::OwnedFd;

use git2::{ObjectType, Odb, Oid};
use rustix::fs::{AtFlags, Stat, statat};
use rustix::io::Errno;

use crate::git::trees::{self, Kind, TreeEntry};
use crate::model::path::is_git_dir;
use crate::model::{Blob, FileForm, Forms, PathState};
use crate::text::Shown as _;
use crate::world::git::GitError;

use super::attributes::Recorded;
use super::cache::Cursor;
use super::conversions::{self, Conversion};
use super::disk::{self, FileKind, Listing, is_repository, never_missing, unreadable};
use super::filters::Filters;
use super::here::Here;
use super::rules::Sides;
use super::walk::{InTheWay, Job, Shared};
use super::{Measure, Outcome, lfs};

/// The state of one thread.
pub(super) struct Walker<'a> {
    shared: &'a Shared<'a>,
    odb: &'a Odb<'a>,
    filters: Filters<'a>,
    buffer: Vec<u8>,
}

/// The state of a differing file, what it is on both sides, and its stat data and hash.
type Differing = (PathState, Forms, Option<Vec<u8>>);

/// The content of a file compared with the commit's.
enum Content {
    Same,
    /// Different, with its hash if it was read.
    Other(Option<Oid>),
}

impl<'a> Walker<'a> {
    pub(super) fn new(shared: &'a Shared<'a>, odb: &'a Odb<'a>) -> Self {
        Self {
            shared,
            odb,
            filters: Filters::of(shared.source),
            buffer: Vec::new(),
        }
    }

    /// Compares one directory and returns its subdirectories.
    pub(super) fn compare(&mut self, job: &Job, out: &mut Outcome) -> Result<Vec<Job>, GitError> {
        let dir = match job
            .on_disk
            .then(|| disk::open_dir(&self.shared.root, &job.path))
        {
            // Another mount is never opened, so its content cannot be compared.
            Some(Err(Errno::XDEV)) => return Ok(job.hides(false, out)),
            Some(opened) => Some(opened.map_err(|e| unreadable(&job.path, e))?),
            None => None,
        };
        let listing = match &dir {
            Some(dir) => Listing::read(dir).map_err(|e| unreadable(&job.path, e))?,
            None => Listing::default(),
        };
        if let Some(dir) = &dir
            && !job.path.is_empty()
            && !job.hidden
            // A repository inside the work tree has its own history: its files belong to no checkpoint of this one.
            && (self.shared.is_git_dir(dir) || is_repository(dir, &listing))
        {
            return Ok(job.hides(true, out));
        }
        let object = match job.tree {
            Some(id) => {
                let read = self.shared.objects.read(self.odb, ObjectType::Tree, id);
                Some((id, read.map_err(never_missing)?))
            }
            None => None,
        };
        let entries = match &object {
            Some((id, object)) => trees::entries(*id, object.data())?,
            None => Vec::new(),
        };
        self.shared
            .count(entries.len() + listing.len(), &job.path)?;
        let before = out.paths.len();
        let recorded = Recorded {
            objects: &self.shared.objects,
            odb: self.odb,
            entries: &entries,
        };
        let on_disk = (dir.as_ref(), &listing);
        let (attributes, worst) = if self.shared.source.is_raw {
            Default::default()
        } else {
            job.attributes.in_directory(
                &job.path,
                (self.shared.measure, &self.shared.source.except),
                &recorded,
                on_disk,
            )
        };
        let mut here = Here {
            rules: Sides::in_directory(job, &recorded, on_disk, self.shared.measure),
            attributes,
            conversion: job.conversion.max(worst),
            job,
            dir: dir.as_ref(),
            more: Vec::new(),
        };
        let ignored = out.ignored;
        self.merge(&mut here, &entries, &listing, out)?;
        // Inside a nested repository, only paths of the checkpoint count, as paths that cannot be restored.
        if job.hidden {
            out.ignored = ignored;
            out.hide(before);
            here.more.retain(|more| more.tree.is_some());
        }
        Ok(here.more)
    }

    fn merge(
        &mut self,
        here: &mut Here<'_>,
        entries: &[TreeEntry<'_>],
        listing: &Listing,
        out: &mut Outcome,
    ) -> Result<(), GitError> {
        let shared = self.shared;
        let mut cursor = shared
            .cache
            .cursor(here.job.cached.clone(), here.job.path.len());
        // Both lists are sorted by name, so one pass finds the names that only one side has.
        let (mut t, mut d) = (0, 0);
        loop {
            let (entry, found) = (entries.get(t), listing.get(d));
            let order = match (entry, found) {
                (None, None) => return Ok(()),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(entry), Some((name, _))) => entry.name.cmp(name.to_bytes()),
            };
            t += usize::from(order.is_le());
            d += usize::from(order.is_ge());
            let entry = entry.filter(|_| order.is_le());
            let found = found.filter(|_| order.is_ge());
            let name = entry
                .map(|entry| entry.name)
                .or_else(|| found.map(|(name, _)| name.to_bytes()))
                .unwrap_or_default();
            // git never commits a `.git`, and a restored one could run hooks. On either side it is only reported.
            if is_git_dir(name) {
                let own = here.job.path.is_empty() && name == b".git" && entry.is_none();
                if !own {
                    out.add(here.path(name), PathState::NotCovered, None);
                }
                continue;
            }
            match (entry, found) {
                (Some(entry), found) => self.recorded(here, entry, found, &mut cursor, out)?,
                (None, Some((_, kind))) => here.unrecorded(shared, name, kind, out),
                (None, None) => {}
            }
        }
    }

    /// A name that the commit has.
    fn recorded(
        &mut self,
        here: &mut Here<'_>,
        entry: &TreeEntry<'_>,
        found: Option<(&CStr, FileKind)>,
        cursor: &mut Cursor<'_>,
        out: &mut Outcome,
    ) -> Result<(), GitError> {
        let kind = found.map(|(_, kind)| kind);
        match (entry.kind, found) {
            (Kind::Repository, _) => {
                let path = here.path(entry.name);
                let differs = self.shared.measure == Measure::Restore
                    && !self.shared.is_submodule_at(&path, entry.oid());
                let blob = differs.then(|| Blob::as_stored(entry.oid().to_string()));
                out.add(path, PathState::NotCovered, blob);
            }
            (Kind::Tree, _) => {
                let on_disk = kind == Some(FileKind::Dir);
                here.enter(
                    self.shared,
                    entry.name,
                    Some(entry.oid()),
                    on_disk,
                    InTheWay::No,
                );
                if let Some(kind) = kind.filter(|_| !on_disk) {
                    here.in_the_way(entry.name, kind, out);
                }
            }
            (_, None | Some((_, FileKind::Dir)))
                if self.pointer(here, entry).is_some() || self.rewritten(here, entry) =>
            {
                let blob = Some(self.stored(here, entry));
                out.add(here.path(entry.name), PathState::NotCovered, blob);
                if kind.is_some() {
                    here.beneath(self.shared, entry.name, InTheWay::No);
                }
            }
            (_, None | Some((_, FileKind::Dir))) => {
                let blob = Some(self.stored(here, entry));
                out.add(here.path(entry.name), PathState::Missing, blob);
                let now = kind.map(|_| FileForm::Directory);
                let Forms { after, .. } = self.shared.kept.forms(None, entry.kind);
                out.formed(Forms::new(now, after));
                if kind.is_none() {
                    out.saw(Vec::new());
                } else {
                    out.add(here.path(entry.name), PathState::InTheWay, None);
                    here.beneath(self.shared, entry.name, InTheWay::Listed);
                }
            }
            (_, Some((name, _))) => {
                let differs = self.file(here, entry, name, cursor)?;
                if let Some((mut state, forms, seen)) = differs {
                    if state == PathState::Modified && self.rewritten(here, entry) {
                        state = PathState::NotCovered;
                    }
                    let blob = Some(self.stored(here, entry));
                    out.add(here.path(entry.name), state, blob);
                    out.formed(forms);
                    if let Some(seen) = seen {
                        out.saw(seen);
                    }
                }
            }
        }
        Ok(())
    }

    /// A file or link on both sides: its difference, if any, and its stat data and hash.
    fn file(
        &mut self,
        here: &Here<'_>,
        entry: &TreeEntry<'_>,
        name: &CStr,
        cursor: &mut Cursor<'_>,
    ) -> Result<Option<Differing>, GitError> {
        let kept = self.shared.kept;
        let missing = (PathState::Missing, kept.forms(None, entry.kind), None);
        let Some(dir) = here.dir else {
            return Ok(Some(missing));
        };
        let stat = match statat(dir, name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => stat,
            Err(Errno::NOENT) => return Ok(Some(missing)),
            Err(e) => return Err(unreadable(&here.path(entry.name), e)),
        };
        let forms = kept.forms(Some(&stat), entry.kind);
        // The index vouches that git stored this of the file, whose own bytes are others where git converts them.
        let vouched = cursor.vouched(entry.name, &stat);
        if let Some(pointer) = self.pointer(here, entry)
            && !lfs::is_pointer(dir, name, &stat)
        {
            let same = vouched == Some(entry.id) || pointer.is_of(dir, name, &stat);
            let state = if self.shared.measure == Measure::Restore {
                PathState::NotCovered
            } else {
                PathState::Modified
            };
            return Ok((!same).then_some((state, forms, None)));
        }
        // A file that became a link, or executable, differs even where its bytes are the same.
        if !kept.may_be(&stat, entry.kind) {
            return Ok(Some((PathState::Modified, forms, None)));
        }
        let content = match vouched {
            Some(id) if id == entry.id => return Ok(None),
            Some(id) => Oid::from_bytes(id).ok(),
            None => match self.content(dir, entry, name, &stat, here)? {
                Content::Same => return Ok(None),
                // Only git can tell, and it said so when it wrote the project's own index.
                Content::Other(_)
                    if self.rewritten(here, entry)
                        && self.shared.is_in_own_index(here, entry, &stat) =>
                {
                    return Ok(None);
                }
                Content::Other(id) => id,
            },
        };
        Ok(Some((
            PathState::Modified,
            forms,
            content.map(|id| disk::seen(&stat, id)),
        )))
    }

    /// The pointer that the commit has in the place of a file that Git LFS keeps.
    fn pointer(&self, here: &Here<'_>, entry: &TreeEntry<'_>) -> Option<lfs::Pointer> {
        let may_be = here.conversion == Conversion::Filter && entry.kind != Kind::Link;
        let (objects, kind) = (&self.shared.objects, ObjectType::Blob);
        let read = may_be.then(|| objects.read_within(self.odb, kind, entry.oid(), lfs::LARGEST));
        lfs::Pointer::parse(read?.ok()?.data())
    }

    /// What the commit has for a name, and how git would write it.
    fn stored(&self, here: &Here<'_>, entry: &TreeEntry<'_>) -> Blob {
        let converts =
            !here.is_raw() && entry.kind != Kind::Link && self.shared.measure == Measure::Restore;
        let mut blob = Blob::as_stored(entry.oid().to_string());
        if converts {
            blob.line_ends = self
                .filters
                .line_ends(&here.attributes, &here.path(entry.name));
        }
        blob
    }

    /// Whether git would write other bytes than the commit's.
    fn rewritten(&self, here: &Here<'_>, entry: &TreeEntry<'_>) -> bool {
        here.conversion == Conversion::Filter
            && entry.kind != Kind::Link
            && self.shared.measure == Measure::Restore
            && self
                .filters
                .rewrite(&here.attributes, &here.path(entry.name))
    }

    fn content(
        &mut self,
        dir: &OwnedFd,
        entry: &TreeEntry<'_>,
        name: &CStr,
        stat: &Stat,
        here: &Here<'_>,
    ) -> Result<Content, GitError> {
        const WORTH_ASKING: i64 = 256 << 10;
        if stat.st_size > WORTH_ASKING && here.is_raw() {
            // A big file of another size need not be read to be different.
            self.shared.objects.check_regular(entry.oid())?;
            if let Ok((size, _)) = self.odb.read_header(entry.oid())
                && i64::try_from(size) != Ok(stat.st_size)
            {
                return Ok(Content::Other(None));
            }
        }
        let id = disk::blob_id(dir, name, stat, &mut self.buffer)
            .map_err(|e| GitError::WorkTree(format!("{}: {e}", here.path(entry.name).shown())))?;
        if id.as_bytes() == entry.id {
            return Ok(Content::Same);
        }
        // The file was read just now, unless it is a link or too big for this to matter.
        let same = !here.is_raw()
            && entry.kind != Kind::Link
            && conversions::same_text(&self.buffer, entry.id)
            && self.filters.convert_line_ends(
                &here.attributes,
                &here.path(entry.name),
                &self.buffer,
            );
        Ok(if same {
            Content::Same
        } else {
            Content::Other(Some(id))
        })
    }
}
