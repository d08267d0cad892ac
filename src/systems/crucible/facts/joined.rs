//! The project of a run that no marker names any more. Its checkpoint store is shared by all runs of the project, so the
//! times decide: checkpoints taken while the dispatches of the run began, with no other run in between.

use std::path::PathBuf;

use super::dispatch_files::DispatchFiles;
use super::sources::{epoch, project_folders};
use super::{Run, stores};
use crate::model::{Foreign, Place, Stamp};
use crate::systems::crucible::shape;
use crate::systems::crucible::shape::sniff::session_of;
use crate::text::Shown as _;
use crate::world::World;

/// The only project folder with checkpoints of the time of a run, and its scratch folder. `dirs` are the run's dispatch
/// folders.
pub(super) fn project(
    session: &str,
    dirs: &[Place],
    world: &dyn World,
) -> Option<(PathBuf, Place)> {
    let mut files = DispatchFiles::default();
    for dir in dirs {
        files.read(dir, false, world);
    }
    let starts = files.clock.values().copied();
    let span = (starts.clone().min()?, starts.max()?);
    let mut fitting = project_folders(world).filter(|(project, memory)| {
        let stores = stores::in_projects(std::slice::from_ref(project), world);
        let taken = stores.iter().flat_map(stores::Store::commits);
        let taken = taken.map(|commit| Stamp::utc(commit.time));
        let is_within = |at: &Stamp| span.0 <= *at && *at <= span.1;
        let mut within = taken.filter(is_within).peekable();
        within.peek().is_some() && {
            let others = other_starts(session, memory, span.0, world);
            within.any(|at| !others.iter().any(|other| *other <= at))
        }
    });
    let only = fitting.next()?;
    fitting.next().is_none().then_some(only)
}

/// The warning of every point of a run whose marker is damaged, or whose project no record names.
pub(crate) fn unmarked(run: &Run) -> Option<Foreign> {
    if run.sources.damaged_marker.is_some() {
        let text = "The marker of the run is damaged: on which branch it was is not known.";
        return Some(text.into());
    }
    let project = run.work_tree().filter(|_| run.sources.joined)?;
    let shown = project.shown();
    let text = "is inferred from the times of its checkpoints";
    Some(format!("No marker names the project: {shown} {text}.").into())
}

/// When other runs of a scratch folder began that may have taken the checkpoints: later than the run itself, or before
/// it where their marker was never replaced by the run's.
fn other_starts(session: &str, memory: &Place, since: Stamp, world: &dyn World) -> Vec<Stamp> {
    let entries = world.files().list(memory).unwrap_or_default();
    let names = entries.iter().filter_map(|entry| entry.name.to_str());
    let others = names.filter_map(|name| {
        let other = session_of(name.as_ref()).or_else(|| name.strip_prefix(".dispatch-active-"))?;
        (other != session).then(|| epoch(other)).flatten()
    });
    let mut all: Vec<Stamp> = others.filter(|at| *at > since).collect();
    let marker = memory.join(".pipeline-active").ok();
    let bytes = marker.and_then(|place| world.files().whole(&place).ok());
    let marker = bytes.and_then(|bytes| shape::marker(&bytes, world.clock()).ok());
    all.extend(marker.and_then(|marker| marker.start_time));
    all
}
