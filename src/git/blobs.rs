//! Reads the content of checkpoints for staging, verified, with its file kind. No filters and no checkout.

use std::ffi::OsStr;
use std::io::Write;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};

use git2::Oid;

use crate::model::{FileForm, LineEnds};
use crate::text::Shown as _;
use crate::world::git::GitError;

use super::objects::{Objects, Repo};
use super::trees;
use super::{history, open};

/// One path of a commit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlobEntry {
    /// The path, relative to the top.
    pub path: Vec<u8>,
    /// Its kind; `None` for a nested repository, whose content is not stored.
    pub kind: Option<FileForm>,
    /// The id of its content, 40 hex.
    pub id: String,
}

/// A repository or checkpoint store, open for reading content. Several threads can read it at once if its objects are
/// loose.
pub struct Blobs {
    repo: Mutex<Repo>,
    objects: Objects,
}

impl Blobs {
    /// Opens a shadow store, a work tree or a git directory.
    pub fn open(store: &Path) -> Result<Self, GitError> {
        open::open(store).map(|opened| Self {
            objects: Objects::new(&opened.common_dir),
            repo: Mutex::new(opened.repo),
        })
    }

    fn repo(&self) -> MutexGuard<'_, Repo> {
        self.repo.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The length of a blob's content. Reads only its header.
    pub fn size(&self, blob: &str) -> Result<u64, GitError> {
        let missing = |_| GitError::Missing(format!("blob {blob}"));
        let id = Oid::from_str(blob).map_err(missing)?;
        let header = self.repo().odb().and_then(|odb| odb.read_header(id));
        header.map(|(size, _)| size as u64).map_err(missing)
    }

    /// The kind of a path in a commit (40 hex), and the id of its content.
    pub fn find(&self, commit: &str, path: &[u8]) -> Result<(FileForm, String), GitError> {
        let missing = || GitError::Missing(path.shown().to_string());
        let path = Path::new(OsStr::from_bytes(path));
        let (id, mode) = history::entry_at(&self.repo(), commit, path)?.ok_or_else(missing)?;
        let kind = match mode {
            0o100_755 => FileForm::Executable,
            0o120_000 => FileForm::Link,
            0o100_644 | 0o100_664 => FileForm::File,
            _ => return Err(missing()),
        };
        Ok((kind, id.to_string()))
    }

    /// Every path of a commit (40 hex), without folders, sorted by bytes.
    pub fn entries(&self, commit: &str) -> Result<Vec<BlobEntry>, GitError> {
        let leaves = trees::walk(&self.repo(), commit, Path::new(""))?;
        let entry = |leaf: trees::Leaf| BlobEntry {
            path: leaf.path,
            kind: leaf.kind.form(),
            id: leaf.id.to_string(),
        };
        Ok(leaves.into_iter().map(entry).collect())
    }

    /// Writes the content of a blob (40 hex) with the given line ends, after verifying its hash. Returns the length of
    /// what was written.
    pub fn copy(
        &self,
        blob: &str,
        line_ends: LineEnds,
        out: &mut dyn Write,
    ) -> Result<u64, GitError> {
        let missing = |_| GitError::Missing(format!("blob {blob}"));
        let id = Oid::from_str(blob).map_err(missing)?;
        let loose = self.objects.loose_blob(id)?;
        let bytes = loose.map_or_else(|| history::blob(&self.repo(), id), Ok)?;
        let bytes = line_ends.written(&bytes);
        out.write_all(&bytes)
            .map_err(|e| GitError::Other(e.to_string()))?;
        Ok(bytes.len() as u64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::git::scratch::Content;
    use crate::git::testing::{at, project};

    #[test]
    fn content_has_its_kind() {
        let dir = crate::world::temporary::directory();
        let (scratch, shadow) = project(dir.path());
        let contents: &[(&[u8], Content<'_>)] = &[
            (b"bin/run", Content::Executable(b"#!/bin/sh\r\n")),
            (b"bin/link", Content::Link(b"run")),
        ];
        scratch
            .commit_contents(contents, "More", "", at(2))
            .unwrap();
        let id = shadow.snapshot("pre-wave-1", "build", at(3)).unwrap();
        let blobs = Blobs::open(shadow.store()).unwrap();
        let table: &[(&[u8], FileForm, &[u8])] = &[
            (b"bin/run", FileForm::Executable, b"#!/bin/sh\r\n"),
            (b"bin/link", FileForm::Link, b"run"),
            (b"README.md", FileForm::File, b"hello\n"),
        ];
        for (path, kind, want) in table {
            let (found, blob) = blobs.find(&id, path).unwrap();
            let mut bytes = Vec::new();
            let len = blobs.copy(&blob, LineEnds::AsStored, &mut bytes).unwrap();
            assert_eq!((found, bytes.as_slice()), (*kind, *want));
            assert_eq!(len, want.len() as u64);
        }
        assert!(blobs.find(&id, b"bin").is_err() && blobs.find(&id, b"gone").is_err());
    }
}
