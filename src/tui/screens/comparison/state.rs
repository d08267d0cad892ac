//! Two runs side by side: what may be said, the figures, the work, the files.

use crate::model::{Bucket, Comparison, Pair, PipelineId};
use crate::tui::data::Load;
use crate::tui::geometry::ListId;
use crate::tui::msg::Ticket;

/// A part of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tab {
    Metrics,
    Work,
    Files,
    About,
}

impl Tab {
    /// All, in order.
    pub(crate) const ALL: [Self; 4] = [Self::Metrics, Self::Work, Self::Files, Self::About];

    /// So many further, round to the first.
    #[must_use]
    pub(crate) fn step(self, by: usize) -> Self {
        let here = Self::ALL.iter().position(|tab| *tab == self).unwrap_or(0);
        let there = (here + by) % Self::ALL.len();
        Self::ALL.get(there).copied().unwrap_or(self)
    }

    /// Its list.
    pub(crate) fn list(self) -> ListId {
        ListId::named(self.title())
    }

    /// The part of a list.
    pub(crate) fn of(list: ListId) -> Option<Self> {
        Self::ALL.into_iter().find(|tab| tab.list() == list)
    }

    /// The heading.
    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Metrics => "Metrics",
            Self::Work => "Dispatches",
            Self::Files => "Files",
            Self::About => "About",
        }
    }
}

/// Which pairs are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Only {
    #[default]
    All,
    Different,
    Regressed,
    Fixed,
}

impl Only {
    /// The next one, round to all.
    #[must_use]
    pub(crate) fn next(self) -> Self {
        match self {
            Self::All => Self::Different,
            Self::Different => Self::Regressed,
            Self::Regressed => Self::Fixed,
            Self::Fixed => Self::All,
        }
    }

    /// The word on screen.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Different => "different",
            Self::Regressed => "regressed",
            Self::Fixed => "fixed",
        }
    }

    /// Whether it leaves a pair.
    pub(crate) fn leaves(self, comparison: &Comparison, place: usize) -> bool {
        let Some(pair) = comparison.pairs.get(place) else {
            return false;
        };
        match self {
            Self::All => true,
            Self::Different => differs(pair) || comparison.divergence == Some(place),
            Self::Regressed => pair.bucket == Bucket::Regressed,
            Self::Fixed => pair.bucket == Bucket::Fixed,
        }
    }
}

/// True for a pair that did not come out the same.
pub(crate) fn differs(pair: &Pair) -> bool {
    pair.bucket != Bucket::Unchanged || pair.verdict_changed
}

/// The comparison screen.
#[derive(Debug, Clone)]
pub(crate) struct ComparisonScreen {
    /// The pipeline.
    pub(crate) id: PipelineId,
    /// The left side as it was asked for; `None` leaves it to the engine.
    pub(crate) a: Option<String>,
    /// The right side.
    pub(crate) b: Option<String>,
    /// The comparison.
    pub(crate) comparison: Load<Comparison>,
    /// The request under way.
    pub(crate) ticket: Option<Ticket>,
    /// The part that has the keys.
    pub(crate) tab: Tab,
    /// Which pairs are shown.
    pub(crate) only: Only,
    /// The pairs that are shown.
    pub(crate) shown: Vec<usize>,
    /// The runs that are looked at, of A and of B.
    pub(crate) runs: (usize, usize),
    /// The selected row of each part.
    pub(crate) places: [usize; 4],
}

impl ComparisonScreen {
    /// The screen of a comparison that is still to be made.
    pub(crate) fn new(id: PipelineId, a: Option<String>, b: Option<String>) -> Self {
        Self {
            id,
            a,
            b,
            comparison: Load::Pending,
            ticket: None,
            tab: Tab::Work,
            only: Only::All,
            shown: Vec::new(),
            runs: (0, 0),
            places: [0; 4],
        }
    }

    /// Takes a finished comparison; the selection goes to where the sides part.
    pub(crate) fn take(&mut self, comparison: Load<Comparison>) {
        let first = self.comparison.ready().is_none();
        self.comparison = comparison;
        let Some(ready) = self.comparison.ready().cloned() else {
            return;
        };
        let last = |runs: usize| runs.saturating_sub(1);
        self.runs = (
            self.runs.0.min(last(ready.a.runs.len())),
            self.runs.1.min(last(ready.b.runs.len())),
        );
        self.arrange();
        if first {
            self.tab = if ready.pairs.is_empty() {
                Tab::Metrics
            } else {
                Tab::Work
            };
            if let Some(place) = ready.divergence {
                self.go_to_pair(place);
            }
        }
    }

    /// Lays out anew which pairs are shown; the selected one stays selected if it is among them.
    pub(crate) fn arrange(&mut self) {
        let selected = self.pair();
        let Some(ready) = self.comparison.ready().cloned() else {
            self.shown.clear();
            return;
        };
        let only = self.only;
        self.shown = (0..ready.pairs.len())
            .filter(|place| only.leaves(&ready, *place))
            .collect();
        match selected {
            Some(place) => self.go_to_pair(place),
            None => self.select(Tab::Work, 0),
        }
    }

    /// The selected pair, by its place in the comparison.
    pub(crate) fn pair(&self) -> Option<usize> {
        self.shown.get(self.place(Tab::Work)).copied()
    }

    /// Selects a pair, or the next one that is shown.
    pub(crate) fn go_to_pair(&mut self, pair: usize) {
        let place = self.shown.partition_point(|shown| *shown < pair);
        self.select(Tab::Work, place);
    }

    /// The selected row of a part.
    pub(crate) fn place(&self, tab: Tab) -> usize {
        let [metric, work, file, about] = self.places;
        match tab {
            Tab::Metrics => metric,
            Tab::Work => work,
            Tab::Files => file,
            Tab::About => about,
        }
    }

    /// How many rows a part has; what is only read is scrolled and counts lines elsewhere.
    pub(crate) fn rows(&self, tab: Tab) -> usize {
        let Some(ready) = self.comparison.ready() else {
            return 0;
        };
        match tab {
            Tab::Metrics => ready.metrics.len(),
            Tab::Work => self.shown.len(),
            Tab::Files => ready
                .artifacts
                .as_ref()
                .map_or(0, |artifacts| artifacts.files.len()),
            Tab::About => usize::MAX,
        }
    }

    /// Selects a row of a part, the last one at most.
    pub(crate) fn select(&mut self, tab: Tab, place: usize) {
        let place = place.min(self.rows(tab).saturating_sub(1));
        let [metric, work, file, about] = &mut self.places;
        *match tab {
            Tab::Metrics => metric,
            Tab::Work => work,
            Tab::Files => file,
            Tab::About => about,
        } = place;
    }

    /// The words of both sides, as they are compared.
    pub(crate) fn names(&self) -> (Option<String>, Option<String>) {
        match self.comparison.ready() {
            Some(ready) => (Some(ready.a.name.clone()), Some(ready.b.name.clone())),
            None => (self.a.clone(), self.b.clone()),
        }
    }

    /// The next pair that differs, or the previous one.
    pub(crate) fn seek(&mut self, forward: bool) -> bool {
        let Some(ready) = self.comparison.ready().cloned() else {
            return false;
        };
        let here = self.place(Tab::Work);
        let differs = |place: &usize| {
            let pair = self.shown.get(*place).and_then(|at| ready.pairs.get(*at));
            pair.is_some_and(differs)
        };
        let found = if forward {
            (here + 1..self.shown.len()).find(differs)
        } else {
            (0..here).rev().find(differs)
        };
        if let Some(place) = found {
            self.select(Tab::Work, place);
        }
        found.is_some()
    }
}
