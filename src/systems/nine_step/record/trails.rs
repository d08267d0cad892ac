//! The files to which a resumed feature writes its first new record: the steps of its state file, under any of its
//! possible names, and the commits of its worktree. The steps also show whether one was finished, failed, or waits for
//! a person, so that a user can be asked after each.

use crate::formats::json::{self, At};
use crate::model::{Foreign, LocalTime, Place, StepNews};
use crate::systems::kit::trails::{Record, Trail, commits};
use crate::systems::nine_step::facts::Facts;
use crate::systems::nine_step::shape::step_record::Record as Step;
use crate::systems::nine_step::shape::{self, Class, STATE_NAMES, StepNo};
use crate::world::World;

/// The files to watch.
pub(crate) fn trails(facts: &Facts, world: &dyn World) -> Vec<Trail> {
    let mut places: Vec<Place> = facts.docs.iter().filter_map(shape::Doc::place).collect();
    // The next step may create a state file under any of the names; one at the project's top may belong to another
    // feature.
    if facts.dir() != facts.layout.top {
        let named = STATE_NAMES.iter();
        places.extend(named.filter_map(|name| Place::known(facts.dir(), name).ok()));
    }
    places.sort();
    places.dedup();
    let total = facts.total();
    let of = |place| Trail::state(place, move |bytes, zone| of_state(bytes, total, zone));
    let states = places.into_iter().map(of);
    states.chain(commits(facts.dir(), world)).collect()
}

/// The last execution and every completed step.
fn of_state(bytes: &[u8], total: Option<i64>, zone: &dyn LocalTime) -> Vec<Record> {
    let Ok(state) = shape::parse(bytes, zone) else {
        return Vec::new();
    };
    let total = state.total.or(total);
    let last = record(&state.last, total).at_line(json::line(bytes, &[At::Key("last_execution")]));
    let completed = state.completed.iter().map(|step| record(step, total));
    std::iter::once(last).chain(completed).collect()
}

fn record(step: &Step, total: Option<i64>) -> Record {
    let phase = step.phase_text();
    let number = step.step().map(|step| step.to_string());
    let number = number.unwrap_or_else(|| step.step_text.clone());
    let (agent, status, at_text) = (&step.agent, &step.status, &step.at_text);
    let key = format!("{phase} {number} {agent} {status} {at_text:?}");
    let text = format!("phase {phase}, step {number}: {}", step.status);
    Record {
        line: step.line,
        step: news(step, total),
        ..Record::new(key, Foreign::from(text), step.at)
    }
}

/// The news of a step. An unknown status is shown to a person, like a gate: it never counts as done.
fn news(step: &Step, total: Option<i64>) -> StepNews {
    let class = step.class();
    let done = class.is_done();
    let commit = step.step() == Some(StepNo::Commit);
    let merge = commit && total.is_none_or(|total| step.phase >= Some(total));
    // A person must approve the plan, and the merge.
    let asks = done && (step.step() == Some(StepNo::PlanReview) || merge);
    let waits = matches!(class, Class::Waiting | Class::Conditional | Class::Unknown);
    StepNews {
        done,
        gate: asks || waits,
        error: matches!(class, Class::Failure | Class::Hard),
        phase_done: done && commit,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::clock::FixedClock;

    #[test]
    fn a_step_has_its_question_for_the_person() {
        let table = [
            ("3", "completed", "done"),
            ("2.5", "approved", "done"),
            ("2", "approved", "done gate"),
            ("4", "APPROVED_WITH_CONDITIONS", "done gate"),
            ("4", "NEEDS_REVISION", "error"),
            ("8", "rejected", "error"),
            ("2.5", "waiting_approval", "gate"),
            ("5", "in_progress", ""),
            ("5", "finished?", "gate"),
            ("9", "completed", "done phase"),
        ];
        let zone = FixedClock(chrono::DateTime::default());
        for (step, status, says) in table {
            let text = format!(
                r#"{{"feature_name":"x","current_phase":2,"current_step":{step},"total_phases":3,
                "last_execution":{{"phase":2,"step":{step},"agent":"","status":"{status}","timestamp":"2025-11-09T15:12:44"}}}}"#
            );
            let records = of_state(text.as_bytes(), None, &zone);
            let has = |word: &str| says.split(' ').any(|w| w == word);
            let expected = StepNews {
                done: has("done"),
                gate: has("gate"),
                error: has("error"),
                phase_done: has("phase"),
            };
            assert_eq!(records[0].step, expected, "step {step}: {status}");
        }
    }

    #[test]
    fn the_last_phase_and_an_unknown_number_of_phases_end_at_the_merge_gate() {
        let step = Step {
            phase: Some(3),
            written: Some(StepNo::Commit),
            status: "completed".to_owned(),
            ..Step::default()
        };
        for (total, gate) in [(Some(3), true), (Some(4), false), (None, true)] {
            assert_eq!(news(&step, total).gate, gate, "{total:?}");
        }
    }
}
