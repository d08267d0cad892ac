//! Where a replay begins, and at which commit of the project.

use super::Refused;
use crate::model::{
    Checkpoint, CheckpointKind, Dispatch, Experiment, Foreign, ReplayFrom, ReplayStart,
};
use crate::text::Shown as _;
use crate::world::World;
use crate::world::branch_history;

/// The start of the replay: an index into the starts, and notes about it. `affected` is the first dispatch that would
/// differ; without one, everything is run again.
pub(super) fn choose(
    experiment: &Experiment,
    from: &ReplayFrom,
    affected: Option<u64>,
    world: &dyn World,
) -> Result<(usize, Option<Foreign>), Refused> {
    if experiment.starts.is_empty() {
        return Err(Refused::disk(
            "The run has no boundary that a replay could begin at.",
        ));
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
                return Err(Refused::usage(format!("The run has no dispatch {seq}."))
                    .hint(range(experiment)));
            }
            enclosing(experiment, *seq)?
        }
        ReplayFrom::Phase(phase) => experiment
            .starts
            .iter()
            .position(|start| start.phase == phase.as_str())
            .ok_or_else(|| {
                let shown = Foreign::from(phase.as_str());
                Refused::usage(format!("No boundary begins phase {}.", shown.shown()))
                    .hint(phases(experiment))
            })?,
    };
    let Some(start) = experiment.starts.get(at) else {
        return Err(Refused::disk("The run has no such boundary."));
    };
    let Err(why) = usable(start, world) else {
        return Ok((at, None));
    };
    let earlier = experiment
        .starts
        .iter()
        .enumerate()
        .take(at)
        .rev()
        .find(|(_, start)| usable(start, world).is_ok());
    match (from, earlier) {
        (ReplayFrom::FirstAffected, Some((instead, found))) => {
            let text = format!(
                "The replay cannot begin at {}. {} It begins at {} instead, so that more is run again.",
                start.point,
                why.shown(),
                found.point
            );
            Ok((instead, Some(text.into())))
        }
        _ => Err(unusable(start, &why, earlier.map(|(_, found)| found))),
    }
}

fn unusable(start: &ReplayStart, why: &Foreign, earlier: Option<&ReplayStart>) -> Refused {
    let text = format!("A replay cannot begin at {}. {}", start.point, why.shown());
    let refused = Refused::disk(text);
    match earlier {
        Some(found) => {
            let seq = found.redo.first().map(|seq| format!("--from-seq {seq}"));
            let word = seq.unwrap_or_else(|| format!("--from-phase {}", found.phase.shown()));
            refused.hint(format!(
                "The nearest earlier boundary that can be used is {} ({word}).",
                found.point
            ))
        }
        None => refused.hint("No earlier boundary can be used either."),
    }
}

/// The last boundary before a dispatch.
fn enclosing(experiment: &Experiment, seq: u64) -> Result<usize, Refused> {
    experiment
        .starts
        .iter()
        .rposition(|start| start.redo.contains(&seq))
        .ok_or_else(|| Refused::disk(format!("There is no boundary before dispatch {seq}.")))
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
    let mut known: Vec<String> = Vec::new();
    for start in &experiment.starts {
        let phase = start.phase.lossy().into_owned();
        if !phase.is_empty() && !known.contains(&phase) {
            known.push(phase);
        }
    }
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
    match world.git().find_commit(repo, &checkpoint.id) {
        Ok(_) => Ok(()),
        Err(error) => Err(format!("Its checkpoint cannot be read: {error}.").into()),
    }
}

/// The dispatches that are run again, in manifest order, and how many are left out as deliberately not run.
pub(super) fn redo<'a>(
    experiment: &'a Experiment,
    start: &ReplayStart,
) -> (Vec<&'a Dispatch>, usize) {
    let mut again: Vec<&Dispatch> = Vec::with_capacity(start.redo.len());
    let mut skipped = 0;
    for seq in &start.redo {
        let found = run(experiment).find(|one| one.seq == *seq);
        let Some(dispatch) = found.filter(|one| again.iter().all(|known| known.seq != one.seq))
        else {
            continue;
        };
        if is_skipped(dispatch) {
            skipped += 1;
        } else {
            again.push(dispatch);
        }
    }
    (again, skipped)
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
        .map(|found| found.time);
    let stamp = |checkpoint: &Checkpoint| checkpoint.taken_at.map(|stamp| stamp.at.to_utc());
    let taken = told.ok().or_else(|| stamp(checkpoint));
    let branch = experiment.branch.as_ref().and_then(Foreign::as_str);
    let tip = || {
        git.branch_tip(work_tree, branch.filter(|branch| !branch.is_empty())?)
            .ok()
    };
    let head = || git.repo(work_tree).ok()?.head;
    let tips = [tip(), experiment.end.as_deref().and_then(known), head()];
    let since_baseline = |tip: &String| {
        baseline.is_none_or(|base| git.is_ancestor(work_tree, base, tip).unwrap_or(false))
    };
    let tip = tips.into_iter().flatten().find(since_baseline);
    let then = taken.zip(tip).and_then(|(taken, tip)| {
        branch_history::since(git, work_tree, &tip, baseline, taken).commit
    });
    then.map(|found| found.id).or_else(|| known(baseline?))
}
