//! The checks `S1` to `S24`, each of which compares a claim of the state file with the world. Nothing here runs a
//! program (`init.sh` may reach other machines) or opens a file that may contain secrets.

mod amendments;
mod definitions;
mod environment;
mod jobs;
pub(crate) mod log;
mod outputs;
mod plan;

use crate::model::Check;
use crate::systems::kit::checks::{self, Row};
use crate::systems::kit::odd_files::quoted;
use crate::systems::superscientist::facts::{Facts, Scene};
use crate::systems::superscientist::shape::Stage;
use crate::world::World;

/// The subject of checks that are not about a stage.
pub(crate) const WORKFLOW: &str = "workflow";

/// The command that shows the plan to run a stage again.
fn rerun_command(scene: &Scene<'_>, stage: &Stage) -> String {
    let (wf, id) = (quoted(&scene.facts.wf), stage.plain_id());
    format!("`relight plan {wf} --point {id}:rerun`")
}

/// The checks, in order.
#[rustfmt::skip]
pub(crate) fn table<'a>() -> [Row<Scene<'a>>; 24] {
    let row = |id, proves, run| Row::new(id, WORKFLOW, proves, run);
    let one = |id, proves, run| Row::one(id, WORKFLOW, proves, run);
    [
        one("S1", "the state file is JSON and describes a workflow", plan::parses),
        row("S2", "required keys exist with their types", plan::types)
            .clean("Every required key exists with its type."),
        row("S3", "stage ids are unique and numbered in sequence", plan::ids).clean("The ids are unique and in sequence."),
        row("S4", "every status is one of the nine", plan::statuses).clean("Every status is one of the nine."),
        row("S5", "dependencies exist and form no cycle", plan::dependencies)
            .clean("Every dependency is a stage, and there is no cycle."),
        row("S6", "completed stages have a start and a later end", plan::times)
            .clean("Every completed stage started before it ended."),
        row("S7", "a stage starts only after the stages it depends on are done", plan::order)
            .clean("Every stage that is ready, running or completed has its dependencies done."),
        row("S8", "every output of a completed stage exists and is not empty", outputs::present)
            .clean("No stage is completed, so no outputs are expected."),
        row("S9", "outputs are complete, and the job ended with 0 and reports no errors", outputs::sound)
            .clean("No output is truncated, and no job ended with an error or reports one."),
        row("S10", "every running stage really has a job", jobs::processes).clean("No stage is running."),
        row("S11", "done markers belong to the current attempt", jobs::markers)
            .clean("No stage that is not done has a done marker; those of completed and skipped stages are not read."),
        row("S12", "the version counts the amendments, and each one is applied", plan::versions),
        row("S13", "no definition of a stage changed without an amendment", definitions::silent),
        row("S14", "the log's last status of each stage is the state file's", log::statuses)
            .clean("The log's last status of each stage is the state file's."),
        row("S15", "every session ended", log::sessions),
        row("S16", "the log only grew", log::append_only)
            .clean("The times increase, and the log starts with its last committed version."),
        one("S17", "the environment script exists", environment::init),
        row("S18", "every stage's backend is described", environment::backends)
            .clean("Every stage's backend is described."),
        row("S19", "retries are within the limit, and failures have a reason", jobs::retries)
            .clean("Retries are within their limits, and every failure has a reason."),
        row("S20", "the design and the plan can be found", environment::documents)
            .clean("The design and the plan exist."),
        one("S21", "the session's cost is within its budget", environment::budget),
        one("S22", "the programs that a session needs are installed", environment::programs),
        row("S23", "no other workflow uses this one's tmux sessions", jobs::shared_names)
            .clean("No tmux session of these names belongs to another workflow."),
        one("S24", "the workflow is not paused", environment::pause),
    ]
}

/// Runs every check.
pub(crate) fn all(facts: &Facts, world: &dyn World) -> Vec<Check> {
    match &facts.flow {
        Ok(flow) => checks::run(table(), &Scene { facts, flow, world }, true),
        Err(damage) => checks::unreadable(table(), |_| log::unreadable(facts, &damage.why, world)),
    }
}

#[cfg(test)]
mod tests;
