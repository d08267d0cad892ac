//! Keeps the runs of a replay apart from the original: paths in dispatches, the sandbox and environment of runners,
//! and the check that no run changed the original.

pub(crate) mod guard;
mod original;
pub(crate) mod paths;
pub(crate) mod sandbox;

use std::path::Path;

use crate::model::{NamedFolder, ReplayStep, StepBody};
use paths::{Folders, Spellings};

/// How often dispatches name the folders of the original. Their headers do not count: those are written anew.
pub(crate) fn named(
    folders: &Folders,
    home: Option<&Path>,
    steps: &[ReplayStep],
) -> Vec<NamedFolder> {
    let spellings = Spellings::of(folders, home);
    let mut counts = [(0, 0); 3];
    for step in steps {
        let text = match &step.body {
            StepBody::Ready(text) => text,
            StepBody::Conflict(_) => continue,
        };
        let (_, body) = super::plan::header::split(text);
        let mut seen = [false; 3];
        for mention in spellings.mentions(body) {
            if let (Some(count), Some(seen)) =
                (counts.get_mut(mention.folder), seen.get_mut(mention.folder))
            {
                count.0 += 1;
                count.1 += usize::from(!*seen);
                *seen = true;
            }
        }
    }
    folders
        .each()
        .into_iter()
        .zip(counts)
        .filter(|(_, (mentions, _))| *mentions > 0)
        .filter_map(|(path, (mentions, dispatches))| {
            Some(NamedFolder {
                path: path?.to_owned(),
                mentions,
                dispatches,
            })
        })
        .collect()
}
