//! The agents of a run with their states: the journal decides, then the end of the agent's own file.

use std::path::{Path, PathBuf};

use chrono::{DateTime, Utc};
use serde_json::{Value, json};

use crate::conversations::claude::{self, Chain, Ending, Transcript};
use crate::model::{CauseKind, LocalTime, Place, Stamp};
use crate::string_enum;
use crate::systems::claude_workflow::facts::{listed, meta, state};
use crate::systems::claude_workflow::shape::journal::Started;
use crate::systems::claude_workflow::shape::{End, Journal, Notice, Snapshot, label};
use crate::world::World;

/// How many bytes at the end of an agent's file are read.
const TAIL: u64 = 1 << 20;

/// The client starts at most this many agents in a run.
const MOST_AGENTS: u64 = 1000;

string_enum! {
    /// The state of an agent.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub(crate) enum State {
        /// Its result is in the journal.
        Done = "done",
        /// Its result in the journal reads like an error message.
        Suspect = "suspect",
        /// The script got null instead of a result.
        Null = "null",
        /// The journal says that it failed.
        Failed = "failed",
        /// It finished, but its result is only in its own file.
        NotJournaled = "not_journaled",
        /// Its file ends with an error of the API, in a tool call or between turns.
        Died = "died",
        /// It was started and has no file.
        NoFile = "no_file",
    }
}

/// One agent.
#[derive(Debug, Clone)]
pub(crate) struct Agent {
    /// Counted from 1, in the order of the starts; those that the journal lost come last.
    pub(crate) number: usize,
    pub(crate) id: String,
    pub(crate) key: Option<String>,
    pub(crate) label: String,
    pub(crate) phase: Option<String>,
    pub(crate) attempts: u64,
    /// `None` if the journal lost its start.
    pub(crate) line: Option<u64>,
    pub(crate) state: State,
    pub(crate) result: Option<Value>,
    pub(crate) ending: Option<Ending>,
    /// Its last answer. Never shown, only exported.
    pub(crate) answer: Option<Value>,
    pub(crate) file: Option<PathBuf>,
    pub(crate) tokens: u64,
    pub(crate) first_at: Option<Stamp>,
    pub(crate) last_at: Option<Stamp>,
    pub(crate) worktree: bool,
}

impl Agent {
    /// When it ran, in seconds. Agents run side by side.
    pub(crate) fn span(&self) -> Option<(i64, i64)> {
        Some((self.first_at?.unix(), self.last_at?.unix()))
    }

    pub(crate) fn is_lost(&self) -> bool {
        self.state != State::Done
    }

    /// Whether its own file has a different answer than the journal. `None` if they cannot be compared.
    pub(crate) fn contradicts_journal(&self) -> Option<bool> {
        match (self.result.as_ref()?, self.answer.as_ref()?) {
            (Value::String(result), Value::String(answer)) => Some(result.trim() != answer.trim()),
            // A schema turns an answer into a value, which cannot be compared with a text.
            (Value::String(_), _) | (_, Value::String(_)) => None,
            (result, answer) => Some(result != answer),
        }
    }

    /// Whether it finished, even if its result is only in its own file.
    pub(crate) fn is_finished(&self) -> bool {
        matches!(self.state, State::Done | State::NotJournaled)
    }

    /// Its ending, if that has a cause.
    pub(crate) fn known_ending(&self) -> Option<&Ending> {
        let unknown = |kind| matches!(kind, CauseKind::Unknown | CauseKind::TurnEnded);
        self.ending.as_ref().filter(|ending| !unknown(ending.kind))
    }

    /// The cause of its end in a few words: `usage limit`.
    pub(crate) fn cause(&self) -> &'static str {
        match (self.state, self.known_ending()) {
            (State::Done, _) => "done",
            (State::NotJournaled, _) => "finished, result not in the journal",
            (State::Suspect, _) => "result reads like an error",
            (_, Some(ending)) => ending.kind.label(),
            (State::Null, _) => "no result (null)",
            (State::Failed, _) => "failed, cause not recorded",
            (State::NoFile, _) if self.line.is_none() => "no record left",
            (State::NoFile, _) => "started, no file",
            (State::Died, _) => "unknown",
        }
    }
}

/// The agents, and the facts about the run in their files.
#[derive(Default)]
pub(crate) struct Agents {
    pub(crate) list: Vec<Agent>,
    pub(crate) strays: Vec<String>,
    pub(crate) last_write: Option<DateTime<Utc>>,
    pub(crate) cwd: Option<PathBuf>,
}

/// The records of a run beside its journal.
pub(crate) struct Records<'a> {
    pub(crate) world: &'a dyn World,
    pub(crate) dirs: Vec<PathBuf>,
    pub(crate) snapshot: Option<&'a Snapshot>,
    /// The largest number of agents that the snapshot and the notification count.
    pub(crate) counted: u64,
}

/// The agents of the journal in the order of their starts, then those that only other records have.
pub(crate) fn read(journal: &Journal, records: &Records<'_>) -> Agents {
    let mut all = Agents::default();
    for started in &journal.started {
        all.add(started, records);
    }
    all.strays = strays(records, journal);
    if journal.is_incomplete(records.counted) {
        let listed = records.snapshot.iter().flat_map(|one| &one.agents);
        let listed = listed.filter_map(|one| one.id.as_ref());
        let mut lost: Vec<&String> = all.strays.iter().chain(listed).collect();
        lost.retain(|id| journal.lacks(id));
        lost.sort();
        lost.dedup();
        let named = journal.starts() + lost.len() as u64;
        let unnamed = records.counted.min(MOST_AGENTS).saturating_sub(named);
        let mut lost: Vec<String> = lost.into_iter().cloned().collect();
        lost.extend((0..unnamed).map(|_| String::new()));
        for id in lost {
            all.add(&Started::lost(id), records);
        }
    }
    // The journal's order decides what is replayed; of the others only their files know when they started.
    all.list.sort_by_key(|agent| match agent.line {
        Some(_) => (false, false, None),
        None => (true, agent.first_at.is_none(), agent.first_at),
    });
    for (index, agent) in all.list.iter_mut().enumerate() {
        agent.number = index + 1;
        if agent.label.is_empty() {
            agent.label = format!("agent {}", agent.number);
        }
    }
    all
}

impl Agents {
    fn add(&mut self, started: &Started, records: &Records<'_>) {
        let (world, dirs) = (records.world, &records.dirs);
        let id = &started.agent;
        let listed = listed(records.snapshot, id);
        let meta = |key| dirs.iter().find_map(|dir| meta(world, dir, id, key));
        let named = started.label.clone().or_else(|| meta("description"));
        let named = named.or_else(|| listed.and_then(|one| one.label.clone()));
        let phase = started.phase.clone().or_else(|| meta("workflowPhase"));
        let phase = phase.or_else(|| listed.and_then(|one| one.phase.clone()));
        let name = format!("agent-{id}.jsonl");
        let dir = dirs.iter().find(|dir| world.files().is_there(dir, &name));
        let dir = dir.filter(|_| !id.is_empty());
        let own = dir.and_then(|dir| self.transcript(world, dir, &name));
        let file = dir.filter(|_| own.is_some()).map(|dir| dir.join(&name));
        let by_file = own.as_ref().map_or(State::NoFile, unrecorded);
        let own = own.unwrap_or_default();
        self.cwd = self.cwd.take().or(own.cwd);
        self.list.push(Agent {
            number: 0,
            id: id.clone(),
            key: started.key.clone(),
            label: named.map_or_else(String::new, |text| label(&text)),
            phase: phase.as_deref().map(label),
            attempts: started.attempts.max(listed.map_or(1, |one| one.attempt)),
            line: started.line,
            state: state(started).unwrap_or(by_file),
            result: match &started.end {
                Some(End::Result(value)) => Some(value.clone()),
                Some(End::Failed) | None => None,
            },
            ending: own.ending,
            answer: own.answer,
            file,
            tokens: listed
                .and_then(|one| one.tokens)
                .unwrap_or(0)
                .max(own.total_tokens),
            first_at: own.first_at,
            last_at: own.last_at,
            worktree: listed.is_some_and(|one| one.worktree),
        });
    }

    /// The end of an agent's own file.
    fn transcript(&mut self, world: &dyn World, dir: &Path, name: &str) -> Option<Transcript> {
        let place = Place::known(dir, name).ok()?;
        let stat = world.files().stat(&place).ok()?;
        self.last_write = self.last_write.max(Some(stat.modified));
        let from = stat.size.saturating_sub(TAIL);
        let length = usize::try_from(TAIL).unwrap_or(usize::MAX);
        let bytes = world.files().read_range(&place, from, length);
        let bytes = bytes.unwrap_or_default();
        Some(claude::read(&bytes, from == 0, Chain::Agent, world.clock()))
    }
}

/// The state of an agent whose result the journal does not have.
fn unrecorded(own: &Transcript) -> State {
    use CauseKind::{BackgroundUnfinished, KilledBetweenTurns, TurnEnded};
    // Its last answer is its result, even if background work was left; and so is a structured result, whatever followed.
    match (&own.answer, own.ending.as_ref().map(|end| end.kind)) {
        (Some(_), None | Some(TurnEnded | BackgroundUnfinished)) => State::NotJournaled,
        (Some(answer), Some(KilledBetweenTurns)) if !answer.is_string() => State::NotJournaled,
        (None, _) | (Some(_), Some(_)) => State::Died,
    }
}

/// Adds causes that only the notification has, and drops the endings of finished agents.
pub(crate) fn finish(agents: &mut [Agent], notice: Option<&Notice>, zone: &dyn LocalTime) {
    let mut failures = notice.map_or_else(Vec::new, |notice| notice.failures.clone());
    for agent in agents {
        if agent.state == State::Done {
            agent.ending = None;
            continue;
        }
        let ending = agent.ending.as_ref();
        let known = ending.is_some_and(|end| end.kind != CauseKind::Unknown);
        if known || matches!(agent.state, State::NotJournaled | State::Suspect) {
            continue;
        }
        // Labels are not unique, so each failure is used for one agent.
        if let Some(index) = failures.iter().position(|(of, _)| label(of) == agent.label) {
            let (_, error) = failures.remove(index);
            agent.ending = error_ending(&error, zone).or_else(|| agent.ending.take());
        }
    }
}

/// The ending of a conversation with this error text.
fn error_ending(error: &str, zone: &dyn LocalTime) -> Option<Ending> {
    let line = json!({
        "type": "assistant",
        "isSidechain": true,
        "isApiErrorMessage": true,
        "message": {
            "role": "assistant",
            "model": "<synthetic>",
            "stop_reason": "stop_sequence",
            "content": [{ "type": "text", "text": error }],
        },
    });
    let line = format!("{line}\n");
    claude::read(line.as_bytes(), true, Chain::Agent, zone).ending
}

/// The agents with a file and no start in the journal.
fn strays(records: &Records<'_>, journal: &Journal) -> Vec<String> {
    let entries = records.dirs.iter().flat_map(|dir| {
        let listed = records.world.files().list(&Place::root(dir));
        listed.unwrap_or_default()
    });
    let ids = entries.filter_map(|entry| {
        let name = entry.name.to_str()?.strip_prefix("agent-")?;
        name.strip_suffix(".jsonl").map(str::to_owned)
    });
    ids.filter(|id| journal.lacks(id)).collect()
}

/// Before 2.1.199 the text of an error was returned as a result, and a script that catches errors still does so.
pub(crate) fn reads_like_an_error(text: &str) -> bool {
    const ERRORS: &[&str] = &[
        "API Error",
        "You've hit your",
        "You've reached your",
        "Claude AI usage limit reached",
        "Claude usage limit reached",
        "Login expired",
        "Credit balance is too low",
        "Prompt is too long",
    ];
    ERRORS
        .iter()
        .any(|error| text.trim_start().starts_with(error))
}
