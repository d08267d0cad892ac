//! The fingerprint of a replay's plan: everything it was made from, and never a clock.

use std::os::unix::ffi::OsStrExt as _;

use super::conditions::conditions;
use crate::model::{
    Fingerprint, Merge, MergePiece, OwnMetric, ReplayPlan, Resolved, RunnerAsk, StepBody,
};
use crate::recover::fingerprint::Digest;

/// Digests a plan; its own fingerprint does not count.
pub(super) fn fingerprint(plan: &ReplayPlan) -> Fingerprint {
    let mut digest = Digest::default();
    digest
        .field(b"relight replay plan 1")
        .field(plan.pipeline.0.as_bytes())
        .field(plan.experiment.manifest.as_os_str().as_bytes());
    ask(&mut digest, plan);
    let begin = plan.begin();
    let checkpoint = begin.and_then(|start| start.checkpoint.as_ref());
    digest
        .field(begin.map_or(b"", |start| start.point.0.as_bytes()))
        .field(checkpoint.map_or(b"", |one| one.id.as_bytes()))
        .field(plan.commit.as_deref().unwrap_or_default().as_bytes())
        .number(plan.mutations.len());
    for swap in &plan.mutations {
        digest
            .field(swap.mutation.original.as_bytes())
            .field(swap.mutation.replacement.as_os_str().as_bytes())
            .field(swap.template.as_deref().unwrap_or_default())
            .field(&swap.replacement);
    }
    digest.number(plan.steps.len());
    for step in &plan.steps {
        digest
            .field(&step.original.seq.to_le_bytes())
            .field(step.original.file.as_bytes())
            .number(step.wave)
            .number(step.mutation.map_or(0, |at| at + 1));
        match &step.body {
            StepBody::Ready(text) => digest.field(b"ready").field(text),
            StepBody::Conflict(merge) => merged(&mut digest, merge),
        };
    }
    Fingerprint(digest.hex())
}

/// Digests what an experiment asks: what is sent in both arms, from which boundary, under which conditions, and what is
/// measured. Experiments of the same question continue each other's evidence, so every condition that would confound
/// them belongs to the question.
pub fn question(plan: &ReplayPlan) -> String {
    let mut digest = Digest::default();
    digest
        .field(b"relight question 2")
        .field(plan.pipeline.0.as_bytes())
        .field(plan.commit.as_deref().unwrap_or_default().as_bytes());
    if let Some(start) = plan.begin() {
        digest.field(start.point.0.as_bytes());
        let checkpoint = start.checkpoint.as_ref();
        digest.field(checkpoint.map_or(b"", |one| one.id.as_bytes()));
    }
    for step in &plan.steps {
        digest.field(&step.original.seq.to_le_bytes());
        if let StepBody::Ready(text) = &step.body {
            digest.field(text);
        }
        digest.field(step.control.as_deref().unwrap_or_default());
    }
    // A condition joins the runner's words with spaces.
    limits(&mut digest, plan);
    let conditions = conditions(plan);
    for (name, value) in &conditions.settings {
        digest.field(name.as_bytes()).field(value.as_bytes());
    }
    let kept = conditions.kept_paths.unwrap_or_default();
    digest.field(kept.as_bytes());
    for metric in OwnMetric::primaries(&plan.ask.metrics) {
        digest.field(metric.name.as_bytes());
        digest.field(&[u8::from(metric.lower_is_better)]);
        metric.command.iter().for_each(|word| {
            digest.field(word.as_bytes());
        });
    }
    digest.hex()
}

/// The runner and its limits.
fn limits(digest: &mut Digest, plan: &ReplayPlan) {
    if let Some(runner) = &plan.runner {
        digest
            .field(&runner.timeout_s.to_le_bytes())
            .field(&runner.retries.to_le_bytes())
            .number(runner.argv.len());
        for word in &runner.argv {
            digest.field(word.as_bytes());
        }
    }
}

fn ask(digest: &mut Digest, plan: &ReplayPlan) {
    let ask = &plan.ask;
    digest
        .field(ask.template_ref.as_deref().unwrap_or_default().as_bytes())
        .number(ask.jobs)
        .number(ask.repeat)
        .field(&[u8::from(ask.in_place)])
        .field(match &ask.runner {
            RunnerAsk::Nobody => b"nobody",
            RunnerAsk::Configured | RunnerAsk::Preset(_) | RunnerAsk::Words(_) => b"runner",
        });
    limits(digest, plan);
    digest.number(ask.resolutions.len());
    for one in &ask.resolutions {
        digest.field(&one.seq.unwrap_or(0).to_le_bytes());
        match &one.how {
            Resolved::Replacement => digest.field(b"replacement"),
            Resolved::Original => digest.field(b"original"),
            Resolved::Edited(text) => digest.field(b"edited").field(text),
        };
    }
}

fn merged<'a>(digest: &'a mut Digest, merge: &Merge) -> &'a mut Digest {
    digest.field(b"conflict").number(merge.pieces.len());
    for piece in &merge.pieces {
        match piece {
            MergePiece::Resolved(text) => digest.field(b"settled").field(text),
            MergePiece::Conflict {
                template,
                dispatch,
                replacement,
            } => digest.field(template).field(dispatch).field(replacement),
        };
    }
    digest
}
