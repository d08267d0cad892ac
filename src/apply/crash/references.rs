//! The references of a transaction that is rolled back.

use std::io;
use std::path::Path;

use super::Case;
use crate::apply::disk::Disk;
use crate::apply::error::ApplyError;
use crate::apply::journal::{Journal, RefMove};
use crate::apply::refs::Refs;
use crate::git::refs::UNDO;
use crate::model::LeftPath;

/// The references to move back, and those that something else moved: they stay.
pub(super) fn now<'j, D: Disk>(
    case: &Case<'_, D>,
    journal: &'j Journal,
) -> Result<(Vec<&'j RefMove>, Vec<LeftPath>), ApplyError> {
    let (mut applied, mut left) = (Vec::new(), Vec::new());
    for one in &journal.refs {
        let git_dir = one.git_dir.path();
        let path = git_dir.join(&one.name);
        if case.keeps(&path) {
            left.push(stays(&path, one, "(--keep)"));
            continue;
        }
        match case.refs.read(&git_dir, &one.name) {
            Ok(now) if now == one.old => {}
            Ok(now) if now == one.new => applied.push(one),
            Ok(_) => left.push(stays(&path, one, "because another program moved it")),
            Err(why) => {
                let text = format!("{} cannot be read: {why}.", one.name);
                return Err(case.unclear(&text, &[&git_dir]));
            }
        }
    }
    if !left.is_empty() {
        // If a branch stays, these references alone keep its old commits reachable.
        applied.retain(|moved| !moved.name.starts_with(UNDO));
    }
    Ok((applied, left))
}

fn stays(path: &Path, moved: &RefMove, why: &str) -> LeftPath {
    let before = match &moved.old {
        Some(old) => format!("Before the recovery it was at {old}."),
        None => "Before the recovery it did not exist.".to_owned(),
    };
    LeftPath {
        path: path.to_owned(),
        before: None,
        planned: None,
        text: format!("{} is not moved {why}. {before}", moved.name).into(),
    }
}

/// A kill during a reference update leaves its lock, and git would refuse to update the reference for ever.
pub(super) fn unlock(refs: &dyn Refs, journal: &Journal) -> io::Result<()> {
    for moved in &journal.refs {
        let ours: Vec<&str> = [&moved.old, &moved.new]
            .into_iter()
            .flatten()
            .map(String::as_str)
            .collect();
        let unlocked = refs.unlock(&moved.git_dir.path(), &moved.name, &ours);
        unlocked.map_err(|why| {
            let name = &moved.name;
            io::Error::other(format!("the lock of {name} cannot be removed: {why}"))
        })?;
    }
    Ok(())
}
