//! The project of a run that no record names, by the times of its checkpoints and of other runs.

use std::path::PathBuf;

use super::{epoch, project_folders};
use crate::model::{Place, Stamp};
use crate::systems::crucible::facts::dispatch_files::DispatchFiles;
use crate::systems::crucible::facts::stores;
use crate::systems::crucible::shape;
use crate::systems::crucible::shape::sniff::session_of;
use crate::world::World;
use crate::world::files::Entry;

/// The project of a run that no marker names any more. Its checkpoint store is shared by all runs of the project, so the
/// times decide: checkpoints taken while the dispatches of the run began, with no other run in between. Returns the only
/// project folder with checkpoints of the time of a run, and its scratch folder. `dirs` are the run's dispatch
/// folders.
pub(super) fn joined_project(
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

/// The other runs of a scratch folder, each with its start.
pub(super) fn other_runs<'a>(
    own: &str,
    entries: &'a [Entry],
) -> impl Iterator<Item = (&'a str, Stamp)> {
    entries.iter().filter_map(move |entry| {
        let active = || entry.name.to_str()?.strip_prefix(".dispatch-active-");
        let other = session_of(&entry.name).or_else(active)?;
        Some((other, epoch(other)?)).filter(|_| other != own)
    })
}

/// When other runs of a scratch folder began that may have taken the checkpoints: later than the run itself, or before
/// it where their marker was never replaced by the run's.
fn other_starts(session: &str, memory: &Place, since: Stamp, world: &dyn World) -> Vec<Stamp> {
    let entries = world.files().list(memory).unwrap_or_default();
    let others = other_runs(session, &entries).map(|(_, at)| at);
    let mut all: Vec<Stamp> = others.filter(|at| *at > since).collect();
    let marker = memory.join(".pipeline-active").ok();
    let bytes = marker.and_then(|place| world.files().whole(&place).ok());
    let marker = bytes.and_then(|bytes| shape::marker(&bytes, world.clock()).ok());
    all.extend(marker.and_then(|marker| marker.start_time));
    all
}
