//! What a feature's run did that no recovery takes back: its merge, and what its records and its rollback log
//! tell of.

use super::facts::Facts;
use super::facts::history::Merged;
use crate::model::{Irreversible, Origin, Timeline};
use crate::systems::irreversible::{in_timeline, stated};

/// Everything that is stated.
pub(super) fn all(facts: &Facts, timeline: &Timeline) -> Vec<Irreversible> {
    let mut found = in_timeline(timeline.as_ref());
    if let Merged::Yes(how) = &facts.git.merged {
        let base = facts.git.base.as_deref().unwrap_or("the main branch");
        let text = format!("The work was merged into {base}: {how}.");
        found.push(stated("merge", text, Origin::file(&facts.layout.top)));
    }
    found
}
