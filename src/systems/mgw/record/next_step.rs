//! What comes next after a record.

use crate::model::NextStep;
use crate::systems::mgw::points::Goal;
use crate::systems::mgw::points::target::finished;
use crate::systems::mgw::shape::{Stage, State, Step};

/// A next step.
pub(super) fn next(id: &str, label: &str, step: Step) -> NextStep {
    NextStep {
        id: id.to_owned(),
        label: label.to_owned(),
        phase: step.word().to_owned(),
    }
}

/// The only thing left once there is a pull request.
pub(super) fn cleanup() -> NextStep {
    next("cleanup", "Clean up after the pull request", Step::Pr)
}

/// What comes next in a state: nothing where a person must decide first, and no step that its points do not have.
pub(super) fn follows(state: &State, next: NextStep) -> Option<NextStep> {
    if state.stage().is_some_and(Stage::waits) || state.dead_letter() {
        return None;
    }
    match finished(state).map(|target| target.goal) {
        Some(Goal::Nothing) => None,
        Some(Goal::Cleanup) => Some(cleanup()),
        Some(Goal::Step(_)) | None => Some(next),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::mgw::shape::state_files::parse;

    #[test]
    fn a_record_names_no_step_that_the_points_do_not_have() {
        for (state, id) in [
            (r#""pipeline_stage": "executing""#, Some("step-verify")),
            (
                r#""pipeline_stage": "executing", "linked_pr": 70"#,
                Some("cleanup"),
            ),
            (
                r#""pipeline_stage": "triaged", "linked_prs": ["7"]"#,
                Some("cleanup"),
            ),
            (r#""pipeline_stage": "pr-created""#, Some("cleanup")),
            (r#""pipeline_stage": "done""#, None),
            (r#""pipeline_stage": "failed", "linked_pr": 70"#, None),
            (
                r#""pipeline_stage": "executing", "dead_letter": true"#,
                None,
            ),
        ] {
            let text = format!(r#"{{"issue": {{"number": 57, "title": "x"}}, {state}}}"#);
            let state = parse(text.as_bytes()).unwrap();
            let verify = next("step-verify", "Verify", Step::Verify);
            let found = follows(&state, verify).map(|next| next.id);
            assert_eq!(found.as_deref(), id, "{text}");
        }
    }
}
