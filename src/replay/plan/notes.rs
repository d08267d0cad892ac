//! What else a person should know of a plan, a sentence each.

use std::fmt::Write as _;

use super::{mutation, starts};
use crate::foreign;
use crate::model::{
    Checkpoint, CheckpointKind, Dispatch, EngineError, Experiment, Foreign, OwnMetric, ReplayAsk,
    ReplayPlan, ReplayStart, ReplayStep, Result, TemplateSwap, short_id,
};
use crate::replay::verdict::{blocks_for, needed, rate_to_show, share_to_show};
use crate::text::format::{count, count_of, plural};

/// The mutations that apply to nothing that is run again: a note each. Refused where none has an effect.
pub(super) fn without_effect(
    mutations: &[TemplateSwap],
    steps: &[ReplayStep],
    experiment: &Experiment,
    begin: &ReplayStart,
) -> Result<Vec<Foreign>> {
    let applies = |at: usize| steps.iter().any(|step| step.mutation == Some(at));
    let idle = || {
        let all = mutations.iter().enumerate();
        all.filter(|(at, _)| !applies(*at)).map(|(_, swap)| swap)
    };
    let sentence = |swap: &TemplateSwap| {
        let name = swap.mutation.original.lossy();
        let made = |one: &&Dispatch| mutation::matches(&swap.mutation, one);
        let last = starts::run(experiment).filter(made).map(|one| one.seq);
        match last.max() {
            None => format!(
                "The mutation of {name} has no effect: no dispatch of the run was made from it."
            ),
            Some(seq) => format!(
                "The mutation of {name} has no effect: dispatch {seq}, the last one made from it, is not run again from {}.",
                begin.point
            ),
        }
    };
    if !mutations.is_empty() && idle().count() == mutations.len() {
        let text = idle().map(sentence).collect::<Vec<_>>().join(" ");
        let hint =
            "Leave --from-phase and --from-seq out to begin where the mutation takes effect.";
        return Err(EngineError::usage(text).hint(hint));
    }
    Ok(idle().map(|swap| sentence(swap).into()).collect())
}

/// What else a person should know.
pub(super) fn others(
    experiment: &Experiment,
    begin: &ReplayStart,
    skipped: usize,
    ask: &ReplayAsk,
    mutations: &[TemplateSwap],
) -> Vec<Foreign> {
    let mut notes: Vec<Foreign> = Vec::new();
    if ask.repeat > 1 && ask.arms().len() == 2 {
        let limits = "An isolated replay sends the original's dispatches again: their number and the gate rounds cannot \
                            change, and later dispatches carry context from the original's outputs.";
        notes.extend([can_show(ask, 0), limits.into()]);
    }
    let unpinned = ask.template_ref.is_none();
    if mutations.is_empty() && unpinned {
        let text =
            "No template is replaced: every difference comes from chance or from the runner.";
        notes.push(text.into());
    }
    let known = mutations.iter().find(|swap| swap.template.is_some());
    notes.extend(known.filter(|_| unpinned).map(|swap| {
        foreign!(
            "The templates are not pinned to a commit (--template-ref); the original's text was taken from {}.",
            &swap.template_from
        )
    }));
    let left_out = [
        (
            skipped,
            "dispatch was deliberately not run in the original and is left out",
            "dispatches were deliberately not run in the original and are left out",
        ),
        (
            experiment.dispatches.len() - starts::run(experiment).count(),
            "dispatch of an earlier replay in the manifest is left out",
            "dispatches of earlier replays in the manifest are left out",
        ),
    ];
    let left_out = left_out.into_iter().filter(|(number, ..)| *number > 0);
    notes.extend(
        left_out.map(|(number, one, many)| format!("{}.", count_of(number, one, many)).into()),
    );
    if !ask.in_place {
        notes.extend(begin.checkpoint.as_ref().and_then(not_covered));
    }
    notes
}

/// What the replay's own tree does not have of the project.
fn not_covered(checkpoint: &Checkpoint) -> Option<Foreign> {
    match &checkpoint.kind {
        CheckpointKind::Shadow { .. } => Some(foreign!(
            "The replay's tree has the files of the checkpoint {}: what the project ignores is not in it, nor are nested repositories and linked worktrees.",
            &checkpoint.reason
        )),
        CheckpointKind::Commit { .. } => Some(foreign!(
            "The replay's tree has the files of the commit {}: what was not committed then is not in it.",
            short_id(&checkpoint.id)
        )),
        CheckpointKind::File { .. }
        | CheckpointKind::Folder { .. }
        | CheckpointKind::Record { .. } => None,
    }
}

/// Says of a plan what its experiment begins with: a verdict, blocks that count, runs that are missing.
pub fn continue_evidence(plan: &mut ReplayPlan) {
    let Some(earlier) = plan.earlier.clone() else {
        return;
    };
    let alone = can_show(&plan.ask, 0);
    let Some(place) = plan.notes.iter().position(|note| *note == alone) else {
        return;
    };
    let experiments = count(earlier.experiments, "earlier experiment");
    let mut notes: Vec<Foreign> = Vec::new();
    if earlier.blocks > 0 {
        let counted = format!(
            "{} of {experiments} of the same question {} counted too (--fresh leaves them out), so the verdict is on up to {}.",
            count(earlier.blocks, "block"),
            plural(earlier.blocks, "is", "are"),
            count(earlier.blocks + plan.ask.repeat, "block"),
        );
        notes.push(counted.into());
    }
    if earlier.missing > 0 {
        let missing = format!(
            "{} of {experiments} of the same question {} missing: a verdict must hold whatever {} outcome would have been (--fresh leaves them out).",
            count(earlier.missing, "run"),
            plural(earlier.missing, "is", "are"),
            plural(earlier.missing, "its", "their"),
        );
        notes.push(missing.into());
    }
    if !earlier.is_decided {
        notes.push(can_show(&plan.ask, earlier.blocks));
    }
    plan.notes.splice(place..=place, notes);
    if earlier.is_decided {
        let what = if plan.ask.all {
            "the blocks are run anyway (--all)"
        } else {
            "nothing would be run (--fresh collects new evidence, --all runs the blocks anyway)"
        };
        let text = format!("This question already has a verdict: {what}.");
        plan.notes.insert(0, text.into());
    }
    plan.confounders
        .extend(earlier.confounders.iter().map(|one| {
            let one = one.lossy();
            format!(
                "{one} This is counted, because the question is the same; --fresh leaves it out."
            )
            .into()
        }));
}

/// What the blocks can show, with so many of earlier experiments.
fn can_show(ask: &ReplayAsk, before: usize) -> Foreign {
    let small = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let primaries = OwnMetric::primaries(&ask.metrics).len();
    let (blocks, enough) = (small(before + ask.repeat), needed(small(primaries)));
    let rate = |control: u32| {
        let rate = rate_to_show(f64::from(control) / 100.0, blocks, enough)?;
        Some(format!("{rate} % against {control} %"))
    };
    let rates: Vec<String> = [0, 10, 20, 30, 50].into_iter().filter_map(rate).collect();
    let (fewest, usual) = blocks_for(enough);
    if blocks < fewest || rates.is_empty() {
        let blocks = count(blocks, "block");
        return format!(
            "{blocks} cannot reach a verdict: {fewest} or more are needed, and {usual} are usual."
        )
        .into();
    }
    let mut text = format!(
        "With {} there is an 80 % chance of the verdict \"better\" at these pass rates of mutated arm and control: {}.",
        count(blocks, "block"),
        rates.join(", ")
    );
    if let Some(share) = share_to_show(blocks, enough).filter(|_| primaries > 0) {
        let _ = write!(
            text,
            " With a numeric metric, the mutated arm must be better in {share} % of the blocks."
        );
    }
    text.into()
}
