//! The templates of the installed plugin: below Claude's own folder, in the skills of each installed plugin.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::model::Place;
use crate::world::World;
use crate::world::files::SMALL_CAP;

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
    let mut left = FOLDERS;
    let mut found = Vec::new();
    for top in ["plugins", "skills"] {
        if let Ok(place) = Place::known(claude, top) {
            search(&place, DEPTH, &mut left, &mut found, world);
        }
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

fn search(
    dir: &Place,
    depth: usize,
    left: &mut usize,
    found: &mut Vec<PathBuf>,
    world: &dyn World,
) {
    if depth == 0 || *left == 0 {
        return;
    }
    *left -= 1;
    let entries = world.files().list(dir).unwrap_or_default();
    let is_template = |name: &std::ffi::OsStr| name.to_string_lossy().ends_with(SUFFIX);
    let mut files = entries
        .iter()
        .filter(|entry| !entry.is_dir && !entry.is_link);
    if files.any(|entry| is_template(&entry.name)) {
        found.push(dir.path());
    }
    for entry in entries.iter().filter(|entry| entry.is_dir) {
        let hidden = entry.name.to_string_lossy().starts_with('.');
        if !hidden
            && entry.name != "node_modules"
            && let Ok(inner) = dir.join(&entry.name)
        {
            search(&inner, depth - 1, left, found, world);
        }
    }
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
