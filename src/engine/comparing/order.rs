//! Whether the runs of an experiment were interleaved in the drawn order. Pure.

use std::collections::BTreeMap;

use chrono::{DateTime, FixedOffset};

use crate::model::{Arm, Foreign, ReplayExperiment, ReplaySession, Stamp};
use crate::replay::session::in_drawn_order;
use crate::text::format::count;

/// When a run began and ended.
type Times = (Stamp, Stamp);

/// What is wrong with the order in which the runs of an experiment began, if anything: whatever helps the run that
/// comes second would count as a difference of the arms.
pub(super) fn confounder(
    experiment: &ReplayExperiment,
    runs: &[&ReplaySession],
) -> Option<Foreign> {
    let mut begun: BTreeMap<usize, BTreeMap<Arm, Times>> = BTreeMap::new();
    for run in runs {
        if let (Some(place), Some(at)) = (&run.place, run.started_at) {
            let time = (at, run.ended_at.unwrap_or(at));
            let block = begun.entry(place.block).or_default();
            block.insert(place.arm, time);
        }
    }
    let pair = |(block, arms): (usize, BTreeMap<Arm, Times>)| {
        Some((block, *arms.get(&Arm::Control)?, *arms.get(&Arm::Mutated)?))
    };
    let pairs: Vec<(usize, Times, Times)> = begun.into_iter().filter_map(pair).collect();
    if pairs.len() < 2 {
        return None;
    }
    if experiment.seed.is_empty() {
        return Some("The order of the runs within the blocks was not drawn by a seed.".into());
    }
    // By the ends, because runs that go side by side may begin in any order.
    let (control_begins, control_ends) = span(pairs.iter().map(|pair| pair.1))?;
    let (mutated_begins, mutated_ends) = span(pairs.iter().map(|pair| pair.2))?;
    if control_ends <= mutated_begins || mutated_ends <= control_begins {
        let text =
            "The arms were not interleaved: all runs of one ended before any of the other began.";
        return Some(text.into());
    }
    // Side by side the runs of a block begin at the same moment.
    if experiment.parallel > 1 {
        return None;
    }
    let drawn = in_drawn_order(experiment);
    let first_of = |block: usize| drawn.iter().find(|run| run.place.block == block);
    let wrong = pairs.iter().filter(|(block, control, mutated)| {
        let expected = first_of(*block).map(|run| run.place.arm);
        match control.0.at.cmp(&mutated.0.at) {
            std::cmp::Ordering::Less => expected == Some(Arm::Mutated),
            std::cmp::Ordering::Equal => false,
            std::cmp::Ordering::Greater => expected == Some(Arm::Control),
        }
    });
    let wrong = wrong.count();
    let text = || {
        format!(
            "In {} the runs did not begin in the drawn order.",
            count(wrong, "block")
        )
    };
    (wrong > 0).then(|| text().into())
}

/// When the first of these begins, and the last ends.
fn span(
    all: impl Iterator<Item = Times> + Clone,
) -> Option<(DateTime<FixedOffset>, DateTime<FixedOffset>)> {
    let begins = all.clone().map(|time| time.0.at).min()?;
    Some((begins, all.map(|time| time.1.at).max()?))
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
            purged: Vec::new(),
            started_at: None,
            rejected: None,
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
        // Four runs side by side: which began first is chance.
        let mut runs = began(&[
            (1, Arm::Control),
            (2, Arm::Control),
            (1, Arm::Mutated),
            (2, Arm::Mutated),
        ]);
        for run in &mut runs {
            run.ended_at = Stamp::from_unix(1_775_600_100);
        }
        let side_by_side = ReplayExperiment {
            parallel: 4,
            ..experiment("seed", 2)
        };
        assert_eq!(
            confounder(&side_by_side, &runs.iter().collect::<Vec<_>>()),
            None
        );
        let unseeded = found(&experiment("", 3), &order).unwrap();
        assert!(unseeded.ends_with("was not drawn by a seed."));
    }
}
