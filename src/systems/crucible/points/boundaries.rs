//! From boundaries of a build to what the ladder needs to know about each.

use super::recommend::{Choice, choose};
use super::{Lies, Redo, Stop, stops};
use crate::model::{
    Boundary, Check, CheckId, CheckpointNeed, Foreign, PointId, PointKind, Preference, Status,
    Subject, Verdict, short_id,
};
use crate::systems::crucible::checks::{seq_in, worst};
use crate::systems::crucible::facts::evidence;
use crate::systems::crucible::facts::phase_order::{self, Rank};
use crate::systems::crucible::facts::work::PhaseFacts;
use crate::systems::crucible::facts::{Run, RunKind};
use crate::world::World;

/// What is kept and redone from a point on.
#[derive(Default)]
struct Tally {
    kept: u64,
    redone: u64,
    /// Recorded time of work that was done and is done again.
    lost_s: u64,
    /// Done dispatches before the point whose check failed or warned.
    seqs: std::collections::BTreeSet<u64>,
}

/// The boundaries of a run, in the contract's order.
pub(crate) fn boundaries(
    run: &Run,
    status: Status,
    checks: &[Check],
    world: &dyn World,
) -> Vec<Boundary> {
    if status == Status::Unreadable || (status == Status::Complete && run.marker().is_none()) {
        return Vec::new();
    }
    let stops = stops(run, world);
    let choice = choose(run, &stops, world);
    let current = run.work.current().map(|facts| facts.name.rank);
    let begun = run.usable().is_some() || !evidence::is_not_started(run, world);
    let taken_up = run.is_build() && run.kind != RunKind::Eval && begun;
    let mut all: Vec<Boundary> = if !taken_up || status == Status::Complete {
        Vec::new()
    } else {
        let listed = stops
            .iter()
            .filter(|stop| is_listed(stop, &choice, current));
        listed
            .map(|stop| of_stop(run, stop, &stops, &choice, current, checks))
            .collect()
    };
    if taken_up {
        all.push(disk(run, status, &choice, checks));
    }
    all.push(fresh(run, &choice, checks));
    if status == Status::Complete {
        for boundary in &mut all {
            boundary.preference = Preference::ByHand;
        }
    }
    all
}

/// A boundary is shown where it has a checkpoint, where it is the first of a phase that was begun, and where
/// the rules choose it.
fn is_listed(stop: &Stop, choice: &Choice, current: Option<Rank>) -> bool {
    let begun = current.is_none_or(|current| stop.rank <= current);
    let own = stop.saved.is_some() && stop.equivalent.is_none();
    own || stop.id == choice.id || (begun && matches!(stop.lies, Lies::Start))
}

fn of_stop(
    run: &Run,
    stop: &Stop,
    stops: &[Stop],
    choice: &Choice,
    current: Option<Rank>,
    checks: &[Check],
) -> Boundary {
    let tally = tally(run, &Redo::behind(run, stop), checks);
    let (verified, failing) = verified(run, &tally, Some(stop), checks);
    let later = current.is_some_and(|current| stop.rank > current);
    let place = |id: &str| stops.iter().position(|stop| stop.id == id);
    let behind = place(&stop.id) > place(&choice.id) && choice.id != "disk" && choice.id != "fresh";
    let preference = if stop.id == choice.id {
        let why = stop.equivalent.as_ref().map_or_else(
            || choice.reason.clone(),
            |same| format!("{} {}", choice.reason, same.why),
        );
        Preference::Chosen(why.into())
    } else if later || behind || choice.id == "fresh" {
        Preference::ByHand
    } else {
        Preference::Rung
    };
    Boundary {
        id: PointId(stop.id.clone()),
        label: label(stop, choice, current).into(),
        phase: Some(stop.phase.into()),
        kind: PointKind::Boundary,
        verified,
        failing,
        checkpoint: need(stop),
        kept: tally.kept,
        redone: tally.redone,
        time_lost_s: run.usable().map(|_| tally.lost_s),
        warnings: warnings(run, stop, stops, later || behind),
        reason: reason(stop).into(),
        preference,
    }
}

fn label(stop: &Stop, choice: &Choice, current: Option<Rank>) -> String {
    let spared = choice
        .spared
        .is_some_and(|reason| stop.reasons.iter().any(|r| r == reason));
    match (stop.id.as_str(), spared) {
        ("phase-2", _) if current == Some((1, 0)) => {
            "Phase 1, step 2: before the design gate".to_owned()
        }
        ("phase-2", true) => "Re-enter before the design gate".to_owned(),
        ("phase-2-gate", true) => "Re-enter before the plan gate".to_owned(),
        _ => stop.label.clone(),
    }
}

fn need(stop: &Stop) -> CheckpointNeed {
    match &stop.saved {
        Some(saved) => CheckpointNeed::Found(saved.checkpoint()),
        None => CheckpointNeed::Missing {
            wanted: stop.reasons.join(" or ").into(),
        },
    }
}

fn reason(stop: &Stop) -> String {
    let phase = phase_order::title("build", stop.phase);
    match (&stop.saved, &stop.equivalent) {
        (Some(saved), None) => {
            format!("{phase} begins again from the files of {}.", saved.reason)
        }
        (Some(saved), Some(same)) => format!(
            "{phase} begins again from the files of {}. {}",
            saved.reason, same.why
        ),
        (None, _) => format!("{phase} begins again, but no checkpoint of its files was kept."),
    }
}

fn warnings(run: &Run, stop: &Stop, stops: &[Stop], later: bool) -> Vec<Foreign> {
    let mut all: Vec<Foreign> = Vec::new();
    if stop.saved.is_none() {
        all.push(fallback(stop, stops).into());
    }
    if run.usable().is_none() {
        all.push(evidence::unknown_work(run).into());
    }
    if later {
        all.push(
            "This is later than the recommended point: open work before it is not restored.".into(),
        );
    }
    match stop.id.as_str() {
        "phase-2" if stop.saved.is_some() => all.push(
            "This checkpoint was taken before the design gate: acceptance tests and edits made for the gate are not in it."
                .into(),
        ),
        "phase-2-gate" if stop.saved.is_some() => all.push(
            "This checkpoint was taken before the plan gate: resume at the gate, not with phase 3.".into(),
        ),
        _ => {}
    }
    if matches!(stop.lies, Lies::Within(_)) && run.clock.is_empty() && run.usable().is_some() {
        all.push("The dispatch files are missing, so which dispatches of phase 3 came after this wave began is unknown.".into());
    }
    all
}

/// What the ladder will do where a checkpoint is missing, in upstream's words.
fn fallback(stop: &Stop, stops: &[Stop]) -> String {
    let wanted = stop.reasons.join(" or ");
    let earlier = stops.iter().take_while(|s| s.id != stop.id);
    match earlier
        .filter(|s| s.saved.is_some())
        .last()
        .and_then(|s| Some((s, s.saved.as_ref()?)))
    {
        Some((to, saved)) => format!(
            "Desired checkpoint {wanted} not found. Falling back to {}. Replaying from Phase {} instead of Phase {}.",
            saved.reason, to.phase, stop.phase
        ),
        None => format!(
            "Desired checkpoint {wanted} not found, and there is no earlier one: the state of the files is not guaranteed."
        ),
    }
}

fn tally(run: &Run, redo: &Redo, checks: &[Check]) -> Tally {
    let mut tally = Tally::default();
    let Some(manifest) = run.manifest.as_deref() else {
        return tally;
    };
    let doubtful: std::collections::BTreeSet<u64> = checks
        .iter()
        .filter(|check| {
            matches!(check.id.0.as_str(), "F6" | "F7") && check.verdict != Verdict::Pass
        })
        .filter_map(seq_in)
        .collect();
    for (unit, entry) in run.work.standing(manifest) {
        if redo.takes(run, unit, entry) {
            tally.redone += 1;
            if unit.state == crate::systems::crucible::facts::work::UnitState::Done {
                tally.lost_s += entry.duration_s().unwrap_or(0);
            }
        } else {
            tally.kept += 1;
            if doubtful.contains(&entry.seq) {
                tally.seqs.insert(entry.seq);
            }
        }
    }
    tally
}

/// The worst verdict of the checks a point rests on: the manifest itself, the kept dispatches, the gates of
/// the phases before it.
fn verified(
    run: &Run,
    tally: &Tally,
    stop: Option<&Stop>,
    checks: &[Check],
) -> (Verdict, Vec<CheckId>) {
    let rank = stop.map_or((u64::MAX, 0), |stop| stop.rank);
    let before = |check: &Check| {
        let Subject::Phase(base) = &check.about else {
            return false;
        };
        phase_order::understand(&run.skill, &base.lossy()).is_some_and(|p| p.rank < rank)
    };
    let kept = |check: &Check| seq_in(check).is_some_and(|seq| tally.seqs.contains(&seq));
    let short = stop
        .and_then(|stop| stop.saved.as_ref())
        .map(|saved| short_id(&saved.commit));
    let own = |check: &Check| matches!(&check.about, Subject::Checkpoint { id, .. } if short == Some(id.as_str()));
    // Where nothing can be read of the manifest nothing was verified, and nothing failed.
    let manifest = run.usable().map_or_else(
        || Some((Verdict::Skipped, CheckId("F1".into()))),
        |_| worst(checks, "F1", |_| true),
    );
    let found = [
        manifest,
        worst(checks, "F6", kept),
        worst(checks, "F7", kept),
        worst(checks, "F10", own),
        worst(checks, "F14", before),
    ];
    let found: Vec<(Verdict, CheckId)> = found.into_iter().flatten().collect();
    let verdict = found
        .iter()
        .map(|(verdict, _)| *verdict)
        .max()
        .unwrap_or(Verdict::Pass);
    let failing = found
        .into_iter()
        .filter(|(v, _)| *v > Verdict::Skipped)
        .map(|(_, id)| id);
    (verdict, failing.collect())
}

/// Going on from what is on disk.
fn disk(run: &Run, status: Status, choice: &Choice, checks: &[Check]) -> Boundary {
    let tally = tally(run, &Redo::Open, checks);
    let (verified, failing) = verified(run, &tally, None, checks);
    // Where nothing else holds this is what is left to offer, so its checks warn and never block.
    let verified = verified.min(Verdict::Warn);
    let phase = run
        .work
        .current()
        .map(|facts| Foreign::from(facts.name.base.as_str()));
    let done = status == Status::Complete;
    Boundary {
        id: PointId("disk".to_owned()),
        label: if done {
            "Nothing to re-run"
        } else {
            "Resume with current disk state"
        }
        .into(),
        phase,
        kind: if done {
            PointKind::Cleanup
        } else {
            PointKind::CurrentState
        },
        verified,
        failing,
        checkpoint: CheckpointNeed::None,
        kept: tally.kept,
        redone: tally.redone,
        time_lost_s: run.usable().map(|_| tally.lost_s),
        warnings: disk_warnings(run, choice, done),
        reason: if done {
            "Every phase is finished; /build only tidies up."
        } else if run.usable().is_some() {
            "Nothing is restored; open dispatches run again on the files as they are."
        } else {
            "Nothing is restored; the phase continues on the files as they are."
        }
        .into(),
        preference: if choice.id == "disk" {
            Preference::Chosen(choice.reason.as_str().into())
        } else {
            Preference::ByHand
        },
    }
}

/// What stays unsettled where nothing is restored.
fn disk_warnings(run: &Run, choice: &Choice, done: bool) -> Vec<Foreign> {
    let mut all: Vec<Foreign> = Vec::new();
    if choice.id != "disk" {
        all.push("Files that interrupted dispatches changed stay as they are.".into());
    }
    if run.usable().is_none() && !done {
        all.push(evidence::unknown_work(run).into());
    }
    all
}

/// Starting over.
fn fresh(run: &Run, choice: &Choice, checks: &[Check]) -> Boundary {
    let tally = tally(run, &Redo::All, checks);
    let mut warnings: Vec<Foreign> = Vec::new();
    if tally.redone > 0
        || run.usable().is_none() && run.work.phases.iter().any(PhaseFacts::finished)
    {
        warnings.push("All recorded work is done again.".into());
    }
    if run.marker().is_some() {
        warnings.push("Upstream removes this run's marker when it starts fresh.".into());
    }
    Boundary {
        id: PointId("fresh".to_owned()),
        label: "Start fresh".into(),
        phase: Some("1".into()),
        kind: PointKind::Fresh,
        verified: Verdict::Pass,
        failing: Vec::new(),
        checkpoint: CheckpointNeed::None,
        kept: tally.kept,
        redone: tally.redone,
        time_lost_s: run.usable().map(|_| tally.lost_s),
        warnings,
        reason: "The skill starts over; files and commits stay as they are.".into(),
        preference: if choice.id == "fresh" {
            Preference::Chosen(choice.reason.as_str().into())
        } else {
            Preference::ByHand
        },
    }
}
