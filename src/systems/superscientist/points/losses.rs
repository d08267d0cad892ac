//! The files that a point would overwrite or keep in place, as sentences.

use std::collections::BTreeSet;

use crate::model::Loss;
use crate::systems::superscientist::facts::{Flow, Scene};
use crate::systems::superscientist::points::{Point, Verb};
use crate::systems::superscientist::record::aside;
use crate::systems::superscientist::shape::{Stage, StageStatus};
use crate::text::Shown as _;
use crate::text::format;

/// How many outputs are named.
const NAMED: usize = 8;

/// The files that would be overwritten or kept in place.
pub(crate) fn all(scene: Scene<'_>, point: Point, again: &[usize], recommended: bool) -> Vec<Loss> {
    let flow = scene.flow;
    let Some(stage) = point.of(flow) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    let has_directory = |stage: &Stage| aside::folder(scene.facts, stage, scene.world).is_some();
    let retry = |stage: &Stage| {
        has_directory(stage).then(|| Loss::overwritten(format!(
            "The retry, once it runs, overwrites the files of the failed attempt in {}; copy them first if you want to compare.",
            scene.facts.wf.join(&stage.id).shown()
        )))
    };
    // Only the outputs of completed stages are moved.
    let is = |at: usize, fits: fn(&Stage) -> bool| flow.stage(at).is_some_and(fits);
    let failed = |at: &&usize| is(**at, |s| s.status == StageStatus::Failed);
    let (failed, mut again): (Vec<usize>, Vec<usize>) = again.iter().partition(failed);
    // What was invalidated before, or has yet to end, loses nothing by this point.
    let loses = |s: &Stage| s.status != StageStatus::Invalidated && !s.status.is_active();
    again.retain(|at| *at == stage.index || is(*at, loses));
    match point.verb {
        Verb::Retry => all.extend(retry(stage)),
        Verb::Fail => {
            all.extend(canceled(flow, stage));
            let failed = Some(stage).filter(|stage| again.contains(&stage.index));
            all.extend(failed.and_then(retry));
        }
        Verb::Rerun | Verb::Amend => {
            all.extend(failed.iter().filter_map(|at| retry(flow.stage(*at)?)));
            let again = again.as_slice();
            let outside = aside::outside(scene, again);
            // The recommended point moves nothing, so all of them are overwritten.
            let moves = outside.moves.iter().map(|(at, _)| *at);
            let left = outside.left.iter().map(|(at, _)| *at);
            let stages: BTreeSet<usize> = left.chain(moves.filter(|_| recommended)).collect();
            for again in stages.iter().filter_map(|at| flow.stage(*at)) {
                let named: Vec<&str> = if recommended {
                    aside::beside(again).collect()
                } else {
                    let of = outside.left.iter().filter(|(at, _)| *at == again.index);
                    of.map(|(_, path)| path.as_str()).collect()
                };
                all.push(Loss::overwritten(overwritten(&again.id, &named)));
            }
            // A directory that was lost is not moved, and what was in it is not there any more.
            let moves_directory = |at: &usize| {
                let stage = flow.stage(*at);
                let stage = stage.filter(|s| {
                    let promoted =
                        s.status == StageStatus::Invalidated && point.verb == Verb::Rerun;
                    s.status == StageStatus::Completed || promoted
                });
                stage.is_some_and(has_directory)
            };
            if !recommended && again.iter().any(moves_directory) {
                let text = "Scripts and inputs in the moved directories are prepared again.";
                all.push(Loss::overwritten(text));
            }
        }
        Verb::Skip => all.extend(canceled(flow, stage)),
        Verb::Monitor | Verb::Verify | Verb::Completion => {}
    }
    all
}

/// The remote job that a changed state file does not end.
fn canceled(flow: &Flow, stage: &Stage) -> Option<Loss> {
    let remote = flow.jobs.get(&stage.index).is_some_and(|job| job.remote);
    remote.then(|| Loss::not_restored("A remote job that is still running is not canceled."))
}

/// The files that stay where a new run overwrites them.
fn overwritten(id: &str, paths: &[&str]) -> String {
    format!(
        "{} of {id} outside its directory {} in place, and the new run overwrites {}: {}.",
        format::count_of(paths.len(), "output", "outputs"),
        format::plural(paths.len(), "stays", "stay"),
        format::plural(paths.len(), "it", "them"),
        format::list_first(paths, NAMED)
    )
}
