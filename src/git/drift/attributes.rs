//! The `.gitattributes` files that decide how git writes the files of a work tree.

use std::collections::BTreeSet;
use std::ffi::CStr;
use std::os::fd::OwnedFd;
use std::sync::Arc;

use git2::{Index, IndexEntry, IndexTime, ObjectType, Odb, Oid};

use crate::git::index;
use crate::git::objects::Objects;
use crate::git::trees::{Kind, TreeEntry};
use crate::model::Foreign;

use super::Measure;
use super::conversions::{CAP, Conversion, in_attributes};
use super::disk::{self, Listing};

/// A directory of the commit.
pub(super) struct Recorded<'a> {
    pub(super) objects: &'a Objects,
    pub(super) odb: &'a Odb<'a>,
    pub(super) entries: &'a [TreeEntry<'a>],
}

impl Recorded<'_> {
    pub(super) fn find(&self, name: &[u8]) -> Option<&TreeEntry<'_>> {
        let entries = self.entries;
        let at = entries.binary_search_by(|entry| entry.name.cmp(name));
        entries.get(at.ok()?)
    }

    /// The content of a file; `None` where it cannot be read, or is no file.
    pub(super) fn content(&self, entry: &TreeEntry<'_>) -> Option<Vec<u8>> {
        let is_file = matches!(entry.kind, Kind::File | Kind::Executable);
        let read = is_file.then(|| self.objects.read(self.odb, ObjectType::Blob, entry.oid()));
        Some(read?.ok()?.data().to_vec())
    }
}

/// The files in force in one directory, the deepest first.
#[derive(Debug, Clone, Default)]
pub(super) struct Attributes(Option<Arc<Layer>>);

#[derive(Debug)]
struct Layer {
    above: Attributes,
    /// Relative to the work tree.
    path: Vec<u8>,
    /// `None` where it cannot be read.
    content: Option<Vec<u8>>,
}

impl Attributes {
    /// Those of a directory, whose path ends with a slash, and the worst that its own file sets. A file that cannot be
    /// read is taken for the worst.
    pub(super) fn in_directory(
        &self,
        path: &[u8],
        (measure, except): (Measure, &BTreeSet<Foreign>),
        recorded: &Recorded<'_>,
        (dir, listing): (Option<&OwnedFd>, &Listing),
    ) -> (Self, Conversion) {
        const NAME: &CStr = c".gitattributes";
        let name = NAME.to_bytes();
        let path = [path, name].concat();
        let entry = recorded.find(name);
        let recorded = || entry.map(|entry| recorded.content(entry));
        let on_disk = || {
            let found = listing.find(name);
            found.map(|_| disk::small(dir?, NAME, CAP))
        };
        let is_excepted = except.contains(&Foreign::from(path.as_slice()));
        let decides = match (measure, entry) {
            (Measure::AsGit, _) => on_disk().or_else(recorded),
            // git reads the attributes that it is about to write before those on the disk.
            (Measure::Restore, Some(_)) if !is_excepted => recorded(),
            (Measure::Restore, None) if is_excepted => None,
            (Measure::Restore, _) => on_disk(),
        };
        let Some(content) = decides else {
            return (self.clone(), Conversion::None);
        };
        let worst = content.as_deref().map_or(Conversion::Filter, in_attributes);
        let above = self.clone();
        let layer = Layer {
            above,
            path,
            content,
        };
        (Self(Some(Arc::new(layer))), worst)
    }

    /// Adds the files to an index that is in memory, from which libgit2 reads them. False where one cannot be read.
    pub(super) fn add_to(&self, index: &mut Index) -> bool {
        let mut rest = self;
        while let Some(layer) = &rest.0 {
            let is_there = |added: &Index| index::entry(added, &layer.path).is_some();
            let Some(content) = &layer.content else {
                return false;
            };
            if !is_there(index) && index.add_frombuffer(&entry(&layer.path), content).is_err() {
                return false;
            }
            rest = &layer.above;
        }
        true
    }
}

fn entry(path: &[u8]) -> IndexEntry {
    IndexEntry {
        ctime: IndexTime::new(0, 0),
        mtime: IndexTime::new(0, 0),
        dev: 0,
        ino: 0,
        mode: Kind::File.mode(),
        uid: 0,
        gid: 0,
        file_size: 0,
        id: Oid::ZERO_SHA1,
        flags: 0,
        flags_extended: 0,
        path: path.to_vec(),
    }
}
