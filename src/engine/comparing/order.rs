//! Whether the runs of an experiment were interleaved in the drawn order. Pure.

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
        format!("In {blocks} the runs did not begin in the drawn order.").into()
    })
}

/// The earliest and the latest.
fn ends(all: impl Iterator<Item = Stamp> + Clone) -> Option<(Stamp, Stamp)> {
    let first = all.clone().min_by_key(|stamp| stamp.at)?;
    Some((first, all.max_by_key(|stamp| stamp.at)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{RunPlace, SessionId};

    fn experiment(seed: &str, blocks: usize) -> ReplayExperiment {
        ReplayExperiment {
            id: SessionId("7".to_owned()),
            arms: vec![Arm::Control, Arm::Mutated],
            blocks,
            fixed: blocks,
            all: false,
            fresh: false,
            parallel: 1,
            on: crate::model::RunsOn::Local,
            seed: seed.to_owned(),
            question: String::new(),
            metrics: Vec::new(),
            unswapped: 0,
            started_at: None,
            end: None,
        }
    }

    /// Runs that began one after the other in this order.
    fn began(order: &[(usize, Arm)]) -> Vec<ReplaySession> {
        let run = |(at, (block, arm)): (i64, &(usize, Arm))| ReplaySession {
            place: Some(RunPlace {
                experiment: SessionId("7".to_owned()),
                arm: *arm,
                block: *block,
            }),
            started_at: Stamp::from_unix(1_775_600_000 + at),
            ..super::super::tests::session(&format!("7-{at}"), "7", (1, 1))
        };
        (0_i64..).zip(order).map(run).collect()
    }

    fn found(experiment: &ReplayExperiment, order: &[(usize, Arm)]) -> Option<String> {
        let runs = began(order);
        let runs: Vec<&ReplaySession> = runs.iter().collect();
        confounder(experiment, &runs).map(|text| text.lossy().into_owned())
    }

    #[test]
    fn the_drawn_order_confounds_nothing_and_any_other_does() {
        let experiment = experiment("seed", 4);
        let drawn: Vec<(usize, Arm)> = in_drawn_order(&experiment)
            .iter()
            .map(|run| (run.place.block, run.place.arm))
            .collect();
        assert_eq!(found(&experiment, &drawn), None);
        let mut turned = drawn.clone();
        turned.swap(2, 3);
        assert_eq!(
            found(&experiment, &turned).unwrap(),
            "In 1 block the runs did not begin in the drawn order."
        );
        // Whoever waits for a place side by side with others begins when there is one.
        let side_by_side = ReplayExperiment {
            parallel: 2,
            ..experiment.clone()
        };
        assert_eq!(found(&side_by_side, &turned), None);
        assert_eq!(found(&experiment, &drawn[..2]), None);
    }

    #[test]
    fn arms_that_ran_one_after_the_other_and_an_order_that_nobody_drew_are_confounders() {
        let blocks = |arm: Arm| (1..=3).map(move |block| (block, arm));
        let order: Vec<_> = blocks(Arm::Control).chain(blocks(Arm::Mutated)).collect();
        let not_interleaved = found(&experiment("seed", 3), &order).unwrap();
        assert!(not_interleaved.starts_with("The arms were not interleaved"));
        let unseeded = found(&experiment("", 3), &order).unwrap();
        assert!(unseeded.ends_with("was not drawn by a seed."));
    }
}
