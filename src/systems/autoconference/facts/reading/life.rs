//! The liveness query: the loop's process-id file, agent programs in the directory or a researcher's worktree, and how
//! long silence must last.

use std::path::PathBuf;

use crate::model::{LifeEvidence, LifeSign, Place, SignKind, SignVerdict};
use crate::world::World;
use crate::world::liveness::{LifeQuery, PidFile, gather as ask};

use crate::systems::autoconference::facts::Trees;
use crate::systems::autoconference::facts::worktrees::Tree;
use crate::systems::autoconference::shape::{EVENTS, PID, Raw};

/// The loop script's name, without its ending.
const LOOP: &str = "autoconference-loop";
/// The loop script waits six minutes between two calls, so a shorter silence means nothing.
const LOOP_PAUSE_S: i64 = 360;

pub(crate) fn gather(raw: &Raw, trees: &Trees, world: &dyn World) -> LifeEvidence {
    let worktrees = trees
        .known()
        .iter()
        .filter_map(|t| Some(t.place()?.to_owned()));
    let pid_file = Place::known(&raw.dir, PID).ok().map(|place| PidFile {
        place,
        command_contains: LOOP,
    });
    let common = trees.answer().into_iter();
    let common = common.map(|answer| answer.common.clone());
    let dir = raw.dir.to_str();
    let looping = dir.map(|dir| vec![LOOP.to_owned(), dir.to_owned()]);
    let query = LifeQuery {
        roots: std::iter::once(raw.dir.clone()).chain(worktrees).collect(),
        pid_files: pid_file.into_iter().collect(),
        command_lines: looping.into_iter().collect(),
        git_dirs: common.chain(own_git_dirs(trees, world)).collect(),
        signs: unlogged(raw).into_iter().collect(),
        writes: raw.writes.clone(),
        quiet_after_s: raw.config.timeout().unwrap_or(0).max(LOOP_PAUSE_S),
        ..LifeQuery::default()
    };
    ask(world, &query)
}

/// What is said of the last write without a log, which would have it.
fn unlogged(raw: &Raw) -> Option<LifeSign> {
    let missing = raw.log.is_none() && raw.unread(EVENTS).is_none();
    let text =
        format!("{EVENTS} is missing, so the time of the last write is that of the other files.");
    let sign = || LifeSign::new(SignKind::Marker, SignVerdict::Note, text);
    (missing && raw.newest.is_some()).then(sign)
}

/// The git directory of each researcher's worktree, which has its `index.lock`; the common one does not.
fn own_git_dirs(trees: &Trees, world: &dyn World) -> Vec<PathBuf> {
    let paths = trees.known().iter().filter_map(Tree::place);
    paths
        .filter_map(|path| world.git().repo(path).ok())
        .map(|facts| facts.git_dir)
        .collect()
}
