//! The phase table of a run and where it stopped.

use crate::model::{Foreign, Phase, PhaseStatus, Stamp, Status};
use crate::systems::crucible::facts::marks::Marks;
use crate::systems::crucible::facts::{PhaseFacts, Run, UnitState, phase_order};
use crate::systems::crucible::shape::{Entry, Manifest};

/// Where it stopped: the phase, the wave, and the open dispatch.
pub(crate) fn stopped_where(run: &Run, status: Status) -> Foreign {
    if status == Status::Complete {
        return "finished".into();
    }
    // A resume moves the place of the next work, not the place where the run stopped.
    let own = run.resumed.as_ref().filter(|own| !own.newer.any);
    if let Some(stopped) = own.and_then(|own| own.stopped.clone()) {
        return stopped;
    }
    let reported = run.work.phases.iter().any(PhaseFacts::finished);
    if run.usable().is_none() && !reported {
        let phase = run.marker().and_then(|m| m.phase.as_deref());
        let at = phase.map(|phase| format!("phase {phase}").into());
        return at.unwrap_or_else(|| "not known".into());
    }
    let Some(current) = run.work.current() else {
        return "the final cleanup".into();
    };
    let mut text = format!("phase {}", current.name.base);
    if run.is_build()
        && current.name.base == "3"
        && let Some((_, wave)) = Marks::of(run).waves().next_back()
    {
        text = format!("{text}, wave {wave}");
    }
    let mut own = run.counted_in(current.name.rank);
    if let Some(manifest) = run.usable()
        && let Some((_, entry)) = own.find(|(unit, _)| unit.is_open())
    {
        text = format!("{text} · {}", named(manifest, entry));
    }
    text.into()
}

/// `implementer, task 5`.
pub(crate) fn named(manifest: &Manifest, entry: &Entry) -> String {
    let task = manifest.word(entry.task);
    let task = task.map(|task| format!(", task {task}"));
    format!("{}{}", manifest.role(entry), task.unwrap_or_default())
}

pub(crate) fn rows(run: &Run, status: Status) -> Vec<Phase> {
    let over = status == Status::Complete;
    let current = run.work.current().map(|facts| &facts.name);
    let counted = !run.is_uncounted;
    let rows = run.work.phases.iter().map(|facts| {
        let is_current = current == Some(&facts.name);
        let begun = facts.total > 0;
        let (status, word) = match (facts.finished(), is_current, begun) {
            (true, _, _) => (PhaseStatus::Done, "finished"),
            // The run ended, so nothing of it is active or pending any more.
            (false, _, true) if over => (PhaseStatus::Done, "ended with open work"),
            (false, _, false) if over => (PhaseStatus::Done, "ended"),
            (false, true, _) => (PhaseStatus::Active, "current"),
            (false, false, true) => (PhaseStatus::Active, "has open work"),
            (false, false, false) => (PhaseStatus::Pending, "not begun"),
        };
        let times = times(run, facts);
        Phase {
            id: facts.name.base.as_str().into(),
            name: phase_order::title(&run.skill, &facts.name.base).into(),
            status,
            native_status: word.into(),
            done: counted.then_some(facts.done),
            total: begun.then_some(facts.total),
            at_least: false,
            attempts: u64::from(begun || facts.finished()),
            started_at: times.0,
            ended_at: if facts.finished() { times.1 } else { None },
            duration_s: facts.duration_s,
            detail: facts.crossed.clone().unwrap_or_default().into(),
        }
    });
    rows.collect()
}

/// The first start and the last end of a phase's dispatches. An end is unknown where the duration is, so that the last
/// one is known only if no such dispatch began after it.
fn times(run: &Run, facts: &PhaseFacts) -> (Option<Stamp>, Option<Stamp>) {
    let (mut first, mut last, mut unknown): (Option<Stamp>, _, _) = (None, None, None);
    for (seq, start) in run.files.clock.iter() {
        if let Some((unit, entry)) = run.unit(*seq)
            && run.work.is_in(unit, facts.name.rank)
            && unit.state != UnitState::Undone
        {
            let seconds = entry.duration_s().and_then(|s| i64::try_from(s).ok());
            let manifest = run.manifest.as_deref();
            let end = manifest
                .zip(seconds)
                .and_then(|(all, s)| all.end(*start, s));
            first = Some(first.map_or(*start, |known| known.min(*start)));
            unknown = unknown.max(end.is_none().then_some(*start));
            last = last.max(end);
        }
    }
    (first, last.filter(|_| unknown <= last))
}
