//! The failed checks that a plan and its hand-off must name.

use crate::foreign;
use crate::model::{Check, Foreign, Plan, Verdict};

/// The failed checks that the point of a plan depends on, a sentence each: who resumes there must know of them.
pub fn failed_checks(plan: &Plan, checks: &[Check]) -> Vec<Foreign> {
    let point = &plan.point.boundary;
    let failing = |check: &Check| {
        let mut failing = point.failing.iter();
        failing.any(|(id, verdict)| *id == check.id && *verdict == Verdict::Fail)
    };
    let failed = checks
        .iter()
        .filter(|check| check.verdict == Verdict::Fail && failing(check));
    let when = if plan.actions.is_empty() {
        ""
    } else {
        " before these changes"
    };
    let sentence = |check: &Check| {
        let (id, subject, evidence) = (check.id.0.as_str(), check.subject(), &check.evidence);
        foreign!("Check {} failed{}: {}: {}", id, when, subject, evidence)
    };
    failed.map(sentence).collect()
}
