//! The two files without which the orchestrator's own resume protocol stops: `conference.md` and the event log.
//! Where one is missing, git is asked whether it still has it.

use std::path::Path;

use crate::world::World;

use super::{Decision, State};
use crate::systems::autoconference::shape::{CONFIG, EVENTS, Raw};

/// Commits of a file's history that are looked at.
const COMMITS: usize = 50;

/// A file that is needed and cannot be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Required {
    /// Its name.
    pub name: &'static str,
    /// What is wrong, in a clause: `it is missing`.
    pub wrong: String,
    /// How to get it back.
    pub cure: String,
}

impl Required {
    /// What is wrong, in a sentence.
    pub(crate) fn sentence(&self) -> String {
        format!("{} {}.", self.name, self.wrong)
    }
}

/// The needed files that cannot be used, `conference.md` first.
pub(crate) fn missing(raw: &Raw, state: &State, world: &dyn World) -> Vec<Required> {
    let over = matches!(
        state.decision,
        Decision::Done { .. } | Decision::NotStarted { .. } | Decision::Sibling(_)
    );
    if over {
        return Vec::new();
    }
    let needed = [(CONFIG, raw.config.is_some()), (EVENTS, raw.log.is_some())];
    let gone = needed.into_iter().filter(|(_, there)| !there);
    gone.map(|(name, _)| one(raw, name, world)).collect()
}

fn one(raw: &Raw, name: &'static str, world: &dyn World) -> Required {
    let path = raw.path(name);
    let shown = quoted(&path.to_string_lossy());
    if let Some(why) = raw.unread(name) {
        return Required {
            name,
            wrong: format!("cannot be read: {why}"),
            cure: format!("Put a regular file that can be read at {shown}."),
        };
    }
    let cure = match (in_git(&raw.dir, name, world), name) {
        (Some(command), _) => format!("git still has it: {command}"),
        (None, EVENTS) => format!(
            "Put it back from a copy. git does not have it. Without a copy, make an empty log with `touch {shown}`: the resume then begins it, and the tables, posters and reviews say what was done."
        ),
        (None, _) => {
            "Put it back from a copy; git does not have it. `/autoconference:plan` writes a new one."
                .to_owned()
        }
    };
    Required {
        name,
        wrong: "is missing".to_owned(),
        cure,
    }
}

/// The command that brings a file back from the newest commit that has it.
fn in_git(dir: &Path, name: &str, world: &dyn World) -> Option<String> {
    let git = world.git();
    let top = git.repo(dir).ok()?.work_tree?;
    let top = world.files().canonical(&top).unwrap_or(top);
    let path = dir.strip_prefix(&top).ok()?.join(name);
    let history = git.path_history(dir, &path, COMMITS).ok()?;
    // The newest change may be the one that deleted it.
    let mut candidates = history
        .iter()
        .flat_map(|c| std::iter::once(&c.id).chain(c.parents.first()));
    let commit = candidates.find(|id| git.blob(dir, id, &path).is_ok())?;
    let short = commit.get(..12).unwrap_or(commit);
    Some(format!(
        "git -C {} restore --source={short} -- {}",
        quoted(&top.to_string_lossy()),
        quoted(&path.to_string_lossy())
    ))
}

/// Quoted for a POSIX shell; a control character must not forge a line.
pub(crate) fn quoted(text: &str) -> String {
    let clean: String = text
        .chars()
        .map(|c| if c.is_control() { '?' } else { c })
        .collect();
    format!("'{}'", clean.replace('\'', "'\\''"))
}
