//! Everything beneath a folder as it is at one moment, and how two moments differ.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::support::Trouble;

/// What lies at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Node {
    /// A folder, with its permission bits.
    Dir(u32),
    /// A file.
    File {
        /// Its permission bits.
        mode: u32,
        /// Its content.
        bytes: Vec<u8>,
        /// Which file it is and when it was changed; `None` where that is not known beforehand.
        age: Option<(u64, i64)>,
    },
    /// A link with its target.
    Link(Vec<u8>),
    /// Anything else.
    Other,
}

impl Node {
    /// The content of a file.
    pub(crate) fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::File { bytes, .. } => Some(bytes),
            Self::Dir(_) | Self::Link(_) | Self::Other => None,
        }
    }

    /// The same for whoever knows only what it holds.
    fn content(&self) -> Self {
        match self {
            Self::File { mode, bytes, .. } => Self::File {
                mode: *mode,
                bytes: bytes.clone(),
                age: None,
            },
            Self::Dir(_) | Self::Link(_) | Self::Other => self.clone(),
        }
    }
}

/// A folder at a moment, by absolute path.
pub(crate) type Tree = BTreeMap<PathBuf, Node>;

/// Takes a picture; what relight keeps for itself and what git keeps for itself are left out.
pub(crate) fn take(root: &Path, kept: &Path) -> Result<Tree, Trouble> {
    let mode = fs::symlink_metadata(root)?.permissions().mode() & 0o7777;
    let mut tree = Tree::from([(root.to_owned(), Node::Dir(mode))]);
    let mut todo = vec![root.to_owned()];
    while let Some(dir) = todo.pop() {
        for entry in fs::read_dir(&dir)? {
            let path = entry?.path();
            if path == kept || is_gits(&path) {
                continue;
            }
            let meta = fs::symlink_metadata(&path)?;
            let mode = meta.permissions().mode() & 0o7777;
            let node = if meta.is_symlink() {
                Node::Link(fs::read_link(&path)?.as_os_str().as_bytes().to_vec())
            } else if meta.is_dir() {
                todo.push(path.clone());
                Node::Dir(mode)
            } else if meta.is_file() {
                Node::File {
                    mode,
                    bytes: fs::read(&path)?,
                    age: Some((meta.ino(), meta.mtime_nsec() + 1_000_000_000 * meta.mtime())),
                }
            } else {
                Node::Other
            };
            tree.insert(path, node);
        }
    }
    Ok(tree)
}

/// What git may write for itself, and what keeps an old tip reachable.
fn is_gits(path: &Path) -> bool {
    let text = path.to_string_lossy();
    let Some((_, within)) = text.split_once("/.git/") else {
        return false;
    };
    let parts: Vec<&str> = within.split('/').collect();
    parts.contains(&"objects") || parts.contains(&"logs") || within.starts_with("refs/relight")
}

/// Whether a path lies in a git directory.
pub(crate) fn in_git(path: &Path) -> bool {
    path.components().any(|part| part.as_os_str() == ".git")
}

/// How strictly two pictures are held against each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum By {
    /// Kind, mode and content.
    Content,
    /// The very files, too.
    Identity,
}

/// Paths that differ, a line each; those that `passed` names are passed over.
pub(crate) fn differences(
    wanted: &Tree,
    found: &Tree,
    by: By,
    passed: &dyn Fn(&Path) -> bool,
) -> Vec<String> {
    let paths: BTreeSet<&PathBuf> = wanted.keys().chain(found.keys()).collect();
    let node = |tree: &Tree, path: &PathBuf| {
        let strict = by == By::Identity && !in_git(path);
        tree.get(path)
            .map(|node| if strict { node.clone() } else { node.content() })
    };
    let differing = paths.into_iter().filter(|path| !passed(path));
    differing
        .filter_map(|path| {
            let (wanted, found) = (node(wanted, path), node(found, path));
            (wanted != found).then(|| {
                format!(
                    "{}: wanted {}, found {}",
                    path.display(),
                    shown(wanted.as_ref()),
                    shown(found.as_ref())
                )
            })
        })
        .collect()
}

fn shown(node: Option<&Node>) -> String {
    match node {
        None => "nothing".to_owned(),
        Some(Node::File { mode, bytes, age }) => format!(
            "a file {mode:o} {age:?} of {} bytes:\n{}",
            bytes.len(),
            String::from_utf8_lossy(bytes.get(..bytes.len().min(4000)).unwrap_or_default())
        ),
        Some(other @ (Node::Dir(_) | Node::Link(_) | Node::Other)) => format!("{other:?}"),
    }
}

/// Fails unless two states are alike, with the differences.
pub(crate) fn same(
    what: &str,
    wanted: &Tree,
    found: &Tree,
    by: By,
    passed: &dyn Fn(&Path) -> bool,
) -> Result<(), Trouble> {
    let lines = differences(wanted, found, by, passed);
    if lines.is_empty() {
        return Ok(());
    }
    Err(Trouble(format!("not {what}:\n{}", lines.join("\n"))))
}

/// A log that was appended to, or a folder that is there for nothing else.
pub(crate) fn is_log(logs: &BTreeSet<PathBuf>, before: &Tree, path: &Path) -> bool {
    logs.contains(path)
        || !before.contains_key(path) && logs.iter().any(|log| log.starts_with(path))
}

/// The logs hold what they held, and more.
pub(crate) fn grown(logs: &BTreeSet<PathBuf>, before: &Tree, now: &Tree) -> Result<(), Trouble> {
    for log in logs {
        let old = before.get(log).and_then(Node::bytes).unwrap_or_default();
        let new = now.get(log).and_then(Node::bytes).unwrap_or_default();
        if !new.starts_with(old) || new.len() <= old.len() {
            return Err(Trouble(format!("{} did not only grow", log.display())));
        }
    }
    Ok(())
}

/// Takes back by hand what no undo does: the appended lines.
pub(crate) fn put_back(before: &Tree, now: &Tree) -> Result<(), Trouble> {
    for path in now.keys().rev().filter(|path| !in_git(path)) {
        match (before.get(path), now.get(path)) {
            (None, Some(Node::Dir(_))) => fs::remove_dir(path)?,
            (None, Some(_)) => fs::remove_file(path)?,
            (Some(Node::File { bytes, age, .. }), Some(node)) if node.bytes() != Some(bytes) => {
                fs::write(path, bytes)?;
                let nanos = age.map_or(0, |(_, nanos)| nanos);
                let at = SystemTime::UNIX_EPOCH + Duration::from_nanos(nanos.unsigned_abs());
                fs::File::open(path)?.set_modified(at)?;
            }
            _ => {}
        }
    }
    Ok(())
}
