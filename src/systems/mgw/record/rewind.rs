//! Resets the worktree to the newest commit at the start of a step: an option of a step point, never done unasked. That
//! is the newest commit of the branch at the end of the step before, which the history records; for the first step it
//! is the start of the branch.

use std::path::Path;

use crate::model::{Foreign, Guard, Loss, Step as Change, TreeNeed};
use crate::systems::mgw::facts::reading::named_paths;
use crate::systems::mgw::facts::{COMMITS, Facts};
use crate::systems::mgw::points::{Point, Scene};
use crate::systems::mgw::shape::{State, Step};
use crate::text::format::{count, list, plural, short_id};
use crate::world::World;

/// The commit at the start of a step.
struct Start {
    /// Full id.
    commit: String,
    /// How many commits of the branch came after it.
    later: usize,
    /// Subject of the newest of them.
    newest: Option<Foreign>,
}

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
    fn refused(why: Guard) -> Self {
        Self {
            guards: vec![why],
            ..Self::default()
        }
    }
}

/// The rewind of a point: the reset if it was requested, else the commits that stay.
pub(crate) fn of(world: &dyn World, scene: &Scene<'_>, point: Point, asked: bool) -> Rewind {
    let step = match point {
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
    match (asked, start_of(world, scene, step)) {
        (false, Ok(start)) => stays(scene.facts, &start, point == Point::Fresh),
        (false, Err(_)) => Rewind::default(),
        (true, Ok(start)) => reset(world, scene.facts, scene.state, start),
        (true, Err(why)) => Rewind::refused(Guard::fails(
            "rewind",
            format!("The worktree cannot be reset: {why}."),
            "Omit --rewind-branch; then only the state file is changed.",
        )),
    }
}

/// The later commits stay on the branch.
fn stays(facts: &Facts, start: &Start, fresh: bool) -> Rewind {
    if start.later == 0 || facts.branch.present().is_none() {
        return Rewind::default();
    }
    let loss = Loss::not_restored(format!(
        "{} of the steps that run again {} on {}.",
        count(start.later, "commit"),
        plural(start.later, "stays", "stay"),
        facts.branch.name,
    ));
    let loss = if fresh {
        loss
    } else {
        let commit = short_id(&start.commit);
        loss.unless(&format!("--rewind-branch resets the worktree to {commit}"))
    };
    Rewind {
        losses: vec![loss],
        ..Rewind::default()
    }
}

fn reset(world: &dyn World, facts: &Facts, state: &State, start: Start) -> Rewind {
    let branch = &facts.branch;
    let tree = branch.tree.as_ref();
    let Some(tree) = tree.filter(|tree| tree.present && tree.registered) else {
        let name = &branch.name;
        return Rewind::refused(Guard::fails(
            "rewind",
            "git lists no worktree of this issue.",
            format!("Create it: git worktree add .worktrees/{name} {name}."),
        ));
    };
    let mut losses = Vec::new();
    if start.later > 0 {
        let newest = start.newest.as_ref().map(Foreign::lossy);
        losses.push(Loss::overwritten(format!(
            "{} {} removed from {}, the newest `{}`; undo restores {}.",
            count(start.later, "commit"),
            plural(start.later, "is", "are"),
            branch.name,
            newest.unwrap_or_default(),
            plural(start.later, "it", "them")
        )));
    }
    let git = world.git();
    let theirs = git.upstream(&facts.root, &branch.name).ok().flatten();
    let published = theirs.is_some_and(|theirs| {
        let counts = git.ahead_behind(&facts.root, &theirs, &start.commit);
        counts.is_ok_and(|(ahead, _)| ahead > 0)
    });
    if published {
        losses.push(Loss::overwritten(
            "Commits that were pushed are removed: pushing again rewrites published history.",
        ));
    }
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
        let text = format!(
            "{} {} committed later and {} removed by the reset: {}.",
            count(gone.len(), "document"),
            plural(gone.len(), "was", "were"),
            plural(gone.len(), "is", "are"),
            list(gone)
        );
        text.into()
    })
}

/// The commit of the branch at the start of a step, or the reason why it is unknown. The plan of a later phase started
/// at the end of the phase before it; the first one, at the start of the branch.
fn start_of(world: &dyn World, scene: &Scene<'_>, step: Step) -> Result<Start, &'static str> {
    let facts = scene.facts;
    let tip = facts.branch.tip.as_deref().ok_or("there is no branch")?;
    let base = facts.branch.base.as_deref();
    let base = base.ok_or("the start of the branch is unknown")?;
    let log = world.git().log(&facts.root, tip, Some(base), COMMITS);
    let log = log.map_err(|_unread| "the commits of the branch cannot be read")?;
    if log.len() >= COMMITS {
        return Err("the branch has too many commits to find the right one");
    }
    let first = scene.history.finished.is_empty() || step == Step::Triage;
    let later = if step <= Step::Plan && first {
        log.len()
    } else {
        let ended = scene.history.ended_before(step, world.clock());
        let ended = ended.ok_or("no step before it is on record")?.unix();
        let at_end = log
            .iter()
            .position(|commit| commit.time.timestamp() <= ended);
        at_end.unwrap_or(log.len())
    };
    let commit = log.get(later).map_or(base, |commit| commit.id.as_str());
    Ok(Start {
        commit: commit.to_owned(),
        later,
        newest: log.first().map(|commit| commit.subject.clone()),
    })
}
