//! Evidence from tmux: sessions with exactly this name, and the pipeline they belong to.
//!
//! tmux itself matches names by prefix and replaces `.` and `:` by `_`. Here whole names are compared, after the same
//! replacement.

use super::{TmuxQuery, resolved, shown};
use crate::model::{LifeSign, SignKind, SignVerdict};
use crate::text::Shown as _;
use crate::text::format::time;
use crate::world::World;
use crate::world::process::{Pane, TmuxSession};

/// One sign for each session in the query. tmux is not started if there is none.
pub(super) fn sessions(world: &dyn World, queries: &[TmuxQuery]) -> Vec<LifeSign> {
    if queries.is_empty() {
        return Vec::new();
    }
    let all = world.processes().tmux();
    let ancestors = world.processes().ancestors();
    queries
        .iter()
        .map(|query| {
            let (verdict, text) = match &all {
                Ok(all) => session(world, query, all, &ancestors),
                Err(why) => (
                    SignVerdict::Unreadable,
                    format!(
                        "tmux cannot be queried ({}), so whether session `{}` runs is unknown.",
                        why.shown(),
                        query.name
                    ),
                ),
            };
            LifeSign::new(SignKind::Tmux, verdict, text)
        })
        .collect()
}

fn session(
    world: &dyn World,
    query: &TmuxQuery,
    all: &[TmuxSession],
    ancestors: &[u32],
) -> (SignVerdict, String) {
    let wanted = mapped(query.name.as_bytes());
    let found = all.iter().find(|s| mapped(s.name.as_bytes()) == wanted);
    let Some(found) = found.filter(|_| !wanted.is_empty()) else {
        let text = format!("No tmux session is named `{}`.", query.name);
        return (SignVerdict::Negative, text);
    };
    let since = found
        .created
        .map(|at| format!(" (since {})", time(at.fixed_offset())))
        .unwrap_or_default();
    let name = format!("tmux session `{}`{since}", found.name.shown());
    // Pipelines share session names such as `main`: a pane counts only if it works for this one.
    let owner = query.owner.as_slice();
    let ours: Vec<&Pane> = found
        .panes
        .iter()
        .filter(|pane| owner.is_empty() || belongs(world, query, pane))
        .collect();
    let inside = |pane: &&Pane| ancestors.contains(&pane.pid);
    let elsewhere = found.panes.first().map(|pane| shown(&pane.cwd));
    match (owner.first(), elsewhere) {
        // relight was started in one of its panes: the person sits in that session.
        _ if !ours.is_empty() && ours.iter().all(inside) => (
            SignVerdict::Note,
            format!("You are running inside it: this is {name}."),
        ),
        (None, _) => (SignVerdict::Positive, format!("The {name} runs.")),
        (Some(owner), _) if !ours.is_empty() => (
            SignVerdict::Positive,
            format!("The {name} works in {}.", shown(owner)),
        ),
        (Some(_), Some(cwd)) if !cwd.is_empty() => (
            SignVerdict::Negative,
            format!("The {name} is another pipeline's: it works in {cwd}."),
        ),
        (Some(_), _) => (
            SignVerdict::Unreadable,
            format!("The {name} runs, and its working directory cannot be read."),
        ),
    }
}

/// True for a pane that works below the owner, or was started with a command that names it: a job may change its
/// directory.
fn belongs(world: &dyn World, query: &TmuxQuery, pane: &Pane) -> bool {
    resolved(world, query.owner.as_slice())
        .iter()
        .any(|owner| pane.cwd.starts_with(owner) || names(pane, &shown(owner)))
}

/// True if the pane's command contains the path whole or as a parent directory.
fn names(pane: &Pane, owner: &str) -> bool {
    let command = pane.command.as_bytes();
    memchr::memmem::find_iter(command, owner.as_bytes()).any(|at| {
        // `/a/shop` inside `/data/a/shop` or `/a/shop-old` is another path.
        let before = at.checked_sub(1).and_then(|i| command.get(i));
        let after = command.get(at + owner.len());
        before.is_none_or(|b| edges(*b)) && after.is_none_or(|b| *b == b'/' || edges(*b))
    })
}

fn edges(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'\'' | b'"' | b'=' | b';' | b'&' | b'(' | b')')
}

/// A name as tmux stores it.
fn mapped(name: &[u8]) -> Vec<u8> {
    let keep = |b: &u8| if matches!(b, b'.' | b':') { b'_' } else { *b };
    name.iter().map(keep).collect()
}
