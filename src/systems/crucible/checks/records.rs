//! F1 to F5: the manifest, the marker, the branch and the first commit of the run.

use super::Scene;
use crate::model::{Foreign, Guard};
use crate::systems::crucible::facts::work::PhaseFacts;
use crate::systems::crucible::facts::{Run, evidence, phase_order};
use crate::systems::crucible::shape::Manifest;
use crate::systems::kit::checks::{Made, Outcome, fail, pass, skipped, warn};
use crate::text::Shown as _;
use crate::text::format::{count, count_of, list_first, short_id};
use crate::world::World;
use crate::world::git::{GitError, RepoFacts, head_facts};

fn manifest(run: &Run) -> Result<&Manifest, Outcome> {
    run.manifest.as_deref().ok_or_else(|| {
        let problem = evidence::manifest_problem(run);
        let text = format!("{problem}, so nothing that it records can be verified.");
        skipped(text)
    })
}

pub(crate) fn integrity(run: &Run, world: &dyn World) -> Made {
    let Some((path, odd)) = &run.sources.unreadable_manifest else {
        return integrity_of_used(run, world);
    };
    let text = format!("{} {}", path.shown(), odd.problem);
    if run.manifest.is_none() {
        let text = format!("{text}. Nothing that it records can be verified.");
        return Ok(fail(text, odd.remedy.as_str()));
    }
    let of_copy = warn(
        format!("{text}. A copy of it is used."),
        odd.remedy.as_str(),
    );
    Ok(integrity_of_used(run, world)?.after(of_copy))
}

fn integrity_of_used(run: &Run, world: &dyn World) -> Made {
    let manifest = manifest(run)?;
    let lines = manifest.rows.len();
    let read = count(lines, "line");
    let compare = "Compare the plan's tasks with git log before you resume.";
    if lines == 0 && manifest.bad_count == 0 && run.files.places.is_empty() {
        if evidence::is_not_started(run, world) {
            return Ok(pass("The manifest is empty: nothing was dispatched yet."));
        }
        let text = "The manifest is empty, and there is no dispatch file: if anything was dispatched, there is no record of it.";
        return Ok(warn(text, compare));
    }
    if lines == 0 {
        return Ok(fail(
            "Manifest is empty or entirely corrupted. Cannot resume.",
            "Look for another copy of manifest.jsonl and open it by its path: relight show PATH.",
        ));
    }
    let cut_off = run.work.cut_off.first().map(|first| {
        format!(
            "the outcome of dispatch {first} is missing, although later records show that the run left its phase."
        )
    });
    let damaged = (manifest.bad_count > 0).then(|| damaged(manifest));
    Ok(match (damaged, cut_off) {
        (None, None) => pass(format!("Every line can be read ({read}).")),
        (None, Some(cut)) => {
            let text = format!("{read} can be read, but the manifest ends early: {cut}");
            warn(text, compare)
        }
        (Some((what, remedy)), None) => warn(format!("{read} can be read; {what}"), remedy),
        (Some((what, remedy)), Some(cut)) => {
            let text = format!("{read} can be read; {what} The manifest ends early: {cut}");
            warn(text, format!("{remedy} {compare}"))
        }
    })
}

/// The lines that cannot be read, and what to do about them.
fn damaged(manifest: &Manifest) -> (String, &'static str) {
    let what = if manifest.only_torn {
        "only the last line is truncated".to_owned()
    } else {
        let skipped = count_of(manifest.bad_count, "line is skipped", "lines are skipped");
        let numbers = list_first(manifest.bad.iter().map(|bad| bad.number), 5);
        format!("{skipped} (line {numbers})")
    };
    if manifest.ended {
        let remedy = "Nothing to repair; look at the skipped lines of the file before you resume.";
        return (format!("{what}."), remedy);
    }
    let unended =
        "The file does not end in a newline, so the next entry would be appended to its last line.";
    let remedy = "Look at the last line of the file. The hand-off says to end it with a newline before the next entry.";
    (format!("{what}. {unended}"), remedy)
}

pub(crate) fn order(run: &Run) -> Made {
    let manifest = manifest(run)?;
    let mut odd: Vec<String> = Vec::new();
    let (mut expected, mut gaps) = (1, 0_u64);
    for entry in &manifest.entries {
        let seq = entry.seq;
        let missing = seq.saturating_sub(expected);
        gaps += u64::from(missing > 0);
        if odd.len() < 5 {
            match missing {
                0 => {}
                1 => odd.push(format!("{expected} is missing")),
                _ => odd.push(format!("{expected} to {} are missing", seq - 1)),
            }
            if entry.prefix_mismatch {
                odd.push(format!("the file of {seq} starts with another number"));
            }
            if entry.role_changed {
                odd.push(format!("{seq} was used for two roles"));
            }
        }
        expected = seq.saturating_add(1);
    }
    odd.truncate(5);
    if odd.is_empty() {
        let dispatches = count(manifest.entries.len(), "dispatch");
        return Ok(pass(format!("{dispatches} without a gap.")));
    }
    let gaps = (gaps > 5).then(|| format!(" ({gaps} gaps in all)"));
    let gaps = gaps.unwrap_or_default();
    Ok(warn(
        format!("{}{gaps}.", odd.join("; ")),
        "New dispatches get the highest number plus one; compare the named entries in the timeline.",
    ))
}

pub(crate) fn look(run: &Run, world: &dyn World) -> Result<RepoFacts, String> {
    let path = run.work_tree().ok_or_else(|| run.without_project())?;
    world.git().repo(path).map_err(|error| unanswered(&error))
}

fn unanswered(error: &GitError) -> String {
    format!("git cannot read it: {error}.")
}

/// The marker exists and agrees with the manifest.
pub(crate) fn marker(scene: &Scene<'_>) -> Outcome {
    let run = scene.run;
    let damaged = &run.sources.damaged_marker;
    if scene.is_over() && damaged.is_none() {
        return pass("The run is finished, so its marker was removed.");
    }
    let name_branch =
        "Name the branch the run was on with --branch NAME before you restore anything.";
    let Some(marker) = run.marker() else {
        let text = match damaged {
            Some((path, how)) => format!(
                "The marker {} is {how}, so the branch of the run is unknown.",
                path.shown()
            ),
            None => "There is no marker of this run, so its branch is unknown.".to_owned(),
        };
        return warn(text, name_branch);
    };
    if marker.ancient {
        let text = "The marker is one of the first versions: it records neither phase nor branch.";
        return warn(text, name_branch);
    }
    let phase = marker.phase.as_deref().unwrap_or("none");
    let rank = run.rank(phase);
    let highest = run.work.phases.iter().rev().find(|facts| facts.total > 0);
    // A phase that was just entered has no dispatch yet.
    let entered = |facts: &PhaseFacts| {
        let mut later = phase_order::all(&run.skill).into_iter();
        let next = later.find(|phase| phase.rank > facts.name.rank);
        facts.done == facts.total && next.map(|phase| phase.rank) == rank
    };
    match highest {
        Some(facts) if Some(facts.name.rank) != rank && !entered(facts) => warn(
            format!(
                "The marker is at phase {phase}, the last dispatches are of phase {}.",
                facts.name.base
            ),
            "The dispatches decide; look at the phase table before you resume.",
        ),
        _ => pass(format!("The marker names this session and phase {phase}.")),
    }
}

/// What no marker says, as the start of a sentence. An unreadable one may say it.
fn unrecorded(run: &Run, what: &str) -> String {
    match run.sources.damaged_marker {
        Some((_, how)) => format!("The {what} is unknown, because the marker is {how}"),
        None => format!("The run recorded no {what}"),
    }
}

/// The work tree is on the branch that the marker recorded.
pub(crate) fn branch(scene: &Scene<'_>) -> Made {
    if scene.run.lost_project().is_some() && !scene.is_over() {
        let remedy = "Bring the directory back, or name where it is now with --work-tree PATH.";
        return Ok(fail(scene.run.without_project(), remedy));
    }
    let repo = scene.repo.as_ref().map_err(|why| skipped(why.as_str()))?;
    let ask = "Name the branch with --branch NAME; it must be the one checked out.";
    let actual = repo.branch.as_ref().map(Foreign::lossy);
    let work_tree = scene.run.work_tree().unwrap_or(&repo.git_dir);
    Ok(match (scene.run.branch(), actual) {
        (Some(expected), Some(actual)) if expected == actual => {
            pass(format!("The work tree is on {expected}, as the run was."))
        }
        (Some(expected), actual) => {
            let actual = actual.as_deref().unwrap_or("a detached HEAD");
            let text = format!(
                "Pipeline was running on branch {expected} but you are on {actual}. Switch to {expected} before resuming — restoring a checkpoint from a different branch would contaminate your working directory."
            );
            let head = head_facts(scene.world.git(), work_tree, repo);
            let expected = Foreign::from(expected);
            fail(text, Guard::switch(work_tree, Some(&expected), &head))
        }
        _ if scene.is_over() => {
            let was = scene
                .run
                .record()
                .and_then(|marker| marker.branch.as_deref());
            let text = was.map_or_else(
                || "The run is finished and recorded no branch.".to_owned(),
                |was| format!("The run is finished; it was on {was}."),
            );
            return Err(skipped(text));
        }
        (None, Some(actual)) => warn(
            format!(
                "{}; the work tree is on {actual}.",
                unrecorded(scene.run, "branch")
            ),
            ask,
        ),
        (None, None) => {
            let no_branch = unrecorded(scene.run, "branch");
            let text = format!(
                "{no_branch} and HEAD is detached; the commit it started at must be an ancestor."
            );
            warn(text, ask)
        }
    })
}

/// The start commit of the run is an ancestor of HEAD.
pub(crate) fn baseline(scene: &Scene<'_>) -> Made {
    let (run, git) = (scene.run, scene.world.git());
    let sha = run.marker().and_then(|m| m.baseline_sha.as_deref());
    let sha = sha.ok_or_else(|| {
        let over = "The run is finished, so its start commit is not checked.".to_owned();
        let unrecorded = || format!("{}.", unrecorded(run, "start commit"));
        skipped(
            run.finished
                .marker
                .as_ref()
                .map_or_else(unrecorded, |_| over),
        )
    })?;
    let repo = scene.repo.as_ref().map_err(|why| skipped(why.as_str()))?;
    let path = run.work_tree();
    let path = path.ok_or_else(|| skipped("The project of the run is unknown."))?;
    let base = match git.find_commit(path, sha) {
        Ok(commit) => commit.id,
        Err(GitError::Missing(_)) => {
            // In full, because it is to be fetched.
            return Ok(fail(
                format!("The commit {sha} is not in the repository."),
                "Fetch it, or name the right project with --work-tree PATH.",
            ));
        }
        Err(error) => return Err(skipped(unanswered(&error))),
    };
    let Some(head) = &repo.head else {
        let remedy = "Check out the branch the run was on.";
        return Ok(warn("The branch has no commit.", remedy));
    };
    let sha = short_id(&base);
    match git.is_ancestor(path, &base, head) {
        Ok(true) => Ok(pass(format!("{sha} is an ancestor of HEAD."))),
        Ok(false) => Ok(warn(
            format!(
                "{sha} is not an ancestor of HEAD: history was rewritten, or another branch is checked out."
            ),
            "Check out the branch the run was on, or compare its commits with git log.",
        )),
        Err(error) => Err(skipped(unanswered(&error))),
    }
}
