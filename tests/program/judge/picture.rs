//! Everything that `lstat` and a read say of a folder, and how two such pictures differ.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

/// One path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Entry {
    /// Type and permission bits.
    pub(crate) mode: u32,
    /// Content of a file, target of a link; a sum in place of a large file's.
    pub(crate) bytes: Vec<u8>,
    /// Which inode; 0 for a folder.
    inode: u64,
    /// When its content was changed, in nanoseconds; 0 for a folder.
    mtime: i128,
    /// Owner and group.
    owner: (u32, u32),
    /// Names it has; 0 for a folder.
    links: u64,
    /// Whether most of it is a hole.
    hollow: bool,
    /// The attribute that tests set.
    pub(crate) attribute: Option<Vec<u8>>,
}

/// A folder, by relative path.
pub(crate) type Picture = BTreeMap<PathBuf, Entry>;

/// The attribute that tests set.
pub(crate) const ATTRIBUTE: &str = "user.judge";

/// Takes a picture of a folder; what git keeps for itself is left out.
pub(crate) fn take(root: &Path) -> Picture {
    let mut picture = Picture::new();
    let mut todo = vec![root.to_owned()];
    while let Some(dir) = todo.pop() {
        for entry in fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            if path == root.join(".git") {
                continue;
            }
            let meta = fs::symlink_metadata(&path).unwrap();
            if meta.is_dir() {
                todo.push(path.clone());
            }
            let rel = path.strip_prefix(root).unwrap().to_owned();
            picture.insert(rel, entry_of(&path, &meta));
        }
    }
    picture
}

fn entry_of(path: &Path, meta: &fs::Metadata) -> Entry {
    let is_dir = meta.is_dir();
    let of_file = |value: u64| if is_dir { 0 } else { value };
    let bytes = if meta.is_symlink() {
        fs::read_link(path).unwrap().as_os_str().as_bytes().to_vec()
    } else if meta.is_file() {
        content(path, meta.len())
    } else {
        Vec::new()
    };
    Entry {
        mode: meta.mode(),
        bytes,
        inode: of_file(meta.ino()),
        mtime: if is_dir {
            0
        } else {
            i128::from(meta.mtime()) * 1_000_000_000 + i128::from(meta.mtime_nsec())
        },
        owner: (meta.uid(), meta.gid()),
        links: of_file(meta.nlink()),
        hollow: meta.is_file() && meta.len() > 1 << 16 && meta.blocks() * 1024 < meta.len(),
        attribute: attribute(path),
    }
}

/// A file's bytes, or for a large one its length and sum.
fn content(path: &Path, len: u64) -> Vec<u8> {
    let bytes = fs::read(path).unwrap();
    if len < 1 << 20 {
        return bytes;
    }
    let sum = Sha256::digest(&bytes);
    format!("{} bytes, sum {sum:x}", bytes.len()).into_bytes()
}

/// The value of the attribute that tests set; `None` where there is none or there can be none.
fn attribute(path: &Path) -> Option<Vec<u8>> {
    let mut value = [0u8; 64];
    let len = rustix::fs::lgetxattr(path, ATTRIBUTE, &mut value[..]).ok()?;
    value.get(..len).map(<[u8]>::to_vec)
}

/// Every path whose entry differs in any way, a line each.
pub(crate) fn differences(a: &Picture, b: &Picture) -> Vec<String> {
    by(a, b, Clone::clone)
}

/// Every path whose kind, permission bits or content differ, a line each.
pub(crate) fn content_differences(a: &Picture, b: &Picture) -> Vec<String> {
    by(a, b, |entry| (entry.mode, entry.bytes.clone()))
}

/// The same without what a rehearsal does not copy: git directories, and the permissions of directories.
pub(crate) fn rehearsal_differences(copy: &Picture, project: &Picture) -> Vec<String> {
    let own = |path: &&PathBuf| !path.iter().any(|part| part.eq_ignore_ascii_case(".git"));
    let own = |picture: &Picture| -> Picture {
        let paths = picture.keys().filter(own).cloned();
        paths
            .map(|path| (path.clone(), picture[&path].clone()))
            .collect()
    };
    by(&own(copy), &own(project), |entry| {
        let is_dir = entry.mode & 0o170_000 == 0o040_000;
        (if is_dir { 0 } else { entry.mode }, entry.bytes.clone())
    })
}

fn by<T: PartialEq>(a: &Picture, b: &Picture, of: impl Fn(&Entry) -> T) -> Vec<String> {
    let paths: BTreeSet<&PathBuf> = a.keys().chain(b.keys()).collect();
    let differing = paths
        .into_iter()
        .filter(|path| a.get(*path).map(&of) != b.get(*path).map(&of));
    differing
        .map(|path| {
            let brief = |picture: &Picture| {
                picture.get(path).map_or_else(
                    || "nothing".to_owned(),
                    |entry| {
                        let bytes = entry.bytes.get(..40).unwrap_or(&entry.bytes);
                        format!(
                            "{:o} i{} t{} n{} h{} {:?} {:?}",
                            entry.mode,
                            entry.inode,
                            entry.mtime,
                            entry.links,
                            entry.hollow,
                            entry.attribute,
                            String::from_utf8_lossy(bytes)
                        )
                    },
                )
            };
            format!("{}: {} | {}", path.display(), brief(a), brief(b))
        })
        .collect()
}
