//! The named conditions of a replay. Two arms must not differ in them, and experiments that do ask different questions.

use std::os::unix::ffi::OsStrExt as _;

use sha2::{Digest as _, Sha256};

use crate::model::{Foreign, ReplayPlan, RunConditions, Runner, TemplateSwap, short_id};
use crate::text::format::{count, duration};

/// The conditions of a plan.
pub fn conditions(plan: &ReplayPlan) -> RunConditions {
    let none = || Foreign::from("none");
    // A command line without words is none.
    let words = |words: &[std::ffi::OsString]| {
        let bytes: Vec<&[u8]> = words.iter().map(|word| word.as_bytes()).collect();
        if words.is_empty() {
            none()
        } else {
            bytes.join(&b' ').into()
        }
    };
    let runner = plan.runner.as_ref();
    let mut settings = vec![("runner", runner.map_or_else(none, |one| words(&one.argv)))];
    if let Some(runner) = runner {
        let models = runner
            .models
            .iter()
            .map(|(tier, model)| format!("{tier}: {model}"));
        let models = models.collect::<Vec<_>>().join(", ");
        if !models.is_empty() {
            settings.push(("model mapping", models.into()));
        }
        let limits = format!(
            "{}, {}",
            duration(runner.timeout_s),
            count(runner.retries, "retry")
        );
        settings.push(("limits", limits.into()));
    }
    settings.push(("jobs", plan.ask.jobs.to_string().into()));
    settings.push(("setup", words(&plan.ask.isolation.setup)));
    if let Some(start) = plan.begin() {
        let checkpoint = start.checkpoint.as_ref();
        let id = checkpoint.map_or_else(none, |one| short_id(&one.id).into());
        settings.push(("checkpoint", id));
    }
    let pin = plan.ask.template_ref.as_deref();
    settings.push(("template pin", pin.map_or_else(none, Foreign::from)));
    settings.push(("sandbox", plan.isolation.sandbox.word().into()));
    let mut swaps: Vec<_> = plan.mutations.iter().map(swapped).collect();
    swaps.sort();
    RunConditions {
        swaps,
        is_stub: runner.is_some_and(Runner::is_stub),
        kept_paths: plan.isolation.kept_paths(&plan.ask.isolation),
        settings,
    }
}

/// What is swapped for what, by hashes. A template of which no text is known goes by its name.
fn swapped(swap: &TemplateSwap) -> (Vec<u8>, Vec<u8>) {
    let name = swap.mutation.original.as_bytes();
    let hash = |text: &[u8]| Sha256::digest(text).to_vec();
    (
        hash(swap.template.as_deref().unwrap_or(name)),
        hash(&swap.replacement),
    )
}
