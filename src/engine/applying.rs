//! Applying a plan on request of a front end.

#[cfg(test)]
mod tests;

use std::path::Path;

use super::backup_folder::locked_root;
use super::history::project_of;
use super::undoing::{indexes, no_recovery, not_undone, undo_of};
use super::write_place::WritePlace;
use super::{Engine, EngineError, ErrorKind, Result};
use crate::apply::compile::Compiler;
use crate::apply::disk::RealDisk;
use crate::apply::draft::Draft;
use crate::apply::exchange::{Base, BaseKind};
use crate::apply::home::{Home, is_id};
use crate::apply::journal::Journal;
use crate::apply::record::Record;
use crate::apply::recording::is_cut;
use crate::apply::session::{Session, new_id};
use crate::apply::undo::Reading;
use crate::apply::{ApplyError, Consent, history, locks};
use crate::foreign;
use crate::model::{
    Asked, Basis, Cancel, Foreign, Guard, LossKind, Outcome, Plan, Recovery, StageProgress, lock,
    short_id,
};
use crate::text::format::{count, count_of, plural};

impl Engine {
    /// Applies a plan: the same plan, or nothing. Computes it again under the locks and refuses where it
    /// is no longer the one that was confirmed. Without actions nothing is written, except that a record that was
    /// cut short is completed first. `cancel` stops it until everything is prepared; afterwards it is finished, and whoever set it is told so by its
    /// reach.
    pub fn apply(
        &self,
        plan: &Plan,
        consent: &Consent,
        progress: &(dyn Fn(&StageProgress) + Sync),
        cancel: &Cancel,
    ) -> Result<Outcome> {
        cancel.open();
        if cancel.is_cancelled() {
            return Err(ApplyError::cancelled());
        }
        agreed(plan, consent)?;
        let place = self.act_place(plan);
        let completed = match &place {
            Ok(place) => self.complete_at(place, plan, cancel)?,
            Err(_) => None,
        };
        let applied = self.apply_at(place, plan, progress, cancel);
        applied.map_err(|error| error.after(completed.as_slice()))
    }

    /// The same once the consent is checked and no record is left interrupted.
    fn apply_at(
        &self,
        place: Result<ActPlace>,
        plan: &Plan,
        progress: &(dyn Fn(&StageProgress) + Sync),
        cancel: &Cancel,
    ) -> Result<Outcome> {
        if plan.actions.is_empty() {
            // A hand-off is no less an act: a plan can be hours old, and its branch or process another one since.
            self.recheck(plan, cancel)?;
            let (handoff, trouble) = self.hand_over_unchanged(plan, cancel)?.unzip();
            return Ok(Outcome {
                recovery: None,
                verified: Vec::new(),
                notes: trouble.flatten().into_iter().collect(),
                handoff,
            });
        }
        RealDisk::available().map_err(EngineError::refused)?;
        let place = place?;
        if let Some(entry) = &place.undone {
            not_undone(&entry.recovery)?;
        }
        let disk = RealDisk::new();
        let context = place.at.context(self, &disk, cancel);
        self.no_other_agent_writes(plan, &place, &disk)?;
        let session = Session::begin(&context)?;
        let id = new_id(context.now, plan.fingerprint.0.as_bytes());
        let draft = self.draft(plan, (&id, true), &disk, &place)?;
        session.preflight(&draft)?;
        let undoes = place.undone.as_ref().map(|entry| &entry.recovery);
        let label = label(plan, undoes);
        // What is kept of the hand-off names the file that is written once the plan was applied.
        let told = Plan {
            handoff: self.briefed(plan)?,
            ..plan.clone()
        };
        let mut record = Record::of(&told, &place.at.root, &label, context.now, undoes);
        record.number = history::next_number(&disk, &place.at.state);
        record.note_branches(&self.branches(plan));
        let opened = self.recall(&plan.pipeline).ok();
        record.last_work = opened.and_then(|opened| self.last_work(&opened));
        record.note_indexes(indexes(plan));
        let record = serde_json::to_vec(&record)
            .map_err(|error| EngineError::new(ErrorKind::Bug, error.to_string()))?;
        self.hold(Some(id.clone()));
        let journal = session.run(
            &id,
            &plan.fingerprint.0,
            &record,
            &draft,
            &|| self.recheck(plan, cancel),
            &|done| progress(&done),
        );
        self.hold(None);
        self.forget_own_recoveries();
        let journal = journal.map_err(|trouble| session.with_notes(trouble))?;
        let mut notes = session.notes.clone();
        // What stays is said afterwards too: with `--yes` nobody has read the plan.
        let is_undo = matches!(plan.asked, Asked::Undo { .. });
        let told = plan.losses.iter();
        let told = told.filter(|loss| is_undo || loss.kind == LossKind::NotRestored);
        notes.extend(told.map(|loss| loss.done().clone()));
        let entry = self.past(&disk, &place.at.state).entry(session.home(), &id);
        let mut entry = entry.ok().flatten();
        // Without their size the backups are still there.
        let _ignored = entry.as_mut().map(|entry| entry.measure(&disk));
        let recovery = entry.map(|entry| entry.recovery);
        let recovery: Recovery = recovery.ok_or_else(|| {
            let text = "The recovery was applied, but its record cannot be read.";
            EngineError::new(ErrorKind::Unclear, text)
        })?;
        // A briefing that cannot be changed is no reason to say that applying failed.
        let _ignored = self.mark_briefings(&recovery.pipeline);
        let (handoff, trouble) = self.hand_over(plan).unzip();
        notes.extend(trouble.flatten());
        Ok(Outcome {
            recovery: Some(recovery),
            verified: verified(&journal),
            notes,
            handoff,
        })
    }

    /// Finishes or undoes an interrupted record at a place, before a plan is applied. What it held may be the step that
    /// the plan would repeat, so a plan that is then another one is refused. Gives a sentence if there was a record.
    fn complete_at(
        &self,
        place: &ActPlace,
        plan: &Plan,
        cancel: &Cancel,
    ) -> Result<Option<Foreign>> {
        let Some(done) = self.finish_record_at(place, cancel)? else {
            return Ok(None);
        };
        let hint = match self.again(plan) {
            Ok(again) if again.fingerprint == plan.fingerprint => {
                return Ok(Some(format!("{done}.").into()));
            }
            Ok(_) => "Review the new plan, then confirm it.".into(),
            Err(error) => error.text,
        };
        let text = format!("{done}, so the pipeline is not as planned.");
        Err(EngineError::refused(text).hint(hint))
    }

    /// Finishes or undoes an interrupted record of the plan's project, and returns the start of a sentence that says so.
    pub fn finish_record(&self, plan: &Plan, cancel: &Cancel) -> Result<Option<&'static str>> {
        self.act_place(plan)
            .map_or(Ok(None), |place| self.finish_record_at(&place, cancel))
    }

    fn finish_record_at(&self, place: &ActPlace, cancel: &Cancel) -> Result<Option<&'static str>> {
        let disk = RealDisk::new();
        let cut = || -> Option<Home<RealDisk>> {
            RealDisk::available().ok()?;
            let id = project_of(&disk, &place.at.root)?;
            let home = Home::open(&disk, &place.at.state, &id).ok()??;
            is_cut(&disk, &home).ok()?.then_some(home)
        };
        let Some(home) = cut() else {
            return Ok(None);
        };
        // From here on a signal cancels, and no longer ends the process: something is written.
        cancel.open();
        let context = place.at.context(self, &disk, cancel);
        drop(Session::lock_home(&context, home)?);
        Ok(Some("An interrupted record was finished or undone"))
    }

    /// What is to be changed under this id, made from the plan or from the recovery that it undoes. Unless
    /// `in_earnest`, nothing is written for it.
    pub(super) fn draft(
        &self,
        plan: &Plan,
        (id, in_earnest): (&str, bool),
        disk: &RealDisk,
        place: &ActPlace,
    ) -> Result<Draft> {
        let compiler = Compiler {
            disk,
            git: self.world.git(),
            now: self.now(),
            id,
            in_earnest,
        };
        match &plan.asked {
            Asked::Resume { .. } => compiler.compile(&plan.actions),
            Asked::Undo {
                recovery, options, ..
            } => {
                let entry = place.undone.as_ref();
                let entry = entry.ok_or_else(|| no_recovery(&recovery.0))?;
                // Before a rehearsal nothing is computed again.
                let reading = if in_earnest {
                    Reading::Changed
                } else {
                    Reading::All
                };
                let mut draft = undo_of(disk, entry, &options.keep, reading)?.draft;
                compiler.lines(&mut draft, plan)?;
                Ok(draft)
            }
        }
    }

    /// The plan, computed again (under the locks where files change): it must be the same, and every guard must hold.
    fn recheck(&self, plan: &Plan, cancel: &Cancel) -> Result<(), ApplyError> {
        self.world.processes().refresh();
        self.wait_for_quiet(plan, cancel)?;
        let again = self.again(plan);
        let again = again.map_err(|error| ApplyError::refused(error.text))?;
        if let Some(guard) = again.guards.iter().find(|guard| !guard.holds) {
            return Err(ApplyError::refused(guard.text.clone()));
        }
        if again.fingerprint == plan.fingerprint {
            return Ok(());
        }
        let what = Basis::changed(&plan.basis, &again.basis);
        let text = foreign!("{} since the plan was made; nothing was written.", &what);
        Err(ApplyError::refused(text).hint("Review the new plan, then confirm it."))
    }

    /// The same plan, made anew.
    pub fn again(&self, plan: &Plan) -> Result<Plan> {
        match &plan.asked {
            Asked::Resume { choice, options } => self.plan(&plan.pipeline, choice, options),
            Asked::Undo {
                recovery, options, ..
            } => self.undo_again(recovery, options),
        }
    }

    fn hold(&self, id: Option<String>) {
        *lock(&self.held) = id;
    }

    /// The recovery under way here.
    pub(super) fn held_id(&self) -> Option<String> {
        let held = lock(&self.held);
        held.clone()
    }

    /// Whether the `index.lock` of a git directory is that of the recovery under way.
    pub(super) fn holds_index(&self, git_dir: &Path) -> bool {
        let Some(id) = self.held_id() else {
            return false;
        };
        let ours = locks::planned(&id, &[git_dir.to_owned()]);
        ours.first().map(|lock| lock.text.as_bytes()) == self.index_lock(git_dir).as_deref()
    }

    /// Where a plan is applied.
    pub(super) fn act_place(&self, plan: &Plan) -> Result<ActPlace> {
        let undone = match &plan.asked {
            Asked::Undo { recovery, .. } => {
                Some(self.entry(&RealDisk::new(), &self.state_dir()?, recovery)?)
            }
            Asked::Resume { .. } => None,
        };
        let root = match &undone {
            Some(entry) => entry.recovery.root.clone(),
            None => locked_root(&self.recall(&plan.pipeline)?.pipeline).to_owned(),
        };
        let at = self.write_place(self.present(&root)?)?;
        Ok(ActPlace { at, undone })
    }
}

/// Where a plan is applied.
pub(super) struct ActPlace {
    pub(super) at: WritePlace,
    /// The recovery that an undo reverses.
    undone: Option<history::Entry<RealDisk>>,
}

/// The consent is to this plan, and every guard of it holds.
fn agreed(plan: &Plan, consent: &Consent) -> Result<()> {
    if *consent.fingerprint() != plan.fingerprint {
        let text = "The confirmation is for a different plan; nothing was changed.";
        return Err(EngineError::refused(text));
    }
    let failing = plan.guards.iter().filter(|guard| !guard.holds);
    let failing: Vec<_> = failing.cloned().collect();
    let Some(first) = failing.first() else {
        return Ok(());
    };
    let kind = if failing.iter().any(Guard::refuses) {
        ErrorKind::Refused
    } else {
        ErrorKind::Consent
    };
    let mut error = EngineError::new(kind, first.text.clone());
    error.hints.extend(first.would_hold_if.clone());
    error.guards = failing;
    Err(error)
}

/// The label of a recovery in the history.
fn label(plan: &Plan, undone: Option<&Recovery>) -> Foreign {
    match undone {
        None => resumed(plan),
        Some(undo) if undo.is_undo() => {
            let again = undo.undoes.as_ref().unwrap_or(&undo.id);
            format!("redo of {again}").into()
        }
        Some(recovery) => format!("undo of {}", recovery.id).into(),
    }
}

/// The point of a plan; where only the files of a checkpoint were wanted, that checkpoint.
fn resumed(plan: &Plan) -> Foreign {
    let boundary = &plan.point.boundary;
    match boundary.checkpoint.found() {
        Some(found) if plan.is_of_files() => foreign!("checkpoint {}", &found.reason),
        Some(_) | None => boundary.id.0.as_str().into(),
    }
}

/// Whose backups they are, where not its own: an undo exchanges with what the recovery kept.
fn whose(journal: &Journal) -> String {
    let slots = |base: &&Base| base.kind == BaseKind::Slots;
    let owner = journal.bases.iter().filter(slots).find_map(|base| {
        let path = base.path.path();
        let mut folders = path.iter().rev().filter_map(|part| part.to_str());
        let folder = folders.find(|part| is_id(part))?;
        (folder != journal.id).then(|| folder.to_owned())
    });
    owner.map_or_else(String::new, |id| format!(" of {id}"))
}

/// How the outcome was verified.
fn verified(journal: &Journal) -> Vec<Foreign> {
    let (paths, replaced, folders) = journal.paths();
    let version = plural(replaced, "version is", "versions are");
    let previous = match replaced {
        0 => String::new(),
        _ => format!("; the previous {version} in the backups{}", whose(journal)),
    };
    let matches = plural(paths, "it matches", "they match");
    let mut said: Vec<Foreign> = Vec::new();
    if paths > 0 {
        let paths = count(paths, "path");
        said.push(format!("{paths} verified: {matches} the plan{previous}.").into());
    }
    if folders > 0 {
        let moved = count_of(folders, "directory was", "directories were");
        said.push(format!("{moved} moved as a whole, as planned.").into());
    }
    if said.is_empty() {
        said.push("No file was changed.".into());
    }
    for append in &journal.appends {
        let lines = Foreign::from(append.block.0.as_slice()).lines().count();
        let log = crate::apply::appends::shown(append);
        said.push(foreign!("{} appended to {}.", count(lines, "line"), &log));
    }
    for moved in &journal.refs {
        if let (Some(old), Some(new)) = (&moved.old, &moved.new) {
            let (old, new) = (short_id(old), short_id(new));
            said.push(format!("{} moved from {old} to {new}.", moved.name).into());
        }
    }
    said
}
