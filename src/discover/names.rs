//! The names that the walk looks for, and the directories that it never enters.

use std::collections::HashMap;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::systems::{Marker, System};

/// Directories that hold no state and may be huge.
const PRUNED: &[&str] = &[
    "node_modules",
    "target",
    "__pycache__",
    ".venv",
    ".tox",
    ".cache",
    ".cargo",
    ".rustup",
    ".npm",
];

/// The names that all systems look for. Every entry of every directory is compared with them.
#[derive(Debug, Default)]
pub struct Names {
    exact: HashMap<&'static [u8], Vec<Marker>>,
    prefixes: Vec<(&'static [u8], Marker)>,
    /// The first bytes of all names: a fast filter that rejects most entries before any lookup.
    first: [bool; 32],
    repositories: bool,
}

impl Names {
    /// The table for these markers.
    pub fn new(markers: impl IntoIterator<Item = Marker>) -> Self {
        let mut names = Self::default();
        for marker in markers {
            match marker {
                Marker::File(name) | Marker::Dir(name) => {
                    let known = names.exact.entry(name.as_bytes()).or_default();
                    if !known.contains(&marker) {
                        known.push(marker);
                    }
                    names.note(name);
                }
                Marker::Prefix(name) => {
                    names.prefixes.push((name.as_bytes(), marker));
                    names.note(name);
                }
                Marker::Repository => names.repositories = true,
            }
        }
        names
    }

    /// The table for some systems, from one of their three lists of markers.
    pub fn of(
        systems: &[&'static dyn System],
        list: fn(&'static dyn System) -> &'static [Marker],
    ) -> Self {
        let markers = systems.iter().flat_map(|system| list(*system));
        Self::new(markers.copied())
    }

    fn note(&mut self, name: &str) {
        let first = name.bytes().next().unwrap_or_default();
        if let Some(slot) = self.first.get_mut(usize::from(first % 32)) {
            *slot = true;
        }
    }

    /// True if no name is looked for.
    pub fn is_empty(&self) -> bool {
        self.exact.is_empty() && self.prefixes.is_empty() && !self.repositories
    }

    /// Calls back with every marker that matches an entry.
    pub fn fitting(&self, name: &[u8], is_dir: bool, mut each: impl FnMut(Marker)) {
        let slot = usize::from(name.first().copied().unwrap_or_default() % 32);
        if !self.first.get(slot).copied().unwrap_or(false) {
            return;
        }
        for marker in self.exact.get(name).map_or(&[][..], Vec::as_slice) {
            if matches!(marker, Marker::Dir(_)) == is_dir {
                each(*marker);
            }
        }
        let begins = |(prefix, _): &&(&[u8], Marker)| name.starts_with(prefix);
        for (_, marker) in self.prefixes.iter().filter(begins) {
            each(*marker);
        }
    }

    /// Whether repositories are looked for.
    pub fn repositories(&self) -> bool {
        self.repositories
    }
}

/// True for a directory that the walk does not enter.
pub(super) fn pruned(name: &[u8]) -> bool {
    name == b".git" || PRUNED.iter().any(|pruned| pruned.as_bytes() == name)
}

/// True for `/proc`, `/sys` and the like: endless, and without state of a pipeline.
pub(super) fn is_kernel(dir: &Path, name: &[u8]) -> bool {
    dir == Path::new("/") && [b"proc".as_slice(), b"sys", b"dev"].contains(&name)
}

/// Whether a walk from a root enters every directory on the way to a path under it.
pub fn enters(root: &Path, path: &Path) -> bool {
    path.strip_prefix(root).is_ok_and(|way| {
        let mut names = way.iter().map(OsStrExt::as_bytes);
        !names.any(pruned)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_walk_enters_directories_that_are_not_pruned() {
        for (root, path, entered) in [
            ("/p", "/p", true),
            ("/p", "/p/a/b", true),
            ("/p", "/p/target/a", false),
            ("/p", "/p/a/.git", false),
            ("/p/target", "/p/target/a", true),
            ("/p", "/q", false),
        ] {
            let found = enters(Path::new(root), Path::new(path));
            assert_eq!(found, entered, "{root} {path}");
        }
        assert!(is_kernel(Path::new("/"), b"proc"));
        assert!(!is_kernel(Path::new("/home"), b"proc"));
    }
}
