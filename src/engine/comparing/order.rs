//! Whether the runs of an experiment were interleaved as its seed says. Pure.

use std::collections::BTreeMap;

use crate::model::{Arm, Foreign, ReplayExperiment, ReplaySession, Stamp};
use crate::replay::session::in_drawn_order;
use crate::text::format::count;

/// What is wrong with the order in which the runs of an experiment began, if anything: whatever helps the run that
/// comes second would count as a difference of the arms.
pub(super) fn confounder(
    experiment: &ReplayExperiment,
    runs: &[&ReplaySession],
) -> Option<Foreign> {
    let mut begun: BTreeMap<usize, BTreeMap<Arm, Stamp>> = BTreeMap::new();
    for run in runs {
        if let (Some(place), Some(at)) = (&run.place, run.started_at) {
            begun.entry(place.block).or_default().insert(place.arm, at);
        }
    }
    let pairs: Vec<(usize, Stamp, Stamp)> = begun
        .into_iter()
        .filter_map(|(block, arms)| {
            let (control, mutated) = (arms.get(&Arm::Control)?, arms.get(&Arm::Mutated)?);
            Some((block, *control, *mutated))
        })
        .collect();
    if pairs.len() < 2 {
        return None;
    }
    if experiment.seed.is_empty() {
        return Some("The order of the runs within the blocks was not drawn by a seed.".into());
    }
    let (first_control, last_control) = ends(pairs.iter().map(|pair| pair.1))?;
    let (first_mutated, last_mutated) = ends(pairs.iter().map(|pair| pair.2))?;
    if last_control.at < first_mutated.at || last_mutated.at < first_control.at {
        return Some(
            "The arms were not interleaved: all runs of one began before all of the other.".into(),
        );
    }
    // Side by side the runs of a block begin at the same moment.
    if experiment.parallel > 1 {
        return None;
    }
    let drawn = in_drawn_order(experiment);
    let first_of = |block: usize| drawn.iter().find(|run| run.place.block == block);
    let wrong = pairs.iter().filter(|(block, control, mutated)| {
        let expected = first_of(*block).map(|run| run.place.arm);
        match control.at.cmp(&mutated.at) {
            std::cmp::Ordering::Less => expected == Some(Arm::Mutated),
            std::cmp::Ordering::Equal => false,
            std::cmp::Ordering::Greater => expected == Some(Arm::Control),
        }
    });
    let wrong = wrong.count();
    (wrong > 0).then(|| {
        let blocks = count(wrong, "block");
        format!("In {blocks} the runs did not begin in the order that the seed had drawn.").into()
    })
}

/// The earliest and the latest.
fn ends(all: impl Iterator<Item = Stamp> + Clone) -> Option<(Stamp, Stamp)> {
    let first = all.clone().min_by_key(|stamp| stamp.at)?;
    Some((first, all.max_by_key(|stamp| stamp.at)?))
}
