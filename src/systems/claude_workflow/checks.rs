//! The checks of a run as a table: id, topic, claim, function.

mod agents;
mod records;

use crate::model::Check;
use crate::systems::claude_workflow::facts::Facts;
use crate::systems::kit::checks::{self, Row};
use crate::world::World;

/// The input of the checks.
pub(crate) struct Scene<'a> {
    pub(crate) world: &'a dyn World,
    pub(crate) facts: &'a Facts,
}

#[rustfmt::skip]
fn table<'a>() -> [Row<Scene<'a>>; 13] {
    [
        Row::one("W1", "journal", "every line of the journal parses", records::parses),
        Row::one("W2", "status", "the recorded status agrees with the agents", records::status),
        Row::new("W3", "agents", "every agent that was started has a result", |s| agents::known(s, agents::gaps))
            .clean("Every agent that was started has a result."),
        Row::one("W4", "results", "every result belongs to an agent that was started", records::orphans),
        Row::one("W5", "agent files", "agents and their files belong together", |s| agents::known(s, agents::files)),
        Row::one("W6", "unsaved results", "no agent finished without a result in the journal", |s| agents::known(s, agents::unsaved)),
        Row::one("W7", "restarts", "no agent was started more than once", |s| agents::known(s, agents::restarts)),
        Row::one("W8", "script", "the script is the one that ran", records::script),
        Row::one("W9", "args", "the arguments of the launch are known", records::args),
        Row::one("W10", "conversation", "the conversation that owns the run exists", records::owner),
        Row::one("W11", "effects", "no agent that runs again has left effects", |s| agents::known(s, agents::effects)),
        Row::one("W12", "tokens", "no tokens are at risk", agents::tokens),
        Row::one("W13", "answers", "agents answered what the journal has as their results", agents::answers),
    ]
}

pub(crate) fn checks(world: &dyn World, facts: &Facts) -> Vec<Check> {
    checks::run(table(), &Scene { world, facts }, true)
}
