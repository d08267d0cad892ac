//! The twenty-four checks of the format note (section f), `S1` to `S24`: each claim of the state file held
//! against the world. What it may not do: run anything (`init.sh` may reach other machines), or open what may
//! hold secrets.

mod amendments;
mod changes;
mod history;
mod jobs;
mod outputs;
mod setup;
mod shape;

use super::facts::{Facts, Flow};
use super::files::Stage;
use crate::model::{Check, Verdict};
use crate::world::World;

/// The subject of checks that are about no stage.
pub(crate) const WORKFLOW: &str = "workflow";

/// What every check may look at.
pub(crate) struct Bench<'a> {
    pub(crate) facts: &'a Facts,
    pub(crate) flow: &'a Flow,
    pub(crate) world: &'a dyn World,
}

type Test = fn(&Bench<'_>) -> Vec<Check>;

/// The checks in the note's order.
const TESTS: [(&str, Test); 24] = [
    ("S1", shape::parses),
    ("S2", shape::types),
    ("S3", shape::ids),
    ("S4", shape::statuses),
    ("S5", shape::dependencies),
    ("S6", shape::times),
    ("S7", shape::order),
    ("S8", outputs::present),
    ("S9", outputs::sound),
    ("S10", jobs::processes),
    ("S11", jobs::markers),
    ("S12", shape::versions),
    ("S13", changes::silent),
    ("S14", history::statuses),
    ("S15", history::sessions),
    ("S16", history::append_only),
    ("S17", setup::init),
    ("S18", setup::backends),
    ("S19", jobs::retries),
    ("S20", setup::documents),
    ("S21", setup::budget),
    ("S22", setup::programs),
    ("S23", jobs::shared_names),
    ("S24", setup::pause),
];

/// Makes every check. Where the state file cannot be read, only that can be said.
pub(crate) fn all(facts: &Facts, world: &dyn World) -> Vec<Check> {
    match &facts.flow {
        Ok(flow) => {
            let bench = Bench { facts, flow, world };
            TESTS.iter().flat_map(|(_, test)| test(&bench)).collect()
        }
        Err(damage) => {
            let first = history::unreadable(facts, &damage.why);
            let rest = TESTS.iter().skip(1).map(|(id, _)| {
                let why = "The state file cannot be read, so there is nothing to check.";
                skipped(id, WORKFLOW, why)
            });
            std::iter::once(first).chain(rest).collect()
        }
    }
}

impl Bench<'_> {
    /// The stages, in array order.
    pub(crate) fn stages(&self) -> &[Stage] {
        &self.flow.state.stages
    }
}

/// A check that holds.
pub(crate) fn pass(id: &str, subject: &str, evidence: impl Into<String>) -> Check {
    Check::new(id, subject, Verdict::Pass, evidence.into())
}

/// A check that could not be made.
pub(crate) fn skipped(id: &str, subject: &str, evidence: impl Into<String>) -> Check {
    Check::new(id, subject, Verdict::Skipped, evidence.into())
        .remedy("Nothing needs doing; it can be checked once what is missing is there.")
}

/// A check that a person must look at.
pub(crate) fn warn(id: &str, subject: &str, evidence: impl Into<String>, remedy: &str) -> Check {
    Check::new(id, subject, Verdict::Warn, evidence.into()).remedy(remedy)
}

/// A check that does not hold.
pub(crate) fn fail(id: &str, subject: &str, evidence: impl Into<String>, remedy: &str) -> Check {
    Check::new(id, subject, Verdict::Fail, evidence.into()).remedy(remedy)
}

/// The checks found, or one that passes with this sentence.
pub(crate) fn or_pass(found: Vec<Check>, id: &str, evidence: &str) -> Vec<Check> {
    if found.is_empty() {
        vec![pass(id, WORKFLOW, evidence)]
    } else {
        found
    }
}

#[cfg(test)]
mod tests;
