//! Conversations of Codex CLI: a file for each, with events that begin and end its turns.

mod failure;
mod judged;

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use super::claude::{LINE_CAP, Transcript, ending::Unread, whole_lines};
use super::find::{Beginning, Cwd, Depth, Folder, Source, Stored, head, tail};
use crate::formats::jsonl::{Parsed, lines, parse_up_to};
use crate::formats::{json, stamp};
use crate::model::{CauseKind, Client, LocalTime, Place, Stamp, Sure};
use crate::world::World;
use failure::Failure;

/// How many bytes at the end of a file are read, and how many where no turn begins or ends in those.
const TAILS: [u64; 2] = [1 << 20, 16 << 20];
/// How many bytes at the beginning of a file are read, to see whether it records turns.
const HEAD: usize = 1 << 20;
/// How many days are searched, newest first.
const DAYS: usize = 120;

/// The tool by which the agent asks a person.
const QUESTION: &str = "request_user_input";

pub(super) const SOURCE: Source = Source {
    client: Client::Codex,
    resume: ["codex", "resume"],
    folders,
    files,
    begin,
    read,
};

/// The days of `sessions/YYYY/MM/DD`, the newest first, and the folders that have no days.
fn folders(world: &dyn World) -> Vec<Folder> {
    let codex = world.places().codex.as_ref();
    let Some(codex) = codex else {
        return Vec::new();
    };
    // The first versions had no days, and an archived conversation is moved out of its day.
    let flat = ["sessions", "archived_sessions"].map(|name| codex.join(name));
    let mut dirs = vec![codex.join("sessions")];
    for _ in 0..3 {
        let below = dirs.iter().flat_map(|dir| {
            let entries = world.files().list(&Place::root(dir)).unwrap_or_default();
            let dirs = entries.into_iter().rev().filter(|entry| entry.is_dir);
            dirs.map(|entry| dir.join(entry.name)).collect::<Vec<_>>()
        });
        dirs = below.take(DAYS).collect();
    }
    let folder = |dir| Folder::new(dir, Cwd::InFiles);
    dirs.into_iter().chain(flat).map(folder).collect()
}

fn files(world: &dyn World, day: &Path) -> Vec<Stored> {
    Stored::all(world, day, |name| id(name).is_some())
}

/// The id in the name of a rollout.
fn id(name: &str) -> Option<&str> {
    let name = name.strip_prefix("rollout-")?.strip_suffix(".jsonl")?;
    name.get(name.len().checked_sub(36)?..)
}

fn begin(world: &dyn World, stored: &Stored) -> Option<Beginning> {
    let head = head(world, &stored.place, stored.size);
    let id = id(&stored.name)?.to_owned();
    head.cwd.is_some().then_some(Beginning { id, head })
}

fn read(world: &dyn World, stored: &Stored, _: Depth) -> Option<Transcript> {
    let mut end = End::default();
    for len in TAILS {
        let bytes = tail(world, &stored.place, stored.size, len)?;
        end = End::of(&bytes, stored.size <= len, world.clock());
        if end.turn.is_some() || stored.size <= len {
            break;
        }
    }
    if end.turn.is_none() && records_turns(world, stored) {
        // The end of a turn would have been read.
        end.turn = Some((Turn::Open, None, None));
    }
    Some(Transcript {
        ending: end.ending(),
        last_at: end.last_at,
        context_tokens: end.tokens,
        written: end.written,
        quotes: end.quotes,
        ..Transcript::default()
    })
}

/// Whether the beginning of a file has that of a turn: the first versions recorded no turns.
fn records_turns(world: &dyn World, stored: &Stored) -> bool {
    let bytes = world.files().read_range(&stored.place, 0, HEAD);
    let bytes = bytes.unwrap_or_default();
    let begins = [
        &br#""type":"task_started""#[..],
        br#""type":"turn_started""#,
    ];
    begins
        .iter()
        .any(|begins| memchr::memmem::find(&bytes, begins).is_some())
}

/// The facts at the end of a file.
#[derive(Default)]
struct End {
    last_at: Option<Stamp>,
    turn: Option<(Turn, Option<Stamp>, Option<u64>)>,
    tokens: Option<u64>,
    /// The window that is nearly used up, with its reset.
    limit: Option<(&'static str, Option<Stamp>)>,
    /// Whether an approval was asked for that was not given.
    asked: bool,
    /// The calls without an output: id and name.
    open: Vec<(String, String)>,
    /// A line after the last beginning or end of a turn that cannot be read.
    unread: Option<Unread>,
    written: Vec<PathBuf>,
    quotes: Vec<crate::model::Quote>,
}

enum Turn {
    Open,
    Complete {
        /// Whether the agent said nothing in it.
        silent: bool,
    },
    Failed {
        failure: Failure,
        /// Whether its end was recorded: an error alone may not have ended it.
        over: bool,
    },
    Aborted(CauseKind, Sure, String),
}

impl End {
    fn of(bytes: &[u8], whole: bool, zone: &dyn LocalTime) -> Self {
        let mut end = Self::default();
        for line in lines(whole_lines(bytes, whole)) {
            let number = whole.then_some(line.number);
            // A line has all that a tool returned. Skipping it would make an answered call look open.
            let Parsed::Object(map) = parse_up_to(&line, LINE_CAP) else {
                end.unread = Some(Unread::line(number));
                continue;
            };
            let at = json::text(&map, "timestamp").and_then(|text| stamp::parse(text, zone));
            end.last_at = at.or(end.last_at);
            if let Some(payload) = json::child(&map, "payload") {
                end.take(payload, at, number, zone);
            }
        }
        end
    }

    fn take(
        &mut self,
        payload: &Map<String, Value>,
        at: Option<Stamp>,
        line: Option<u64>,
        zone: &dyn LocalTime,
    ) {
        if let Some(turn) = self.turn_in(payload, at, zone) {
            self.turn = Some((turn, at, line));
            self.unread = None;
        }
        match json::text(payload, "type") {
            Some("task_started" | "turn_started") => {
                // What is still used up is counted again in the turn.
                self.limit = None;
                self.answered(None);
            }
            Some("task_complete" | "turn_complete") => {
                if let Some((Turn::Failed { over, .. }, ..)) = &mut self.turn {
                    *over = true;
                    self.unread = None;
                }
            }
            Some("token_count") => self.count(payload, at),
            Some(QUESTION | "exec_approval_request" | "apply_patch_approval_request") => {
                self.asked = true;
            }
            Some("function_call") => {
                self.called(payload);
                let arguments = json::text(payload, "arguments");
                let arguments = arguments.and_then(|text| json::object(text.as_bytes()).ok());
                self.patch(
                    payload,
                    arguments.as_ref().and_then(|all| json::text(all, "input")),
                );
            }
            Some("custom_tool_call") => {
                self.called(payload);
                self.patch(payload, json::text(payload, "input"));
            }
            Some("function_call_output" | "custom_tool_call_output") => {
                self.answered(Some(call_id(payload)));
            }
            Some("user_message") => {
                self.answered(None);
                self.said("person", payload, at);
            }
            Some("agent_message") => {
                self.goes_on();
                self.said("agent", payload, at);
            }
            Some(_) | None => {}
        }
    }

    /// The turn that a line begins or ends.
    fn turn_in(
        &self,
        payload: &Map<String, Value>,
        at: Option<Stamp>,
        zone: &dyn LocalTime,
    ) -> Option<Turn> {
        let known = |key: &str| payload.get(key).filter(|value| !value.is_null());
        match json::text(payload, "type")? {
            "task_started" | "turn_started" => Some(Turn::Open),
            "turn_aborted" => {
                let (kind, sure, text) = failure::aborted(known("reason"));
                Some(Turn::Aborted(kind, sure, text))
            }
            "error" if failure::ends_turn(payload) => Some(Turn::Failed {
                failure: failure::of(payload, at, zone),
                over: false,
            }),
            "task_complete" | "turn_complete" => match known("error") {
                Some(error) => {
                    let error = error.as_object().cloned().unwrap_or_default();
                    Some(Turn::Failed {
                        failure: failure::of(&error, at, zone),
                        over: true,
                    })
                }
                // Older versions record the error in an event before.
                None if matches!(self.turn, Some((Turn::Failed { .. }, ..))) => None,
                None => Some(Turn::Complete {
                    silent: payload
                        .get("last_agent_message")
                        .is_some_and(Value::is_null),
                }),
            },
            _ => None,
        }
    }

    /// The agent worked on after an error, which did not end its turn.
    fn goes_on(&mut self) {
        if let Some((turn @ Turn::Failed { over: false, .. }, ..)) = &mut self.turn {
            *turn = Turn::Open;
        }
    }

    fn called(&mut self, call: &Map<String, Value>) {
        self.goes_on();
        let name = json::text(call, "name").unwrap_or("unknown");
        self.open.push((call_id(call).to_owned(), name.to_owned()));
        self.asked = false;
    }

    /// One call has its output, or all that was before counts no longer.
    fn answered(&mut self, call: Option<&str>) {
        self.open
            .retain(|(id, _)| call.is_some_and(|call| call != id));
        self.asked = false;
    }

    fn said(&mut self, from: &'static str, message: &Map<String, Value>, at: Option<Stamp>) {
        let text = json::text(message, "message").unwrap_or_default();
        self.quotes.extend(super::quotes::passage(from, at, text));
    }

    /// The files in a call of the patch tool.
    fn patch(&mut self, call: &Map<String, Value>, patch: Option<&str>) {
        if json::text(call, "name") != Some("apply_patch") {
            return;
        }
        let files = patch.unwrap_or_default().lines().filter_map(|line| {
            let added = line.strip_prefix("*** Add File: ");
            added.or_else(|| line.strip_prefix("*** Update File: "))
        });
        self.written.extend(files.map(PathBuf::from));
    }

    fn count(&mut self, payload: &Map<String, Value>, at: Option<Stamp>) {
        if let Some(info) = json::child(payload, "info") {
            let last = json::child(info, "last_token_usage");
            let tokens = last.and_then(|last| json::int(last, "input_tokens"));
            self.tokens = tokens.and_then(|count| u64::try_from(count).ok());
        }
        let Some(limits) = json::child(payload, "rate_limits") else {
            return;
        };
        let full = ["primary", "secondary"]
            .iter()
            .filter_map(|slot| json::child(limits, slot));
        let full =
            full.filter(|slot| json::number(slot, "used_percent").is_some_and(|used| used >= 99.0));
        let full = full.map(|slot| {
            let label = match json::int(slot, "window_minutes") {
                Some(300) => "5-hour limit",
                Some(10_080) => "weekly limit",
                Some(_) | None => "limit",
            };
            let resets = json::int(slot, "resets_at").or_else(|| {
                // Older versions give the seconds from the time of the line.
                Some(at?.unix() + json::int(slot, "resets_in_seconds")?)
            });
            (label, resets.and_then(Stamp::from_unix))
        });
        // Where both are used up, nothing runs before the later one is reset.
        self.limit = full.max_by_key(|(_, resets)| resets.map(|stamp| stamp.at));
    }
}

fn call_id(payload: &Map<String, Value>) -> &str {
    json::text(payload, "call_id").unwrap_or_default()
}
