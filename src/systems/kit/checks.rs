//! The table of a system's checks, and the four outcomes that a check can have.

use crate::foreign;
use crate::model::{Check, Foreign, Subject, Verdict};

/// The result of one check. The table row adds the id, and its topic if the result has no narrower subject.
#[derive(Debug, Clone, PartialEq, Eq)]
#[must_use]
pub(crate) struct Outcome {
    about: Option<Subject>,
    pub(crate) verdict: Verdict,
    evidence: Foreign,
    remedy: Option<Foreign>,
}

impl Outcome {
    /// The same outcome with a narrower subject than the row's topic.
    pub(crate) fn about(mut self, subject: impl Into<Subject>) -> Self {
        self.about = Some(subject.into());
        self
    }

    /// The same outcome with another remedy.
    pub(crate) fn remedy(mut self, remedy: impl Into<Foreign>) -> Self {
        self.remedy = Some(remedy.into());
        self
    }

    /// The same outcome after a warning: it is no pass.
    pub(crate) fn after(self, warning: Self) -> Self {
        let evidence = foreign!("{} {}", &warning.evidence, &self.evidence);
        let base = if self.verdict == Verdict::Pass {
            warning
        } else {
            self
        };
        Self { evidence, ..base }
    }

    pub(crate) fn of<S>(self, row: &Row<S>) -> Check {
        let about = self.about.unwrap_or(Subject::Topic(row.topic));
        Check {
            remedy: self.remedy,
            ..Check::new(row.id, about, self.verdict, self.evidence)
        }
    }
}

/// The outcome of a check; the error is the outcome if it cannot run.
pub(crate) type Made = Result<Outcome, Outcome>;

/// The outcome of a check, whether it could run or not.
pub(crate) fn either(made: Made) -> Outcome {
    made.unwrap_or_else(|skipped| skipped)
}

impl From<Outcome> for Vec<Outcome> {
    fn from(one: Outcome) -> Self {
        vec![one]
    }
}

/// The claim holds.
pub(crate) fn pass(evidence: impl Into<Foreign>) -> Outcome {
    Outcome {
        about: None,
        verdict: Verdict::Pass,
        evidence: evidence.into(),
        remedy: None,
    }
}

/// The check cannot run here, for this reason. It gets a remedy only where a person can do something about that.
pub(crate) fn skipped(why: impl Into<Foreign>) -> Outcome {
    Outcome {
        verdict: Verdict::Skipped,
        ..pass(why)
    }
}

/// The claim holds in part, or a person must look.
pub(crate) fn warn(evidence: impl Into<Foreign>, remedy: impl Into<Foreign>) -> Outcome {
    found(Verdict::Warn, evidence, remedy)
}

/// The claim is not true.
pub(crate) fn fail(evidence: impl Into<Foreign>, remedy: impl Into<Foreign>) -> Outcome {
    found(Verdict::Fail, evidence, remedy)
}

/// An outcome whose verdict is computed. A pass needs no remedy and gets none.
pub(crate) fn found(
    verdict: Verdict,
    evidence: impl Into<Foreign>,
    remedy: impl Into<Foreign>,
) -> Outcome {
    let outcome = Outcome {
        verdict,
        ..pass(evidence)
    };
    if verdict == Verdict::Pass {
        outcome
    } else {
        outcome.remedy(remedy)
    }
}

/// One check of a system: a row of its table. `S` is the input of the system's checks.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Row<S> {
    /// The id, stable across versions.
    pub(crate) id: &'static str,
    /// The subject of the check if it has no narrower one: `workflow`, `state file`.
    pub(crate) topic: &'static str,
    /// The claim that it verifies, as a clause: `every output of a completed stage exists`.
    pub(crate) proves: &'static str,
    run: Run<S>,
    clean: Option<&'static str>,
}

#[derive(Debug, Clone, Copy)]
enum Run<S> {
    All(fn(&S) -> Vec<Outcome>),
    One(fn(&S) -> Outcome),
}

impl<S> Row<S> {
    /// A check with any number of outcomes.
    pub(crate) const fn new(
        id: &'static str,
        topic: &'static str,
        proves: &'static str,
        run: fn(&S) -> Vec<Outcome>,
    ) -> Self {
        Self::of(id, topic, proves, Run::All(run))
    }

    /// A check with one outcome.
    pub(crate) const fn one(
        id: &'static str,
        topic: &'static str,
        proves: &'static str,
        run: fn(&S) -> Outcome,
    ) -> Self {
        Self::of(id, topic, proves, Run::One(run))
    }

    const fn of(id: &'static str, topic: &'static str, proves: &'static str, run: Run<S>) -> Self {
        Self {
            id,
            topic,
            proves,
            run,
            clean: None,
        }
    }

    /// Sets the evidence of the pass if the check reports nothing.
    #[must_use]
    pub(crate) const fn clean(mut self, evidence: &'static str) -> Self {
        self.clean = Some(evidence);
        self
    }

    fn checks(&self, scene: &S) -> Vec<Check> {
        let mut found = match self.run {
            Run::All(run) => run(scene),
            Run::One(run) => vec![run(scene)],
        };
        if let (true, Some(evidence)) = (found.is_empty(), self.clean) {
            found.push(pass(evidence));
        }
        found.into_iter().map(|one| one.of(self)).collect()
    }

    fn unreadable(&self) -> Check {
        let proves = &self.proves;
        let why = format!("Not checked, because the state file cannot be read: {proves}.");
        let outcome = skipped(why).remedy("Repair or restore the state file first.");
        outcome.of(self)
    }
}

/// Runs every check, in the order of the table. If the state file cannot be read, every row is skipped and states what
/// was not checked.
pub(crate) fn run<S>(
    table: impl IntoIterator<Item = Row<S>>,
    scene: &S,
    readable: bool,
) -> Vec<Check> {
    let rows = table.into_iter();
    rows.flat_map(|row| {
        if readable {
            row.checks(scene)
        } else {
            vec![row.unreadable()]
        }
    })
    .collect()
}

/// The checks of a pipeline whose state file cannot be read: the first row fails, the others are skipped.
pub(crate) fn unreadable<S>(
    table: impl IntoIterator<Item = Row<S>>,
    first: impl FnOnce(&Row<S>) -> Outcome,
) -> Vec<Check> {
    let mut rows = table.into_iter();
    let first = rows.next().map(|row| first(&row).of(&row)).into_iter();
    first.chain(rows.map(|row| row.unreadable())).collect()
}

/// The outcomes of a check, or a pass if there are none. For computed evidence; a fixed sentence belongs in the table,
/// as [`Row::clean`].
pub(crate) fn or_pass(mut outcomes: Vec<Outcome>, evidence: impl Into<Foreign>) -> Vec<Outcome> {
    if outcomes.is_empty() {
        outcomes.push(pass(evidence));
    }
    outcomes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> [Row<bool>; 3] {
        [
            Row::one("X1", "state file", "the state file is JSON", |whole| {
                if *whole {
                    pass("It is.")
                } else {
                    fail("It is not.", "Restore it.")
                }
            }),
            Row::new("X2", "stages", "every stage has an id", |_| Vec::new())
                .clean("Every stage has an id."),
            Row::new("X3", "retries", "retries are within the limit", |_| {
                vec![
                    warn("Too many.", "Look.").about(Subject::Phase("1".into())),
                    found(Verdict::Pass, "Few.", "never shown"),
                ]
            }),
        ]
    }

    fn shown(readable: bool) -> Vec<String> {
        let line = |check: &Check| {
            format!(
                "{} {} {}: {} {}",
                check.id.0,
                check.verdict.word(),
                check.subject().lossy(),
                check.evidence.lossy(),
                check
                    .remedy
                    .as_ref()
                    .map_or_else(|| "-".into(), Foreign::lossy)
            )
        };
        run(table(), &readable, readable).iter().map(line).collect()
    }

    #[test]
    fn rows_run_in_order_and_a_clean_one_passes() {
        assert_eq!(
            shown(true),
            [
                "X1 pass state file: It is. -",
                "X2 pass stages: Every stage has an id. -",
                "X3 warn phase 1: Too many. Look.",
                "X3 pass retries: Few. -",
            ]
        );
    }

    #[test]
    fn an_unreadable_state_file_skips_the_rows_that_need_it() {
        let skipped = "Not checked, because the state file cannot be read";
        let remedy = "Repair or restore the state file first.";
        assert_eq!(
            shown(false),
            [
                format!("X1 skipped state file: {skipped}: the state file is JSON. {remedy}"),
                format!("X2 skipped stages: {skipped}: every stage has an id. {remedy}"),
                format!("X3 skipped retries: {skipped}: retries are within the limit. {remedy}"),
            ]
        );
    }
}
