//! What a plan's tree steps would change, given the current state of git and the disk, and the guards that follow from
//! it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path, PathBuf};

use super::Engine;
use crate::foreign;
use crate::model::{
    ActionKind, BranchMove, Drift, Foreign, Guard, PathState, Place, PlanOptions, Preview,
    RestoreMode, Step, above,
};
use crate::recover::plan::{Decided, Measured, hidden, names_nothing};
use crate::text::format::{capital, count, list, list_first, plural, shell_path};
use crate::world::World;
use crate::world::files::FileKind;
use crate::world::git::{Git, GitError};

/// Files that a guard names one by one.
const NAMED: usize = 5;

impl Engine {
    /// What a step would change. A tree that cannot be measured fails a guard instead of the plan.
    pub(super) fn measured(
        &self,
        step: &Step,
        (options, records): (&PlanOptions, &[PathBuf]),
        world: &dyn World,
        guards: &mut Vec<Guard>,
    ) -> Option<Decided> {
        if let Step::Change(action) = step {
            if let Preview::Tree { commit, .. } = &action.preview {
                guards.extend(reset_guards(&action.target, commit, world));
            }
            if action.kind == ActionKind::AppendLines {
                guards.extend(linked(&action.target, world));
            }
        }
        let (kind, tree, store, commit) = step.tree()?;
        let resets = kind == ActionKind::ResetWorktree;
        if resets {
            guards.extend(reset_guards(tree, commit, world));
        }
        let decide = |except: &BTreeSet<Foreign>| {
            let measured = world.git().drift_except((store, commit), tree, except)?;
            let resets = resets.then_some(commit);
            let mut measured = self.with_git(measured, tree, (resets, options), world);
            measured.note_records(tree, records);
            Ok(Decided::new(kind, measured, options))
        };
        let decided = decide(&BTreeSet::new()).and_then(|decided| {
            // How git writes the other files depends on which attributes are there afterwards.
            let except = decided.attributes_not_restored();
            if except.is_empty() {
                Ok(decided)
            } else {
                decide(&except)
            }
        });
        match decided {
            Ok(decided) => {
                let measured = &decided.measured;
                guards.extend(nothing_named(store, commit, options, measured, world));
                guards.extend(nested(&measured.drift, options));
                guards.extend(not_fetched(&decided, (tree, commit)));
                Some(decided)
            }
            Err(error) => {
                let cure = if matches!(error, GitError::WorkTree(_)) {
                    "Make sure that it can be read and that nothing changes it, or choose a point that restores nothing."
                } else {
                    "Repair the repository or the checkpoint store, or choose a point that restores nothing."
                };
                let text =
                    format!("The work tree cannot be compared with its checkpoint: {error}.");
                guards.push(Guard::fails("work_tree", text, cure));
                None
            }
        }
    }

    /// A drift, with what git says of the same work tree.
    fn with_git(
        &self,
        drift: Drift,
        tree: &Path,
        (resets, options): (Option<&str>, &PlanOptions),
        world: &dyn World,
    ) -> Measured {
        let git = world.git();
        let head = git.repo(tree).ok().and_then(|repo| repo.head);
        let (status, uncommitted_unknown) = match git.status(tree) {
            Ok(status) => (status, None),
            // Without a repository nothing is committed, and that is no news.
            Err(GitError::NotARepository) => (Vec::new(), None),
            Err(error) => (Vec::new(), Some(error.to_string().into())),
        };
        let (committed, branch) = match (head.as_deref(), resets) {
            (Some(head), Some(commit)) => {
                // None where git does not count them.
                let counts = git.ahead_behind(tree, head, commit).unwrap_or_default();
                let (removed, restored) = counts;
                let branch = BranchMove { removed, restored };
                (committed(&drift, tree, head, git), branch)
            }
            _ => Default::default(),
        };
        let removes = options.mode == RestoreMode::Exact || !committed.is_empty();
        Measured {
            folders: if removes {
                folders(&drift, tree, world)
            } else {
                Vec::new()
            },
            dirty: status.iter().any(|path| !path.is_untracked()),
            uncommitted: status.into_iter().map(|path| path.path).collect(),
            uncommitted_unknown,
            committed,
            branch,
            head,
            append_only: self.append_only(&drift, tree, world),
            records: BTreeSet::new(),
            drift,
        }
    }

    /// Those of the drift's paths that are append-only logs, of whichever system.
    fn append_only(&self, drift: &Drift, tree: &Path, world: &dyn World) -> BTreeSet<Foreign> {
        let kept = |path: &Foreign| {
            let file = tree.join(path.as_path());
            let mut systems = self.systems.iter();
            systems.any(|system| system.is_append_only(&file, world))
        };
        let there = |state| matches!(state, PathState::Modified | PathState::Created);
        let paths = drift.paths.iter().filter(|path| there(path.state));
        let paths = paths.map(|path| &path.path).filter(|path| kept(path));
        paths.cloned().collect()
    }

    /// Chosen paths as the plan knows them: relative to the work tree, without `.`.
    pub(super) fn normalize(options: &mut PlanOptions, tree: Option<&Path>) {
        for path in &mut options.paths {
            let beneath = tree.and_then(|tree| path.strip_prefix(tree).ok());
            let parts = beneath.unwrap_or(path).components();
            *path = parts.filter(|part| *part != Component::CurDir).collect();
        }
    }
}

/// Those of the created paths that the commit of the work tree holds.
fn committed(drift: &Drift, tree: &Path, head: &str, git: &dyn Git) -> BTreeSet<Foreign> {
    let paths = git.tree_paths(tree, head, Path::new(""));
    let inside: BTreeSet<Foreign> = paths.unwrap_or_default().into_iter().collect();
    let committed = created(drift).filter(|path| inside.contains(*path));
    committed.cloned().collect()
}

/// Folders that hold nothing but created files: with them they would be left empty. A folder that was
/// empty before counts as nothing.
fn folders(drift: &Drift, tree: &Path, world: &dyn World) -> Vec<Foreign> {
    let files: BTreeSet<&[u8]> = created(drift).map(Foreign::as_bytes).collect();
    let needed = drift.paths.iter();
    let needed = needed.filter(|path| path.state != PathState::Created);
    let needed = needed.flat_map(|path| above(path.path.as_bytes()));
    let needed: BTreeSet<&[u8]> = needed.collect();
    let candidates: BTreeSet<&[u8]> = files.iter().flat_map(|path| above(path)).collect();
    // Deepest first, so that a folder's folders are known before it.
    let mut empties: BTreeMap<&[u8], bool> = BTreeMap::new();
    for folder in candidates.into_iter().rev() {
        let empties_too = |path: &[u8]| match empties.get(path) {
            Some(known) => *known,
            None => files.contains(path) || is_empty(tree, path, world),
        };
        let all_go = |names: Vec<Vec<u8>>| names.iter().all(|name| empties_too(name));
        let goes = !needed.contains(folder) && entries(tree, folder, world).is_some_and(all_go);
        empties.insert(folder, goes);
    }
    let going = empties.into_iter().filter(|(_, goes)| *goes);
    going.map(|(path, _)| Foreign::from(path)).collect()
}

fn is_empty(tree: &Path, folder: &[u8], world: &dyn World) -> bool {
    entries(tree, folder, world).is_some_and(|names| names.is_empty())
}

/// The paths of a folder's entries, relative to the work tree.
fn entries(tree: &Path, folder: &[u8], world: &dyn World) -> Option<Vec<Vec<u8>>> {
    let place = Place::known(tree, OsStr::from_bytes(folder)).ok()?;
    let listed = world.files().list(&place).ok()?;
    let path = |name: &OsStr| [folder, b"/", name.as_bytes()].concat();
    Some(listed.iter().map(|entry| path(&entry.name)).collect())
}

/// What a moved branch and an exchanged index need: an index that says no more than its commit, and no
/// other worktree on the same branch.
fn reset_guards(worktree: &Path, commit: &str, world: &dyn World) -> Vec<Guard> {
    let git = world.git();
    let mut guards = Vec::new();
    // The guard of git's state names conflicts and what ends them.
    let conflicts = git.unmerged(worktree).is_ok_and(|paths| !paths.is_empty());
    if let Err(error) = git.resettable(worktree)
        && !conflicts
    {
        let (why, cure) = if let GitError::Index { what, cure } = error {
            (what.to_owned(), capital(&cure))
        } else {
            let cure = "Fix that, then review the plan again.";
            (error.to_string(), cure.to_owned())
        };
        let text = foreign!("The index of {} cannot be restored: {}.", worktree, why);
        guards.push(Guard::fails("index", text, cure));
    }
    let Ok(repo) = git.repo(worktree) else {
        return guards;
    };
    if repo.head.as_deref() == Some(commit) {
        return guards;
    }
    let others = git.worktrees(worktree).unwrap_or_default();
    let others = others.iter().filter(|other| {
        let same = other.branch.is_some() && other.branch == repo.branch;
        same && !other.prunable && Some(&other.path) != repo.work_tree.as_ref()
    });
    let others = list(others.map(|other| other.path.to_string_lossy()));
    if !others.is_empty() {
        guards.push(Guard::fails(
            "worktrees",
            format!("The same branch is also checked out in {others}."),
            "Switch that worktree to another branch; git switch --detach keeps its files as they are.",
        ));
    }
    guards
}

/// A chosen path that names nothing is a slip, and the plan would be smaller than was meant.
fn nothing_named(
    store: &Path,
    commit: &str,
    options: &PlanOptions,
    measured: &Measured,
    world: &dyn World,
) -> Vec<Guard> {
    if options.paths.is_empty() {
        return Vec::new();
    }
    let held = world.git().tree_paths(store, commit, Path::new(""));
    let held = held.unwrap_or_default();
    let lost = options.paths.iter();
    let lost = lost.filter(|path| names_nothing(path, measured, &held));
    let cure = "Name a path relative to the work tree, as the plan lists them.";
    let text = |path| foreign!("The checkpoint has no path under {}.", path);
    lost.map(|path| Guard::fails("paths", text(path), cure))
        .collect()
}

/// A log that has another name: appending would write to that one too, which may be a backup. To put a
/// copy in its place would not help, because an undo would then remove the appended lines.
fn linked(log: &Path, world: &dyn World) -> Option<Guard> {
    let text = "has another name (a hard link), and appending would change that file too.";
    let cure = "Replace the log with a copy of itself: copy it, then rename the copy over it.";
    let guard = || Guard::fails("hard_link", foreign!("{} {}", log, text), cure);
    is_linked(log, world).then(guard)
}

/// Whether a file has more names than this one.
pub(super) fn is_linked(file: &Path, world: &dyn World) -> bool {
    let stat = Place::of(file).and_then(|place| world.files().stat(&place).ok());
    stat.is_some_and(|stat| stat.kind == FileKind::File && stat.links > 1)
}

/// Files that should be restored and cannot: relight never writes into a nested repository or another mount.
fn nested(drift: &Drift, options: &PlanOptions) -> Option<Guard> {
    let names: Vec<_> = hidden(drift, options).map(Foreign::lossy).collect();
    if names.is_empty() {
        return None;
    }
    let shown = list_first(&names, NAMED);
    let files = count(names.len(), "file");
    let lie = plural(names.len(), "lies", "lie");
    let why = format!("{shown} {lie} in a nested repository or on another mount.");
    let text = format!("{files} of the checkpoint cannot be restored: {why}");
    let cure = "Move the nested repository away or unmount it, or choose other paths with --path.";
    Some(Guard::fails("nested", text, cure))
}

/// The tree without an entry, which every repository knows.
const EMPTY_TREE: &str = "4b825dc642cb6eb9a060e54bf8d69288fbee4904";

/// Content that would be written and that a partial clone does not have. relight itself fetches nothing.
fn not_fetched(decided: &Decided, (tree, commit): (&Path, &str)) -> Option<Guard> {
    let absent = decided.written().filter(|path| {
        let blob = path.blob.as_ref();
        blob.is_some_and(|blob| !blob.is_there)
    });
    let names: Vec<_> = absent.map(|path| path.path.lossy()).collect();
    if names.is_empty() {
        return None;
    }
    let shown = list_first(&names, NAMED);
    let files = count(names.len(), "file");
    let text = format!("This partial clone does not have the content of {files}: {shown}.");
    let cure = shell_path(tree).map_or_else(
        || "Let git fetch it.".to_owned(),
        |tree| {
            format!("Let git fetch it: git -C {tree} diff --stat {EMPTY_TREE} {commit} > /dev/null")
        },
    );
    Some(Guard::fails("work_tree", text, cure))
}

fn created(drift: &Drift) -> impl Iterator<Item = &Foreign> {
    let paths = drift.paths.iter();
    let created = paths.filter(|path| path.state == PathState::Created);
    created.map(|path| &path.path)
}
