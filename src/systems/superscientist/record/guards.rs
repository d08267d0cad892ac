//! The guards of this system for a change of its state file. The common ones (liveness) are added when the plan is
//! compiled.

use serde_json::Value;

use crate::model::{Guard, shell_word};
use crate::systems::superscientist::facts::{Flow, Row, Session, jobs};
use crate::systems::superscientist::points::{Point, Verb, list};
use crate::systems::superscientist::record::{Draft, NOW};
use crate::systems::superscientist::shape::Stage;
use crate::text::format::count;

/// How many contradictions of a kind a guard names.
pub(crate) const NAMED: usize = 8;

/// Every guard, whether it holds or not, so that a plan shows what was checked.
pub(crate) fn all(
    flow: &Flow,
    point: Point,
    stage: &Stage,
    draft: &Draft<'_>,
    exact: bool,
) -> Vec<Guard> {
    let file = &flow.state;
    let paths: Vec<&str> = file.duplicates.iter().map(|one| &*one.path).collect();
    // The placeholder is replaced wherever it occurs, so the file must not contain it already if a time is written.
    let placeholder = draft.dated && memchr::memmem::find(&file.bytes, NOW.as_bytes()).is_some();
    let amendable = file.version.is_some()
        && file.map.get("amendments").is_none_or(Value::is_array)
        && flow.lacks.is_none();
    let mut all = vec![
        guard(
            "duplicate_keys",
            file.duplicates.is_empty(),
            "No key of the state file is duplicated.",
            &format!("Duplicate keys: {}.", paths.join(", ")),
            "Remove the wrong one of each pair.",
        ),
        graph(flow),
        guard(
            "schema",
            // Duplicate keys have their own guard.
            (!draft.amends || amendable) && (exact || !file.duplicates.is_empty()),
            "The state file can be edited exactly.",
            "The state file cannot be edited exactly.",
            "Make `version` a whole number, `amendments` a list, and every stage an object with its own keys.",
        ),
        guard(
            "placeholder",
            !placeholder,
            "The state file does not contain the text {now}, the placeholder for the time of writing.",
            "The state file contains the text {now} itself.",
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
    if matches!(point.verb, Verb::Rerun | Verb::Amend) {
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

/// Nothing may be written or run by a plan that contradicts itself.
pub(crate) fn graph(flow: &Flow) -> Guard {
    let found = flow.graph.contradictions(NAMED, |at| flow.ids(at));
    let found: Vec<String> = found.into_iter().map(|(_, text)| text).collect();
    guard(
        "graph",
        found.is_empty(),
        "Stage ids are unique, dependencies exist, and there is no cycle.",
        &format!("The plan contradicts itself. {}", found.join(" ")),
        "Have a session correct the plan by an amendment.",
    )
}

/// What only a person allows: a retry beyond the limit, a job whose result is unknown, and a run on a skipped stage.
pub(crate) fn asks(flow: &Flow, point: Point) -> Vec<Guard> {
    let Some(stage) = point.stage.and_then(|at| flow.stage(at)) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    if point.verb == Verb::Retry && flow.state.is_exhausted(stage) {
        all.push(Guard::ask(
            format!("repeat-failure:{}", stage.plain_id()),
            format!(
                "{} was retried {} and failed; the limit is {}. Retry it once more?",
                stage.id,
                count(stage.retry_count.unsigned_abs(), "time"),
                flow.state.retry_limit(stage)
            ),
        ));
    }
    let job = flow.jobs.get(&stage.index);
    let row = job.map(|job| job.row);
    let words = || job.map(jobs::words).unwrap_or_default();
    if point.verb == Verb::Retry && row == Some(Row::AskExit) {
        let text = format!(
            "{}: {}. The agent will ask whether it failed. Hand it over?",
            stage.id,
            words()
        );
        all.push(Guard::ask("gate:unknown-result", text));
    }
    if point.verb == Verb::Monitor && row == Some(Row::AskMarker) {
        let text = format!(
            "{}: {}. The agent will ask whether its job runs again. Hand it over?",
            stage.id,
            words()
        );
        all.push(Guard::ask("gate:stale-marker", text));
    }
    if point.verb == Verb::Rerun && list::needs_skipped(flow, stage) {
        all.push(Guard::ask(
            "gate:skipped-stage",
            format!(
                "{} depends on {}, which was skipped. Run it anyway?",
                stage.id,
                list::skipped_needs(flow, stage.index)
            ),
        ));
    }
    all
}

/// An amendment of a running stage would change the input of its job.
pub(crate) fn not_running(stage: &Stage) -> Guard {
    let running = stage.status.is_active();
    guard(
        "stage_running",
        !running,
        "The amended stage is not running.",
        &format!("{} is {}.", stage.id, stage.word),
        "Wait until it has ended, or mark it as failed first.",
    )
}

fn guard(id: &'static str, holds: bool, good: &str, bad: &str, would: &str) -> Guard {
    Guard::either(id, holds, if holds { good } else { bad }, would)
}
