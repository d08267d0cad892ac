//! Rehearsals, exports and purges: what writes elsewhere than in a person's files.

use std::ffi::OsString;
use std::path::Path;

use super::{Engine, EngineError, ErrorKind, PurgeReport, Request, Settled};
use crate::apply::disk::RealDisk;
use crate::apply::history::Entry;
use crate::model::{Plan, Recovery, Rehearsal, StageProgress};

fn not_yet() -> EngineError {
    EngineError::new(ErrorKind::Bug, "This is not built yet.")
}

impl Engine {
    /// Copies out everything that a recovery keeps.
    pub(super) fn export(
        &self,
        _disk: &RealDisk,
        _entry: &Entry<RealDisk>,
        _to: &Path,
    ) -> Result<Settled, EngineError> {
        Err(not_yet())
    }

    /// The recoveries that words mean, for `purge`: each an id or an unambiguous beginning of one.
    pub fn purgeable(
        &self,
        ids: &[String],
        _request: &Request,
    ) -> Result<Vec<Recovery>, EngineError> {
        ids.iter().map(|id| self.named_recovery(id)).collect()
    }

    /// Gives back the space of what these recoveries keep. They cannot be undone afterwards. The face has asked
    /// for a typed word, or was given `--yes`.
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
