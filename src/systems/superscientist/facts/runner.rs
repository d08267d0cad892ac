//! The runner script.

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
    let found = facts.roots().find_map(|root| script(root, "", world));
    if found.is_some() {
        return found;
    }
    let claude = world.places().claude.as_deref()?;
    let store = claude.join("plugins");
    let mut level = vec![String::new()];
    // marketplaces/<name>, cache/<marketplace>/<plugin>/<version>.
    (0..4).find_map(|_| {
        let folders = level.iter().take(ENTRIES);
        let below = folders.flat_map(|folder| folders_in(&store, folder, world));
        level = below.collect();
        let mut folders = level.iter();
        folders.find_map(|folder| script(&store, folder, world))
    })
}

fn folders_in(store: &Path, beneath: &str, world: &dyn World) -> Vec<String> {
    let entries = if beneath.is_empty() {
        world.files().list(&Place::root(store)).unwrap_or_default()
    } else {
        world.files().entries(store, beneath)
    };
    let folders = entries.into_iter().filter(|entry| entry.is_dir);
    let names = folders.filter_map(|entry| entry.name.into_string().ok());
    let names = names.filter(|name| beneath.is_empty() || !name.starts_with('.'));
    let paths = names.map(|name| {
        format!("{beneath}/{name}")
            .trim_start_matches('/')
            .to_owned()
    });
    paths.take(ENTRIES).collect()
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
