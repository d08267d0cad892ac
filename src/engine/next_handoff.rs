//! What may be launched without a question: the hand-off of the next step after a launch, and a hand-off that was made
//! before. [`after_step`](crate::model::after_step) decides whether a step may follow without asking.

use chrono::{DateTime, FixedOffset};

use super::{Engine, EngineError, ErrorKind, Result};
use crate::model::{Guard, Handoff, PipelineId, Plan, PlanOptions, PointChoice};
use crate::recover::guards;

impl Engine {
    /// The hand-off of the recommended point, computed anew after a program that was launched for this pipeline
    /// has ended; its young writes are therefore no sign that something still runs. Refused where a guard fails,
    /// and where the point would change files: that wants a plan and a consent of its own.
    pub fn next_handoff(&self, id: &PipelineId) -> Result<Handoff> {
        let plan = self.plan(id, &PointChoice::Recommended, &after_launch())?;
        launchable(plan, self.now())
    }

    /// Refuses to launch a hand-off that was made before where its pipeline is alive or on another branch by now. One
    /// that starts elsewhere, as a replay in a tree of its own, does not meet the pipeline.
    pub fn still_fits(&self, id: &PipelineId, handoff: &Handoff) -> Result<()> {
        let opened = self.reopen(id)?;
        let reading = &opened.pipeline.reading;
        let mut places = reading.work_tree.iter().chain([&reading.root]);
        if !places.any(|place| handoff.cwd.starts_with(place)) {
            return Ok(());
        }
        let options = after_launch();
        let head = self.head_facts(&opened, None, &options, self.world.git());
        refuse(guards::of_place(&opened.pipeline, head.as_ref(), &options))
    }
}

/// The options of a plan after a launch: the young writes are those of the program that has ended.
pub fn after_launch() -> PlanOptions {
    PlanOptions {
        assume_stopped: true,
        ..PlanOptions::default()
    }
}

/// The hand-off of a plan that may be launched as it is; an error where the plan changes files, is refused, asks
/// something, or would start an agent before its usage limit resets.
pub fn launchable(plan: Plan, now: DateTime<FixedOffset>) -> Result<Handoff> {
    if !plan.actions.is_empty() {
        let text = format!(
            "Continuing at {} would change files, which needs your consent first.",
            plan.point.boundary.id
        );
        let hint = format!("relight plan {} shows what it would change.", plan.pipeline);
        return Err(EngineError::refused(text).hint(hint));
    }
    refuse(plan.guards)?;
    match plan.handoff.limit(now) {
        Some(limit) => Err(EngineError::new(ErrorKind::Consent, limit)),
        None => Ok(plan.handoff),
    }
}

/// The refusal by the guards that fail.
fn refuse(mut guards: Vec<Guard>) -> Result<()> {
    guards.retain(|guard| !guard.holds);
    let Some(first) = guards.first() else {
        return Ok(());
    };
    let mut error = EngineError::refused(first.text.clone());
    error.hints.extend(first.would_hold_if.clone());
    error.guards = guards;
    Err(error)
}

#[cfg(test)]
mod tests {
    use crate::engine::ErrorKind;
    use crate::engine::testing::Scene;

    #[test]
    fn each_finished_step_is_followed_by_the_next() {
        let scene = Scene::new();
        let id = scene.id("nine-step-price-alerts");
        let file = scene.path("projects/trader/.worktree/price-alerts/workflow-state.json");
        let table = [
            ("4", "code-reviewer", "completed", "step 5"),
            ("5", "documentation-manager", "completed", "step 6"),
            ("5", "documentation-manager", "failed", "step 5"),
        ];
        for (step, agent, status, next) in table {
            let text = std::fs::read(&file).unwrap();
            let mut state: serde_json::Value = serde_json::from_slice(&text).unwrap();
            let number: u64 = step.parse().unwrap();
            let at = "2999-01-01T00:00:00";
            let done = serde_json::json!({
                "phase": 2, "step": number, "agent": agent, "status": status, "timestamp": at
            });
            if status == "completed" {
                let list = state["completed_steps"].as_array_mut().unwrap();
                list.push(done.clone());
            }
            state["current_step"] = number.into();
            state["last_execution"] = done;
            std::fs::write(&file, state.to_string()).unwrap();
            let handoff = scene.engine.next_handoff(id).unwrap();
            let said = handoff.argv.last().unwrap().lossy().into_owned();
            assert!(said.contains(next), "{step} {status}: {said}");
        }
    }

    #[test]
    fn a_point_that_changes_files_is_not_gone_on_with_unasked() {
        let scene = Scene::shared();
        let id = scene.id("autoconference-tokenizer");
        let error = scene.engine.next_handoff(id).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Refused);
        assert!(error.text.lossy().contains("consent"), "{error}");
    }
}
