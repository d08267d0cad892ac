//! Conversations of Codex CLI: a file for each, with events that begin and end its turns.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value};

use super::find::{Head, head as head_of};
use crate::formats::jsonl::{Parsed, lines, parse};
use crate::formats::{json, stamp};
use crate::model::{
    Aliveness, Cause, CauseEvidence, CauseKind, Client, Conversation, Foreign, Place,
    ResumeCommand, Stamp, Sure,
};
use crate::text::format::shell_line;
use crate::world::World;
use crate::world::files::FileKind;

/// What is read of the end of a file.
const TAIL: u64 = 1 << 20;
/// The most days that are looked at, newest first.
const DAYS: usize = 120;

/// One file.
#[derive(Debug)]
pub struct Rollout {
    place: Place,
    id: String,
    size: u64,
    /// When it was last written.
    pub modified: DateTime<Utc>,
    /// Its beginning, read once for all pipelines.
    head: OnceLock<Head>,
}

impl Rollout {
    /// Its beginning; `None` where that names no directory.
    pub(super) fn head(&self, world: &dyn World) -> Option<&Head> {
        let read = || head_of(world, &self.place, self.size);
        Some(self.head.get_or_init(read)).filter(|head| head.cwd.is_some())
    }
}

/// The files of `sessions/YYYY/MM/DD`, the newest day first.
pub(super) fn rollouts(world: &dyn World) -> Vec<Rollout> {
    let Some(root) = world
        .places()
        .codex
        .as_ref()
        .map(|codex| codex.join("sessions"))
    else {
        return Vec::new();
    };
    let mut dirs = vec![root];
    for _ in 0..3 {
        let below = dirs.iter().flat_map(|dir| {
            let entries = world.files().list(&Place::root(dir)).unwrap_or_default();
            let dirs = entries.into_iter().rev().filter(|entry| entry.is_dir);
            dirs.map(|entry| dir.join(entry.name)).collect::<Vec<_>>()
        });
        dirs = below.take(DAYS).collect();
    }
    let files = dirs.iter().flat_map(|dir| {
        let entries = world.files().list(&Place::root(dir)).unwrap_or_default();
        let found = entries.into_iter().rev().filter_map(|entry| {
            let name = entry
                .name
                .to_str()?
                .strip_prefix("rollout-")?
                .strip_suffix(".jsonl")?;
            let id = name.get(name.len().checked_sub(36)?..)?.to_owned();
            let place = Place::known(dir, &entry.name).ok()?;
            let stat = world.files().stat(&place).ok()?;
            (stat.kind == FileKind::File).then_some(Rollout {
                place,
                id,
                size: stat.size,
                modified: stat.modified,
                head: OnceLock::new(),
            })
        });
        found.collect::<Vec<_>>()
    });
    files.collect()
}

/// The conversation of a file, where there are reasons for it.
pub(super) fn conversation(
    world: &dyn World,
    rollout: &Rollout,
    head: &Head,
    reasons: impl Fn(&[Option<&Path>], (Option<Stamp>, Option<Stamp>)) -> Option<Vec<Foreign>>,
) -> Option<Conversation> {
    let from = rollout.size.saturating_sub(TAIL);
    let len = usize::try_from(TAIL).ok()?;
    let bytes = world.files().read_range(&rollout.place, from, len).ok()?;
    let end = End::of(&bytes, from == 0, world);
    let last_at = end.last_at.or_else(|| Some(Stamp::utc(rollout.modified)));
    let reasons = reasons(&[head.cwd.as_deref()], (head.at, last_at))?;
    let argv = ["codex", "resume", rollout.id.as_str()]
        .map(Foreign::from)
        .to_vec();
    let mut cause = end.cause(rollout.place.path());
    if let Some(command) = shell_line(&argv) {
        cause.next = vec![format!("Continue it with {command} in its directory, or start fresh from the recommended point.").into()];
    }
    let there = |dir: &PathBuf| world.files().is_dir(&Place::root(dir));
    Some(Conversation {
        client: Client::Codex,
        id: rollout.id.as_str().into(),
        file: rollout.place.path(),
        cwd: head.cwd.clone(),
        branch: None,
        started_at: head.at,
        last_at,
        tokens: end.tokens,
        // Codex keeps no register of running sessions.
        alive: Aliveness::Unknown,
        reasons,
        expires_at: None,
        resume: Some(ResumeCommand {
            cwd: head.cwd.clone().filter(there),
            argv,
        }),
        cause,
        quotes: end.quotes,
    })
}

/// What the end of a file says.
#[derive(Default)]
struct End {
    last_at: Option<Stamp>,
    turn: Option<(Turn, Option<Stamp>, Option<u64>)>,
    tokens: Option<u64>,
    /// The window that is nearly used up, and its reset.
    limit: Option<(&'static str, Option<Stamp>)>,
    asked: bool,
    quotes: Vec<crate::model::Quote>,
}

#[derive(Clone, Copy, PartialEq)]
enum Turn {
    Open,
    Complete,
    Interrupted,
}

impl End {
    fn of(bytes: &[u8], whole: bool, world: &dyn World) -> Self {
        let mut end = Self::default();
        for line in lines(bytes) {
            let Parsed::Object(map) = parse(&line) else {
                continue;
            };
            let at =
                json::text(&map, "timestamp").and_then(|text| stamp::parse(text, world.clock()));
            end.last_at = at.or(end.last_at);
            if let Some(payload) = json::child(&map, "payload") {
                end.take(payload, at, whole.then_some(line.number));
            }
        }
        end
    }

    fn take(&mut self, payload: &Map<String, Value>, at: Option<Stamp>, line: Option<u64>) {
        match json::text(payload, "type") {
            Some("task_started" | "turn_started") => {
                self.turn = Some((Turn::Open, at, line));
                self.asked = false;
            }
            Some("task_complete") => self.turn = Some((Turn::Complete, at, line)),
            Some("turn_aborted") => self.turn = Some((Turn::Interrupted, at, line)),
            Some("token_count") => self.count(payload, at),
            Some(
                "request_user_input" | "exec_approval_request" | "apply_patch_approval_request",
            ) => {
                self.asked = true;
            }
            Some("function_call") => {
                self.asked = json::text(payload, "name") == Some("request_user_input");
            }
            Some("function_call_output") => self.asked = false,
            Some(kind @ ("user_message" | "agent_message")) => {
                let from = if kind == "user_message" {
                    "person"
                } else {
                    "agent"
                };
                let text = json::text(payload, "message").unwrap_or_default();
                self.quotes.extend(super::quotes::passage(from, at, text));
            }
            Some(_) | None => {}
        }
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
        let mut full =
            full.filter(|slot| json::number(slot, "used_percent").is_some_and(|used| used >= 99.0));
        self.limit = full.next().map(|slot| {
            let label = match json::int(slot, "window_minutes") {
                Some(300) => "5-hour limit",
                Some(10_080) => "weekly limit",
                Some(_) | None => "limit",
            };
            let resets = json::int(slot, "resets_at").or_else(|| {
                // Older versions count from the line.
                Some(at?.unix() + json::int(slot, "resets_in_seconds")?)
            });
            (label, resets.and_then(Stamp::from_unix))
        });
    }

    fn cause(&self, file: PathBuf) -> Cause {
        let Some((turn, at, line)) = self.turn else {
            return Cause::unknown("Its file shows no turn.");
        };
        let (kind, sure, text) = match (turn, self.limit) {
            (Turn::Complete, _) => (
                CauseKind::TurnEnded,
                Sure::Certain,
                "The turn ended normally; nothing more was asked.".to_owned(),
            ),
            (Turn::Interrupted, _) => (
                CauseKind::UserInterrupted,
                Sure::Certain,
                "The turn was interrupted.".to_owned(),
            ),
            (Turn::Open, _) if self.asked => (
                CauseKind::WaitingAnswer,
                Sure::Likely,
                "The agent asked for an answer or an approval that it did not get.".to_owned(),
            ),
            (Turn::Open, Some((label, _))) => (
                CauseKind::UsageLimit,
                Sure::Guess,
                format!(
                    "The turn did not end, and the {label} was nearly used up: probably the usage limit."
                ),
            ),
            (Turn::Open, None) => (
                CauseKind::KilledBetweenTurns,
                Sure::Guess,
                "The turn did not end: it was killed or met an error, which Codex does not record."
                    .to_owned(),
            ),
        };
        let until = self
            .limit
            .and_then(|(_, resets)| resets)
            .filter(|_| kind == CauseKind::UsageLimit);
        Cause {
            kind,
            at: if turn == Turn::Open {
                self.last_at.or(at)
            } else {
                at
            },
            until,
            sure,
            evidence: vec![CauseEvidence {
                file,
                line,
                text: format!("Codex: {text}").into(),
            }],
            text: text.into(),
            next: Vec::new(),
        }
    }
}
