//! `journal.jsonl`: which agents were started, in order, and the result of each.

use serde_json::{Map, Value};

use crate::formats::json;
use crate::formats::jsonl::{Parsed, lines, parse_up_to};

/// The end of an agent in the journal.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum End {
    Result(Value),
    Failed,
}

/// An agent that was started.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Started {
    /// Missing in journals of early clients.
    pub(crate) key: Option<String>,
    pub(crate) agent: String,
    pub(crate) label: Option<String>,
    pub(crate) phase: Option<String>,
    /// `None` if the journal does not have its start.
    pub(crate) line: Option<u64>,
    /// How often it was started.
    pub(crate) attempts: u64,
    /// The agents of its earlier starts.
    pub(crate) earlier: Vec<String>,
    pub(crate) end: Option<End>,
}

impl Started {
    /// A start that the journal lost: another record names the agent.
    pub(crate) fn lost(agent: String) -> Self {
        Self {
            agent,
            attempts: 1,
            ..Self::default()
        }
    }
}

/// A journal, or the journals of one run in several folders.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Journal {
    /// In the order of their first starts, which decides what is replayed.
    pub(crate) started: Vec<Started>,
    /// Lines that are not JSON objects.
    pub(crate) bad: Vec<u64>,
    pub(crate) torn: Option<u64>,
    /// Lines of results or failures of agents that were never started.
    pub(crate) orphans: Vec<u64>,
    /// Lines of a type that is not known.
    pub(crate) unknown: u64,
}

impl Journal {
    /// Whether lines are missing or damaged: other records count more starts, or a line cannot be read.
    pub(crate) fn is_incomplete(&self, counted: u64) -> bool {
        let damaged = self.torn.is_some() || !self.bad.is_empty();
        self.started.is_empty() || damaged || self.starts() < counted
    }

    /// How many lines say nothing to this reader: an agent may have been started there.
    pub(crate) fn unread(&self) -> u64 {
        self.bad.len() as u64 + u64::from(self.torn.is_some()) + self.unknown
    }

    /// How many starts it has.
    pub(crate) fn starts(&self) -> u64 {
        self.started.iter().map(|one| one.attempts).sum()
    }

    pub(crate) fn add(&mut self, bytes: &[u8]) {
        for line in lines(bytes) {
            // A result can be many megabytes long.
            match parse_up_to(&line, usize::MAX) {
                Parsed::Object(map) => self.line(map, line.number),
                Parsed::Torn(_) => self.torn = Some(line.number),
                Parsed::Bad(_) => self.bad.push(line.number),
            }
        }
    }

    /// Whether it has no start of this agent.
    pub(crate) fn lacks(&self, agent: &str) -> bool {
        let mut started = self.started.iter();
        started.all(|one| one.agent != agent && !one.earlier.iter().any(|id| id == agent))
    }

    fn line(&mut self, mut map: Map<String, Value>, line: u64) {
        let kind = json::owned(&map, "type").unwrap_or_default();
        let key = json::owned(&map, "key").filter(|key| !key.is_empty());
        let agent = json::owned(&map, "agentId").unwrap_or_default();
        let end = match kind.as_str() {
            "started" => None,
            "result" => Some(End::Result(map.remove("result").unwrap_or(Value::Null))),
            "failed" => Some(End::Failed),
            "launched" => return,
            _ => {
                self.unknown += 1;
                return;
            }
        };
        let known = self.find(key.as_deref(), &agent);
        match (end, known) {
            (None, Some(known)) => {
                // A retry or a resumed run: the last start counts, in the position of the first.
                known.attempts += 1;
                known
                    .earlier
                    .push(std::mem::replace(&mut known.agent, agent));
                known.end = None;
            }
            (None, None) => self.started.push(Started {
                key,
                label: json::owned(&map, "label"),
                phase: json::owned(&map, "phase"),
                line: Some(line),
                ..Started::lost(agent)
            }),
            (Some(end), Some(known)) => known.end = Some(end),
            (Some(_), None) => self.orphans.push(line),
        }
    }

    fn find(&mut self, key: Option<&str>, agent: &str) -> Option<&mut Started> {
        let by_key = key.and_then(|key| {
            let mut all = self.started.iter();
            all.rposition(|one| one.key.as_deref() == Some(key))
        });
        let by_agent = || {
            let mut all = self.started.iter();
            // Another key means another agent, or a result that will not be replayed.
            all.rposition(|one| {
                !agent.is_empty() && one.agent == agent && (key.is_none() || one.key.is_none())
            })
        };
        let at = by_key.or_else(by_agent)?;
        self.started.get_mut(at)
    }
}
