//! The fifteen checks of the format note (section f): each claim held against the world.

mod record;
mod tree;
mod work;

use super::decide::Decision;
use super::facts::Facts;
use super::sentence;
use crate::model::{Check, Verdict};
use crate::world::World;

/// All checks, in the note's order.
pub(crate) fn checks(facts: &Facts, decision: &Decision, world: &dyn World) -> Vec<Check> {
    let mut checks = Vec::new();
    checks.extend(record::readable(facts));
    checks.push(record::types(facts));
    checks.push(record::backup(facts));
    checks.push(tree::worktree(facts, world));
    checks.push(tree::branch(facts));
    checks.push(tree::changes(facts, decision));
    checks.push(work::plan(facts));
    checks.extend(work::commits(facts));
    checks.extend(work::recorded_commits(facts, world));
    checks.extend(record::sequence(facts, decision));
    checks.push(record::times(facts, world));
    checks.push(record::approval(facts, decision));
    checks.push(tree::merged(facts));
    checks.push(tree::tests(facts));
    checks.push(tree::upstream(facts, world));
    checks
}

/// A check with a remedy.
fn check(id: &str, subject: &str, verdict: Verdict, evidence: String, remedy: &str) -> Check {
    let check = Check::new(id, subject, verdict, sentence(evidence));
    if verdict == Verdict::Pass {
        check
    } else {
        check.remedy(remedy)
    }
}

fn pass(id: &str, subject: &str, evidence: impl Into<String>) -> Check {
    Check::new(id, subject, Verdict::Pass, sentence(evidence))
}

fn skipped(id: &str, subject: &str, why: impl Into<String>) -> Check {
    Check::new(id, subject, Verdict::Skipped, sentence(why))
        .remedy("Nothing to do: the check could not be made here.")
}

#[cfg(test)]
mod tests;
