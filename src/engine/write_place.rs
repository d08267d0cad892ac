//! What is written to, whatever is written: relight's own state, the root that is locked, and its repository.

use std::io;
use std::path::{Path, PathBuf};

use super::search_area::unreadable;
use super::{Engine, EngineError, Result};
use crate::apply::disk::RealDisk;
use crate::apply::home;
use crate::apply::refs::RealRefs;
use crate::apply::session::Context;
use crate::foreign;
use crate::model::Cancel;
use crate::text::format::{capital, shell_path};
use crate::world::file_facts::{Fault, Obstacle, nearest_found, unusable};

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
    pub(super) fn write_place(&self, root: PathBuf) -> Result<WritePlace> {
        let repo = self.world.git().repo(&root).ok();
        Ok(WritePlace {
            state: self.writable_state()?,
            common_dir: repo.map(|repo| repo.common_dir),
            root,
        })
    }

    /// The canonical folder of relight's own state. Whatever prevents a command from using it is of the same kind:
    /// nothing refuses the command, its input is unreadable.
    pub(super) fn state_dir(&self) -> Result<PathBuf> {
        let state = self.world.places().state.as_deref().ok_or_else(|| {
            EngineError::unreadable("relight has no state directory.")
                .hint("Set HOME, or XDG_STATE_HOME to an absolute path.")
        })?;
        if let Some(known) = self.state.get() {
            return Ok(known.clone());
        }
        let found =
            home::canonical(state).map_err(|error| unreadable_state(&home::own(state), &error))?;
        // Asked for every pipeline of a list. Where its links lead later no longer matters to this process.
        Ok(self.state.get_or_init(|| found).clone())
    }

    /// The same for a command that writes to it, before it begins.
    pub(super) fn writable_state(&self) -> Result<PathBuf> {
        let state = self.state_dir()?;
        match unusable(&home::own(&state), self.world.places().uid) {
            None => Ok(state),
            Some(obstacle) => {
                let text = foreign!(
                    "{} cannot be used for relight's own state: {}.",
                    obstacle.path.as_path(),
                    obstacle.fault.to_string()
                );
                let named = foreign!("{}", obstacle.path.as_path());
                let remedy = remedy(&obstacle, &named.lossy());
                Err(elsewhere(
                    EngineError::unreadable(text).hint(format!("{}.", capital(&remedy))),
                ))
            }
        }
    }
}

/// What removes an obstacle, as a part of a sentence in which the path is `named`.
pub(super) fn remedy(obstacle: &Obstacle, named: &str) -> String {
    let usual = || format!("run relight as a user who may use {named}, or change its permissions");
    match obstacle.fault {
        Fault::NotADirectory => format!("move {named} away"),
        Fault::Shared => shell_path(&obstacle.path)
            .map_or_else(usual, |path| format!("run chmod go-w {path} and try again")),
        Fault::Refused(ref why) if why.kind() == io::ErrorKind::ReadOnlyFilesystem => {
            format!("mount the file system of {named} for writing")
        }
        Fault::Foreign | Fault::Refused(_) => usual(),
        Fault::NoFiles => "use a directory on another file system".to_owned(),
    }
}

/// A folder of relight's own state cannot be read. Named is what prevents it, which may be above the folder.
pub(super) fn unreadable_state(dir: &Path, why: &io::Error) -> EngineError {
    let reason = format!("cannot be read: {why}");
    let found = nearest_found(dir);
    if why.kind() != io::ErrorKind::NotADirectory {
        return elsewhere(unreadable(found, &reason));
    }
    // No permission helps.
    let error = EngineError::unreadable(foreign!("{} {}.", found, reason));
    elsewhere(error.hint(foreign!("Move {} away.", found)))
}

fn elsewhere(error: EngineError) -> EngineError {
    error.hint("Or keep the state elsewhere: set XDG_STATE_HOME to an absolute path.")
}
