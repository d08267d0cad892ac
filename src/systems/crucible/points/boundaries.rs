//! The points of a run: the work that each keeps and runs again, the checks that it depends on, and its warnings.

use std::collections::BTreeSet;

use super::discarded::discards_work;
use super::handoff::outdated_gates;
use super::recommend::{Choice, choose};
use super::{Position, Redo, Stop, begun_since, named, stops};
use crate::model::{
    Boundary, Check, CheckpointNeed, Foreign, PointId, PointKind, Preference, Status, Subject,
    Verdict,
};
use crate::systems::crucible::checks::seq_in;
use crate::systems::crucible::facts::{
    PhaseFacts, Rank, Run, Saved, evidence, phase_order, sources,
};
use crate::systems::kit::depends_on::{self, DependsOn, Scope, Verified};
use crate::text::format::short_id;
use crate::world::World;

/// Which checks a point depends on: the manifest (the first row), the dispatches that it keeps, its checkpoint, the
/// gates before it.
#[rustfmt::skip]
const DEPENDS_ON: &[DependsOn<()>] = &[
    DependsOn::new(&[()], &["F1"], Scope::Any),
    DependsOn::new(&[()], &["F6", "F7", "F10"], Scope::Own),
    DependsOn::new(&[()], &["F14"], Scope::Earlier),
];

/// The work that a point keeps and runs again.
#[derive(Default)]
struct Tally {
    kept: u64,
    redone: u64,
    /// Recorded time of the work that runs again; `None` if none of it is recorded.
    lost_s: Option<u64>,
    /// Kept dispatches whose check failed, warned or was skipped.
    doubtful: BTreeSet<u64>,
    /// Kept dispatches whose outcome the manifest does not record.
    unrecorded: BTreeSet<u64>,
}

impl Tally {
    /// No work takes no time.
    fn time_lost_s(&self) -> Option<u64> {
        self.lost_s.or_else(|| (self.redone == 0).then_some(0))
    }
}

/// The points of a run, in the order of the contract.
pub(crate) fn boundaries(
    run: &Run,
    status: Status,
    checks: &[Check],
    world: &dyn World,
) -> Vec<Boundary> {
    let complete = status == Status::Complete;
    if status == Status::Unreadable || (complete && run.marker().is_none()) {
        return Vec::new();
    }
    let stops = stops(run, world);
    let ladder = Ladder {
        run,
        checks,
        choice: choose(run, &stops, world),
        current: run.work.current().map(|facts| facts.name.rank),
        stops: &stops,
    };
    let resumable = run.is_resumable(world);
    let mut all: Vec<Boundary> = Vec::new();
    if resumable && !complete {
        let listed = stops.iter().filter(|stop| ladder.lists(stop));
        all.extend(listed.map(|stop| ladder.stop(stop)));
    }
    if resumable {
        all.push(ladder.disk(complete));
    }
    all.push(ladder.fresh());
    if complete {
        for boundary in &mut all {
            boundary.preference = Preference::ByHand;
        }
    }
    all
}

/// The input for all points of a run.
struct Ladder<'a> {
    run: &'a Run,
    stops: &'a [Stop],
    choice: Choice,
    /// The rank of the unfinished phase.
    current: Option<Rank>,
    checks: &'a [Check],
}

impl Ladder<'_> {
    /// A boundary is listed if it has a checkpoint, if it is the first of a phase that was started, or if it is
    /// recommended.
    fn lists(&self, stop: &Stop) -> bool {
        let begun = self.current.is_none_or(|current| stop.rank <= current);
        let own = stop.own_checkpoint();
        own.is_some()
            || stop.id == self.choice.id
            || (begun && matches!(stop.position, Position::Start))
    }

    /// The common fields of all points.
    fn point(&self, id: &str, tally: &Tally, verified: Verified) -> Boundary {
        let chosen = || Preference::Chosen(self.choice.reason.as_str().into());
        let is_chosen = self.choice.id == id;
        let unmarked = sources::unmarked(self.run).into_iter();
        let counted = !self.run.is_uncounted;
        Boundary {
            id: PointId(id.to_owned()),
            label: Foreign::default(),
            phase: None,
            kind: PointKind::Boundary,
            verified: verified.worst,
            failing: verified.failing,
            checkpoint: CheckpointNeed::None,
            edits_records: false,
            kept: counted.then_some(tally.kept),
            redone: counted.then_some(tally.redone),
            time_lost_s: self.run.usable().and_then(|_| tally.time_lost_s()),
            warnings: unmarked.chain(unrecorded(&tally.unrecorded)).collect(),
            reason: Foreign::default(),
            preference: is_chosen.then(chosen).unwrap_or(Preference::ByHand),
        }
    }

    fn stop(&self, stop: &Stop) -> Boundary {
        let (run, choice) = (self.run, &self.choice);
        let tally = self.tally(&Redo::after(run, stop));
        let verified = self.verified(&tally, Some(stop));
        let place = |id: &str| self.stops.iter().position(|stop| stop.id == id);
        let passed = place(&choice.id).is_some_and(|chosen| place(&stop.id) > Some(chosen));
        let beyond = self.current.is_some_and(|current| stop.rank > current);
        let later = stop.id != choice.id && (passed || beyond);
        let common = self.point(&stop.id, &tally, verified);
        let preference = match (common.preference, &stop.equivalent) {
            (Preference::Chosen(_), Some(same)) => {
                Preference::Chosen(format!("{} {}", choice.reason, same.why).into())
            }
            (Preference::ByHand, _)
                if !later && choice.id != "fresh" && !discards_work(run, stop) =>
            {
                Preference::Rung
            }
            (preference, _) => preference,
        };
        let wanted = || CheckpointNeed::Missing {
            wanted: stop.reasons.join(" or ").into(),
        };
        let saved = stop.saved.as_ref().map(Saved::checkpoint);
        let own = warnings(run, stop, self.stops, later);
        let left_out = self.left_out(saved.is_some());
        Boundary {
            label: self.label(stop).into(),
            phase: Some(stop.phase.into()),
            checkpoint: saved.map_or_else(wanted, CheckpointNeed::Found),
            warnings: [own, common.warnings, left_out].concat(),
            reason: reason(stop).into(),
            preference,
            ..common
        }
    }

    fn label(&self, stop: &Stop) -> String {
        let spared = |reason| stop.reasons.iter().any(|r| r == reason);
        let spared = self.choice.spared.is_some_and(spared);
        let label = match (stop.id.as_str(), spared) {
            ("phase-2", _) if self.current == Some((1, 0)) => {
                "Phase 1, step 2: before the design gate"
            }
            ("phase-2", true) => "Re-enter before the design gate",
            ("phase-2-gate", true) => "Re-enter before the plan gate",
            _ => &stop.label,
        };
        label.to_owned()
    }

    fn tally(&self, redo: &Redo) -> Tally {
        let run = self.run;
        let mut tally = Tally::default();
        let own = |check: &&Check| matches!(check.id.0.as_str(), "F6" | "F7");
        let doubtful = self.checks.iter().filter(own);
        let doubtful = doubtful.filter(|c| c.verdict != Verdict::Pass);
        let doubtful: BTreeSet<u64> = doubtful.filter_map(seq_in).collect();
        for (unit, entry) in run.counted() {
            if redo.takes(run, unit, entry) {
                tally.redone += 1;
                // Whatever became of it, as the plan adds it up: a resume that discarded work does not shorten it.
                let took = tally.lost_s.into_iter().chain(entry.duration_s());
                tally.lost_s = took.reduce(u64::saturating_add);
            } else {
                tally.kept += 1;
                if doubtful.contains(&entry.seq) {
                    tally.doubtful.insert(entry.seq);
                }
                if run.work.is_cut_off(entry.seq) {
                    tally.unrecorded.insert(entry.seq);
                }
            }
        }
        tally
    }

    fn verified(&self, tally: &Tally, stop: Option<&Stop>) -> Verified {
        let (run, checks) = (self.run, self.checks);
        let rank = stop.map_or((u64::MAX, 0), |stop| stop.rank);
        let saved = stop.and_then(|stop| stop.saved.as_ref());
        let in_scope = |_, about: &Subject| {
            if let Subject::Dispatch { seq, .. } | Subject::DispatchesFrom(seq) = about {
                tally.doubtful.contains(seq)
            } else if let Subject::Checkpoint { id, .. } = about {
                saved.is_some_and(|saved| short_id(&saved.commit) == id)
            } else if let Subject::Phase(base) = about {
                run.rank(&base.lossy()).is_some_and(|own| own < rank)
            } else {
                false
            }
        };
        if run.usable().is_some() {
            return depends_on::verified(DEPENDS_ON, &(), checks, in_scope);
        }
        // If the manifest cannot be read, nothing was verified and nothing failed.
        let without_manifest = DEPENDS_ON.get(1..).unwrap_or_default();
        let verified = depends_on::verified(without_manifest, &(), checks, in_scope);
        Verified {
            worst: verified.worst.max(Verdict::Skipped),
            ..verified
        }
    }

    /// The point that resumes from the current files.
    fn disk(&self, complete: bool) -> Boundary {
        let run = self.run;
        let tally = self.tally(&Redo::Open);
        let mut verified = self.verified(&tally, None);
        // This is the last resort if nothing else can be offered, so its checks warn and never block.
        verified.worst = verified.worst.min(Verdict::Warn);
        let common = self.point("disk", &tally, verified);
        let (label, kind) = if complete {
            ("Nothing to re-run", PointKind::Cleanup)
        } else {
            ("Resume with current disk state", PointKind::CurrentState)
        };
        let reason = match (complete, run.usable()) {
            (true, _) => "Every phase is finished; /build only cleans up.",
            (_, Some(_)) => "Nothing is restored; open dispatches run again on the current files.",
            (_, None) => "Nothing is restored; the phase continues on the current files.",
        };
        let mut warnings: Vec<Foreign> = Vec::new();
        if self.choice.id != "disk" || self.choice.keeps_partial_work {
            warnings.push("Files that interrupted dispatches changed stay as they are.".into());
        }
        if run.usable().is_none() && !complete {
            warnings.push(evidence::unknown_work(run).into());
        }
        let current = run.work.current();
        Boundary {
            label: label.into(),
            phase: current.map(|facts| facts.name.base.as_str().into()),
            kind,
            warnings: [warnings, common.warnings, self.left_out(false)].concat(),
            reason: reason.into(),
            ..common
        }
    }

    /// What an earlier plan left out. One that restores files lists itself what it leaves out.
    fn left_out(&self, restores: bool) -> Vec<Foreign> {
        let text = self.run.not_restored.clone();
        text.into_iter().filter(|_| !restores).collect()
    }

    /// The point that starts over.
    fn fresh(&self) -> Boundary {
        let run = self.run;
        let tally = self.tally(&Redo::All);
        let mut warnings: Vec<Foreign> = Vec::new();
        let recorded = || run.work.phases.iter().any(PhaseFacts::finished);
        if tally.redone > 0 || (run.usable().is_none() && recorded()) {
            warnings.push("All recorded work runs again.".into());
        }
        if run.marker().is_some() {
            warnings.push("Starting over removes this run's marker.".into());
        }
        let common = self.point("fresh", &tally, Verified::of([]));
        Boundary {
            label: "Start over".into(),
            phase: Some("1".into()),
            kind: PointKind::Fresh,
            warnings: [common.warnings, warnings, self.left_out(false)].concat(),
            reason: "The skill starts over; files and commits are kept.".into(),
            ..common
        }
    }
}

/// The warning of a point that keeps dispatches whose outcome the manifest does not record.
fn unrecorded(seqs: &BTreeSet<u64>) -> Option<Foreign> {
    let named = named(seqs)?;
    let text = format!(
        "The manifest does not record the outcome of {named}, though later records show that the run continued: compare the plan's tasks with git log, and run again what is missing."
    );
    Some(text.into())
}

fn reason(stop: &Stop) -> String {
    let phase = phase_order::title("build", stop.phase);
    let Some(saved) = &stop.saved else {
        return format!("{phase} starts again, but no checkpoint of its files was kept.");
    };
    let why = stop.equivalent.as_ref();
    let why = why.map_or_else(String::new, |same| format!(" {}", same.why));
    let files = saved.name();
    format!("{phase} starts again from the files of {files}.{why}")
}

fn warnings(run: &Run, stop: &Stop, stops: &[Stop], later: bool) -> Vec<Foreign> {
    let (usable, saved) = (run.usable().is_some(), stop.saved.is_some());
    let mut all: Vec<Foreign> = Vec::new();
    all.extend((!saved).then(|| fallback(run, stop, stops).into()));
    all.extend((!usable).then(|| evidence::unknown_work(run).into()));
    let restores = |id: &str| stop.id == id && saved;
    let discarded = saved && run.resumed.as_ref().is_some_and(|own| !own.newer.any);
    let untimed =
        matches!(stop.position, Position::Within(_)) && run.files.clock.is_empty() && usable;
    let fixed = [
        (
            later && discarded,
            "This point is later than the last resume or restore, so its checkpoint contains work that was discarded then.",
        ),
        (
            !(later && discarded) && stop.outdated(run).is_some(),
            "Its checkpoint was taken before an earlier boundary was entered again: it contains work that was discarded then, and none of the later work.",
        ),
        (
            later && !discarded,
            "This is later than the recommended point: open work before it is not restored.",
        ),
        (
            restores("phase-2") && begun_since(run, stop) > 0,
            "Dispatches of the design gate began after this checkpoint: their changes are not in the checkpoint.",
        ),
        (
            restores("phase-2-gate"),
            "This checkpoint was taken before the plan gate: resume at the gate, not with phase 3.",
        ),
        (
            untimed,
            "No dispatch file can be read, so which dispatches of phase 3 came after the start of this wave is unknown.",
        ),
    ];
    let fixed = fixed.into_iter().filter(|(on, _)| *on);
    all.extend(fixed.map(|(_, text)| text.into()));
    all.extend(outdated_gates(run, stop.rank).map(Foreign::from));
    all
}

/// The message for a missing checkpoint, in crucible's own words.
fn fallback(run: &Run, stop: &Stop, stops: &[Stop]) -> String {
    let wanted = stop.reasons.join(" or ");
    let lack = run.unused_checkpoint(&stop.reasons).unwrap_or("not found");
    let earlier = stops.iter().take_while(|s| s.id != stop.id);
    let last = earlier.filter_map(|s| Some((s, s.saved.as_ref()?))).last();
    match last {
        Some((to, saved)) => {
            let (used, from, own) = (saved.name(), to.phase, stop.phase);
            format!(
                "Desired checkpoint {wanted} {lack}. Using {used}. Replaying from Phase {from} instead of Phase {own}."
            )
        }
        None => format!(
            "Desired checkpoint {wanted} {lack}, and there is no earlier one: the state of the files is not guaranteed."
        ),
    }
}
