//! Actions of a feature's run that no recovery undoes: its merge, and actions that its records and its rollback log
//! report.

use crate::model::{Irreversible, Origin, Timeline};
use crate::systems::irreversible::{in_timeline, stated};
use crate::systems::nine_step::facts::{Facts, Merged};

/// All actions.
pub(crate) fn all(facts: &Facts, timeline: &Timeline) -> Vec<Irreversible> {
    let mut found = in_timeline(timeline.as_ref());
    if let Merged::Yes(how) = &facts.git.merged {
        let base = facts.git.base.as_deref().unwrap_or("the main branch");
        let text = format!("The work was merged into {base}: {how}.");
        found.push(stated("merge", text, Origin::file(&facts.layout.top)));
    }
    found
}
