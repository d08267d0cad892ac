//! Where a replay begins, and at which commit of the project.

use crate::foreign;
use crate::model::{
    CheckpointKind, Dispatch, EngineError, Experiment, Foreign, ReplayFrom, ReplayStart, Result,
};
use crate::text::{Shown as _, distinct};
use crate::world::World;
use crate::world::branch_history;

/// The start of the replay with its place among the starts, and a note about it. `affected` is the first dispatch that
/// would differ; without one, everything is run again.
pub(super) fn choose<'a>(
    experiment: &'a Experiment,
    from: &ReplayFrom,
    affected: Option<u64>,
    world: &dyn World,
) -> Result<(usize, &'a ReplayStart, Option<Foreign>)> {
    if experiment.starts.is_empty() {
        let text = "The run has no boundary that a replay could begin at.";
        return Err(EngineError::refused(text));
    }
    let at = match from {
        ReplayFrom::FirstAffected => {
            if let Some(seq) = affected {
                enclosing(experiment, seq)?
            } else {
                let first = |start: &ReplayStart| usable(start, world).is_ok();
                experiment.starts.iter().position(first).unwrap_or(0)
            }
        }
        ReplayFrom::Seq(seq) => {
            if run(experiment).all(|one| one.seq != *seq) {
                let text = format!("The run has no dispatch {seq}.");
                return Err(EngineError::usage(text).hint(range(experiment)));
            }
            enclosing(experiment, *seq)?
        }
        ReplayFrom::Phase(phase) => {
            let mut starts = experiment.starts.iter();
            let at = starts.position(|start| start.phase == phase.as_str());
            at.ok_or_else(|| {
                let text = foreign!("No boundary begins phase {}.", phase.as_str());
                EngineError::usage(text).hint(phases(experiment))
            })?
        }
    };
    let Some(start) = experiment.starts.get(at) else {
        return Err(EngineError::refused("The run has no such boundary."));
    };
    let Err(why) = usable(start, world) else {
        return Ok((at, start, None));
    };
    let mut before = experiment.starts.iter().enumerate().take(at).rev();
    let earlier = before.find(|(_, start)| usable(start, world).is_ok());
    match (from, earlier) {
        (ReplayFrom::FirstAffected, Some((instead, found))) => {
            let text = foreign!(
                "The replay cannot begin at {}. {} It begins at {} instead, so that more is run again.",
                start.point.0.as_str(),
                &why,
                found.point.0.as_str()
            );
            Ok((instead, found, Some(text)))
        }
        _ => Err(unusable(start, &why, earlier.map(|(_, found)| found))),
    }
}

fn unusable(start: &ReplayStart, why: &Foreign, earlier: Option<&ReplayStart>) -> EngineError {
    let text = format!("A replay cannot begin at {}. {}", start.point, why.shown());
    let hint = earlier.map(|found| {
        let seq = found.redo.first().map(|seq| format!("--from-seq {seq}"));
        let word = seq.unwrap_or_else(|| format!("--from-phase {}", found.phase.shown()));
        let point = &found.point;
        format!("The nearest earlier boundary that can be used is {point} ({word}).")
    });
    let none = || "No earlier boundary can be used either.".to_owned();
    EngineError::refused(text).hint(hint.unwrap_or_else(none))
}

/// The last boundary before a dispatch.
fn enclosing(experiment: &Experiment, seq: u64) -> Result<usize> {
    let mut starts = experiment.starts.iter();
    let at = starts.rposition(|start| start.redo.contains(&seq));
    at.ok_or_else(|| EngineError::refused(format!("There is no boundary before dispatch {seq}.")))
}

fn range(experiment: &Experiment) -> String {
    let seqs = || run(experiment).map(|one| one.seq);
    match (seqs().min(), seqs().max()) {
        (Some(first), Some(last)) if first < last => {
            format!("Its dispatches are numbered {first} to {last}.")
        }
        (Some(only), _) => format!("Its only dispatch is {only}."),
        (None, _) => "It has no dispatches.".to_owned(),
    }
}

fn phases(experiment: &Experiment) -> String {
    let phases = experiment.starts.iter().map(|start| start.phase.lossy());
    let known = distinct(phases.filter(|phase| !phase.is_empty()));
    format!("Boundaries begin the phases {}.", known.join(", "))
}

/// Whether a work tree can be created for a start. The error is a sentence.
fn usable(start: &ReplayStart, world: &dyn World) -> Result<(), Foreign> {
    if let Some(why) = &start.unusable {
        return Err(why.clone());
    }
    let Some(checkpoint) = &start.checkpoint else {
        return Err("Its saved files no longer exist.".into());
    };
    let Some(repo) = checkpoint.kind.repository() else {
        return Err("The checkpoint does not contain a file tree.".into());
    };
    let found = world.git().find_commit(repo, &checkpoint.id);
    found
        .map(drop)
        .map_err(|error| format!("Its checkpoint cannot be read: {error}.").into())
}

/// The dispatches that are run again, in manifest order, and how many are left out as deliberately not run.
pub(super) fn redo<'a>(
    experiment: &'a Experiment,
    start: &ReplayStart,
) -> (Vec<&'a Dispatch>, usize) {
    let found = |seq: &u64| run(experiment).find(|one| one.seq == *seq);
    let all: Vec<&Dispatch> = start.redo.iter().filter_map(found).collect();
    let (skipped, again): (Vec<_>, Vec<_>) = all.into_iter().partition(|one| is_skipped(one));
    (distinct(again), skipped.len())
}

/// The dispatches of the run itself. One that re-executes another belongs to a replay, even if it names no session.
pub(super) fn run(experiment: &Experiment) -> impl Iterator<Item = &Dispatch> {
    experiment.original().filter(|one| one.replay_of.is_none())
}

/// Whether a dispatch was deliberately not run; then it is not run again either.
pub(super) fn is_skipped(dispatch: &Dispatch) -> bool {
    dispatch.status == crate::model::DispatchStatus::Skipped
}

/// The project's commit when a start's files were saved: on the branch itself, not after the checkpoint, not before
/// the baseline; the baseline if the branch no longer exists.
pub(super) fn commit(
    experiment: &Experiment,
    start: &ReplayStart,
    world: &dyn World,
) -> Option<String> {
    let work_tree = experiment.work_tree.as_deref()?;
    let git = world.git();
    let known = |id: &str| git.find_commit(work_tree, id).ok().map(|found| found.id);
    let checkpoint = start.checkpoint.as_ref()?;
    let baseline = experiment.baseline.as_deref();
    let CheckpointKind::Shadow { store } = &checkpoint.kind else {
        return known(&checkpoint.id);
    };
    let told = git
        .find_commit(store, &checkpoint.id)
        .ok()
        .map(|found| found.time);
    let taken = told.or_else(|| checkpoint.taken_at.map(|stamp| stamp.at.to_utc()));
    let branch = experiment.branch.as_ref().and_then(Foreign::as_str);
    let branch = branch.filter(|branch| !branch.is_empty());
    let tip = || git.branch_tip(work_tree, branch?).ok();
    let head = || git.repo(work_tree).ok()?.head;
    let tips = [tip(), experiment.end.as_deref().and_then(known), head()];
    let since_baseline = |tip: &String| {
        baseline.is_none_or(|base| git.is_ancestor(work_tree, base, tip).unwrap_or(false))
    };
    let tip = tips.into_iter().flatten().find(since_baseline);
    let then = taken.zip(tip).and_then(|(taken, tip)| {
        let times = (taken, world.clock().now().to_utc());
        let since = branch_history::since(git, work_tree, &tip, baseline, times);
        since.ok()?.commit
    });
    then.map(|found| found.id).or_else(|| known(baseline?))
}
