//! M16 to M18 and M22: retries, the linked pull request, the gates of triage, and what only GitHub knows.

use serde_json::Value;

use crate::formats::json;
use crate::model::{Check, Verdict};
use crate::systems::mgw::checks::{Case, check, no_state, pass, skipped, warn};
use crate::systems::mgw::shape::vocabulary::Stage;

/// The most retries that the orchestrator makes.
const RETRIES: i64 = 3;

/// M16: retries within their limit, a dead letter only where it failed.
pub(crate) fn retries(case: &Case<'_>) -> Vec<Check> {
    let Some(state) = case.facts.recorded() else {
        return no_state("retries");
    };
    let number = &case.facts.number;
    let count = state.retry_count();
    let mut checks = Vec::new();
    if !(0..=RETRIES).contains(&count) {
        checks.push(
            check(
                "retries",
                Verdict::Warn,
                format!("{count} retries, more than {RETRIES} are never made."),
            )
            .remedy(format!(
                "Reset them with the point `retry` or /mgw:run {number} --retry."
            )),
        );
    }
    if state.dead_letter() && state.stage() != Some(Stage::Failed) {
        let stage = state.stage_text().unwrap_or("missing");
        checks.push(
            check(
                "retries",
                Verdict::Warn,
                format!("It is a dead letter, and its stage is {stage}."),
            )
            .remedy(format!("Go on with /mgw:run {number} --retry.")),
        );
    }
    if checks.is_empty() {
        return pass(
            "retries",
            format!("{count} of {RETRIES} retries were made."),
        );
    }
    checks
}

/// M17: a linked pull request only where the stage says so.
pub(crate) fn linked_pr(case: &Case<'_>) -> Vec<Check> {
    let Some(state) = case.facts.recorded() else {
        return no_state("pull request");
    };
    let Some(pr) = state.linked_prs().first().copied() else {
        return pass("pull request", "No pull request is linked.");
    };
    let stage = state.stage_text().unwrap_or("missing");
    match state.stage() {
        Some(Stage::PrCreated | Stage::Done) => pass(
            "pull request",
            format!("Pull request {pr} is linked, and the stage is {stage}."),
        ),
        _ => warn(
            "pull request",
            format!("Pull request {pr} is linked, and the stage is {stage}."),
            "Look at the pull request; where it is open or merged, run /mgw:sync.",
        ),
    }
}

/// M18: the gates of triage were passed or overridden.
pub(crate) fn gates(case: &Case<'_>) -> Vec<Check> {
    let Some(state) = case.facts.recorded() else {
        return no_state("gates");
    };
    let gate = json::child(state.map(), "triage").and_then(|t| json::child(t, "gate_result"));
    let status = gate.and_then(|gate| json::text(gate, "status"));
    let overridden = !json::list(state.map(), "override_log").is_empty();
    match (status, overridden) {
        (Some("passed"), _) => pass("gates", "The gates of triage are passed."),
        (Some(status), true) => pass(
            "gates",
            format!("The gates say {status}, and an override is recorded."),
        ),
        (None, _) => skipped(
            "gates",
            "No result of the gates is recorded.",
            format!(
                "Triage again with /mgw:issue {} to have one.",
                case.facts.number
            ),
        ),
        (Some(status), false) => {
            let blockers = gate.map_or_else(Vec::new, blockers);
            let named = if blockers.is_empty() {
                String::new()
            } else {
                format!(" ({})", blockers.join("; "))
            };
            warn(
                "gates",
                format!("The gates say {status}{named}, and no override is recorded."),
                format!(
                    "Resolve what they name, or override with /mgw:run {} --force.",
                    case.facts.number
                ),
            )
        }
    }
}

fn blockers(gate: &serde_json::Map<String, Value>) -> Vec<String> {
    ["blockers", "missing_fields"]
        .iter()
        .flat_map(|key| json::list(gate, key))
        .filter_map(|value| match value {
            Value::String(text) => Some(text.clone()),
            Value::Object(map) => json::text(map, "message").map(str::to_owned),
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => None,
        })
        .collect()
}

/// M22: what only GitHub knows.
pub(crate) fn remote(case: &Case<'_>) -> Vec<Check> {
    skipped(
        "GitHub",
        "New comments, the issue's state and its labels need gh and a network, which are never used here.",
        format!("Run gh issue view {}.", case.facts.number),
    )
}
