//! What a point would lose or leave behind, in sentences.

use super::{Point, Verb};
use crate::model::Foreign;
use crate::systems::superscientist::facts::{Facts, Flow};
use crate::systems::superscientist::files::{Stage, StageStatus};

/// What would be lost or left behind.
pub(super) fn all(facts: &Facts, flow: &Flow, point: Point, recommended: bool) -> Vec<Foreign> {
    let Some(stage) = point.stage.and_then(|at| flow.stage(at)) else {
        return Vec::new();
    };
    let mut all: Vec<String> = Vec::new();
    match point.verb {
        Verb::Retry => all.push(format!(
            "A retry overwrites what the failed attempt left in {}; copy it first if you want to compare.",
            facts.wf.join(&stage.id).display()
        )),
        Verb::Rerun => {
            for again in super::redone(flow, point).iter().filter_map(|at| flow.stage(*at)) {
                let beside = outside(again);
                if !beside.is_empty() {
                    all.push(format!(
                        "Outputs of {} outside its folder stay in place and the new run overwrites them: {}.",
                        again.id,
                        beside.join(", ")
                    ));
                }
            }
            if !recommended && stage.status == StageStatus::Completed {
                all.push("Scripts and inputs in the moved folders are prepared anew.".to_owned());
            }
        }
        Verb::Fail | Verb::Skip if flow.jobs.get(&stage.index).is_some_and(|j| j.remote) => {
            all.push("A remote job that still works is not cancelled.".to_owned());
        }
        Verb::Monitor | Verb::Verify | Verb::Skip | Verb::Fail | Verb::Completion => {}
    }
    all.into_iter().map(Foreign::from).collect()
}

/// Outputs that do not lie in the stage's own folder.
fn outside(stage: &Stage) -> Vec<&str> {
    let prefix = format!("{}/", stage.id);
    let lies_in = |path: &&String| !path.trim_start_matches("./").starts_with(&prefix);
    stage
        .outputs
        .iter()
        .filter(lies_in)
        .map(String::as_str)
        .take(8)
        .collect()
}
