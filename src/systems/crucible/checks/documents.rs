//! F10, F11, F13, F14: checkpoints, hand-offs, the mode file, the gate ledger.

use super::Scene;
use crate::formats::markdown;
use crate::model::{Subject, in_parts};
use crate::systems::crucible::facts::{Run, Saved, Store, marks};
use crate::systems::crucible::shape::{LedgerPhase, is_commit_id};
use crate::systems::kit::checks::{Made, Outcome, fail, or_pass, pass, skipped, warn};
use crate::text::Shown as _;
use crate::text::format::{count, count_of, short_id};
use crate::world::World;
use crate::world::git::GitError;

const STORE: &str = "checkpoint store";
const CHOOSE_ANOTHER: &str = "Choose another checkpoint: relight checkpoints.";

/// The checkpoints in the table can be restored and belong to this run.
pub(crate) fn checkpoints(scene: &Scene<'_>) -> Vec<Outcome> {
    let (run, world) = (scene.run, scene.world);
    let of_stores = run.stores.iter().flat_map(|store| of_store(scene, store));
    let mut all: Vec<Outcome> = of_stores.collect();
    let saved = run.saved.iter();
    let boundaries = saved.filter(|saved| marks::order(&saved.reason).is_some());
    let latest: Vec<_> = boundaries.rev().take(12).collect();
    all.extend(in_parts(&latest, 1, |saved| usable(saved, world)));
    if all.is_empty() && scene.is_over() {
        all.push(skipped("The run is finished and has no checkpoint."));
    } else if all.is_empty() {
        all.push(warn(
            if run.work_tree().is_some() {
                "There is no checkpoint of this run: at most what was committed to the project can be restored."
            } else {
                "There is no checkpoint of this run, so no files can be restored."
            },
            scene.without_restore(),
        ));
    }
    all
}

fn of_store(scene: &Scene<'_>, store: &Store) -> Vec<Outcome> {
    let run = scene.run;
    let shown = store.path.shown();
    if let Err(error) = &store.facts {
        let text = format!("The store {shown} cannot be read: {error}.");
        let rest = scene.without_restore();
        let remedy = if matches!(error, GitError::Other(_)) {
            format!("Make it readable. {rest}")
        } else {
            format!("Leave it as it is; the next checkpoint creates a new one. {rest}")
        };
        return fail(text, remedy).about(STORE).into();
    }
    let mut all = Vec::new();
    if let (Some(project), Some(other)) = (run.work_tree(), store.work_tree())
        && other != project
    {
        let text = format!("The store {shown} was made for {}.", other.shown());
        let remedy = "If the project was moved, name its path with --work-tree PATH.";
        all.push(fail(text, remedy).about(STORE));
    }
    for row in &store.rows {
        let commits = store.commits().iter();
        let mut found = commits.filter(|commit| commit.id.starts_with(&row.hash));
        let problem = match (found.next(), found.next()) {
            (Some(_), None) => continue,
            (Some(_), Some(_)) => warn(
                "Two commits of the store begin with this hash.",
                "Choose the checkpoint by its full id: relight checkpoints.",
            ),
            (None, _) => {
                let text = "The table lists it, but the store has no such commit.";
                fail(text, CHOOSE_ANOTHER)
            }
        };
        all.push(problem.about(Subject::Checkpoint {
            id: row.hash.clone(),
            name: row.reason.as_str().into(),
        }));
    }
    all
}

fn usable(saved: &Saved, world: &dyn World) -> Outcome {
    let git = world.git();
    let outcome = match git.tree_files(&saved.store, &saved.commit) {
        Ok(0) => fail("It has no files.", CHOOSE_ANOTHER),
        Ok(files) => {
            let files = count(files, "file");
            let text = format!("It is in the store, was taken during this run and has {files}.");
            pass(text)
        }
        Err(error) => warn(
            format!("Its files cannot be listed: {error}."),
            CHOOSE_ANOTHER,
        ),
    };
    outcome.about(Subject::Checkpoint {
        id: short_id(&saved.commit).to_owned(),
        name: saved.reason.as_str().into(),
    })
}

/// A document that is there and cannot be read, which is not missing.
fn unread(run: &Run, name: &str) -> Option<Outcome> {
    let (path, odd) = run.documents.unread(name)?;
    let text = format!("{} {}.", path.shown(), odd.problem);
    Some(warn(text, odd.remedy.as_str()))
}

/// The hand-offs belong to this run and agree on the goal.
pub(crate) fn handoffs(scene: &Scene<'_>) -> Outcome {
    let run = scene.run;
    let fresh = &run.documents.handoffs;
    if fresh.is_empty() && scene.is_over() {
        return skipped("The run is finished and has no hand-off.");
    }
    if fresh.is_empty() {
        // Else they may be in a folder that cannot be listed.
        let names = ["handoff-", "memory", "crucible-debug-"];
        if let Some(unread) = names.into_iter().find_map(|name| unread(run, name)) {
            return unread;
        }
        let text = if run.documents.stale_handoffs.is_empty() {
            "There is no hand-off between phases."
        } else if run.started_at.is_some() {
            "No hand-off was written during this run."
        } else {
            "When this run started is unknown, so no hand-off can be matched to it."
        };
        let remedy = "Tell the orchestrator the goal, the decisions and the constraints yourself.";
        return warn(text, remedy);
    }
    let goals = fresh.iter().filter_map(|doc| doc.what.goal.as_deref());
    let mut goals: Vec<&str> = goals.collect();
    goals.dedup();
    if goals.len() > 1 {
        let remedy = "Read them and tell the orchestrator which goal is right.";
        return warn("The hand-offs name different goals.", remedy);
    }
    let (one, several) = (
        "hand-off belongs to this run.",
        "hand-offs belong to this run and agree.",
    );
    pass(count_of(fresh.len(), one, several))
}

/// There is one mode file for the whole machine, so any project may have overwritten it.
pub(crate) fn mode(scene: &Scene<'_>) -> Made {
    let (run, world) = (scene.run, scene.world);
    if !run.is_build() {
        return Err(skipped("Only builds have a mode."));
    }
    if scene.is_over() {
        return Err(skipped("The run is finished, so nothing uses its mode."));
    }
    let Some(doc) = &run.documents.mode else {
        let unread = unread(run, "crucible-build-mode.md");
        return Ok(unread.unwrap_or_else(|| {
            warn(
                "The mode file is missing; crucible then uses feature mode.",
                "If this was a refactoring, say so when you resume.",
            )
        }));
    };
    let mut words = doc.what.split(|c: char| !c.is_ascii_alphanumeric());
    let sha = words.find(|word| is_commit_id(word));
    let mode = markdown::value(doc.what.lines(), "mode");
    let refactor = mode.is_some_and(|mode| mode.to_lowercase().starts_with("refactor"));
    let baseline = run.marker().and_then(|m| m.baseline_sha.as_deref());
    let same = |(sha, base): (&str, &str)| base.starts_with(sha) || sha.starts_with(base);
    if sha.zip(baseline).is_some_and(same) {
        return Ok(pass("The mode file names the commit this run started at."));
    }
    let in_project = run.work_tree().zip(sha);
    let found = in_project.map(|(path, sha)| world.git().find_commit(path, sha));
    let missing = matches!(found, Some(Err(GitError::Missing(_))));
    Ok(if refactor && missing {
        fail(
            "The mode file says refactor and names a commit that is not in this repository.",
            "Another project may have overwritten it; state the mode and the baseline when you resume.",
        )
    } else {
        warn(
            "The mode file does not name the commit this run started at; another project may have overwritten it.",
            "Say when you resume whether this is a feature or a refactoring.",
        )
    })
}

/// The gate ledger records that the phases before the current one passed.
pub(crate) fn ledger(run: &Run) -> Vec<Outcome> {
    if !run.is_build() {
        return skipped("Only builds have a gate ledger.").into();
    }
    let Some(doc) = &run.documents.ledger else {
        let none = || {
            warn(
                "There is no gate ledger of this run.",
                "Older builds keep none; a newer one will ask about the gates again.",
            )
        };
        let unread = unread(run, "build-gate-ledger.md");
        return unread.unwrap_or_else(none).into();
    };
    let current = run.work.current().map(|facts| facts.name.rank);
    let phases = run.work.phases.iter();
    let earlier = phases.filter(|f| current.is_none_or(|c| f.name.rank < c));
    let all = earlier.map(|facts| {
        let rank = |phase: &&LedgerPhase| run.rank(&phase.number) == Some(facts.name.rank);
        let about = Subject::Phase(facts.name.base.as_str().into());
        of_phase(doc.what.phases.iter().find(rank)).about(about)
    });
    let none = "No phase before the current one needs a gate.";
    or_pass(all.collect(), none)
}

fn of_phase(phase: Option<&LedgerPhase>) -> Outcome {
    let Some(phase) = phase else {
        let remedy = "A newer build will ask about its gate again.";
        return warn("The gate ledger does not mention it.", remedy);
    };
    match phase.status.as_str() {
        _ if phase.is_passed() => pass(format!("The gate ledger says {}.", phase.status)),
        "FAIL" => fail(
            "The gate ledger says FAIL; build refuses the next phase.",
            "Resume at this phase so that its gate runs again.",
        ),
        word => warn(
            format!("The gate ledger says {word}."),
            "A newer build will ask about its gate before it continues.",
        ),
    }
}
