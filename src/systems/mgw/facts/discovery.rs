//! From a folder `.mgw` to candidates, one for each issue number.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};

use crate::formats::json;
use crate::model::Place;
use crate::systems::mgw::NAME;
use crate::systems::mgw::shape::{FOLDER, Name, Shared, Stage, StateFile, project, state_files};
use crate::systems::{Candidate, Found, Hit, Sniffed};
use crate::text::is_digits;
use crate::world::World;

/// The meaning of a path: the folder that contains `.mgw`, and the number if only one issue is meant.
type Meant = (PathBuf, Option<String>);

pub(crate) fn sniff(hit: &Hit, world: &dyn World) -> Sniffed {
    let Some((top, number)) = meant(world, &hit.path) else {
        let why = "It is neither an .mgw directory nor a state file or worktree of one.";
        return Sniffed::NotOurs(why.into());
    };
    if !state_files::is_folder(world, &top) {
        let why = "The directory has no active or completed directory, and no project.json or cross-refs.json.";
        return Sniffed::NotOurs(why.into());
    }
    let root = state_files::main_top(world, &top);
    let fits = |digits: &str| number.as_deref().is_none_or(|number| number == digits);
    let found = state_files::state_files(world, &top, root != top, fits);
    let mut numbers: BTreeMap<(u64, String), Vec<PathBuf>> = BTreeMap::new();
    // Next to another state file or other records of its issue, an odd file is a damaged one. On its own it belongs to
    // another tool with the same layout, whatever other issues have.
    let without_state = without_state(world, &root);
    let recorded = without_state.iter().map(|(number, _)| number.clone());
    let ours = found.iter().filter(|file| !file.is_odd());
    let ours = ours.map(|file| file.name.number.clone());
    let known: HashSet<String> = ours.chain(recorded).collect();
    let is_known = |file: &StateFile| known.contains(&file.name.number);
    let (found, foreign): (Vec<_>, Vec<_>) = found.into_iter().partition(is_known);
    for file in found {
        let sources = numbers.entry(key(&file.name.number)).or_default();
        sources.push(file.path);
    }
    for (number, source) in without_state.into_iter().filter(|(n, _)| fits(n)) {
        let known = numbers.contains_key(&key(&number));
        if !known && state_files::state_files(world, &root, false, |n| n == number).is_empty() {
            numbers.entry(key(&number)).or_default().push(source);
        }
    }
    if numbers.is_empty() && !foreign.is_empty() {
        let odd = foreign.len();
        let reason = format!(
            "{odd} of its files are named like state files, but none has a pipeline_stage or checkpoint."
        );
        return Sniffed::NotOurs(reason.into());
    }
    let candidate = |((_, number), sources): ((u64, String), Vec<PathBuf>)| {
        Candidate::new(NAME, number, root.clone(), sources)
    };
    Sniffed::Ours(numbers.into_iter().map(candidate).collect())
}

/// The issues of a linked worktree's main repository, unless the walk finds its folder anyway. Whose worktree it is
/// follows from each issue, whatever branch is checked out.
pub(crate) fn sniff_repository(hit: &Hit, world: &dyn World) -> Sniffed {
    let top = state_files::main_top(world, &hit.path);
    let walked = match &hit.found {
        Found::Walk { root } => top.starts_with(world.files().resolved(root)),
        Found::Named | Found::ClaudeProject { .. } | Found::Temp { .. } => false,
    };
    if walked || top == hit.path {
        return Sniffed::Ours(Vec::new());
    }
    let folder = Hit {
        path: top.join(FOLDER),
        ..hit.clone()
    };
    sniff(&folder, world)
}

/// Issues in the order of their numbers. The digits of a name fit in 64 bits.
fn key(number: &str) -> (u64, String) {
    (number.parse().unwrap_or(u64::MAX), number.to_owned())
}

/// Issues in progress whose state file may be lost: a worktree in its usual place, which is removed after the pull
/// request, or an entry in project.json shows them.
fn without_state(world: &dyn World, root: &Path) -> Vec<(String, PathBuf)> {
    let number = |name: &str| {
        let (digits, _) = name.split_once('-')?;
        (is_digits(digits) && digits.len() <= 18).then(|| digits.to_owned())
    };
    let trees = state_files::usual_worktrees(world, root);
    let trees = trees.filter_map(|path| Some((number(path.file_name()?.to_str()?)?, path)));
    let shared = Shared::read(world, root, "project.json");
    let listed = shared.map().into_iter().flat_map(project::issues);
    let at_work = listed.filter_map(|listed| {
        let stage: Stage = listed.stage()?.parse().ok()?;
        let number = json::int(listed.issue, "github_number").filter(|number| *number > 0)?;
        let issue = (number.to_string(), root.join(FOLDER).join("project.json"));
        stage.at_work().then_some(issue)
    });
    trees.chain(at_work).collect()
}

/// The folder itself, a state file, one of its folders, or a folder that holds it.
fn meant(world: &dyn World, path: &Path) -> Option<Meant> {
    let name = path.file_name()?;
    if name == FOLDER {
        return Some((path.parent()?.to_owned(), None));
    }
    if let Some(folder) = path.ancestors().skip(1).find(|dir| dir.ends_with(FOLDER)) {
        let number = Name::parse(name).map(|name| name.number);
        return Some((folder.parent()?.to_owned(), number));
    }
    if state_files::is_folder(world, path) {
        return Some((path.to_owned(), None));
    }
    worktree(world, path)
}

/// A worktree on a branch `issue/<n>-<slug>`.
fn worktree(world: &dyn World, path: &Path) -> Option<Meant> {
    let is_dir = world.files().is_dir(&Place::root(path));
    let facts = is_dir.then(|| world.git().repo(path).ok()).flatten()?;
    let branch = facts.branch?;
    let number = branch.as_str()?.strip_prefix("issue/")?.split('-').next()?;
    let top = state_files::main_top(world, &facts.work_tree?);
    Some((top, Some(number.to_owned())))
}
