//! Answers to questions that the orchestrator itself would ask.

use crate::engine::{EngineError, Result};
use crate::model::{GuardKind, Plan, PlanOptions};

/// Refuses the answer to a question that no plan asks: it is a slip, and the person believes it was given. A script may
/// always answer what only some plans ask.
pub(super) fn known_questions(plan: &Plan, options: &PlanOptions) -> Result<()> {
    let asks = plan.guards.iter();
    let asks = asks.filter(|guard| guard.kind == GuardKind::Ask);
    let asks: Vec<&str> = asks.map(|guard| &*guard.id).collect();
    let unknown = |id: &&String| !asks.contains(&id.as_str()) && !is_question(id);
    let Some(id) = options.accept.iter().find(unknown) else {
        return Ok(());
    };
    let text = [b"There is no question `", id.as_bytes(), b"`."].concat();
    Err(EngineError::usage(text).hint(if asks.is_empty() {
        "This plan asks none: omit --accept.".to_owned()
    } else {
        format!("The questions of this plan: {}.", asks.join(", "))
    }))
}

/// Whether an id is one of those that questions have.
fn is_question(id: &str) -> bool {
    let of_something = ["gate:", "override:", "repeat-failure:"];
    id == "convergence" || of_something.iter().any(|kind| id.starts_with(kind))
}
