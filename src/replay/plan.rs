//! From the facts of a pipeline and the request to the plan of a replay. Validates everything; writes nothing.
//!
//! Nothing but the swapped templates differs from the original: a dispatch that no mutation applies to is sent again
//! byte for byte, and one that a mutation applies to keeps its header and all injected context.

mod compose;
mod conditions;
mod confounders;
mod digest;
mod handoff;
pub(super) mod header;
mod merge;
mod mutation;
mod notes;
mod parallel_waves;
mod resolved_conflicts;
mod starts;
mod templates;
#[cfg(test)]
mod tests;

use crate::foreign;
use crate::model::{
    Dispatch, EngineError, Experiment, Fingerprint, Foreign, Isolation, PipelineId, ReplayAsk,
    ReplayPart, ReplayPlan, ReplayStep, Result, Runner, StepBody, TemplateSwap, unswapped,
    unswapped_steps,
};
use crate::replay::isolation::paths::folders;
use crate::replay::isolation::{self, sandbox};
use crate::text::format::list_first;
use crate::text::{Shown as _, distinct};
use crate::world::World;

pub use conditions::conditions;
pub use digest::question;
pub use notes::continue_evidence;

use compose::Composed;
use confounders::Seen;
use mutation::Loaded;
use templates::{Library, Text};

/// The plan of a replay. `runner` is the chosen one, if any. The error is `Usage` for words that do not fit, `Refused`
/// where the disk does not allow it.
pub fn plan(
    pipeline: &PipelineId,
    experiment: Experiment,
    ask: &ReplayAsk,
    runner: Option<Runner>,
    world: &dyn World,
) -> Result<ReplayPlan> {
    numbers(ask)?;
    let loaded = mutation::load(&ask.mutations, world)?;
    let mut library = Library::open(ask, &experiment, world)?;
    let affected = if loaded.is_empty() && library.is_pinned() {
        first_pinned(&experiment, &mut library, world)?
    } else {
        affected(&experiment, &loaded)?
    };
    let (start, begin, fell_back) = starts::choose(&experiment, &ask.from, affected, world)
        .map_err(|refused| refused.about(ReplayPart::From))?;
    let (again, skipped) = starts::redo(&experiment, begin);
    if again.is_empty() {
        let text = format!("There is no dispatch after {}.", begin.point);
        return Err(EngineError::refused(text));
    }
    let mut made = steps(&again, &loaded, &mut library, &experiment, world)?;
    let bodies = made.steps.iter_mut();
    let mut bodies: Vec<_> = bodies.map(|s| (s.original.seq, &mut s.body)).collect();
    made.seen.lost = resolved_conflicts::resolve(&mut bodies, &ask.resolutions)?;
    only_swapped(&mut made.steps);
    let mutations = swaps(loaded, &mut made, &mut library);
    let mut notes = std::mem::take(&mut made.notes);
    notes.splice(0..0, fell_back);
    notes.extend(notes::without_effect(
        &mutations,
        &made.steps,
        &experiment,
        begin,
    )?);
    something_differs(ask, &made)?;
    notes.extend(notes::others(&experiment, begin, skipped, ask, &mutations));
    made.seen.ground(&experiment, begin, world);
    let isolation = isolation(ask, &experiment, runner.is_some(), &made.steps, world)?;
    let kept = isolation.kept_paths(&ask.isolation);
    let mut unlike_original = confounders::confounders(ask, runner.as_ref(), &again, &made.seen);
    let confounders = if ask.repeat > 1 && ask.arms().len() == 2 {
        notes.splice(0..0, unlike_original.iter().cloned());
        let same = unswapped_steps(ask, &made.steps);
        kept.clone().into_iter().chain(unswapped(same)).collect()
    } else {
        unlike_original.iter().chain(&kept).cloned().collect()
    };
    unlike_original.extend(kept);
    let handoff = runner.is_none().then(|| handoff::handoff(&made.steps));
    let mut plan = ReplayPlan {
        fingerprint: Fingerprint(String::new()),
        pipeline: pipeline.clone(),
        ask: ask.clone(),
        start,
        commit: made.seen.commit,
        steps: made.steps,
        mutations,
        confounders,
        unlike_original,
        notes,
        runner,
        handoff,
        isolation,
        cost: crate::model::ReplayCost::default(),
        offered: crate::model::Offered::default(),
        earlier: None,
        experiment,
    };
    plan.fingerprint = digest::fingerprint(&plan);
    Ok(plan)
}

/// How the runs are kept apart from the original.
fn isolation(
    ask: &ReplayAsk,
    experiment: &Experiment,
    has_runner: bool,
    steps: &[ReplayStep],
    world: &dyn World,
) -> Result<Isolation> {
    let sandbox = sandbox::choose(ask, has_runner, world).map_err(|why| {
        EngineError::refused(why).hint("Install bubblewrap, or leave --sandbox bwrap out.")
    })?;
    let (named, mut rewritten) = if ask.in_place {
        Default::default()
    } else {
        let home = world.places().home.as_deref();
        isolation::named(folders(experiment), home, steps)
    };
    if ask.isolation.keep_paths {
        rewritten.clear();
    }
    Ok(Isolation {
        sandbox,
        named,
        rewritten,
    })
}

/// The steps, and the findings from composing them.
#[derive(Default)]
struct Made {
    steps: Vec<ReplayStep>,
    /// Of each step the text of the template that it was merged against.
    bases: Vec<Option<Text>>,
    notes: Vec<Foreign>,
    seen: Seen,
}

fn steps(
    again: &[&Dispatch],
    loaded: &[Loaded],
    library: &mut Library<'_>,
    experiment: &Experiment,
    world: &dyn World,
) -> Result<Made> {
    let mut made = Made::default();
    for (dispatch, wave) in again.iter().zip(parallel_waves::waves(again)) {
        let mutation = mutation::of(loaded, dispatch)?;
        let swap = mutation.and_then(|at| loaded.get(at));
        let composed = compose::compose(dispatch, swap, library, experiment, world)?;
        // Where all templates are swapped for a pinned commit's, the control is sent the original's text.
        let control = if loaded.is_empty() && library.is_pinned() {
            compose::read(dispatch, world)?
        } else if swap.is_some() {
            compose::without_swap(dispatch, library, experiment, world)?
        } else {
            None
        };
        remember(&composed, dispatch, swap, &mut made.seen);
        made.notes.extend(composed.note);
        made.bases.push(composed.base);
        made.steps.push(ReplayStep {
            original: (*dispatch).clone(),
            wave,
            mutation,
            control,
            body: composed.body,
        });
    }
    Ok(made)
}

/// Refuses options that do not fit together.
fn numbers(ask: &ReplayAsk) -> Result<()> {
    if ask.jobs == 0 || ask.repeat == 0 {
        return Err(EngineError::usage(
            "At least one job and one run are needed.",
        ));
    }
    if ask.in_place && ask.repeat > 1 {
        return Err(EngineError::usage(
            "A replay in place runs only once: a second run would start where the first ended.",
        )
        .hint("Omit --in-place; each run then has its own tree."));
    }
    Ok(())
}

/// The first dispatch that would differ from the original. Refused if there are mutations and none has an effect.
fn affected(experiment: &Experiment, loaded: &[Loaded]) -> Result<Option<u64>> {
    let run = starts::run(experiment).filter(|one| !starts::is_skipped(one));
    let applies = |one: &&Dispatch| {
        let mut mutations = loaded.iter();
        mutations.any(|swap| mutation::matches(&swap.mutation, one))
    };
    let first = run.filter(applies).map(|one| one.seq).min();
    let (None, [swap, ..]) = (first, loaded) else {
        return Ok(first);
    };
    let names = loaded.iter().map(|swap| swap.mutation.original.lossy());
    let text = format!(
        "The mutation has no effect: no dispatch of the run was made from {}.",
        names.collect::<Vec<_>>().join(" or ")
    );
    Err(EngineError::usage(text)
        .hint(made_from(experiment))
        .about(ReplayPart::Mutation(swap.mutation.original.clone())))
}

/// The first dispatch that the pinned templates change; the first of all if they change none.
fn first_pinned(
    experiment: &Experiment,
    library: &mut Library<'_>,
    world: &dyn World,
) -> Result<Option<u64>> {
    let run = starts::run(experiment).filter(|one| !starts::is_skipped(one));
    let mut run: Vec<&Dispatch> = run.collect();
    run.sort_by_key(|one| one.seq);
    for one in &run {
        let sent = compose::read(one, world)?;
        let pinned = compose::compose(one, None, library, experiment, world)?.body;
        if !matches!((sent, pinned), (Some(sent), StepBody::Ready(text)) if sent == text) {
            return Ok(Some(one.seq));
        }
    }
    Ok(run.first().map(|one| one.seq))
}

/// The templates that dispatches were made from.
fn made_from(experiment: &Experiment) -> String {
    let names = starts::run(experiment).map(|one| format!("{}.md", one.template.shown()));
    let names = list_first(distinct(names), 8);
    format!("Its dispatches were made from {names}.")
}

/// Records the findings from composing a dispatch.
fn remember(composed: &Composed, dispatch: &Dispatch, swap: Option<&Loaded>, seen: &mut Seen) {
    if composed.regenerated {
        seen.regenerated.push(dispatch.seq);
    }
    let [prompt, _] = mutation::file_names(&dispatch.template);
    let name = swap.map_or_else(|| prompt.into(), |one| one.mutation.original.clone());
    if composed.newer && !seen.newer.contains(&name) {
        seen.newer.push(name);
    }
    seen.uncommitted |= swap.is_some() && composed.base.as_ref().is_none_or(|text| !text.committed);
}

/// Leaves the text of the control arm only where it is another one. A conflict may have been resolved in favor of the
/// original.
fn only_swapped(steps: &mut [ReplayStep]) {
    for step in steps {
        let same =
            |control: &Vec<u8>| matches!(&step.body, StepBody::Ready(body) if body == control);
        if step.control.as_ref().is_some_and(same) {
            step.control = None;
        }
    }
}

/// The mutations as they were found; where there is none, what the pinned commit changes.
fn swaps(mut loaded: Vec<Loaded>, made: &mut Made, library: &mut Library<'_>) -> Vec<TemplateSwap> {
    if loaded.is_empty() {
        loaded = mutation::of_pin(&mut made.steps, library);
    }
    let swap = |(at, one): (usize, Loaded)| {
        let steps = made.steps.iter().zip(&made.bases);
        let of_it = steps.filter(|(step, _)| step.mutation == Some(at));
        let base = of_it.clone().find_map(|(_, base)| base.as_ref());
        TemplateSwap {
            mutation: one.mutation,
            template_from: base.map_or_else(|| nowhere(library), |text| text.from.clone()),
            template: base.map(|text| text.bytes.clone()),
            replacement: one.text,
            dispatches: of_it.filter(|(step, _)| step.is_swapped()).count(),
        }
    };
    loaded.into_iter().enumerate().map(swap).collect()
}

/// Refuses an experiment whose arms would be sent the same texts: it could only end confounded.
fn something_differs(ask: &ReplayAsk, made: &Made) -> Result<()> {
    // What was sent in place of a missing file is unknown, so it may differ.
    if ask.arms().len() < 2
        || made.steps.iter().any(ReplayStep::is_swapped)
        || !made.seen.regenerated.is_empty()
    {
        return Ok(());
    }
    let text =
        "No template would be replaced: both arms would be sent the same text in every dispatch.";
    Err(EngineError::usage(text).hint(
        "Name a replacement or a commit whose text differs; without --mutate and --template-ref only the control runs.",
    ))
}

fn nowhere(library: &Library<'_>) -> Foreign {
    let mut folders = library.folders();
    match (folders.next(), folders.next()) {
        (None, _) => "not found: no template directory is known".into(),
        (Some(one), None) => foreign!("not found: no version in {} matches", one),
        (Some(_), Some(_)) => "not found: no version of the installed plugin matches".into(),
    }
}
