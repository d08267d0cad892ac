//! The status that the files of a run claim.

use crate::model::{CauseKind, Claim, Origin, Stamp, Status};
use crate::systems::crucible::facts::{Run, RunKind, dispatch_files, evidence};
use crate::systems::crucible::shape::LedgerPhase;
use crate::world::World;

/// The claim, by the first rule that fits.
pub(crate) fn claim(run: &Run, world: &dyn World) -> Claim {
    let (status, reason) = if let Some(why) = finished(run, world) {
        (Status::Complete, why)
    } else if let Some(escalation) = escalation(run) {
        (Status::Waiting, escalation.words)
    } else if run.usable().is_some() {
        let current = run.work.current();
        let current = current.map_or("-", |facts| facts.name.base.as_str());
        let left = match (run.marker(), &run.sources.damaged_marker) {
            (Some(_), _) => "still present",
            (None, Some((_, how))) => how,
            (None, None) => "missing",
        };
        let text = format!("Phase {current} is not finished, and the marker of the run is {left}.");
        (Status::Interrupted, text)
    } else if evidence::is_not_started(run, world) {
        let text = "The run was marked as started, but nothing was dispatched yet.";
        (Status::Interrupted, text.to_owned())
    } else if run.sources.debug.is_some() {
        let text = "The phase state of a debugging session still exists.";
        (Status::Interrupted, text.to_owned())
    } else if run.marker().is_some() || evidence::is_recorded(run, world) {
        (Status::Interrupted, evidence::status_reason(run))
    } else {
        let text = match &run.manifest {
            Some(_) => "Manifest is empty or entirely corrupted. Cannot resume.",
            None => "Manifest not found. Cannot resume.",
        };
        (Status::Unreadable, text.to_owned())
    };
    Claim::new(status, reason)
}

/// Why the run counts as finished.
pub(crate) fn finished(run: &Run, world: &dyn World) -> Option<String> {
    let all_crossed = !run.work.phases.is_empty() && run.work.current().is_none();
    let mut ledger = run.documents.ledger.iter().flat_map(|doc| &doc.what.phases);
    let copies = run.sources.copies.iter();
    let mut copies = copies.filter(|copy| {
        let entries = world.files().list(copy).unwrap_or_default();
        !dispatch_files::is_of_relight(&entries)
    });
    let gone = run.sources.dispatch.is_empty() && !run.sources.has_others;
    let tidy = gone && copies.next().is_some();
    let is_marker_gone = run.sources.damaged_marker.is_none();
    let why = if run.marker().is_some() {
        all_crossed.then_some("Every phase is finished; only the marker was not removed.")?
    } else if run.finished.marker.is_some() && run.sources.dispatch.is_empty() {
        "It was recorded as finished; its marker and its dispatch files were moved aside."
    } else if run.documents.ended_well {
        "The session log records that the skill ended with success."
    } else if ledger.any(|phase| phase.number == "4" && phase.status == "PASS") {
        if is_marker_gone {
            "Phase 4 passed in the gate ledger, and the marker is gone."
        } else {
            "Phase 4 passed in the gate ledger; only the marker is left, and it cannot be used."
        }
    } else if run.kind == RunKind::SuccessCopy {
        "The scratch directory keeps this manifest as the copy of a successful run."
    } else if all_crossed && !is_marker_gone {
        "Every phase is finished; only the marker is left, and it cannot be used."
    } else {
        (tidy && is_marker_gone && !run.files.in_copies).then_some(
            "The marker and the dispatch directory are gone and only the manifest was kept.",
        )?
    };
    Some(why.to_owned())
}

/// An escalation to a person.
pub(crate) struct Escalation {
    /// The id of the question that resuming asks.
    pub(crate) gate: String,
    /// Its description, in a sentence.
    pub(crate) words: String,
    pub(crate) kind: CauseKind,
    /// The record that says so.
    pub(crate) origin: Origin,
    pub(crate) at: Option<Stamp>,
    /// What a person can do.
    pub(crate) advice: &'static str,
}

/// Why the run waits for a person.
pub(crate) fn escalation(run: &Run) -> Option<Escalation> {
    let verdict = run.documents.verdict.as_ref();
    if let Some(doc) = verdict.filter(|doc| doc.what.verdict != "PASS") {
        let (phase, verdict) = (&doc.what.phase, &doc.what.verdict);
        return Some(Escalation {
            gate: "gate:quality".to_owned(),
            words: match phase.as_str() {
                "" => format!("The quality gate ended with {verdict}."),
                phase => format!("The quality gate of {phase} ended with {verdict}."),
            },
            kind: CauseKind::WaitingApproval,
            origin: Origin::at(doc.file.clone(), doc.what.line),
            at: doc.what.at,
            advice: "Read the verdict, then accept it or send the work back.",
        });
    }
    let current = run.work.current().map(|facts| facts.name.base.as_str());
    if let Some(doc) = &run.documents.ledger {
        let mut phases = doc.what.phases.iter();
        let failed = |p: &&LedgerPhase| p.status == "FAIL" && Some(p.number.as_str()) == current;
        if let Some(LedgerPhase { number, .. }) = phases.find(failed) {
            return Some(Escalation {
                gate: format!("gate:phase-{number}"),
                words: format!("The gate ledger says FAIL for phase {number}."),
                kind: CauseKind::WaitingApproval,
                origin: Origin::file(&doc.file),
                at: None,
                advice: "Read the gate ledger, then accept the phase or send the work back.",
            });
        }
    }
    // If the manifest continued after the copy was made, the run was resumed since.
    let kept = run.files.in_copies && !run.sources.dispatch.is_empty() && !run.copies_differ;
    let folder = run.sources.copies.first().filter(|_| kept)?;
    let text = "The run was escalated, and its dispatch files were kept for a person to look at.";
    Some(Escalation {
        gate: "gate:escalation".to_owned(),
        words: text.to_owned(),
        kind: CauseKind::WaitingAnswer,
        origin: Origin::file(folder.path()),
        at: None,
        advice: "Look at the dispatch files that were kept, then decide how the run continues.",
    })
}
