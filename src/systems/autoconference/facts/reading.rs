//! The [`Reading`] of a conference: the claim, the phases, the evidence of life, and a finding for every damage and
//! every inference. Reads only.

mod findings;
mod life;
pub(crate) mod phases;
pub(crate) mod timeline;

#[cfg(test)]
mod tests;

use crate::model::{Badge, Branch, Claim, Foreign, Progress, Reading, Stamp, Status};
use crate::world::World;

use super::ends::{self, EndKind};
use super::worktrees::{self, Trees};
use super::{Decision, State, converge};
use crate::systems::autoconference::NAME;
use crate::systems::autoconference::shape::{
    BadFile, CONFIG, EVENTS, Event, RESULTS, Raw, letters, native, table_name,
};
use crate::systems::kit::badges::{self, STALE_AFTER, is_stale};

/// Makes the reading.
pub(crate) fn reading(
    raw: &Raw,
    state: &State,
    trees: &Trees,
    missing: &[BadFile],
    world: &dyn World,
) -> Reading {
    let last = last_activity(raw, world);
    let findings = findings::all(raw, state);
    let claim = claim(raw, state, missing);
    let badges = badges(raw, state, trees, last, &claim, missing, world);
    Reading {
        system: NAME,
        native: native(&raw.dir),
        title: title(raw),
        root: raw.dir.clone(),
        state_files: state_files(raw),
        work_tree: trees.answer().map(|answer| answer.top.clone()),
        branch: None::<Branch>,
        pull_request: None,
        started_at: started_at(raw, state),
        last_activity_at: last,
        claim,
        life: life::gather(raw, trees, world),
        stopped_where: stopped_where(state),
        progress: Progress::new(Some(state.done), raw.config.max_rounds, "rounds"),
        badges,
        phases: phases::table(raw, state),
        findings,
    }
}

fn title(raw: &Raw) -> Foreign {
    let config = &raw.config;
    let own = config.goal.as_deref().or(config.title.as_deref());
    let goal = |event: &Event| event.body().text("goal").map(Foreign::from);
    let title = own.map(Foreign::from);
    let title = title.or_else(|| raw.events().iter().find_map(goal));
    title.unwrap_or_else(|| native(&raw.dir))
}

fn state_files(raw: &Raw) -> Vec<std::path::PathBuf> {
    let known = [
        (raw.log.is_some(), EVENTS),
        (raw.config.exists, CONFIG),
        (raw.results.is_some(), RESULTS),
    ];
    let own = known.into_iter().filter(|(there, _)| *there);
    let tables = raw.tables.keys().map(|id| table_name(*id));
    let names = own.map(|(_, name)| name.to_owned()).chain(tables);
    names.map(|name| raw.path(&name)).collect()
}

/// The newer of the last event that is not in the future and the newest file time.
pub(crate) fn last_activity(raw: &Raw, world: &dyn World) -> Option<Stamp> {
    let now = world.clock().now();
    let logged = raw.events().iter().filter_map(|e| e.at);
    let logged = logged.filter(|s| s.at <= now).max();
    logged.max(raw.newest.map(Stamp::utc))
}

/// Hours since the last activity.
pub(crate) fn idle_hours(last: Option<Stamp>, world: &dyn World) -> Option<i64> {
    last.map(|s| (world.clock().now() - s.at).num_hours())
}

/// The first event's time; without events, that of the first iteration in a table.
fn started_at(raw: &Raw, state: &State) -> Option<Stamp> {
    let events = raw.events().iter().filter_map(|e| e.at).min();
    let runs = state.work.runs.values();
    events.or_else(|| runs.flat_map(|run| run.values().filter_map(|i| i.at)).min())
}

fn claim(raw: &Raw, state: &State, missing: &[BadFile]) -> Claim {
    let status = status(raw, state);
    let mut reason = reason(raw, state, status);
    if status == Status::Interrupted && state.decision != Decision::Nothing {
        if state.log_lost {
            reason.push_str(match &raw.log {
                None if raw.unread(EVENTS).is_some() => " Other files show it.",
                None => " Its event log is missing; the other files show it.",
                Some(log) if log.lines == 0 => " Its event log is empty; the other files show it.",
                Some(_) => " No line of its event log is an event; the other files show it.",
            });
        } else if state.done > state.logged {
            reason.push_str(" Its event log ends earlier; the other files show it.");
        }
    }
    for file in missing {
        if file.name == EVENTS && state.log_lost && raw.unread(EVENTS).is_none() {
            continue;
        }
        reason.push(' ');
        reason.push_str(&file.sentence());
        if file.name == CONFIG {
            reason.push_str(" Without that file it cannot be resumed. ");
            reason.push_str(&file.remedy);
        }
    }
    let problems = ends::problems(raw, state).into_iter();
    for (_, clause) in problems.filter(|(kind, _)| *kind != EndKind::Unfounded) {
        reason = format!("{reason} {clause}.");
    }
    Claim::new(status, reason)
}

/// The status by the records alone.
fn status(raw: &Raw, state: &State) -> Status {
    let begun = raw.log.as_ref().is_some_and(|log| log.lines > 0);
    match state.decision {
        Decision::Done { .. } => Status::Complete,
        Decision::Nothing if !raw.config.recognized => Status::Unreadable,
        Decision::NotStarted { preflight } if preflight || !begun => Status::Waiting,
        Decision::NotStarted { .. }
        | Decision::Nothing
        | Decision::Failed
        | Decision::Synthesis(_)
        | Decision::Start(_)
        | Decision::Mid
        | Decision::Phase(_)
        | Decision::Sibling(_) => Status::Interrupted,
    }
}

/// The reason for a status, in a sentence.
fn reason(raw: &Raw, state: &State, status: Status) -> String {
    let (round, done) = (state.round, state.done);
    match &state.decision {
        Decision::Done { inferred: true } => {
            "The conference is complete: both end documents exist, though no event says so.".into()
        }
        Decision::Done { inferred: false } => {
            "The log says that the conference is completed.".into()
        }
        Decision::Nothing if status == Status::Unreadable => {
            "Neither the event log nor conference.md has usable content.".into()
        }
        Decision::Nothing => {
            let why = raw.unread(EVENTS).map_or_else(
                || format!("no line of {EVENTS} is an event"),
                |odd| format!("{EVENTS} {}", odd.problem),
            );
            format!(
                "Where it stopped is unknown: {why}. No other file shows any work. Restore the log from a copy."
            )
        }
        Decision::NotStarted { preflight: true } => {
            "The pre-flight gate is waiting for its final confirmation.".into()
        }
        Decision::NotStarted { .. } if status == Status::Interrupted => {
            "The first event was truncated while it was written.".into()
        }
        Decision::NotStarted { .. } => "It is configured, but no event was logged yet.".into(),
        Decision::Sibling(kind) => format!("This is {kind}, which cannot be resumed."),
        Decision::Failed => "Every researcher failed in one round.".into(),
        Decision::Synthesis(ending) if raw.synthesis > 0 || raw.report > 0 => {
            let why = ending.word.map(|_| format!(" ({})", ending.text));
            let why = why.unwrap_or_default();
            format!("The synthesis was interrupted: only one of the two end documents exists{why}.")
        }
        Decision::Synthesis(ending) => format!(
            "The rounds are over, but the synthesis {}: {}.",
            raw.lack("synthesis.md", "is missing"),
            ending.shown()
        ),
        Decision::Start(_) if state.open => format!("It stopped at the start of round {round}."),
        Decision::Start(_) if done == 0 => "It stopped before round 1.".into(),
        Decision::Start(Some(ending)) => converge::said(raw, state).map_or_else(
            || {
                let shown = ending.shown();
                format!(
                    "It stopped after round {done}, and {shown}. The orchestrator has not ended it."
                )
            },
            |said| format!("It stopped after round {done}. {said}"),
        ),
        Decision::Start(None) => format!("It stopped after round {done}."),
        Decision::Mid => format!("It stopped in the research of round {round}."),
        Decision::Phase(phase) => {
            let name = phases::name(*phase);
            format!("It stopped before the {name} of round {round} was done.")
        }
    }
}

fn stopped_where(state: &State) -> Foreign {
    let n = state.round;
    let text = match &state.decision {
        Decision::Done { .. } => "completed".to_owned(),
        Decision::Nothing => "unknown".to_owned(),
        Decision::NotStarted { preflight: true } => "pre-flight gate".to_owned(),
        Decision::NotStarted { preflight: false } => "not started".to_owned(),
        Decision::Sibling(kind) => (*kind).to_owned(),
        Decision::Failed => format!("round {n} · all researchers failed"),
        Decision::Synthesis(_) => "synthesis".to_owned(),
        Decision::Start(_) if state.open => format!("round {n}, phase 1"),
        Decision::Start(_) => format!("before round {n}"),
        Decision::Mid => format!("round {n}, phase 1 · {}", letters(&state.unfinished())),
        Decision::Phase(phase) => format!("round {n}, phase {phase}"),
    };
    text.into()
}

fn badges(
    raw: &Raw,
    state: &State,
    trees: &Trees,
    last: Option<Stamp>,
    claim: &Claim,
    missing: &[BadFile],
    world: &dyn World,
) -> Vec<Badge> {
    let open = claim.status != Status::Complete;
    let last = last.map(|at| at.at.to_utc());
    let quiet = open && is_stale(last, world.clock().now().to_utc(), STALE_AFTER);
    let unread = |id| {
        trees
            .answer()
            .is_some_and(|answer| answer.unread.contains_key(&worktrees::branch(id)))
    };
    let all = trees.known().iter();
    let mut paths = all.clone().filter_map(worktrees::Tree::place);
    let uncommitted = paths
        .any(|path| worktrees::dirt(path, world).is_ok_and(|(tracked, _)| !tracked.is_empty()));
    let gone = |t: &worktrees::Tree| t.place().is_none() || t.tip.is_none() && !unread(t.id);
    let gone = all.clone().any(gone);
    let orphan = open && gone && (state.done > 0 || state.open);
    let inferred = matches!(state.decision, Decision::Done { inferred: true })
        || state.log_lost
        || state.done > state.logged;
    let damaged = raw.log.as_ref().is_some_and(|l| !l.bad.is_empty())
        || (open && !raw.config.exists)
        || missing.iter().any(|file| file.name == CONFIG)
        || !raw.unread.is_empty()
        || raw
            .all_tables()
            .any(|(_, t)| t.rows.iter().any(|r| !r.whole || !r.even));
    let not_started = matches!(state.decision, Decision::NotStarted { .. });
    badges::badges([
        (quiet, Badge::Stale),
        (uncommitted, Badge::Dirty),
        (orphan, Badge::Orphan),
        (not_started, Badge::NotStarted),
        (inferred, Badge::Inferred),
        (damaged, Badge::Damaged),
    ])
}
