//! The fifteen checks, each of which compares a claim of the records with the world.

mod commits;
mod state_file;
#[cfg(test)]
mod tests;
mod worktree;

pub(crate) use commits::is_recorded;

use crate::model::Check;
use crate::systems::kit::checks::{self, Row, either};
use crate::systems::nine_step::Scene;

#[rustfmt::skip]
fn table<'a>() -> [Row<Scene<'a>>; 15] {
    [
        Row::new("N1", "state file", "each state file parses and has its keys", state_file::readable),
        Row::one("N2", "types and ranges", "every value has its type and every phase is in range", state_file::types),
        Row::one("N3", "backup of the state file", "the backup is of the same work, one save older", state_file::backup),
        Row::one("N4", "worktree", "git lists the worktree at the recorded path", |s| either(worktree::registered(s))),
        Row::one("N5", "branch", "the recorded branch is checked out", |s| either(worktree::branch(s))),
        Row::one("N6", "uncommitted changes", "the step explains what is uncommitted", worktree::changes),
        Row::one("N7", "plan document", "the plan exists", commits::plan),
        Row::new("N8", "phase commits", "each committed phase has a commit near the time of its record", commits::phases),
        Row::new("N9", "recorded commits", "each recorded commit is on the branch", commits::recorded),
        Row::new("N10", "step sequence", "no step and no review is missing", state_file::sequence),
        Row::one("N11", "timestamps", "times increase and are in the past", state_file::times),
        Row::one("N12", "approval gate", "the plan was approved before the code", state_file::approval),
        Row::one("N13", "merge", "the work is not merged into the main branch", worktree::merged),
        Row::one("N14", "temporary tests", ".test/ is empty after step 7", worktree::tests),
        Row::one("N15", "upstream", "branch and upstream have the same commits", |s| either(worktree::upstream(s))),
    ]
}

/// All checks, in order. Each one skips itself if the records it needs are missing.
pub(crate) fn checks(scene: Scene<'_>) -> Vec<Check> {
    checks::run(table(), &scene, true)
}
