//! Paths that cannot be restored because something that is never moved is in their place: a nested repository or
//! another mount.

use std::collections::HashSet;

use crate::model::{DriftPath, PathState};

use super::Outcome;

/// Turns missing paths that are blocked into hidden ones. Entries in their place get the state that they have without
/// the blocked path.
pub(super) fn hide(outcome: &mut Outcome) {
    let fixed: Vec<&[u8]> = with_state(outcome, PathState::NotCovered).collect();
    if fixed.is_empty() {
        return;
    }
    let missing: HashSet<&[u8]> = with_state(outcome, PathState::Missing).collect();
    let blocked: HashSet<Vec<u8>> = fixed
        .iter()
        .flat_map(|path| upwards(path))
        .filter(|path| missing.contains(path))
        .map(<[u8]>::to_vec)
        .collect();
    if blocked.is_empty() {
        return;
    }
    let mut ignored = 0;
    outcome.paths.retain_mut(|path| {
        let own = path.path.as_bytes();
        let is_blocked = blocked.contains(own);
        let in_the_way =
            path.state == PathState::InTheWay && upwards(own).any(|above| blocked.contains(above));
        ignored += u64::from(in_the_way && !is_blocked);
        // The hidden path has the same name and says more.
        let twin = is_blocked && path.state == PathState::NotCovered;
        if is_blocked && path.state == PathState::Missing {
            path.state = PathState::Hidden;
        }
        !in_the_way && !twin
    });
    outcome.ignored += ignored;
}

fn with_state(outcome: &Outcome, state: PathState) -> impl Iterator<Item = &[u8]> {
    let paths = outcome.paths.iter();
    paths
        .filter(move |path: &&DriftPath| path.state == state)
        .map(|path| path.path.as_bytes())
}

/// A path and all its parent folders.
fn upwards(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    let slashes = path.iter().enumerate().filter(|(_, byte)| **byte == b'/');
    let above = slashes.filter_map(|(at, _)| path.get(..at));
    std::iter::once(path).chain(above)
}
