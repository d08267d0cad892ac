//! The twenty-four checks.

mod checkpoint;
mod documents;
mod issue;
mod project;
mod state_file;
mod times;
mod worktree;

use crate::model::{Check, PointId};
use crate::systems::kit::checks::{self, Outcome, Row, either, skipped};
use crate::systems::mgw::facts::{Evidence, Facts};
use crate::systems::mgw::points::{self, Point, Target};
use crate::systems::mgw::shape::{Checkpoint, State, Step};
use crate::text::format::capital;
use crate::world::World;

/// The input of the checks.
pub(crate) struct Scene<'a> {
    world: &'a dyn World,
    facts: &'a Facts,
    target: Option<&'a Target>,
}

impl Scene<'_> {
    /// The point that does a step again, so that a remedy may name it: an earlier one where that is the target, or where
    /// what the step needs is missing. `None` where no such point is offered.
    fn redo(&self, step: Step) -> Option<PointId> {
        let target = self.target?;
        let last = target.goal.step()?.min(step);
        let scene = points::Scene::of(self.world, self.facts, target)?;
        let offered = points::applying(&scene);
        let steps = Step::ALL.into_iter().rev().filter(|step| *step <= last);
        let mut usable = steps
            .map(Point::Step)
            .filter(|point| offered.contains(point));
        let found = usable.find(|point| points::lacks(self.facts, *point).is_none())?;
        Some(found.id())
    }

    /// The recorded state; the error is the outcome of a check without it.
    fn state(&self) -> Result<&State, Outcome> {
        self.facts.recorded().ok_or_else(no_state)
    }

    /// The recorded checkpoint; the error is the outcome of a check without it.
    fn checkpoint(&self) -> Result<&Checkpoint, Outcome> {
        let recorded = self.state()?.checkpoint();
        recorded.ok_or_else(|| skipped("There is no checkpoint object: the evidence decides."))
    }
}

/// The outcomes of a check, whether it could run or not.
fn all(made: Result<Vec<Outcome>, Outcome>) -> Vec<Outcome> {
    made.unwrap_or_else(Into::into)
}

#[rustfmt::skip]
fn table<'a>() -> [Row<Scene<'a>>; 24] {
    [
        Row::new("M1", "state file", "the state file parses", state_file::parses),
        Row::one("M2", "stage", "the stage is known", |s| either(state_file::stage(s))),
        Row::one("M3", "issue number", "file name and content have the same number", |s| either(state_file::number(s))),
        Row::new("M4", "duplicates", "there is one state file for the number", state_file::duplicates),
        Row::new("M5", ".tmp files", "no .tmp file is left", state_file::tmp_files),
        Row::new("M6", "checkpoint", "the checkpoint is null or an object of version 1", |s| all(checkpoint::shape(s))),
        Row::new("M7", "step and action", "step and action are known", |s| all(checkpoint::words(s))),
        Row::new("M8", "step, history and stage", "step, history and stage agree", |s| all(checkpoint::agreement(s))),
        Row::one("M9", "times", "nothing in the checkpoint is newer than its update", |s| either(times::order(s))),
        Row::new("M10", "artifacts", "every document that is named or needed exists", |s| all(documents::paths(s))),
        Row::one("M11", "verification", "the verification says passed", |s| either(documents::verification(s))),
        Row::one("M12", "must-haves", "the files that the plan requires exist", documents::must_haves),
        Row::new("M13", "branch and worktree", "branch and worktree exist and belong together, and no named commit is lost", |s| all(worktree::branch(s))),
        Row::new("M14", "changes", "nothing is uncommitted or unpushed", |s| all(worktree::changes(s))),
        Row::one("M15", documents::SUMMARY, "a summary exists before the pull request", documents::summary),
        Row::new("M16", "retries", "retries are within the limit", |s| all(issue::retries(s))),
        Row::one("M17", "pull request", "a linked pull request agrees with the stage", |s| either(issue::linked_pr(s))),
        Row::one("M18", "gates", "the gates of triage are passed or overridden", |s| either(issue::gates(s))),
        Row::new("M19", "project", "project.json agrees with the state file", |s| all(project::stage(s))),
        Row::new("M20", "dependencies", "dependencies are known", |s| all(project::dependencies(s))),
        Row::new("M21", "links", "links are valid", project::links),
        Row::one("M22", "GitHub", "what only GitHub knows", issue::remote),
        Row::new("M23", "ignored", "git ignores state files and worktrees", worktree::ignored),
        Row::one("M24", "age", "the issue changed lately", times::age),
    ]
}

/// All checks, in order. Each one skips itself if the state it needs cannot be read.
pub(crate) fn checks(world: &dyn World, facts: &Facts, target: Option<&Target>) -> Vec<Check> {
    let scene = Scene {
        world,
        facts,
        target,
    };
    checks::run(table(), &scene, true)
}

/// A check of a document that git may have.
fn unknown(evidence: &Evidence, document: &str) -> Outcome {
    skipped(format!("{}.", capital(&evidence.lack(document))))
}

/// A check of a state that could not be read.
fn no_state() -> Outcome {
    skipped("The state file could not be read.").remedy("Repair the state file first (M1).")
}
