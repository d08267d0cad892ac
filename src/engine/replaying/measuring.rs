//! Metrics that a person defined, measured in the finished tree of a run or left there by its runner.

use std::io;
use std::time::Duration;

use crate::model::{Cancel, OwnMetric, RunValue, SessionState};
use crate::replay::session::Session;
use crate::text::format::duration;
use crate::world::runner::{self, End, GRACE, Job, KEPT};

/// After which a metric's command is stopped.
const LIMIT: Duration = Duration::from_secs(600);

/// Measures a run that has ended, and keeps what came out. A run that was cut short has nothing to measure.
pub(super) fn measure(
    session: &mut Session<'_>,
    metrics: &[OwnMetric],
    cancel: &Cancel,
) -> io::Result<()> {
    let Some(tree) = session.about.tree.clone() else {
        return Ok(());
    };
    if session.about.state != SessionState::Done {
        return Ok(());
    }
    // A command that was named counts more than a number that a runner left under its name.
    let mut measured = session.reported_metrics();
    let commands = || metrics.iter().filter(|metric| !metric.command.is_empty());
    measured.retain(|(name, _)| commands().all(|metric| metric.name != *name));
    if metrics.is_empty() && measured.is_empty() {
        return Ok(());
    }
    let mut unmeasured = Vec::new();
    for metric in commands() {
        let job = Job {
            argv: metric.command.iter().map(Into::into).collect(),
            dir: tree.clone(),
            wrapper: Vec::new(),
            mark: Vec::new(),
            vars: vec![("RELIGHT_SESSION".into(), session.about.id.0.clone().into())],
            timeout: LIMIT,
            grace: GRACE,
            keep: KEPT,
        };
        let mut printed = Vec::new();
        let outcome = runner::run(&job, &mut printed, &|| cancel.is_cancelled());
        let value = value(&outcome.end, &printed);
        if value == RunValue::Missing {
            unmeasured.push((metric.name.clone(), reason(&outcome.end)));
        }
        measured.push((metric.name.clone(), value));
    }
    session.keep_measured(measured, &unmeasured)
}

/// Why a metric has no value, as the end of a sentence.
fn reason(end: &End) -> String {
    match end {
        End::Exited(status) => {
            format!("its command printed no number and ended with status {status}")
        }
        End::Signalled(signal) => format!("its command was ended by signal {signal}"),
        End::TimedOut => format!(
            "its command was stopped after {}",
            duration(LIMIT.as_secs())
        ),
        End::Cancelled => "its command was canceled".to_owned(),
        End::Missing(why) | End::NotStarted(why) => why.clone(),
    }
}

/// The last line that is a number; else exit 0 is a pass and exit 1 a failure, and anything else says nothing.
fn value(end: &End, printed: &[u8]) -> RunValue {
    let End::Exited(status) = end else {
        return RunValue::Missing;
    };
    let text = String::from_utf8_lossy(printed);
    let number = |line: &str| line.trim().parse::<f64>().ok().filter(|n| n.is_finite());
    match (text.lines().rev().find_map(number), status) {
        (Some(number), _) => RunValue::Number(number),
        (None, 0) => RunValue::Pass,
        (None, 1) => RunValue::Fail,
        (None, _) => RunValue::Missing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_metric_is_its_last_number_else_its_exit_status() {
        let table = [
            (End::Exited(0), "12\n3.5\ndone\n", RunValue::Number(3.5)),
            (End::Exited(1), "7", RunValue::Number(7.0)),
            (End::Exited(0), "all good", RunValue::Pass),
            (End::Exited(1), "", RunValue::Fail),
            (End::Exited(2), "", RunValue::Missing),
            (End::Exited(0), "nan\ninf", RunValue::Pass),
            (End::TimedOut, "7", RunValue::Missing),
            (
                End::Missing("x is not installed".to_owned()),
                "",
                RunValue::Missing,
            ),
        ];
        for (end, printed, expected) in table {
            assert_eq!(
                value(&end, printed.as_bytes()),
                expected,
                "{end:?} {printed}"
            );
        }
    }
}
