//! Whether another program is writing the files of a plan right now.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::Engine;
use super::planning::PART;
use crate::apply::ApplyError;
use crate::model::{Cancel, Foreign, Place, Plan, in_parts};
use crate::world::files::FileKind;

/// How often a wait looks whether to stop.
const BREATH: Duration = Duration::from_millis(50);

impl Engine {
    /// A pipeline that is still written to is caught by its files: none of those that the plan touches or
    /// depends on may have changed in the last two seconds, nor change until two seconds are over.
    pub(super) fn wait_for_quiet(&self, plan: &Plan, cancel: &Cancel) -> Result<(), ApplyError> {
        let watched = self.watched(plan);
        let look = || in_parts(&watched, PART, |path| self.stamp(path));
        let before = look();
        let now = SystemTime::from(self.now());
        let youngest = before.iter().flatten().map(|(changed, _)| *changed).max();
        let age = youngest.map(|changed| now.duration_since(changed).unwrap_or(Duration::ZERO));
        if age.is_none_or(|age| age >= self.quiet) {
            return Ok(());
        }
        let mut left = self.quiet;
        while !left.is_zero() && !cancel.is_cancelled() {
            let step = left.min(BREATH);
            std::thread::sleep(step);
            left -= step;
        }
        if cancel.is_cancelled() {
            return Err(ApplyError::cancelled());
        }
        if look() == before {
            return Ok(());
        }
        Err(
            ApplyError::refused("Another program is writing the pipeline's files right now.")
                .hint("Stop that program, then review the plan again."),
        )
    }

    fn watched(&self, plan: &Plan) -> Vec<PathBuf> {
        let mut watched: Vec<PathBuf> = Vec::new();
        if let Ok(opened) = self.recall(&plan.pipeline) {
            watched.extend(opened.pipeline.reading.state_files.iter().cloned());
        }
        for action in &plan.actions {
            watched.push(action.target.clone());
            let rel = |path: &Foreign| action.target.join(path.as_path());
            watched.extend(action.paths.iter().map(|path| rel(&path.path)));
        }
        watched
    }

    /// When a file was changed last, and its size.
    fn stamp(&self, path: &Path) -> Option<(SystemTime, u64)> {
        let place = Place::known(path.parent()?, path.file_name()?).ok()?;
        let stat = self.world.files().stat(&place).ok()?;
        let is_dir = stat.kind == FileKind::Dir;
        // A folder's own time changes with what is in it, which is watched by itself.
        (!is_dir).then(|| (SystemTime::from(stat.modified), stat.size))
    }
}
