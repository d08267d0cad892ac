//! Recovering from a crash in a recovery, and what stands in its way.

use std::path::Path;

use chrono::DateTime;

use super::applying::ActPlace;
use super::history::ambiguous;
use super::kept_path::kept_paths;
use super::{Engine, EngineError, ErrorKind, RecoverMode, Recovered, Request, Result};
use crate::apply::appends::last_ns;
use crate::apply::crash::State;
use crate::apply::disk::{Disk as _, RealDisk};
use crate::apply::history::Entry;
use crate::apply::session::Session;
use crate::model::index_lock::lock_holder;
use crate::model::{Cancel, Place, Plan, Recovery, RecoveryState, UndoOptions};

impl Engine {
    /// Recovers from a crash in a pending recovery; without an id the only pending one of the scope. It writes where
    /// an agent may be writing, so it is refused as an undo would be: by a live one always, by one of which nothing
    /// is known unless the options assume that it has stopped. `cancel` stops it until it begins.
    pub fn recover(
        &self,
        id: Option<&str>,
        how: &RecoverMode,
        options: &UndoOptions,
        request: &Request,
        cancel: &Cancel,
    ) -> Result<Recovered> {
        cancel.open();
        let found = match id {
            Some(id) => self.named_recovery(id)?,
            None => self.only_pending(request)?,
        };
        let disk = RealDisk::new();
        let state = self.state_dir()?;
        let entry = self.entry(&disk, &state, &found.id)?;
        if let RecoverMode::Export(to) = how {
            return self.export(&disk, &entry, to, cancel);
        }
        if let Some(error) = misfit(&entry, how) {
            return Err(error);
        }
        self.no_agent_writes(&disk, &entry, options)
            .map_err(|error| {
                // Where the project is gone, no answer about its processes helps.
                let gone = disk.root(&found.root).is_err();
                error.hints(found.trouble.iter().filter(|_| gone))
            })?;
        let place = self.write_place(found.root.clone())?;
        let context = place.context(self, &disk, cancel);
        let keep = kept_paths(&entry, options, request)?;
        let session = Session::lock_home(&context, entry.home.clone())?;
        let recovered = session.recover_one(&found.id.0, &keep);
        let mut said = recovered.map_err(|error| session.with_notes(error))?;
        said.extend(session.record_note());
        drop(session);
        if said.is_empty() {
            said.push(format!("Recovery {} is complete; nothing was left to do.", found.id).into());
        }
        let recovery = self.with_size(&found.id).ok();
        let half = recovery.iter();
        let half = half.filter(|done| done.state == RecoveryState::HalfApplied);
        said.extend(half.flat_map(|done| done.trouble.clone()));
        let of = recovery.as_ref().map(|done| &done.pipeline);
        let _ignored = of.and_then(|of| self.mark_briefings(of));
        Ok(Recovered { recovery, said })
    }

    /// Refuses where an agent works on the pipeline of a pending recovery, or may.
    fn no_agent_writes(
        &self,
        disk: &RealDisk,
        entry: &Entry<RealDisk>,
        options: &UndoOptions,
    ) -> Result<()> {
        let opened = self.of_recovery(&entry.recovery);
        // The files that the crashed relight exchanged are as young as the crash. Its folder was written to last,
        // by a mark or by the journal, so whatever is older is no sign of an agent. Only its lines for logs are younger.
        let path = entry.home.path.join(&entry.folder.name);
        let stat = self.world.files().stat(&Place::root(&path)).ok();
        let lines = entry.good_journal().and_then(|one| last_ns(disk, one));
        let lines = lines.map(DateTime::from_timestamp_nanos);
        let own = stat.map(|stat| stat.modified.to_utc()).max(lines);
        let guard = self.undo_liveness(&entry.recovery, own, opened.as_deref(), options);
        if guard.holds {
            return Ok(());
        }
        let mut error = EngineError::refused(guard.text.clone());
        error.hints.extend(guard.would_hold_if.clone());
        error.guards.push(guard);
        Err(error)
    }

    /// Refuses where applying a plan would first recover what a crash left of another pipeline in the same project,
    /// and an agent works on that pipeline, or may. The plan's own guards answer for its own pipeline.
    pub(super) fn no_other_agent_writes(
        &self,
        plan: &Plan,
        place: &ActPlace,
        disk: &RealDisk,
    ) -> Result<()> {
        let options = UndoOptions {
            assume_stopped: plan.assumes_stopped(),
            ..UndoOptions::default()
        };
        if self.all_ended() {
            return Ok(());
        }
        let entries = self.past(disk, &place.at.state).entries();
        // A history that cannot be read is reported by the session, with what to do.
        for entry in entries.into_iter().flatten() {
            let found = &entry.recovery;
            // The lock of one that another relight applies refuses this plan.
            let pending = found.state == RecoveryState::NeedsAttention && !found.running;
            if !pending || found.root != place.at.root || found.pipeline == plan.pipeline {
                continue;
            }
            self.no_agent_writes(disk, &entry, &options)
                .map_err(|error| {
                    let (id, pipeline) = (&found.id, &found.pipeline);
                    let first =
                        format!("Recovery {id} of {pipeline} was interrupted and comes first");
                    error.hint(format!("{first}: relight recover {id}"))
                })?;
        }
        Ok(())
    }

    /// The recovery of relight's own whose `index.lock` is in a git directory.
    pub(super) fn index_lock_of(&self, git_dir: &Path) -> Option<String> {
        lock_holder(&self.index_lock(git_dir)?)
    }

    /// What is written in the `index.lock` of a git directory.
    pub(super) fn index_lock(&self, git_dir: &Path) -> Option<Vec<u8>> {
        let place = Place::known(git_dir, "index.lock").ok()?;
        self.world.files().read(&place, 4096).ok()
    }

    /// The recovery that `recover` without an id means.
    pub fn only_pending(&self, request: &Request) -> Result<Recovery> {
        let pending = self.pending(request)?;
        match pending.as_slice() {
            [one] => Ok(one.clone()),
            [] => Err(EngineError::nothing_to_do("No recovery is pending.")
                .hint("relight history --scope machine lists every recovery.")),
            several => {
                let text = format!("{} recoveries are pending.", several.len());
                let error = ambiguous(text, several.iter());
                Err(error.hint("To recover one: relight recover RECOVERY"))
            }
        }
    }
}

/// Why a recovery cannot be completed in this way.
fn misfit(entry: &Entry<RealDisk>, how: &RecoverMode) -> Option<EngineError> {
    let id = &entry.recovery.id;
    let other = format!("relight recover {id} without an option chooses the right side.");
    let (what, hint) = match (how, &entry.state) {
        (RecoverMode::Finish, State::Prepared | State::Untouched | State::Lost) => {
            let what =
                "was interrupted before everything was verified, so it can only be rolled back.";
            (what, other)
        }
        (RecoverMode::RollBack, State::Committed) => {
            let what = "is committed, so it cannot be rolled back; it can be finished and undone.";
            (what, other)
        }
        (RecoverMode::RollBack, State::Done) => {
            let what = "is complete, so it cannot be rolled back.";
            (what, format!("To undo it: relight undo {id}"))
        }
        (RecoverMode::Finish, State::RolledBack) => {
            let hint = format!("To plan it again: relight plan {}", entry.recovery.pipeline);
            ("was rolled back already; nothing remains of it.", hint)
        }
        (RecoverMode::Auto | RecoverMode::Finish | RecoverMode::RollBack, State::HalfApplied) => {
            let text = format!("{id} was left half-applied; relight cannot recover it.");
            let error = EngineError::new(ErrorKind::Unclear, text);
            return Some(error.hints(&entry.recovery.trouble));
        }
        _ => return None,
    };
    Some(EngineError::refused(format!("{id} {what}")).hint(hint))
}
