//! The resume points of a conference, which one is recommended, and what each would do.
//!
//! The truncations and resets of a point are one transaction, so that a researcher's table and worktree never show
//! different iterations. `conference.resumed` is appended with it, before any hand-off, and counts when the conference
//! is read again. An undo appends an event after which it no longer counts. See [the
//! format](crate::docs::formats::autoconference).

pub(crate) mod checkpoints;
mod discard;
mod fresh;
pub(crate) mod handoff;
pub(crate) mod mend;
pub(crate) mod offers;
mod reset;
pub(crate) mod transfer;
mod truncate;
mod warnings;
mod work_items;

#[cfg(test)]
mod tests;

use crate::model::{
    Boundary, Check, CheckpointNeed, Guard, Intent, PointId, PointKind, Verdict, WorkItem,
};
use crate::world::World;

use super::facts::{Decision, converge};
use super::shape::CONFIG;
use super::{Conference, record};
use offers::{Move, Offer};
use work_items::Items;

/// All points, in the order of the contract.
pub(crate) fn boundaries(case: &Conference, checks: &[Check], world: &dyn World) -> Vec<Boundary> {
    let offers = offers::offers(case).into_iter();
    let boundaries = offers.map(|offer| boundary(case, offer, checks, world));
    boundaries.collect()
}

fn boundary(case: &Conference, offer: Offer, checks: &[Check], world: &dyn World) -> Boundary {
    let to = offer.to;
    let work = work_items::of(case, to);
    let verified = offers::verified(case, to, checks);
    Boundary {
        id: to.id(),
        label: to.label().into(),
        phase: Some(to.phase()),
        kind: match to {
            Move::Fresh => PointKind::Fresh,
            Move::Mend(_) | Move::Rebuild => PointKind::StateEdit,
            Move::Phase(..) | Move::Mid(_) | Move::Keep(_) | Move::Synthesis => PointKind::Boundary,
        },
        verified: verified.made.unwrap_or(Verdict::Pass),
        failing: verified.failing,
        checkpoint: CheckpointNeed::None,
        edits_records: to.is_edit()
            || to == Move::Fresh
            || record::resumed(case, to, &[]).is_some(),
        kept: Some(work.kept.len() as u64),
        redone: Some(work.redone.len() as u64),
        time_lost_s: WorkItem::recorded_time(&work.redone),
        warnings: warnings::of(case, to, world),
        reason: offer.reason,
        preference: offer.preference,
    }
}

/// The intent of a point; `None` if the point is not offered.
pub(crate) fn intent(case: &Conference, point: &PointId, world: &dyn World) -> Option<Intent> {
    let mut offers = offers::offers(case).into_iter();
    let offer = offers.find(|offer| offer.to.id() == *point)?;
    let (to, ends_early) = (offer.to, offer.ends_early(case));
    let Items { kept, redone } = work_items::of(case, to);
    let mut discard = discard::of(case, to, world);
    let (intent, reverted) = (&mut discard.intent, &mut discard.researchers);
    let mut guards = guards(case, to);
    guards.extend(reset::away(case, &handoff::workers(case, to), world));
    guards.extend(ends_early.then(|| Guard::ask("convergence", convergence(case))));
    intent.guards.splice(0..0, guards);
    intent.losses.extend(warnings::losses(case, to, world));
    match to {
        Move::Mend(id) => intent.steps.extend(mend::step(case, id)),
        Move::Rebuild => intent.steps.extend(record::rebuild::steps(case)),
        // Its log is moved aside.
        Move::Fresh => {}
        Move::Phase(..) | Move::Mid(_) | Move::Keep(_) | Move::Synthesis => {
            reverted.sort_unstable();
            reverted.dedup();
            intent.steps.extend(record::resumed(case, to, reverted));
        }
    }
    Some(Intent {
        kept,
        redone,
        ..discard.intent
    })
}

/// The question whether a conference may end that has not been declared ended.
fn convergence(case: &Conference) -> String {
    let said = converge::said(&case.raw, &case.state).unwrap_or_else(|| {
        let mut seen = String::new();
        if let Decision::Start(Some(ending)) = &case.state.decision {
            seen = format!(", although {}", ending.shown());
        }
        format!("The orchestrator has not declared the conference ended{seen}.")
    });
    let mut open = String::new();
    if case.state.open {
        open = format!(" Round {} is open and stays unfinished.", case.state.round);
    }
    format!("{said}{open} End it with the synthesis?")
}

fn guards(case: &Conference, to: Move) -> Vec<Guard> {
    let mut guards = Vec::new();
    if !to.is_edit() {
        let missing = case.missing.iter();
        let missing = missing.filter(|file| to != Move::Fresh || file.name == CONFIG);
        guards.extend(missing.map(|file| {
            let broken = file.name == CONFIG && case.raw.config.exists;
            let id = if broken { "config" } else { "required_file" };
            Guard::fails(id, file.sentence(), file.remedy.as_str())
        }));
    }
    let problems = case.raw.config.problems();
    let named = guards.iter().any(|guard| guard.id == "config");
    if case.raw.config.exists && !problems.is_empty() && !to.is_edit() && !named {
        guards.push(Guard::fails(
            "config",
            format!("conference.md breaks these rules: {}.", problems.join("; ")),
            "Repair conference.md by hand.",
        ));
    }
    if case.state.decision == (Decision::NotStarted { preflight: true }) {
        guards.push(Guard::fails(
            "preflight",
            "The pre-flight gate is waiting for its final confirmation.",
            "Change the value of `Final confirmation` in conference.md so that it no longer begins with `pending`.",
        ));
    }
    guards
}
