//! What is written to, whatever is written: relight's own state, the root that is locked, and its repository.

use std::io;
use std::path::{Path, PathBuf};

use super::search_area::unreadable;
use super::{Engine, EngineError};
use crate::apply::disk::RealDisk;
use crate::apply::home;
use crate::apply::refs::RealRefs;
use crate::apply::session::Context;
use crate::model::Cancel;

/// One root.
pub(super) struct WritePlace {
    pub(super) state: PathBuf,
    pub(super) root: PathBuf,
    common_dir: Option<PathBuf>,
}

impl WritePlace {
    pub(super) fn context<'a>(
        &'a self,
        engine: &Engine,
        disk: &'a RealDisk,
        cancel: &'a Cancel,
    ) -> Context<'a, RealDisk> {
        Context {
            disk,
            refs: &RealRefs,
            state: &self.state,
            root: &self.root,
            common_dir: self.common_dir.as_deref(),
            me: engine.world.places().uid,
            now: engine.now(),
            cancel,
        }
    }
}

impl Engine {
    /// What is written to where this root is locked.
    pub(super) fn write_place(&self, root: PathBuf) -> Result<WritePlace, EngineError> {
        let repo = self.world.git().repo(&root).ok();
        Ok(WritePlace {
            state: self.state_dir()?,
            common_dir: repo.map(|repo| repo.common_dir),
            root,
        })
    }

    /// The canonical folder of relight's own state.
    pub(super) fn state_dir(&self) -> Result<PathBuf, EngineError> {
        let state = self.world.places().state.as_deref().ok_or_else(|| {
            EngineError::refused("relight has no state directory.")
                .hint("Set HOME, or XDG_STATE_HOME to an absolute path.")
        })?;
        home::canonical(state).map_err(|error| {
            let text = format!("{}: {error}.", state.to_string_lossy());
            EngineError::refused(text)
        })
    }
}

/// The folder of relight's own state cannot be read.
pub(super) fn unreadable_state(state: &Path, why: &io::Error) -> EngineError {
    let error = unreadable(&home::own(state), &format!("cannot be read: {why}"));
    error.hint("Or keep the state elsewhere: set XDG_STATE_HOME to an absolute path.")
}
