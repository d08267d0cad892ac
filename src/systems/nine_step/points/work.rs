//! The tables of kept work and work that runs again: recorded steps, and phase commits without a record.

use crate::foreign;
use crate::model::WorkItem;
use crate::systems::nine_step::facts::ledger::Spot;
use crate::systems::nine_step::facts::reading::phases;
use crate::systems::nine_step::facts::{Facts, Ledger};
use crate::systems::nine_step::points::{Point, Target};
use crate::systems::nine_step::shape::{Doc, Record, StepNo};
use crate::text::Shown as _;
use crate::text::format::short_id;

/// The work that is kept and the work that runs again when work resumes at a point, by the records that are then in the
/// state file.
pub(crate) fn tables(facts: &Facts, point: &Point) -> (Vec<WorkItem>, Vec<WorkItem>) {
    let restored = match point {
        Point::FromBackup => facts.backup.as_ref().and_then(Doc::state),
        Point::Resume(_) | Point::SkipPhase(..) | Point::Commit { .. } => None,
    };
    let restored = restored.map(Ledger::of);
    let ledger = restored.as_ref().or(facts.ledger.as_ref());
    let from = point.leads_to(facts);
    let mut all = ledger.map(recorded).unwrap_or_default();
    all.extend(committed(facts, ledger));
    all.extend(ledger.and_then(|ledger| open(ledger, from, &all)));
    let lost = facts.lost_phases();
    for (target, item) in &mut all {
        let is_lost = |phase: &i64| *target == Target::Step(*phase, StepNo::Commit);
        if lost.iter().any(is_lost) {
            item.detail = foreign!("{} · no commit of the branch has it", &item.detail);
        }
    }
    all.sort_by_key(|(target, _)| *target);
    let (kept, redone): (Vec<_>, Vec<_>) = all.into_iter().partition(|(at, _)| *at < from);
    let items = |list: Vec<(Target, WorkItem)>| list.into_iter().map(|(_, item)| item).collect();
    (items(kept), items(redone))
}

/// Each recorded step once, with the time of all its repetitions.
fn recorded(ledger: &Ledger) -> Vec<(Target, WorkItem)> {
    let mut items: Vec<(Target, WorkItem)> = Vec::new();
    for (rank, record) in ledger.done.iter().enumerate() {
        let Some((phase, step)) = record.spot() else {
            continue;
        };
        let target = Target::Step(phase, step);
        let took = ledger.duration_s(rank);
        if let Some((_, item)) = items.iter_mut().find(|(at, _)| *at == target) {
            let both = item.duration_s.into_iter().chain(took);
            item.duration_s = both.reduce(u64::saturating_add);
            continue;
        }
        items.push((target, item(target, (phase, step), record, took)));
    }
    items
}

fn item(target: Target, (phase, step): Spot, record: &Record, took: Option<u64>) -> WorkItem {
    let label = format!("phase {phase}, step {step}: {}", step.title());
    let detail = format!("{} · {}", record.agent, record.status);
    WorkItem {
        duration_s: took,
        ..WorkItem::new(target.id(), label, detail)
    }
}

/// The step that was begun and is not done, where it runs again. Where it is skipped there is nothing of it to keep.
fn open(ledger: &Ledger, from: Target, all: &[(Target, WorkItem)]) -> Option<(Target, WorkItem)> {
    let (spot, record, took) = ledger.open()?;
    let target = Target::Step(spot.0, spot.1);
    let known = all.iter().any(|(at, _)| *at == target);
    (target >= from && !known).then(|| (target, item(target, spot, record, took)))
}

/// Finished phases of which only the commit says so: the plugin's writer fails where the list of steps is missing.
fn committed(facts: &Facts, ledger: Option<&Ledger>) -> Vec<(Target, WorkItem)> {
    let done = phases::done(facts, ledger);
    let on_record = |phase| ledger.is_some_and(|ledger| ledger.has((phase, StepNo::Commit)));
    let phases = facts.git.phases.iter();
    let phases = phases.filter(|(phase, _)| done.contains(phase) && !on_record(**phase));
    let items = phases.map(|(phase, found)| {
        let label = format!("phase {phase}: {}", found.commit.subject.shown());
        let detail = format!("commit {}", short_id(&found.commit.id));
        let item = WorkItem::new(format!("phase-{phase}"), label, detail);
        (Target::Step(*phase, StepNo::Commit), item)
    });
    items.collect()
}
