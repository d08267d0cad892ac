//! Completions of a path that a person is typing.

use std::path::{Path, PathBuf};

use super::Engine;
use crate::model::Place;

/// Folders beside each other in which a name is looked for.
const FOLDERS: usize = 200;

impl Engine {
    /// The paths that begin as `typed` does: under the first of these folders that has any, else in the folders
    /// within the first of `around` that has any, as they would be typed. Those under the first folder stay relative
    /// to it, all others are absolute. A folder ends in `/`. Names that cannot be typed are left out, and hidden ones
    /// unless a dot was typed.
    pub fn complete_path(
        &self,
        typed: &str,
        folders: &[PathBuf],
        around: &[PathBuf],
    ) -> Vec<String> {
        let home = self.world.places().home.as_deref();
        let absolute = match (typed.strip_prefix("~/"), home) {
            (Some(rest), Some(home)) => format!("{}/{rest}", home.to_string_lossy()),
            _ => typed.to_owned(),
        };
        if absolute.starts_with('/') {
            return self.beginning_with(Path::new("/"), &absolute);
        }
        let mut found = folders.iter().enumerate().map(|(place, folder)| {
            let names = self.beginning_with(folder, &absolute).into_iter();
            let above = folder.to_str().filter(|_| place > 0);
            let full = |name: String| match above {
                Some(above) => format!("{}/{name}", above.trim_end_matches('/')),
                None => name,
            };
            names.map(full).collect::<Vec<_>>()
        });
        if let Some(found) = found.find(|names| !names.is_empty()) {
            return found;
        }
        // A name alone is looked for one folder further down, too.
        let mut deeper = around
            .iter()
            .filter(|_| !absolute.contains('/'))
            .map(|folder| {
                let inside = self.beginning_with(folder, "").into_iter();
                let inside = inside.filter(|name| name.ends_with('/')).take(FOLDERS);
                let names =
                    inside.flat_map(|name| self.beginning_with(folder, &(name + &absolute)));
                let full = |name: String| Some(format!("{}/{name}", folder.to_str()?));
                names.filter_map(full).collect::<Vec<_>>()
            });
        deeper.find(|names| !names.is_empty()).unwrap_or_default()
    }

    /// The paths under a folder that begin as this one does.
    fn beginning_with(&self, folder: &Path, typed: &str) -> Vec<String> {
        let (above, begun) = typed
            .rsplit_once('/')
            .map_or(("", typed), |(above, _)| typed.split_at(above.len() + 1));
        let files = self.world.files();
        let Some(folder) = files.canonical(&folder.join(above)) else {
            return Vec::new();
        };
        let entries = files.list(&Place::root(&folder)).unwrap_or_default();
        let fits = |name: &str| {
            name.starts_with(begun)
                && (begun.starts_with('.') || !name.starts_with('.'))
                && !name.chars().any(char::is_control)
        };
        let entries = entries.iter().filter_map(|entry| {
            let name = entry.name.to_str().filter(|name| fits(name))?;
            let leads = || files.canonical(&folder.join(name)).is_some();
            let is_dir = entry.is_dir || (entry.is_link && leads());
            Some(format!("{above}{name}{}", if is_dir { "/" } else { "" }))
        });
        entries.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_completed_beneath_the_first_folder_that_has_it() {
        let dir = crate::world::temporary::directory();
        let root = dir.path().canonicalize().unwrap();
        for folder in ["project/src", "beside/日本語", "project/.git"] {
            std::fs::create_dir_all(root.join(folder)).unwrap();
        }
        for file in [
            "project/red-v2.md",
            "project/red-v3.md",
            "beside/red-v4.md",
            "beside/日本語/赤.md",
            "beside/blue.md",
            "beside/bl\u{1b}ue.md",
        ] {
            std::fs::write(root.join(file), "x").unwrap();
        }
        std::os::unix::fs::symlink(root.join("beside"), root.join("project/link")).unwrap();
        let folders = [root.join("project"), root.join("beside")];
        let engine = Engine::of_this_machine(Vec::new(), &[]);
        let beside = |name: &str| format!("{}/beside/{name}", root.to_str().unwrap());
        let table = [
            ("red", vec!["red-v2.md".to_owned(), "red-v3.md".to_owned()]),
            ("s", vec!["src/".to_owned()]),
            ("l", vec!["link/".to_owned()]),
            ("link/b", vec!["link/blue.md".to_owned()]),
            (".g", vec![".git/".to_owned()]),
            ("bl", vec![beside("blue.md")]),
            ("日", vec![beside("日本語/")]),
            ("日本語/", vec![beside("日本語/赤.md")]),
            ("nothing", Vec::new()),
            ("none/nothing", Vec::new()),
        ];
        for (typed, expected) in table {
            assert_eq!(
                engine.complete_path(typed, &folders, &[]),
                expected,
                "{typed}"
            );
        }
        let absolute = beside("bl");
        assert_eq!(
            engine.complete_path(&absolute, &[], &[]),
            [beside("blue.md")]
        );
        // Nothing here begins like this, but a file in a folder beside does.
        let around = std::slice::from_ref(&root);
        let found = engine.complete_path("blu", &folders[..1], around);
        assert_eq!(found, [beside("blue.md")]);
        assert!(
            engine
                .complete_path("x/blu", &folders[..1], around)
                .is_empty()
        );
    }
}
