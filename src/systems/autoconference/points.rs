//! The recovery rules: which boundaries there are, which one the note's algorithm chooses, and what each
//! would do (format note, sections e, g, h and i; contract.md, points).
//!
//! The cuts and the resets of a point belong into one transaction, so that a researcher's table and worktree
//! never show different iterations. `conference.resumed` is appended after it and before any hand-off, and is
//! believed when the conference is read again; an undo appends an event that ends that belief.

pub(crate) mod checkpoints;
mod discard;
pub(crate) mod handoff;
mod mend;
mod offers;
mod reset;
pub(crate) mod transfer;
mod truncate;
mod warnings;
mod work_items;

#[cfg(test)]
mod tests;

use crate::model::{
    Boundary, Check, CheckpointNeed, ClockStyle, Guard, Intent, PointId, PointKind, Recovery, Step,
    Verdict,
};
use crate::world::World;

use super::Conference;
use super::facts::Decision;
use super::facts::resumed::UNDONE;
use super::shape::EVENTS;
use super::shape::log::Log;
use offers::{Move, Offer};

/// The boundaries, in the contract's order.
pub(crate) fn boundaries(case: &Conference, checks: &[Check], world: &dyn World) -> Vec<Boundary> {
    let offers = offers::offers(case);
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
    let work = work_items::of(case, to);
    let rests_on = offers::rests_on(case, to);
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

/// What resuming at a point would do; `None` for a point that is not offered.
pub(crate) fn intent(case: &Conference, point: &PointId, world: &dyn World) -> Option<Intent> {
    let offer = offers::offers(case)
        .into_iter()
        .find(|o| o.to.id() == *point)?;
    let (to, ends_early) = (offer.to, offer.ends_early(case));
    let work = work_items::of(case, to);
    let discard = discard::of(case, to, world);
    let mut reverted = discard.researchers;
    let mut steps = discard.steps;
    let mut guards = guards(case, to);
    if ends_early {
        guards.push(Guard::ask("convergence", convergence(case)));
    }
    let mut losses = discard.losses;
    let mut tree = None;
    if to.reverts() {
        let cuts = truncate::all(case);
        losses.extend(cuts.iter().map(truncate::Cut::loss));
        reverted.extend(cuts.iter().map(|c| c.id));
        steps.extend(cuts.into_iter().map(|c| c.step(case)));
        let resets = reset::all(case, world);
        // The common guards look at one worktree, the first; the others bring their own.
        tree = resets.first().map(|r| r.tree.clone());
        for (at, reset) in resets.into_iter().enumerate() {
            reverted.push(reset.id);
            guards.extend(reset.guards.into_iter().filter(|_| at > 0));
            losses.extend(reset.losses);
            steps.push(reset.step);
        }
    }
    losses.extend(warnings::losses(case, to, world));
    if let Move::Mend(id) = to {
        steps.extend(mend::step(case, id));
    } else {
        reverted.sort_unstable();
        reverted.dedup();
        steps.extend(resumed(case, to, &reverted));
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

/// The question whether a conference may end that nobody has declared ended.
fn convergence(case: &Conference) -> String {
    let seen = if let Decision::Start(Some(ending)) = &case.state.decision {
        format!(", although {} ({})", ending.text, ending.word)
    } else {
        String::new()
    };
    let open = if case.state.open {
        format!(" Round {} is open and stays unfinished.", case.state.round)
    } else {
        String::new()
    };
    format!(
        "The orchestrator has not declared the conference ended{seen}.{open} End it with the synthesis?"
    )
}

/// The line that every recovery leaves in the log, except before a conference has begun at all.
fn resumed(case: &Conference, to: Move, reverted: &[char]) -> Option<Step> {
    let log = case.raw.log.as_ref()?;
    let not_begun = matches!(case.state.decision, Decision::NotStarted { .. }) && log.lines == 0;
    if not_begun {
        return None;
    }
    let (colon, comma) = spacing(log);
    let ids: Vec<String> = reverted.iter().map(|id| format!("\"{id}\"")).collect();
    let line = format!(
        "{{\"event\"{colon}\"conference.resumed\"{comma}\"timestamp\"{colon}\"{{now}}\"{comma}\"payload\"{colon}{{\"recovery_point\"{colon}\"{}\"{comma}\"round\"{colon}{}{comma}\"reverted_researchers\"{colon}[{}]}}}}",
        to.recovery_point(),
        to.round(case),
        ids.join(comma),
    );
    Some(append(
        case,
        log,
        line,
        "Logs conference.resumed, so that the log says where the conference was resumed.",
    ))
}

/// The line that an undo leaves in the log, so that what the recovery said there no longer counts; only where the
/// recovery itself appended to it. The recovery's own line stays, because the log is only appended to.
pub(crate) fn undone(case: &Conference, recovery: &Recovery) -> Option<Step> {
    let log = case.raw.log.as_ref()?;
    let (colon, comma) = spacing(log);
    let note = serde_json::Value::String(recovery.undone_words());
    let line = format!(
        "{{\"event\"{colon}\"{UNDONE}\"{comma}\"timestamp\"{colon}\"{{now}}\"{comma}\"payload\"{colon}{{\"summary\"{colon}{note}}}}}",
    );
    recovery.appended_to(&case.raw.path(EVENTS)).then(|| {
        append(
            case,
            log,
            line,
            "Logs that the recovery was undone, so that its conference.resumed no longer counts.",
        )
    })
}

/// How the log separates keys and members.
fn spacing(log: &Log) -> (&'static str, &'static str) {
    if log.compact {
        (":", ",")
    } else {
        (": ", ", ")
    }
}

fn append(case: &Conference, log: &Log, line: String, why: &str) -> Step {
    let heal = if log.unended {
        " The log does not end with a newline, so a newline is written first; the torn bytes stay."
    } else {
        ""
    };
    Step::AppendLines {
        path: case.raw.path(EVENTS),
        lines: vec![line],
        clock: ClockStyle::UtcSeconds,
        summary: format!("{why}{heal}").into(),
    }
}

fn guards(case: &Conference, to: Move) -> Vec<Guard> {
    let mut guards = Vec::new();
    if !matches!(to, Move::Mend(_)) {
        let missing = case.missing.iter();
        guards.extend(
            missing.map(|file| Guard::fails("required_file", file.sentence(), file.cure.as_str())),
        );
    }
    let config = case.raw.config.as_ref();
    let problems = config.map_or_else(Vec::new, super::shape::config::Config::problems);
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
