//! The values of a person's own metrics, `metrics.json`: a number, true or false for pass or fail, and where its command
//! printed no number `{"passed": true, "said": WHY}` or `{"missing": WHY}`. A runner may write numbers of its own into
//! `relight.metrics.json`.

use std::ffi::OsStr;
use std::io;

use serde_json::{Map, Value, json};

use super::Session;
use super::folder::{Folder, METRICS, OUTPUTS, TREE};
use crate::apply::disk::Disk as _;
use crate::model::{OwnMetric, ReplaySession, RunValue, SessionState, Unnumbered};

/// What a runner may leave.
const REPORTED: &str = "relight.metrics.json";

/// The most that is read of it.
const LARGEST: u64 = 1 << 20;

/// What comes before the last line that a command printed, in what it said.
pub const LAST_LINE: &str = "; its last line: ";

/// What a metric came to in a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Measured {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: RunValue,
    /// What its command did instead of printing a number, as the end of a sentence.
    pub said: Option<String>,
}

impl Session<'_> {
    /// The metrics that its runners left in `relight.metrics.json`: in the folder of its outputs, else at the top of its
    /// tree.
    pub fn reported_metrics(&self) -> Vec<Measured> {
        let read = |of: &str| -> io::Result<Vec<u8>> {
            let dir = self.folder.sub(of)?;
            self.folder.disk.read(&dir, OsStr::new(REPORTED), LARGEST)
        };
        let bytes = read(OUTPUTS).or_else(|_| read(TREE));
        let plain = |all: Vec<Measured>| all.into_iter().filter(|one| one.said.is_none());
        plain(values(&bytes.unwrap_or_default())).collect()
    }

    /// Keeps what the metrics of the experiment came to in its finished tree.
    pub fn keep_measured(&mut self, measured: Vec<Measured>) -> io::Result<()> {
        self.folder.put(METRICS, &bytes(&measured))?;
        take(&mut self.about, measured, &self.plan.ask.metrics);
        Ok(())
    }
}

/// Puts what was measured into a session, and names the metrics that gave no number. One that has a command and was not
/// measured is among them once the run is done.
pub(super) fn take(about: &mut ReplaySession, measured: Vec<Measured>, metrics: &[OwnMetric]) {
    let by_command = |name: &str| {
        let mut commands = metrics.iter().filter(|one| !one.command.is_empty());
        commands.any(|one| one.name == name)
    };
    let is_done = about.state == SessionState::Done;
    let unasked = metrics.iter().filter(|one| {
        let known = |other: &Measured| other.name == one.name;
        is_done && by_command(&one.name) && !measured.iter().any(known)
    });
    let unasked = unasked.map(|one| (one.name.as_str(), RunValue::Missing, None));
    let all = measured.iter();
    let all = all.map(|one| (one.name.as_str(), one.value, one.said.as_ref()));
    let unnumbered = |(name, value, said): (&str, RunValue, Option<&String>)| {
        let why = match value {
            RunValue::Number(_) => return None,
            RunValue::Missing => "it was not measured",
            RunValue::Pass | RunValue::Fail => "it is no number",
        };
        Some(Unnumbered {
            metric: name.to_owned(),
            why: said.cloned().unwrap_or_else(|| why.to_owned()),
            is_missing: value == RunValue::Missing,
            by_command: by_command(name),
            odd_status: value != RunValue::Missing
                && said.is_some_and(|said| said.contains(LAST_LINE))
                && metrics
                    .iter()
                    .any(|one| one.name == name && one.expects_number()),
        })
    };
    about.unnumbered = all.chain(unasked).filter_map(unnumbered).collect();
    let values = measured.into_iter().map(|one| (one.name, one.value));
    about.measured = values.collect();
}

/// Says of each run whose metric only passed or failed that it has no value, where other runs of its experiment have a
/// number: one of them could not be compared with a number.
pub(super) fn note_unnumbered(all: &mut [ReplaySession]) {
    let numbers = |one: &ReplaySession| {
        let group = one.group.clone();
        let numbers = one.measured.clone().into_iter();
        numbers.filter_map(move |(name, value)| match value {
            RunValue::Number(_) => Some((group.clone(), name)),
            RunValue::Pass | RunValue::Fail | RunValue::Missing => None,
        })
    };
    let numbers: Vec<_> = all.iter().flat_map(numbers).collect();
    for session in all {
        for one in &mut session.unnumbered {
            let mut beside = numbers.iter();
            if !one.is_missing
                && beside.any(|(of, name)| *of == session.group && *name == one.metric)
            {
                one.is_missing = true;
                one.why += ", and other runs of the experiment have a number";
            }
        }
    }
}

fn bytes(measured: &[Measured]) -> Vec<u8> {
    let value = |one: &Measured| match (one.value, &one.said) {
        (RunValue::Number(number), _) => json!(number),
        (RunValue::Missing, Some(why)) => json!({ "missing": why }),
        (RunValue::Missing, None) => Value::Null,
        (passed, Some(said)) => json!({ "passed": passed == RunValue::Pass, "said": said }),
        (passed, None) => json!(passed == RunValue::Pass),
    };
    let fields = measured.iter().map(|one| (one.name.clone(), value(one)));
    let object: Map<String, Value> = fields.collect();
    format!("{}\n", Value::Object(object)).into_bytes()
}

/// What was kept; nothing where the file is missing or cannot be read.
pub(super) fn of(folder: &Folder) -> Vec<Measured> {
    let kept = folder.find(METRICS).ok().flatten();
    values(&kept.unwrap_or_default())
}

fn values(bytes: &[u8]) -> Vec<Measured> {
    let object: Map<String, Value> = serde_json::from_slice(bytes).unwrap_or_default();
    let fields = object.into_iter();
    fields
        .map(|(name, one)| {
            let text = |key: &str| one.get(key).and_then(Value::as_str).map(str::to_owned);
            let passed = one.as_bool();
            let passed = passed.or_else(|| one.get("passed").and_then(Value::as_bool));
            Measured {
                value: match (passed, one.as_f64()) {
                    (Some(true), _) => RunValue::Pass,
                    (Some(false), _) => RunValue::Fail,
                    (None, number) => number.map_or(RunValue::Missing, RunValue::Number),
                },
                said: text("missing").or_else(|| text("said")),
                name,
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SessionId;

    fn metric(name: &str, command: &[&str]) -> OwnMetric {
        OwnMetric {
            name: name.to_owned(),
            command: command.iter().map(|word| (*word).to_owned()).collect(),
            lower_is_better: false,
            margin: None,
            primary: false,
        }
    }

    /// A run that is done and came to this by the metric `lines`; `None` where that was not measured.
    fn run(group: &str, value: Option<RunValue>) -> ReplaySession {
        let mut about = ReplaySession {
            state: SessionState::Done,
            group: SessionId(group.to_owned()),
            ..ReplaySession::default()
        };
        let measured = value.map(|value| Measured {
            name: "lines".to_owned(),
            value,
            said: None,
        });
        let metrics = [metric("lines", &["wc"]), metric("left", &[])];
        take(&mut about, measured.into_iter().collect(), &metrics);
        about
    }

    #[test]
    fn a_run_lacks_a_value_without_any_or_with_no_number_beside_a_number() {
        let number = Some(RunValue::Number(4.0));
        let (pass, fail) = (Some(RunValue::Pass), Some(RunValue::Fail));
        let table = [
            (number, pass, None),
            // Without any number pass and fail are the values.
            (pass, fail, None),
            (pass, number, Some("other runs of the experiment have")),
            (fail, number, Some("other runs of the experiment have")),
            (Some(RunValue::Missing), pass, Some("was not measured")),
            (None, pass, Some("was not measured")),
        ];
        for (own, other, why) in table {
            let mut all = [run("1", own), run("1", other), run("2", number)];
            note_unnumbered(&mut all);
            assert_eq!(all[0].lacks_values(), why.is_some(), "{own:?} {other:?}");
            let said: Vec<String> = all[0]
                .troubles()
                .map(|text| text.lossy().into_owned())
                .collect();
            assert_eq!(said.len(), usize::from(why.is_some()), "{said:?}");
            for text in said {
                assert!(
                    text.starts_with("The metric lines has no value: "),
                    "{text}"
                );
                assert!(text.contains(why.unwrap()), "{text}");
            }
        }
    }

    #[test]
    fn an_exit_status_is_odd_where_a_number_is_expected_and_text_was_printed() {
        let text = "`wc -l a` printed no number and ended with status 0; its last line: 6 a";
        let nothing = "`test -f a` printed no number and ended with status 0";
        let (number, pass) = (RunValue::Number(6.0), RunValue::Pass);
        let table = [
            (true, None, pass, text, true),
            (false, Some(0.1), pass, text, true),
            (false, None, pass, text, false),
            (true, None, pass, nothing, false),
            (true, None, number, text, false),
            (true, None, RunValue::Missing, text, false),
        ];
        for (lower_is_better, margin, value, said, odd) in table {
            let metric = OwnMetric {
                lower_is_better,
                margin,
                ..metric("lines", &["wc"])
            };
            let measured = Measured {
                name: "lines".to_owned(),
                value,
                said: Some(said.to_owned()),
            };
            let mut about = ReplaySession::default();
            take(&mut about, vec![measured], &[metric]);
            let found = about.unnumbered.iter().any(|one| one.odd_status);
            assert_eq!(found, odd, "{lower_is_better} {margin:?} {value:?} {said}");
        }
    }

    #[test]
    fn what_is_kept_is_read_again() {
        let table = [
            (RunValue::Number(2.5), None),
            (RunValue::Pass, None),
            (RunValue::Pass, Some("no number")),
            (RunValue::Fail, Some("no number")),
            (RunValue::Missing, Some("no number")),
            (RunValue::Missing, None),
        ];
        for (value, said) in table {
            let all = [Measured {
                name: "lines".to_owned(),
                value,
                said: said.map(str::to_owned),
            }];
            assert_eq!(values(&bytes(&all)), all);
        }
    }
}
