//! The two files without which the orchestrator's own resume protocol stops: `conference.md` and the event log. If one
//! is missing, git may still have it.

use std::path::Path;

use crate::systems::kit::odd_files::quoted;
use crate::text::format::short_id;
use crate::world::World;

use super::{Decision, State};
use crate::systems::autoconference::shape::{BadFile, CONFIG, Config, EVENTS, Raw};

/// How many commits of a file's history are searched.
const COMMITS: usize = 50;

/// The required files that cannot be used, `conference.md` first.
pub(crate) fn missing(raw: &Raw, state: &State, world: &dyn World) -> Vec<BadFile> {
    let over = matches!(
        state.decision,
        Decision::Done { .. } | Decision::NotStarted { .. } | Decision::Sibling(_)
    );
    if over {
        return Vec::new();
    }
    let usable = raw.config.problems().is_empty();
    let needed = [(CONFIG, !usable), (EVENTS, raw.log.is_none())];
    let gone = needed.into_iter().filter(|(_, gone)| *gone);
    gone.map(|(name, _)| one(raw, name, world)).collect()
}

fn one(raw: &Raw, name: &str, world: &dyn World) -> BadFile {
    if let Some(odd) = raw.unread(name) {
        return odd.clone();
    }
    if name == CONFIG && raw.config.exists {
        return broken(raw, world);
    }
    let shown = quoted(&raw.path(name));
    let absent = match world.git().repo(&raw.dir) {
        Err(why) if why.leaves_open() => {
            format!("Restore it from a copy. Whether git has it is unknown: {why}.")
        }
        _ => "Restore it from a copy; git does not have it.".to_owned(),
    };
    let remedy = match (in_git(&raw.dir, name, world, |_| true), name) {
        (Some(command), _) => format!("git still has it: {command}"),
        (None, EVENTS) => format!(
            "{absent} Without a copy, create an empty log with `touch {shown}`: the resume then writes its first line, and the tables, posters and reviews show what was done."
        ),
        (None, _) => format!("{absent} `/autoconference:plan` writes a new one."),
    };
    BadFile {
        name: name.to_owned(),
        problem: "is missing".to_owned(),
        remedy,
    }
}

/// A `conference.md` that exists and cannot be used: emptied, truncated, or changed by hand.
fn broken(raw: &Raw, world: &dyn World) -> BadFile {
    let whole = |bytes: &[u8]| {
        let old = Config::parse(&String::from_utf8_lossy(bytes));
        old.problems().is_empty()
    };
    let remedy = in_git(&raw.dir, CONFIG, world, whole).map_or_else(
        || format!("Repair {CONFIG} by hand, or restore it from a copy."),
        |command| format!("git still has a version without these errors: {command}"),
    );
    BadFile {
        name: CONFIG.to_owned(),
        problem: format!("breaks these rules: {}", raw.config.problems().join("; ")),
        remedy,
    }
}

/// The command that restores a file from the newest commit that has it in a usable state.
fn in_git(
    dir: &Path,
    name: &str,
    world: &dyn World,
    usable: impl Fn(&[u8]) -> bool,
) -> Option<String> {
    let git = world.git();
    let top = git.repo(dir).ok()?.work_tree?;
    let top = world.files().canonical(&top).unwrap_or(top);
    let path = dir.strip_prefix(&top).ok()?.join(name);
    let history = git.path_history(dir, &path, COMMITS).ok()?;
    // The newest change may be the deletion.
    let commits = history.iter();
    let mut candidates = commits.flat_map(|c| [&c.id].into_iter().chain(c.parents.first()));
    let commit = candidates.find(|id| git.blob(dir, id, &path).is_ok_and(|old| usable(&old)))?;
    let (top, path, commit) = (quoted(&top), quoted(&path), short_id(commit));
    Some(format!("git -C {top} restore --source={commit} -- {path}"))
}
