//! The places on disk that a tree action changes, computed from its list of paths: some paths move together with their
//! directory, and a directory must exist before its content.

use std::collections::{BTreeMap, HashSet};

use crate::model::{PathChange, PlanPath, above};

/// What one place must hold afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need<'a> {
    /// The file or link of this row. It replaces what is there as a whole, even a directory.
    Content(&'a PlanPath),
    /// A directory, which replaces what is there.
    Folder,
    /// Nothing: what is there is moved to the backups, a directory with all its content.
    Nothing,
}

/// The places that a list of paths changes, relative to the action's target, in byte order. No place is under one
/// that needs [`Need::Content`] or [`Need::Nothing`]: its content moves along. Directories that do not exist yet are
/// not listed, because they replace nothing.
pub fn needs(paths: &[PlanPath]) -> BTreeMap<&[u8], Need<'_>> {
    let put = |path: &&PlanPath| matches!(path.change, PathChange::Write | PathChange::Create);
    let folders: HashSet<&[u8]> = paths
        .iter()
        .filter(put)
        .flat_map(|path| above(path.path.as_bytes()))
        .collect();
    let mut needs: BTreeMap<&[u8], Need<'_>> = BTreeMap::new();
    for path in paths {
        if let Some(need) = need(path, &folders) {
            needs.insert(path.path.as_bytes(), need);
        }
    }
    let whole: HashSet<&[u8]> = needs
        .iter()
        .filter(|(_, need)| !matches!(need, Need::Folder))
        .map(|(path, _)| *path)
        .collect();
    needs.retain(|path, _| !above(path).any(|folder| whole.contains(folder)));
    needs
}

fn need<'a>(path: &'a PlanPath, folders: &HashSet<&[u8]>) -> Option<Need<'a>> {
    match path.change {
        PathChange::Write | PathChange::Create => Some(Need::Content(path)),
        PathChange::Remove if folders.contains(path.path.as_bytes()) => Some(Need::Folder),
        PathChange::Remove => Some(Need::Nothing),
        PathChange::KeepNewer | PathChange::NotCovered => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Foreign;

    #[test]
    fn rows_that_go_along_need_nothing_of_their_own() {
        // Rows as `path change`; places as `path need`.
        let table: &[(&[&str], &[&str])] = &[
            (&["a w", "b c", "c k", "d n"], &["a content", "b content"]),
            (&["a w", "a/x r", "a/y/z r"], &["a content"]),
            (
                &["a r", "a/x c", "a/y/z c"],
                &["a directory", "a/x content", "a/y/z content"],
            ),
            (&["new r", "new/a r", "new/b/c r"], &["new nothing"]),
            (&["x/a r", "x/in c"], &["x/a nothing", "x/in content"]),
            (&["a r", "a.b r", "a/b r"], &["a nothing", "a.b nothing"]),
            (&[], &[]),
        ];
        for (rows, want) in table {
            let paths = rows.iter().map(|row| {
                let (path, change) = row.split_once(' ').unwrap();
                PlanPath {
                    path: Foreign::from(path),
                    change: match change {
                        "w" => PathChange::Write,
                        "c" => PathChange::Create,
                        "r" => PathChange::Remove,
                        "k" => PathChange::KeepNewer,
                        _ => PathChange::NotCovered,
                    },
                    blob: None,
                    forms: crate::model::Forms::default(),
                    drifted: false,
                }
            });
            let paths: Vec<PlanPath> = paths.collect();
            let found = needs(&paths).into_iter().map(|(path, need)| {
                let word = match need {
                    Need::Content(row) => {
                        assert_eq!(row.path.as_bytes(), path);
                        "content"
                    }
                    Need::Folder => "directory",
                    Need::Nothing => "nothing",
                };
                format!("{} {word}", String::from_utf8_lossy(path))
            });
            assert_eq!(found.collect::<Vec<String>>(), *want, "{rows:?}");
        }
    }
}
