//! Two runs side by side: what they are made of, how they differ, and what may honestly be said about it.
//!
//! A [`Run`] is anything that can be an operand: the original, a replay, a round, a stage's version, the state
//! before or after a recovery. Systems and the recovery history state runs; `replay` compares them.

mod beside;
mod evidence;
mod experiment;
mod outcome;
mod pair;
mod run;
mod strip;

pub use beside::{Beside, RoleFindings, Said};
pub use evidence::{
    Arm, Block, BlockTally, MetricJudged, NumberSummary, RunPlace, RunValue, Sign, Statistics,
    Verdict as ComparisonVerdict, VerdictText,
};
pub use experiment::{ExperimentFacts, MARGIN, OwnMetric, StartAnew};
pub use outcome::{Artifact, ArtifactChange, Artifacts, Bucket};
pub use pair::{Pair, STILL_OPEN};
pub use run::{
    Measure, MeasureUnit, Run, RunConditions, RunKind, RunTree, TestOutcome, Work, WorkStatus,
};
pub use strip::{ROWS as STRIP_ROWS, fit as strip_fit};

use super::{Foreign, PipelineId, SessionId, TemplateSwap, Usage};
use crate::text::distinct;
use crate::text::format::{digits_for, duration, number_to, signed};

/// One side of a comparison: a run, or several independent runs of one experiment.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Party {
    /// The operand's word: `original`, a session or a group of sessions, `round-2`, `stage-3.v1`, a recovery.
    pub name: String,
    /// What it is, for a person.
    pub title: Foreign,
    /// Its runs; at least one.
    pub runs: Vec<Run>,
}

impl Party {
    /// What was replaced in its runs, each once, by the name that the first of them has for it.
    pub fn mutations(&self) -> Vec<&Foreign> {
        let runs = self.runs.iter().enumerate();
        let new = runs.filter(|(at, run)| {
            let mut before = self.runs.iter().take(*at);
            !before.any(|other| run.replaces_as(other))
        });
        distinct(new.flat_map(|(_, run)| &run.mutations))
    }

    /// Tokens and money of all its runs; `None` where none of them reported any.
    pub fn usage(&self) -> Option<Usage> {
        let mut reported = self.runs.iter().filter_map(Run::usage).peekable();
        reported.peek().is_some().then(|| reported.sum())
    }

    /// Whether the stub runner answered in any of its runs.
    pub fn has_stub(&self) -> bool {
        let mut conditions = self.runs.iter().filter_map(|run| run.conditions.as_ref());
        conditions.any(|one| one.is_stub)
    }
}

/// One figure of both sides. Unknown is `None` and shown as `n/a`, never as zero.
#[derive(Debug, Clone, PartialEq)]
pub struct Metric {
    /// Its name: `dispatches`, `dispatches of phase 3`, `gate rounds`, `wall clock`, `acceptance tests`.
    pub name: String,
    /// True where it counts only what comes after the point from which the replay began.
    pub from_resume_point: bool,
    /// Of A; the median where A has several runs.
    pub a: Option<MetricValue>,
    /// Of B; the median where B has several runs.
    pub b: Option<MetricValue>,
    /// B less A, for numbers.
    pub delta: Option<MetricValue>,
    /// For outcomes of several runs that do not agree: how many passed, of how many, in A and in B.
    pub mixed: [Option<(usize, usize)>; 2],
}

impl Metric {
    /// The figures of A and B and their difference for a person. Unknown is `n/a`, never zero.
    pub fn texts(&self) -> [String; 3] {
        let known = [self.a, self.b].into_iter().flatten();
        let known: Vec<f64> = known.filter_map(MetricValue::number).collect();
        let digits = digits_for(&known);
        let text = |value: Option<MetricValue>| {
            value.map_or_else(|| "n/a".to_owned(), |value| figure(value, digits))
        };
        if let Some(texts) = self.mixed_texts() {
            return texts;
        }
        let outcome = |value: Option<MetricValue>| value.and_then(MetricValue::outcome);
        let delta = match (outcome(self.a), outcome(self.b)) {
            (Some(a), Some(b)) => if a == b { "=" } else { "changed" }.to_owned(),
            _ => text(self.delta),
        };
        let sign = self.delta.and_then(MetricValue::number).unwrap_or_default();
        let delta = signed(sign, delta.trim_start_matches('-'));
        [text(self.a), text(self.b), delta]
    }

    /// The same where the runs of a side do not agree: the outcome of most of them would hide the others.
    pub fn mixed_texts(&self) -> Option<[String; 3]> {
        let [of_a, of_b] = self.mixed;
        of_a.or(of_b)?;
        let text = |value: Option<MetricValue>, mixed: Option<(usize, usize)>| match mixed {
            Some((passed, of)) => format!("{passed} of {of} {}", TestOutcome::Pass.word()),
            None => value.map_or_else(|| "n/a".to_owned(), |value| figure(value, 0)),
        };
        let (a, b) = (text(self.a, of_a), text(self.b, of_b));
        let delta = if a == b { "=" } else { "changed" };
        Some([a, b, delta.to_owned()])
    }
}

fn figure(value: MetricValue, digits: usize) -> String {
    match value {
        // A number of things is exact, however many they are.
        MetricValue::Count(n) if n.fract() == 0.0 => format!("{n:.0}"),
        MetricValue::Count(n) | MetricValue::Number(n) => number_to(n, digits),
        MetricValue::Seconds(seconds) => {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "the duration of a run: far below what a double holds exactly"
            )]
            let whole = seconds.abs().round() as u64;
            duration(whole)
        }
        MetricValue::Outcome(outcome) => outcome.word().to_owned(),
    }
}

/// A figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MetricValue {
    /// A number of things.
    Count(f64),
    /// Seconds.
    Seconds(f64),
    /// A number with a fraction: a score.
    Number(f64),
    /// How the tests ended.
    Outcome(TestOutcome),
}

impl MetricValue {
    /// The number, of whatever; `None` for an outcome.
    pub fn number(self) -> Option<f64> {
        match self {
            Self::Count(n) | Self::Seconds(n) | Self::Number(n) => Some(n),
            Self::Outcome(_) => None,
        }
    }

    /// How the tests ended; `None` for a number.
    pub fn outcome(self) -> Option<TestOutcome> {
        match self {
            Self::Outcome(outcome) => Some(outcome),
            Self::Count(_) | Self::Seconds(_) | Self::Number(_) => None,
        }
    }
}

/// Two sides, compared.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Comparison {
    /// The pipeline.
    pub pipeline: PipelineId,
    /// The left side.
    pub a: Party,
    /// The right side.
    pub b: Party,
    /// The original run, where the sides are the two arms of an experiment: a reference, never a side.
    pub original: Option<Run>,
    /// The templates that differ between the sides, with both texts where they are known.
    pub templates: Vec<TemplateSwap>,
    /// The figures, in order.
    pub metrics: Vec<Metric>,
    /// The work of both sides, phases aligned, in the order of A; what only B has follows its phase.
    pub pairs: Vec<Pair>,
    /// The first pair in which the sides differ: a place in `pairs`.
    pub divergence: Option<usize>,
    /// The files that differ; `None` where a side has no tree that can be read.
    pub artifacts: Option<Artifacts>,
    /// The experiment with two arms whose runs the sides have, where they are not its arms: there is a verdict on it.
    pub judged_by: Option<SessionId>,
    /// What is shown beside the outcome and never judged; of the two arms where there are any.
    pub beside: Beside,
    /// What the blocks of an experiment add up to; `None` where the sides are not its two arms.
    pub statistics: Option<Statistics>,
    /// What may be said, in a word.
    pub verdict: ComparisonVerdict,
    /// The same in sentences, with what to do next.
    pub verdict_text: VerdictText,
    /// The same by the other metrics of the experiment.
    pub others: Vec<MetricJudged>,
    /// What the sides differ in beside the template.
    pub confounders: Vec<Foreign>,
    /// What a person should know of an experiment though it confounds nothing: facts about the original.
    pub notes: Vec<Foreign>,
    /// Inputs that could not be read, a sentence each.
    pub skipped: Vec<Foreign>,
}

impl Comparison {
    /// Whether a side has a run of this kind.
    pub fn has(&self, kind: RunKind) -> bool {
        let mut runs = self.a.runs.iter().chain(&self.b.runs);
        runs.any(|run| run.kind == kind)
    }

    /// By which rule the first difference was found, where the outcome beside it does not show it: of several runs, and
    /// of one where nothing but a summary differs.
    pub fn divergence_rule(&self) -> Option<&'static str> {
        let pair = self.pairs.get(self.divergence?)?;
        if pair.differs_in_summary() {
            return Some("no outcome differs, so the first pair with another summary");
        }
        let several = pair.a.len() > 1 || pair.b.len() > 1;
        several.then_some(
            "with several runs per side, the first pair where the majority outcome differs, or where only one side has a status",
        )
    }

    /// How many pairs a person reads what beside, worst first. Reviews and pairs of several runs are in none.
    pub fn tally(&self) -> Vec<(Bucket, &'static str, usize)> {
        let kinds = Bucket::WORST_FIRST.into_iter();
        let kinds = kinds.flat_map(|kind| [(kind, false), (kind, true)]);
        let tally = kinds.map(|(kind, open)| {
            let mut found = self.pairs.iter().filter(|pair| pair.bucket == Some(kind));
            let number = found.by_ref().filter(|pair| pair.is_open() == open).count();
            let word = if open { STILL_OPEN } else { self.said_of(kind) };
            (kind, word, number)
        });
        tally.filter(|(_, _, number)| *number > 0).collect()
    }

    /// What a person reads beside a pair of this outcome.
    pub fn said_of(&self, bucket: Bucket) -> &'static str {
        bucket.said(self.has(RunKind::Replay))
    }

    /// What a person reads beside a pair of it.
    pub fn said(&self, pair: &Pair) -> String {
        pair.said(self.has(RunKind::Replay))
    }

    /// Whose files are compared, where a side has several runs: those of the first run of each.
    pub fn whose_files(&self) -> Option<String> {
        let (a, b) = (self.a.runs.first()?, self.b.runs.first()?);
        let several = self.a.runs.len() > 1 || self.b.runs.len() > 1;
        several.then(|| format!("Files of {} and {}", a.name, b.name))
    }

    /// What a report says of the files that were compared: by which command, and whose they are.
    pub fn compared_files(&self) -> Vec<Foreign> {
        let between = self.artifacts.iter().map(|artifacts| &artifacts.between);
        let whose = self.whose_files();
        // Without a command it is the names of the runs.
        let said = |between: &&Foreign| {
            let mut whose = whose.iter();
            between.is_empty() || whose.any(|whose| whose.contains(&*between.lossy()))
        };
        let mut all: Vec<Foreign> = between.filter(|one| !said(one)).cloned().collect();
        let whose = whose.iter();
        all.extend(whose.map(|whose| format!("{whose}, the first run of each side.").into()));
        all
    }

    /// Two sides of which nothing is compared yet.
    pub fn new(pipeline: PipelineId, a: Party, b: Party) -> Self {
        Self {
            pipeline,
            a,
            b,
            ..Self::default()
        }
    }
}

/// Which two texts are wanted of a comparison, for the diff view. Runs are places in a party's runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Compared {
    /// A swapped template and its replacement: a place in [`Comparison::templates`].
    Template(usize),
    /// The dispatch files of a pair.
    Dispatch {
        /// The pair.
        pair: usize,
        /// Which run of A.
        a: usize,
        /// Which run of B.
        b: usize,
    },
    /// The outputs of a pair.
    Output {
        /// The pair.
        pair: usize,
        /// Which run of A.
        a: usize,
        /// Which run of B.
        b: usize,
    },
    /// The summaries of a pair.
    Summary {
        /// The pair.
        pair: usize,
        /// Which run of A.
        a: usize,
        /// Which run of B.
        b: usize,
    },
    /// A file of the trees: a place in [`Artifacts::files`].
    Artifact(usize),
}

#[cfg(test)]
mod tests {
    use super::*;

    fn metric(
        a: Option<MetricValue>,
        b: Option<MetricValue>,
        delta: Option<MetricValue>,
    ) -> Metric {
        Metric {
            name: "wall clock".to_owned(),
            from_resume_point: false,
            a,
            b,
            delta,
            mixed: [None, None],
        }
    }

    #[test]
    fn what_is_unknown_is_never_zero() {
        use MetricValue::{Count, Number, Outcome, Seconds};
        let table = [
            (None, None, None, ["n/a", "n/a", "n/a"]),
            (Some(Count(0.0)), None, None, ["0", "n/a", "n/a"]),
            (
                Some(Count(9.0)),
                Some(Count(8.5)),
                Some(Count(-0.5)),
                ["9", "8.5", "-0.5"],
            ),
            (
                Some(Seconds(61.0)),
                Some(Seconds(8_460.0)),
                Some(Seconds(8_399.0)),
                ["1 min 01 s", "2 h 21 min", "+2 h 19 min"],
            ),
            (
                Some(Seconds(725.0)),
                Some(Seconds(725.0)),
                Some(Seconds(0.0)),
                ["12 min 05 s", "12 min 05 s", "0 s"],
            ),
            (
                Some(Number(0.123_456)),
                Some(Number(-0.000_01)),
                Some(Number(-0.123_466)),
                ["0.123", "-0.00001", "-0.123"],
            ),
            (
                Some(Outcome(TestOutcome::Pass)),
                Some(Outcome(TestOutcome::Fail)),
                None,
                ["PASS", "FAIL", "changed"],
            ),
            (
                Some(Outcome(TestOutcome::Unknown)),
                Some(Outcome(TestOutcome::Unknown)),
                None,
                ["UNKNOWN", "UNKNOWN", "="],
            ),
        ];
        for (a, b, delta, words) in table {
            let found = metric(a, b, delta).texts();
            assert_eq!(found, words, "{a:?} {b:?}");
        }
    }
}
