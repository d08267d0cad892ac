//! How much a point keeps and runs again.

use super::points;
use crate::systems::nine_step::tests::scene::{Scene, record, records, state};

/// One count of what runs again: a point that says so of a step has it in its table.
#[test]
fn a_step_that_a_point_says_runs_again_is_counted() {
    let mut said = 0;
    for status in ["failed", "NEEDS_REVISION", "in_progress", "odd"] {
        for step in ["3", "4", "6", "7", "8"] {
            let last = record(&format!("2 {step} {status} 30"));
            let text = state("", &last, &records("1 9 completed 10; 2 3 completed 20"));
            for point in points(&Scene::with_state(&text)) {
                if point.reason.lossy().contains("runs again") {
                    said += 1;
                    assert!(point.redone > Some(0), "{step} {status}: {point:?}");
                }
            }
        }
    }
    assert!(said > 5, "{said}");
}
