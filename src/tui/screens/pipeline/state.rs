//! The pipeline screen: five panes over one dossier.

use crate::model::{CheckId, EventMark, Subject};
use crate::tui::prelude::*;

/// A pane of the pipeline screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(crate) enum Pane {
    #[default]
    Phases,
    Timeline,
    Verification,
    Checkpoints,
    Cause,
}

impl Pane {
    /// All panes in the order of their digits.
    pub(crate) const ALL: [Self; 5] = [
        Self::Phases,
        Self::Timeline,
        Self::Verification,
        Self::Checkpoints,
        Self::Cause,
    ];

    /// Its key, what that key does, and its heading.
    pub(crate) fn names(self) -> (Cmd, &'static str) {
        match self {
            Self::Phases => (Cmd::Pane1, "Phases"),
            Self::Timeline => (Cmd::Pane2, "Timeline"),
            Self::Verification => (Cmd::Pane3, "Verification"),
            Self::Checkpoints => (Cmd::Pane4, "Checkpoints"),
            Self::Cause => (Cmd::Pane5, "Cause"),
        }
    }

    /// The list it shows.
    pub(crate) fn list(self) -> ListId {
        ListId::named(self.names().1)
    }

    /// The pane that shows a list.
    pub(crate) fn of(list: ListId) -> Option<Self> {
        Self::ALL.into_iter().find(|pane| pane.list() == list)
    }

    /// The pane this many further, round the end.
    #[must_use]
    pub(crate) fn step(self, by: usize) -> Self {
        let place = (self as usize + by) % Self::ALL.len();
        Self::ALL.get(place).copied().unwrap_or_default()
    }
}

/// The timeline: which event is selected, and which a filter leaves.
#[derive(Debug, Clone, Default)]
pub(crate) struct TimelineView {
    /// The selected event, by its place among all.
    pub(crate) event: usize,
    /// The filter.
    pub(crate) filter: Field,
    /// The events that the filter leaves; `None` without filter.
    pub(crate) hits: Option<Vec<usize>>,
    /// The filter under way.
    pub(crate) filtering: Option<Ticket>,
    /// The jump under way.
    pub(crate) seeking: Option<Ticket>,
    /// Marked events.
    pub(crate) marks: BTreeSet<usize>,
    /// Whether the selection stays at the newest event.
    pub(crate) follow: bool,
    /// The rows of failures and warnings.
    pub(crate) problems: Marks,
    /// The longest duration of any event.
    pub(crate) longest_s: Option<u64>,
}

impl TimelineView {
    /// How many rows there are to show.
    pub(crate) fn len(&self, timeline: &Timeline) -> usize {
        self.hits.as_ref().map_or_else(|| timeline.len(), Vec::len)
    }

    /// The event in a row.
    pub(crate) fn event_at(&self, row: usize) -> usize {
        match &self.hits {
            None => row,
            Some(hits) => hits.get(row).copied().unwrap_or_default(),
        }
    }

    /// The row of the selected event, or of the one that follows it.
    pub(crate) fn row(&self, timeline: &Timeline) -> Option<usize> {
        let last = self.len(timeline).checked_sub(1)?;
        let row = match &self.hits {
            None => self.event,
            Some(hits) => hits.partition_point(|event| *event < self.event),
        };
        Some(row.min(last))
    }

    /// Selects the event of a row, the last one at most.
    pub(crate) fn go(&mut self, timeline: &Timeline, row: usize) {
        if let Some(last) = self.len(timeline).checked_sub(1) {
            self.event = self.event_at(row.min(last));
        }
    }

    /// Counts once what every drawing and jump asks for, after the events or the filter changed.
    pub(crate) fn survey(&mut self, timeline: &Timeline) {
        let problem = |row: usize| match timeline.mark(self.event_at(row)) {
            EventMark::Plain => None,
            EventMark::Warning => Some((row, RowMark::Warning)),
            EventMark::Error => Some((row, RowMark::Error)),
        };
        self.problems = Marks::of((0..self.len(timeline)).filter_map(problem));
        self.longest_s = timeline.longest_s();
    }

    /// Brings the selection back to an event that exists after the events changed.
    pub(crate) fn reselect(&mut self, timeline: &Timeline) {
        let last = timeline.len().saturating_sub(1);
        if self.follow {
            self.event = last;
        }
        self.event = self.event.min(last);
    }
}

/// Drift of the checkpoints, measured one at a time.
#[derive(Debug, Clone, Default)]
pub(crate) struct Drifts {
    /// What was measured, by checkpoint id.
    pub(crate) known: BTreeMap<String, Load<Option<Drift>>>,
    /// Those of them that were measured before the pipeline was read again, the oldest first. They are shown until they
    /// are measured again.
    old: Vec<String>,
    /// The measurement under way.
    pub(crate) ticket: Option<Ticket>,
    /// Whether it began before the pipeline was read again.
    is_late: bool,
}

impl Drifts {
    /// What was measured may have changed.
    pub(crate) fn outdate(&mut self) {
        let more = self.known.keys().filter(|id| !self.old.contains(id));
        let more: Vec<String> = more.cloned().collect();
        self.old.extend(more);
        self.is_late = self.ticket.is_some();
    }

    /// The measurement under way has ended.
    pub(crate) fn measured(&mut self, checkpoint: String, drift: Load<Option<Drift>>) {
        self.ticket = None;
        self.old.retain(|id| *id != checkpoint);
        if std::mem::take(&mut self.is_late) {
            self.old.push(checkpoint.clone());
        }
        self.known.insert(checkpoint, drift);
    }
}

/// The pipeline screen.
#[derive(Debug, Clone, Default)]
pub(crate) struct PipelineScreen {
    /// Which pipeline.
    pub(crate) id: PipelineId,
    /// The pane with the focus.
    pub(crate) pane: Pane,
    /// Whether that pane has the whole screen.
    pub(crate) zoom: bool,
    /// The selected phase.
    pub(crate) phases: Cursor<Foreign>,
    /// The timeline.
    pub(crate) timeline: TimelineView,
    /// The selected check.
    pub(crate) checks: Cursor<(CheckId, Subject)>,
    /// The selected checkpoint.
    pub(crate) checkpoints: Cursor<String>,
    /// The selected conversation; the cause itself where none is.
    pub(crate) cause: Cursor<Foreign>,
    /// What was measured.
    pub(crate) drifts: Drifts,
    /// True until the dossier was there once.
    pub(crate) fresh: bool,
}

impl PipelineScreen {
    /// The screen of a pipeline.
    pub(crate) fn new(id: PipelineId) -> Self {
        Self {
            id,
            fresh: true,
            ..Self::default()
        }
    }

    /// How many rows a pane has, and which is selected.
    pub(crate) fn extent(&self, pane: Pane, dossier: &Dossier) -> (usize, Option<usize>) {
        match pane {
            Pane::Phases => self.phases.extent(&phase_keys(dossier)),
            Pane::Timeline => {
                let (timeline, view) = (&dossier.timeline, &self.timeline);
                (view.len(timeline), view.row(timeline))
            }
            Pane::Verification => self.checks.extent(&check_keys(dossier)),
            Pane::Checkpoints => self.checkpoints.extent(&checkpoint_keys(dossier)),
            Pane::Cause => self.cause.extent(&cause_keys(dossier)),
        }
    }

    /// Selects a row of the pane with the focus.
    pub(crate) fn select(&mut self, dossier: &Dossier, row: usize) {
        match self.pane {
            Pane::Phases => self.phases.go(&phase_keys(dossier), row),
            Pane::Timeline => self.timeline.go(&dossier.timeline, row),
            Pane::Verification => self.checks.go(&check_keys(dossier), row),
            Pane::Checkpoints => self.checkpoints.go(&checkpoint_keys(dossier), row),
            Pane::Cause => self.cause.go(&cause_keys(dossier), row),
        }
    }

    /// Restores every selection after the dossier was read again. The first time, the last event is selected, where the
    /// work stopped.
    pub(crate) fn reselect(&mut self, dossier: &Dossier) {
        let (phases, checks) = (phase_keys(dossier), check_keys(dossier));
        if std::mem::take(&mut self.fresh) {
            self.timeline.event = dossier.timeline.len().saturating_sub(1);
            self.phases.go(&phases, stopped_phase(dossier));
        } else if self.checks.is_first() {
            // The worst one comes first: it stays in view, whichever it is now.
            self.checks.go(&checks, 0);
        }
        self.phases.reselect(&phases);
        self.timeline.reselect(&dossier.timeline);
        self.timeline.survey(&dossier.timeline);
        self.checks.reselect(&checks);
        self.checkpoints.reselect(&checkpoint_keys(dossier));
        self.cause.reselect(&cause_keys(dossier));
    }

    /// The checkpoint to measure next: the selected one first, then the others in order, then again the one that was
    /// measured longest ago.
    pub(crate) fn unmeasured<'a>(&self, dossier: &'a Dossier) -> Option<&'a Checkpoint> {
        let all = || dossier.checkpoints.iter();
        let unknown = |one: &&Checkpoint| !self.drifts.known.contains_key(&one.id);
        let selected = self.checkpoints.key();
        let mut old = self.drifts.old.iter();
        all()
            .filter(unknown)
            .find(|one| Some(&one.id) == selected)
            .or_else(|| all().find(unknown))
            .or_else(|| old.find_map(|id| all().find(|one| one.id == *id)))
    }
}

/// The phase at which it stopped: the first that is neither done nor skipped.
fn stopped_phase(dossier: &Dossier) -> usize {
    use crate::model::PhaseStatus::{Done, Skipped};
    let phases = &dossier.pipeline.reading.phases;
    phases
        .iter()
        .position(|phase| !matches!(phase.status, Done | Skipped))
        .unwrap_or_else(|| phases.len().saturating_sub(1))
}

/// The rows of the cause pane: the cause, which has no id, then the conversations.
pub(crate) fn cause_keys(dossier: &Dossier) -> Vec<Foreign> {
    let why = dossier.why.iter();
    why.flat_map(|why| {
        let conversations = why.conversations.iter().map(|one| one.id.clone());
        std::iter::once(Foreign::default()).chain(conversations)
    })
    .collect()
}

fn phase_keys(dossier: &Dossier) -> Vec<Foreign> {
    let phases = dossier.pipeline.reading.phases.iter();
    phases.map(|phase| phase.id.clone()).collect()
}

fn check_keys(dossier: &Dossier) -> Vec<(CheckId, Subject)> {
    let key = |check: &Check| (check.id.clone(), check.about.clone());
    dossier.checks.iter().map(key).collect()
}

fn checkpoint_keys(dossier: &Dossier) -> Vec<String> {
    let checkpoints = dossier.checkpoints.iter();
    checkpoints.map(|one| one.id.clone()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Event;

    #[test]
    fn problems_are_those_of_the_rows_that_a_filter_leaves() {
        let event = |mark| Event {
            mark,
            ..Event::new("step", "text", Origin::file("/log"))
        };
        let marks = [EventMark::Error, EventMark::Plain, EventMark::Warning];
        let timeline: Timeline = Arc::new(marks.map(event).to_vec());
        let mut view = TimelineView::default();
        view.survey(&timeline);
        assert_eq!(view.problems.worst(&(0..3)), Some(RowMark::Error));
        assert_eq!(view.problems.worst(&(1..3)), Some(RowMark::Warning));
        view.hits = Some(vec![1, 2]);
        view.survey(&timeline);
        assert_eq!(view.problems.worst(&(0..1)), None);
        assert_eq!(view.problems.next(0, true, RowMark::Warning), Some(1));
        assert_eq!(view.problems.next(0, true, RowMark::Error), None);
    }
}
