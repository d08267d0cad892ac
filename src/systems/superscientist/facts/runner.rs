//! The runner script, and commands in a form that can be copied.

use std::path::{Path, PathBuf};

use crate::model::Place;
use crate::systems::superscientist::facts::Facts;
use crate::world::World;

/// The script that chains sessions.
const SCRIPT: &str = "run-workflow.sh";
/// How many folders are read on each level of the plugin store.
const ENTRIES: usize = 64;

/// Finds the runner: in the project, or among the installed plugins (older plugins keep it a folder deeper).
pub(crate) fn find(facts: &Facts, world: &dyn World) -> Option<PathBuf> {
    let mut own = std::iter::once(facts.wf.as_path()).chain(facts.top());
    if let Some(found) = own.find_map(|root| script(root, "", world)) {
        return Some(found);
    }
    let claude = world.places().claude.as_deref()?;
    let store = claude.join("plugins");
    let mut level = vec![String::new()];
    // marketplaces/<name>, cache/<marketplace>/<plugin>/<version>.
    for _ in 0..4 {
        let mut next = Vec::new();
        for folder in level.iter().take(ENTRIES) {
            next.extend(folders(&store, folder, world));
        }
        if let Some(found) = next.iter().find_map(|folder| script(&store, folder, world)) {
            return Some(found);
        }
        level = next;
    }
    None
}

fn folders(store: &Path, beneath: &str, world: &dyn World) -> Vec<String> {
    let entries = if beneath.is_empty() {
        world.files().list(&Place::root(store)).unwrap_or_default()
    } else {
        world.files().entries(store, beneath)
    };
    entries
        .into_iter()
        .filter(|entry| entry.is_dir)
        .filter_map(|entry| entry.name.into_string().ok())
        .filter(|name| beneath.is_empty() || !name.starts_with('.'))
        .take(ENTRIES)
        .map(|name| {
            if beneath.is_empty() {
                name
            } else {
                format!("{beneath}/{name}")
            }
        })
        .collect()
}

/// The script in a folder, if that folder is this system's plugin or the project itself.
fn script(root: &Path, beneath: &str, world: &dyn World) -> Option<PathBuf> {
    let ours = beneath.is_empty() || beneath.contains("superscientist");
    ["", "superscientist/"]
        .iter()
        .filter(|inner| ours || !inner.is_empty())
        .map(|inner| format!("{beneath}/{inner}{SCRIPT}"))
        .filter_map(|rel| Place::known(root, rel.trim_start_matches('/')).ok())
        .find(|place| world.files().exists(place))
        .map(|place| place.path())
}

/// A text in single quotes for a POSIX shell.
pub(crate) fn quote(text: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"/._-=+:@%".contains(&b);
    if !text.is_empty() && text.bytes().all(plain) {
        return text.to_owned();
    }
    format!("'{}'", text.replace('\'', "'\\''"))
}
