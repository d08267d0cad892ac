//! Resets the worktree to the commit at the start of a step: an option of a step point, never done unasked.

use std::path::Path;

use crate::model::{Foreign, Guard, Intent, Loss, PlanOptions, Step as Change, TreeNeed};
use crate::systems::kit::uncommitted::{PUSHED, removed_commits};
use crate::systems::mgw::facts::Facts;
use crate::systems::mgw::facts::reading::named_paths;
use crate::systems::mgw::points::{Point, Scene};
use crate::systems::mgw::record::step_start::{self, NoStart, Start};
use crate::systems::mgw::shape::Step;
use crate::text::Shown as _;
use crate::text::format::{count, count_of, list, plural, short_id};

/// Adds the rewind of a point to its intent: the reset if it was requested, else the commits that stay.
pub(crate) fn add(scene: &Scene<'_>, point: Point, options: &PlanOptions, intent: &mut Intent) {
    let asked = options.rewind_branch;
    let step = match point.step() {
        // The steps before it are kept, and it makes no commits itself.
        Some(step) if step > Step::Execute && scene.is_chosen(point) => {
            let why = format!(
                "{} makes no commits, and the steps before it are kept",
                step.word()
            );
            let cure = "Omit --rewind-branch, or choose an earlier point.";
            return intent.guards.extend(asked.then(|| refused(&why, cure)));
        }
        Some(step) => step,
        // The commits of what runs again stay here too.
        None if point == Point::Fresh && !asked => Step::Plan,
        // The engine refuses the option for other points.
        None => return,
    };
    let cure = "Omit --rewind-branch; then only the state file is changed.";
    match (asked, step_start::of(scene, step)) {
        (false, Ok(start)) => {
            let loss = stays(scene.facts, &start, point == Point::Fresh);
            intent.losses.extend(loss);
        }
        (false, Err(NoStart::Unrecorded(_))) => {}
        (false, Err(NoStart::Unclear(why))) => {
            let branch = &scene.facts.branch.name;
            let text = format!("Commits of the steps that run again stay on {branch}.");
            let unless = format!("--rewind-branch is refused: {why}");
            let loss = Loss::not_restored(text).unless(&unless.into());
            intent.losses.push(loss);
        }
        (true, Ok(start)) => reset(scene, start, options, intent),
        (true, Err(NoStart::Unrecorded(why))) => intent.guards.push(refused(why, cure)),
        (true, Err(NoStart::Unclear(why))) => intent.guards.push(refused(&why, cure)),
    }
}

fn refused(why: &str, cure: &str) -> Guard {
    let text = format!("The worktree cannot be reset: {why}.");
    Guard::fails("rewind", text, cure)
}

/// The later commits stay on the branch.
fn stays(facts: &Facts, start: &Start, fresh: bool) -> Option<Loss> {
    if start.later == 0 || facts.branch.present().is_none() {
        return None;
    }
    let (commits, branch) = (count(start.later, "commit"), &facts.branch.name);
    let stay = plural(start.later, "stays", "stay");
    let text = format!("{commits} of the steps that run again {stay} on {branch}.");
    let loss = Loss::not_restored(text);
    if fresh {
        return Some(loss);
    }
    let commit = short_id(&start.commit);
    let how = if start.by_time {
        ", chosen by commit times"
    } else {
        ""
    };
    let unless = format!("--rewind-branch resets the worktree to {commit}{how}");
    Some(loss.unless(&unless.into()))
}

fn reset(scene: &Scene<'_>, start: Start, options: &PlanOptions, intent: &mut Intent) {
    let (facts, git) = (scene.facts, scene.world.git());
    let branch = &facts.branch;
    let Some(tree) = branch.usable() else {
        let why = "git lists no worktree of this issue.";
        let cure = branch.bring_back(&facts.root);
        return intent.guards.push(Guard::fails("rewind", why, cure));
    };
    let losses = &mut intent.losses;
    if start.later > 0 {
        let newest = start.newest.clone().unwrap_or_default();
        losses.push(removed_commits(start.later, &branch.name, &newest));
        let commit = short_id(&start.commit);
        losses.extend(start.by_time.then(|| Loss::overwritten(format!(
            "Which commits are removed was chosen by commit times, because the records name none: the worktree is reset to {commit}."
        ))));
    }
    let theirs = git.upstream(&facts.root, &branch.name).ok().flatten();
    let published = theirs.is_some_and(|theirs| {
        let counts = git.ahead_behind(&facts.root, &theirs, &start.commit);
        counts.is_ok_and(|(ahead, _)| ahead > 0)
    });
    losses.extend(published.then(|| Loss::overwritten(PUSHED)));
    let mut removed = documents(scene, &start.commit);
    // Both as paths in the worktree: the person may have typed `./src`.
    let at = |path: &Path| tree.path.join(path);
    let covers = |path: &str| {
        let mut chosen = options.paths.iter();
        chosen.any(|chosen| at(path.as_ref()).starts_with(at(chosen)))
    };
    removed.retain(|path| options.paths.is_empty() || covers(path));
    losses.extend(gone(&removed).map(Loss::overwritten));
    losses.push(Loss::not_restored(
        "Files that git ignores in the worktree are kept, including .planning if it is ignored.",
    ));
    let mut kept = intent.kept.iter();
    let lost = kept.find(|item| removed.iter().any(|path| item.detail == *path.as_str()));
    intent.guards.extend(lost.map(|item| {
        let document = item.detail.shown();
        Guard::fails(
            "rewind",
            format!("The reset would remove {document}, which this point keeps."),
            "Omit --rewind-branch, or choose the point that makes the document again.",
        )
    }));
    intent.tree = Some(TreeNeed {
        work_tree: tree.path.clone(),
        branch: Some(branch.name.as_str().into()),
        baseline: branch.base.clone(),
    });
    let step = Change::ResetWorktree {
        worktree: tree.path.clone(),
        commit: start.commit,
    };
    // The state file is outside the worktree, so the order only decides what a screen shows first.
    intent.steps.insert(0, step);
}

/// Documents that the state file names and that were committed later: a plan is often committed with its results.
fn documents(scene: &Scene<'_>, commit: &str) -> Vec<String> {
    let (facts, git) = (scene.facts, scene.world.git());
    let Some(tip) = facts.branch.tip.as_deref() else {
        return Vec::new();
    };
    let has = |id: &str, path: &str| git.blob(&facts.root, id, Path::new(path)).is_ok();
    let named = named_paths(scene.state);
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
