//! How a conversation ended, from its last lines. The rules are tried in order. If none matches, the ending is unknown:
//! a guess would mislead the person.

use super::api_error;
use super::background;
use super::ending::{self, Ending};
use super::entry::{Entry, Role};
use super::local::Local;
use crate::formats::json;
use crate::model::{CauseKind, LocalTime, Sure};
use crate::text::format::count;

const INTERRUPTED: &str = "[Request interrupted by user]";
const INTERRUPTED_IN_TOOL: &str = "[Request interrupted by user for tool use]";

/// The input of the rules.
struct Tail<'a> {
    /// All lines, including those after the end.
    all: &'a [Entry],
    /// The lines that can show an end.
    entries: Vec<&'a Entry>,
    /// The tools of the last reply that were never answered.
    open: Vec<&'a str>,
    /// Notifications of ended background work that are only in the queue of prompts.
    notices: &'a [String],
    entrypoint: &'a str,
    zone: &'a dyn LocalTime,
}

/// The ending that these lines show; `None` without any line of a conversation.
pub(super) fn ending(
    all: &[Entry],
    notices: &[String],
    entrypoint: &str,
    zone: &dyn LocalTime,
) -> Option<Ending> {
    let mut entries: Vec<&Entry> = all.iter().collect();
    let mut local = Local::default();
    while let Some(last) = entries.last()
        && (tells_nothing(last) || local.wrote(last))
    {
        entries.pop();
    }
    let open = open_calls(&entries);
    let tail = Tail {
        all,
        entries,
        open,
        notices,
        entrypoint,
        zone,
    };
    let last = *tail.entries.last()?;
    let rules = [
        Tail::error,
        Tail::interrupted,
        Tail::denied,
        Tail::open_call,
        Tail::results,
        Tail::prompt,
        Tail::limits_and_hooks,
        Tail::reply,
        Tail::compaction,
    ];
    let found = rules.iter().find_map(|rule| rule(&tail, last));
    let mut ending = found.unwrap_or_else(|| tail.unknown(last));
    ending.open_tools = tail.open.iter().map(|name| (*name).to_owned()).collect();
    Some(ending)
}

/// Lines that follow an end without saying anything about it.
fn tells_nothing(entry: &Entry) -> bool {
    match entry.role {
        Role::User => {
            entry.is_injected()
                && entry.answers().next().is_none()
                && !entry.flag("isCompactSummary")
        }
        // Written when an interrupted turn was resumed or forked: the real end is before it.
        Role::Assistant => {
            entry.is_synthetic()
                && !entry.flag("isApiErrorMessage")
                && entry.texts() == ["No response requested."]
        }
        Role::System => {
            let prevented = entry.flag("preventedContinuation");
            !(prevented || entry.text("subtype") == Some("compact_boundary"))
        }
        Role::Attachment => !matches!(
            attachment(entry),
            Some("max_turns_reached" | "budget_usd" | "hook_stopped_continuation")
        ),
    }
}

/// The type of an attachment.
fn attachment(entry: &Entry) -> Option<&str> {
    let inner = json::child(&entry.map, "attachment");
    inner
        .and_then(|inner| json::text(inner, "type"))
        .or_else(|| entry.text("subtype"))
}

/// The calls of the last reply that no later line answers. A reply has a line for each of its blocks.
fn open_calls<'a>(entries: &[&'a Entry]) -> Vec<&'a str> {
    let is_reply = |entry: &&&Entry| entry.role == Role::Assistant && !entry.is_synthetic();
    let Some(reply) = entries.iter().rev().find(is_reply) else {
        return Vec::new();
    };
    let same = |entry: &&&'a Entry| {
        std::ptr::eq(**entry, *reply)
            || reply.message_id().is_some() && entry.message_id() == reply.message_id()
    };
    // Some clients reuse the id of a call, so only a line after the call answers it.
    let answered = |at: usize, id: &str| {
        let mut later = entries.iter().skip(at + 1);
        later.any(|entry| entry.answers().any(|one| one == id))
    };
    let of_reply = entries.iter().enumerate().filter(|(_, entry)| same(entry));
    of_reply
        .flat_map(|(at, entry)| entry.calls().map(move |call| (at, call)))
        .filter(|(at, (id, _))| !answered(*at, id))
        .map(|(_, (_, name))| name)
        .collect()
}

impl Tail<'_> {
    fn end(kind: CauseKind, sure: Sure, text: impl Into<String>, entry: &Entry) -> Ending {
        Ending::new(kind, sure, text, entry.at, entry.number)
    }

    /// Row 2: an error of the API in place of a reply.
    fn error(&self, last: &Entry) -> Option<Ending> {
        // Before the flag existed, the client wrote the text of a limit as a reply of the model.
        let old = last.is_synthetic()
            && last
                .texts()
                .iter()
                .any(|text| super::super::limits::is_limit(text));
        if last.role != Role::Assistant || !(last.flag("isApiErrorMessage") || old) {
            return None;
        }
        let error = api_error::classify(last, self.zone);
        Some(Ending {
            until: error.until,
            facts: error.facts,
            ..Self::end(error.kind, error.sure, error.text, last)
        })
    }

    /// Row 3: the client's own mark of an interruption, as a whole block, because people quote it.
    fn interrupted(&self, last: &Entry) -> Option<Ending> {
        if last.role != Role::User {
            return None;
        }
        let users = self
            .entries
            .iter()
            .rev()
            .take_while(|entry| entry.role == Role::User);
        let (entry, in_tool) = users.take(2).find_map(|entry| {
            let texts = entry.texts();
            let has = |mark: &str| texts.contains(&mark);
            (has(INTERRUPTED) || has(INTERRUPTED_IN_TOOL))
                .then(|| (entry, has(INTERRUPTED_IN_TOOL)))
        })?;
        let place = if in_tool { " during a tool call" } else { "" };
        // Before 2.1.236, a SIGTERM to a headless program left the same mark.
        let headless = self.entrypoint.starts_with("sdk");
        let (who, sure) = if headless {
            ("a person or a SIGTERM", Sure::Likely)
        } else {
            ("a person", Sure::Certain)
        };
        let text = format!("It was interrupted by {who}{place}.");
        Some(Self::end(CauseKind::UserInterrupted, sure, text, entry))
    }

    /// Row 4: a denied tool call.
    fn denied(_: &Self, last: &Entry) -> Option<Ending> {
        let rejected = last
            .text("toolUseResult")
            .is_some_and(|text| text.starts_with("User rejected tool use"))
            || last.text("toolDenialKind") == Some("user-rejected");
        if last.role != Role::User || !rejected {
            return None;
        }
        let with = if last.map.contains_key("userFeedback") {
            " and gave instructions that were never answered"
        } else {
            ""
        };
        let text = format!("A person denied a tool call{with}.");
        Some(Self::end(CauseKind::ToolDenied, Sure::Certain, text, last))
    }

    /// Rows 5 to 7: a call without an answer.
    fn open_call(&self, last: &Entry) -> Option<Ending> {
        let entry = self
            .entries
            .iter()
            .rev()
            .find(|entry| entry.calls().next().is_some());
        let entry = entry.copied().unwrap_or(last);
        let (kind, sure, text) = if self.open.is_empty() {
            return None;
        } else if self.open.contains(&"AskUserQuestion") {
            (
                CauseKind::WaitingAnswer,
                Sure::Certain,
                "The agent asked a question that was not answered.".to_owned(),
            )
        } else if self.open.contains(&"ExitPlanMode") {
            (
                CauseKind::WaitingApproval,
                Sure::Certain,
                "The agent presented a plan that was not approved.".to_owned(),
            )
        } else {
            let text = ending::in_tools(&self.open);
            (CauseKind::KilledInTool, Sure::Likely, text)
        };
        Some(Self::end(kind, sure, text, entry))
    }

    /// Row 8: every call was answered, and no reply followed.
    fn results(_: &Self, last: &Entry) -> Option<Ending> {
        (last.role == Role::User && last.answers().next().is_some()).then(|| {
            let text = ending::AFTER_CALL;
            Self::end(CauseKind::KilledBetweenTurns, Sure::Likely, text, last)
        })
    }

    /// Row 9: a prompt without a reply. Esc before the first token leaves no mark.
    fn prompt(_: &Self, last: &Entry) -> Option<Ending> {
        let is_prompt = last.role == Role::User && !last.flag("isCompactSummary");
        (is_prompt && !last.texts().is_empty()).then(|| {
            let text = ending::NO_REPLY;
            Self::end(CauseKind::CutWhileStreaming, Sure::Guess, text, last)
        })
    }

    /// Rows 14 and 15: limits and hooks.
    fn limits_and_hooks(_: &Self, last: &Entry) -> Option<Ending> {
        let (kind, text) = match attachment(last) {
            _ if last.role == Role::System && last.flag("preventedContinuation") => {
                (CauseKind::HookStopped, "A hook stopped it.")
            }
            Some("max_turns_reached") => (CauseKind::TurnLimit, "The limit on turns was reached."),
            Some("budget_usd") => (CauseKind::BudgetLimit, "The limit on cost was reached."),
            Some("hook_stopped_continuation") => (CauseKind::HookStopped, "A hook stopped it."),
            Some(_) | None => return None,
        };
        Some(Self::end(kind, Sure::Likely, text, last))
    }

    /// Rows 10 to 13: the end of a reply.
    fn reply(&self, last: &Entry) -> Option<Ending> {
        use CauseKind as K;
        if last.role != Role::Assistant {
            return None;
        }
        let end = |kind, sure, text: &str| Some(Self::end(kind, sure, text, last));
        match last.stop_reason() {
            Some("end_turn" | "stop_sequence") => Some(self.turn_ended(last)),
            Some("max_tokens") => end(K::OutputLimit, Sure::Certain, ending::CUT_AT_LIMIT),
            Some("refusal") => end(
                K::Refused,
                Sure::Likely,
                "The model refused; the refused turn may affect later ones.",
            ),
            Some(_) if !last.flag("isAbortedMidStream") => None,
            _ => end(K::CutWhileStreaming, Sure::Guess, ending::CUT_IN_STREAM),
        }
    }

    /// Row 10, and what was left in the background.
    fn turn_ended(&self, last: &Entry) -> Ending {
        let pending = |key: &str| {
            let counted = self
                .all
                .iter()
                .rev()
                .take_while(|entry| entry.role != Role::Assistant);
            let mut counts = counted.filter_map(|entry| json::int(&entry.map, key));
            counts.next()
        };
        let counts = ["pendingWorkflowCount", "pendingBackgroundAgentCount"].map(pending);
        let counted: i64 = counts.iter().flatten().sum();
        let left = background::left(self.all, self.notices);
        // The client's own count is of the end of the turn. Without it, each launch is checked.
        let (tasks, sure) = if counts.iter().any(Option::is_some) {
            (counted.unsigned_abs(), Sure::Likely)
        } else if left.silent > 0 {
            ((left.silent + left.presumed) as u64, Sure::Likely)
        } else {
            (left.presumed as u64, Sure::Guess)
        };
        if tasks > 0 {
            let tasks = count(tasks, "background task");
            let text = format!("The turn ended while {tasks} had not finished.");
            return Self::end(CauseKind::BackgroundUnfinished, sure, text, last);
        }
        let text = ending::TURN_ENDED;
        Self::end(CauseKind::TurnEnded, Sure::Certain, text, last)
    }

    /// Row 16: right after a compaction.
    fn compaction(_: &Self, last: &Entry) -> Option<Ending> {
        let boundary =
            last.text("subtype") == Some("compact_boundary") || last.flag("isCompactSummary");
        boundary.then(|| {
            let text = "It stopped right after its context was compacted.";
            Self::end(CauseKind::KilledBetweenTurns, Sure::Likely, text, last)
        })
    }

    /// Row 18: the kinds of the last lines, without any text of the conversation.
    fn unknown(&self, last: &Entry) -> Ending {
        let kinds = self
            .entries
            .iter()
            .rev()
            .take(3)
            .map(|entry| match entry.role {
                Role::User => "user",
                Role::Assistant => "assistant",
                Role::System => "system",
                Role::Attachment => "attachment",
            });
        let kinds: Vec<&str> = kinds.collect();
        let text = "How it ended is not known.";
        Ending {
            facts: vec![format!(
                "The last lines, newest first: {}.",
                kinds.join(", ")
            )],
            ..Self::end(CauseKind::Unknown, Sure::Guess, text, last)
        }
    }
}
