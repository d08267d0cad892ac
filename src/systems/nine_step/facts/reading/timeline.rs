//! The events: recorded steps, the last execution, the branch's commits and earlier rollbacks.

use std::sync::Arc;

use crate::model::{Event, EventMark, Foreign, Origin, Stamp, Timeline};
use crate::systems::nine_step::facts::{Facts, Source};
use crate::systems::nine_step::shape::status::Class;
use crate::systems::nine_step::shape::step_record::Record;
use crate::systems::nine_step::shape::steps::StepNo;
use crate::systems::nine_step::shape::{Doc, commit_subjects, rollback_log};
use crate::text::format::short_id;
use crate::world::git::Commit;

/// All events, oldest first; one without a time keeps its place in the file.
pub(crate) fn of(facts: &Facts) -> Timeline {
    let file = match facts.source {
        Source::Backup => facts.backup.as_ref(),
        Source::State | Source::Inferred => facts.doc(),
    };
    let file = file.map_or_else(|| facts.layout.top.clone(), Doc::path);
    let mut events: Vec<Event> = Vec::new();
    if let Some(state) = &facts.state {
        let step = |record| of_record(record, &file);
        events.extend(state.completed.iter().map(step));
        let same = |r: &&Record| r.spot() == state.last.spot() && r.class() == state.last.class();
        let told = state
            .completed
            .iter()
            .rev()
            .find(same)
            .is_some_and(|r| r.at >= state.last.at);
        if !told {
            events.push(step(&state.last));
        }
    }
    events.extend(
        facts
            .git
            .commits
            .iter()
            .map(|commit| of_commit(commit, facts)),
    );
    events.extend(of_rollbacks(facts));
    // A record without a time follows the one before it.
    let mut newest: Option<Stamp> = None;
    let mut keyed: Vec<(Option<Stamp>, Event)> = events
        .into_iter()
        .map(|event| {
            newest = event.at.or(newest);
            (newest, event)
        })
        .collect();
    keyed.sort_by_key(|(at, _)| *at);
    Arc::new(
        keyed
            .into_iter()
            .map(|(_, event)| event)
            .collect::<Vec<Event>>(),
    )
}

fn of_record(record: &Record, file: &std::path::Path) -> Event {
    let mark = match record.class() {
        Class::Failure | Class::Hard => EventMark::Error,
        Class::Conditional | Class::Waiting | Class::Unknown => EventMark::Warning,
        Class::Success | Class::InFlight => EventMark::Plain,
    };
    let phase = record
        .phase
        .map_or_else(|| "?".to_owned(), |phase| phase.to_string());
    let step = record.step();
    let step = step.map_or_else(|| record.step_text.clone(), StepNo::named);
    let more = record.error.as_deref().or(record.note.as_deref());
    let more = more.map(|more| format!(" — {more}")).unwrap_or_default();
    Event {
        at: record.at,
        at_text: record
            .at_text
            .as_deref()
            .filter(|_| record.at.is_none())
            .map(Foreign::from),
        kind: "step".into(),
        phase: Some(phase.into()),
        subject: record.agent.as_str().into(),
        status: Some(record.status.as_str().into()),
        text: format!("step {step}: {}{more}", record.status).into(),
        origin: Origin {
            file: file.to_owned(),
            line: record.line,
        },
        mark,
    }
}

fn of_commit(commit: &Commit, facts: &Facts) -> Event {
    let phases = commit_subjects::phases(commit).map(|named| {
        let numbers: Vec<String> = named.phases.iter().map(i64::to_string).collect();
        numbers.join(", ").into()
    });
    Event {
        at: Some(Stamp::utc(commit.time)),
        at_text: None,
        kind: "commit".into(),
        phase: phases,
        subject: short_id(&commit.id).into(),
        status: None,
        text: commit.subject.clone(),
        origin: Origin::file(&facts.layout.top),
        mark: EventMark::Plain,
    }
}

fn of_rollbacks(facts: &Facts) -> impl Iterator<Item = Event> + '_ {
    let log = facts
        .rollbacks
        .folder
        .as_ref()
        .map(|folder| folder.join(rollback_log::LOG));
    facts.rollbacks.list.iter().map(move |rollback| Event {
        at: rollback.at,
        at_text: rollback
            .at
            .is_none()
            .then(|| rollback.at_text.as_str().into()),
        kind: "rollback".into(),
        phase: None,
        subject: rollback.to.as_str().into(),
        status: None,
        text: format!("rolled back to {}: {}", rollback.to, rollback.reason).into(),
        origin: Origin {
            file: log.clone().unwrap_or_default(),
            line: Some(rollback.line),
        },
        mark: EventMark::Warning,
    })
}
