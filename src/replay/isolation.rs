//! Keeps the runs of a replay apart from the original: paths in dispatches, the sandbox and environment of runners,
//! and the check that no run changed the original.

pub(crate) mod guard;
mod original;
pub(crate) mod paths;
pub(crate) mod sandbox;

use std::path::Path;

use crate::model::{NamedFolder, ReplayStep, RewrittenText, StepBody};
use paths::{Folders, Spellings};

/// How often dispatches name the folders of the original, and what runs are sent instead. Their headers do not count:
/// those are written anew.
pub(crate) fn named(
    folders: &Folders,
    home: Option<&Path>,
    steps: &[ReplayStep],
) -> (Vec<NamedFolder>, Vec<RewrittenText>) {
    let own = ["RUN/tree", "RUN/scratch", "RUN/dispatch"].map(|path| Some(Path::new(path)));
    let mut rewritten = Vec::new();
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
        if seen.contains(&true) {
            rewritten.push(RewrittenText {
                seq: step.original.seq,
                before: body.to_vec(),
                after: spellings.rewrite(body, own),
            });
        }
    }
    let named = folders
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
        .collect();
    (named, rewritten)
}
