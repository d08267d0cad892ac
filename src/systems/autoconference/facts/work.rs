//! The iterations of every round and researcher, from log and tables together.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::model::Stamp;

use super::resumed::{RESUMED, Resumption, void_before};
use crate::systems::autoconference::shape::log::Source;
use crate::systems::autoconference::shape::values::Direction;
use crate::systems::autoconference::shape::{Event, Raw, Row};

/// One iteration, from its event, its row, or both.
#[derive(Debug, Clone, Default)]
pub(crate) struct Iteration {
    /// Line of its row in the researcher's table.
    pub row: Option<u64>,
    /// The metric.
    pub metric: Option<f64>,
    /// Its status: the row's, else the event's; lower case.
    pub status: Arc<str>,
    /// The event's own status.
    pub event_status: Option<Arc<str>>,
    /// What says what was tried.
    tried: Tried,
    /// When it ended.
    pub at: Option<Stamp>,
}

impl Iteration {
    /// True for the baseline of a round.
    pub(crate) fn is_baseline(&self) -> bool {
        self.has_status("baseline")
    }

    /// Whether its row or its event has this status.
    pub(crate) fn has_status(&self, status: &str) -> bool {
        *self.status == *status || self.event_status.as_deref() == Some(status)
    }

    /// What was tried.
    pub(crate) fn description(&self) -> String {
        match &self.tried {
            Tried::Row(text) => text.clone(),
            Tried::Event(source) => source
                .body()
                .text("description")
                .unwrap_or_default()
                .to_owned(),
        }
    }

    /// The metric, if it is a result.
    pub(crate) fn result(&self) -> Option<f64> {
        self.metric.filter(|_| !self.status.contains("fail"))
    }
}

/// The iterations of one researcher in one round, by index; one at least.
pub(crate) type Run = BTreeMap<i64, Iteration>;

/// What was tried in an iteration.
#[derive(Debug, Clone)]
enum Tried {
    /// As its row says.
    Row(String),
    /// As its event says, which is read again when it is asked for.
    Event(Source),
}

impl Default for Tried {
    fn default() -> Self {
        Self::Row(String::new())
    }
}

/// All iterations.
#[derive(Debug, Clone, Default)]
pub(crate) struct Work {
    /// By round and researcher.
    pub runs: BTreeMap<(u64, char), Run>,
    /// The rounds that events of iterations say themselves.
    pub named: BTreeSet<u64>,
    /// Lines of iteration events that do not say their round, with the round they were given.
    pub inferred_rounds: Vec<(u64, u64)>,
}

impl Work {
    /// Collects the iterations.
    pub(crate) fn gather(raw: &Raw, resumed: &[Resumption]) -> Self {
        let mut work = Self::default();
        let void = |round, id| void_line(raw, resumed, round, id);
        let mut completed = 0;
        for event in raw.events().iter().filter(|event| event.is_work()) {
            match &*event.name {
                "round.completed" => completed = completed.max(event.round.unwrap_or(0)),
                "researcher.iteration" => work.event(event, completed, &void),
                _ => {}
            }
        }
        for (id, table) in &raw.tables {
            for row in &table.rows {
                work.row(row, *id, true);
            }
        }
        // The conference's table repeats the researchers' rows; it is used for those without a table.
        for row in raw.results.iter().flat_map(|t| &t.rows) {
            if let Some(id) = row.researcher.filter(|id| !raw.tables.contains_key(id)) {
                work.row(row, id, false);
            }
        }
        work
    }

    fn row(&mut self, row: &Row, id: char, own: bool) {
        let round = row.round.filter(|n| *n > 0 && row.counts());
        let (Some(round), Some(index)) = (round, row.iteration) else {
            return;
        };
        let run = self.runs.entry((round, id)).or_default();
        let iteration = run.entry(index).or_default();
        iteration.row = own.then_some(row.line);
        iteration.metric = row.metric.or(iteration.metric);
        iteration.status = row.status.as_str().into();
        iteration.tried = Tried::Row(row.description.clone());
        iteration.at = iteration.at.or(row.at);
    }

    fn event(&mut self, event: &Event, completed: u64, void: &dyn Fn(u64, char) -> u64) {
        let (Some(id), Some(index)) = (event.researcher, event.iteration) else {
            return;
        };
        let round = event.round.unwrap_or_else(|| {
            let given = completed.saturating_add(1);
            self.inferred_rounds.push((event.line, given));
            given
        });
        // Rows that a recovery removed still have events in the log; those no longer count as done.
        if round == 0 || event.line < void(round, id) {
            return;
        }
        self.named.extend(event.round);
        self.runs.entry((round, id)).or_default().insert(
            index,
            Iteration {
                row: None,
                metric: event.metric,
                status: event.status.clone().unwrap_or_default(),
                event_status: event.status.clone(),
                tried: Tried::Event(event.source.clone()),
                at: event.at,
            },
        );
    }

    /// The last round of those that follow `done`, were worked on, and were followed by iterations of the next.
    pub(crate) fn crossed(&self, done: u64) -> u64 {
        let next = (done.saturating_add(1)..).take_while(|round| self.begun(*round));
        let crossed = next.take_while(|round| self.named.contains(&(round + 1)));
        crossed.last().unwrap_or(done)
    }

    /// Researchers that left any iteration.
    pub(crate) fn researchers(&self) -> BTreeSet<char> {
        self.runs.keys().map(|(_, id)| *id).collect()
    }

    /// The iterations of one researcher in one round.
    pub(crate) fn run(&self, round: u64, id: char) -> Option<&Run> {
        self.runs.get(&(round, id))
    }

    /// The runs of a round.
    pub(crate) fn of_round(&self, round: u64) -> impl Iterator<Item = (char, &Run)> {
        let runs = self.runs.range((round, '\0')..=(round, char::MAX));
        runs.map(|((_, id), run)| (*id, run))
    }

    /// The iterations of a round.
    pub(crate) fn iterations(&self, round: u64) -> impl Iterator<Item = &Iteration> {
        self.of_round(round).flat_map(|(_, run)| run.values())
    }

    /// True if a round has any iteration.
    pub(crate) fn begun(&self, round: u64) -> bool {
        self.of_round(round).next().is_some()
    }

    /// Iterations of all rounds together.
    pub(crate) fn total(&self) -> u64 {
        self.runs.values().map(|run| run.len() as u64).sum()
    }

    /// The rounds with any iteration.
    pub(crate) fn rounds(&self) -> BTreeSet<u64> {
        self.runs.keys().map(|(round, _)| *round).collect()
    }

    /// The best result of a round, with its researcher.
    pub(crate) fn best(&self, round: u64, direction: Direction) -> Option<(f64, char)> {
        let runs = self.of_round(round);
        let results = runs.flat_map(|(id, run)| {
            let values = run.values().filter_map(Iteration::result);
            values.map(move |value| (value, id))
        });
        direction.best_of(results)
    }

    /// The best result of a round, as text.
    pub(crate) fn best_shown(&self, raw: &Raw, round: u64) -> Option<String> {
        let best = self.best(round, raw.config.direction);
        best.map(|(value, id)| format!("best {value} by {id}"))
    }
}

/// The recoveries of a conference by time: nobody is known to have worked across one.
pub(crate) struct Breaks(Vec<i64>);

impl Breaks {
    pub(crate) fn of(raw: &Raw) -> Self {
        let times = raw.named(RESUMED).filter_map(|e| Some(e.at?.unix()));
        let mut all: Vec<i64> = times.collect();
        all.sort_unstable();
        Self(all)
    }

    /// The seconds of work between two moments; `None` if that is unknown.
    pub(crate) fn between(&self, from: Option<Stamp>, to: Option<Stamp>) -> Option<u64> {
        let (start, end) = (from?.unix(), to?.unix());
        let next = self.0.partition_point(|at| *at < start);
        let crossed = start < end && self.0.get(next).is_some_and(|at| *at <= end);
        if crossed {
            None
        } else {
            Stamp::seconds_between(from, to)
        }
    }

    /// The known seconds of work from the first of these moments to the last; `None` without any.
    pub(crate) fn worked(&self, moments: Vec<Stamp>) -> Option<u64> {
        let last = self.clock(moments).last().map(|(_, worked)| *worked);
        last.and_then(|worked| u64::try_from(worked).ok())
    }

    /// These moments in order, each with the known seconds of work up to it.
    pub(crate) fn clock(&self, mut moments: Vec<Stamp>) -> Vec<(Stamp, i64)> {
        moments.sort_unstable();
        let mut before = None;
        let mut worked = 0_i64;
        let read = moments.into_iter().map(|at| {
            let more = self.between(before, Some(at)).unwrap_or(0);
            worked = worked.saturating_add_unsigned(more);
            before = Some(at);
            (at, worked)
        });
        read.collect()
    }
}

/// The line of the last recovery that removed a researcher's rows of a round: those of all researchers if the round
/// started again, else those of the researchers that it names, if the table exists to show the remaining rows.
pub(crate) fn void_line(raw: &Raw, resumed: &[Resumption], round: u64, id: char) -> u64 {
    let named = resumed
        .iter()
        .filter(|r| r.round == round && r.reverted.contains(&id) && raw.tables.contains_key(&id));
    let named = named.map(|r| r.line).max().unwrap_or(0);
    named.max(void_before(resumed, round, 1))
}
