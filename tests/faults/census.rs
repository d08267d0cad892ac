//! Pictures of a directory tree, and how two of them differ.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

/// What an entry is and holds, without its times.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Entry {
    /// A directory and its mode.
    Dir(u32),
    /// A file with its mode.
    File(u32, Vec<u8>),
    /// A link.
    Link(Vec<u8>),
    /// A pipe, socket or device.
    Other,
}

/// Everything beneath a folder, by absolute path.
pub(crate) type Tree = BTreeMap<PathBuf, Entry>;

/// Takes a picture of what is wanted.
pub(crate) fn take(dir: &Path, wanted: &dyn Fn(&Path) -> bool) -> Tree {
    let mut all = Tree::new();
    let mut todo = vec![dir.to_owned()];
    while let Some(dir) = todo.pop() {
        for entry in fs::read_dir(&dir).unwrap() {
            let path = entry.unwrap().path();
            if !wanted(&path) {
                continue;
            }
            let meta = fs::symlink_metadata(&path).unwrap();
            let entry = if meta.is_dir() {
                todo.push(path.clone());
                Entry::Dir(meta.mode())
            } else if meta.is_symlink() {
                Entry::Link(fs::read_link(&path).unwrap().as_os_str().as_bytes().into())
            } else if meta.is_file() {
                Entry::File(meta.mode(), fs::read(&path).unwrap())
            } else {
                Entry::Other
            };
            all.insert(path, entry);
        }
    }
    all
}

/// Whether a path is the person's: not relight's own state, no lock, nor what git keeps for itself about moved branches.
pub(crate) fn persons(path: &Path) -> bool {
    let text = path.to_string_lossy();
    let lock = text.contains("/.git/") && (text.ends_with(".lock") || text.contains(".lock."));
    let own = lock
        || text.ends_with("/home/.local")
        || text.ends_with("/.relight")
        || text.ends_with(".git/relight")
        || text.contains(".git/refs/relight");
    !own && !text.ends_with(".git/logs") && !text.contains(".git/logs/")
}

/// The bytes of a file at a path; empty where there is none.
fn bytes<'a>(tree: &'a Tree, path: &Path) -> &'a [u8] {
    match tree.get(path) {
        Some(Entry::File(_, bytes)) => bytes,
        Some(Entry::Dir(_) | Entry::Link(_) | Entry::Other) | None => &[],
    }
}

/// The same picture with every time of day in a file blotted out: a plan that is applied later contains it.
pub(crate) fn timeless(tree: &Tree) -> Tree {
    let blot = |entry: &Entry| match entry {
        Entry::File(mode, bytes) => Entry::File(*mode, blotted(bytes)),
        Entry::Dir(_) | Entry::Link(_) | Entry::Other => entry.clone(),
    };
    tree.iter()
        .map(|(path, e)| (path.clone(), blot(e)))
        .collect()
}

fn blotted(bytes: &[u8]) -> Vec<u8> {
    const SHAPE: &[u8] = b"dddd-dd-dd?dd:dd:dd";
    let fits = |at: &[u8]| {
        let mut pairs = at.iter().zip(SHAPE);
        at.len() == SHAPE.len()
            && pairs.all(|(byte, shape)| match shape {
                b'd' => byte.is_ascii_digit(),
                b'?' => matches!(byte, b'T' | b' '),
                other => byte == other,
            })
    };
    let mut bytes = bytes.to_vec();
    let mut at = 0;
    while at + SHAPE.len() <= bytes.len() {
        if fits(&bytes[at..at + SHAPE.len()]) {
            bytes[at..at + SHAPE.len()].copy_from_slice(SHAPE);
            // A fraction of a second follows in some formats.
            if bytes.get(at + SHAPE.len()) == Some(&b'.') {
                let digits = bytes.iter_mut().skip(at + SHAPE.len() + 1);
                digits
                    .take_while(|byte| byte.is_ascii_digit())
                    .for_each(|byte| *byte = b'0');
            }
        }
        at += 1;
    }
    bytes
}

/// Paths that differ but for these logs, which may only have grown, and the folders that they are in.
pub(crate) fn differences(wanted: &Tree, found: &Tree, logs: &BTreeSet<PathBuf>) -> Vec<String> {
    let paths: BTreeSet<&PathBuf> = wanted.keys().chain(found.keys()).collect();
    let differs = |path: &&&PathBuf| {
        if wanted.get(**path) == found.get(**path) {
            return false;
        }
        let grew = bytes(found, path).starts_with(bytes(wanted, path))
            || bytes(wanted, path).starts_with(bytes(found, path));
        let log = logs.contains(**path) && grew;
        !log && !logs
            .iter()
            .any(|log| log.starts_with(path) && log != **path)
    };
    let shown = |path: &&PathBuf| {
        let say = |entry: Option<&Entry>| match entry {
            Some(Entry::File(mode, bytes)) => {
                let head = String::from_utf8_lossy(&bytes[..bytes.len().min(300)]).into_owned();
                format!("file {mode:o} of {} bytes {head:?}", bytes.len())
            }
            other => format!("{other:?}"),
        };
        let (wanted, found) = (wanted.get(*path), found.get(*path));
        format!(
            "{}: wanted {}, found {}",
            path.display(),
            say(wanted),
            say(found)
        )
    };
    paths.iter().filter(differs).map(shown).collect()
}

/// Files whose bytes are nowhere any more: not in the tree, not in what relight keeps. A log that grew still
/// holds what it held.
pub(crate) fn lost(before: &Tree, everything: &Tree) -> Vec<PathBuf> {
    let contents: HashSet<&[u8]> = everything
        .values()
        .filter_map(|entry| match entry {
            Entry::File(_, bytes) => Some(bytes.as_slice()),
            Entry::Link(target) => Some(target.as_slice()),
            Entry::Dir(_) | Entry::Other => None,
        })
        .collect();
    let is_lost = |path: &PathBuf, entry: &Entry| match entry {
        Entry::File(_, old) => {
            !contents.contains(old.as_slice()) && !bytes(everything, path).starts_with(old)
        }
        Entry::Link(target) => !contents.contains(target.as_slice()),
        Entry::Dir(_) | Entry::Other => false,
    };
    let is_lost = |path: &PathBuf, entry: &Entry| {
        // Who holds relight's own locks is written over each time.
        !path.to_string_lossy().contains("/relight/locks/") && is_lost(path, entry)
    };
    let lost = before.iter().filter(|(path, entry)| is_lost(path, entry));
    lost.map(|(path, _)| path.clone()).collect()
}

/// Copies a folder with modes, times and links, files before the times of the folders that they are in.
pub(crate) fn copy(from: &Path, to: &Path) {
    let meta = fs::symlink_metadata(from).unwrap();
    if meta.is_symlink() {
        std::os::unix::fs::symlink(fs::read_link(from).unwrap(), to).unwrap();
        return;
    }
    if meta.is_dir() {
        fs::create_dir(to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let name = entry.unwrap().file_name();
            copy(&from.join(&name), &to.join(&name));
        }
    } else {
        fs::copy(from, to).unwrap();
    }
    fs::set_permissions(to, meta.permissions()).unwrap();
    set_time(to, meta.modified().unwrap());
}

/// Sets when something was changed last.
pub(crate) fn set_time(path: &Path, at: std::time::SystemTime) {
    let file = fs::File::open(path).unwrap();
    file.set_modified(at).unwrap();
}
