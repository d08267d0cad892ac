//! A decision of the user that is open at the recommended point: the agent must ask for it, and must know of it.

use crate::systems::nine_step::Scene;
use crate::systems::nine_step::facts::Position;
use crate::systems::nine_step::points::Target;
use crate::systems::nine_step::points::handoff::plain;
use crate::systems::nine_step::shape::{Class, StepNo};

/// What is open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Open {
    /// The user's decision on a step is pending.
    Pending,
    /// A step was rejected: the user decides how to continue.
    Rejected,
    /// A step was approved under conditions.
    Conditions,
}

/// What is open at a target, with the record that says so. The approval of the plan and the merge have texts of their
/// own.
pub(crate) fn at(scene: Scene<'_>, target: Target) -> Option<(&Position, Open)> {
    let position = scene.facts.position()?;
    if target != scene.decision.chosen
        || matches!(target, Target::Merge | Target::Step(_, StepNo::Approval))
    {
        return None;
    }
    let here = target == Target::Step(position.phase, position.step);
    let open = match position.class {
        Class::Waiting if here => Open::Pending,
        Class::Hard => Open::Rejected,
        Class::Conditional => Open::Conditions,
        Class::Waiting | Class::Success | Class::Failure | Class::InFlight | Class::Unknown => {
            return None;
        }
    };
    Some((position, open))
}

/// The rejection that a point other than the recommended one leaves open, as a sentence.
pub(crate) fn rejection(scene: Scene<'_>, target: Target) -> Option<String> {
    let position = scene.facts.position()?;
    let left = target != scene.decision.chosen && position.class == Class::Hard;
    left.then(|| format!("{}: take that into account.", ended(position)))
}

/// How a step ended, with what it found.
pub(crate) fn ended(position: &Position) -> String {
    let record = &position.record;
    let findings = record.error.as_deref().map(plain);
    let findings = findings.map_or_else(String::new, |findings| format!(" ({findings})"));
    let (step, phase) = (position.step.named(), position.phase);
    let status = plain(&record.status);
    format!("Step {step} of phase {phase} ended with {status}{findings}")
}
