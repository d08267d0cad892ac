//! The tables of kept work and work that runs again: completed rounds, the iterations of the open round, and the
//! results of its later phases.

use std::collections::HashMap;

use crate::model::{Stamp, WorkItem};

use super::offers::Move;
use super::{transfer, truncate};
use crate::systems::autoconference::Conference;
use crate::systems::autoconference::facts::reading::phases::times;
use crate::systems::autoconference::facts::work::Breaks;
use crate::systems::autoconference::facts::{Evidence, Iteration};

/// The kept work and the work that runs again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Items {
    /// Is kept.
    pub kept: Vec<WorkItem>,
    /// Runs again.
    pub redone: Vec<WorkItem>,
}

/// The tables of a point.
pub(crate) fn of(case: &Conference, to: Move) -> Items {
    let mut items = Items::default();
    let fresh = to == Move::Fresh;
    let breaks = Breaks::of(&case.raw);
    let rows = case.contents.reading.phases.iter();
    let took = rows.map(|phase| (phase.id.lossy().into_owned(), phase.duration_s));
    let took: HashMap<String, Option<u64>> = took.collect();
    for round in 1..=case.state.done {
        let detail = case.state.work.best_shown(&case.raw, round);
        let detail = detail.unwrap_or_default();
        items.list(!fresh).push(WorkItem {
            duration_s: took.get(&round.to_string()).copied().flatten(),
            ..WorkItem::new(format!("round {round}"), "completed round", detail)
        });
    }
    if case.state.open {
        iterations(case, to, &breaks, &mut items);
        phases(case, to, &mut items);
    }
    if to == Move::Synthesis || fresh {
        let documents = case.raw.end_documents();
        let again = |(name, _): (&str, u64)| WorkItem::new(name, "end document", "written again");
        items.redone.extend(documents.map(again));
    }
    items
}

impl Items {
    fn list(&mut self, kept: bool) -> &mut Vec<WorkItem> {
        if kept {
            &mut self.kept
        } else {
            &mut self.redone
        }
    }
}

fn iterations(case: &Conference, to: Move, breaks: &Breaks, items: &mut Items) {
    let round = case.state.round;
    // The researchers work side by side, and the round takes what show says.
    let clock = breaks.clock(times(&case.raw, &case.state, round));
    let began = clock.first().map(|(at, _)| *at);
    let read = |at: Stamp| {
        let next = clock.partition_point(|(moment, _)| *moment <= at);
        let before = next.checked_sub(1).and_then(|at| clock.get(at));
        before.map_or(0, |(_, worked)| *worked)
    };
    let cuts = if to.reverts() {
        truncate::all(case)
    } else {
        Vec::new()
    };
    for (id, run) in case.state.work.of_round(round) {
        let mut before: Option<&Iteration> = None;
        for (index, iteration) in run {
            let removed = |c: &truncate::Cut| {
                c.id == id && iteration.row.is_some_and(|row| row > c.last_kept)
            };
            let again = matches!(to, Move::Fresh)
                || to == Move::Phase(round, 1)
                || cuts.iter().any(removed);
            let metric = iteration.metric.map_or_else(String::new, |m| m.to_string());
            let detail = format!("{} {metric}", iteration.status);
            let from = before.map_or(began, |one| one.at);
            let span = from.zip(iteration.at);
            items.list(!again).push(WorkItem {
                duration_s: breaks.between(from, iteration.at),
                span: span.map(|(from, to)| (read(from), read(to))),
                ..WorkItem::new(format!("{id} · {index}"), iteration.description(), detail)
            });
            before = Some(iteration);
        }
    }
}

fn phases(case: &Conference, to: Move, items: &mut Items) {
    let round = case.state.round;
    let from = match to {
        Move::Phase(n, phase) if n == round => phase,
        Move::Mid(_) | Move::Keep(_) | Move::Fresh => 1,
        Move::Phase(..) | Move::Synthesis | Move::Mend(_) | Move::Rebuild => 5,
    };
    for one in case.state.sessions() {
        let kept = one.phase < from;
        if one.evidence != Evidence::None && !(kept && one.evidence == Evidence::Lost) {
            let id = format!("round {round}, phase {}", one.phase);
            items.list(kept).push(WorkItem::new(id, one.what, ""));
        }
    }
    if to == Move::Phase(round, 4) {
        for part in transfer::parts(case, round) {
            let one = WorkItem::new(part.name, "knowledge transfer", part.seen);
            items.list(part.done).push(one);
        }
    }
}
