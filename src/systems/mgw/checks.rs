//! The twenty-four checks (format note, section f): `M1` to `M24`, in order.

pub(crate) mod checkpoint;
pub(crate) mod documents;
pub(crate) mod issue;
pub(crate) mod project;
pub(crate) mod state_file;
pub(crate) mod times;
pub(crate) mod worktree;

use crate::model::{Check, Foreign, Subject, Verdict};
use crate::systems::mgw::facts::Facts;
use crate::systems::mgw::points::target::Target;
use crate::world::World;

/// Everything that a check may need.
pub(crate) struct Case<'a> {
    world: &'a dyn World,
    facts: &'a Facts,
    target: Option<&'a Target>,
}

/// The makers, in the order of the note.
const CHECKS: [fn(&Case<'_>) -> Vec<Check>; 24] = [
    state_file::parses,
    state_file::stage,
    state_file::number,
    state_file::duplicates,
    state_file::leftovers,
    checkpoint::shape,
    checkpoint::words,
    checkpoint::agreement,
    times::stamps,
    documents::paths,
    documents::verification,
    documents::must_haves,
    worktree::branch,
    worktree::left_over,
    documents::summary,
    issue::retries,
    issue::linked_pr,
    issue::gates,
    project::stage,
    project::dependencies,
    project::links,
    issue::remote,
    worktree::ignored,
    times::age,
];

pub(crate) fn checks(world: &dyn World, facts: &Facts, target: Option<&Target>) -> Vec<Check> {
    let case = Case {
        world,
        facts,
        target,
    };
    (1..)
        .zip(CHECKS)
        .flat_map(|(row, make)| {
            make(&case).into_iter().map(move |mut check| {
                check.id = crate::model::CheckId(format!("M{row}"));
                check
            })
        })
        .collect()
}

/// A check whose id is given by its place in the table.
fn check(subject: impl Into<Subject>, verdict: Verdict, evidence: impl Into<Foreign>) -> Check {
    Check::new("", subject, verdict, evidence)
}

fn pass(subject: impl Into<Subject>, evidence: impl Into<Foreign>) -> Vec<Check> {
    vec![check(subject, Verdict::Pass, evidence)]
}

fn warn(
    subject: impl Into<Subject>,
    evidence: impl Into<Foreign>,
    remedy: impl Into<Foreign>,
) -> Vec<Check> {
    vec![check(subject, Verdict::Warn, evidence).remedy(remedy)]
}

fn fail(
    subject: impl Into<Subject>,
    evidence: impl Into<Foreign>,
    remedy: impl Into<Foreign>,
) -> Vec<Check> {
    vec![check(subject, Verdict::Fail, evidence).remedy(remedy)]
}

/// A check that could not be made: skipped is worse than pass, so it says what would let it be made.
fn skipped(
    subject: impl Into<Subject>,
    why: impl Into<Foreign>,
    remedy: impl Into<Foreign>,
) -> Vec<Check> {
    vec![check(subject, Verdict::Skipped, why).remedy(remedy)]
}

/// The check on a state that could not be read.
fn no_state(subject: &'static str) -> Vec<Check> {
    skipped(
        subject,
        "The state file could not be read.",
        "Mend the state file first (M1).",
    )
}
