//! What a person should know of the sides beside what confounds them.

use super::metrics::own_metrics;
use crate::model::{Foreign, OwnMetric, Party, Run};
use crate::replay::verdict::has_failed;
use crate::text::format::list_first;

/// Runs that are named before the rest is counted.
const NAMED: usize = 3;

/// Why metrics have no value, or none that is expected, a sentence for each reason.
pub(super) fn unmeasured(a: &Party, b: &Party) -> Vec<Foreign> {
    let missing = by_reason(a, b, |run| &run.unmeasured);
    let missing = missing.into_iter().map(|((metric, why), runs)| {
        let runs = list_first(runs, NAMED);
        format!("The metric {metric} has no value in {runs}: {why}.").into()
    });
    let odd = by_reason(a, b, |run| &run.odd_status);
    let odd = odd.into_iter().map(|((metric, why), runs)| {
        let runs = list_first(runs, NAMED);
        let lead = format!("The metric {metric}: no number was printed; the exit status was used");
        format!("{lead} in {runs}: {why}.").into()
    });
    // Where it was tried, there is a value or a reason.
    let own = own_metrics(a, b).into_iter().flat_map(|metric| {
        let sides = [a, b].into_iter();
        let without = sides.filter(|side| !side.runs.iter().any(|run| is_tried(run, &metric)));
        let text = |side: &Party| format!("The metric {metric} was not measured in {}.", side.name);
        without.map(|side| text(side).into()).collect::<Vec<_>>()
    });
    missing.chain(odd).chain(own).collect()
}

fn is_tried(run: &Run, metric: &str) -> bool {
    run.measured.iter().any(|(name, _)| name == metric)
        || run.unmeasured.iter().any(|(name, _)| name == metric)
}

/// A metric and a reason, and the runs that it is true of.
type Reason<'a> = (&'a (String, String), Vec<&'a str>);

fn by_reason<'a>(
    a: &'a Party,
    b: &'a Party,
    of: fn(&Run) -> &Vec<(String, String)>,
) -> Vec<Reason<'a>> {
    let mut reasons: Vec<Reason<'a>> = Vec::new();
    for run in a.runs.iter().chain(&b.runs) {
        for reason in of(run) {
            match reasons.iter_mut().find(|(known, _)| *known == reason) {
                Some((_, runs)) => runs.push(&run.name),
                None => reasons.push((reason, vec![&run.name])),
            }
        }
    }
    reasons
}

/// How many runs only lack a value of a metric: one that failed has its value.
pub(super) fn lacking(a: &Party, b: &Party, metric: Option<&OwnMetric>) -> u32 {
    let Some(metric) = metric else { return 0 };
    let runs = a.runs.iter().chain(&b.runs);
    let lacks = runs.filter(|run| {
        let mut unmeasured = run.unmeasured.iter();
        !run.unfinished && !has_failed(run) && unmeasured.any(|(name, _)| *name == metric.name)
    });
    u32::try_from(lacks.count()).unwrap_or(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{party, run};
    use super::*;
    use crate::model::RunKind;

    #[test]
    fn each_reason_is_said_once_with_its_runs() {
        let runs = |names: &[(&str, &str)]| {
            let runs = names.iter().map(|(name, why)| {
                let mut one = run(RunKind::Replay, name, "P");
                if !why.is_empty() {
                    one.unmeasured = vec![("lines".to_owned(), (*why).to_owned())];
                }
                one
            });
            party("side", runs.collect())
        };
        let a = runs(&[
            ("7-1", "it printed x"),
            ("7-3", ""),
            ("7-5", "it printed x"),
        ]);
        let mut b = runs(&[("7-2", "it ended with status 4"), ("7-4", "")]);
        b.runs[1].odd_status = vec![("lines".to_owned(), "it printed 6 x".to_owned())];
        let expected = [
            "The metric lines has no value in 7-1 and 7-5: it printed x.",
            "The metric lines has no value in 7-2: it ended with status 4.",
            "The metric lines: no number was printed; the exit status was used in 7-4: it printed 6 x.",
        ];
        assert_eq!(unmeasured(&a, &b), expected.map(Foreign::from));
    }

    #[test]
    fn a_run_that_failed_does_not_lack_a_value() {
        let lines = OwnMetric::parse("lines=wc").unwrap();
        for (marks, expected) in [("P", 1), ("E", 0)] {
            let mut one = run(RunKind::Replay, "7-1", marks);
            one.unmeasured = vec![("lines".to_owned(), "it printed x".to_owned())];
            let a = party("side", vec![one]);
            let found = lacking(&a, &party("side", Vec::new()), Some(&lines));
            assert_eq!(found, expected, "{marks}");
        }
    }
}
