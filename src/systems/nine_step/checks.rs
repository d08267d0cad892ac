//! The fifteen checks of the format note (section f): each claim held against the world.

pub(crate) mod commits;
pub(crate) mod state_file;
#[cfg(test)]
mod tests;
pub(crate) mod worktree;

use crate::model::{Check, Subject, Verdict};
use crate::systems::nine_step::facts::Facts;
use crate::systems::nine_step::points::decision::Decision;
use crate::systems::nine_step::sentence;
use crate::world::World;

/// All checks, in the note's order.
pub(crate) fn checks(facts: &Facts, decision: &Decision, world: &dyn World) -> Vec<Check> {
    let mut checks = Vec::new();
    checks.extend(state_file::readable(facts));
    checks.push(state_file::types(facts));
    checks.push(state_file::backup(facts));
    checks.push(worktree::worktree(facts, world));
    checks.push(worktree::branch(facts));
    checks.push(worktree::changes(facts, decision));
    checks.push(commits::plan(facts));
    checks.extend(commits::commits(facts));
    checks.extend(commits::recorded_commits(facts, world));
    checks.extend(state_file::sequence(facts, decision));
    checks.push(state_file::times(facts, world));
    checks.push(state_file::approval(facts, decision));
    checks.push(worktree::merged(facts));
    checks.push(worktree::tests(facts));
    checks.push(worktree::upstream(facts, world));
    checks
}

/// A check with a remedy.
fn check(
    id: &str,
    subject: impl Into<Subject>,
    verdict: Verdict,
    evidence: String,
    remedy: &str,
) -> Check {
    let check = Check::new(id, subject, verdict, sentence(evidence));
    if verdict == Verdict::Pass {
        check
    } else {
        check.remedy(remedy)
    }
}

fn pass(id: &str, subject: impl Into<Subject>, evidence: impl Into<String>) -> Check {
    Check::new(id, subject, Verdict::Pass, sentence(evidence))
}

fn skipped(id: &str, subject: impl Into<Subject>, why: impl Into<String>) -> Check {
    Check::new(id, subject, Verdict::Skipped, sentence(why))
        .remedy("Nothing to do: the check could not be made here.")
}
