//! `compare`: every field of a comparison.

mod sides;

use serde::Serialize;

use self::sides::{SideReport, WorkReport};
use super::replay::SwapReport;
use super::{SCHEMA, text, texts};
use crate::engine::Operand;
use crate::model::{
    Artifact, Artifacts, Comparison, Effect, Metric, MetricValue, Pair, Statistics,
};

/// The answer of `compare`.
#[derive(Debug, Serialize)]
pub(crate) struct CompareReport {
    schema: u32,
    #[serde(flatten)]
    comparison: ComparisonBody,
}

impl CompareReport {
    pub(crate) fn new(comparison: &Comparison) -> Self {
        Self {
            schema: SCHEMA,
            comparison: ComparisonBody::new(comparison),
        }
    }
}

/// The answer of `compare` where there is nothing to compare: the same keys, with nothing in them.
#[derive(Debug, Serialize)]
pub(crate) struct NothingReport {
    schema: u32,
    a: (),
    b: (),
    metrics: [(); 0],
    dispatches: [(); 0],
    artifacts: (),
    statistics: (),
    verdict: (),
    confounders: [(); 0],
    reason: String,
}

impl NothingReport {
    pub(crate) fn new(reason: String) -> Self {
        Self {
            schema: SCHEMA,
            a: (),
            b: (),
            metrics: [],
            dispatches: [],
            artifacts: (),
            statistics: (),
            verdict: (),
            confounders: [],
            reason,
        }
    }
}

/// A comparison.
#[derive(Debug, Serialize)]
pub(super) struct ComparisonBody {
    pipeline: String,
    a: String,
    b: String,
    sides: Sides,
    metrics: Vec<MetricReport>,
    dispatches: Vec<PairReport>,
    divergence: Option<usize>,
    artifacts: Option<ArtifactsReport>,
    templates: Vec<SwapReport>,
    statistics: Option<StatisticsReport>,
    verdict: &'static str,
    verdict_text: String,
    confounders: Vec<String>,
    skipped: Vec<String>,
}

#[derive(Debug, Serialize)]
struct Sides {
    a: SideReport,
    b: SideReport,
}

impl ComparisonBody {
    pub(super) fn new(comparison: &Comparison) -> Self {
        Self {
            pipeline: comparison.pipeline.0.clone(),
            a: comparison.a.name.clone(),
            b: comparison.b.name.clone(),
            sides: Sides {
                a: SideReport::new(&comparison.a),
                b: SideReport::new(&comparison.b),
            },
            metrics: comparison.metrics.iter().map(MetricReport::new).collect(),
            dispatches: comparison.pairs.iter().map(PairReport::new).collect(),
            divergence: comparison.divergence,
            artifacts: comparison.artifacts.as_ref().map(ArtifactsReport::new),
            templates: comparison.templates.iter().map(SwapReport::new).collect(),
            statistics: comparison.statistics.as_ref().map(StatisticsReport::new),
            verdict: comparison.verdict.words(),
            verdict_text: text(&comparison.verdict_text),
            confounders: texts(&comparison.confounders),
            skipped: texts(&comparison.skipped),
        }
    }
}

/// A figure: a number, or the word of an outcome.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum ValueReport {
    Number(f64),
    Whole(i64),
    Word(&'static str),
}

impl ValueReport {
    fn new(value: MetricValue) -> Self {
        match value {
            MetricValue::Count(number)
            | MetricValue::Seconds(number)
            | MetricValue::Number(number) => Self::of(number),
            MetricValue::Outcome(outcome) => Self::Word(outcome.word()),
        }
    }

    /// A whole number is written without a fraction.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "only whole numbers that a double holds exactly come this far"
    )]
    fn of(number: f64) -> Self {
        if number.fract() == 0.0 && number.abs() < 9e15 {
            Self::Whole(number as i64)
        } else {
            Self::Number(number)
        }
    }
}

#[derive(Debug, Serialize)]
struct MetricReport {
    name: String,
    from_resume_point: bool,
    unit: Option<&'static str>,
    a: Option<ValueReport>,
    b: Option<ValueReport>,
    delta: Option<ValueReport>,
}

impl MetricReport {
    fn new(metric: &Metric) -> Self {
        let unit = metric.a.or(metric.b).map(|value| match value {
            MetricValue::Count(_) => "count",
            MetricValue::Seconds(_) => "seconds",
            MetricValue::Number(_) => "number",
            MetricValue::Outcome(_) => "outcome",
        });
        Self {
            name: metric.name.clone(),
            from_resume_point: metric.from_resume_point,
            unit,
            a: metric.a.map(ValueReport::new),
            b: metric.b.map(ValueReport::new),
            delta: metric.delta.map(ValueReport::new),
        }
    }
}

/// A pair: the work in each run of either side, in the order of their runs.
#[derive(Debug, Serialize)]
struct PairReport {
    key: String,
    role: String,
    phase: String,
    bucket: &'static str,
    verdict_changed: bool,
    a: Vec<Option<WorkReport>>,
    b: Vec<Option<WorkReport>>,
}

impl PairReport {
    fn new(pair: &Pair) -> Self {
        let work = |all: &[Option<crate::model::Work>]| {
            all.iter()
                .map(|one| one.as_ref().map(WorkReport::new))
                .collect()
        };
        Self {
            key: pair.key.clone(),
            role: text(&pair.role),
            phase: text(&pair.phase),
            bucket: pair.bucket.word(),
            verdict_changed: pair.verdict_changed,
            a: work(&pair.a),
            b: work(&pair.b),
        }
    }
}

#[derive(Debug, Serialize)]
struct ArtifactsReport {
    files_changed: usize,
    insertions: u64,
    deletions: u64,
    between: String,
    unmeasured: u64,
    files: Vec<ArtifactReport>,
}

#[derive(Debug, Serialize)]
struct ArtifactReport {
    path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    path_b64: Option<String>,
    change: &'static str,
    insertions: Option<u64>,
    deletions: Option<u64>,
}

impl ArtifactsReport {
    fn new(artifacts: &Artifacts) -> Self {
        let file = |file: &Artifact| ArtifactReport {
            path: text(&file.path),
            path_b64: super::bytes_b64(file.path.as_bytes()),
            change: match file.change {
                crate::model::ArtifactChange::Added => "added",
                crate::model::ArtifactChange::Modified => "modified",
                crate::model::ArtifactChange::Removed => "removed",
            },
            insertions: file.insertions,
            deletions: file.deletions,
        };
        Self {
            files_changed: artifacts.files.len(),
            insertions: artifacts.insertions,
            deletions: artifacts.deletions,
            between: text(&artifacts.between),
            unmeasured: artifacts.unmeasured,
            files: artifacts.files.iter().map(file).collect(),
        }
    }
}

#[derive(Debug, Serialize)]
struct StatisticsReport {
    runs: SidesOf<usize>,
    success: Option<EffectReport>,
    duration: Option<EffectReport>,
    acceptance: SidesOf<PassedReport>,
    buckets: Vec<BucketReport>,
}

#[derive(Debug, Serialize)]
struct SidesOf<T> {
    a: T,
    b: T,
}

#[derive(Debug, Serialize)]
struct PassedReport {
    passed: u64,
    of: u64,
}

#[derive(Debug, Serialize)]
struct BucketReport {
    bucket: &'static str,
    pairs: u64,
}

#[derive(Debug, Serialize)]
struct EffectReport {
    pairs: usize,
    mean: f64,
    interval: [f64; 2],
    p: f64,
    runs_needed: Option<u64>,
}

impl StatisticsReport {
    fn new(statistics: &Statistics) -> Self {
        let effect = |effect: &Effect| EffectReport {
            pairs: effect.pairs,
            mean: effect.mean,
            interval: [effect.interval.0, effect.interval.1],
            p: effect.p,
            runs_needed: effect.runs_needed,
        };
        let [a, b] = statistics
            .passed
            .map(|(passed, of)| PassedReport { passed, of });
        let bucket = |(bucket, pairs): &(crate::model::Bucket, u64)| BucketReport {
            bucket: bucket.word(),
            pairs: *pairs,
        };
        Self {
            runs: SidesOf {
                a: statistics.runs.0,
                b: statistics.runs.1,
            },
            success: statistics.success.as_ref().map(effect),
            duration: statistics.duration.as_ref().map(effect),
            acceptance: SidesOf { a, b },
            buckets: statistics.buckets.iter().map(bucket).collect(),
        }
    }
}

/// The answer of `compare --list`.
#[derive(Debug, Serialize)]
pub(crate) struct OperandsReport {
    schema: u32,
    operands: Vec<OperandReport>,
}

#[derive(Debug, Serialize)]
struct OperandReport {
    name: String,
    title: String,
}

impl OperandsReport {
    pub(crate) fn new(operands: &[Operand]) -> Self {
        let one = |operand: &Operand| OperandReport {
            name: operand.name.clone(),
            title: text(&operand.title),
        };
        Self {
            schema: SCHEMA,
            operands: operands.iter().map(one).collect(),
        }
    }
}
