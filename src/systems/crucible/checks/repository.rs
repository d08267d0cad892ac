//! F3, F4, F5: does the run still stand on the ground it began on — its marker, its branch, its first commit.

use crate::model::{Check, Verdict};
use crate::systems::crucible::facts::Run;
use crate::world::World;
use crate::world::git::{GitError, RepoFacts};

/// What git says about the project, asked once.
pub(crate) struct Ground {
    /// The repository; why not, in a sentence, where it cannot be asked.
    pub(crate) repo: Result<RepoFacts, String>,
}

impl Ground {
    /// Asks git.
    pub(crate) fn look(run: &Run, world: &dyn World) -> Self {
        let Some(path) = run.work_tree() else {
            let why =
                "The project of the run is not known; name it with --work-tree PATH.".to_owned();
            return Self { repo: Err(why) };
        };
        let asked = |error: GitError| format!("Git cannot be asked: {error}.");
        let repo = world.git().repo(path).map_err(asked);
        Self { repo }
    }

    /// F4: the work tree is on the branch that the marker recorded.
    pub(crate) fn branch(&self, run: &Run) -> Check {
        let subject = "branch guard";
        let repo = match &self.repo {
            Ok(repo) => repo,
            Err(why) => return Check::new("F4", subject, Verdict::Skipped, why.clone()),
        };
        let ask = "Type the branch with --branch NAME; it must be the one checked out.";
        let actual = repo.branch.as_ref().map(crate::model::Foreign::lossy);
        match (run.branch(), actual) {
            (Some(expected), Some(actual)) if expected == actual => {
                Check::new("F4", subject, Verdict::Pass, format!("The work tree is on {expected}, as the run was."))
            }
            (Some(expected), actual) => {
                let actual = actual.as_deref().unwrap_or("a detached HEAD");
                let text = format!(
                    "Pipeline was running on branch {expected} but you are on {actual}. Switch to {expected} before resuming — restoring a checkpoint from a different branch would contaminate your working directory."
                );
                Check::new("F4", subject, Verdict::Fail, text).remedy(format!("git switch {expected}"))
            }
            (None, Some(actual)) => {
                let text = format!("The run recorded no branch; the work tree is on {actual}.");
                Check::new("F4", subject, Verdict::Warn, text).remedy(ask)
            }
            (None, None) => Check::new(
                "F4",
                subject,
                Verdict::Warn,
                "The run recorded no branch and HEAD is detached; the commit it began at must be an ancestor.",
            )
            .remedy(ask),
        }
    }

    /// F5: the commit the run began at is an ancestor of HEAD.
    pub(crate) fn baseline(&self, run: &Run, world: &dyn World) -> Check {
        let check = |verdict, text: String| Check::new("F5", "baseline commit", verdict, text);
        let Some(sha) = run.marker().and_then(|m| m.baseline_sha.as_deref()) else {
            return check(
                Verdict::Skipped,
                "The run recorded no commit that it began at.".to_owned(),
            );
        };
        let (repo, path) = match (&self.repo, run.work_tree()) {
            (Ok(repo), Some(path)) => (repo, path),
            (Err(why), _) => return check(Verdict::Skipped, why.clone()),
            (_, None) => {
                return check(
                    Verdict::Skipped,
                    "The project of the run is not known.".to_owned(),
                );
            }
        };
        let base = match world.git().find_commit(path, sha) {
            Ok(commit) => commit.id,
            Err(GitError::Missing(_)) => {
                return check(
                    Verdict::Fail,
                    format!("The commit {sha} is not in the repository."),
                )
                .remedy("Fetch it, or name the right project with --work-tree PATH.");
            }
            Err(error) => return check(Verdict::Skipped, format!("Git cannot be asked: {error}.")),
        };
        let Some(head) = &repo.head else {
            return check(Verdict::Warn, "The branch has no commit.".to_owned())
                .remedy("Check out the branch the run was on.");
        };
        match world.git().is_ancestor(path, &base, head) {
            Ok(true) => check(Verdict::Pass, format!("{sha} is an ancestor of HEAD.")),
            Ok(false) => check(Verdict::Warn, format!("{sha} is not an ancestor of HEAD: history was rewritten, or another branch is checked out."))
                .remedy("Check out the branch the run was on, or compare its commits with git log."),
            Err(error) => check(Verdict::Skipped, format!("Git cannot be asked: {error}.")),
        }
    }
}

/// F3: the marker is there and agrees with the manifest.
pub(crate) fn marker(run: &Run) -> Check {
    let subject = "marker";
    let Some(marker) = run.marker() else {
        return Check::new(
            "F3",
            subject,
            Verdict::Warn,
            "There is no marker of this run, so nothing guards its branch.",
        )
        .remedy("Name the branch the run was on with --branch NAME before restoring anything.");
    };
    if marker.ancient {
        return Check::new(
            "F3",
            subject,
            Verdict::Warn,
            "The marker is one of the first design: it records neither phase nor branch.",
        )
        .remedy("Name the branch the run was on with --branch NAME before restoring anything.");
    }
    let told = marker.phase.as_deref().unwrap_or("none");
    let told_rank =
        crate::systems::crucible::facts::phase_order::understand(&run.skill, told).map(|p| p.rank);
    let highest = run.work.phases.iter().rev().find(|facts| facts.total > 0);
    match highest {
        Some(facts) if Some(facts.name.rank) != told_rank => Check::new(
            "F3",
            subject,
            Verdict::Warn,
            format!(
                "The marker is at phase {told}, the last dispatches are of phase {}.",
                facts.name.base
            ),
        )
        .remedy("The dispatches decide; look at the phase table before resuming."),
        _ => Check::new(
            "F3",
            subject,
            Verdict::Pass,
            format!("The marker names this session and phase {told}."),
        ),
    }
}
