//! A folder as it is, to be compared with what it was.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Every file with its content, and every directory, of a folder.
pub(crate) fn tree(dir: &Path) -> BTreeMap<PathBuf, Option<Vec<u8>>> {
    let mut all = BTreeMap::new();
    let mut todo = vec![dir.to_owned()];
    while let Some(dir) = todo.pop() {
        for entry in std::fs::read_dir(&dir).unwrap() {
            let entry = entry.unwrap();
            let path = entry.path();
            if entry.file_type().unwrap().is_dir() {
                todo.push(path.clone());
                all.insert(path, None);
            } else {
                let content = std::fs::read(&path).unwrap();
                all.insert(path, Some(content));
            }
        }
    }
    all
}
