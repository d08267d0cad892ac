//! From a point to a plan: the intent, the current state of git and the files, and the digest of all of it.

mod basis;
mod questions;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use super::choosing::{at_seq, pick};
use super::{Dossier, Engine, EngineError, ErrorKind, Opened, Result, checkpoints, unwritable};
use crate::conversations::find::Depth;
use crate::model::{
    Asked, Checkpoint, CheckpointKind, Drift, Foreign, Guard, Handoff, Intent, LossKind,
    PipelineId, Plan, PlanOptions, PointChoice, PointKind, Prospect, RecoveryId, ResumePoint, Step,
    TreeFacts, TreeNeed,
};
use crate::recover;
use crate::recover::failed_checks::failed_checks;
use crate::recover::plan::{Decided, Inputs, UNREAD_BRANCH, compile};
use crate::text::Shown as _;
use crate::world::World;
use crate::world::git::{Git, head_facts};

/// How many paths one thread looks at.
pub(super) const PART: usize = 64;

impl Engine {
    /// The dry run.
    pub fn plan(
        &self,
        id: &PipelineId,
        choice: &PointChoice,
        options: &PlanOptions,
    ) -> Result<Plan> {
        // One look for all of it: the state of a work tree is the longest question, and asked from several places.
        // That nothing changes until the exchange is the transaction's own concern.
        let world = &self.cached();
        let opened = self.reopen_in(id, world)?;
        let dossier = self.dossier_of(&opened, opened.verify(world), world);
        let mut plan = self.compiled(&opened, &dossier, choice, options, Depth::All, world)?;
        let failed = failed_checks(&plan, &dossier.checks);
        plan.warnings.extend(failed);
        questions::known_questions(&plan, options)?;
        let of_files = matches!(choice, PointChoice::Checkpoint(_));
        if of_files {
            files_alone(&mut plan);
        } else {
            self.explain(&mut plan, &opened, world);
        }
        let own = if of_files {
            Handoff::default()
        } else {
            self.handoff(&plan, &dossier, &opened, world)
        };
        // What is said and what is launched is part of what the person agrees to.
        plan.fingerprint = recover::fingerprint::with_words(&plan, &own);
        plan.handoff = recover::handoff::finish(own, &plan);
        Ok(plan)
    }

    /// What refuses the plan of the recommended point, and with it everything else that would let a pipeline go on where
    /// it is. For a list, a work tree is compared with a checkpoint only where that decides.
    pub(super) fn refusals(&self, opened: &Opened, depth: Depth, world: &dyn World) -> Vec<Guard> {
        // Verifying reads far more than listing does, and only ever moves the point to an earlier one.
        let checks = match depth {
            Depth::List => Vec::new(),
            Depth::All => opened.verify(world),
        };
        let dossier = self.dossier_of(opened, checks, world);
        let options = PlanOptions::default();
        let recommended = &PointChoice::Recommended;
        let plan = self.compiled(opened, &dossier, recommended, &options, depth, world);
        let guards = plan.map_or_else(
            // Without a recommended point, what every plan with a hand-off asks.
            |_| {
                let head = self.head_facts(opened, None, &options, world.git());
                recover::guards::of_place(&opened.pipeline, head.as_ref(), &options)
            },
            |plan| plan.guards,
        );
        guards.into_iter().filter(Guard::refuses).collect()
    }

    /// A plan without its hand-off.
    fn compiled(
        &self,
        opened: &Opened,
        dossier: &Dossier,
        choice: &PointChoice,
        options: &PlanOptions,
        depth: Depth,
        world: &dyn World,
    ) -> Result<Plan> {
        let (point, mut intent) =
            self.point_and_intent(choice, options, (dossier, opened), world)?;
        let mut asked_options = options.clone();
        if let PointChoice::Checkpoint(id) = choice {
            let checkpoint = checkpoints::find(&dossier.checkpoints, id, &dossier.pipeline)?;
            let only = match self.own_files(&mut intent, checkpoint, opened)? {
                Some(only) => only,
                None => self.only_files(&mut intent, checkpoint, opened)?,
            };
            if asked_options.paths.is_empty() {
                asked_options.paths.extend(only);
            }
        }
        branch_fits(options, &intent, opened)?;
        let tree = intent.tree.as_ref().map(|need| need.work_tree.clone());
        Self::normalize(&mut asked_options, tree.as_deref());
        let options = &asked_options;
        let tree = intent.tree.as_ref();
        let tree = tree.map(|need| self.tree_facts(need, options, world.git()));
        let compares = depth == Depth::All || tree.as_ref().is_some_and(TreeFacts::hinders);
        let mut extra_guards = self.blocking_guards(&opened.pipeline, &intent);
        let told = |guard: &Guard| guard.id == "work_tree" && guard.refuses();
        if !intent.guards.iter().any(told) {
            extra_guards.extend(opened.case.without_project(&point.boundary, world));
        }
        if !matches!(choice, PointChoice::Checkpoint(_)) {
            let unread = opened.unread_branch(world);
            let ask = |(_, question)| Guard::ask(UNREAD_BRANCH, question);
            extra_guards.extend(unread.map(ask));
        }
        let records = records(&intent, dossier, opened);
        let asked = (options, records.as_slice());
        let mut look = |step: &Step| self.measured(step, asked, world, &mut extra_guards);
        let all = intent.steps.iter();
        let all = all.map(|step| compares.then(|| look(step)).flatten());
        let mut decided: Vec<_> = all.collect();
        self.rewind(&mut intent, &point, (options, &decided), &mut extra_guards)?;
        for step in intent.steps.iter().skip(decided.len()) {
            decided.push(self.measured(step, asked, world, &mut extra_guards));
        }
        if let PointChoice::Checkpoint(id) = choice {
            let checkpoint = checkpoints::find(&dossier.checkpoints, id, &dossier.pipeline)?;
            let files = restored(&intent.steps, &decided);
            let beside = opened.case.restore_steps(checkpoint, &files, world);
            intent.steps.extend(beside);
            decided.resize_with(intent.steps.len(), || None);
        }
        let refused = unwritable::guards(&intent.steps, &decided, world);
        extra_guards.extend(refused);
        extra_guards.extend(unwritable::in_the_way(&intent.steps, world));
        let head = self.head_facts(opened, intent.tree.as_ref(), options, world.git());
        let basis = self.basis(opened, &intent, &decided, options.mode);
        let asked = Asked::Resume {
            choice: choice.clone(),
            options: options.clone(),
        };
        Ok(compile(Inputs {
            asked,
            pipeline: &opened.pipeline,
            point,
            intent,
            options,
            decided,
            tree,
            head,
            extra_guards,
            basis,
        }))
    }

    /// The point that was chosen, and what would be done at it.
    fn point_and_intent(
        &self,
        choice: &PointChoice,
        options: &PlanOptions,
        (dossier, opened): (&Dossier, &Opened),
        world: &dyn World,
    ) -> Result<(ResumePoint, Intent)> {
        let point = match choice {
            PointChoice::Amend(ask) => return self.amended(ask, options, (dossier, opened), world),
            PointChoice::FromSeq(seq) => at_seq(dossier, *seq, opened)?,
            PointChoice::Recommended | PointChoice::Id(_) | PointChoice::FromPhase(_) => {
                pick(dossier, choice, opened)?
            }
            PointChoice::Checkpoint(wanted) => {
                let checkpoint =
                    checkpoints::find(&dossier.checkpoints, wanted, &dossier.pipeline)?;
                checkpoints::point(&dossier.points, checkpoint)
            }
        };
        let (id, case) = (&point.boundary.id, &opened.case);
        let intent = case.intent(id, options, world);
        let of_files = matches!(choice, PointChoice::Checkpoint(_));
        let intent = intent.or_else(|| of_files.then(Intent::default));
        let intent = intent.ok_or_else(|| {
            EngineError::new(ErrorKind::Bug, format!("The point {id} has no plan."))
        })?;
        Ok((point, intent))
    }

    /// How the orchestrator resumes after a plan, in the system's own words.
    fn handoff(
        &self,
        plan: &Plan,
        dossier: &Dossier,
        opened: &Opened,
        world: &dyn World,
    ) -> Handoff {
        let system = opened.pipeline.reading.system;
        let prospect = Prospect {
            point: &plan.point.boundary.id,
            checks: &dossier.checks,
            actions: &plan.actions,
            kept: &plan.kept,
            redone: &plan.redone,
            client: self.settings.client(system),
        };
        let mut own = opened.case.handoff(&prospect, world);
        if own != Handoff::default() {
            let recommends = dossier.points.iter().any(|point| point.recommended);
            let elsewhere = recommends && !plan.point.recommended;
            let lines = plan.cause.as_ref();
            let mut lines = lines.map_or_else(Vec::new, |cause| Self::stop_lines(cause, elsewhere));
            lines.push(own.briefing.lossy().into_owned());
            own.briefing = lines.join("\n").into();
            own.limit_until = plan.cause.as_ref().and_then(|cause| cause.until);
            let is_fresh = plan.point.boundary.kind == PointKind::Fresh;
            own.starts_over = is_fresh && plan.kept.is_empty();
        }
        self.settings.command(system, &mut own);
        own
    }

    /// The dry-run report in the system's own words, where its documents describe one.
    pub fn dry_run_report(&self, plan: &Plan) -> Result<Option<Foreign>> {
        let opened = self.recall(&plan.pipeline)?;
        let intent = Intent {
            kept: plan.kept.clone(),
            redone: plan.redone.clone(),
            losses: plan.losses.clone(),
            ..Intent::default()
        };
        let (case, point) = (&opened.case, &plan.point.boundary.id);
        let replayable = case.replayable();
        Ok(replayable.and_then(|case| case.dry_run_report(point, &intent, self.world.as_ref())))
    }

    /// Drift from a checkpoint of files.
    pub(super) fn measure(
        &self,
        checkpoint: &Checkpoint,
        work_tree: Option<&Path>,
    ) -> Result<Option<Drift>> {
        let Some((at, work_tree)) = checkpoint.kind.repository().zip(work_tree) else {
            return Ok(None);
        };
        let drift = self.world.git().drift(at, &checkpoint.id, work_tree);
        drift.map(Some).map_err(|error| {
            let id = &checkpoint.id;
            EngineError::unreadable(format!("Checkpoint {id} cannot be compared: {error}."))
        })
    }

    /// What is found of the pipeline's own work tree. `need` is what a plan says of a tree, which may be another one.
    pub(super) fn head_facts(
        &self,
        opened: &Opened,
        need: Option<&TreeNeed>,
        options: &PlanOptions,
        git: &dyn Git,
    ) -> Option<TreeFacts> {
        let reading = &opened.pipeline.reading;
        let work_tree = reading.work_tree.as_ref()?;
        let need = need.filter(|need| need.work_tree == *work_tree);
        let own = TreeNeed {
            work_tree: work_tree.clone(),
            branch: opened.recorded_branch().cloned(),
            baseline: need.and_then(|need| need.baseline.clone()),
        };
        Some(self.tree_facts(&own, options, git))
    }

    /// What is found of a work tree.
    pub(super) fn tree_facts(
        &self,
        need: &TreeNeed,
        options: &PlanOptions,
        git: &dyn Git,
    ) -> TreeFacts {
        let repo = match git.repo(&need.work_tree) {
            Ok(repo) => repo,
            Err(error) => {
                return TreeFacts {
                    trouble: Some(error.to_string().into()),
                    ..TreeFacts::default()
                };
            }
        };
        let holder = self.index_lock_of(&repo.git_dir).map(RecoveryId);
        let based = need.baseline.as_deref().zip(repo.head.as_deref());
        let recorded = need.branch.as_ref().filter(|branch| !branch.is_empty());
        let branch = recorded.map_or(options.branch.as_deref(), |branch| branch.as_str());
        TreeFacts {
            baseline_is_ancestor: based
                .and_then(|(base, head)| git.is_ancestor(&need.work_tree, base, head).ok()),
            tip: branch.and_then(|branch| git.branch_tip(&need.work_tree, branch).ok()),
            unmerged: git.unmerged(&need.work_tree).unwrap_or_default(),
            index_locked: repo.index_locked && !self.holds_index(&repo.git_dir),
            index_lock_elsewhere: holder.as_ref().is_some_and(|id| self.alone(id).is_none()),
            index_lock_of: holder.map(|id| id.0),
            ..head_facts(git, &need.work_tree, &repo)
        }
    }
}

/// What is no work of the pipeline: its state files, the copies of them that are checkpoints, and what a plan changes
/// besides a tree.
fn records(intent: &Intent, dossier: &Dossier, opened: &Opened) -> Vec<PathBuf> {
    let states = opened.pipeline.reading.state_files.iter();
    let copies = dossier.checkpoints.iter();
    let copies = copies.filter_map(|checkpoint| {
        let CheckpointKind::File { path } = &checkpoint.kind else {
            return None;
        };
        Some(path)
    });
    let steps = intent.steps.iter().filter_map(Step::change);
    let steps = steps.map(|action| &action.target);
    states.chain(copies).chain(steps).cloned().collect()
}

/// The files that the restores among these steps would write.
fn restored(steps: &[Step], decided: &[Option<Decided>]) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    let restores = steps.iter().zip(decided).filter_map(|pair| match pair {
        (Step::RestoreTree { work_tree, .. }, Some(decided)) => Some((work_tree, decided)),
        _ => None,
    });
    let state = steps.iter().filter_map(|step| {
        let action = step.change()?;
        let content = action.preview.content()?;
        Some((action.target.clone(), Some(content.to_vec())))
    });
    let restores = restores.flat_map(|(work_tree, decided)| {
        let paths = decided.written();
        paths.map(move |path| (work_tree.join(path.path.as_path()), None))
    });
    restores.chain(state).collect()
}

/// A restore of a checkpoint's files alone: it resumes nothing, so nothing is kept, run again or handed over.
fn files_alone(plan: &mut Plan) {
    plan.kept.clear();
    plan.redone.clear();
    plan.warnings.clear();
    // With nothing to restore, only what was left out is news.
    if plan.actions.is_empty() {
        let left_out = !plan.left_out.is_empty();
        plan.losses
            .retain(|loss| left_out && loss.kind == LossKind::NotRestored);
    }
}

/// `--branch` answers where no branch was recorded; to name another than the recorded one is a slip.
fn branch_fits(options: &PlanOptions, intent: &Intent, opened: &Opened) -> Result<()> {
    let needed = intent.tree.as_ref().and_then(|need| need.branch.as_ref());
    let recorded = needed.or_else(|| opened.recorded_branch());
    let recorded = recorded.filter(|branch| !branch.is_empty());
    let (Some(named), Some(recorded)) = (options.branch.as_deref(), recorded) else {
        return Ok(());
    };
    if *recorded == named {
        return Ok(());
    }
    let text = format!("The pipeline ran on {}, not on {named}.", recorded.shown());
    Err(EngineError::usage(text)
        .hint("Omit --branch: it applies only where no branch was recorded."))
}
