//! The folders that the paths of an action share, so that a list of them folds and is left out as a whole.

use std::ops::Range;

use crate::model::PlanPath;

/// A folder with at least two paths of an action in it. One that holds a single folder and nothing else is not
/// listed: the inner one stands for both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Folder {
    /// Its paths, by their places in the action.
    pub(crate) paths: Range<usize>,
    /// Bytes of its own path, its last slash among them.
    pub(crate) bytes: usize,
    /// How many other folders it is in.
    pub(crate) depth: usize,
}

/// The folders of an action, each before those in it. Paths of one folder must follow each other, as they do
/// in the order of their bytes.
pub(crate) fn folders(paths: &[PlanPath]) -> Vec<Folder> {
    let paths: Vec<&[u8]> = paths.iter().map(|path| path.path.as_bytes()).collect();
    let mut found = Vec::new();
    gather(&paths, 0..paths.len(), 0, 0, &mut found);
    found
}

fn gather(
    paths: &[&[u8]],
    range: Range<usize>,
    bytes: usize,
    depth: usize,
    found: &mut Vec<Folder>,
) {
    let mut first = range.start;
    while first < range.end {
        let run = paths.get(first..range.end).unwrap_or_default();
        let folder = run.first().and_then(|path| path.get(..slash(path, bytes)?));
        let inside = |path: &&&[u8]| folder.is_some_and(|folder| path.starts_with(folder));
        let number = run.iter().take_while(inside).count();
        if let (Some(folder), 2..) = (folder, number) {
            let run = run.get(..number).unwrap_or_default();
            let mut bytes = folder.len();
            while let Some(further) = shared(run, bytes) {
                bytes = further;
            }
            let paths_in = first..first + number;
            found.push(Folder {
                paths: paths_in.clone(),
                bytes,
                depth,
            });
            gather(paths, paths_in, bytes, depth + 1, found);
        }
        first += number.max(1);
    }
}

/// Where the first folder of a path ends, of those that begin at this byte.
fn slash(path: &[u8], from: usize) -> Option<usize> {
    let rest = path.get(from..)?;
    memchr::memchr(b'/', rest).map(|at| from + at + 1)
}

/// Where a further folder ends that all of these paths are in.
fn shared(run: &[&[u8]], bytes: usize) -> Option<usize> {
    let first = run.first()?;
    let end = slash(first, bytes)?;
    let folder = first.get(..end)?;
    run.iter()
        .all(|path| path.starts_with(folder))
        .then_some(end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Foreign, PathChange};

    fn found(paths: &str) -> String {
        let paths: Vec<PlanPath> = paths
            .split_whitespace()
            .map(|path| PlanPath {
                path: path.into(),
                change: PathChange::Write,
                blob: None,
                forms: crate::model::Forms::default(),
                drifted: false,
            })
            .collect();
        let name = |folder: Folder| {
            let path = paths[folder.paths.start].path.as_bytes();
            let path = Foreign::from(&path[..folder.bytes]);
            format!("{}:{}:{}", path.lossy(), folder.paths.len(), folder.depth)
        };
        let found: Vec<String> = folders(&paths).into_iter().map(name).collect();
        found.join(" ")
    }

    #[test]
    fn folders_are_those_that_hold_several_paths() {
        let table = [
            ("", ""),
            ("a b", ""),
            ("src/a tests/b", ""),
            ("a src/a src/b", "src/:2:0"),
            ("src/tui/a src/tui/b", "src/tui/:2:0"),
            ("src/a src/tui/a src/tui/b src/z", "src/:4:0 src/tui/:2:1"),
            ("src-old/a src/a src/b", "src/:2:0"),
        ];
        for (paths, expected) in table {
            assert_eq!(found(paths), expected, "{paths}");
        }
    }
}
