//! A project for this system: the top of its main work tree, its worktrees, and evidence that the plugin is used there.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::formats::json;
use crate::model::{Foreign, Place};
use crate::systems::nine_step::shape::{PLAN_DIR, STATE_NAMES, Shape, WORKTREE_DIRS, sniff};
use crate::world::World;
use crate::world::files::SMALL_CAP;
use crate::world::git::{self, Worktree};

/// A project.
#[derive(Debug, Clone)]
pub(crate) struct Layout {
    /// The canonical top of the main work tree; the directory itself without one.
    pub(crate) top: PathBuf,
    /// Its worktrees, the main one first; none if git does not know them.
    worktrees: Vec<Worktree>,
}

impl Layout {
    /// The project that a directory belongs to.
    pub(crate) fn of(world: &dyn World, dir: &Path) -> Self {
        let worktrees = world.git().worktrees(dir).unwrap_or_default();
        let top = git::main_tree(world.git(), dir).unwrap_or_else(|| top_by_name(dir));
        Self {
            top: world.files().resolved(&top),
            worktrees,
        }
    }

    /// The linked worktrees whose directories exist.
    pub(crate) fn linked(&self) -> impl Iterator<Item = &Worktree> {
        self.worktrees.iter().filter(|w| !w.main && !w.prunable)
    }

    /// The worktree where a branch is checked out.
    pub(crate) fn holder(&self, branch: &Foreign) -> Option<&Worktree> {
        let mut known = self.worktrees.iter();
        known.find(|w| w.branch.as_ref() == Some(branch))
    }

    /// The worktree with this directory as its top.
    pub(crate) fn at(&self, world: &dyn World, dir: &Path) -> Option<&Worktree> {
        let dir = world.files().resolved(dir);
        let mut known = self.worktrees.iter();
        known.find(|w| w.path == dir || world.files().resolved(&w.path) == dir)
    }

    /// Where the plugin puts the worktree of a feature.
    pub(crate) fn worktree_dirs(&self, feature: &Foreign) -> impl Iterator<Item = PathBuf> {
        let of = |dir: &&str| self.top.join(dir).join(feature.as_path());
        WORKTREE_DIRS.iter().map(of)
    }

    /// Whether a worktree is in one of the plugin's worktree folders.
    pub(crate) fn in_worktree_dir(&self, path: &Path) -> bool {
        let mut folders = WORKTREE_DIRS.iter().map(|dir| self.top.join(dir));
        folders.any(|folder| path.parent() == Some(&folder))
    }
}

/// Without git: a directory in a worktree folder belongs to the project above that folder.
fn top_by_name(dir: &Path) -> PathBuf {
    let above = dir.parent();
    let named = above.and_then(Path::file_name).and_then(OsStr::to_str);
    match (named, above.and_then(Path::parent)) {
        (Some(name), Some(top)) if WORKTREE_DIRS.contains(&name) => top.to_owned(),
        _ => dir.to_owned(),
    }
}

/// The state files of a directory, by name. A link or a directory counts; it is later reported as unreadable. So does
/// one that may be there.
pub(crate) fn state_names(world: &dyn World, dir: &Path) -> Vec<String> {
    let there = |name: &str| {
        let files = world.files();
        Place::known(dir, name).is_ok_and(|place| match files.stat(&place) {
            Ok(_) => true,
            Err(why) => why.leaves_unknown(),
        })
    };
    let names = STATE_NAMES.iter();
    let both = names.filter(|name| there(name) || there(&format!("{name}.backup")));
    both.map(|name| (*name).to_owned()).collect()
}

/// Whether there is evidence that a partial or corrupt state file in this directory belongs to this system: a readable
/// backup, a worktree in the plugin's folder together with a plan folder, or the plugin's settings.
pub(crate) fn is_identified(world: &dyn World, layout: &Layout, dir: &Path, name: &str) -> bool {
    let backup = world.files().content(dir, format!("{name}.backup"));
    if backup.is_some_and(|bytes| sniff::of(&bytes) == Shape::Ours) {
        return true;
    }
    let placed = layout.in_worktree_dir(dir) && world.files().has_dir(&layout.top, PLAN_DIR);
    placed || is_plugin_project(world, &layout.top)
}

/// Whether a project's settings name the plugin, or its instructions name its commands.
pub(crate) fn is_plugin_project(world: &dyn World, top: &Path) -> bool {
    let read = |name: &str| {
        let place = Place::known(top, name).ok()?;
        world.files().read(&place, SMALL_CAP).ok()
    };
    let settings = [".claude/settings.json", ".claude/settings.local.json"];
    let mut settings = settings.into_iter().filter_map(read);
    settings.any(|bytes| names_plugin(&bytes))
        || read("CLAUDE.md").is_some_and(|bytes| {
            let text = String::from_utf8_lossy(&bytes).to_lowercase();
            WORDS.iter().any(|word| text.contains(word))
        })
}

/// Words that only instructions for the plugin have.
const WORDS: [&str; 4] = [
    "nine-step-workflow",
    "nine-step workflow",
    "/workflow-exec",
    "/workflow-resume",
];

/// `plugins[].name`, or an enabled plugin of that name.
fn names_plugin(bytes: &[u8]) -> bool {
    let Ok(map) = json::object(bytes) else {
        return false;
    };
    let is_name = |name: &str| name.starts_with("nine-step-workflow");
    let listed = json::list(&map, "plugins").iter().any(|plugin| {
        let named = || plugin.get("name").and_then(Value::as_str);
        plugin.as_str().or_else(named).is_some_and(is_name)
    });
    let enabled = json::child(&map, "enabledPlugins");
    listed || enabled.is_some_and(|plugins| plugins.keys().any(|name| is_name(name)))
}
