//! The worktree put back to the commit that stood when a step began: an option beside a step point, never done
//! unasked (format note, section g). The commit is the newest of the branch that is not younger than the end of
//! the step before, as the history records it; before the first step the branch is where it began.

use std::path::Path;

use crate::model::{Foreign, Guard, Step as Change, TreeNeed};
use crate::systems::mgw::facts::Facts;
use crate::systems::mgw::facts::branch::COMMITS;
use crate::systems::mgw::facts::reading::named_paths;
use crate::systems::mgw::points::{Point, Scene};
use crate::systems::mgw::shape::state::State;
use crate::systems::mgw::shape::vocabulary::Step;
use crate::systems::plural;
use crate::world::World;

/// The commit that a step began from, and what came after it.
struct Past {
    /// Full id.
    commit: String,
    /// Commits of the branch after it.
    since: usize,
    /// Subject of the newest of them.
    newest: Option<Foreign>,
}

/// What putting the worktree back adds to an intent.
#[derive(Debug, Default)]
pub(crate) struct Rewind {
    /// The reset, where there is one.
    pub(crate) step: Option<Change>,
    /// The worktree and the branch it must be on.
    pub(crate) tree: Option<TreeNeed>,
    /// Why it cannot be done, where it was asked for.
    pub(crate) guards: Vec<Guard>,
    /// What leaves the branch, or what stays on it.
    pub(crate) losses: Vec<Foreign>,
}

/// The rewind of a point: what is done where it was asked for, what stays where it was not.
pub(crate) fn of(world: &dyn World, scene: &Scene<'_>, point: Point, asked: bool) -> Rewind {
    let (facts, state) = (scene.facts, scene.state);
    let Point::Step(step) = point else {
        // The engine refuses the option where nothing answers it.
        return Rewind::default();
    };
    let found = past_of(world, scene, step);
    match (asked, found) {
        (false, Ok(past)) => stays(facts, &past),
        (false, Err(_)) => Rewind::default(),
        (true, Ok(past)) => reset(world, facts, state, past),
        (true, Err(why)) => Rewind {
            guards: vec![Guard::fails(
                "rewind",
                format!("The worktree cannot be restored: {why}."),
                "Leave --rewind-branch out; the state file alone is set.",
            )],
            ..Rewind::default()
        },
    }
}

/// What is on the branch since, where it is left alone.
fn stays(facts: &Facts, past: &Past) -> Rewind {
    if past.since == 0 || facts.branch.present().is_none() {
        return Rewind::default();
    }
    let text = format!(
        "{} of the steps done again {} on {}; --rewind-branch puts the worktree back to {}.",
        plural::commits(past.since),
        plural::agree(past.since, "stays", "stay"),
        facts.branch.name,
        short(&past.commit)
    );
    Rewind {
        losses: vec![text.into()],
        ..Rewind::default()
    }
}

fn reset(world: &dyn World, facts: &Facts, state: &State, past: Past) -> Rewind {
    let branch = &facts.branch;
    let Some(tree) = branch
        .tree
        .as_ref()
        .filter(|tree| tree.present && tree.registered)
    else {
        return Rewind {
            guards: vec![Guard::fails(
                "rewind",
                "The issue has no worktree that git lists.",
                format!("Make it: git worktree add .worktrees/{0} {0}.", branch.name),
            )],
            ..Rewind::default()
        };
    };
    let mut losses = Vec::new();
    if past.since > 0 {
        let newest = past.newest.as_ref().map(Foreign::lossy).unwrap_or_default();
        losses.push(Foreign::from(format!(
            "{} {} {}, the newest `{newest}`; undo puts {} back.",
            plural::commits(past.since),
            plural::agree(past.since, "leaves", "leave"),
            branch.name,
            plural::agree(past.since, "it", "them")
        )));
    }
    let theirs = world
        .git()
        .upstream(&facts.root, &branch.name)
        .ok()
        .flatten();
    let published = theirs.is_some_and(|theirs| {
        let counts = world.git().ahead_behind(&facts.root, &theirs, &past.commit);
        counts.is_ok_and(|(ahead, _)| ahead > 0)
    });
    if published {
        losses.push(
            "Commits that were pushed are taken back: pushing again rewrites published history."
                .into(),
        );
    }
    losses.extend(documents(world, facts, state, &past.commit));
    losses.push(
        "What git ignores in the worktree stays as it is, .planning too where it is ignored."
            .into(),
    );
    Rewind {
        tree: Some(TreeNeed {
            work_tree: tree.path.clone(),
            branch: Some(branch.name.as_str().into()),
            baseline: branch.base.clone(),
        }),
        step: Some(Change::ResetWorktree {
            worktree: tree.path.clone(),
            commit: past.commit,
        }),
        guards: Vec::new(),
        losses,
    }
}

/// Documents that are named in the state file and came into the branch only later: a plan is often committed
/// with what it led to.
fn documents(world: &dyn World, facts: &Facts, state: &State, commit: &str) -> Option<Foreign> {
    let tip = facts.branch.tip.as_deref()?;
    let has = |id: &str, path: &str| {
        let blob = world.git().blob(&facts.root, id, Path::new(path));
        blob.is_ok()
    };
    let named = named_paths(state);
    let mut gone: Vec<&str> = named
        .iter()
        .map(|named| named.path.as_str())
        .filter(|path| has(tip, path) && !has(commit, path))
        .collect();
    gone.sort_unstable();
    gone.dedup();
    (!gone.is_empty()).then(|| {
        let text = format!(
            "{} {} committed only later and {} with the reset: {}.",
            plural::of(gone.len(), "document", "documents"),
            plural::agree(gone.len(), "was", "were"),
            plural::agree(gone.len(), "goes", "go"),
            gone.join(", ")
        );
        text.into()
    })
}

/// Where the branch stood when a step began; why that is not known otherwise. The plan of a later phase began where
/// the phase before it ended; the first one, where the branch began.
fn past_of(world: &dyn World, scene: &Scene<'_>, step: Step) -> Result<Past, &'static str> {
    let facts = scene.facts;
    let branch = &facts.branch;
    let tip = branch.tip.as_deref().ok_or("there is no branch")?;
    let base = branch
        .base
        .as_deref()
        .ok_or("it is not known where the branch began")?;
    let log = world
        .git()
        .log(&facts.root, tip, Some(base), COMMITS)
        .map_err(|_unread| "the commits of the branch cannot be read")?;
    if log.len() >= COMMITS {
        return Err("the branch has too many commits to be sure of the one");
    }
    let first = scene.course.finished.is_empty() || step == Step::Triage;
    let since = if step <= Step::Plan && first {
        log.len()
    } else {
        let ended = scene.course.ended_before(step, world.clock());
        let ended = ended.ok_or("no step before it is on record")?.unix();
        log.iter()
            .position(|commit| commit.time.timestamp() <= ended)
            .unwrap_or(log.len())
    };
    Ok(Past {
        commit: log
            .get(since)
            .map_or(base, |commit| commit.id.as_str())
            .to_owned(),
        since,
        newest: log.first().map(|commit| commit.subject.clone()),
    })
}

fn short(id: &str) -> String {
    id.chars().take(7).collect()
}
