//! Resets the worktree to the commit at the start of a step: an option of a step point, never done unasked.

use std::path::Path;

use crate::model::{Foreign, Guard, Loss, Step as Change, TreeNeed};
use crate::systems::mgw::facts::Facts;
use crate::systems::mgw::facts::reading::named_paths;
use crate::systems::mgw::points::{Point, Scene};
use crate::systems::mgw::record::step_start::{self, NoStart, Start};
use crate::systems::mgw::shape::{State, Step};
use crate::text::format::{count, count_of, list, plural, short_id};
use crate::world::World;

/// The additions to an intent for resetting the worktree.
#[derive(Debug, Default)]
pub(crate) struct Rewind {
    pub(crate) step: Option<Change>,
    pub(crate) tree: Option<TreeNeed>,
    pub(crate) guards: Vec<Guard>,
    /// The commits that leave the branch, or that stay on it.
    pub(crate) losses: Vec<Loss>,
    /// Documents that the state file names and that the reset removes.
    pub(crate) removed: Vec<Foreign>,
}

impl Rewind {
    fn refused(why: impl Into<Foreign>, cure: impl Into<Foreign>) -> Self {
        Self {
            guards: vec![Guard::fails("rewind", why, cure)],
            ..Self::default()
        }
    }

    fn loses(loss: Loss) -> Self {
        Self {
            losses: vec![loss],
            ..Self::default()
        }
    }
}

/// The rewind of a point: the reset if it was requested, else the commits that stay.
pub(crate) fn of(world: &dyn World, scene: &Scene<'_>, point: Point, asked: bool) -> Rewind {
    let step = match point {
        // The steps before it are kept, and it makes no commits itself.
        Point::Step(step) if step > Step::Execute && scene.is_chosen(point) => {
            let refusal = || {
                let why = format!(
                    "The worktree cannot be reset: {} makes no commits, and the steps before it are kept.",
                    step.word()
                );
                Rewind::refused(why, "Omit --rewind-branch, or choose an earlier point.")
            };
            return asked.then(refusal).unwrap_or_default();
        }
        Point::Step(step) => step,
        // The commits of what runs again stay here too.
        Point::Fresh if !asked => Step::Plan,
        // The engine refuses the option for other points.
        Point::Fresh
        | Point::Retry
        | Point::Cleanup
        | Point::FromTmp
        | Point::ReTriage
        | Point::Override => return Rewind::default(),
    };
    match (asked, step_start::of(world, scene, step)) {
        (false, Ok(start)) => stays(scene.facts, &start, point == Point::Fresh),
        (false, Err(NoStart::Unrecorded(_))) => Rewind::default(),
        (false, Err(NoStart::Unclear(why))) => {
            let branch = &scene.facts.branch.name;
            let text = format!("Commits of the steps that run again stay on {branch}.");
            let unless = format!("--rewind-branch is refused: {why}");
            Rewind::loses(Loss::not_restored(text).unless(&unless))
        }
        (true, Ok(start)) => reset(world, scene.facts, scene.state, start),
        (true, Err(NoStart::Unrecorded(why))) => unclear(why),
        (true, Err(NoStart::Unclear(why))) => unclear(&why),
    }
}

fn unclear(why: &str) -> Rewind {
    let cure = "Omit --rewind-branch; then only the state file is changed.";
    Rewind::refused(format!("The worktree cannot be reset: {why}."), cure)
}

/// The later commits stay on the branch.
fn stays(facts: &Facts, start: &Start, fresh: bool) -> Rewind {
    if start.later == 0 || facts.branch.present().is_none() {
        return Rewind::default();
    }
    let (commits, branch) = (count(start.later, "commit"), &facts.branch.name);
    let stay = plural(start.later, "stays", "stay");
    let text = format!("{commits} of the steps that run again {stay} on {branch}.");
    let loss = Loss::not_restored(text);
    if fresh {
        return Rewind::loses(loss);
    }
    let commit = short_id(&start.commit);
    let how = if start.by_time {
        ", chosen by commit times"
    } else {
        ""
    };
    let unless = format!("--rewind-branch resets the worktree to {commit}{how}");
    Rewind::loses(loss.unless(&unless))
}

fn reset(world: &dyn World, facts: &Facts, state: &State, start: Start) -> Rewind {
    let branch = &facts.branch;
    let Some(tree) = branch.usable() else {
        let cure = match branch.recreate(&facts.root) {
            Some(command) => format!("Create it: {command}"),
            None => "Let /mgw:run create it.".to_owned(),
        };
        return Rewind::refused("git lists no worktree of this issue.", cure);
    };
    let mut losses = Vec::new();
    if start.later > 0 {
        let newest = start
            .newest
            .as_ref()
            .map(Foreign::lossy)
            .unwrap_or_default();
        let (commits, them) = (
            count(start.later, "commit"),
            plural(start.later, "it", "them"),
        );
        let (are, name) = (plural(start.later, "is", "are"), &branch.name);
        losses.push(Loss::overwritten(format!(
            "{commits} {are} removed from {name}, the newest `{newest}`; undo restores {them}."
        )));
        let commit = short_id(&start.commit);
        losses.extend(start.by_time.then(|| Loss::overwritten(format!(
            "Which commits are removed was chosen by commit times, because the records name none: the worktree is reset to {commit}."
        ))));
    }
    let git = world.git();
    let theirs = git.upstream(&facts.root, &branch.name).ok().flatten();
    let published = theirs.is_some_and(|theirs| {
        let counts = git.ahead_behind(&facts.root, &theirs, &start.commit);
        counts.is_ok_and(|(ahead, _)| ahead > 0)
    });
    let pushed = "Commits that were pushed are removed: pushing again rewrites published history.";
    losses.extend(published.then(|| Loss::overwritten(pushed)));
    let removed = documents(world, facts, state, &start.commit);
    losses.extend(gone(&removed).map(Loss::overwritten));
    losses.push(Loss::not_restored(
        "Files that git ignores in the worktree are kept, including .planning if it is ignored.",
    ));
    Rewind {
        tree: Some(TreeNeed {
            work_tree: tree.path.clone(),
            branch: Some(branch.name.as_str().into()),
            baseline: branch.base.clone(),
        }),
        step: Some(Change::ResetWorktree {
            worktree: tree.path.clone(),
            commit: start.commit,
        }),
        guards: Vec::new(),
        losses,
        removed: removed.into_iter().map(Into::into).collect(),
    }
}

/// Documents that the state file names and that were committed later: a plan is often committed with its results.
fn documents(world: &dyn World, facts: &Facts, state: &State, commit: &str) -> Vec<String> {
    let Some(tip) = facts.branch.tip.as_deref() else {
        return Vec::new();
    };
    let git = world.git();
    let has = |id: &str, path: &str| git.blob(&facts.root, id, Path::new(path)).is_ok();
    let named = named_paths(state);
    let mut gone: Vec<String> = named.into_iter().map(|named| named.path).collect();
    gone.retain(|path| has(tip, path) && !has(commit, path));
    gone.sort_unstable();
    gone.dedup();
    gone
}

/// What of them is lost.
fn gone(gone: &[String]) -> Option<Foreign> {
    (!gone.is_empty()).then(|| {
        let documents = count_of(gone.len(), "document was", "documents were");
        let (are, names) = (plural(gone.len(), "is", "are"), list(gone));
        format!("{documents} committed later and {are} removed by the reset: {names}.").into()
    })
}
