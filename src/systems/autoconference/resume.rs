//! The recovery rules: which boundaries there are, which one the note's algorithm chooses, and what each
//! would do (format note, sections e, g, h and i; contract.md, points).
//!
//! The cuts and the resets of a point belong into one transaction, so that a researcher's table and worktree
//! never stand for different iterations. `conference.resumed` is appended after it and before any hand-off. The
//! format has no event for taking a recovery back, and the log's line about it stays: its reader computes the
//! point from everything else (format note, section e.3).

pub(crate) mod checkpoints;
mod cut;
pub(crate) mod handoff;
mod items;
mod mend;
mod points;
mod reset;
pub(crate) mod transfer;
mod warnings;

#[cfg(test)]
mod tests;

use crate::model::{
    Boundary, Check, CheckpointNeed, ClockStyle, Guard, Intent, PointId, PointKind, Step, Verdict,
};
use crate::world::World;

use super::Conference;
use super::files::EVENTS;
use super::state::Decision;
use points::{Move, Offer};

/// The boundaries, in the contract's order.
pub(crate) fn boundaries(case: &Conference, checks: &[Check], world: &dyn World) -> Vec<Boundary> {
    let offers = points::offers(case);
    offers
        .into_iter()
        .map(|offer| boundary(case, offer, checks, world))
        .collect()
}

fn boundary(case: &Conference, offer: Offer, checks: &[Check], world: &dyn World) -> Boundary {
    let Offer {
        to,
        preference,
        reason,
    } = offer;
    let work = items::of(case, to);
    let rests_on = points::rests_on(case, to);
    let mut failing: Vec<_> = checks
        .iter()
        .filter(|c| rests_on.contains(&c.id.0.as_str()) && c.verdict > Verdict::Skipped)
        .collect();
    let verified = failing
        .iter()
        .map(|c| c.verdict)
        .max()
        .unwrap_or(Verdict::Pass);
    failing.dedup_by(|a, b| a.id == b.id);
    let lost: Vec<u64> = work
        .redone
        .iter()
        .filter_map(|item| item.duration_s)
        .collect();
    Boundary {
        id: to.id(),
        label: to.label().into(),
        phase: Some(to.phase()),
        kind: if matches!(to, Move::Mend(_)) {
            PointKind::StateEdit
        } else {
            PointKind::Boundary
        },
        verified,
        failing: failing.into_iter().map(|c| c.id.clone()).collect(),
        checkpoint: CheckpointNeed::None,
        kept: work.kept.len() as u64,
        redone: work.redone.len() as u64,
        time_lost_s: (!lost.is_empty()).then(|| lost.iter().sum()),
        warnings: warnings::of(case, to, world),
        reason,
        preference,
    }
}

/// What taking up at a point would do; `None` for a point that is not offered.
pub(crate) fn intent(case: &Conference, point: &PointId, world: &dyn World) -> Option<Intent> {
    let offer = points::offers(case)
        .into_iter()
        .find(|o| o.to.id() == *point)?;
    let to = offer.to;
    let work = items::of(case, to);
    let mut steps = Vec::new();
    let mut guards = guards(case, to);
    let mut losses = Vec::new();
    let mut tree = None;
    if to.reverts() {
        let cuts = cut::all(case);
        losses.extend(cuts.iter().map(cut::Cut::loss));
        steps.extend(cuts.into_iter().map(|c| c.step(case)));
        let resets = reset::all(case, world);
        // The common guards look at one worktree, the first; the others bring their own.
        tree = resets.first().map(|r| r.tree.clone());
        for (at, reset) in resets.into_iter().enumerate() {
            guards.extend(reset.guards.into_iter().filter(|_| at > 0));
            losses.extend(reset.losses);
            steps.push(reset.step);
        }
    }
    losses.extend(warnings::losses(case, to, world));
    if let Move::Mend(id) = to {
        steps.extend(mend::step(case, id));
    } else {
        steps.extend(resumed(case, to));
    }
    Some(Intent {
        kept: work.kept,
        redone: work.redone,
        steps,
        guards,
        tree,
        losses,
    })
}

/// The line that every recovery leaves in the log, except before a conference has begun at all.
fn resumed(case: &Conference, to: Move) -> Option<Step> {
    let log = case.raw.log.as_ref()?;
    let not_begun = matches!(case.state.decision, Decision::NotStarted { .. }) && log.lines == 0;
    if not_begun {
        return None;
    }
    let (colon, comma) = if log.compact {
        (":", ",")
    } else {
        (": ", ", ")
    };
    let ids: Vec<String> = reverted(case, to)
        .iter()
        .map(|id| format!("\"{id}\""))
        .collect();
    let line = format!(
        "{{\"event\"{colon}\"conference.resumed\"{comma}\"timestamp\"{colon}\"{{now}}\"{comma}\"payload\"{colon}{{\"recovery_point\"{colon}\"{}\"{comma}\"round\"{colon}{}{comma}\"reverted_researchers\"{colon}[{}]}}}}",
        to.recovery_point(),
        to.round(case),
        ids.join(comma),
    );
    let heal = if log.unended {
        " The log does not end with a newline, so a newline is written first; what stands there stays."
    } else {
        ""
    };
    Some(Step::AppendLines {
        path: case.raw.path(EVENTS),
        lines: vec![line],
        clock: ClockStyle::UtcSeconds,
        summary: format!(
            "Logs conference.resumed, so that the log says where work was taken up.{heal}"
        )
        .into(),
    })
}

/// The researchers whose rows or worktree a point puts back.
fn reverted(case: &Conference, to: Move) -> Vec<char> {
    if to.reverts() {
        case.state.incomplete()
    } else {
        Vec::new()
    }
}

fn guards(case: &Conference, to: Move) -> Vec<Guard> {
    let mut guards = Vec::new();
    let problems = case.raw.config.as_ref().map_or_else(
        || vec!["it is missing"],
        super::files::config::Config::problems,
    );
    if !problems.is_empty() && !matches!(to, Move::Mend(_)) {
        guards.push(Guard::fails(
            "config",
            format!("conference.md cannot be followed: {}.", problems.join("; ")),
            "Repair conference.md by hand.",
        ));
    }
    if case.state.decision == (Decision::NotStarted { preflight: true }) {
        guards.push(Guard::fails(
            "preflight",
            "The final confirmation of the pre-flight gate is pending.",
            "Change the value of `Final confirmation` in conference.md so that it no longer begins with `pending`.",
        ));
    }
    guards
}
