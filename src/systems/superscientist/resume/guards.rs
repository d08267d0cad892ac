//! The conditions of this system on a change of its state file. The common ones (liveness) are added when the
//! plan is compiled.

use serde_json::Value;

use super::steps::{Draft, NOW};
use super::{Point, Verb};
use crate::model::{Guard, shell_word};
use crate::systems::superscientist::facts::Flow;
use crate::systems::superscientist::files::Stage;
use crate::systems::superscientist::jobs::{self, Session};

/// Every condition, whether it holds or not, so that a plan shows what was looked at.
pub(super) fn all(
    flow: &Flow,
    point: Point,
    stage: &Stage,
    draft: &Draft,
    exact: bool,
) -> Vec<Guard> {
    let file = &flow.state;
    let doubled = file.duplicates.join(", ");
    // Whoever writes fills the placeholder in wherever it stands, but only where something is dated.
    let placeholder = draft.dated && memchr::memmem::find(&file.bytes, NOW.as_bytes()).is_some();
    let amendable = file.version.is_some()
        && file.map.get("amendments").is_none_or(Value::is_array)
        && flow.lacks.is_none();
    let mut all = vec![
        guard(
            "duplicate_keys",
            file.duplicates.is_empty(),
            "Every key of the state file occurs once.",
            &format!("Keys occur twice: {doubled}."),
            "Remove the wrong one of each two; the file says two things at once.",
        ),
        guard(
            "graph",
            !flow.graph.is_broken(),
            "Every stage id occurs once and every dependency leads to a stage, without a cycle.",
            "The plan contradicts itself: checks S3 and S5 say where.",
            "Have a session correct the plan by an amendment.",
        ),
        guard(
            "schema",
            (!draft.amends || amendable) && exact,
            "The change fits into the state file exactly.",
            "The change does not fit into the state file.",
            "Make `version` a whole number, `amendments` a list, and every stage an object with its own keys.",
        ),
        guard(
            "placeholder",
            !placeholder,
            "The state file holds no placeholder of the clock.",
            "The state file holds the text {now} itself.",
            "Remove that text from it.",
        ),
    ];
    let alive = flow
        .jobs
        .get(&stage.index)
        .filter(|job| job.session == Session::Alive);
    let job = alive.map_or_else(String::new, jobs::words);
    let name = stage
        .job
        .as_ref()
        .map(|job| format!("={}", job.session_name()));
    let ended = match name.as_deref().and_then(shell_word) {
        Some(name) => format!("End its session: `tmux kill-session -t {name}`."),
        None => "End its tmux session.".to_owned(),
    };
    all.push(guard(
        "stage_job",
        alive.is_none(),
        "No tmux session of this stage is alive.",
        &format!("{}: {job}.", stage.id),
        &ended,
    ));
    if point.verb == Verb::Rerun {
        let after = flow.graph.downstream(stage.index);
        let active: Vec<usize> = after
            .into_iter()
            .filter(|at| flow.stage(*at).is_some_and(|s| s.status.is_active()))
            .collect();
        all.push(guard(
            "downstream_running",
            active.is_empty(),
            "No stage that depends on this one is running.",
            &format!("Running, and depending on this one: {}.", flow.ids(&active)),
            "End them, or mark them as failed first.",
        ));
    }
    all
}

fn guard(id: &'static str, holds: bool, good: &str, bad: &str, would: &str) -> Guard {
    Guard::either(id, holds, if holds { good } else { bad }, would)
}
