//! What later steps already left in the worktree and on the branch, where work resumes at an earlier point: the state
//! file forgets those steps, but their files stay.

use crate::systems::nine_step::Scene;
use crate::systems::nine_step::facts::Facts;
use crate::systems::nine_step::points::{Point, Target};
use crate::systems::nine_step::shape::StepNo;
use crate::text::format::{count, list, list_first, plural};
use crate::world::git::StatusPath;

/// How many files a sentence names; the briefing has them all.
const NAMED: usize = 10;

/// Whether the files of later steps stay: at an earlier point, unless it resets the worktree, and at the point to which
/// the state file was set back, which a note in its last record says.
fn is_kept(scene: Scene<'_>, point: &Point) -> bool {
    let resets = matches!(point, Point::Commit { .. });
    let state = scene.facts.state.as_ref();
    let set_back = state.is_some_and(|state| state.last.note.is_some());
    !resets && (set_back || point.leads_to(scene.facts) < scene.decision.chosen)
}

/// What stays, a sentence each.
pub(crate) fn sentences(scene: Scene<'_>, point: &Point) -> Vec<String> {
    let facts = scene.facts;
    if !is_kept(scene, point) {
        return Vec::new();
    }
    let files = facts.git.dirty();
    let uncommitted = (!files.is_empty()).then(|| {
        format!(
            "{} {} in the worktree: {}.",
            count(files.len(), "uncommitted file"),
            plural(files.len(), "stays", "stay"),
            list_first(files.iter().map(named), NAMED),
        )
    });
    let commits = committed(facts, point.leads_to(facts));
    let commits = (!commits.is_empty()).then(|| {
        format!(
            "The {} of {} {} {} on the branch.",
            plural(commits.len(), "commit", "commits"),
            plural(commits.len(), "phase", "phases"),
            list(&commits),
            plural(commits.len(), "stays", "stay"),
        )
    });
    uncommitted.into_iter().chain(commits).collect()
}

/// Every uncommitted file, a line each, where a sentence does not name all of them.
pub(crate) fn all_files(scene: Scene<'_>, point: &Point) -> Vec<String> {
    let files = scene.facts.git.dirty();
    if !is_kept(scene, point) || files.len() <= NAMED {
        return Vec::new();
    }
    let title = "Uncommitted files in the worktree:".to_owned();
    let lines = files.iter().map(|file| format!("- {}", named(file)));
    std::iter::once(title).chain(lines).collect()
}

/// The phases at or after a target whose commits the branch has.
fn committed(facts: &Facts, target: Target) -> Vec<i64> {
    let phases = facts.git.phases.keys().copied();
    phases
        .filter(|phase| Target::Step(*phase, StepNo::Commit) >= target)
        .collect()
}

fn named(file: &StatusPath) -> String {
    format!("'{}'", file.path.lossy())
}
