//! The templates of the installed plugin: below Claude's own folder, in the skills of each installed plugin.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::model::Place;
use crate::world::World;
use crate::world::files::{Entry, SMALL_CAP};

/// How deep folders are searched: `plugins/cache/<marketplace>/<plugin>/<version>/skills/<skill>`, and one more level.
const DEPTH: usize = 8;
/// How many folders are listed.
const FOLDERS: usize = 5_000;
/// The suffix of template files.
const SUFFIX: &str = "-prompt.md";

/// The folders with templates, the most likely first: of crucible, of the installed version, of the run's skill.
pub(crate) fn folders(skill: &str, world: &dyn World) -> Vec<PathBuf> {
    let Some(claude) = &world.places().claude else {
        return Vec::new();
    };
    // The last one is searched next, with all that is in it.
    let tops = ["skills", "plugins"].into_iter();
    let tops = tops.filter_map(|top| Some((Place::known(claude, top).ok()?, DEPTH)));
    let mut todo: Vec<(Place, usize)> = tops.collect();
    let mut found = Vec::new();
    for _ in 0..FOLDERS {
        let Some((dir, depth)) = todo.pop() else {
            break;
        };
        let entries = world.files().list(&dir).unwrap_or_default();
        let (folders, files): (Vec<_>, Vec<_>) = entries.iter().partition(|entry| entry.is_dir);
        let is_template = |one: &&Entry| one.name.to_string_lossy().ends_with(SUFFIX);
        if files.iter().any(|one| !one.is_link && is_template(one)) {
            found.push(dir.path());
        }
        let is_searched = |one: &&&Entry| {
            let hidden = one.name.to_string_lossy().starts_with('.');
            depth > 1 && !hidden && one.name != "node_modules"
        };
        let inner = folders.iter().rev().filter(is_searched);
        todo.extend(inner.filter_map(|one| Some((dir.join(&one.name).ok()?, depth - 1))));
    }
    let installed = installed(claude, world);
    found.sort_by_cached_key(|path: &PathBuf| {
        let parts = path.strip_prefix(claude).unwrap_or(path).iter();
        let named = |word: &str| {
            let mut parts = parts.clone();
            parts.any(|name| name.to_string_lossy().to_lowercase().contains(word))
        };
        let current = installed.iter().any(|root| path.starts_with(root));
        let own = path.file_name().is_some_and(|name| name == skill);
        (!named("crucible"), !current, !own, path.clone())
    });
    found
}

/// The template with this name from the first folder that has it: `build-implementer-prompt.md` or
/// `build-implementer.md`.
pub(crate) fn find(folders: &[PathBuf], name: &str, world: &dyn World) -> Option<PathBuf> {
    let stem = name.strip_suffix("-prompt").unwrap_or(name);
    folders.iter().find_map(|folder| {
        let files = [format!("{stem}{SUFFIX}"), format!("{stem}.md")];
        files.into_iter().find_map(|file| {
            let place = Place::known(folder, file).ok()?;
            world.files().has_content(&place).then(|| place.path())
        })
    })
}

/// The folders that appear in Claude's list of installed plugins, anywhere in it.
fn installed(claude: &Path, world: &dyn World) -> Vec<PathBuf> {
    let place = Place::known(claude, "plugins/installed_plugins.json").ok();
    let bytes = place.and_then(|place| world.files().read(&place, SMALL_CAP).ok());
    let value = bytes.and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok());
    let mut all = Vec::new();
    let mut todo: Vec<&Value> = value.iter().collect();
    while let Some(value) = todo.pop() {
        match value {
            Value::Object(map) => {
                let path = map.get("installPath").and_then(Value::as_str);
                all.extend(path.map(PathBuf::from));
                todo.extend(map.values());
            }
            Value::Array(list) => todo.extend(list),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
    all
}
