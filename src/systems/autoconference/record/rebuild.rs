//! The log and the conference's table rebuilt from tables, posters, reviews and `conference.md`.
//!
//! A log only grows, so missing events are appended. Each rebuilt event has `"rebuilt": true`, and `conference.rebuilt`
//! ends them, because some content, such as the summary of a poster, is lost for good and a reader of the log must
//! know.

use std::collections::BTreeSet;

use chrono::{DateTime, FixedOffset};
use serde_json::{Value, json};

use crate::formats::json::{NOW, one_line};
use crate::formats::tsv::Table;
use crate::model::{ClockStyle, Stamp, Step};
use crate::systems::autoconference::Conference;
use crate::systems::autoconference::facts::REBUILT;
use crate::systems::autoconference::facts::work::void_line;
use crate::systems::autoconference::shape::{
    C11, EVENTS, Judgement, RESULTS, TableFile, poster_name,
};
use crate::systems::kit::forms::replace;
use crate::text::format::count;

use super::line;

/// Why the log can be rebuilt, in a sentence; `None` if it lacks nothing that the other records have.
pub(crate) fn why(case: &Conference) -> Option<&'static str> {
    let state = &case.state;
    if case.raw.unread(EVENTS).is_some() {
        None
    } else if state.log_lost {
        Some("The log has no events, but the other records show what was done.")
    } else if state.done > state.logged || state.traced {
        Some("The log ends before the other records do.")
    } else {
        None
    }
}

/// The steps.
pub(crate) fn steps(case: &Conference) -> Vec<Step> {
    let entries = entries(case);
    let table = results(case, &entries);
    let rows = if table.is_some() { entries.len() } else { 0 };
    let lines = Writer::all(case, &entries, rows);
    let events = count(lines.len().saturating_sub(1), "event");
    let path = case.raw.path(EVENTS);
    let clock = ClockStyle::UtcSeconds;
    let log = if case.raw.log.is_none() {
        let content = (lines.join("\n") + "\n").into_bytes();
        let summary = format!("Rebuilds {EVENTS} with {events}, each marked as rebuilt.");
        Step::replace_file(path, None, content, Some(clock), summary)
    } else {
        let summary = format!("Appends {events} that {EVENTS} lacks, each marked as rebuilt.");
        Step::append_lines(path, lines, clock, summary)
    };
    table.into_iter().chain([log]).collect()
}

/// A finished iteration of a table.
struct Entry {
    round: u64,
    researcher: char,
    index: i64,
    at: Option<Stamp>,
    /// Its cells, in the columns of the conference's table; `-` if its own table lacks a column.
    cells: Vec<String>,
}

impl Entry {
    fn cell(&self, column: &str) -> &str {
        let place = C11.split('\t').position(|name| name == column);
        let cell = place.and_then(|place| self.cells.get(place));
        cell.map_or("-", String::as_str)
    }
}

/// The iterations of all researchers, by round and time. The conference's table repeats them, so it is read only for
/// researchers without a table.
fn entries(case: &Conference) -> Vec<Entry> {
    let mut all = Vec::new();
    let mut read = |table: &TableFile, own: Option<char>| {
        let parsed = Table::parse(&table.bytes);
        for (row, raw) in table.rows.iter().zip(&parsed.rows) {
            let round = row.round.filter(|round| *round > 0 && row.counts());
            let researcher = own.or(row.researcher);
            let (Some(round), Some(researcher), Some(index)) = (round, researcher, row.iteration)
            else {
                continue;
            };
            if own.is_none() && case.raw.tables.contains_key(&researcher) {
                continue;
            }
            let cell = |column: &str| match column {
                "round" => round.to_string(),
                "researcher" => researcher.to_string(),
                _ => {
                    let found = parsed.column(column).and_then(|place| raw.text(place));
                    found.unwrap_or("-").to_owned()
                }
            };
            all.push(Entry {
                round,
                researcher,
                index,
                at: row.at,
                cells: C11.split('\t').map(cell).collect(),
            });
        }
    };
    for (id, table) in &case.raw.tables {
        read(table, Some(*id));
    }
    if let Some(table) = &case.raw.results {
        read(table, None);
    }
    all.sort_by_key(|e| (e.round, e.at.map(|at| at.unix()), e.researcher, e.index));
    all
}

/// The conference's table, if it has no row. No review shows which verdict belongs to which row.
fn results(case: &Conference, entries: &[Entry]) -> Option<Step> {
    let found = case.raw.results.as_ref();
    let there = found.is_some_and(|table| !table.rows.is_empty());
    if there || case.raw.unread(RESULTS).is_some() || entries.is_empty() {
        return None;
    }
    let rows: Vec<String> = entries.iter().map(|e| e.cells.join("\t")).collect();
    let before = found.map(|table| table.bytes.clone());
    let content = format!("{C11}\n{}\n", rows.join("\n"));
    let rows = count(rows.len(), "row");
    let summary =
        format!("Rebuilds {RESULTS} with {rows} from the researchers' tables, without verdicts.");
    Some(replace(
        case.raw.path(RESULTS),
        before,
        content.into_bytes(),
        summary,
    ))
}

struct Writer<'a> {
    case: &'a Conference,
    /// The time of the next event: no event may be earlier than the one before it.
    at: Option<DateTime<FixedOffset>>,
    lines: Vec<String>,
}

impl Writer<'_> {
    /// The lines of every missing event.
    fn all(case: &Conference, entries: &[Entry], rows: usize) -> Vec<String> {
        let (raw, state) = (&case.raw, &case.state);
        let logged = raw.events().iter().filter_map(|event| event.at).next_back();
        let first = entries.iter().filter_map(|e| e.at).min_by_key(Stamp::unix);
        let mut writer = Writer {
            case,
            at: logged.or(first).map(|stamp| stamp.at),
            lines: Vec::new(),
        };
        if raw.events().is_empty() {
            writer.started();
        }
        let known = known(case);
        for round in 1..=state.done + u64::from(state.open) {
            writer.round(round, entries, &known);
        }
        let payload = json!({"events": writer.lines.len(), "rows": rows});
        writer.at = None;
        writer.event(REBUILT, payload);
        writer.lines
    }

    fn started(&mut self) {
        let config = &self.case.raw.config;
        let payload = json!({
            "researchers": self.case.state.ids.len(),
            "mode": config.mode,
            "goal": config.goal,
        });
        self.event("conference.started", payload);
    }

    fn round(&mut self, round: u64, entries: &[Entry], known: &BTreeSet<(u64, char, i64)>) {
        let (raw, state) = (&self.case.raw, &self.case.state);
        let has = |name: &str| raw.of_round(name, round).next().is_some();
        let over = round <= state.done;
        if !has("round.started") {
            let states: Vec<_> = state.ids.iter().map(|id| format!("{id}:ready")).collect();
            let payload = json!({"round": round, "researcher_states": states});
            self.event("round.started", payload);
        }
        for entry in entries.iter().filter(|entry| entry.round == round) {
            if !known.contains(&(round, entry.researcher, entry.index)) {
                self.iteration(entry);
            }
        }
        let poster = raw.poster_size(round) > 0 && (over || state.poster.holds());
        if poster && !has("round.poster_session") {
            let summary = format!("rebuilt from {}", poster_name(round));
            let payload = json!({"round": round, "summary": summary});
            self.event("round.poster_session", payload);
        }
        let review = raw.reviews.get(&round);
        let review = review.filter(|review| review.size > 0 && (over || state.review.holds()));
        if let Some(review) = review.filter(|_| !has("round.peer_review")) {
            let payload = json!({
            "round": round,
            "validated_count": review.count(Judgement::Validated),
            "challenged_count": review.count(Judgement::Challenged),
            "overturned_count": review.count(Judgement::Overturned),
            });
            self.event("round.peer_review", payload);
        }
        if over && !state.completed.contains(&round) {
            let best = state.work.best(round, raw.config.direction);
            let payload = json!({
            "round": round,
            "best_metric": best.map(|(value, _)| value),
            "best_researcher": best.map(|(_, id)| id),
            "converged": false,
            });
            self.event("round.completed", payload);
        }
    }

    fn iteration(&mut self, entry: &Entry) {
        self.at = self.at.max(entry.at.map(|stamp| stamp.at));
        // A number is kept as typed, so that the table and the log agree to the last digit.
        let metric = entry.cell("metric_value");
        let number = serde_json::from_str::<serde_json::Number>(metric);
        let metric = number.map_or_else(|_| Value::from(metric), Value::Number);
        let payload = json!({
            "researcher": entry.researcher,
            "round": entry.round,
            "iteration": entry.index,
            "metric_value": metric,
            "delta": entry.cell("delta"),
            "status": entry.cell("status"),
            "description": entry.cell("description"),
        });
        self.event("researcher.iteration", payload);
    }

    fn event(&mut self, name: &str, mut payload: Value) {
        if let Some(members) = payload.as_object_mut() {
            members.retain(|_, value| !value.is_null());
            if name != REBUILT {
                members.insert("rebuilt".to_owned(), true.into());
            }
        }
        let raw = &self.case.raw;
        let at = self.at.map(|at| ClockStyle::UtcSeconds.write(at));
        let at = at.as_deref().unwrap_or(NOW);
        let payload = one_line(&payload, raw.is_compact());
        self.lines.push(line(raw, name, at, &payload));
    }
}

/// The iterations whose events count.
fn known(case: &Conference) -> BTreeSet<(u64, char, i64)> {
    let (raw, state) = (&case.raw, &case.state);
    let known = raw.named("researcher.iteration").filter_map(|event| {
        let inferred = state.work.inferred_rounds.iter();
        let mut inferred = inferred.filter(|(line, _)| *line == event.line);
        let round = event
            .round
            .or_else(|| inferred.next().map(|(_, round)| *round))?;
        let id = event.researcher?;
        let counts = event.line >= void_line(raw, &state.resumed, round, id);
        counts.then_some((round, id, event.iteration?))
    });
    known.collect()
}
