//! `restore --checkpoint`: a plan that restores files from one checkpoint and changes nothing else. relight's own
//! checkpoints are in [`own`].

mod boundary;
mod own;
mod purge;

use std::path::{Path, PathBuf};

use super::{Engine, EngineError, ErrorKind, Opened, Result};
use crate::foreign;
use crate::model::{
    Checkpoint, CheckpointKind, CheckpointNeed, Foreign, Guard, Intent, Loss, Pipeline, PointKind,
    ResumePoint, Step, TreeNeed, Verdict, short_id,
};
use crate::text::Shown as _;

/// The checkpoint that an id, or an unambiguous beginning of one, means.
pub(super) fn find<'a>(
    checkpoints: &'a [Checkpoint],
    id: &str,
    pipeline: &Pipeline,
) -> Result<&'a Checkpoint> {
    let exact = checkpoints.iter().find(|c| c.id == id);
    let begun = checkpoints.iter();
    let begun = begun.filter(|c| id.len() >= 4 && c.id.starts_with(id));
    let begun: Vec<&Checkpoint> = begun.collect();
    match (exact, begun.as_slice()) {
        (Some(found), _) => Ok(found),
        (None, [only]) => Ok(*only),
        (None, [_, _, ..]) => {
            let text = format!("{id} matches {} checkpoints.", begun.len());
            let said = begun.iter().map(|one| {
                let taken = one.taken_at.map(|at| format!(", {}", at.words()));
                let (id, reason) = (one.id.as_str(), &one.reason);
                foreign!("{}: {}{}", id, reason, taken.unwrap_or_default())
            });
            Err(hinted(EngineError::ambiguous(text, said), pipeline))
        }
        (None, []) => {
            let known = checkpoints.iter().map(|c| c.id.as_str());
            let text = format!("There is no checkpoint {id}.");
            let error = EngineError::new(ErrorKind::NotFound, text).near(id, known);
            let findings = pipeline.reading.findings.iter();
            let mut unread = findings.filter(|finding| finding.code == "unread-history");
            let error = error.hints(unread.next().map(|finding| &finding.text));
            Err(hinted(error, pipeline))
        }
    }
}

fn hinted(error: EngineError, pipeline: &Pipeline) -> EngineError {
    let id = &pipeline.id;
    let list = format!("relight checkpoints {id} lists them with their ids.");
    error.hint(list)
}

/// The point that stands for a restore of files: the one that this checkpoint belongs to, else one that is only
/// about the files.
pub(super) fn point(points: &[ResumePoint], checkpoint: &Checkpoint) -> ResumePoint {
    let of_it = |point: &&ResumePoint| {
        let found = point.boundary.checkpoint.found();
        found.is_some_and(|found| found.id == checkpoint.id)
    };
    let found = points.iter().find(of_it).cloned();
    found.unwrap_or_else(|| files_of(checkpoint))
}

/// A restore that belongs to no point: it describes itself, and nothing that a point would do.
fn files_of(checkpoint: &Checkpoint) -> ResumePoint {
    let label = format!("Files of checkpoint {}", short_id(&checkpoint.id));
    ResumePoint::by_hand(
        ("checkpoint".to_owned(), label.into()),
        PointKind::CurrentState,
        Verdict::Skipped,
        CheckpointNeed::Found(checkpoint.clone()),
        "Only the files of this checkpoint are restored; nothing is resumed.",
    )
}

impl Engine {
    /// Leaves of an intent only the restore of this checkpoint's files. Gives the paths it is limited to where
    /// the person chose none.
    pub(super) fn only_files(
        &self,
        intent: &mut Intent,
        checkpoint: &Checkpoint,
        opened: &Opened,
    ) -> Result<Vec<PathBuf>> {
        let pipeline = &opened.pipeline;
        let (store, place) = match &checkpoint.kind {
            CheckpointKind::Shadow { store } => {
                let place = Home {
                    work_tree: pipeline.reading.work_tree.clone().ok_or_else(nowhere)?,
                    branch: opened.recorded_branch().cloned(),
                    only: Vec::new(),
                };
                (store.clone(), place)
            }
            CheckpointKind::Commit { repo } => (repo.clone(), self.home(repo, checkpoint, opened)?),
            CheckpointKind::File { .. }
            | CheckpointKind::Folder { .. }
            | CheckpointKind::Record { .. } => return Err(no_files(checkpoint, pipeline)),
        };
        let of_commit = matches!(checkpoint.kind, CheckpointKind::Commit { .. });
        // What is recorded for the point's own restore says more than the pipeline's facts do.
        let known = intent.tree.take();
        let known = known.filter(|need| need.work_tree == place.work_tree);
        let own = || TreeNeed::on(&place.work_tree, place.branch);
        intent.tree = Some(known.unwrap_or_else(own));
        let stays = |guard: &Guard| guard.holds || guard.id == "main_branch";
        intent.guards.retain(stays);
        let cannot = checkpoint.cannot.iter().cloned();
        intent.losses = cannot.map(Loss::not_restored).collect();
        if of_commit {
            intent.losses.push(Loss::not_restored(
                "The branch and its index do not change, so git status shows the restored files as modified.",
            ));
        }
        intent.steps = vec![Step::RestoreTree {
            store,
            commit: checkpoint.id.clone(),
            work_tree: place.work_tree,
        }];
        Ok(place.only)
    }

    /// The work tree that a commit belongs to: the one on the branch it was taken from, else the pipeline's
    /// own, if its history holds the commit.
    pub(super) fn home(
        &self,
        repo: &Path,
        checkpoint: &Checkpoint,
        opened: &Opened,
    ) -> Result<Home> {
        let pipeline = &opened.pipeline;
        let git = self.world.git();
        let trees = git.worktrees(repo).unwrap_or_default();
        let mut trees = trees.into_iter().filter(|tree| !tree.prunable);
        let of_branch = trees.find(|tree| tree.branch.as_ref() == Some(&checkpoint.source));
        if let Some(tree) = of_branch {
            return Ok(Home {
                work_tree: tree.path,
                branch: tree.branch,
                only: Vec::new(),
            });
        }
        let top = |path: &Path| git.repo(path).ok();
        let own = pipeline.reading.work_tree.as_deref().and_then(top);
        let found = own.or_else(|| top(repo)).and_then(|facts| {
            let (work_tree, head) = (facts.work_tree?, facts.head?);
            let holds = git.is_ancestor(&work_tree, &checkpoint.id, &head);
            holds.unwrap_or(false).then_some((work_tree, facts.branch))
        });
        let (work_tree, actual) = found.ok_or_else(|| elsewhere(checkpoint))?;
        let recorded = opened.recorded_branch().cloned();
        let only = pipeline.reading.root.strip_prefix(&work_tree).ok();
        let only =
            only.filter(|rel| !rel.as_os_str().is_empty() && opened.case.owns_only_its_folder());
        Ok(Home {
            branch: recorded.filter(|branch| !branch.is_empty()).or(actual),
            only: only.map(Path::to_owned).into_iter().collect(),
            work_tree,
        })
    }
}

/// Where the files of a checkpoint belong.
pub(super) struct Home {
    pub(super) work_tree: PathBuf,
    branch: Option<Foreign>,
    /// The folders that contain them; empty for all.
    pub(super) only: Vec<PathBuf>,
}

fn nowhere() -> EngineError {
    let text = "The project of this run cannot be found, so there is nowhere to restore to.";
    EngineError::refused(text).hint("Name the project with --work-tree PATH.")
}

fn no_files(checkpoint: &Checkpoint, pipeline: &Pipeline) -> EngineError {
    let what = match checkpoint.kind {
        CheckpointKind::File { .. } => "a copy of one of the pipeline's own files",
        CheckpointKind::Folder { .. } => "a directory that the pipeline itself keeps",
        CheckpointKind::Shadow { .. }
        | CheckpointKind::Commit { .. }
        | CheckpointKind::Record { .. } => "a record in the pipeline's own state",
    };
    let text =
        format!("This checkpoint is {what}; no files of the work tree can be restored from it.");
    let list = format!("relight points {} lists the points", pipeline.id);
    EngineError::usage(text).hint(format!("{list}; relight resume takes one of them."))
}

fn elsewhere(checkpoint: &Checkpoint) -> EngineError {
    let id = short_id(&checkpoint.id);
    let text = format!("No work tree is on a branch that contains commit {id}.");
    let source = checkpoint.source.shown();
    let hint = "check that branch out in a worktree first.";
    EngineError::refused(text).hint(format!("The commit is on {source}; {hint}"))
}

#[cfg(test)]
mod tests;
