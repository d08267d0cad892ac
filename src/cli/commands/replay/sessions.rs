//! The replay sessions of a pipeline as a table, and the lookup of one by a word on the command line.

use crate::cli::prelude::*;
use crate::model::{DispatchCounts, FoundBy, ReplayExperiment, ReplayList, rejection, troubles_of};
use crate::text::format::{age, list_first};

const COLUMNS: [Column; 6] = [
    Column::fixed("REPLAY"),
    Column::fixed("STATE"),
    Column::narrowing("DISPATCHES", [24, 12], 2),
    Column::right("STARTED"),
    Column::fixed("BLOCK"),
    Column::narrowing("REPLACED", [20, 10], 3),
];

/// A table of sessions, the problems of each, and what to run next.
pub(in crate::cli::commands) fn page(
    list: &ReplayList,
    pipeline: &str,
    now: DateTime<FixedOffset>,
    page: &mut Page,
) {
    let all = &list.sessions;
    let rows: Vec<Vec<Span>> = all.iter().map(|one| row(one, now)).collect();
    page.table(&COLUMNS, &rows);
    troubles(all, page);
    if let Some(why) = &list.unsupported {
        return page.warn(clean!("None can be compared or continued. {}", why));
    }
    let left = all.iter().find(|one| is_picked(one));
    let left = left.or_else(|| all.iter().find(|one| one.can_continue()));
    let newest = all.iter().find(|one| one.state == SessionState::Done);
    if left.is_some() || newest.is_some() {
        page.blank();
    }
    if let Some(left) = left {
        page.command(resume_title(left), resume(pipeline, left));
    }
    if let Some(newest) = newest {
        page.command("compare", compare(pipeline, newest));
    }
}

/// Experiments that Slurm rejected, and those that were interrupted before their first run, so that they have no session.
pub(super) fn not_begun(
    experiments: &[ReplayExperiment],
    all: &[ReplaySession],
    pipeline: &str,
    page: &mut Page,
) {
    let rejected = experiments.iter().filter(|one| one.end.is_none());
    for (one, why) in rejected.filter_map(|one| Some((one, one.rejected.as_ref()?))) {
        page.warn(clean!("{}: {}", one.id.0, rejection(why)));
    }
    let begun = |one: &ReplayExperiment| all.iter().any(|session| session.group == one.id);
    let waits = |one: &&ReplayExperiment| one.end.is_none() && !begun(one);
    for one in experiments.iter().filter(waits) {
        let runs = count(one.blocks * one.arms.len(), "run");
        let text = clean!("Experiment {} has not begun any of its {}.", one.id.0, runs);
        page.warn(text);
        let line = format!("relight replay {pipeline} --continue {}", one.id);
        page.command("resume", line);
    }
}

fn row(session: &ReplaySession, now: DateTime<FixedOffset>) -> Vec<Span> {
    let mut swapped: Vec<Clean> = session.mutations.iter().map(Foreign::clean).collect();
    let place = session.place.as_ref();
    let place = place.map(|place| format!("{}, {}", place.block, place.arm.word()));
    if session.in_place {
        swapped.push(Clean::new("(in place)"));
    }
    vec![
        Tone::Strong.of(&session.id.0),
        state(session.state),
        Tone::Plain.of(counts(session.dispatches)),
        Tone::Faint.of(age(now, session.started_at.map(|at| at.at))),
        Tone::Plain.of(Clean::new(&place.unwrap_or_default())),
        Tone::Plain.of(clean_list(&swapped, usize::MAX)),
    ]
}

pub(super) fn state(state: SessionState) -> Span {
    let tone = match state {
        SessionState::Running => Tone::Strong,
        SessionState::Done => Tone::Good,
        SessionState::Interrupted | SessionState::Unreadable => Tone::Bad,
        SessionState::Cancelled => Tone::Warn,
        SessionState::HandedOver => Tone::Plain,
    };
    tone.of(state.title())
}

/// `5 done, 1 failed, 3 left`.
pub(super) fn counts(counts: DispatchCounts) -> Clean {
    match counts.all() {
        0 => Clean::new("none"),
        _ => Clean::new(&counts.words()),
    }
}

/// The problems of sessions, each with the ids of those that have it.
pub(super) fn troubles(all: &[ReplaySession], page: &mut Page) {
    for (ids, text) in troubles_of(all) {
        page.warn(clean!("{}: {}", list_first(ids, 3), text));
    }
}

/// Whether `--continue` picks it without its id. One that Slurm rejected would be rejected again.
fn is_picked(session: &ReplaySession) -> bool {
    session.can_continue() && session.rejected.is_none()
}

/// What resuming it does.
pub(super) fn resume_title(session: &ReplaySession) -> &'static str {
    if session.lacks_values() {
        "measure"
    } else {
        "resume"
    }
}

/// `relight replay P --continue E`.
pub(super) fn resume(pipeline: &str, session: &ReplaySession) -> String {
    let place = session.place.as_ref();
    let id = place.map_or(&session.id, |place| &place.experiment);
    format!("relight replay {pipeline} --continue {id}")
}

/// `relight compare P EXPERIMENT`, or the only run against the original.
pub(super) fn compare(pipeline: &str, session: &ReplaySession) -> String {
    match &session.place {
        Some(place) => format!("relight compare {pipeline} {}", place.experiment),
        None => format!("relight compare {pipeline} original {}", operand(session)),
    }
}

/// The operand for a session's experiment: the group if there are several runs.
pub(super) fn operand(session: &ReplaySession) -> &str {
    if session.repeat.1 > 1 {
        &session.group.0
    } else {
        &session.id.0
    }
}

/// The pipeline as it was typed with its roots, because that finds it again from here; its id if the typed text is not
/// safe to copy.
pub(in crate::cli::commands) fn typed(
    session: &Session,
    target: &Target,
    id: &PipelineId,
) -> String {
    let typed = target.pipeline.to_str().filter(|word| *word != id.0);
    let word = typed.and_then(shell_word).unwrap_or_else(|| id.0.clone());
    word + &FoundBy::of(&session.request).of_pipelines
}

/// The experiment with this id, else the newest that is unfinished, that lacks values of metrics, or to which blocks are
/// added. The id of one of its runs does not count.
pub(super) fn experiment<'a>(
    experiments: &'a [ReplayExperiment],
    sessions: &[ReplaySession],
    word: &str,
    any: bool,
) -> Option<&'a ReplayExperiment> {
    if !word.is_empty() {
        let exact = experiments.iter().find(|one| one.id.0 == word);
        let mut fits = experiments.iter().filter(|one| one.id.0.starts_with(word));
        return exact.or_else(|| fits.next().filter(|_| fits.next().is_none()));
    }
    let lacks_values = |of: &ReplayExperiment| {
        let mut runs = sessions.iter().filter(|one| one.group == of.id);
        runs.any(ReplaySession::lacks_values)
    };
    let open = |one: &&ReplayExperiment| one.end.is_none() && one.rejected.is_none();
    let mut newest = experiments.iter().rev();
    let newest = newest.find(|one| any || open(one) || lacks_values(one))?;
    let lone = |one: &&ReplaySession| is_picked(one) && one.group > newest.id;
    let newer = sessions.iter().find(lone).is_some();
    (any || !newer).then_some(newest)
}

/// The session with this id, else the newest that can be resumed.
pub(super) fn meant<'a>(
    all: &'a [ReplaySession],
    experiments: &[ReplayExperiment],
    word: &str,
) -> Result<&'a ReplaySession> {
    if word.is_empty() {
        let rejected = experiments.iter().filter(|one| one.rejected.is_some());
        let rejected: Vec<_> = rejected.map(|one| &one.id).collect();
        return all
            .iter()
            .find(|one| is_picked(one) && !rejected.contains(&&one.group))
            .ok_or_else(|| {
                let text = "No replay of this pipeline was interrupted or canceled, and none lacks a value.";
                let error = EngineError::nothing_to_do(text);
                let lone = all.iter().filter(|one| one.rejected.is_some());
                let ids = rejected.iter().copied().chain(lone.map(|one| &one.group));
                let again = "To submit it again: --continue";
                let said =
                    ids.map(|id| format!("Slurm rejected the submission of {id}. {again} {id}"));
                error.hints(said).hint(LIST)
            });
    }
    let exact = all.iter().find(|one| one.id.0 == word);
    let fits = all.iter().filter(|one| one.id.0.starts_with(word));
    let fits: Vec<&ReplaySession> = fits.collect();
    let found = match (exact, fits.as_slice()) {
        (Some(one), _) => one,
        (None, [one]) => one,
        (None, []) => {
            let text = format!("There is no replay {word} of this pipeline.");
            return Err(EngineError::new(ErrorKind::NotFound, text).hint(LIST));
        }
        // Often only one run of an experiment can be resumed.
        (None, several) => {
            let mut open = several.iter().filter(|one| one.can_continue());
            match (open.next(), open.next()) {
                (Some(one), None) => *one,
                _ => return Err(ambiguous(word, several)),
            }
        }
    };
    if found.can_continue() {
        return Ok(found);
    }
    let why = match found.state {
        SessionState::Running => "is running",
        SessionState::Done => "is done",
        SessionState::HandedOver => "has no runner; you run its dispatches yourself",
        SessionState::Unreadable => "cannot be read",
        SessionState::Interrupted | SessionState::Cancelled => "can be resumed",
    };
    let text = format!("Replay {} {why}.", found.id);
    // Of another one, what did not go well is no reason.
    let is_reason = found.state == SessionState::Unreadable;
    let reasons = found.trouble.iter().filter(|_| is_reason);
    Err(EngineError::refused(text).hints(reasons).hint(LIST))
}

const LIST: &str = "To list its replays, use --list.";

fn ambiguous(word: &str, fits: &[&ReplaySession]) -> EngineError {
    let text = format!("{word} may mean {} replays.", fits.len());
    let said = fits.iter().map(|one| {
        let began = one.started_at.map(|at| format!(", {}", at.words()));
        let began = began.unwrap_or_default();
        format!("{}: {}{began}", one.id, one.state.title())
    });
    EngineError::ambiguous(text, said).hint(LIST)
}

/// `5 runs of 6 dispatches each`.
pub(super) fn runs(number: usize, all: &[ReplaySession]) -> String {
    let each = all.iter().map(|one| one.dispatches.all()).max();
    let each = each.unwrap_or_default();
    match number {
        1 => count(each, "dispatch"),
        many => format!("{many} runs of {} each", count(each, "dispatch")),
    }
}
