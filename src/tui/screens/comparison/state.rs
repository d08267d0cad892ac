//! Two runs side by side: what may be said, the figures, the work, the files.

use super::work::Widest;
use crate::model::{Block, Bucket, Sign};
use crate::tui::prelude::*;

/// A part of the comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Tab {
    /// The blocks of an experiment, beside each other.
    Blocks,
    Metrics,
    #[default]
    Work,
    Files,
    About,
}

impl Tab {
    /// All, in order.
    pub(crate) const ALL: [Self; 5] = [
        Self::Blocks,
        Self::Metrics,
        Self::Work,
        Self::Files,
        Self::About,
    ];

    /// Its list.
    pub(crate) fn list(self) -> ListId {
        ListId::named(self.names().1)
    }

    /// The part of a list.
    pub(crate) fn of(list: ListId) -> Option<Self> {
        Self::ALL.into_iter().find(|tab| tab.list() == list)
    }

    /// Its key, what that key does, and its heading.
    pub(crate) fn names(self) -> (Cmd, &'static str) {
        match self {
            Self::Blocks => (Cmd::Blocks, "Blocks"),
            Self::Metrics => (Cmd::Pane1, "Metrics"),
            Self::Work => (Cmd::Pane2, "Dispatches"),
            Self::Files => (Cmd::Pane3, "Files"),
            Self::About => (Cmd::Pane4, "About"),
        }
    }
}

/// Which pairs are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Only {
    #[default]
    All,
    /// Those with different outcomes.
    Different,
    /// Those of one outcome.
    Outcome(Bucket),
}

impl Only {
    /// The next one that shows something, round to all: the outcomes that occur follow, worst first.
    #[must_use]
    pub(crate) fn next(self, comparison: &Comparison) -> Self {
        let outcomes = Bucket::WORST_FIRST.into_iter().map(Self::Outcome);
        let mut all = [Self::All, Self::Different].into_iter().chain(outcomes);
        let _passed = all.find(|one| *one == self);
        let shows = |one: &Self| {
            let mut places = 0..comparison.pairs.len();
            places.any(|place| one.leaves(comparison, place))
        };
        all.find(shows).unwrap_or(Self::All)
    }

    /// The word on screen.
    pub(crate) fn word(self, comparison: &Comparison) -> &'static str {
        match self {
            Self::All => "all",
            Self::Different => "different",
            Self::Outcome(bucket) => comparison.said_of(bucket),
        }
    }

    /// Whether it leaves a pair.
    pub(crate) fn leaves(self, comparison: &Comparison, place: usize) -> bool {
        let Some(pair) = comparison.pairs.get(place) else {
            return false;
        };
        match self {
            Self::All => true,
            Self::Different => pair.differs || comparison.divergence == Some(place),
            Self::Outcome(bucket) => pair.bucket == Some(bucket),
        }
    }
}

/// In place of a run that is missing in the selected block: a run of another block is no part of it.
const NO_RUN: usize = usize::MAX;

/// The comparison screen.
#[derive(Debug, Clone, Default)]
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
    /// The runs that are looked at, of A and of B; of an experiment those of the selected block.
    pub(crate) runs: (usize, usize),
    /// The widest texts of the pairs.
    pub(super) widest: Widest,
    /// The selected row of each part.
    pub(crate) places: [usize; Tab::ALL.len()],
}

impl ComparisonScreen {
    /// Handles a finished comparison; the first difference is selected.
    pub(crate) fn take(&mut self, comparison: Load<Comparison>) {
        let first = self.comparison.ready().is_none();
        self.comparison = comparison;
        let Some(ready) = self.comparison.ready().cloned() else {
            return;
        };
        self.widest = Widest::of(&ready);
        let last = |runs: usize| runs.saturating_sub(1);
        self.runs = (
            self.runs.0.min(last(ready.a.runs.len())),
            self.runs.1.min(last(ready.b.runs.len())),
        );
        self.arrange();
        // Of an experiment always the two runs of one block.
        self.select(Tab::Blocks, self.place(Tab::Blocks));
        if first {
            self.tab = match (self.blocks().is_empty(), ready.pairs.is_empty()) {
                (false, _) => Tab::Blocks,
                (true, false) => Tab::Work,
                (true, true) => Tab::Metrics,
            };
            if let Some(place) = ready.divergence {
                self.go_to_pair(place);
            }
            self.select(Tab::Blocks, self.first_block());
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

    /// The parts that there are: only an experiment has blocks.
    pub(crate) fn tabs(&self) -> impl Iterator<Item = Tab> {
        let skip = usize::from(self.blocks().is_empty());
        Tab::ALL.into_iter().skip(skip)
    }

    /// Goes to the next part, or the previous one, round the ends.
    pub(crate) fn switch_part(&mut self, forward: bool) {
        let tabs: Vec<Tab> = self.tabs().collect();
        let here = tabs.iter().position(|tab| *tab == self.tab).unwrap_or(0);
        let by = if forward { 1 } else { tabs.len() - 1 };
        let next = tabs.get((here + by) % tabs.len());
        self.tab = next.copied().unwrap_or(self.tab);
    }

    /// The blocks of the experiment; none for anything else.
    pub(crate) fn blocks(&self) -> &[Block] {
        let ready = self.comparison.ready();
        let statistics = ready.and_then(|ready| ready.statistics.as_ref());
        statistics.map_or(&[], |statistics| statistics.blocks.as_slice())
    }

    /// The selected block.
    pub(crate) fn block(&self) -> Option<&Block> {
        self.blocks().get(self.place(Tab::Blocks))
    }

    /// The block to look at first: one that became worse, else one that says nothing, else one that became better.
    fn first_block(&self) -> usize {
        let wanted = [Some(Sign::Loss), None, Some(Sign::Win)];
        let first = |sign| self.blocks().iter().position(|block| block.sign == sign);
        wanted.into_iter().find_map(first).unwrap_or(0)
    }

    /// The selected row of a part.
    pub(crate) fn place(&self, tab: Tab) -> usize {
        self.places.get(tab as usize).copied().unwrap_or(0)
    }

    /// How many rows a part has; what is only read is scrolled and counts lines elsewhere.
    pub(crate) fn rows(&self, tab: Tab) -> usize {
        let Some(ready) = self.comparison.ready() else {
            return 0;
        };
        match tab {
            Tab::Blocks => self.blocks().len(),
            Tab::Metrics => ready.metrics.len(),
            Tab::Work => self.shown.len(),
            Tab::Files => ready.artifacts.as_ref().map_or(0, |all| all.files.len()),
            Tab::About => usize::MAX,
        }
    }

    /// Selects a row of a part, the last one at most. A block brings its two runs onto the screen.
    pub(crate) fn select(&mut self, tab: Tab, place: usize) {
        let place = place.min(self.rows(tab).saturating_sub(1));
        if let Some(known) = self.places.get_mut(tab as usize) {
            *known = place;
        }
        if tab == Tab::Blocks
            && let Some(block) = self.block()
        {
            self.runs = (
                block.control_run.unwrap_or(NO_RUN),
                block.mutated_run.unwrap_or(NO_RUN),
            );
        }
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
            pair.is_some_and(|pair| pair.differs)
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
