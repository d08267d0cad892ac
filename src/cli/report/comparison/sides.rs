//! The runs of either side, and their work.

use serde::Serialize;

use super::super::{path, text, texts, time};
use crate::model::{Measure, MeasureUnit, Party, Run, RunKind, Work};

/// A side.
#[derive(Debug, Serialize)]
pub(super) struct SideReport {
    name: String,
    title: String,
    runs: Vec<RunReport>,
}

impl SideReport {
    pub(super) fn new(party: &Party) -> Self {
        Self {
            name: party.name.clone(),
            title: text(&party.title),
            runs: party.runs.iter().map(RunReport::new).collect(),
        }
    }
}

#[derive(Debug, Serialize)]
struct RunReport {
    name: String,
    kind: &'static str,
    title: String,
    session: Option<String>,
    start: Option<String>,
    mutations: Vec<String>,
    started_at: Option<String>,
    outcome: &'static str,
    measures: Vec<MeasureReport>,
    confounders: Vec<String>,
    unfinished: bool,
}

#[derive(Debug, Serialize)]
struct MeasureReport {
    name: String,
    value: Option<f64>,
    unit: &'static str,
}

impl RunReport {
    fn new(run: &Run) -> Self {
        let measure = |measure: &Measure| MeasureReport {
            name: measure.name.clone(),
            value: measure.value,
            unit: match measure.unit {
                MeasureUnit::Count => "count",
                MeasureUnit::Seconds => "seconds",
                MeasureUnit::Number => "number",
            },
        };
        Self {
            name: run.name.clone(),
            kind: match run.kind {
                RunKind::Original => "original",
                RunKind::Replay => "replay",
                RunKind::Round => "round",
                RunKind::Stage => "stage",
                RunKind::Before => "before",
                RunKind::After => "after",
            },
            title: text(&run.title),
            session: run.session.as_ref().map(|id| id.0.clone()),
            start: run.start.as_ref().map(|(point, _)| point.0.clone()),
            mutations: texts(&run.mutations),
            started_at: time(run.started_at),
            outcome: run.outcome.word(),
            measures: run.measures.iter().map(measure).collect(),
            confounders: texts(&run.confounders),
            unfinished: run.unfinished,
        }
    }
}

/// A piece of work.
#[derive(Debug, Serialize)]
pub(super) struct WorkReport {
    seq: Option<u64>,
    template: Option<String>,
    status: &'static str,
    verdict: &'static str,
    duration_s: Option<u64>,
    begun_at: Option<String>,
    summary: Option<String>,
    mutation: Option<String>,
    model: Option<String>,
    new: bool,
    dispatch: Option<String>,
    output: Option<String>,
}

impl WorkReport {
    pub(super) fn new(work: &Work) -> Self {
        Self {
            seq: work.seq,
            template: work.template.as_ref().map(text),
            status: work.status.word(),
            verdict: work.verdict.word(),
            duration_s: work.duration_s,
            begun_at: time(work.begun_at),
            summary: work.summary.as_ref().map(text),
            mutation: work.mutation.as_ref().map(text),
            model: work.model.as_ref().map(text),
            new: work.new,
            dispatch: work.dispatch.as_deref().map(path),
            output: work.output.as_deref().map(path),
        }
    }
}
