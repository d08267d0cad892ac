//! Continuing step by step after a launch: the hand-off of the next step. [`after_step`](crate::model::after_step)
//! decides whether it may follow without asking.

use super::{Engine, EngineError};
use crate::model::{Handoff, PipelineId, PlanOptions, PointChoice};

impl Engine {
    /// The hand-off of the recommended point, computed anew after a program that was launched for this pipeline
    /// has ended; its young writes are therefore no sign that something still runs. Refused where a guard fails,
    /// and where the point would change files: that wants a plan and a consent of its own.
    pub fn next_handoff(&self, id: &PipelineId) -> Result<Handoff, EngineError> {
        let options = PlanOptions {
            assume_stopped: true,
            ..PlanOptions::default()
        };
        let plan = self.plan(id, &PointChoice::Recommended, &options)?;
        if !plan.actions.is_empty() {
            let text = format!(
                "Continuing at {} would change files, which needs your consent first.",
                plan.point.boundary.id
            );
            let hint = format!("relight plan {id} shows what it would change.");
            return Err(EngineError::refused(text).hint(hint));
        }
        let mut guards = plan.guards;
        guards.retain(|guard| !guard.holds);
        if let Some(first) = guards.first() {
            let mut error = EngineError::refused(first.text.clone());
            error.hints.extend(first.would_hold_if.clone());
            error.guards = guards;
            return Err(error);
        }
        Ok(plan.handoff)
    }
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
