//! The figures of two sides: of the whole runs and, for replays, of the part after the resume point. An unknown figure
//! is `None`, never zero. Pure.

use super::pairs::{is_behind, majority};
use super::runs::{acceptance, replayed_outcome};
use crate::model::{
    Foreign, Measure, MeasureUnit, Metric, MetricValue, Party, Run, RunKind, RunValue, Stamp,
    TestOutcome, Work, WorkStatus,
};
use crate::replay::verdict::has_failed;
use crate::text::{Shown as _, distinct};

/// The roles whose dispatches are rounds of a gate.
const GATES: [&str; 2] = ["red-team", "quality-gate"];

/// A figure of one run.
pub(in crate::replay) struct Figure {
    pub(in crate::replay) name: String,
    of: Of,
}

/// What a figure counts.
enum Of {
    /// Those of a phase, or all.
    Dispatches(Option<Foreign>),
    /// Those of a role or of all, in a phase or in all.
    Rounds(Option<&'static str>, Option<Foreign>),
    WallClock,
    Duration,
    Outcome,
    Tokens,
    Cost,
    Output,
    Measure(String),
    /// A metric of a person's own. True where any run has a number of it.
    Own(String, bool),
}

impl Figure {
    fn new(name: impl Into<String>, of: Of) -> Self {
        Self {
            name: name.into(),
            of,
        }
    }

    /// Every dispatch.
    pub(in crate::replay) fn dispatches() -> Self {
        Self::new("dispatches", Of::Dispatches(None))
    }

    /// Every round of a gate.
    pub(in crate::replay) fn rounds() -> Self {
        Self::new("gate rounds", Of::Rounds(None, None))
    }

    /// From the first beginning to the last end.
    pub(in crate::replay) fn wall_clock() -> Self {
        Self::new("wall clock", Of::WallClock)
    }

    /// Whether it means anything for a part of the run.
    fn has_part(&self) -> bool {
        !matches!(self.of, Of::Measure(_) | Of::Own(..))
    }

    /// Its value in a run, counting only what comes after `from`.
    pub(in crate::replay) fn value(&self, run: &Run, from: Option<u64>) -> Option<MetricValue> {
        let work = run.work.iter().filter(|one| is_behind(&one.key, from));
        let work: Vec<&Work> = work.collect();
        let count = |phase: &Option<Foreign>, mine: &dyn Fn(&Work) -> bool| {
            let of_phase = |one: &Work| phase.as_ref().is_none_or(|phase| one.phase == *phase);
            let mine = work.iter().filter(|one| of_phase(one) && mine(one));
            Some(count_of(mine.count() as u64))
        };
        match &self.of {
            Of::Dispatches(phase) => count(phase, &|_| true),
            Of::Rounds(role, phase) => count(phase, &|one| is_gate(&one.role, *role)),
            Of::WallClock => wall_clock(&work).map(MetricValue::Seconds),
            Of::Duration => {
                sum(&work, |one| one.duration_s).map(|sum| MetricValue::Seconds(to_f64(sum)))
            }
            Of::Outcome if from.is_some() && run.kind == RunKind::Replay => {
                known(replayed_outcome(&work, run.unfinished))
            }
            Of::Outcome if from.is_some() => known(acceptance(&work)),
            Of::Outcome => known(run.outcome),
            Of::Tokens => sum(&work, |one| Some(one.usage?.tokens())).map(count_of),
            Of::Cost => {
                let reported = work.iter().filter_map(|one| one.usage?.cost_usd);
                reported
                    .reduce(|sum, one| sum + one)
                    .map(MetricValue::Number)
            }
            Of::Output => sum(&work, |one| one.output_chars).map(count_of),
            Of::Measure(name) => {
                let found = run.measures.iter().find(|one| one.name == *name);
                found.and_then(measured)
            }
            Of::Own(name, numeric) => own(run, name, *numeric),
        }
    }
}

/// All figures, in order.
pub(super) fn metrics(a: &Party, b: &Party, from: Option<u64>) -> Vec<Metric> {
    let figures = figures(a, b);
    let whole = figures.iter().map(|figure| metric(figure, a, b, None));
    let parts = figures
        .iter()
        .filter(|figure| from.is_some() && figure.has_part());
    let parts = parts.map(|figure| metric(figure, a, b, from));
    whole.chain(parts).collect()
}

fn figures(a: &Party, b: &Party) -> Vec<Figure> {
    let runs = || a.runs.iter().chain(&b.runs);
    let works = || runs().flat_map(|run| &run.work);
    let mut all = Vec::new();
    if runs().any(|run| matches!(run.kind, RunKind::Original | RunKind::Replay)) {
        let phases = distinct(works().map(|one| one.phase.clone()));
        let rounds = works().filter(|one| is_gate(&one.role, None));
        let phases_with_rounds = distinct(rounds.map(|one| one.phase.clone()));
        all.push(Figure::dispatches());
        all.extend(phases.into_iter().map(|phase| {
            let name = format!("dispatches of phase {}", phase.shown());
            Figure::new(name, Of::Dispatches(Some(phase)))
        }));
        all.push(Figure::rounds());
        all.extend(GATES.map(|role| {
            let name = format!("gate rounds by {role}");
            Figure::new(name, Of::Rounds(Some(role), None))
        }));
        all.extend(phases_with_rounds.into_iter().map(|phase| {
            let name = format!("gate rounds of phase {}", phase.shown());
            Figure::new(name, Of::Rounds(None, Some(phase)))
        }));
        all.push(Figure::wall_clock());
        all.push(Figure::new("summed duration", Of::Duration));
        all.push(Figure::new("acceptance tests", Of::Outcome));
        let any = |has: fn(&Work) -> bool| works().any(has);
        if any(|one| one.usage.is_some()) {
            all.push(Figure::new("tokens", Of::Tokens));
        }
        if any(|one| one.usage.is_some_and(|usage| usage.cost_usd.is_some())) {
            all.push(Figure::new("cost in USD", Of::Cost));
        }
        if any(|one| one.output_chars.is_some()) {
            all.push(Figure::new("output characters", Of::Output));
        }
    }
    let measures = distinct(runs().flat_map(|run| run.measures.iter().map(|one| one.name.clone())));
    let measure = |name: String| Figure::new(name.clone(), Of::Measure(name));
    all.extend(measures.into_iter().map(measure));
    all.extend(own_metrics(a, b).into_iter().map(|name| {
        let numeric = runs().any(|run| own(run, &name, true).is_some());
        Figure::new(name.clone(), Of::Own(name, numeric))
    }));
    all
}

/// The metrics of a person's own that a run of either side was measured by.
pub(super) fn own_metrics(a: &Party, b: &Party) -> Vec<String> {
    let runs = a.runs.iter().chain(&b.runs);
    distinct(runs.flat_map(|run| run.measured.iter().map(|(name, _)| name.clone())))
}

/// What a run that did not fail came to by a metric of a person's own; where that is a number, a word is none.
fn own(run: &Run, name: &str, numeric: bool) -> Option<MetricValue> {
    let (_, value) = run.measured.iter().find(|(known, _)| known == name)?;
    match value {
        _ if has_failed(run) => None,
        RunValue::Number(number) => Some(MetricValue::Number(*number)),
        RunValue::Pass if !numeric => known(TestOutcome::Pass),
        RunValue::Fail if !numeric => known(TestOutcome::Fail),
        RunValue::Pass | RunValue::Fail | RunValue::Missing => None,
    }
}

fn metric(figure: &Figure, a: &Party, b: &Party, from: Option<u64>) -> Metric {
    let of = |party: &Party| {
        let values = party.runs.iter().filter_map(|run| figure.value(run, from));
        middle(values.collect())
    };
    // The stub runner takes no time that an agent would take.
    let timeless =
        matches!(figure.of, Of::WallClock | Of::Duration) && (a.has_stub() || b.has_stub());
    let mixed = [mixed(figure, a, from), mixed(figure, b, from)];
    let (a, b) = (of(a), of(b));
    Metric {
        name: figure.name.clone(),
        from_resume_point: from.is_some(),
        a,
        b,
        delta: delta(a, b).filter(|_| !timeless),
        mixed,
    }
}

/// How many of the runs with an outcome passed, where not all came to the same.
fn mixed(figure: &Figure, party: &Party, from: Option<u64>) -> Option<(usize, usize)> {
    let values = party.runs.iter().filter_map(|run| figure.value(run, from));
    let outcomes: Vec<TestOutcome> = values.filter_map(MetricValue::outcome).collect();
    let passed = outcomes.iter().filter(|one| **one == TestOutcome::Pass);
    let passed = passed.count();
    (passed > 0 && passed < outcomes.len()).then_some((passed, outcomes.len()))
}

/// B less A, for numbers.
pub(in crate::replay) fn delta(
    a: Option<MetricValue>,
    b: Option<MetricValue>,
) -> Option<MetricValue> {
    match (a?, b?) {
        (MetricValue::Count(a), MetricValue::Count(b)) => Some(MetricValue::Count(b - a)),
        (MetricValue::Seconds(a), MetricValue::Seconds(b)) => Some(MetricValue::Seconds(b - a)),
        (MetricValue::Number(a), MetricValue::Number(b)) => Some(MetricValue::Number(b - a)),
        (
            MetricValue::Count(_)
            | MetricValue::Seconds(_)
            | MetricValue::Number(_)
            | MetricValue::Outcome(_),
            _,
        ) => None,
    }
}

/// The median of numbers; of outcomes the one that more runs have.
fn middle(values: Vec<MetricValue>) -> Option<MetricValue> {
    let make: fn(f64) -> MetricValue = match values.first()? {
        MetricValue::Count(_) => MetricValue::Count,
        MetricValue::Seconds(_) => MetricValue::Seconds,
        MetricValue::Number(_) => MetricValue::Number,
        MetricValue::Outcome(_) => {
            return known(majority(
                values.into_iter().filter_map(MetricValue::outcome),
            ));
        }
    };
    let numbers = values.into_iter().filter_map(MetricValue::number);
    median(numbers.collect()).map(make)
}

/// The middle one, or the mean of the two in the middle.
pub(in crate::replay) fn median(mut numbers: Vec<f64>) -> Option<f64> {
    numbers.sort_by(f64::total_cmp);
    let half = numbers.len() / 2;
    let upper = numbers.get(half).copied()?;
    if numbers.len() % 2 == 1 {
        return Some(upper);
    }
    let lower = numbers.get(half.checked_sub(1)?).copied()?;
    Some(f64::midpoint(lower, upper))
}

fn known(outcome: TestOutcome) -> Option<MetricValue> {
    (outcome != TestOutcome::Unknown).then_some(MetricValue::Outcome(outcome))
}

fn is_gate(role: &Foreign, wanted: Option<&str>) -> bool {
    match wanted {
        Some(wanted) => *role == *wanted,
        None => GATES.iter().any(|gate| *role == **gate),
    }
}

/// The time from the first start to the last end. Unknown if no end is known, or if finished work started after the
/// last known end.
fn wall_clock(work: &[&Work]) -> Option<f64> {
    let end = |one: &&Work| {
        let begun = one.begun_at?.unix();
        begun.checked_add(i64::try_from(one.duration_s?).ok()?)
    };
    let first = work.iter().filter_map(|one| one.begun_at).min()?.unix();
    let last = work.iter().filter_map(end).max()?;
    let later = |one: &&Work| {
        let begun = one.begun_at.as_ref().map(Stamp::unix);
        is_answer(one) && one.duration_s.is_none() && begun.is_some_and(|begun| begun > last)
    };
    let hidden = work.iter().any(later);
    let span = u32::try_from(last.checked_sub(first)?).ok()?;
    (!hidden).then(|| f64::from(span))
}

/// A sum over all work; unknown if a finished piece of work lacks this figure.
fn sum(work: &[&Work], of: impl Fn(&Work) -> Option<u64>) -> Option<u64> {
    if work.iter().any(|one| of(one).is_none() && is_answer(one)) {
        return None;
    }
    work.iter()
        .filter_map(|one| of(one))
        .reduce(u64::saturating_add)
}

fn is_answer(work: &Work) -> bool {
    matches!(work.status, WorkStatus::Completed | WorkStatus::Failed)
}

fn measured(measure: &Measure) -> Option<MetricValue> {
    let value = measure.value?;
    Some(match measure.unit {
        MeasureUnit::Count => MetricValue::Count(value),
        MeasureUnit::Seconds => MetricValue::Seconds(value),
        MeasureUnit::Number => MetricValue::Number(value),
    })
}

fn count_of(number: u64) -> MetricValue {
    MetricValue::Count(to_f64(number))
}

#[expect(
    clippy::cast_precision_loss,
    reason = "seconds and counts of dispatches"
)]
fn to_f64(number: u64) -> f64 {
    number as f64
}

/// The first original dispatch after the point from which the replays of both sides ran; the latest of several, so that
/// both sides have all of the counted work.
pub(super) fn resume_point(a: &Party, b: &Party) -> Option<u64> {
    let runs = a.runs.iter().chain(&b.runs);
    runs.filter_map(|run| run.start.as_ref())
        .map(|(_, first)| *first)
        .max()
}

#[cfg(test)]
mod tests;
