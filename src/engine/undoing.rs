//! The plan that undoes a recovery. It is applied like any other plan.

pub(super) mod undo_facts;
mod wholes;

use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

use super::kept_path::{kept_paths, not_alone};
use super::stays::{work_trees, written_since};
use super::write_place::unreadable_state;
use super::{Engine, EngineError, ErrorKind, Opened, Request, Result, measure};
use crate::apply::disk::RealDisk;
use crate::apply::exchange::Known;
use crate::apply::history::Entry;
use crate::apply::home;
use crate::apply::record::Record;
use crate::apply::undo::{Reading, Undo};
use crate::foreign;
use crate::model::{
    Action, ActionKind, Basis, Foreign, Guard, Loss, Plan, PlanOptions, Recovery, RecoveryId,
    Reversal, Step, TreeNeed, UndoOptions, short_id,
};
use crate::recover::guards::index_lock;
use crate::recover::undo_plan;

use undo_facts::{facts_of, is_refreshed};
pub(super) use undo_facts::{indexes, undo_of};
use wholes::Wholes;

impl Engine {
    /// The plan that undoes a recovery; without an id the latest of the request's scope that is still applied
    /// (with `redo`, the latest undo that is still applied).
    pub fn undo_plan(
        &self,
        id: Option<&str>,
        redo: bool,
        options: &UndoOptions,
        request: &Request,
    ) -> Result<Plan> {
        let found = match id {
            Some(id) => self.named_recovery(id)?,
            None => self.latest(redo, request)?,
        };
        let undo = redo.then(|| found.undo_to_redo());
        let Some(id) = undo.unwrap_or(Some(&found.id)) else {
            let text = format!("{} is not undone, so there is nothing to redo.", found.id);
            return Err(EngineError::nothing_to_do(text)
                .hint(format!("To undo it: relight undo {}", found.id)));
        };
        // The journal has its own names for the paths to keep.
        let entry = self.alone(id).ok_or_else(|| no_recovery(&id.0))?;
        let options = UndoOptions {
            keep: kept_paths(&entry, options, request)?,
            ..options.clone()
        };
        if let Some(why) = options.keep.iter().find_map(|path| not_alone(&entry, path)) {
            return Err(why);
        }
        self.undo_again(id, &options)
    }

    /// The recovery that an undo without an id means.
    fn latest(&self, redo: bool, request: &Request) -> Result<Recovery> {
        // One that cannot be undone is refused by its name: an older one, of another pipeline perhaps, is not meant.
        let stands = |r: &Recovery| r.stands() && r.is_undo() == redo;
        let found = self.history_of(request, &stands)?.recoveries;
        found.into_iter().next().ok_or_else(|| {
            let verb = if redo { "redo" } else { "undo" };
            EngineError::nothing_to_do(format!("There is nothing to {verb}."))
                .hint("relight history --scope machine lists every recovery.")
        })
    }

    /// The plan of an undo, made anew.
    pub(super) fn undo_again(&self, id: &RecoveryId, options: &UndoOptions) -> Result<Plan> {
        let disk = RealDisk::new();
        let state = self.state_dir()?;
        let entry = self.entry(&disk, &state, id)?;
        let recovery = &entry.recovery;
        not_undone(recovery)?;
        let mut undo = self.undo_now(&disk, &entry, &options.keep)?;
        // Undo works without its pipeline too, once the person says to treat unknown liveness as stopped.
        let opened = self.of_recovery(recovery);
        let opened = opened.as_deref();
        let mut whole = Wholes::of(&disk, &entry, &mut undo)?;
        let facts = facts_of(&entry, &undo, &options.keep, &mut whole);
        let ended = recovery.ended_at.map(|at| at.to_utc());
        let (actions, mut losses) = self.undo_changes(recovery, &facts, opened.ok());
        let world = self.world.as_ref();
        let stay = written_since(world, &actions, &facts, ended, opened.ok());
        losses.extend(stay);
        if actions.is_empty() && options.keep.is_empty() {
            let text = match recovery.undoes.as_ref().filter(|_| facts.redo) {
                Some(first) => format!("Nothing of {first} can be redone."),
                None => format!("Nothing of {id} can be undone."),
            };
            let error = EngineError::nothing_to_do(text);
            let error = error.hints(losses.iter().map(|loss| &loss.text));
            return Err(error.hint("relight history lists the recoveries before it."));
        }
        let mut guards = vec![self.undo_liveness(recovery, ended, opened, options)];
        guards.extend(self.undo_guards(&undo, &actions));
        guards.extend(whole.guards);
        guards.extend(self.undo_branches(entry.record(), opened.ok(), &actions));
        guards.extend(self.pending_guard(&recovery.pipeline, &recovery.root));
        guards.extend(self.undo_order(recovery, &options.keep));
        let basis = undo.basis.iter().map(|(path, now, kept)| Basis {
            path: path.clone(),
            state: format!("{now:?} {kept:?}").into_bytes(),
        });
        let basis = basis.chain(whole.basis);
        Ok(undo_plan::compile(undo_plan::Inputs {
            recovery,
            options: options.clone(),
            facts: &facts,
            actions,
            guards,
            losses,
            basis: basis.collect(),
        }))
    }

    /// What undoing a recovery would do now.
    fn undo_now(&self, disk: &RealDisk, entry: &Entry<RealDisk>, keep: &[PathBuf]) -> Result<Undo> {
        let recovery = &entry.recovery;
        let mut undo = undo_of(disk, entry, keep, Reading::All)?;
        let undone = recovery.undoes.as_ref();
        let undone = undone.and_then(|id| self.alone(id));
        let undone = undone.as_ref().map(Entry::record);
        let refreshed = |path: &Path| is_refreshed(recovery, undone, path);
        undo.drifted.retain(|path| !refreshed(path));
        Ok(undo)
    }

    /// The places that somebody changed after a recovery.
    pub(super) fn changed_after(&self, id: &RecoveryId) -> Result<HashSet<PathBuf>> {
        let (disk, state) = (RealDisk::new(), self.state_dir()?);
        let entry = self.entry(&disk, &state, id)?;
        let undo = self.undo_now(&disk, &entry, &[])?;
        let journal = entry.good_journal().into_iter();
        let left = journal.flat_map(|journal| {
            let exchanges = journal.exchanges.iter();
            exchanges.map(|one| (one.here.path(&journal.bases), one.there_had))
        });
        let left: HashMap<PathBuf, Option<Known>> = left.collect();
        // A file that was written anew with the same content is what the recovery left.
        let as_left = undo.basis.iter().filter(|(path, now, _)| {
            let both = now.zip(left.get(path).copied().flatten());
            both.is_some_and(|(now, left)| now.is_same(&left))
        });
        let as_left: HashSet<&PathBuf> = as_left.map(|(path, ..)| path).collect();
        let changed = undo.drifted.iter().chain(&undo.same);
        let changed = changed.chain(undo.moved.keys());
        Ok(changed
            .filter(|path| !as_left.contains(path))
            .cloned()
            .collect())
    }

    /// What an undo changes, including the lines for the pipeline's own log, and what it leaves as it is.
    fn undo_changes(
        &self,
        recovery: &Recovery,
        facts: &undo_plan::Facts,
        opened: Option<&Opened>,
    ) -> (Vec<Action>, Vec<Loss>) {
        let mut losses = undo_plan::losses(recovery, facts);
        let mut actions = undo_plan::actions(recovery, facts);
        if actions.is_empty() && !recovery.only_lines() {
            return (actions, losses);
        }
        let logged = self.with_first_label(recovery);
        let lines = opened.map(|opened| undo_lines(opened, &logged, &facts.keep));
        for line in lines.into_iter().flatten() {
            if measure::is_linked(&line.target, self.world.as_ref()) {
                losses.push(Loss::not_restored(undo_plan::unlogged(&line.target)));
            } else {
                actions.push(line);
            }
        }
        (actions, losses)
    }

    /// An undo restores files of a branch, so that branch must be checked out: the one that the recovery
    /// recorded, else the pipeline's own.
    fn undo_branches(
        &self,
        record: &Record,
        opened: Option<&Opened>,
        actions: &[Action],
    ) -> Vec<Guard> {
        let known = |tree: &Path| {
            let pipeline = &opened?.pipeline;
            let own = pipeline.reading.work_tree.as_deref() == Some(tree);
            let branch = pipeline.reading.branch.as_ref().filter(|_| own)?;
            branch.expected.clone().filter(|name| !name.is_empty())
        };
        let guard = |tree: &Path| {
            let expected = record.branch(tree).or_else(|| known(tree))?;
            let need = TreeNeed::on(tree, Some(expected.clone()));
            let facts = self.tree_facts(&need, &PlanOptions::default(), self.world.git());
            let readable = facts.trouble.is_none();
            readable.then(|| undo_plan::branch_guard(tree, &expected, &facts))
        };
        work_trees(actions).into_iter().filter_map(guard).collect()
    }

    /// The conditions of an undo, besides that no process is working on the pipeline.
    fn undo_guards(&self, undo: &Undo, actions: &[Action]) -> Vec<Guard> {
        let mut guards = Vec::new();
        let lost = undo.lost.iter().map(|path| (path, "missing"));
        let damaged = undo.damaged.iter().map(|path| (path, "damaged"));
        for (path, how) in lost.chain(damaged) {
            guards.push(Guard::fails(
                "kept",
                foreign!("The backup of {} is {}.", path, how),
                "Put the backup back, or leave that path unchanged with --keep.",
            ));
        }
        for moved in &undo.draft.refs {
            let now = crate::git::refs::read(&moved.git_dir.path(), &moved.name);
            let holds = now.as_ref().is_ok_and(|now| *now == moved.old);
            let what = if holds {
                "is where the recovery left it."
            } else {
                "has moved since the recovery: undoing would drop what was committed."
            };
            let text = format!("{} {what}", moved.name);
            let short = moved.old.as_deref().map_or("", short_id);
            let cure = "keep the newer commits on another branch.";
            let cure = format!("Move it back to {short}; {cure}");
            guards.push(Guard::either("branch_tip", holds, text, cure));
        }
        let resets = actions
            .iter()
            .any(|one| one.kind == ActionKind::ResetWorktree);
        for tree in work_trees(actions) {
            let need = TreeNeed::on(tree, None::<Foreign>);
            let facts = self.tree_facts(&need, &PlanOptions::default(), self.world.git());
            if facts.trouble.is_none() {
                let state = Guard::git_state(tree, facts.busy, &facts.unmerged);
                let of_git = [state, index_lock(&facts, resets)];
                guards.extend(of_git.into_iter().filter(Guard::refuses));
            }
        }
        guards
    }

    /// A later recovery of the same files is undone first. Otherwise its own undo would bring back what the one that is
    /// undone now had made of them.
    fn undo_order(&self, recovery: &Recovery, keep: &[PathBuf]) -> Option<Guard> {
        let all = self.recoveries(&Request::everywhere()).ok()?;
        let later = all.iter().take_while(|one| one.id != recovery.id);
        undo_plan::order_guard(recovery, keep, &later.collect::<Vec<_>>())
    }

    /// The branch that each work tree of a plan has checked out.
    pub(super) fn branches(&self, plan: &Plan) -> Vec<(PathBuf, Foreign)> {
        let branch = |tree: &Path| {
            let repo = self.world.git().repo(tree).ok()?;
            Some((tree.to_owned(), repo.branch?))
        };
        let trees = work_trees(&plan.actions).into_iter();
        trees.filter_map(branch).collect()
    }

    /// The recovery as a log names it: by what the first one of its undos and redos did. A label such as `undo of ID`
    /// says nothing to a reader of the log.
    fn with_first_label(&self, recovery: &Recovery) -> Recovery {
        let mut first = recovery.clone();
        // Each one undoes an earlier one, so this ends.
        while let Some(earlier) = first.undoes.as_ref().filter(|id| **id < first.id) {
            match self.alone(earlier) {
                Some(found) => first = found.recovery,
                None => break,
            }
        }
        Recovery {
            label: first.label,
            ..recovery.clone()
        }
    }

    /// Whether anything of a recovery can be undone: a file that it changed, or its entry in the pipeline's log, where
    /// the format has one that cancels it.
    pub fn can_undo(&self, recovery: &Recovery) -> bool {
        let logged = || {
            let opened = self.of_recovery(recovery);
            opened.is_ok_and(|opened| !undo_lines(&opened, recovery, &[]).is_empty())
        };
        let is_kept = !recovery.purged && !recovery.is_out_of_reach();
        is_kept && (!recovery.only_lines() || logged())
    }

    /// One transaction by its recovery's id, without what later ones say of it.
    pub(super) fn alone(&self, id: &RecoveryId) -> Option<Entry<RealDisk>> {
        let state = self.state_dir().ok()?;
        let found = self.past(&RealDisk::new(), &state).alone(&id.0);
        found.ok().flatten()
    }

    /// One transaction by its recovery's id.
    pub(super) fn entry(
        &self,
        disk: &RealDisk,
        state: &Path,
        id: &RecoveryId,
    ) -> Result<Entry<RealDisk>> {
        let all = self.past(disk, state).entries();
        let all = all.map_err(|why| unreadable_state(&home::own(state), &why))?;
        let found = all.into_iter().find(|entry| entry.recovery.id == *id);
        found.ok_or_else(|| no_recovery(&id.0))
    }
}

/// Refuses to undo what is undone already, perhaps by another command since the plan was made.
pub(super) fn not_undone(found: &Recovery) -> Result<()> {
    let Some(by) = &found.undone_by else {
        return Ok(());
    };
    let reversal = found.when_undone();
    let text = format!("{} was already {} by {by}.", found.id, reversal.done());
    let hint = match reversal {
        Reversal::Undo if !found.can_redo() => "Backups deleted; cannot redo.".to_owned(),
        Reversal::Undo => format!("To redo it: relight redo {}", found.id),
        Reversal::Redo => format!("To undo it again: relight undo {by}"),
    };
    Err(EngineError::nothing_to_do(text).hint(hint))
}

pub(super) fn no_recovery(id: &str) -> EngineError {
    EngineError::new(ErrorKind::NotFound, format!("There is no recovery {id}."))
        .hint("relight history --scope machine lists them.")
}

/// The lines for the system's own log, if its format has a place for them.
fn undo_lines(opened: &Opened, recovery: &Recovery, keep: &[PathBuf]) -> Vec<Action> {
    let steps = opened.case.undo_lines(recovery, keep);
    let lines = steps.iter().filter_map(Step::change);
    let lines = lines.filter(|action| action.kind == ActionKind::AppendLines);
    lines.cloned().collect()
}
