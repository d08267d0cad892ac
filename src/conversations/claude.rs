//! One conversation of Claude Code, from the lines of its file. Pure: bytes in, facts out.
//!
//! A file can have gigabytes, so only its end is read. See [the format](crate::docs::formats::claude_code).

mod api_error;
mod background;
mod end;
pub(super) mod ending;
pub(super) mod entry;
mod judge;
pub(super) mod local;
#[cfg(test)]
mod tests;

use std::path::PathBuf;

use serde_json::{Map, Value};

pub use end::read_end;
pub use ending::Ending;
pub use entry::written_path;

use crate::formats::json;
use crate::formats::jsonl::{Parsed, lines, parse_up_to};
use crate::model::{Foreign, LocalTime, Quote, Stamp};
use ending::Unread;
use entry::{Entry, Role};

/// The longest line that is parsed. One line has everything that a tool returned, including images. Skipping it would
/// make an answered call look open.
pub(super) const LINE_CAP: usize = 16 << 20;

/// Which lines of a file are the conversation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Chain {
    /// The main chain of a session file; lines of subagents in it are left out.
    Main,
    /// The file of one subagent, all of whose lines are its own.
    Agent,
}

/// The facts at the end of a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Transcript {
    /// How the conversation ended; `None` if there is no line of a conversation.
    pub ending: Option<Ending>,
    /// The directory that the last line names.
    pub cwd: Option<PathBuf>,
    /// The branch that the last line names.
    pub branch: Option<Foreign>,
    /// The version of the client.
    pub version: Option<String>,
    /// The first time in the part that was read.
    pub first_at: Option<Stamp>,
    /// The last time of a line of the conversation.
    pub last_at: Option<Stamp>,
    /// Input and cache tokens of the last reply: what one resume reads again.
    pub context_tokens: Option<u64>,
    /// Tokens of all replies in the part that was read, each counted once.
    pub total_tokens: u64,
    /// The conversation that this one continues in.
    pub moved_to: Option<String>,
    /// The files that its tools wrote.
    pub written: Vec<PathBuf>,
    /// The skills and plugins that it ran.
    pub skills: Vec<String>,
    /// The skills that it ran with arguments, and those. They are only compared with keys and never shown.
    pub asked: Vec<(String, String)>,
    /// The shell commands that it ran. They are only compared with paths and never shown.
    pub commands: Vec<String>,
    /// The git worktrees that it entered or made.
    pub worktrees: Vec<PathBuf>,
    /// The ids and the scripts of the runs of workflows that it launched.
    pub workflows: Vec<String>,
    /// The numbers of the pull requests that its client linked to it.
    pub pull_requests: Vec<i64>,
    /// The result that it returned by the tool for structured output, else the text of its last reply, if that reply
    /// ended the turn. Shown only on request.
    pub answer: Option<Value>,
    /// Its last messages, oldest first.
    pub quotes: Vec<Quote>,
}

/// Reads the end of a file. `whole` means that the bytes are the whole file: only then are lines numbered. Otherwise a
/// partial first line is dropped.
pub fn read(bytes: &[u8], whole: bool, chain: Chain, zone: &dyn LocalTime) -> Transcript {
    let lines = lines(whole_lines(bytes, whole));
    let parsed = lines.map(|line| (whole.then_some(line.number), parse_up_to(&line, LINE_CAP)));
    gather(parsed, chain, zone)
}

/// The bytes without a partial first line.
pub(super) fn whole_lines(bytes: &[u8], whole: bool) -> &[u8] {
    if whole {
        return bytes;
    }
    let start = memchr::memchr(b'\n', bytes).map_or(bytes.len(), |end| end + 1);
    bytes.get(start..).unwrap_or_default()
}

fn gather(
    lines: impl Iterator<Item = (Option<u64>, Parsed)>,
    chain: Chain,
    zone: &dyn LocalTime,
) -> Transcript {
    let mut entries = Vec::new();
    let mut found = Found::default();
    for (number, line) in lines {
        let map = match line {
            Parsed::Object(map) => map,
            Parsed::Torn(_) | Parsed::Bad(_) => {
                found.unread = Some(Unread::line(number));
                continue;
            }
        };
        found.bookkeeping(&map);
        let sidechain = json::flag(&map, "isSidechain").unwrap_or(false);
        if sidechain && chain == Chain::Main {
            continue;
        }
        if let Some(entry) = Entry::of(map, number, zone) {
            found.unread = None;
            entries.push(entry);
        }
    }
    found.transcript(&entries, zone)
}

/// The state of the bookkeeping lines.
#[derive(Default)]
struct Found {
    /// A line after the one that decides that cannot be read.
    unread: Option<Unread>,
    moved_to: Option<String>,
    /// The queue of prompts; true for a typed one. Notifications are queued too.
    queue: Vec<bool>,
    closed: bool,
    worktrees: Vec<PathBuf>,
    pull_requests: Vec<i64>,
    notices: Vec<String>,
}

impl Found {
    fn bookkeeping(&mut self, map: &Map<String, Value>) {
        match json::text(map, "type") {
            Some("continued-in") => self.moved_to = json::owned(map, "continuedInSessionId"),
            Some("cost-state") => self.closed = true,
            Some("worktree-state") => {
                let session = json::child(map, "worktreeSession");
                let path = session.and_then(|session| json::text(session, "worktreePath"));
                self.worktrees.extend(path.map(PathBuf::from));
            }
            Some("pr-link") => self.pull_requests.extend(json::int(map, "prNumber")),
            Some("queue-operation") => match json::text(map, "operation") {
                Some("enqueue") => {
                    let content = json::owned(map, "content");
                    let notice = content.filter(|text| background::is_notice(text));
                    self.queue.push(notice.is_none());
                    self.notices.extend(notice);
                }
                Some("dequeue" | "remove") if !self.queue.is_empty() => {
                    self.queue.remove(0);
                }
                Some("popAll") => self.queue.clear(),
                Some(_) | None => {}
            },
            // It continued after all: only the last `continued-in` counts.
            Some("user" | "assistant") => {
                self.moved_to = None;
                self.closed = false;
            }
            Some(_) | None => {}
        }
    }

    fn transcript(self, entries: &[Entry], zone: &dyn LocalTime) -> Transcript {
        let last = |key: &str| {
            let mut all = entries.iter().rev();
            all.find_map(|entry| json::owned(&entry.map, key).filter(|text| !text.is_empty()))
        };
        let entrypoint = last("entrypoint").unwrap_or_default();
        let ending = judge::ending(entries, &self.notices, &entrypoint, zone);
        let open_items = entries.iter().rev().find_map(Entry::open_items);
        let ending = ending.map(|ending| self.noted(ending, open_items));
        let entered = entries
            .iter()
            .filter_map(|entry| entry.result("worktreePath"));
        let entered = entered.map(PathBuf::from);
        let times = || entries.iter().filter_map(|entry| entry.at);
        Transcript {
            ending,
            cwd: last("cwd").map(PathBuf::from),
            branch: last("gitBranch")
                .filter(|branch| branch != "HEAD")
                .map(Foreign::from),
            version: last("version"),
            first_at: times().next(),
            last_at: times().next_back(),
            context_tokens: entries.iter().rev().find_map(Entry::context_tokens),
            total_tokens: total_tokens(entries),
            moved_to: self.moved_to,
            written: entries.iter().flat_map(Entry::written).collect(),
            skills: entries.iter().flat_map(Entry::skills).collect(),
            asked: entries.iter().flat_map(Entry::asked).collect(),
            commands: entries.iter().flat_map(Entry::commands).collect(),
            worktrees: self.worktrees.into_iter().chain(entered).collect(),
            workflows: entries.iter().flat_map(Entry::workflows).collect(),
            pull_requests: self.pull_requests,
            answer: answer(entries),
            quotes: entries
                .iter()
                .filter_map(super::quotes::of_claude)
                .collect(),
        }
    }

    /// The ending with the facts from bookkeeping lines.
    fn noted(&self, mut ending: Ending, open_items: Option<(usize, usize)>) -> Ending {
        ending = ending.before_unread(self.unread);
        let typed = self.queue.iter().filter(|typed| **typed).count();
        if typed > 0 {
            let prompts = crate::text::format::count(typed, "typed prompt");
            let text = format!("{prompts} in the queue was never read.");
            ending.facts.push(text);
        }
        if let Some((open @ 1.., all)) = open_items {
            let items = crate::text::format::count(all, "to-do item");
            let are = crate::text::format::plural(open, "is", "are");
            ending.facts.push(format!("{open} of {items} {are} open."));
        }
        if self.closed {
            let text = "The program was closed normally afterward.";
            ending.facts.push(text.to_owned());
        }
        ending
    }
}

fn answer(entries: &[Entry]) -> Option<Value> {
    let mut calls = entries.iter().enumerate().rev();
    let handed_over = calls.find_map(|(at, entry)| Some((at, entry.handed_over()?)));
    let accepted = handed_over.filter(|(at, (call, _))| {
        let mut later = entries.iter().skip(at + 1);
        later.any(|entry| entry.accepts(call))
    });
    let text = || {
        entries
            .last()
            .and_then(Entry::final_answer)
            .map(Value::String)
    };
    accepted
        .map(|(_, (_, result))| result.clone())
        .or_else(text)
}

/// The tokens of all replies. The lines of one reply repeat its numbers with growing values, so the largest counts.
fn total_tokens(entries: &[Entry]) -> u64 {
    let mut replies: Vec<(&str, u64)> = Vec::new();
    for entry in entries.iter().filter(|entry| entry.role == Role::Assistant) {
        let Some((id, tokens)) = entry.message_id().zip(entry.tokens()) else {
            continue;
        };
        match replies.iter_mut().rev().find(|(known, _)| *known == id) {
            Some((_, most)) => *most = (*most).max(tokens),
            None => replies.push((id, tokens)),
        }
    }
    replies.iter().map(|(_, tokens)| tokens).sum()
}
