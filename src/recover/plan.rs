//! Compiles an intent into the one plan that every screen, `--json` and the executor use.

mod losses;
mod needs;
mod paths;
mod tree;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub use needs::{Need, needs};
pub use paths::{Decided, hidden};
pub use tree::names_nothing;

use super::fingerprint::fingerprint;
use super::guards;
use crate::model::{
    Action, ActionKind, Asked, Basis, BranchMove, Drift, Fingerprint, Foreign, Guard, Handoff,
    Intent, LossKind, PathChange, PathState, Pipeline, Plan, PlanOptions, PointChoice, Preview,
    ResumePoint, Step, TreeFacts,
};

/// What a tree step would change, given the current state of the disk and git.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Measured {
    /// How far the work tree has moved.
    pub drift: Drift,
    /// The commit the work tree is at, 40 hex.
    pub head: Option<String>,
    /// The commits between that one and the commit that the branch is reset to.
    pub branch: BranchMove,
    /// The created paths of the drift that this commit contains.
    pub committed: BTreeSet<Foreign>,
    /// Whether any tracked file has uncommitted changes, in the index or in the work tree.
    pub dirty: bool,
    /// Directories that contain nothing but created files and that the checkpoint does not have.
    pub folders: Vec<Foreign>,
    /// Paths with uncommitted changes, untracked ones included.
    pub uncommitted: Vec<Foreign>,
    /// Why the uncommitted paths are not known.
    pub uncommitted_unknown: Option<Foreign>,
    /// The drift's paths that are append-only logs of any system. They are never overwritten and never moved.
    pub append_only: BTreeSet<Foreign>,
    /// The created paths that are records of the pipeline, or that another step of the plan changes: they are not work,
    /// and no commit contains them.
    pub records: BTreeSet<Foreign>,
}

impl Measured {
    /// Notes which of the created paths are among these records, as far as git does not track them.
    pub fn note_records(&mut self, tree: &Path, records: &[PathBuf]) {
        let is_one = |path: &Foreign| {
            let at = tree.join(path.as_path());
            records.iter().any(|record| at.starts_with(record)) && !self.committed.contains(path)
        };
        let created = self.drift.paths.iter();
        let created = created.filter(|path| path.state == PathState::Created);
        let found = created.map(|path| &path.path).filter(|path| is_one(path));
        self.records = found.cloned().collect();
    }
}

/// Everything a plan is compiled from.
pub struct Inputs<'a> {
    /// What was asked.
    pub asked: Asked,
    /// The judged pipeline.
    pub pipeline: &'a Pipeline,
    /// The chosen point.
    pub point: ResumePoint,
    /// What the system wants to do there.
    pub intent: Intent,
    /// The options that the person chose.
    pub options: &'a PlanOptions,
    /// For each step of the intent, what it would change; `None` for steps that do not change a tree.
    pub decided: Vec<Option<Decided>>,
    /// The facts about the work tree.
    pub tree: Option<TreeFacts>,
    /// What is found of the pipeline's own work tree.
    pub head: Option<TreeFacts>,
    /// Guards about the request itself, such as a tree that could not be measured.
    pub extra_guards: Vec<Guard>,
    /// What else the plan was computed from.
    pub basis: Vec<Basis>,
}

/// The question whether the recorded branch is checked out in a repository that cannot be read.
pub const UNREAD_BRANCH: &str = "gate:branch";

/// Compiles the plan.
pub fn compile(inputs: Inputs<'_>) -> Plan {
    let (pipeline, intent, options) = (inputs.pipeline, inputs.intent, inputs.options);
    let (liveness, tree) = (&pipeline.standing.liveness, inputs.tree.as_ref());
    let changes = changes(&intent.steps, inputs.decided, options);
    let actions = changes.actions;
    let kinds: Vec<ActionKind> = actions.iter().map(|a| a.kind).collect();
    let mut guards = vec![guards::liveness(liveness, options)];
    guards.extend(guards::tree(&kinds, intent.tree.as_ref(), tree, options));
    guards.extend(intent.guards);
    guards.extend(inputs.extra_guards);
    // A system or the tree guards may have asked about the branch already, with more knowledge.
    if !guards.iter().any(|guard| guard.id == "branch") {
        let recorded = guards::handed_over(pipeline, inputs.head.as_ref(), options);
        let need = intent.tree.as_ref().filter(|_| hands_over(&inputs.asked));
        let unrecorded = || guards::unrecorded(need, tree, options);
        guards.extend(recorded.or_else(unrecorded));
    }
    // What refuses because the repository cannot be read needs no question about the same.
    if guards
        .iter()
        .any(|guard| guard.id == "git_state" && guard.refuses())
    {
        guards.retain(|guard| guard.id != UNREAD_BRANCH);
    }
    answered(&mut guards, options);
    // Failed guards first; the order is otherwise kept. The sort is stable.
    guards.sort_by_key(|guard| guard.holds);
    let mut own = intent.losses;
    // Where the files match the checkpoint already, what its restore would overwrite is not overwritten.
    if intent.steps.iter().any(|step| step.tree().is_some()) && actions.is_empty() {
        own.retain(|loss| loss.kind != LossKind::Overwritten);
    }
    let mut plan = Plan {
        asked: inputs.asked,
        fingerprint: Fingerprint(String::new()),
        basis: inputs.basis,
        pipeline: pipeline.id.clone(),
        // The conversations that tell are the engine's to ask.
        cause: None,
        kept: intent.kept,
        redone: intent.redone,
        destructive: actions.iter().any(destroys),
        actions,
        guards,
        warnings: inputs.point.boundary.warnings.clone(),
        left_out: changes.left_out,
        kept_newer: changes.kept_newer,
        losses: changes.losses.around(own),
        // The hand-off names a file by the fingerprint, so it needs the finished plan.
        handoff: Handoff::default(),
        point: inputs.point,
    };
    // After the answers, so that a consent given while a question was open does not also cover its answer.
    plan.fingerprint = fingerprint(&plan, options, liveness.verdict, tree);
    plan
}

/// Whether a plan resumes something: a restore of a checkpoint's files does not.
const fn hands_over(asked: &Asked) -> bool {
    match asked {
        Asked::Resume { choice, .. } => !matches!(choice, PointChoice::Checkpoint(_)),
        Asked::Undo { .. } => false,
    }
}

/// What the steps of an intent change, and what they leave.
#[derive(Default)]
struct Changes {
    actions: Vec<Action>,
    left_out: Vec<Foreign>,
    kept_newer: Vec<Foreign>,
    losses: losses::Losses,
}

fn changes(steps: &[Step], decided: Vec<Option<Decided>>, options: &PlanOptions) -> Changes {
    let mut changes = Changes::default();
    changes.losses.several = steps.iter().filter_map(Step::tree).nth(1).is_some();
    // A file that another action writes or moves is listed as a change, not as kept.
    let others = steps.iter().filter_map(Step::change);
    let others = others.filter(|action| !action.kind.touches_tree());
    let others: Vec<&Path> = others.map(|action| action.target.as_path()).collect();
    let nothing = std::iter::repeat_with(|| None);
    for (step, decided) in steps.iter().zip(decided.into_iter().chain(nothing)) {
        let Some(of_tree) = step.tree() else {
            changes.actions.extend(step.change().cloned());
            continue;
        };
        let Some(decided) = decided else {
            continue;
        };
        // Paths that were left out are listed even if nothing else changes: the hand-off must not claim that they were
        // restored.
        changes
            .left_out
            .extend(paths::left_out(&decided.measured, options));
        let losses = &mut changes.losses;
        let (kind, work_tree, ..) = of_tree;
        losses.left_out(decided.not_chosen(kind, options).iter());
        let is_kept = |path: &Foreign| {
            let at = work_tree.join(path.as_path());
            !others.iter().any(|target| at.starts_with(target))
        };
        let (action, newer) = tree::action(of_tree, (decided, &is_kept), options, losses);
        changes.kept_newer.extend(newer);
        changes.actions.extend(action);
    }
    changes
}

/// The questions that the person has answered.
fn answered(guards: &mut [Guard], options: &PlanOptions) {
    // Only questions: no answer can override a refusal.
    for guard in guards.iter_mut().filter(|guard| guard.is_open()) {
        if options.accept.iter().any(|id| *id == guard.id) {
            guard.holds = true;
            guard.would_hold_if = None;
        }
    }
}

/// Whether an action replaces, truncates or moves existing bytes, or takes commits off a branch.
fn destroys(action: &Action) -> bool {
    match &action.preview {
        _ if action.kind == ActionKind::ResetWorktree => true,
        Preview::Tree { .. } => action
            .paths
            .iter()
            .any(|p| matches!(p.change, PathChange::Write | PathChange::Remove)),
        Preview::Content { before, .. } => before.is_some(),
        Preview::Rows { removed, .. } => !removed.is_empty(),
        Preview::Lines { .. } | Preview::Appended { .. } => false,
        Preview::Rename { .. } | Preview::Kept { .. } => true,
    }
}

#[cfg(test)]
mod tests;
