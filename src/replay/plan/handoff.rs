//! How a person runs the dispatches of a replay without a runner.

use crate::model::{Handoff, ReplayStep};
use crate::text::Shown as _;
use crate::text::format::count;

/// The hand-off of a plan. The working directory and the folders of the dispatch files are known once a session has its
/// tree; until then `cwd` is empty.
pub(super) fn handoff(steps: &[ReplayStep]) -> Handoff {
    let count = count(steps.len(), "dispatch");
    let mut lines = vec![
        format!("This replay has {count}; no runner was named, so you run them."),
        "In the replay's own tree, give each dispatch to a new agent with the prompt below, with its file in place of FILE.".to_owned(),
        "Run them from top to bottom; those with the same number may run at the same time:".to_owned(),
    ];
    lines.extend(steps.iter().map(|step| {
        format!(
            "  {}. {}, again for dispatch {} (phase {}, {})",
            step.wave + 1,
            step.original.template.shown(),
            step.original.seq,
            step.original.phase.shown(),
            step.original.role.shown()
        )
    }));
    lines.push("Append the outcome of each to the manifest next to them.".to_owned());
    let prompt = "Read the dispatch file FILE and do what it says.";
    Handoff::new("", vec!["claude".into()], prompt, lines.join("\n"))
}
