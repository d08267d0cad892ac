//! What is known of a run whose manifest is missing or cannot be read. A reboot clears /tmp, and the manifest
//! with it; the marker, the hand-offs, the checkpoint store and git still tell how far the run came.

use super::Run;
use super::history;
use super::phase_order::{self, PhaseName};

use super::stores;
use crate::model::{Event, EventMark, Foreign, Origin, Stamp};
use crate::world::World;

/// The latest phase that a record other than the manifest and the marker names, and which record that is.
pub(crate) fn reached(run: &Run) -> Option<(PhaseName, String)> {
    let rank = |label: &str| phase_order::understand(&run.skill, label);
    let documents = &run.documents;
    let page = documents.status.iter().filter_map(|doc| {
        let phase = rank(doc.what.phase.as_deref()?)?;
        let text = format!("the status page is at phase {}", phase.base);
        Some((phase, text))
    });
    let saved = run.saved.iter().filter_map(|saved| {
        let phase = rank(phase_of_reason(&saved.reason)?)?;
        Some((phase, format!("checkpoint {} was taken", saved.reason)))
    });
    let headers = run.headers.iter().filter_map(|(seq, label)| {
        let phase = rank(label)?;
        let text = format!("dispatch file {seq} is of phase {}", phase.base);
        Some((phase, text))
    });
    let handoffs = documents.handoffs.iter().filter_map(|doc| {
        let text = format!("the hand-off {} to {} is there", doc.what.from, doc.what.to);
        Some((rank(&doc.what.to)?, text))
    });
    let ledger = documents.ledger.iter().flat_map(|doc| &doc.what.phases);
    let ledger = ledger
        .filter(|phase| phase.status != "NOT_STARTED")
        .filter_map(|phase| {
            let text = format!(
                "the gate ledger says {} for phase {}",
                phase.status, phase.number
            );
            Some((rank(&phase.number)?, text))
        });
    let saved = saved.filter(|_| run.is_build());
    let all = page
        .chain(saved)
        .chain(headers)
        .chain(handoffs)
        .chain(ledger);
    all.max_by_key(|(phase, _)| phase.rank)
}

/// The phase of a build that a checkpoint with this reason is taken in.
fn phase_of_reason(reason: &str) -> Option<&'static str> {
    if stores::wave(reason).is_some() {
        return Some("3");
    }
    let table = [
        ("pre-design-gate", "1"),
        ("pre-plan-gate", "2"),
        ("pre-code-review", "4"),
        ("pre-temper", "4"),
        ("pre-inquisitor", "4"),
        ("pre-impl-gate", "4"),
    ];
    let found = table
        .iter()
        .find(|(wanted, _)| stores::is_reason(reason, wanted));
    found.map(|(_, phase)| *phase)
}

/// True where any record but the manifest says that work of this run was done. Then its absence from the
/// manifest is damage, and nothing that starts over may be recommended.
pub(crate) fn is_recorded(run: &Run, world: &dyn World) -> bool {
    let documents = &run.documents;
    let first = phase_order::all(&run.skill).first().map(|phase| phase.rank);
    let beyond = |phase: Option<PhaseName>| phase.is_some_and(|p| first.is_none_or(|f| p.rank > f));
    let marker = run.marker().and_then(|m| m.phase.as_deref());
    !run.dispatch_files.is_empty()
        || !run.saved.is_empty()
        || !run.stranded.is_empty()
        || !documents.handoffs.is_empty()
        || !documents.receipts.is_empty()
        || documents.verdict.is_some()
        || beyond(marker.and_then(|label| phase_order::understand(&run.skill, label)))
        || beyond(reached(run).map(|(phase, _)| phase))
        || history::of_run(run, world).next().is_some()
}

/// True where a run was only announced: its dispatch folder is there and holds nothing, and no record says that
/// work was done.
pub(crate) fn is_not_started(run: &Run, world: &dyn World) -> bool {
    run.usable().is_none()
        && run.marker().is_some()
        && run.sources.debug.is_none()
        && !run.sources.dispatch.is_empty()
        && !is_recorded(run, world)
}

/// What is wrong with the manifest, as the beginning of a sentence.
pub(crate) fn what_is_wrong(run: &Run) -> &'static str {
    let tried = run.sources.unreadable_manifest;
    match (&run.manifest, run.sources.dispatch.is_empty()) {
        (Some(_), _) => "No line of the manifest can be read",
        (None, _) if tried => "The manifest cannot be read",
        (None, true) => {
            "The dispatch folder is gone (a restart clears /tmp) and no copy of the manifest is left"
        }
        (None, false) => "The manifest is missing from the dispatch folder",
    }
}

/// The records of a run without a manifest as events, oldest first.
pub(crate) fn events(run: &Run, world: &dyn World) -> Vec<Event> {
    let mut all = Vec::new();
    let mut add = |at: Option<Stamp>, kind: &str, phase: Option<&str>, text: String, origin| {
        all.push(Event {
            at,
            at_text: None,
            kind: kind.into(),
            phase: phase.map(Foreign::from),
            subject: kind.into(),
            status: None,
            text: text.into(),
            origin,
            mark: EventMark::Plain,
        });
    };
    if let Some((marker, path)) = &run.sources.marker
        && marker.start_time.is_some()
    {
        let text = format!("{} run {} began", run.skill, run.session);
        add(marker.start_time, "started", None, text, Origin::file(path));
    }
    for doc in &run.documents.handoffs {
        let text = format!(
            "Hand-off from phase {} to phase {}",
            doc.what.from, doc.what.to
        );
        let origin = Origin::file(&doc.file);
        add(doc.what.at, "hand-off", Some(&doc.what.to), text, origin);
    }
    for saved in &run.saved {
        let phase = phase_of_reason(&saved.reason);
        let origin = Origin::file(&saved.store);
        add(
            Some(saved.at),
            "checkpoint",
            phase,
            saved.reason.clone(),
            origin,
        );
    }
    for (seq, places) in &run.dispatch_files {
        if let Some(place) = places.first() {
            let text = format!("Dispatch file {seq} was written");
            let phase = run.headers.get(seq).map(String::as_str);
            let at = run.clock.get(seq).copied();
            add(at, "dispatch file", phase, text, Origin::file(place.path()));
        }
    }
    let project = run.work_tree().unwrap_or_else(|| std::path::Path::new(""));
    for commit in history::of_run(run, world) {
        let at = Some(Stamp::utc(commit.time));
        let text = commit.subject.lossy().into_owned();
        add(at, "commit", None, text, Origin::file(project));
    }
    all.sort_by_key(|event| event.at);
    all
}

/// The command that lists the commits of a run.
pub(crate) fn log_command(run: &Run) -> String {
    let base = run.marker().and_then(|m| m.baseline_sha.as_deref());
    base.map_or_else(
        || "git log".to_owned(),
        |sha| format!("git log {}..HEAD", crate::model::short_id(sha)),
    )
}

/// What a plan without a manifest cannot say.
pub(crate) fn unknown_work(run: &Run) -> String {
    format!(
        "{}, so which dispatches were done is not known: compare the plan's tasks with the files and with {}.",
        what_is_wrong(run),
        log_command(run)
    )
}

/// Where a run without a manifest stopped.
pub(crate) fn status_reason(run: &Run) -> String {
    let wrong = what_is_wrong(run);
    let marker = run.marker().and_then(|m| m.phase.as_deref());
    let told = marker
        .map(|phase| format!("the marker is at phase {phase}"))
        .or_else(|| reached(run).map(|(_, text)| text));
    match told {
        Some(told) => format!("{wrong}; {told}."),
        None => format!("{wrong}, and no record says how far the run came."),
    }
}
