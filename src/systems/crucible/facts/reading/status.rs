//! What the files of a run claim about its status (format note, section c, the table).

use crate::model::{Claim, Status};
use crate::systems::crucible::facts::evidence;
use crate::systems::crucible::facts::{Run, RunKind};
use crate::world::World;

/// What the files claim, by the first rule of the note's table that fits.
pub(crate) fn claim(run: &Run, world: &dyn World) -> Claim {
    let say = |status, reason: String| Claim {
        status,
        reason: reason.into(),
    };
    if let Some(why) = finished(run) {
        return say(Status::Complete, why);
    }
    if let Some(why) = escalated(run) {
        return say(Status::Waiting, why);
    }
    if run.usable().is_none() {
        return without_manifest(run, world);
    }
    let current = run
        .work
        .current()
        .map_or("-", |facts| facts.name.base.as_str());
    let marker = if run.marker().is_some() {
        "the marker of the run is still there"
    } else {
        "the marker of the run is gone"
    };
    say(
        Status::Interrupted,
        format!("Phase {current} is not finished, and {marker}."),
    )
}

fn without_manifest(run: &Run, world: &dyn World) -> Claim {
    let (status, reason) = if evidence::is_not_started(run, world) {
        let text = "The run was marked as begun and nothing was dispatched yet.";
        (Status::Interrupted, text.to_owned())
    } else if run.sources.debug.is_some() {
        let text = "The phase state of a debugging session is still there.";
        (Status::Interrupted, text.to_owned())
    } else if run.marker().is_some() || evidence::is_recorded(run, world) {
        (Status::Interrupted, evidence::status_reason(run))
    } else if run.manifest.is_some() {
        let text = "Manifest is empty or entirely corrupted. Cannot resume.";
        (Status::Unreadable, text.to_owned())
    } else {
        let text = "Manifest not found. Cannot resume.";
        (Status::Unreadable, text.to_owned())
    };
    Claim {
        status,
        reason: reason.into(),
    }
}

/// Why the run counts as finished.
pub(crate) fn finished(run: &Run) -> Option<String> {
    let all_crossed = !run.work.phases.is_empty() && run.work.current().is_none();
    if run.marker().is_some() {
        let left = "Every phase is finished; only the marker was left to be removed.";
        return all_crossed.then(|| left.to_owned());
    }
    if run.documents.ended_well {
        return Some("The session log ends the skill with success.".to_owned());
    }
    let last = run.documents.ledger.iter().flat_map(|doc| &doc.what.phases);
    if last
        .clone()
        .any(|phase| phase.number == "4" && phase.status == "PASS")
    {
        return Some("The gate ledger passed phase 4 and the marker is gone.".to_owned());
    }
    if run.kind == RunKind::SuccessCopy {
        return Some(
            "The scratch folder keeps this manifest as the copy of a successful run.".to_owned(),
        );
    }
    let tidy = run.sources.dispatch.is_empty() && !run.sources.copies.is_empty();
    (tidy && !run.full_copy).then(|| {
        "The marker and the dispatch folder are gone and only the manifest was kept.".to_owned()
    })
}

/// Why the run waits for a human.
fn escalated(run: &Run) -> Option<String> {
    let verdict = run.documents.verdict.as_ref();
    if let Some(doc) = verdict.filter(|doc| doc.what.verdict != "PASS") {
        return Some(format!(
            "The quality gate of {} ended with {}.",
            doc.what.phase, doc.what.verdict
        ));
    }
    let failed = run.documents.ledger.iter().flat_map(|doc| &doc.what.phases);
    let current = run.work.current().map(|facts| facts.name.base.as_str());
    if let Some(phase) = failed
        .clone()
        .find(|p| p.status == "FAIL" && Some(p.number.as_str()) == current)
    {
        return Some(format!(
            "The gate ledger says FAIL for phase {}.",
            phase.number
        ));
    }
    // A manifest that went on after the copy was made was taken up again.
    let kept = run.full_copy && !run.sources.dispatch.is_empty() && !run.copies_differ;
    kept.then(|| {
        "The run was escalated, and its dispatch files were kept for a person to look at."
            .to_owned()
    })
}
