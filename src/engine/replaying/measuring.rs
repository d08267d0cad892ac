//! Metrics that a person defined, measured in the finished tree of a run or left there by its runner.

use std::io;
use std::time::Duration;

use crate::model::{Cancel, Foreign, OwnMetric, RunValue, SessionState};
use crate::replay::session::{LAST_LINE, Measured, Session};
use crate::text::Clean;
use crate::text::format::{duration, shell_word};
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
    measured.retain(|one| commands().all(|metric| metric.name != one.name));
    if metrics.is_empty() && measured.is_empty() {
        return Ok(());
    }
    for metric in commands() {
        let job = Job {
            argv: metric.command.iter().map(Into::into).collect(),
            dir: tree.clone(),
            wrapper: Vec::new(),
            mark: vec![
                ("RELIGHT_TREE".into(), tree.clone().into()),
                ("RELIGHT_SESSION".into(), session.about.id.0.clone().into()),
            ],
            vars: Vec::new(),
            timeout: LIMIT,
            grace: GRACE,
            keep: KEPT,
        };
        let mut printed = Vec::new();
        let outcome = runner::run(&job, &mut printed, &|| cancel.is_cancelled());
        let value = value(&outcome.end, &printed);
        measured.push(Measured {
            name: metric.name.clone(),
            said: match value {
                RunValue::Number(_) => None,
                RunValue::Pass | RunValue::Fail | RunValue::Missing => {
                    Some(reason(&metric.command, &outcome.end, &outcome.last_line))
                }
            },
            value,
        });
    }
    session.keep_measured(measured)
}

/// The widths at which a command and its last line are cut in a reason.
const WIDTHS: [usize; 2] = [60, 80];

/// Why a metric has no number, as the end of a sentence: the command, how it ended, and what it printed last.
fn reason(command: &[String], end: &End, last_line: &[u8]) -> String {
    let words = command.iter().map(|word| {
        shell_word(word).map_or_else(
            || Foreign::from(word.as_str()).clean(),
            |word| Clean::new(&word),
        )
    });
    let words: Vec<String> = words.map(Clean::into_string).collect();
    let command = Clean::new(&words.join(" ")).clip(WIDTHS[0]);
    let ended = match end {
        End::Exited(status) => format!("printed no number and ended with status {status}"),
        End::Signalled(signal) => format!("was ended by signal {signal}"),
        End::TimedOut => format!("was stopped after {}", duration(LIMIT.as_secs())),
        End::Cancelled => "was canceled".to_owned(),
        End::Missing(why) | End::NotStarted(why) => return why.clone(),
    };
    let last = Foreign::from(last_line.trim_ascii_end());
    let last = last.clean().clip(WIDTHS[1]);
    let last = match last.as_str() {
        "" => String::new(),
        last => format!("{LAST_LINE}{last}"),
    };
    format!("`{command}` {ended}{last}")
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
    fn a_reason_names_the_command_how_it_ended_and_its_last_line() {
        let command = ["sh", "-c", "grep x"].map(str::to_owned);
        let long = format!("\x1b[31m{}", "y".repeat(200));
        let table = [
            (
                End::Exited(2),
                "no such file\n",
                "`sh -c 'grep x'` printed no number and ended with status 2; its last line: no such file",
            ),
            (
                End::Exited(0),
                "",
                "`sh -c 'grep x'` printed no number and ended with status 0",
            ),
            (
                End::Signalled(9),
                "",
                "`sh -c 'grep x'` was ended by signal 9",
            ),
            (
                End::TimedOut,
                "",
                "`sh -c 'grep x'` was stopped after 10 min",
            ),
            (
                End::Missing("x is not installed".to_owned()),
                "",
                "x is not installed",
            ),
        ];
        for (end, last, expected) in table {
            assert_eq!(reason(&command, &end, last.as_bytes()), expected);
        }
        let text = reason(&command, &End::Exited(2), long.as_bytes());
        assert!(text.len() < 200 && !text.contains('\x1b'), "{text}");
    }

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
