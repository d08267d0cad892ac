//! Finds the pipelines of a project: by state files at the tops of its worktrees, or by worktree, plan and commits if
//! there is none.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use crate::formats::json;
use crate::model::{Foreign, Place};
use crate::systems::Candidate;
use crate::systems::nine_step::NAME;
use crate::systems::nine_step::facts::{Layout, layout};
use crate::systems::nine_step::shape::{
    self, PLAN_DIR, Shape, State, WORKTREE_DIRS, commit_subjects, feature_names, plan_document,
    sniff,
};
use crate::world::World;
use crate::world::git::Worktree;

/// How many branches are read without a state file, and how many commits of each.
const MOST_BRANCHES: usize = 200;
const MOST_COMMITS: usize = 200;

/// The key and the sources of a pipeline without a state file.
type New = (Foreign, Vec<PathBuf>);

/// All pipelines of a project.
pub(crate) fn all(world: &dyn World, layout: &Layout) -> Vec<Candidate> {
    let mut found = with_state(world, layout);
    for (native, sources) in without_state(world, layout, &found) {
        add(&mut found, layout, &native, sources);
    }
    found
}

/// The pipelines that have a state file, or the backup of one.
pub(crate) fn with_state(world: &dyn World, layout: &Layout) -> Vec<Candidate> {
    let mut found = Vec::new();
    for dir in tops(world, layout) {
        collect(world, layout, &dir, &mut found);
    }
    found
}

/// The pipeline of one state file with all its sources, the same as from [`with_state`]. Only directories that can have
/// the same pipeline are read.
pub(crate) fn of_file(world: &dyn World, layout: &Layout, file: &Path) -> Option<Candidate> {
    let (dir, name) = (file.parent()?, file.file_name()?.to_str()?);
    let mut tops = tops(world, layout);
    let known = tops.iter().any(|top| top == dir);
    let native = known.then(|| native_of(world, layout, dir, name))??;
    let is_it = |name: &OsStr| Foreign::from(name) == native;
    let named = |top: &PathBuf| top.file_name().is_some_and(is_it);
    tops.retain(|top| *top == layout.top || top == dir || named(top));
    let mut found = Vec::new();
    for dir in tops {
        collect(world, layout, &dir, &mut found);
    }
    // The person may have named a file with an unusual name.
    let mut sources = found.iter().flat_map(|candidate| &candidate.sources);
    if !sources.any(|source| source == file) {
        add(&mut found, layout, &native, vec![file.to_owned()]);
    }
    let mut found = found.into_iter();
    found.find(|candidate| candidate.native == native)
}

fn collect(world: &dyn World, layout: &Layout, dir: &Path, found: &mut Vec<Candidate>) {
    for name in layout::state_names(world, dir) {
        if let Some(native) = native_of(world, layout, dir, &name) {
            add(found, layout, &native, vec![dir.join(&name)]);
        }
    }
}

fn add(found: &mut Vec<Candidate>, layout: &Layout, native: &Foreign, sources: Vec<PathBuf>) {
    if let Some(same) = found.iter_mut().find(|c| c.native == *native) {
        same.sources.extend(sources);
        return;
    }
    let top = layout.top.clone();
    found.push(Candidate::new(NAME, native.clone(), top, sources));
}

/// Where a state file counts: the tops of the worktrees, and directories next to them that git no longer lists.
fn tops(world: &dyn World, layout: &Layout) -> Vec<PathBuf> {
    let mut tops: Vec<PathBuf> = vec![layout.top.clone()];
    let linked = layout.linked();
    tops.extend(linked.map(|worktree| world.files().resolved(&worktree.path)));
    for folder in WORKTREE_DIRS {
        let entries = world.files().entries(&layout.top, folder);
        for entry in entries.into_iter().filter(|entry| entry.is_dir) {
            let path = layout.top.join(folder).join(entry.name);
            if !tops.contains(&path) {
                tops.push(path);
            }
        }
    }
    tops
}

/// The key of a state file's pipeline; `None` if it is not one of ours.
fn native_of(world: &dyn World, layout: &Layout, dir: &Path, name: &str) -> Option<Foreign> {
    let read = |name: &str| world.files().content(dir, name);
    let backup = || read(&format!("{name}.backup"));
    let bytes = read(name).or_else(backup).unwrap_or_default();
    match sniff::of(&bytes) {
        Shape::Foreign(_) => return None,
        Shape::Partial(_) if !layout::is_identified(world, layout, dir, name) => return None,
        Shape::Ours | Shape::Partial(_) => {}
    }
    if dir != layout.top {
        return dir.file_name().map(Foreign::from);
    }
    let usable = |bytes: Vec<u8>| shape::parse(&bytes, world.clock()).ok();
    let Some(state) = usable(bytes).or_else(|| usable(backup()?)) else {
        return layout.top.file_name().map(Foreign::from);
    };
    let worktree = linked_of(layout, &state);
    let native = worktree.and_then(|w| w.path.file_name()).map(Foreign::from);
    Some(native.unwrap_or_else(|| Foreign::from(state.feature.as_str())))
}

/// The linked worktree that is named by a state at the project's top.
pub(crate) fn linked_of<'a>(layout: &'a Layout, state: &State) -> Option<&'a Worktree> {
    let path = json::text(&state.map, "worktree_path")
        .and_then(|path| Place::foreign(&[&layout.top], path.as_bytes()).ok())
        .map(|place| place.path());
    let branch = json::text(&state.map, "branch_name");
    layout.linked().find(|w| {
        let names = w.branch.as_ref().zip(branch);
        let by_branch = names.is_some_and(|(have, want)| *have == want);
        path.as_deref() == Some(w.path.as_path()) || by_branch
    })
}

/// Linked worktrees with a matching plan, branches with unmerged phase commits, and directories with a matching plan
/// that git no longer lists.
fn without_state(world: &dyn World, layout: &Layout, found: &[Candidate]) -> Vec<New> {
    let plans = plan_document::names_in(world, &layout.top);
    let taken = |name: &OsStr| found.iter().any(|c| c.native == Foreign::from(name));
    let mut new: Vec<New> = Vec::new();
    for worktree in layout.linked() {
        let Some(name) = worktree.path.file_name().filter(|name| !taken(name)) else {
            continue;
        };
        let branch = worktree.branch.as_ref().map(Foreign::lossy);
        let plan = plan_of(&plans, &[name.to_str(), branch.as_deref()]);
        if let Some(plan) = plan.filter(|_| layout.in_worktree_dir(&worktree.path)) {
            let plan = layout.top.join(PLAN_DIR).join(plan);
            new.push((Foreign::from(name), vec![worktree.path.clone(), plan]));
        }
    }
    let mut folders = [PLAN_DIR, ".worktree"].iter();
    let used = folders.any(|dir| world.files().has_dir(&layout.top, dir));
    if used || layout::is_plugin_project(world, &layout.top) {
        for branch in phase_branches(world, layout, &plans) {
            let (native, source) = place_of(layout, &branch);
            let is_it = |c: &Candidate| c.native == native || speaks_of(world, c, &branch);
            let known = found.iter().any(is_it);
            if !known && !new.iter().any(|(have, _)| *have == native) {
                new.push((native, vec![source]));
            }
        }
    }
    // Last, because a branch of the same name is stronger evidence than its leftover directory.
    for dir in tops(world, layout) {
        let name = dir.file_name().unwrap_or_default();
        let native = Foreign::from(name);
        let known = taken(name) || new.iter().any(|(have, _)| *have == native);
        let forgotten = layout.in_worktree_dir(&dir) && layout.at(world, &dir).is_none();
        let plan = plan_of(&plans, &[name.to_str()]);
        if let Some(plan) = plan.filter(|_| forgotten && !known) {
            let plan = layout.top.join(PLAN_DIR).join(plan);
            new.push((native, vec![dir, plan]));
        }
    }
    new
}

/// The first plan whose file has one of these names of a feature.
fn plan_of<'a>(plans: &'a [String], names: &[Option<&str>]) -> Option<&'a String> {
    plans.iter().find(|file| {
        let plan = feature_names::of_plan(file).unwrap_or_default();
        let mut names = names.iter().flatten();
        names.any(|name| feature_names::same(plan, name))
    })
}

/// The key and the source of a branch: its linked worktree, else the feature and the project.
fn place_of(layout: &Layout, branch: &Foreign) -> (Foreign, PathBuf) {
    let linked = layout.holder(branch).filter(|w| !w.main && !w.prunable);
    if let Some((name, path)) = linked.and_then(|w| Some((w.path.file_name()?, w.path.clone()))) {
        return (Foreign::from(name), path);
    }
    let feature = Foreign::from(feature_names::of_branch(&branch.lossy()));
    (feature, layout.top.clone())
}

/// Whether a pipeline's state names this branch as its own.
fn speaks_of(world: &dyn World, candidate: &Candidate, branch: &Foreign) -> bool {
    candidate.sources.iter().any(|source| {
        let place = source.parent().zip(source.file_name());
        let bytes = place.and_then(|(dir, name)| world.files().content(dir, name));
        let map = bytes.and_then(|bytes| json::object(&bytes).ok());
        map.is_some_and(|map| json::text(&map, "branch_name").is_some_and(|name| *branch == name))
    })
}

/// The branches with phase commits that are not in the main branch.
fn phase_branches(world: &dyn World, layout: &Layout, plans: &[String]) -> Vec<Foreign> {
    let git = world.git();
    let top = layout.top.as_path();
    let base = git.repo(top).ok().and_then(|facts| facts.default_branch);
    let tip = |branch: &Foreign| git.branch_tip(top, branch.as_str()?).ok();
    let Some((base, base_tip)) = base.and_then(|base| Some((base.clone(), tip(&base)?))) else {
        return Vec::new();
    };
    let has_phases = |branch: &Foreign| {
        let tip = tip(branch)?;
        let fork = git.merge_base(top, &tip, &base_tip).ok()?;
        let commits = git.log(top, &tip, fork.as_deref(), MOST_COMMITS).ok()?;
        let named = commits.iter().filter_map(commit_subjects::phases);
        let named: BTreeSet<i64> = named.flatten().collect();
        let planned = plan_of(plans, &[Some(&branch.lossy())]).is_some();
        let holder = layout.holder(branch);
        let own_folder = layout.top.join(WORKTREE_DIRS[0]);
        let placed = holder.is_some_and(|w| w.path.parent() == Some(own_folder.as_path()));
        Some(is_phased(&named, planned || placed))
    };
    let mut branches = git.branches(top).unwrap_or_default();
    branches.retain(|branch| *branch != base);
    branches.truncate(MOST_BRANCHES);
    branches.retain(|branch| has_phases(branch) == Some(true));
    branches
}

/// Whether commits that name these phases belong to this workflow, which commits the phases in order from the first. A
/// single one proves nothing, because "phase" is a common word, unless a plan has the branch's name or the worktree is
/// in the plugin's own folder.
fn is_phased(named: &BTreeSet<i64>, known: bool) -> bool {
    let in_turn = (1_i64..).zip(named).all(|(turn, phase)| turn == *phase);
    in_turn && (named.len() > 1 || (known && !named.is_empty()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f22_one_commit_that_says_phase_3_claims_no_branch() {
        for (named, known, ours) in [
            (&[][..], true, false),
            (&[3], false, false),
            (&[3], true, false),
            (&[1], false, false),
            (&[1], true, true),
            (&[1, 2], false, true),
            (&[1, 3], false, false),
            (&[2, 3], true, false),
            (&[1, 2, 3, 4], false, true),
        ] {
            let phases = named.iter().copied().collect();
            assert_eq!(is_phased(&phases, known), ours, "{named:?} {known}");
        }
    }
}
