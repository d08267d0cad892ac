//! The kept and redone tables: recorded steps, or phase commits where there are no records.

use crate::model::WorkItem;
use crate::systems::nine_step::facts::Facts;
use crate::systems::nine_step::points::decision::Target;
use crate::systems::nine_step::sentence;
use crate::systems::nine_step::shape::steps::StepNo;

/// What stays done and what is done again when the work is taken up at a target.
pub(crate) fn tables(facts: &Facts, from: Target) -> (Vec<WorkItem>, Vec<WorkItem>) {
    let all = match &facts.ledger {
        Some(_) => recorded(facts),
        None => committed(facts),
    };
    let (kept, redone): (Vec<_>, Vec<_>) = all.into_iter().partition(|(at, _)| *at < from);
    let items = |list: Vec<(Target, WorkItem)>| list.into_iter().map(|(_, item)| item).collect();
    (items(kept), items(redone))
}

/// Recorded working time of what is done again, in seconds; `None` where no record tells.
pub(crate) fn time_lost(redone: &[WorkItem]) -> Option<u64> {
    let known: Vec<u64> = redone.iter().filter_map(|item| item.duration_s).collect();
    (!known.is_empty()).then(|| known.into_iter().fold(0, u64::saturating_add))
}

/// Each recorded step once, with the time of all its repetitions.
fn recorded(facts: &Facts) -> Vec<(Target, WorkItem)> {
    let Some(ledger) = &facts.ledger else {
        return Vec::new();
    };
    let mut items: Vec<(Target, WorkItem)> = Vec::new();
    for (rank, record) in ledger.done.iter().enumerate() {
        let Some((phase, step)) = record.spot() else {
            continue;
        };
        let target = Target::Step(phase, step);
        let took = ledger.duration_s(rank);
        if let Some((_, item)) = items.iter_mut().find(|(at, _)| *at == target) {
            item.duration_s = item
                .duration_s
                .zip(took)
                .map(|(a, b)| a.saturating_add(b))
                .or(item.duration_s)
                .or(took);
            continue;
        }
        items.push((
            target,
            WorkItem {
                id: sentence(target.id()),
                label: sentence(format!(
                    "phase {phase}, step {}: {}",
                    step.word(),
                    step.title()
                )),
                detail: sentence(format!("{} · {}", record.agent, record.status)),
                duration_s: took,
            },
        ));
    }
    items.sort_by_key(|(target, _)| *target);
    items
}

fn committed(facts: &Facts) -> Vec<(Target, WorkItem)> {
    let phases = facts.git.phases.iter();
    phases
        .map(|(phase, found)| {
            let short: String = found.commit.id.chars().take(7).collect();
            let item = WorkItem {
                id: sentence(format!("phase-{phase}")),
                label: sentence(format!("phase {phase}: {}", found.commit.subject.lossy())),
                detail: sentence(format!("commit {short}")),
                duration_s: None,
            };
            (Target::Step(*phase, StepNo::Commit), item)
        })
        .collect()
}
