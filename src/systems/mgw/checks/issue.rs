//! M16 to M18 and M22: retries, the linked pull request, the gates of triage, and what only GitHub knows.

use serde_json::{Map, Value};

use super::Scene;
use crate::formats::json;
use crate::model::Verdict;
use crate::systems::kit::checks::{Made, Outcome, found, or_pass, pass, skipped, warn};
use crate::systems::mgw::shape::{RETRIES, Stage};

/// M16: retries within their limit, a dead letter only if it failed.
pub(super) fn retries(scene: &Scene<'_>) -> Result<Vec<Outcome>, Outcome> {
    let state = scene.state()?;
    let number = &scene.facts.number;
    let count = state.retry_count();
    let stage = state.stage_text().unwrap_or("missing");
    let outside = (!(0..=RETRIES).contains(&count)).then(|| {
        warn(
            format!("{count} retries; the orchestrator makes at most {RETRIES}."),
            format!("Reset them with the point `retry` or /mgw:run {number} --retry."),
        )
    });
    let dead = (state.dead_letter() && state.stage() != Some(Stage::Failed)).then(|| {
        warn(
            format!("It is a dead letter, and its stage is {stage}."),
            format!("Continue with /mgw:run {number} --retry."),
        )
    });
    let all = outside.into_iter().chain(dead).collect();
    let used = format!("{count} of {RETRIES} retries used.");
    Ok(or_pass(all, used))
}

/// M17: a linked pull request only where the stage agrees.
pub(super) fn linked_pr(scene: &Scene<'_>) -> Made {
    let state = scene.state()?;
    let Some(pr) = state.linked_prs().first().copied() else {
        return Ok(pass("No pull request is linked."));
    };
    let stage = state.stage_text().unwrap_or("missing");
    let text = format!("Pull request {pr} is linked, and the stage is {stage}.");
    let agree = matches!(state.stage(), Some(Stage::PrCreated | Stage::Done));
    let verdict = if agree { Verdict::Pass } else { Verdict::Warn };
    let remedy = "Look at the pull request; if it is open or merged, run /mgw:sync.";
    Ok(found(verdict, text, remedy))
}

/// M18: the gates of triage were passed or overridden.
pub(super) fn gates(scene: &Scene<'_>) -> Made {
    let state = scene.state()?;
    let number = &scene.facts.number;
    let gate = json::child(state.map(), "triage").and_then(|t| json::child(t, "gate_result"));
    let status = gate.and_then(|gate| Some((gate, json::text(gate, "status")?)));
    let overridden = !json::list(state.map(), "override_log").is_empty();
    Ok(match status {
        None => {
            let remedy = format!("Triage again with /mgw:issue {number} to have one.");
            skipped("No result of the gates is recorded.").remedy(remedy)
        }
        Some((_, "passed")) => pass("The gates of triage are passed."),
        Some((_, status)) if overridden => pass(format!(
            "The gates say {status}, and an override is recorded."
        )),
        Some((gate, status)) => {
            let named = blockers(gate);
            warn(
                format!("The gates say {status}{named}, and no override is recorded."),
                format!("Resolve what they name, or override with /mgw:run {number} --force."),
            )
        }
    })
}

/// What the gates name, in parentheses.
fn blockers(gate: &Map<String, Value>) -> String {
    let values = ["blockers", "missing_fields"].into_iter();
    let named = values.flat_map(|key| json::list(gate, key));
    let named = named.filter_map(|value| {
        let message = || json::text(value.as_object()?, "message");
        value.as_str().or_else(message)
    });
    let named: Vec<&str> = named.collect();
    if named.is_empty() {
        String::new()
    } else {
        format!(" ({})", named.join("; "))
    }
}

/// M22: what only GitHub knows.
pub(super) fn remote(scene: &Scene<'_>) -> Outcome {
    let why = "New comments, the issue's state and its labels need gh and a network, which relight never uses.";
    skipped(why).remedy(format!("Run gh issue view {}.", scene.facts.number))
}
