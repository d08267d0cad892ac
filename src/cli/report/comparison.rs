//! `compare`: every field of a comparison.

use serde_json::{Value, json};

use super::{SCHEMA, all, bytes_b64, forms, path, path_b64, text, texts, time, with};
use crate::engine::Operand;
use crate::model::{
    Artifact, Artifacts, Block, Bucket, Comparison, Measure, Metric, MetricJudged, MetricValue,
    Pair, Party, RoleFindings, Run, RunValue, Said, Sign, Statistics, TemplateSwap, Usage, Work,
};

/// `compare`.
pub(crate) fn comparison(comparison: &Comparison) -> Value {
    let mut object = json!({ "schema": SCHEMA });
    if let (Some(object), Value::Object(fields)) = (object.as_object_mut(), body(comparison)) {
        object.extend(fields);
    }
    object
}

/// `compare` where there is nothing to compare: the same keys without values.
pub(crate) fn nothing_to_compare(reason: &str) -> Value {
    json!({
        "schema": SCHEMA,
        "a": null,
        "b": null,
        "metrics": [],
        "dispatches": [],
        "artifacts": null,
        "statistics": null,
        "verdict": null,
        "confounders": [],
        "reason": reason,
    })
}

pub(super) fn body(comparison: &Comparison) -> Value {
    json!({
        "pipeline": comparison.pipeline.0,
        "a": comparison.a.name,
        "b": comparison.b.name,
        "sides": { "a": side(&comparison.a), "b": side(&comparison.b) },
        "metrics": all(&comparison.metrics, metric),
        "dispatches": all(&comparison.pairs, pair),
        "divergence": comparison.divergence,
        "divergence_rule": comparison.divergence_rule(),
        "artifacts": comparison.artifacts.as_ref().map(artifacts),
        "templates": all(&comparison.templates, swap),
        "findings": all(&comparison.beside.findings, findings),
        "statistics": comparison.statistics.as_ref().map(statistics),
        "other_metrics": all(&comparison.others, judged),
        "verdict": comparison.verdict.word(),
        "verdict_text": text(&comparison.verdict_text.whole()),
        "no_evidence": comparison.verdict_text.no_evidence.as_ref().map(text),
        "confounders": texts(&comparison.confounders),
        "notes": texts(&comparison.notes),
        "skipped": texts(&comparison.skipped),
    })
}

fn side(party: &Party) -> Value {
    json!({
        "name": party.name,
        "title": text(&party.title),
        "usage": party.usage().as_ref().map(usage),
        "runs": all(&party.runs, run),
    })
}

fn findings(role: &RoleFindings) -> Value {
    let said =
        |said: Said| json!({ "pass": said.pass, "fail": said.fail, "neither": said.neither });
    json!({ "role": text(&role.role), "a": said(role.a), "b": said(role.b) })
}

fn judged(one: &MetricJudged) -> Value {
    json!({
        "metric": one.statistics.metric,
        "statistics": statistics(&one.statistics),
        "verdict": one.verdict.word(),
        "verdict_text": text(&one.text.whole()),
        "no_evidence": one.text.no_evidence.as_ref().map(text),
    })
}

fn run(run: &Run) -> Value {
    let measure = |measure: &Measure| {
        let unit = measure.unit.word();
        json!({ "name": measure.name, "value": measure.value, "unit": unit })
    };
    let values = run.measured.iter();
    let values = values.map(|(name, one)| (name.clone(), value(*one)));
    let unmeasured = |(metric, why): &(String, String)| json!({ "metric": metric, "reason": why });
    let values: serde_json::Map<String, Value> = values.collect();
    json!({
        "name": run.name,
        "kind": run.kind.word(),
        "title": text(&run.title),
        "session": run.session.as_ref().map(|id| &id.0),
        "start": run.start.as_ref().map(|(point, _)| &point.0),
        "mutations": texts(&run.mutations),
        "started_at": time(run.started_at),
        "experiment": run.place.as_ref().map(|place| &place.experiment.0),
        "arm": run.place.as_ref().map(|place| place.arm.word()),
        "block": run.place.as_ref().map(|place| place.block),
        "outcome": run.outcome.word(),
        "measures": all(&run.measures, measure),
        "metrics": values,
        "unmeasured": run.unmeasured.iter().map(unmeasured).collect::<Vec<_>>(),
        "usage": run.usage().as_ref().map(usage),
        "confounders": texts(&[&run.unlike_original[..], &run.confounders[..]].concat()),
        "unfinished": run.unfinished,
    })
}

fn work(work: &Work) -> Value {
    json!({
        "seq": work.seq,
        "template": work.template.as_ref().map(text),
        "status": work.status.word(),
        "verdict": work.verdict.word(),
        "duration_s": work.duration_s,
        "begun_at": time(work.begun_at),
        "summary": work.summary.as_ref().map(text),
        "mutation": work.mutation.as_ref().map(text),
        "model": work.model.as_ref().map(text),
        "new": work.new,
        "dispatch": work.dispatch.as_deref().map(path),
        "output": work.output.as_deref().map(path),
        "output_chars": work.output_chars,
        "usage": work.usage.as_ref().map(usage),
    })
}

/// A figure: a number, or the word of an outcome.
fn figure(value: MetricValue) -> Value {
    match value {
        MetricValue::Count(n) | MetricValue::Seconds(n) | MetricValue::Number(n) => number(n),
        MetricValue::Outcome(outcome) => outcome.word().into(),
    }
}

/// A whole number is written without a fraction.
#[expect(
    clippy::cast_possible_truncation,
    reason = "only whole numbers that a double holds exactly come this far"
)]
fn number(number: f64) -> Value {
    if number.fract() == 0.0 && number.abs() < 9e15 {
        json!(number as i64)
    } else {
        json!(number)
    }
}

fn metric(metric: &Metric) -> Value {
    let unit = metric.a.or(metric.b).map(|value| match value {
        MetricValue::Count(_) => "count",
        MetricValue::Seconds(_) => "seconds",
        MetricValue::Number(_) => "number",
        MetricValue::Outcome(_) => "outcome",
    });
    json!({
        "name": metric.name,
        "from_resume_point": metric.from_resume_point,
        "unit": unit,
        "a": metric.a.map(figure),
        "b": metric.b.map(figure),
        "delta": metric.delta.map(figure),
    })
}

/// A pair: the work in each run of either side, in the order of their runs.
fn pair(pair: &Pair) -> Value {
    let works = |works: &[Option<Work>]| -> Vec<Option<Value>> {
        works.iter().map(|one| one.as_ref().map(work)).collect()
    };
    json!({
        "key": pair.key,
        "role": text(&pair.role),
        "phase": text(&pair.phase),
        "bucket": pair.bucket.map(Bucket::word),
        "differs": pair.differs,
        "review": pair.review,
        "verdict_changed": pair.verdict_changed,
        "a": works(&pair.a),
        "b": works(&pair.b),
    })
}

fn artifacts(artifacts: &Artifacts) -> Value {
    let file = |file: &Artifact| {
        let object = json!({
            "path": text(&file.path),
            "change": file.change.word(),
            "from": file.from.as_ref().map(text),
            "forms": forms(file.forms),
            "insertions": file.insertions,
            "deletions": file.deletions,
        });
        with(object, "path_b64", bytes_b64(file.path.as_bytes()))
    };
    json!({
        "files_changed": artifacts.files.len(),
        "insertions": artifacts.insertions,
        "deletions": artifacts.deletions,
        "between": text(&artifacts.between),
        "unmeasured": artifacts.unmeasured,
        "files": all(&artifacts.files, file),
    })
}

fn statistics(statistics: &Statistics) -> Value {
    let arm = |at: usize| {
        let passed = statistics.passed.and_then(|both| both.get(at).copied());
        json!({
            "passed": passed.map(|(passed, _)| passed),
            "of": passed.map(|(_, of)| of),
            "missing": statistics.missing.get(at),
        })
    };
    let tally = statistics.tally;
    json!({
        "metric": statistics.metric,
        "blocks": all(&statistics.blocks, block),
        "better": tally.wins,
        "worse": tally.losses,
        "same": tally.ties,
        "evidence": statistics.evidence,
        "enough": statistics.enough,
        "decided_at": statistics.decided_at.map(|at| {
            json!({ "blocks": at.blocks(), "better": at.wins, "worse": at.losses, "same": at.ties })
        }),
        "equal_at": statistics.equal_at,
        "control": arm(0),
        "mutated": arm(1),
        "difference": statistics.numbers.map(|numbers| {
            json!({
                "median": numbers.median,
                "range": [numbers.range.0, numbers.range.1],
                "blocks": numbers.blocks,
            })
        }),
        "interval": statistics.interval.map(|(low, high)| [low, high]),
        "can_show_percent": statistics.can_show.flatten(),
        "planned_blocks": statistics.planned,
        "earlier_experiments": statistics.earlier,
        "left_out_experiments": statistics.left_out,
        "unreachable": statistics.unreachable,
    })
}

/// The outcome of a run.
fn value(value: RunValue) -> Value {
    match value {
        RunValue::Pass => json!("pass"),
        RunValue::Fail => json!("fail"),
        RunValue::Number(value) => number(value),
        RunValue::Missing => Value::Null,
    }
}

fn block(block: &Block) -> Value {
    json!({
        "experiment": block.experiment.0,
        "block": block.number,
        "control": value(block.control),
        "mutated": value(block.mutated),
        "result": block.sign.map(|sign| match sign {
            Sign::Win => "better",
            Sign::Loss => "worse",
            Sign::Tie => "same",
        }),
    })
}

/// `compare --list`.
pub(crate) fn operands(operands: &[Operand]) -> Value {
    let operand = |one: &Operand| json!({ "name": one.name, "title": text(&one.title) });
    json!({ "schema": SCHEMA, "operands": all(operands, operand) })
}

/// Tokens and money.
pub(super) fn usage(usage: &Usage) -> Value {
    json!({
        "input_tokens": usage.input,
        "output_tokens": usage.output,
        "cost_usd": usage.cost_usd,
    })
}

pub(super) fn swap(swap: &TemplateSwap) -> Value {
    let object = json!({
        "original": text(&swap.mutation.original),
        "replacement": path(&swap.mutation.replacement),
        "template_from": text(&swap.template_from),
        "dispatches": swap.dispatches,
    });
    with(object, "path_b64", path_b64(&swap.mutation.replacement))
}
