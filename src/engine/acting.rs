//! Everything that changes the disk, as a face may ask for it: carry out, undo, recover, purge, rehearse.

use std::ffi::OsString;
use std::path::PathBuf;

use super::{Engine, EngineError, ErrorKind, Request};
use crate::apply::Consent;
use crate::model::{Foreign, Outcome, Plan, Recovery, RecoveryId, Rehearsal, StageProgress};

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
    /// The recovery, as it stands now.
    pub recovery: Recovery,
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
}

fn not_yet() -> EngineError {
    EngineError::new(ErrorKind::Bug, "This is not built yet.")
}

impl Engine {
    /// Carries a plan out: the same plan, or nothing. Computes it again under the locks and refuses where it
    /// is no longer the one that was agreed to.
    pub fn carry_out(
        &self,
        _plan: &Plan,
        _consent: &Consent,
        _progress: &(dyn Fn(&StageProgress) + Sync),
    ) -> Result<Outcome, EngineError> {
        Err(not_yet())
    }

    /// The plan that takes a recovery back; without an id the latest of the request's scope that is not
    /// undone (with `redo`, the latest undo that is not redone). Paths in `keep` (absolute) stay as they are.
    pub fn undo_plan(
        &self,
        _id: Option<&str>,
        _redo: bool,
        _keep: &[PathBuf],
        _request: &Request,
    ) -> Result<Plan, EngineError> {
        Err(not_yet())
    }

    /// What has been carried out in the request's scope, newest first; pending ones are among them.
    pub fn recoveries(&self, _request: &Request) -> Result<Vec<Recovery>, EngineError> {
        Ok(Vec::new())
    }

    /// The recoveries that need attention in the request's scope, newest first. Reads only.
    pub fn pending(&self, _request: &Request) -> Vec<Recovery> {
        Vec::new()
    }

    /// Settles what a crash left pending; without an id the only pending one of the scope.
    pub fn settle(
        &self,
        _id: Option<&str>,
        _how: &Settle,
        _request: &Request,
    ) -> Result<Settled, EngineError> {
        Err(not_yet())
    }

    /// The recoveries that words mean, for `purge`: each an id or an unambiguous beginning of one.
    pub fn purgeable(
        &self,
        _ids: &[String],
        _request: &Request,
    ) -> Result<Vec<Recovery>, EngineError> {
        Err(not_yet())
    }

    /// Gives back the space of what these recoveries keep. They cannot be undone afterwards. Consent is the
    /// typed number of bytes or `--yes`, which the face has asked for.
    pub fn purge(&self, _recoveries: &[Recovery]) -> Result<PurgeReport, EngineError> {
        Err(not_yet())
    }

    /// Does what a plan would do in a scratch folder, and runs a check there.
    pub fn rehearse(
        &self,
        _plan: &Plan,
        _check: Option<&[OsString]>,
        _progress: &(dyn Fn(&StageProgress) + Sync),
    ) -> Result<Rehearsal, EngineError> {
        Err(not_yet())
    }
}
