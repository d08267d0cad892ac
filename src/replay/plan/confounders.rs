//! The confounders of a comparison between a replay and its original, as sentences, worst first.

use std::collections::BTreeSet;

use super::starts;
use crate::foreign;
use crate::model::{
    Dispatch, Experiment, Foreign, ReplayAsk, ReplayStart, Runner, STUB_SAYS_NOTHING, short_id,
};
use crate::replay::runner::{self, takes_model};
use crate::text::Shown as _;
use crate::text::format::list_first;
use crate::world::World;

/// Things that a sentence names; the rest are counted.
const NAMED: usize = 5;

/// The findings from composing the plan.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Seen {
    /// Dispatches whose files were written again.
    pub(super) regenerated: Vec<u64>,
    /// Dispatches that lose injected context by the resolution of their conflicts.
    pub(super) lost: Vec<u64>,
    /// Templates that were changed after the run, by their files' names.
    pub(super) newer: Vec<Foreign>,
    /// Whether the base of a swapped template is in no commit, so that it cannot be reproduced later.
    pub(super) uncommitted: bool,
    /// The commit of the project at the start.
    pub(super) commit: Option<String>,
    /// The commit at which the project is now.
    pub(super) head: Option<String>,
    /// Whether the project has a work tree that is known.
    pub(super) project: bool,
}

impl Seen {
    /// Adds the commit of the project at the start, and now.
    pub(super) fn ground(
        &mut self,
        experiment: &Experiment,
        begin: &ReplayStart,
        world: &dyn World,
    ) {
        self.commit = starts::commit(experiment, begin, world);
        self.project = experiment.work_tree.is_some();
        let tree = experiment.work_tree.as_deref();
        self.head = tree.and_then(|tree| world.git().repo(tree).ok()?.head);
    }
}

/// The confounders of a plan whose steps re-execute `dispatches`.
pub(super) fn confounders(
    ask: &ReplayAsk,
    runner: Option<&Runner>,
    dispatches: &[&Dispatch],
    seen: &Seen,
) -> Vec<Foreign> {
    let mut all: Vec<Foreign> = Vec::new();
    if runner.is_some_and(Runner::is_stub) {
        all.push(STUB_SAYS_NOTHING.into());
    }
    all.extend(regenerated(&seen.regenerated));
    all.extend(lost(&seen.lost));
    all.extend(model(runner, dispatches));
    all.extend(seen.newer.iter().map(|name| {
        foreign!(
            "Template {} was modified after the original pipeline run. A/B comparison may be confounded by template changes unrelated to the mutation.",
            name
        )
    }));
    all.extend(head(ask, seen));
    if ask.template_ref.is_none() && !ask.mutations.is_empty() && seen.uncommitted {
        all.push("The templates are not pinned to a commit (--template-ref), and the text used as the original's is uncommitted: it may have changed since the run.".into());
    }
    all
}

fn regenerated(seqs: &[u64]) -> Option<Foreign> {
    let text = match seqs {
        [] => return None,
        [one] => format!(
            "The file of dispatch {one} is missing; it is written again from its template, without its injected context."
        ),
        many => format!(
            "The files of {} dispatches ({}) are missing; they are written again from their templates, without their injected context.",
            many.len(),
            list_first(many, NAMED)
        ),
    };
    Some(text.into())
}

fn lost(seqs: &[u64]) -> Option<Foreign> {
    let text = match seqs {
        [] => return None,
        [one] => format!(
            "Dispatch {one} loses injected context because of how its conflict was resolved."
        ),
        many => format!(
            "{} dispatches ({}) lose injected context because of how their conflicts were resolved.",
            many.len(),
            list_first(many, NAMED)
        ),
    };
    Some(text.into())
}

/// What is known of the model of the original and of the replay.
fn model(runner: Option<&Runner>, dispatches: &[&Dispatch]) -> Option<Foreign> {
    let models = dispatches.iter();
    let models = models.filter_map(|one| one.model.as_ref().or(one.model_tier.as_ref()));
    let recorded: BTreeSet<String> = models.map(|model| model.lossy().into_owned()).collect();
    let ran = if recorded.is_empty() {
        "The manifest does not say which model ran the original".to_owned()
    } else {
        format!("The original ran on {}", list_first(&recorded, NAMED))
    };
    let text = match runner {
        Some(runner) if runner.is_stub() => return None,
        None => format!("{ran}; who runs the dispatches now, and on which model, is unknown."),
        // Each tier has its own model, so several models are no confounder.
        Some(runner) if takes_model(runner) && !recorded.is_empty() => {
            let other = |tier: &&String| !same_model(tier, runner::model(runner, tier));
            let of_tier = |tier: &String| format!("{} for {tier}", runner::model(runner, tier));
            let mapped: Vec<String> = recorded.iter().filter(other).map(of_tier).collect();
            if mapped.is_empty() {
                return None;
            }
            format!("{ran}; the replay runs on {}.", list_first(mapped, NAMED))
        }
        Some(runner) => match asked_model(runner) {
            Some(asked)
                if !recorded.is_empty() && recorded.iter().all(|one| same_model(one, &asked)) =>
            {
                return None;
            }
            Some(asked) => format!("{ran}; the replay runs on {asked}."),
            None => format!(
                "{ran}; which model {} uses now is unknown.",
                runner.name.shown()
            ),
        },
    };
    Some(text.into())
}

/// The model that a runner's words name: `--model X`, `--model=X` or `-m X`.
fn asked_model(runner: &Runner) -> Option<String> {
    let words = || runner.argv.iter().map(|word| word.to_string_lossy());
    let after = words().zip(words().skip(1));
    let apart = after.filter(|(word, _)| matches!(word.as_ref(), "--model" | "-m"));
    let apart = apart.map(|(_, model)| model.into_owned());
    let joined = words().filter_map(|word| word.strip_prefix("--model=").map(str::to_owned));
    apart.chain(joined).last()
}

/// Whether a recorded model or tier and an asked one are the same: `opus` is also `claude-opus-4-5`.
fn same_model(recorded: &str, asked: &str) -> bool {
    let (recorded, asked) = (recorded.to_lowercase(), asked.to_lowercase());
    let within = |a: &str, b: &str| {
        a.split(|c: char| !c.is_alphanumeric())
            .any(|word| word == b)
    };
    recorded == asked || within(&asked, &recorded) || within(&recorded, &asked)
}

/// The current commit of the project, if it matters: in place, or if the commit of the original is unknown.
fn head(ask: &ReplayAsk, seen: &Seen) -> Option<Foreign> {
    let text = match (&seen.commit, &seen.head) {
        (Some(then), Some(now)) if ask.in_place && then != now => format!(
            "HEAD of the project was at {} then and is at {} now; a replay in place does not change commits.",
            short_id(then),
            short_id(now)
        ),
        (None, _) if seen.project => "The project's commit at that time is unknown; the files are the checkpoint's, and git in the replay's tree has no history of them.".to_owned(),
        _ => return None,
    };
    Some(text.into())
}
