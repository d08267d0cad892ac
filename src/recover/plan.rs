//! Compiles an intent into the one plan object used by every screen, `--json` and the executor.

mod losses;
mod needs;
mod paths;
mod tree;

use std::collections::BTreeSet;
use std::path::Path;

pub use needs::{Need, needs};
pub use paths::{hidden, written};
pub use tree::names_nothing;

use super::fingerprint::{Basis, Parts, fingerprint};
use super::guards;
use crate::model::{
    Action, ActionKind, Asked, CheckpointNeed, Drift, Foreign, Guard, Handoff, Intent, PathChange,
    Pipeline, Plan, PlanOptions, Preview, ResumePoint, Step, TreeFacts,
};

/// What a tree step would change, as the disk and git are now.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Measured {
    /// How far the work tree has moved.
    pub drift: Drift,
    /// The commit the work tree is at, 40 hex.
    pub head: Option<String>,
    /// Those of the drift's created paths that this commit holds.
    pub committed: BTreeSet<Foreign>,
    /// Whether anything that git tracks has changes that are in no commit, in the index or in the files.
    pub dirty: bool,
    /// Folders that hold nothing but created files, and that the checkpoint does not have.
    pub folders: Vec<Foreign>,
    /// Paths with changes that are in no commit, untracked ones among them.
    pub uncommitted: Vec<Foreign>,
    /// Why those are not known.
    pub uncommitted_unknown: Option<Foreign>,
    /// Those of the drift's paths that are append-only logs of any system: never overwritten, never moved aside.
    pub append_only: BTreeSet<Foreign>,
}

/// Everything a plan is compiled from.
pub struct Inputs<'a> {
    /// What was asked.
    pub asked: Asked,
    /// The judged pipeline.
    pub pipeline: &'a Pipeline,
    /// The chosen point.
    pub point: ResumePoint,
    /// What the system wants done there.
    pub intent: Intent,
    /// What the person said beside it.
    pub options: &'a PlanOptions,
    /// For each step of the intent, what it would change; `None` for steps that change no files of a tree.
    pub measured: Vec<Option<Measured>>,
    /// What was found of the work tree.
    pub tree: Option<TreeFacts>,
    /// Whether the pipeline's work tree is on no branch.
    pub detached: bool,
    /// Guards about the request itself, such as a tree that could not be measured.
    pub extra_guards: Vec<Guard>,
    /// What the plan was computed from, beside what is above.
    pub basis: Vec<Basis>,
}

/// Compiles the plan.
pub fn compile(inputs: Inputs<'_>) -> Plan {
    let Inputs {
        asked,
        pipeline,
        point,
        intent,
        options,
        measured,
        tree,
        detached,
        extra_guards,
        basis,
    } = inputs;
    let nothing = std::iter::repeat(None);
    let steps = intent
        .steps
        .iter()
        .zip(measured.iter().map(Option::as_ref).chain(nothing));
    let mut actions = Vec::new();
    let (mut left_out, mut kept_newer) = (Vec::new(), Vec::<(&Path, Foreign)>::new());
    let mut losses = losses::Losses::default();
    for (step, measured) in steps {
        match step {
            // What was left out is listed even where nothing remains to be done: the hand-off must not claim it restored.
            Step::RestoreTree {
                work_tree: tree, ..
            }
            | Step::ResetWorktree { worktree: tree, .. } => {
                let Some(measured) = measured else {
                    continue;
                };
                left_out.extend(paths::left_out(measured, options));
                let (action, newer) = tree::action(step, measured, options, &mut losses);
                kept_newer.extend(newer.into_iter().map(|path| (tree.as_path(), path)));
                actions.extend(action);
            }
            Step::RewindBranch { .. }
            | Step::ReplaceFile { .. }
            | Step::AppendLines { .. }
            | Step::TruncateRows { .. }
            | Step::MoveAside { .. } => actions.extend(action(step)),
        }
    }
    // What another action writes or moves is told as a change, not as what stays.
    kept_newer.retain(|(tree, path)| {
        let at = tree.join(paths::as_path(path));
        let is_tree = |kind| matches!(kind, ActionKind::RestoreTree | ActionKind::ResetWorktree);
        let mut others = actions.iter().filter(|action| !is_tree(action.kind));
        !others.any(|action| at.starts_with(&action.target))
    });
    let kept_newer = kept_newer.into_iter().map(|(_, path)| path).collect();
    let kinds: Vec<ActionKind> = actions.iter().map(|a| a.kind).collect();
    let mut all = vec![guards::liveness(&pipeline.standing.liveness, options)];
    all.extend(guards::tree(
        &kinds,
        intent.tree.as_ref(),
        tree.as_ref(),
        options,
    ));
    all.extend(intent.guards);
    all.extend(extra_guards);
    // A system or the tree may have asked about the branch already, and knows more.
    if !all.iter().any(|guard| guard.id == "branch") {
        all.extend(guards::handed_over(pipeline, detached, options));
    }
    answered(&mut all, options);
    // The worst news first; the order is otherwise kept.
    all.sort_by_key(|guard| guard.holds);
    let losses = losses.around(intent.losses);
    let checkpoint = match &point.boundary.checkpoint {
        CheckpointNeed::Found(checkpoint) => Some(checkpoint.id.clone()),
        CheckpointNeed::None | CheckpointNeed::Missing { .. } => None,
    };
    // After the answers, so that a consent given to an open question is not one to its answer.
    let fingerprint = fingerprint(&Parts {
        pipeline: &pipeline.id,
        point: &point.boundary.id,
        checkpoint: checkpoint.as_deref(),
        options,
        actions: &actions,
        guards: &all,
        liveness: &pipeline.standing.liveness,
        tree: tree.as_ref(),
        basis: &basis,
    });
    Plan {
        asked,
        fingerprint,
        pipeline: pipeline.id.clone(),
        kept: intent.kept,
        redone: intent.redone,
        destructive: actions.iter().any(destroys),
        actions,
        guards: all,
        warnings: point.boundary.warnings.clone(),
        left_out,
        kept_newer,
        losses,
        // It names the fingerprint's file, so it is made from the finished plan.
        handoff: Handoff::default(),
        point,
    }
}

/// The questions that the person has answered.
fn answered(guards: &mut [Guard], options: &PlanOptions) {
    // Only questions: no answer makes a refusal hold.
    for guard in guards.iter_mut().filter(|guard| guard.is_open()) {
        if options.accept.iter().any(|id| *id == guard.id) {
            guard.holds = true;
            guard.would_hold_if = None;
        }
    }
}

/// A step that changes no files of a tree as an action; `None` where nothing would change.
pub fn action(step: &Step) -> Option<Action> {
    match step {
        Step::RestoreTree { .. } | Step::ResetWorktree { .. } => None,
        Step::RewindBranch {
            worktree,
            commit,
            summary,
        } => {
            let preview = Preview::Tree {
                store: worktree.clone(),
                commit: commit.clone(),
            };
            Some(file_action(
                ActionKind::ResetWorktree,
                worktree,
                summary,
                preview,
            ))
        }
        Step::ReplaceFile {
            path,
            expect,
            content,
            clock,
            summary,
            // The same bytes again would be an empty action that still asks for consent.
        } => (expect.as_ref() != Some(content)).then(|| {
            let preview = Preview::Content {
                before: expect.clone(),
                after: content.clone(),
                clock: *clock,
            };
            file_action(ActionKind::ReplaceFile, path, summary, preview)
        }),
        Step::AppendLines {
            path,
            lines,
            clock,
            summary,
        } => (!lines.is_empty()).then(|| {
            let appended = lines
                .iter()
                .map(|line| Foreign::from(line.as_str()))
                .collect();
            file_action(
                ActionKind::AppendLines,
                path,
                summary,
                Preview::Lines {
                    appended,
                    clock: *clock,
                },
            )
        }),
        Step::TruncateRows {
            path,
            expect,
            keep_bytes,
            summary,
        } => {
            let gone = expect.get(*keep_bytes..).filter(|gone| !gone.is_empty())?;
            let removed = Foreign::from(gone).lines().collect();
            Some(file_action(
                ActionKind::TruncateRows,
                path,
                summary,
                Preview::Rows {
                    removed,
                    before: expect.clone(),
                    keep_bytes: *keep_bytes,
                },
            ))
        }
        Step::MoveAside { from, to, summary } => Some(file_action(
            ActionKind::MoveAside,
            from,
            summary,
            Preview::Rename { to: to.clone() },
        )),
    }
}

fn file_action(kind: ActionKind, target: &Path, summary: &Foreign, preview: Preview) -> Action {
    Action {
        kind,
        target: target.to_owned(),
        summary: summary.clone(),
        changes: None,
        paths: Vec::new(),
        preview,
    }
}

/// Whether an action replaces, cuts or moves bytes that are there, or takes commits off a branch.
fn destroys(action: &Action) -> bool {
    match &action.preview {
        _ if action.kind == ActionKind::ResetWorktree => true,
        Preview::Tree { .. } => action
            .paths
            .iter()
            .any(|p| matches!(p.change, PathChange::Write | PathChange::Remove)),
        Preview::Content { before, .. } => before.is_some(),
        Preview::Rows { removed, .. } => !removed.is_empty(),
        Preview::Lines { .. } => false,
        Preview::Rename { .. } | Preview::Kept { .. } => true,
    }
}

#[cfg(test)]
mod tests;
