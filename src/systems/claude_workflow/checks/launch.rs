//! What a resume needs of the launch: the script, the arguments, the conversation.

use chrono::TimeDelta;

use crate::systems::claude_workflow::checks::Scene;
use crate::systems::claude_workflow::facts::Script;
use crate::systems::claude_workflow::shape::label;
use crate::systems::kit::checks::{Outcome, fail, pass, skipped, warn};

/// A deletion within these days gives a warning.
const SOON_DAYS: i64 = 7;

pub(crate) fn script(scene: &Scene<'_>) -> Outcome {
    match scene.facts.script(scene.world) {
        Script::Unrecorded => fail(
            "The path of the script is not recorded.",
            "Continue with your own script.",
        ),
        Script::Same => pass("The script is the one that ran."),
        Script::Edited => warn(
            "The script was edited after the run.",
            "Only the agents before the edit can be replayed.",
        ),
        Script::NothingToCompare => {
            pass("The script exists; there is no copy from the run to compare it with.")
        }
        Script::Lost => fail(
            "The script cannot be read at its recorded path.",
            "Restore it there before you resume; relight export writes a copy if one was kept.",
        ),
    }
}

pub(crate) fn args(scene: &Scene<'_>) -> Outcome {
    let facts = scene.facts;
    let recorded = facts
        .snapshot
        .as_ref()
        .and_then(|snapshot| snapshot.args.as_deref());
    match facts.args() {
        Err(why) => warn(
            why,
            "Add the arguments to the call yourself: a resume does not remember them.",
        ),
        Ok(Some(args)) if recorded.is_some_and(|recorded| !same(recorded, args)) => warn(
            "The arguments of the launch and of the snapshot differ.",
            "relight uses those of the newest launch. Compare them before you resume.",
        ),
        Ok(Some(args)) => pass(format!("The arguments are known ({} bytes).", args.len())),
        Ok(None) => pass("The run was launched without arguments."),
    }
}

fn same(a: &[u8], b: &[u8]) -> bool {
    let value = |bytes| serde_json::from_slice::<serde_json::Value>(bytes).ok();
    value(a) == value(b)
}

pub(crate) fn owner(scene: &Scene<'_>) -> Outcome {
    let facts = scene.facts;
    match facts.sessions.first() {
        None => skipped("No conversation is known."),
        Some(session) if session.owner.is_none() => fail(
            "The conversation that owns the run was deleted.",
            "A run resumes only in its conversation: continue in a new one.",
        ),
        Some(session) if session.launch().is_none() => warn(
            "The conversation exists, but its launch of the run was not found.",
            "Check that it is the conversation that launched the run.",
        ),
        Some(session) => {
            let version = session
                .launch()
                .and_then(|launch| launch.version.as_deref());
            let kept = format!(
                "The conversation exists (client {}). Claude Code deletes it with the run on {}",
                label(version.unwrap_or("unknown")),
                session
                    .deleted_at(scene.world)
                    .map_or_else(|| "an unknown date".to_owned(), |at| at.words())
            );
            let soon = session
                .deleted_at(scene.world)
                .is_some_and(|at| at.at - scene.world.clock().now() < TimeDelta::days(SOON_DAYS));
            if soon {
                return warn(
                    format!("{kept}."),
                    "Resume or export the run before then, or raise cleanupPeriodDays in Claude Code's settings.",
                );
            }
            pass(format!("{kept}."))
        }
    }
}
