//! The commits on the project's branch since the start of a run, queried once and only if a rule needs them.

use super::Run;
use crate::model::Stamp;
use crate::world::World;
use crate::world::git::{Commit, GitError};

/// How many commits of the branch are read.
const COMMITS: usize = 5_000;

/// The commits of the run's branch since its start commit, newest first; the error is a sentence.
pub(crate) fn read(run: &Run, world: &dyn World) -> Result<Vec<Commit>, String> {
    let Some(path) = run.work_tree() else {
        return Err(run.without_project());
    };
    let asked = |error: GitError| format!("git cannot answer: {error}.");
    let of_branch = run
        .branch()
        .and_then(|branch| world.git().branch_tip(path, branch).ok());
    let tip = if let Some(tip) = of_branch {
        tip
    } else {
        let head = world.git().repo(path).map_err(asked)?.head;
        head.ok_or_else(|| "The repository has no commit yet.".to_owned())?
    };
    let baseline = run.marker().and_then(|m| m.baseline_sha.as_deref());
    let base = baseline.and_then(|sha| world.git().find_commit(path, sha).ok());
    let base = base.as_ref().map(|commit| commit.id.as_str());
    world.git().log(path, &tip, base, COMMITS).map_err(asked)
}

/// The commits that were made in the time of the run; none if that is unknown.
pub(crate) fn of_run<'a>(
    run: &'a Run,
    world: &dyn World,
) -> impl Iterator<Item = &'a Commit> + use<'a> {
    let window = run.window;
    let all = run.commits(world).unwrap_or_default();
    all.iter()
        .filter(move |commit| window.from.is_some() && window.holds(Stamp::utc(commit.time)))
}
