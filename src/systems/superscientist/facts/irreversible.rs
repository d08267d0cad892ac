//! Actions of a workflow that no recovery can undo: jobs that were submitted to another machine, and actions that its
//! log reports.

use crate::model::{Irreversible, Origin, Timeline};
use crate::systems::irreversible::{in_timeline, stated};
use crate::systems::superscientist::facts::Facts;

/// All actions, those of the log first.
pub(crate) fn all(facts: &Facts, timeline: &Timeline) -> Vec<Irreversible> {
    let mut found = in_timeline(timeline.as_ref());
    let Ok(flow) = &facts.flow else {
        return found;
    };
    for stage in &flow.state.stages {
        let launched = stage.job.as_ref().and_then(|job| job.launched_at.as_ref());
        if launched.is_some() && flow.state.is_remote(stage) {
            let machine = flow.state.profile_name(stage).unwrap_or_default();
            let text = format!("A job of {} was submitted to {machine}.", stage.label());
            found.push(stated("job", text, Origin::file(facts.state_path())));
        }
    }
    found
}
