//! `conference_events.jsonl`: each line is parsed by itself, names are normalized, and drift from the documentation is
//! accepted.

mod body;

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::{Map, Value};

use crate::formats::{json, jsonl, stamp};
use crate::model::{LocalTime, Stamp};

pub(crate) use body::{Body, Source, cell};

/// How many lines that are not events are listed.
const BAD_SHOWN: usize = 1000;

/// One event: what decides, for a log of any length. All else is parsed again out of the line when it is asked for.
#[derive(Debug, Clone)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub(crate) struct Event {
    /// Its line.
    pub line: u64,
    /// Its normalized name: `round.completed`.
    pub name: Arc<str>,
    /// True if the name contained the round (`round.2.completed`).
    pub legacy: bool,
    /// Its time, if readable.
    pub at: Option<Stamp>,
    /// Its round.
    pub round: Option<u64>,
    /// Its researcher, if that is a letter.
    pub researcher: Option<char>,
    /// The number of its iteration.
    pub iteration: Option<i64>,
    /// The metric; one written as text is accepted.
    pub metric: Option<f64>,
    /// The outcome of an iteration, lower case: `status`, else `outcome`.
    pub status: Option<Arc<str>>,
    /// True if its outcome is under the key `outcome`.
    pub by_outcome: bool,
    /// Whether relight rebuilt it from the other records.
    pub rebuilt: bool,
    /// Whether it tells of work that the undo of a recovery discarded.
    pub discarded: bool,
    /// The line itself.
    pub source: Source,
}

impl Event {
    /// Whether it is about work on a round that still counts.
    pub(crate) fn is_work(&self) -> bool {
        let is_work = self.name.starts_with("round.") || self.name.starts_with("researcher.");
        is_work && !self.discarded
    }

    /// Whether it says that the conference converged.
    pub(crate) fn declares_end(&self) -> bool {
        self.body().field("converged").and_then(Value::as_bool) == Some(true)
    }

    /// The whole object.
    pub(crate) fn body(&self) -> Body {
        self.source.body()
    }
}

/// A line that could not be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BadLine {
    /// Its number.
    pub line: u64,
    /// True for an incomplete last line.
    pub torn: bool,
    /// Why.
    pub why: String,
}

/// The log as it was read.
#[derive(Debug, Clone, Default)]
pub(crate) struct Log {
    /// The events, in order of the file.
    pub events: Vec<Event>,
    /// Lines that are not events: the first [`BAD_SHOWN`] of them and a truncated last one.
    pub bad: Vec<BadLine>,
    /// How many more there are.
    pub bad_more: u64,
    /// Lines of events without a readable time.
    pub timeless: Vec<u64>,
    /// Non-blank lines.
    pub lines: u64,
    /// True if the last byte is not a newline, so that an append must start with one.
    pub unended: bool,
    /// True where line 1 is written without spaces after `:`.
    pub compact: bool,
}

impl Log {
    /// Reads the bytes of the file.
    pub(crate) fn parse(bytes: Vec<u8>, zone: &dyn LocalTime) -> Self {
        let mut log = Self {
            unended: bytes.last().is_some_and(|b| *b != b'\n'),
            ..Self::default()
        };
        let bytes = Arc::new(bytes);
        let mut words = Words::default();
        for line in jsonl::lines(&bytes) {
            if log.lines == 0 {
                log.compact = is_compact(line.bytes);
            }
            log.lines += 1;
            let (torn, why) = match jsonl::parse(&line) {
                jsonl::Parsed::Object(body) => match named(&body) {
                    Some(name) => {
                        let source = Source::new(&bytes, &line);
                        let name = normalize(name);
                        let event = event(line.number, name, &Body(body), source, &mut words, zone);
                        if event.at.is_none() {
                            log.timeless.push(event.line);
                        }
                        log.events.push(event);
                        continue;
                    }
                    None => (false, "it names no event".to_owned()),
                },
                jsonl::Parsed::Bad(why) => (false, why),
                jsonl::Parsed::Torn(why) => (true, why),
            };
            if torn || log.bad.len() < BAD_SHOWN {
                log.bad.push(BadLine {
                    line: line.number,
                    torn,
                    why,
                });
            } else {
                log.bad_more += 1;
            }
        }
        stamp::in_order(log.events.iter_mut().map(|event| &mut event.at), zone);
        log
    }

    /// True if the last line was truncated while it was written.
    pub(crate) fn torn(&self) -> bool {
        self.bad.last().is_some_and(|b| b.torn)
    }
}

/// Names and outcomes, each in memory once.
#[derive(Default)]
struct Words(HashSet<Arc<str>>);

impl Words {
    fn word(&mut self, text: &str) -> Arc<str> {
        let known = self.0.get(text).cloned();
        known.unwrap_or_else(|| {
            let new: Arc<str> = text.into();
            self.0.insert(Arc::clone(&new));
            new
        })
    }
}

/// The name of an event as written.
fn named(body: &Map<String, Value>) -> Option<&str> {
    let named = json::text(body, "event").or_else(|| json::text(body, "type"));
    named.map(str::trim).filter(|name| !name.is_empty())
}

fn event(
    line: u64,
    (name, in_name): (String, Option<u64>),
    body: &Body,
    source: Source,
    words: &mut Words,
    zone: &dyn LocalTime,
) -> Event {
    let at = body.at_text();
    let by_outcome = body.text("status").is_none();
    let status = body.text(if by_outcome { "outcome" } else { "status" });
    Event {
        line,
        name: words.word(&name),
        legacy: in_name.is_some(),
        at: at.and_then(|text| stamp::parse(&text, zone)),
        round: in_name.or_else(|| u64::try_from(body.int("round")?).ok()),
        researcher: body.text("researcher").and_then(letter),
        iteration: body.int("iteration"),
        metric: body.metric(),
        status: status.map(|status| words.word(&status.trim().to_lowercase())),
        by_outcome: by_outcome && status.is_some(),
        rebuilt: body.field("rebuilt") == Some(&Value::Bool(true)),
        discarded: false,
        source,
    }
}

/// `round.2.completed` becomes `round.completed` of round 2.
fn normalize(raw: &str) -> (String, Option<u64>) {
    let legacy = raw.strip_prefix("round.").and_then(|rest| {
        let (number, word) = rest.split_once('.')?;
        let mut bytes = word.bytes();
        let plain = !word.is_empty() && bytes.all(|b| b.is_ascii_alphanumeric() || b == b'_');
        let digits = number.bytes().all(|b| b.is_ascii_digit());
        (plain && digits).then(|| Some((word, number.parse::<u64>().ok()?)))?
    });
    match legacy {
        Some((word, round)) => (format!("round.{word}"), Some(round)),
        None => (raw.to_owned(), None),
    }
}

/// The researcher's letter in `B`, `b`, `researcher_B` or `B:ready`.
pub(crate) fn letter(text: &str) -> Option<char> {
    let text = text.split(':').next().unwrap_or_default().trim();
    let lower = text.to_ascii_lowercase();
    let rest = lower.strip_prefix("researcher").unwrap_or(&lower);
    let mut chars = rest.trim_start_matches(['_', '-', ' ']).chars();
    let first = chars.next()?;
    (chars.next().is_none() && first.is_ascii_alphabetic()).then(|| first.to_ascii_uppercase())
}

/// Whether the colon after the first key is not followed by a space.
fn is_compact(line: &[u8]) -> bool {
    let members = line
        .trim_ascii_start()
        .strip_prefix(b"{")
        .unwrap_or_default();
    let mut keys = serde_json::Deserializer::from_slice(members).into_iter::<String>();
    let is_key = keys.next().is_some_and(|key| key.is_ok());
    let rest = members.get(keys.byte_offset()..).unwrap_or_default();
    let value = rest.trim_ascii_start().strip_prefix(b":");
    is_key && value.is_some_and(|value| !value.is_empty() && !value.starts_with(b" "))
}

#[cfg(test)]
mod tests {
    use chrono::DateTime;

    use super::*;
    use crate::world::clock::FixedClock;

    fn parse(text: &str) -> Log {
        let zone = FixedClock(DateTime::parse_from_rfc3339("2026-05-03T00:00:00Z").unwrap());
        Log::parse(text.into(), &zone)
    }

    #[test]
    fn accepts_every_known_drift() {
        let log = parse(concat!(
            "{\"type\":\"round.2.completed\",\"ts\":\"2026-05-02T08:00:00Z\"}\n\n",
            "{\"event\":\"researcher.iteration\",\"time\":\"2026-05-02T08:10:00Z\",\"payload\":{\"researcher\":\"researcher_b\",\"round\":\"3\",\"iteration\":1,\"outcome\":\"FINAL\",\"metric_value\":\"41.5\"}}\n",
            "{\"event\":\"round.x.done\"}\n[1]\n{\"payload\":{}}\n{\"event\":\"con"
        ));
        let seen: Vec<_> = log
            .events
            .iter()
            .map(|e| {
                (
                    e.line,
                    &*e.name,
                    e.round,
                    e.researcher,
                    e.status.as_deref(),
                    e.metric,
                )
            })
            .collect();
        assert_eq!(
            seen,
            [
                (1, "round.completed", Some(2), None, None, None),
                (
                    3,
                    "researcher.iteration",
                    Some(3),
                    Some('B'),
                    Some("final"),
                    Some(41.5)
                ),
                (4, "round.x.done", None, None, None, None),
            ]
        );
        let bad: Vec<_> = log.bad.iter().map(|b| (b.line, b.torn)).collect();
        assert_eq!(bad, [(5, false), (6, false), (7, true)]);
        assert_eq!(log.timeless, [4]);
        assert!(log.torn() && log.unended && log.compact);
    }

    /// 300,000 events cost little: none has a text of its own, and what is not kept is read again.
    #[test]
    fn an_event_is_small_however_much_its_line_says() {
        let more = "x".repeat(10_000);
        let line = |n| {
            format!(
                "{{\"event\":\"researcher.iteration\",\"payload\":{{\"status\":\"Kept\",\"iteration\":{n},\"more\":\"{more}\"}}}}\r\n"
            )
        };
        let log = parse(&["\u{feff}", &line(1), &line(2)].concat());
        let [first, second] = log.events.as_slice() else {
            panic!("two events")
        };
        assert!(size_of::<Event>() <= 136);
        assert!(Arc::ptr_eq(&first.name, &second.name));
        assert!(
            first.status.is_some()
                && first.status.as_ref().map(Arc::as_ptr)
                    == second.status.as_ref().map(Arc::as_ptr)
        );
        assert!(first.source.is_beside(&second.source));
        for event in [first, second] {
            let body = event.body();
            assert_eq!(body.int("iteration"), event.iteration);
            assert_eq!(body.text("more"), Some(&*more));
        }
    }

    #[test]
    fn detects_the_spacing_of_line_one() {
        for (line, compact) in [
            ("{\"event\": \"a\"}\n", false),
            ("{\"event\":\"a\"}\n", true),
            ("{\"a:b\\\":\": 1}\n", false),
            ("", false),
        ] {
            assert_eq!(parse(line).compact, compact, "{line}");
        }
    }

    #[test]
    fn reads_letters_only() {
        for (text, id) in [
            ("A", Some('A')),
            ("b:ready", Some('B')),
            ("Researcher C", Some('C')),
            ("../x", None),
            ("AB", None),
            ("", None),
            ("é", None),
        ] {
            assert_eq!(letter(text), id, "{text}");
        }
    }
}
