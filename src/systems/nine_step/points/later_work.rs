//! What later steps already left in the worktree and on the branch, where work resumes at an earlier point: the state
//! file forgets those steps, but their files stay.

use crate::systems::nine_step::Scene;
use crate::systems::nine_step::facts::Facts;
use crate::systems::nine_step::points::{Point, Target};
use crate::systems::nine_step::shape::StepNo;
use crate::text::Shown as _;
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
    let (there, deleted) = uncommitted(facts);
    let sentence = |files: &[String], noun: &str, how: &str| {
        (!files.is_empty()).then(|| {
            format!(
                "{} {} {how}: {}.",
                count(files.len(), noun),
                plural(files.len(), "stays", "stay"),
                list_first(files, NAMED),
            )
        })
    };
    let there = sentence(&there, "uncommitted file", "in the worktree");
    let deleted = sentence(&deleted, "deleted file", "deleted");
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
    [there, deleted, commits].into_iter().flatten().collect()
}

/// Every uncommitted file, a line each, where a sentence does not name all of them.
pub(crate) fn all_files(scene: Scene<'_>, point: &Point) -> Vec<String> {
    if !is_kept(scene, point) {
        return Vec::new();
    }
    let (there, deleted) = uncommitted(scene.facts);
    let lists = [
        ("Uncommitted files in the worktree:", there),
        ("Deleted files:", deleted),
    ];
    let mut lines = Vec::new();
    for (title, files) in lists.into_iter().filter(|(_, files)| files.len() > NAMED) {
        lines.push(title.to_owned());
        lines.extend(files.into_iter().map(|file| format!("- {file}")));
    }
    lines
}

/// The uncommitted files that are there, and the deleted ones.
fn uncommitted(facts: &Facts) -> (Vec<String>, Vec<String>) {
    let (there, deleted): (Vec<_>, Vec<_>) = facts.git.dirty.iter().partition(|f| f.on_disk);
    let quoted = |file: &StatusPath| format!("'{}'", file.path.shown());
    let names = |files: Vec<_>| files.into_iter().map(quoted).collect();
    (names(there), names(deleted))
}

/// The phases at or after a target whose commits the branch has.
fn committed(facts: &Facts, target: Target) -> Vec<i64> {
    let phases = facts.git.phases.keys().copied();
    let at_or_after = |phase: &i64| Target::Step(*phase, StepNo::Commit) >= target;
    phases.filter(at_or_after).collect()
}
