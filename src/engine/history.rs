//! Past recoveries, and those that a crash interrupted.

use std::ffi::OsStr;
use std::path::Path;

use super::applying::ActPlace;
use super::kept_path::kept_paths;
use super::recovery_pipeline::is_it;
use super::undoing::no_recovery;
use super::write_place::unreadable_state;
use super::{
    Engine, EngineError, ErrorKind, History, RecoverMode, Recovered, Request, Result, Skipped,
};
use crate::apply::crash::{self, State};
use crate::apply::disk::{Disk as _, RealDisk};
use crate::apply::folder::Folder;
use crate::apply::history::{self, Entry};
use crate::apply::home::{Home, canonical, project_id};
use crate::apply::locks;
use crate::apply::session::Session;
use crate::foreign;
use crate::model::{
    Cancel, Guard, PipelineId, Place, Plan, Recovery, RecoveryState, TreeFacts, UndoOptions,
};
use crate::recover::guards::index_lock;
use crate::text::format::time_full;

impl Engine {
    /// The recoveries in the request's scope, and what of it cannot be read.
    pub fn history(&self, request: &Request) -> Result<History> {
        self.history_of(request, &|_| true)
    }

    /// The same of those that are wanted: to know whether they belong to the scope may need a survey.
    pub(super) fn history_of(
        &self,
        request: &Request,
        wanted: &dyn Fn(&Recovery) -> bool,
    ) -> Result<History> {
        if self.world.places().state.is_none() {
            return Ok(History::default());
        }
        let state = self.state_dir()?;
        let scope = self.in_scope(request)?;
        let disk = RealDisk::new();
        let read = history::read(&disk, &state, *self.now().offset());
        let (entries, unreadable) = read.map_err(|why| unreadable_state(&state, &why))?;
        // A project is known by what else is in its folder, or by the root of the scope.
        let here = entries.iter();
        let here = here.filter(|entry| scope.area.holds_path(&entry.recovery.root));
        let mut asked: Vec<String> = here.map(|entry| entry.home.project.clone()).collect();
        let roots = scope.area.roots.iter();
        asked.extend(roots.filter_map(|root| project_of(&disk, root)));
        let unreadable = unreadable.into_iter();
        let unreadable = unreadable.filter(|odd| scope.all || asked.contains(&odd.project));
        let unreadable = unreadable.map(|odd| Skipped {
            path: odd.path,
            reason: format!("not a readable recovery ({})", odd.reason).into(),
            unread: true,
        });
        let mut recoveries: Vec<_> = entries.into_iter().map(|entry| entry.recovery).collect();
        recoveries.retain(|one| wanted(one) && scope.holds(&one.root, &|found| is_it(found, one)));
        Ok(History {
            recoveries,
            unreadable: unreadable.collect(),
        })
    }

    /// The recoveries in the request's scope, the latest first; pending ones are among them.
    pub fn recoveries(&self, request: &Request) -> Result<Vec<Recovery>> {
        self.history(request).map(|past| past.recoveries)
    }

    /// The recoveries that need attention in the request's scope, and what of its history cannot be read.
    pub fn unfinished(&self, request: &Request) -> Result<History> {
        self.history_of(request, &is_unfinished)
    }

    /// The recoveries that need attention in the request's scope, the latest first. Reads only.
    pub fn pending(&self, request: &Request) -> Result<Vec<Recovery>> {
        Ok(self.unfinished(request)?.recoveries)
    }

    /// The pending recoveries of a plan's pipeline, wherever it is. One without a record names no pipeline: it counts
    /// where it is kept with those of the plan's project.
    pub fn pending_of(&self, plan: &Plan) -> Result<Vec<Recovery>> {
        let root = self.act_place(plan).ok().map(|place| place.at.root);
        // Without a record it is known by the root in its journal, else by the folder that keeps it.
        let is_here = |at: &Path| {
            root.as_ref().is_some_and(|root| {
                let project = || project_of(&RealDisk::new(), root);
                at.starts_with(root) || project().is_some_and(|project| at.ends_with(project))
            })
        };
        let mut pending = self.pending(&Request::everywhere())?;
        pending.retain(|left| {
            left.pipeline == plan.pipeline || !left.is_recorded() && is_here(&left.root)
        });
        Ok(pending)
    }

    /// A guard that fails while a recovery of this pipeline is pending: a plan made from half of one must not be
    /// confirmed. The one that is under way here is not pending, and one of another pipeline is recovered on the way.
    pub(super) fn pending_guard(&self, pipeline: &PipelineId, root: &Path) -> Option<Guard> {
        let disk = RealDisk::new();
        let root = canonical(root).ok()?;
        let project = project_of(&disk, &root)?;
        let home = Home::open(&disk, &self.state_dir().ok()?, &project).ok()??;
        let held = self.held_id();
        let pending = |name: &OsStr| {
            let name = name.to_str().filter(|name| history::is_id(name))?;
            let folder = Folder::open(&disk, &home.dir, name).ok()?;
            let state = crash::state(&disk, &folder).ok()?;
            if state.has_ended() || held.as_deref() == Some(name) {
                return None;
            }
            let entry = history::entry(&disk, &home, name, *self.now().offset());
            let found = entry.ok()??.recovery;
            (found.pipeline == *pipeline || !found.is_recorded()).then_some(found)
        };
        let names = disk.list(&home.dir).unwrap_or_default();
        let left = names.iter().find_map(|name| pending(name))?;
        let (text, cure) = (left.why_incomplete(), left.completion());
        Some(Guard::fails("pending_recovery", text, cure))
    }

    /// The recovery that an id, or an unambiguous beginning or end of one, means.
    pub fn named_recovery(&self, word: &str) -> Result<Recovery> {
        let all = self.recoveries(&Request::everywhere())?;
        if let Some(exact) = all.iter().find(|r| r.id.0 == word) {
            return Ok(exact.clone());
        }
        let fits =
            |r: &&Recovery| word.len() >= 4 && (r.id.0.starts_with(word) || r.id.0.ends_with(word));
        let fitting: Vec<&Recovery> = all.iter().filter(fits).collect();
        match fitting.as_slice() {
            [one] => Ok((*one).clone()),
            [] => {
                let known = all.iter().map(|recovery| recovery.id.0.as_str());
                Err(no_recovery(word).near(word, known))
            }
            several => {
                let text = format!("{word} matches {} recoveries.", several.len());
                let error = ambiguous(text, several.iter().copied());
                Err(error.hint("relight history --scope machine lists them."))
            }
        }
    }

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
            return Self::export(&disk, &entry, to, cancel);
        }
        if let Some(error) = misfit(&entry, how) {
            return Err(error);
        }
        self.no_agent_writes(&entry, options).map_err(|error| {
            // Where the project is gone, no answer about its processes helps.
            let gone = disk.root(&found.root).is_err();
            error.hints(found.trouble.iter().filter(|_| gone))
        })?;
        let place = self.write_place(found.root.clone())?;
        let context = place.context(self, &disk, cancel);
        let keep = kept_paths(&entry, options, request)?;
        let session = Session::lock_home(&context, entry.home.clone())?;
        let mut said = session.recover_one(&found.id.0, &keep)?;
        if let Some(finished) = session.ended_record() {
            let done = if finished { "finished" } else { "undone" };
            said.push(format!("An interrupted record of the same project is {done}.").into());
        }
        drop(session);
        if said.is_empty() {
            said.push(format!("Recovery {} is complete; nothing was left to do.", found.id).into());
        }
        let recovery = self.recovery(&found.id).ok();
        let half = recovery.iter();
        let half = half.filter(|done| done.state == RecoveryState::HalfApplied);
        said.extend(half.flat_map(|done| done.trouble.clone()));
        let of = recovery.as_ref().map(|done| &done.pipeline);
        let _ignored = of.and_then(|of| self.mark_briefings(of));
        Ok(Recovered { recovery, said })
    }

    /// Refuses where an agent works on the pipeline of a pending recovery, or may.
    fn no_agent_writes(&self, entry: &Entry<RealDisk>, options: &UndoOptions) -> Result<()> {
        let opened = self.of_recovery(&entry.recovery);
        // The files that the crashed relight exchanged are as young as the crash. Its folder was written to last,
        // by a mark or by the journal, so whatever is older is no sign of an agent.
        let path = entry.home.path.join(&entry.folder.name);
        let stat = self.world.files().stat(&Place::root(&path)).ok();
        let own = stat.map(|stat| stat.modified.to_utc());
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
        let entries = history::entries(disk, &place.at.state, *self.now().offset());
        // A history that cannot be read is reported by the session, with what to do.
        for entry in entries.into_iter().flatten() {
            let found = &entry.recovery;
            // The lock of one that another relight applies refuses this plan.
            let pending = found.state == RecoveryState::NeedsAttention && !found.running;
            if !pending || found.root != place.at.root || found.pipeline == plan.pipeline {
                continue;
            }
            self.no_agent_writes(&entry, &options).map_err(|error| {
                let (id, pipeline) = (&found.id, &found.pipeline);
                let first = format!("Recovery {id} of {pipeline} was interrupted and comes first");
                error.hint(format!("{first}: relight recover {id}"))
            })?;
        }
        Ok(())
    }

    /// The recovery of relight's own whose `index.lock` is in a git directory.
    pub(super) fn index_lock_of(&self, git_dir: &Path) -> Option<String> {
        locks::holder(&self.index_lock(git_dir)?)
    }

    /// What is written in the `index.lock` of a git directory.
    pub(super) fn index_lock(&self, git_dir: &Path) -> Option<Vec<u8>> {
        let place = Place::known(git_dir, "index.lock").ok()?;
        self.world.files().read(&place, 4096).ok()
    }

    /// Why an `index.lock` keeps a recovery from being undone.
    pub(super) fn index_lock_guard(&self, git_dir: &Path) -> Guard {
        index_lock(&TreeFacts {
            index_locked: true,
            index_lock_of: self.index_lock_of(git_dir),
            ..TreeFacts::default()
        })
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

fn is_unfinished(recovery: &Recovery) -> bool {
    recovery.state == RecoveryState::NeedsAttention
}

/// The error with what tells these recoveries apart.
fn ambiguous<'a>(text: String, several: impl Iterator<Item = &'a Recovery>) -> EngineError {
    let said = several.map(|one| {
        let (id, of_it) = (one.id.0.as_str(), one.pipeline.of_it());
        foreign!(
            "{}: {}{}, {}",
            id,
            &one.label,
            of_it,
            time_full(one.started_at)
        )
    });
    EngineError::ambiguous(text, said)
}

/// The name of the folder that keeps the recoveries of a root; `None` where the root is gone.
pub(super) fn project_of(disk: &RealDisk, root: &Path) -> Option<String> {
    let node = disk.root(root).and_then(|dir| disk.node(&dir)).ok()?;
    Some(project_id(node.id, root))
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
