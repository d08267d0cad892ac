//! Rehearsals, exports and purges: commands that write, but not to a person's files.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::kept_files::remove_rehearsal;
use super::undoing::undo_facts;
use super::{Engine, EngineError, ErrorKind, PurgeReport, Recovered, Request, Result};
use crate::apply::disk::{Disk as _, RealDisk};
use crate::apply::history::Entry;
use crate::apply::refs::RealRefs;
use crate::apply::rehearse::Rehearsing;
use crate::apply::session::{Session, new_id};
use crate::apply::{ApplyError, briefings, home, purge};
use crate::model::{
    Cancel, CheckRun, Foreign, PipelineId, Plan, Recovery, RecoveryState, Rehearsal, Stage,
    StageProgress,
};
use crate::text::Shown as _;
use crate::text::format::count;
use crate::world::check;

impl Engine {
    /// Copies out everything that a recovery keeps.
    pub(super) fn export(
        &self,
        disk: &RealDisk,
        entry: &Entry<RealDisk>,
        to: &Path,
        cancel: &Cancel,
    ) -> Result<Recovered> {
        let failed = |error: std::io::Error| {
            let text = format!("{} could not be written: {error}.", to.shown());
            EngineError::refused(text).hint("Name a new directory inside an existing one.")
        };
        let to = home::canonical(to).map_err(failed)?;
        let copied = purge::export(disk, entry, &to, &|| cancel.is_cancelled()).map_err(failed)?;
        let to = to.shown();
        let Some(copied) = copied else {
            let text = format!("Canceled; what was copied to {to} by then is not complete.");
            return Err(EngineError::new(ErrorKind::Cancelled, text)
                .hint("Delete it before you export again; nothing else was changed."));
        };
        let files = count(copied, "file");
        let rest = "LIST.txt describes each file. Nothing else was changed.";
        Ok(Recovered {
            recovery: self.with_size(&entry.recovery.id).ok(),
            said: vec![format!("{files} copied to {to}; {rest}").into()],
        })
    }

    /// The recoveries that words mean, for `purge`: each an id or an unambiguous beginning of one, not pending.
    pub fn purgeable(&self, ids: &[String]) -> Result<Vec<Recovery>> {
        let mut found: Vec<Recovery> = Vec::new();
        for id in ids {
            let named = self.named_recovery(id);
            let named = named.map_err(|error| nothing_called(id, error))?;
            if named.state == RecoveryState::NeedsAttention {
                let id = &named.id;
                let text =
                    format!("Recovery {id} is not complete, so its backups are still needed.");
                return Err(EngineError::refused(text).hint(named.completion()));
            }
            // An undo uses the backups of the recovery that it undoes: they are what is deleted.
            let undoes = named.undoes.is_some();
            let owner = undoes.then(|| self.alone(&named.id)).flatten();
            let owner = owner.map(|entry| undo_facts::owner(&entry));
            let one = owner.and_then(|owner| self.named_recovery(&owner).ok());
            let one = one.unwrap_or(named);
            if !found.iter().any(|known| known.id == one.id) {
                found.push(one);
            }
        }
        Ok(found)
    }

    /// The paths of which a recovery keeps content that is nowhere else: edited after it, and replaced by its undo.
    pub(super) fn only_copies(&self, recovery: &Recovery) -> Vec<PathBuf> {
        if recovery.undone_by.is_none() {
            return Vec::new();
        }
        let entry = self.alone(&recovery.id);
        let edited = entry.map(|entry| purge::edited(&RealDisk::new(), &entry));
        edited.unwrap_or_default()
    }

    /// Deletes the backups of these recoveries, which cannot be undone afterwards, and all of relight's own checkpoints
    /// of these pipelines. The front end has asked for a typed word, or was given `--yes`. Every project is locked first, so
    /// that a refusal leaves everything as it was. `cancel` stops it between two of them.
    pub fn purge(
        &self,
        recoveries: &[Recovery],
        (stores, request): (&[PipelineId], &Request),
        cancel: &Cancel,
    ) -> Result<PurgeReport> {
        // From here on a signal cancels, and no longer ends the process: locks are about to be taken.
        cancel.open();
        let disk = RealDisk::new();
        let state = self.state_dir()?;
        let mut roots: Vec<PathBuf> = recoveries.iter().map(|one| one.root.clone()).collect();
        // A project that is gone has nobody to be kept out.
        roots.retain(|root| disk.root(root).is_ok());
        let locked = stores.iter();
        roots.extend(locked.filter_map(|id| self.checkpoints_root(id, request)));
        roots.sort();
        roots.dedup();
        let places = roots.into_iter().map(|root| self.write_place(root));
        let places = places.collect::<Result<Vec<_>, _>>()?;
        // Whether to begin is asked below, and what was begun is finished.
        let begun = Cancel::new();
        let contexts = places.iter();
        let contexts = contexts.map(|place| place.context(self, &disk, &begun));
        let contexts: Vec<_> = contexts.collect();
        let locks = contexts.iter().map(Session::lock);
        let locks = locks.collect::<Result<Vec<_>, _>>()?;
        let mut report = PurgeReport::default();
        for (at, recovery) in recoveries.iter().enumerate() {
            cancel.open();
            if !cancel.commit() {
                let left = recoveries.get(at..).unwrap_or_default();
                report.left = left.iter().map(|recovery| recovery.id.clone()).collect();
                break;
            }
            let entry = self.entry(&disk, &state, &recovery.id)?;
            let bytes = purge::purge(&disk, &RealRefs, &entry).map_err(|error| {
                let id = &recovery.id;
                let text = format!("The backups of {id} could not all be deleted: {error}.");
                EngineError::refused(text).hint("Run the same command again.")
            })?;
            if let Some(file) = &recovery.handoff.briefing_file {
                let me = self.world.places().uid;
                // What it kept is deleted by now; a briefing that stays is no reason to say otherwise.
                drop(briefings::remove(&disk, &state, file, me));
            }
            report.bytes += bytes;
            report.purged.push(recovery.id.clone());
        }
        if report.purged.is_empty() && !report.left.is_empty() {
            let notes: Vec<_> = locks.iter().filter_map(Session::record_note).collect();
            return Err(ApplyError::cancelled().after(&notes));
        }
        for id in stores {
            let many = self.remove_checkpoints(&disk, &state, id)?;
            report.checkpoints.push((id.clone(), many));
        }
        Ok(report)
    }

    /// Does what a plan would do in a copy of the project, and runs a check there. Without a check in the call
    /// the configured one is run, if there is one. The copy is left for a look, unless `cancel` stops it or it fails.
    pub fn rehearse(
        &self,
        plan: &Plan,
        check: Option<&[OsString]>,
        progress: &(dyn Fn(&StageProgress) + Sync),
        cancel: &Cancel,
    ) -> Result<Rehearsal> {
        cancel.open();
        let disk = RealDisk::new();
        let place = self.act_place(plan)?;
        let id = new_id(self.now(), plan.fingerprint.0.as_bytes());
        let draft = self.draft(plan, (&id, false), &disk, &place)?;
        let failed = |error: std::io::Error| {
            EngineError::failed(format!("The rehearsal failed: {error}."), &error)
        };
        let folder = home::Home::rehearsal(&disk, &place.at.state, &id, self.world.places().uid);
        let (dir, path) = folder.map_err(failed)?;
        let rehearsing = Rehearsing {
            disk: &disk,
            root: &place.at.root,
            scratch: (&dir, &path),
            progress: &|done, total| {
                progress(&StageProgress {
                    stage: Stage::Stage,
                    done,
                    total,
                });
                if cancel.is_cancelled() {
                    return Err(std::io::ErrorKind::Interrupted.into());
                }
                Ok(())
            },
        };
        let command = check.unwrap_or_else(|| self.settings().check.as_slice());
        let check = |folder: &Path| match command {
            [] => None,
            command => self.check(command, folder, cancel),
        };
        let rehearsed = rehearsing.run(&draft).map(|rehearsed| Rehearsal {
            check: check(&rehearsed.folder),
            folder: rehearsed.folder,
            changed: rehearsed.changed,
            not_covered: rehearsed.left_out.into_iter().map(Foreign::from).collect(),
        });
        if rehearsed.is_ok() && cancel.commit() {
            return rehearsed.map_err(failed);
        }
        // Nobody would look for half a copy. One that cannot be removed can still be purged.
        drop(remove_rehearsal(&disk, &path));
        if cancel.is_cancelled() {
            return Err(EngineError::cancelled());
        }
        rehearsed.map_err(failed)
    }

    /// Runs a check; `None` if it was cancelled.
    fn check(&self, command: &[OsString], folder: &Path, cancel: &Cancel) -> Option<CheckRun> {
        let begun = self.now();
        let ended = check::run(command, folder, &|| cancel.is_cancelled())?;
        let seconds = (self.now() - begun).num_seconds();
        let argv = command.iter().map(|word| word.as_os_str().into());
        Some(CheckRun {
            argv: argv.collect(),
            passed: ended.passed,
            ended: ended.how.into(),
            seconds: u64::try_from(seconds).unwrap_or(0),
            output: ended.output.into(),
        })
    }
}

/// A purge takes more than recoveries, so a word that names nothing is said to name none of all that.
fn nothing_called(word: &str, error: EngineError) -> EngineError {
    if error.kind != ErrorKind::NotFound {
        return error;
    }
    let text = format!("There is no recovery, replay, checkpoint, rehearsal or hand-off {word}.");
    EngineError {
        text: text.into(),
        ..error
    }
    .hint("relight compare PIPELINE --list lists the replays of a pipeline.")
}
