//! What has been carried out, and what a crash left of it.

use std::path::PathBuf;

use super::acting::troubled;
use super::{Engine, EngineError, ErrorKind, Request, Scope};
use crate::apply::carry::{Ground, Session};
use crate::apply::disk::RealDisk;
use crate::apply::history::{self, Entry};
use crate::apply::refs::RealRefs;
use crate::apply::settle::State;
use crate::model::{Cancel, Foreign, Recovery, RecoveryId, RecoveryState};

/// How a pending recovery is settled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Settle {
    /// As safety.md 3.4 decides: what was not committed is rolled back, what was is finished.
    Usual,
    /// `--finish`: refused for one that was not committed.
    Finish,
    /// `--roll-back`: refused for one that was committed.
    RollBack,
    /// `--export DIR`: nothing is settled; everything it keeps is copied out.
    Export(PathBuf),
}

/// What settling came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settled {
    /// The recovery, as it stands now; `None` where it had changed nothing and is gone.
    pub recovery: Option<Recovery>,
    /// What was found and what was done about it, a sentence each.
    pub said: Vec<Foreign>,
}

/// What a purge gave back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PurgeReport {
    /// The recoveries.
    pub purged: Vec<RecoveryId>,
    /// Bytes given back.
    pub bytes: u64,
    /// Those that keep everything, because it was cancelled before their turn.
    pub left: Vec<RecoveryId>,
}

impl Engine {
    /// What has been carried out in the request's scope, newest first; pending ones are among them.
    pub fn recoveries(&self, request: &Request) -> Result<Vec<Recovery>, EngineError> {
        let Ok(state) = self.state_dir() else {
            return Ok(Vec::new());
        };
        let ground = self.ground(request)?;
        let entries = history::entries(&RealDisk::new(), &state, *self.now().offset());
        let entries = entries.map_err(|error| {
            EngineError::new(
                ErrorKind::Unreadable,
                format!("The history cannot be read: {error}."),
            )
        })?;
        let all = entries.into_iter().map(|entry| entry.recovery);
        Ok(all
            .filter(|recovery| ground.holds_path(&recovery.root))
            .collect())
    }

    /// The recoveries that need attention in the request's scope, newest first. Reads only.
    pub fn pending(&self, request: &Request) -> Vec<Recovery> {
        let all = self.recoveries(request).unwrap_or_default();
        let pending = |r: &Recovery| r.state == RecoveryState::NeedsAttention;
        all.into_iter().filter(pending).collect()
    }

    /// The recovery that an id, or an unambiguous beginning or end of one, means.
    pub fn named_recovery(&self, word: &str) -> Result<Recovery, EngineError> {
        let everywhere = Request {
            scope: Some(Scope::Machine),
            ..Request::default()
        };
        let all = self.recoveries(&everywhere)?;
        if let Some(exact) = all.iter().find(|r| r.id.0 == word) {
            return Ok(exact.clone());
        }
        let fits =
            |r: &&Recovery| word.len() >= 4 && (r.id.0.starts_with(word) || r.id.0.ends_with(word));
        let mut fitting = all.iter().filter(fits);
        match (fitting.next(), fitting.next()) {
            (Some(one), None) => Ok(one.clone()),
            (Some(_), Some(_)) => Err(EngineError::new(
                ErrorKind::Ambiguous,
                format!("{word} means several recoveries."),
            )
            .hint("relight history --scope machine lists them.")),
            (None, _) => Err(EngineError::new(
                ErrorKind::NotFound,
                format!("There is no recovery {word}."),
            )
            .near(word, all.iter().map(|recovery| recovery.id.0.as_str()))
            .hint("relight history --scope machine lists them.")),
        }
    }

    /// Settles what a crash left pending; without an id the only pending one of the scope. `cancel` stops it until
    /// it begins.
    pub fn settle(
        &self,
        id: Option<&str>,
        how: &Settle,
        request: &Request,
        cancel: &Cancel,
    ) -> Result<Settled, EngineError> {
        cancel.open();
        let found = match id {
            Some(id) => self.named_recovery(id)?,
            None => self.only_pending(request)?,
        };
        let disk = RealDisk::new();
        let state = self.state_dir()?;
        let entry = self.entry(&disk, &state, &found.id)?;
        if let Settle::Export(to) = how {
            return Self::export(&disk, &entry, to, cancel);
        }
        if let Some(text) = misfit(&entry, how) {
            let other = format!(
                "relight recover {} without an option does what is right.",
                found.id
            );
            return Err(EngineError::new(ErrorKind::Refused, text).hint(other));
        }
        let common_dir = self
            .world
            .git()
            .repo(&found.root)
            .ok()
            .map(|repo| repo.common_dir);
        let ground = Ground {
            disk: &disk,
            refs: &RealRefs,
            state: &state,
            root: &found.root,
            common_dir: common_dir.as_deref(),
            me: self.world.places().uid,
            now: self.now(),
            cancel,
        };
        let session = Session::lock(&ground).map_err(troubled)?;
        let said = session.settle_one(&found.id.0).map_err(troubled)?;
        drop(session);
        let said = said
            .unwrap_or_else(|| format!("{} is settled; nothing was left to do.", found.id).into());
        Ok(Settled {
            recovery: self.recovery(&found.id).ok(),
            said: vec![said],
        })
    }

    fn only_pending(&self, request: &Request) -> Result<Recovery, EngineError> {
        let pending = self.pending(request);
        match pending.as_slice() {
            [one] => Ok(one.clone()),
            [] => Err(EngineError::new(
                ErrorKind::NothingToDo,
                "No recovery is pending.",
            )),
            several => {
                let text = format!("{} recoveries are pending.", several.len());
                let error = EngineError::new(ErrorKind::Ambiguous, text);
                Err(several.iter().take(8).fold(error, |error, r| {
                    error.hint(format!("relight recover {}", r.id))
                }))
            }
        }
    }
}

/// Why a recovery cannot be settled in this way.
fn misfit(entry: &Entry<RealDisk>, how: &Settle) -> Option<String> {
    let id = &entry.recovery.id;
    match (how, &entry.state) {
        (Settle::Finish, State::Prepared | State::Untouched) => Some(format!(
            "{id} was cut short before everything was verified, so it can only be rolled back."
        )),
        (Settle::RollBack, State::Committed | State::Done) => Some(format!(
            "{id} is complete, so it is not rolled back; relight undo {id} takes it back."
        )),
        (Settle::Finish, State::RolledBack) => Some(format!("{id} was rolled back already.")),
        _ => None,
    }
}
