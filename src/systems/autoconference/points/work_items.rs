//! The kept and redone tables of a point: completed rounds, the iterations of the open round, and what its
//! later phases left.

use crate::model::WorkItem;

use super::offers::Move;
use super::{transfer, truncate};
use crate::systems::autoconference::Conference;
use crate::systems::autoconference::facts::work::Iteration;
use crate::systems::autoconference::facts::{Evidence, State};

/// What stays and what is done again.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Items {
    /// Stays.
    pub kept: Vec<WorkItem>,
    /// Is done again.
    pub redone: Vec<WorkItem>,
}

/// The tables of a point.
pub(crate) fn of(case: &Conference, to: Move) -> Items {
    let mut items = Items::default();
    let direction = case
        .raw
        .config
        .as_ref()
        .map(|c| c.direction)
        .unwrap_or_default();
    for round in 1..=case.state.done {
        let best = case.state.work.best(round, direction);
        items.kept.push(WorkItem {
            id: format!("round {round}").into(),
            label: "completed round".into(),
            detail: best
                .map_or_else(String::new, |(v, id)| format!("best {v} by {id}"))
                .into(),
            duration_s: None,
        });
    }
    if case.state.open {
        iterations(case, to, &mut items);
        phases(case, to, &mut items);
    }
    if to == Move::Synthesis {
        for (name, size) in [
            ("synthesis.md", case.raw.synthesis),
            ("final_report.md", case.raw.report),
        ] {
            if size > 0 {
                items
                    .redone
                    .push(item(name.to_owned(), "end document", "written again"));
            }
        }
    }
    items
}

fn iterations(case: &Conference, to: Move, items: &mut Items) {
    let round = case.state.round;
    let cuts = if to.reverts() {
        truncate::all(case)
    } else {
        Vec::new()
    };
    for (id, run) in case.state.work.of_round(round) {
        let mut before: Option<&Iteration> = None;
        for (index, iteration) in run {
            let gone = |c: &truncate::Cut| {
                c.id == id && iteration.row.is_some_and(|row| row > c.last_kept)
            };
            let again = to == Move::Phase(round, 1) || cuts.iter().any(gone);
            let item = WorkItem {
                id: format!("{id} · {index}").into(),
                label: iteration.description.as_str().into(),
                detail: format!(
                    "{} {}",
                    iteration.status,
                    iteration.metric.map_or_else(String::new, |m| m.to_string())
                )
                .into(),
                duration_s: span(before, iteration),
            };
            before = Some(iteration);
            if again {
                &mut items.redone
            } else {
                &mut items.kept
            }
            .push(item);
        }
    }
}

/// Recorded seconds between an iteration and the one before it.
fn span(before: Option<&Iteration>, now: &Iteration) -> Option<u64> {
    u64::try_from(now.at?.unix() - before?.at?.unix()).ok()
}

fn phases(case: &Conference, to: Move, items: &mut Items) {
    let State {
        round,
        poster,
        review,
        ..
    } = case.state;
    let from = match to {
        Move::Phase(n, phase) if n == round => phase,
        Move::Mid(_) | Move::Keep(_) => 1,
        Move::Phase(..) | Move::Synthesis | Move::Mend(_) => 5,
    };
    let there = [(2, poster, "poster session"), (3, review, "peer review")];
    for (phase, evidence, label) in there {
        let kept = phase < from;
        if evidence != Evidence::None && !(kept && evidence == Evidence::Lost) {
            let list = if kept {
                &mut items.kept
            } else {
                &mut items.redone
            };
            list.push(item(format!("round {round}, phase {phase}"), label, ""));
        }
    }
    if to == Move::Phase(round, 4) {
        for part in transfer::parts(case, round) {
            let list = if part.done {
                &mut items.kept
            } else {
                &mut items.redone
            };
            list.push(item(part.name.to_owned(), "knowledge transfer", &part.seen));
        }
    }
}

fn item(id: String, label: &str, detail: &str) -> WorkItem {
    WorkItem {
        id: id.into(),
        label: label.into(),
        detail: detail.into(),
        duration_s: None,
    }
}
