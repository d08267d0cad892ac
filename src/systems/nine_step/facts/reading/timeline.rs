//! The events: recorded steps, the last execution, the branch's commits and earlier rollbacks.

use std::path::PathBuf;
use std::sync::Arc;

use crate::model::{Event, EventMark, EventRows, Origin, Timeline};
use crate::systems::kit::timeline;
use crate::systems::nine_step::facts::Facts;
use crate::systems::nine_step::shape::{
    Class, Doc, Record, State, StepNo, commit_subjects, rollback_log,
};
use crate::world::git::Commit;

/// All events, oldest first; one without a time keeps its place in the file.
pub(crate) fn of(facts: &Facts) -> Timeline {
    let file = facts.records_file();
    let file = file.map_or_else(|| facts.layout.top.clone(), Doc::path);
    let state = facts.state.clone().unwrap_or_default();
    let mut events: Vec<Event> = Vec::new();
    if facts.state.is_some() {
        let same = |r: &&Record| r.spot() == state.last.spot() && r.class() == state.last.class();
        let reported = state.completed.iter().rfind(same);
        if reported.is_none_or(|r| r.at < state.last.at) {
            events.push(of_record(&state.last, &file));
        }
    }
    let commits = facts.git.commits.iter();
    events.extend(commits.map(|commit| of_commit(commit, facts)));
    events.extend(of_rollbacks(facts));
    let times = state.completed.iter().map(|record| record.at).collect();
    timeline::by_time(Completed { state, file }, times, events)
}

/// The completed steps of a file.
struct Completed {
    state: Arc<State>,
    file: PathBuf,
}

impl EventRows for Completed {
    fn len(&self) -> usize {
        self.state.completed.len()
    }

    fn get(&self, index: usize) -> Option<Event> {
        let record = self.state.completed.get(index)?;
        Some(of_record(record, &self.file))
    }

    fn mark(&self, index: usize) -> EventMark {
        let record = self.state.completed.get(index);
        record.map_or(EventMark::Plain, mark)
    }

    fn longest_s(&self) -> Option<u64> {
        None
    }
}

fn mark(record: &Record) -> EventMark {
    match record.class() {
        Class::Failure | Class::Hard => EventMark::Error,
        Class::Conditional | Class::Waiting | Class::Unknown => EventMark::Warning,
        Class::Success | Class::InFlight => EventMark::Plain,
    }
}

fn of_record(record: &Record, file: &std::path::Path) -> Event {
    let phase = record.phase_text();
    let step = record.step();
    let step = step.map_or_else(|| record.step_text.clone(), StepNo::named);
    let more = record.error.as_deref().or(record.note.as_deref());
    let more = more.map(|more| format!(" — {more}")).unwrap_or_default();
    let text = format!("step {step}: {}{more}", record.status);
    let (file, line) = (file.to_owned(), record.line);
    Event {
        phase: Some(phase.into()),
        subject: record.agent.as_str().into(),
        status: Some(record.status.as_str().into()),
        mark: mark(record),
        ..Event::new("step", text, Origin::at(file, line)).at(record.at, record.at_text.as_deref())
    }
}

fn of_commit(commit: &Commit, facts: &Facts) -> Event {
    let phases = commit_subjects::phases(commit).map(|phases| {
        let numbers: Vec<String> = phases.iter().map(i64::to_string).collect();
        numbers.join(", ").into()
    });
    Event {
        phase: phases,
        ..timeline::commit(commit, &facts.layout.top)
    }
}

fn of_rollbacks(facts: &Facts) -> impl Iterator<Item = Event> + '_ {
    let folder = facts.rollbacks.folder.as_ref();
    let log = folder.map(|folder| folder.join(rollback_log::LOG));
    facts.rollbacks.list.iter().map(move |rollback| {
        let undone = rollback.undone.as_ref().map_or("", |_| " (undone)");
        let text = format!(
            "rolled back to {}: {}{undone}",
            rollback.to, rollback.reason
        );
        let (file, line) = (log.clone().unwrap_or_default(), Some(rollback.line));
        Event {
            subject: rollback.to.as_str().into(),
            mark: EventMark::Warning,
            ..Event::new("rollback", text, Origin::at(file, line))
                .at(rollback.at, Some(&rollback.at_text))
        }
    })
}
