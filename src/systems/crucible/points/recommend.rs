//! Which point is recommended, by the first unfinished phase.

use super::discarded::{discards_work, takes_back};
use super::{Stop, all_in_completion};
use crate::model::Foreign;
use crate::systems::crucible::facts::evidence;
use crate::systems::crucible::facts::marks::{self, Marks};
use crate::systems::crucible::facts::own_resume::Newer;
use crate::systems::crucible::facts::roles;
use crate::systems::crucible::facts::work::{UnitState, is_failure};
use crate::systems::crucible::facts::{Run, RunKind};
use crate::systems::crucible::shape::manifest::Entry;
use crate::text::format::{count_of, plural, short_id};
use crate::world::World;

/// How many files that were changed since are named.
const NAMED: usize = 3;

const FINISHED: &str = "Every phase is finished; there is nothing to re-run.";

/// The chosen point and the reason.
pub(crate) struct Choice {
    pub(crate) id: String,
    pub(crate) reason: String,
    /// The reason of the checkpoint that would be restored if the tree were not clean.
    pub(crate) spared: Option<&'static str>,
    /// True where the files are kept although interrupted dispatches may have changed them.
    pub(crate) keeps_partial_work: bool,
}

fn chosen(id: impl Into<String>, reason: impl Into<String>) -> Choice {
    Choice {
        id: id.into(),
        reason: reason.into(),
        spared: None,
        keeps_partial_work: false,
    }
}

/// The current files, although interrupted dispatches may have changed them.
fn partial_work(reason: String) -> Choice {
    Choice {
        keeps_partial_work: true,
        ..chosen("disk", reason)
    }
}

/// Chooses among the points of a run that can be resumed.
pub(crate) fn choose(run: &Run, stops: &[Stop], world: &dyn World) -> Choice {
    if run.kind == RunKind::Eval {
        return chosen("fresh", "A run of the evaluation harness is not resumed.");
    }
    if !run.is_build() {
        let skill = &run.skill;
        let text =
            format!("/replay does not support {skill} runs yet: inspect it, then start over.");
        return chosen("fresh", text);
    }
    if evidence::is_not_started(run, world) {
        return chosen("fresh", "Nothing was dispatched yet.");
    }
    if let Some(own) = run.resumed.as_ref().filter(|own| !own.newer.any) {
        let at = own.at.words();
        let since = since(&own.newer);
        let what = match &own.restored {
            None if since.is_some() => format!("resumed the run at {}", own.id),
            None => "resumed the run here".to_owned(),
            Some(files) => {
                let id = short_id(&files.checkpoint);
                format!("restored the files of checkpoint {id}")
            }
        };
        return match since {
            None => {
                let text = format!("relight {what} at {at}, and no work of the run began since.");
                chosen(own.id.clone(), text)
            }
            Some(since) => {
                let text = format!(
                    "relight {what} at {at}, and {since}: nothing is restored, so that this work stays."
                );
                chosen("disk", text)
            }
        };
    }
    if run.usable().is_none() {
        return without_manifest(run, stops, world);
    }
    let choice = by_phase(run, stops, world);
    instead_of_falling_back(run, stops, choice, world)
}

/// The work after relight's own resume that no record of crucible's tells of: a restore would revert it.
fn since(newer: &Newer) -> Option<String> {
    if newer.commits > 0 {
        let made = count_of(newer.commits, "commit was", "commits were");
        return Some(format!("{made} made since"));
    }
    let changed = count_of(newer.edited.len(), "file was", "files were");
    let names = Foreign::list_first(newer.edited.iter().cloned(), NAMED).clean();
    (!newer.edited.is_empty()).then(|| format!("{changed} changed since ({names})"))
}

/// Chooses by the first unfinished phase.
fn by_phase(run: &Run, stops: &[Stop], world: &dyn World) -> Choice {
    if let Some(choice) = passed_over(run) {
        return choice;
    }
    match run.work.current().map(|facts| facts.name.base.as_str()) {
        None => chosen("disk", FINISHED),
        Some("1") => in_design(run, stops),
        Some("2") => in_plan(run, stops, world),
        Some("3") => in_waves(run, stops),
        Some("4") => in_completion(run),
        Some(base) => {
            let text =
                format!("Phase {base} is not one of a build's phases, so its boundary is unknown.");
            chosen("disk", text)
        }
    }
}

/// Where the run left a phase whose only open work is dispatches that failed: nothing of them is half done, and to go
/// back to the phase would discard what was completed after them. They run again on the current files.
fn passed_over(run: &Run) -> Option<Choice> {
    let current = run.work.current().filter(|facts| facts.crossed.is_some())?;
    let open = run.counted_in(current.name.rank);
    let open = open.filter(|(unit, _)| unit.is_open());
    let open: Vec<&Entry> = open.map(|(_, entry)| entry).collect();
    let all_failed = open.iter().all(|one| is_failure(one));
    let first = open.first().filter(|_| all_failed)?;
    let after = |entry: &Entry| entry.seq > first.seq;
    let mut counted = run.counted();
    counted.find(|(unit, entry)| unit.state == UnitState::Done && after(entry))?;
    let (phase, seq) = (&current.name.base, first.seq);
    let they_run = plural(open.len(), "it runs", "they run");
    let text = format!(
        "The run left phase {phase} although dispatch {seq} failed, and later work is completed, so nothing is restored: {they_run} again on the current files."
    );
    Some(partial_work(text))
}

/// True if a boundary has its own checkpoint, which proves that the run reached it.
fn has(stops: &[Stop], id: &str) -> bool {
    let mut stops = stops.iter();
    stops.any(|stop| stop.id == id && stop.own_checkpoint().is_some())
}

/// True if the project is known and has no uncommitted changes.
fn is_clean(run: &Run, world: &dyn World) -> bool {
    let status = run.work_tree().map(|path| world.git().status(path));
    status.is_some_and(|status| status.is_ok_and(|paths| paths.is_empty()))
}

/// True if a recent hand-off leads to a phase.
fn is_handed_to(run: &Run, phase: &str) -> bool {
    let mut handoffs = run.documents.handoffs.iter();
    handoffs.any(|doc| doc.what.to == phase)
}

/// Without a manifest: the current files if nothing is uncommitted, else the newest checkpoint that the recorded phase
/// allows. Never a fresh start: losing the record of the work does not undo the work.
fn without_manifest(run: &Run, stops: &[Stop], world: &dyn World) -> Choice {
    let wrong = evidence::manifest_problem(run);
    let Some(current) = run.work.current() else {
        return chosen("disk", FINISHED);
    };
    let base = &current.name.base;
    if is_clean(run, world) {
        let handed = is_handed_to(run, base);
        let handed = handed.then(|| format!("the hand-off to phase {base} exists and "));
        let handed = handed.unwrap_or_default();
        let text = format!(
            "{wrong}; {handed}the work tree has no uncommitted changes, so phase {base} continues on the current files."
        );
        return chosen("disk", text);
    }
    // Before its hand-off, the first phase is re-entered at its design gate.
    let allowed = |stop: &&Stop| {
        stop.rank <= current.name.rank || (stop.id == "phase-2" && current.name.rank == (1, 0))
    };
    let dated = stops.iter().filter(|_| run.started_at.is_some());
    let current_ones = dated
        .filter(allowed)
        .filter(|stop| stop.outdated(run).is_none());
    let mut saved = current_ones.filter_map(|stop| Some((stop, stop.saved.as_ref()?)));
    let Some((stop, saved)) = saved.next_back() else {
        let text = format!("{wrong}, and there is no checkpoint of this run to restore.");
        return chosen("disk", text);
    };
    let text = format!(
        "{wrong}, and the work tree has uncommitted changes: {} is the newest checkpoint that phase {base} allows.",
        saved.reason
    );
    chosen(stop.id.clone(), text)
}

/// Where the chosen boundary has no checkpoint, relight would restore one of an earlier phase and discard
/// finished work, and so would a commit of the project from before it. The files hold that work: the phase continues
/// on them.
fn instead_of_falling_back(run: &Run, stops: &[Stop], choice: Choice, world: &dyn World) -> Choice {
    let own = stops.iter().find(|stop| stop.id == choice.id);
    if let Some(saved) = own.and_then(|stop| stop.outdated(run)) {
        let (first, saved) = (&choice.reason, saved.name());
        let reason = format!(
            "{first} {saved} was taken before an earlier boundary was entered again, so it contains none of the later work, and nothing is restored."
        );
        return partial_work(reason);
    }
    // A commit of the project is not needed either if the tree already has it.
    let missing = |stop: &&Stop| {
        let own = stop.saved.as_ref().is_some_and(|saved| !saved.of_project);
        stop.id == choice.id && !own
    };
    let Some(stop) = stops.iter().find(missing) else {
        return choice;
    };
    let (first, wanted) = (&choice.reason, stop.reasons.join(" or "));
    if let Some(saved) = stop.saved.as_ref().filter(|_| discards_work(run, stop)) {
        let saved = saved.name();
        let none = run.unused_checkpoint(&stop.reasons).map_or_else(
            || format!("There is no checkpoint {wanted}"),
            |why| format!("The checkpoint {wanted} {why}"),
        );
        let reason = format!(
            "{first} {none}, and to restore {saved} would discard completed work, so nothing is restored."
        );
        return partial_work(reason);
    }
    let mut own = stops.iter().take_while(|other| other.id != stop.id);
    let within = own.any(|other| other.rank == stop.rank && other.saved.is_some());
    if within || !is_handed_to(run, stop.phase) || !is_clean(run, world) {
        return choice;
    }
    let phase = stop.phase;
    let text = format!(
        "{first} No checkpoint {wanted} was taken, the hand-off to phase {phase} exists and the work tree has no uncommitted changes, so nothing needs to be restored."
    );
    chosen("disk", text)
}

/// The only boundary of phase 1 is its own design gate. Nothing starts over once the run has left the phase.
fn in_design(run: &Run, stops: &[Stop]) -> Choice {
    let current = run.work.current();
    if has(stops, "phase-2") {
        let why = "Phase 1 is not finished; the design was approved, so it is re-entered at step 2, before the design gate.";
        chosen("phase-2", why)
    } else if current.is_some_and(|facts| facts.crossed.is_some()) {
        let why = "Phase 1 is not finished and has no boundary before it; later records show work, so nothing starts over.";
        chosen("disk", why)
    } else {
        let why = "Phase 1 is not finished, and there is no boundary before it.";
        chosen("fresh", why)
    }
}

/// Phase 2: if the design is committed, nothing need be restored, and a restore would lose edits of the gate.
fn in_plan(run: &Run, stops: &[Stop], world: &dyn World) -> Choice {
    let is_gate = |entry: &Entry| roles::is_gate(run.role(entry));
    let open = |gate: bool| {
        let mut own = run.counted_in((2, 0));
        own.any(|(unit, entry)| unit.is_open() && is_gate(entry) == gate)
    };
    let planned = run.counted_in((2, 0)).any(|(_, entry)| !is_gate(entry));
    let gate_only = planned && !open(false) && (open(true) || has(stops, "phase-2-gate"));
    let (id, wanted, what) = if gate_only {
        (
            "phase-2-gate",
            "pre-plan-gate",
            "only the plan gate is open",
        )
    } else {
        ("phase-2", "pre-design-gate", "phase 2 is not finished")
    };
    if is_handed_to(run, "2") && is_clean(run, world) {
        let reason = format!(
            "The hand-off of phase 1 exists and the work tree is clean, so nothing needs to be restored: {what}."
        );
        return Choice {
            spared: Some(wanted),
            ..chosen("disk", reason)
        };
    }
    chosen(id, format!("Phase 1 is finished and {what}."))
}

/// Phase 3: the last wave before any open work. Never in the middle of a wave. Where the open work of the last one ran
/// again and is completed, a restore would discard it.
fn in_waves(run: &Run, stops: &[Stop]) -> Choice {
    let open = run.counted_in((3, 0)).filter(|(unit, _)| unit.is_open());
    let open: Vec<&Entry> = open.map(|(_, entry)| entry).collect();
    let manifest = run.usable();
    let ran_again = |entry: &Entry| manifest.is_some_and(|all| all.replay_of(entry).is_some());
    let starts = || open.iter().filter_map(|entry| run.start_of(entry));
    let earliest = starts().min();
    let marks = Marks::of(run);
    let lowest = starts().map(|at| marks.at(at)).min();
    let last = marks.last_wave();
    let waves = stops.iter().filter(|stop| stop.phase == "3");
    let best = waves
        .filter_map(|stop| Some((stop, stop.saved.as_ref()?, stop.wave()?)))
        .filter(|(stop, saved, _)| {
            if let Some(same) = &stop.equivalent {
                return earliest.is_none_or(|at| same.began.unwrap_or(saved.at) <= at);
            }
            // By its wave and not by its time: the checkpoint may have been taken again after open work of the wave
            // began. One that was not taken again after an earlier wave was entered again has older files.
            let own = marks::order(&saved.reason);
            own <= last && lowest.is_none_or(|lowest| own <= lowest)
        })
        .max_by_key(|(_, _, wave)| *wave);
    match best {
        Some((stop, ..)) if open.is_empty() && takes_back(run, stop, ran_again) => chosen(
            "disk",
            "Phase 3 is not finished, and the dispatches that ran again are completed, so nothing needs to be restored.",
        ),
        Some((stop, _, wave)) => {
            let when = if earliest.is_some() {
                format!("no open work of phase 3 began before wave {wave}")
            } else {
                format!("wave {wave} is the last one that a checkpoint was taken for")
            };
            let reason = format!("Phase 3 is not finished, and {when}.");
            chosen(stop.id.clone(), reason)
        }
        None => chosen(
            "wave-1",
            "Phase 3 is not finished, and no wave is known to be complete.",
        ),
    }
}

/// Phase 4: depends on how far the review and the inquisitor got.
fn in_completion(run: &Run) -> Choice {
    let complete = |kind| all_in_completion(run, kind, |unit, _| unit.state == UnitState::Done);
    if !complete(roles::is_review) {
        let why = "All waves are complete, and the review of phase 4 is not.";
        chosen("phase-4", why)
    } else if complete(roles::is_inquisitor) {
        let why = "The review and the inquisitor of phase 4 are complete.";
        chosen("phase-4-gate", why)
    } else {
        let why = "The review of phase 4 is complete, the inquisitor's work is not.";
        chosen("phase-4-inquisitor", why)
    }
}
