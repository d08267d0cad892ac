//! Evidence of life of a run. It is about the run, not the conversation that owns it: a conversation can stay open for
//! days after its run died.

use chrono::TimeDelta;

use crate::conversations::register::Registered;
use crate::model::{LifeEvidence, LifeSign, SignKind, SignVerdict};
use crate::systems::claude_workflow::facts::Facts;
use crate::text::format::short_id;
use crate::world::World;

/// A run whose files are older than this may be stuck.
const QUIET_AFTER_S: i64 = 1800;

pub(crate) fn evidence(world: &dyn World, facts: &Facts) -> LifeEvidence {
    let owner = facts.sessions.first().map_or("", |session| &session.id);
    let owner = short_id(owner);
    let now = world.clock().now().to_utc();
    let young = facts
        .last_write
        .is_some_and(|at| now - at < TimeDelta::seconds(QUIET_AFTER_S));
    let (verdict, text) = match &facts.open {
        // A recorded end outweighs an open conversation, which may be doing other work.
        _ if facts.has_ended() => (
            SignVerdict::Negative,
            "The end of the run is recorded.".to_owned(),
        ),
        Some(Registered::Open { pid, .. }) if young => (
            SignVerdict::Positive,
            format!(
                "The conversation {owner} that owns the run is open in pid {pid}, and the run was written less than 30 minutes ago."
            ),
        ),
        // The process lives, but a stuck run writes nothing either, so neither alive nor dead is proven.
        Some(Registered::Open { pid, .. }) => (
            SignVerdict::Unreadable,
            format!(
                "The conversation {owner} that owns the run is open in pid {pid}, but the run was not written for 30 minutes: it may be stuck."
            ),
        ),
        Some(Registered::Unknown) => (
            SignVerdict::Unreadable,
            format!(
                "Whether the conversation {owner} that owns the run is open cannot be determined."
            ),
        ),
        Some(Registered::Crashed) => (
            SignVerdict::Negative,
            format!("The process of the conversation {owner} that owns the run is gone."),
        ),
        None => (
            SignVerdict::Negative,
            format!("The conversation {owner} that owns the run is not open."),
        ),
    };
    LifeEvidence {
        signs: vec![LifeSign {
            kind: SignKind::Process,
            verdict,
            text: text.into(),
        }],
        last_write: facts.last_write,
        last_talk: None,
        // With a recorded end no waiting time is needed.
        quiet_after_s: if facts.has_ended() { 0 } else { QUIET_AFTER_S },
        of_conversation: true,
    }
}
