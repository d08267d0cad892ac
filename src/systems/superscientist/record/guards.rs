//! The guards of this system for a change of its state file. The common ones (liveness) are added when the plan is
//! compiled.

use serde_json::Value;

use crate::formats::json::NOW;
use crate::model::{Guard, shell_word};
use crate::systems::superscientist::facts::{Flow, Row, Session, jobs};
use crate::systems::superscientist::points::{Point, Verb, list};
use crate::systems::superscientist::record::Draft;
use crate::systems::superscientist::shape::{JobRecord, Stage};
use crate::text::format::count;

/// How many contradictions of a kind a guard names.
const NAMED: usize = 8;

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
    let alive = flow.jobs.get(&stage.index);
    let alive = alive.filter(|job| job.session == Session::Alive);
    let job = alive.map_or_else(String::new, jobs::words);
    let name = stage.job.as_ref().map(JobRecord::session_name);
    let ended = match name.and_then(|name| shell_word(format!("={name}"))) {
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
        let mut active = flow.graph.downstream(stage.index);
        active.retain(|at| flow.stage(*at).is_some_and(|s| s.status.is_active()));
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
    guard(
        "graph",
        !flow.graph.is_broken(),
        "Stage ids are unique, dependencies exist, and there is no cycle.",
        &format!("The plan contradicts itself. {}", contradictions(flow)),
        "Have a session correct the plan by an amendment.",
    )
}

/// The contradictions of the plan, as sentences.
pub(crate) fn contradictions(flow: &Flow) -> String {
    let found = flow.contradictions(NAMED).into_iter();
    let found: Vec<String> = found.map(|(_, text)| text).collect();
    found.join(" ")
}

/// What only a person allows: a retry beyond the limit, a job whose result is unknown, and a run on a skipped stage.
pub(crate) fn asks(flow: &Flow, point: Point) -> Vec<Guard> {
    let Some(stage) = point.of(flow) else {
        return Vec::new();
    };
    let mut all = Vec::new();
    let (verb, id) = (point.verb, &stage.id);
    if verb == Verb::Retry && flow.state.is_exhausted(stage) {
        let times = count(stage.retry_count.unsigned_abs(), "time");
        let limit = flow.state.retry_limit(stage);
        all.push(Guard::ask(
            format!("repeat-failure:{}", stage.plain_id()),
            format!(
                "{id} was retried {times} and failed; the limit is {limit}. Retry it once more?"
            ),
        ));
    }
    let (row, words) = (flow.row(stage), flow.job_words(stage.index));
    let asks = |what| {
        let words = words.unwrap_or_default();
        format!("{id}: {words}. The agent will ask whether {what}. Hand it over?")
    };
    if verb == Verb::Retry && row == Some(Row::AskExit) {
        all.push(Guard::ask("gate:unknown-result", asks("it failed")));
    } else if verb == Verb::Monitor && row == Some(Row::AskMarker) {
        all.push(Guard::ask("gate:stale-marker", asks("its job runs again")));
    }
    if verb == Verb::Rerun && list::needs_skipped(flow, stage) {
        let needs = list::skipped_needs(flow, stage.index);
        let text = format!("{id} depends on {needs}, which was skipped. Run it anyway?");
        all.push(Guard::ask("gate:skipped-stage", text));
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
