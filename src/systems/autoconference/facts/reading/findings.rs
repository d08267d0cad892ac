//! A finding for every damage, and for everything that was inferred because a record is missing.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::model::{Finding, Foreign, Origin, Severity};
use crate::systems::autoconference::facts::{Decision, Evidence, Session, State, ends};
use crate::systems::autoconference::shape::{CONFIG, Config, EVENTS, Log, Raw, TableFile};
use crate::text::format::count_of;

/// How many findings of one code in one file are listed.
const SHOWN: usize = 50;
/// The documented outcomes of an iteration.
const STATUSES: &[&str] = &["baseline", "kept", "reverted", "failed", "stalled", "final"];

pub(crate) fn all(raw: &Raw, state: &State) -> Vec<Finding> {
    let mut found = Findings {
        raw,
        state,
        all: Vec::new(),
    };
    for file in &raw.unread {
        let text = file.sentence();
        found.add(Severity::Error, "unreadable-file", &file.name, None, text);
    }
    if raw.config.exists {
        found.config(&raw.config);
    } else if raw.unread(CONFIG).is_none() {
        let text = "conference.md is missing, so goal, researchers and limits are unknown.";
        found.add(Severity::Error, "missing-file", CONFIG, None, text);
    }
    match &raw.log {
        Some(log) => found.log(log),
        None if raw.unread(EVENTS).is_some() => {}
        None if state.log_lost => {
            let text = "The event log is missing although work was done.";
            found.add(Severity::Error, "missing-file", EVENTS, None, text);
        }
        None => {
            let text = "There is no event log yet.";
            found.add(Severity::Info, "missing-file", EVENTS, None, text);
        }
    }
    for (name, table) in raw.all_tables() {
        found.rows(&name, table);
    }
    found.rounds();
    found.inferences();
    limited(found.all)
}

/// A file full of damage must not hide the rest: the first findings of a kind are listed, the others counted.
fn limited(all: Vec<Finding>) -> Vec<Finding> {
    let mut seen: BTreeMap<(&'static str, PathBuf), (usize, Severity)> = BTreeMap::new();
    let mut kept = Vec::new();
    for finding in all {
        let key = (finding.code, finding.origin.file.clone());
        let (count, _) = seen.entry(key).or_insert((0, finding.severity));
        *count += 1;
        if *count <= SHOWN {
            kept.push(finding);
        }
    }
    for ((code, file), (count, severity)) in seen {
        if let Some(more) = count.checked_sub(SHOWN).filter(|n| *n > 0) {
            let text = format!("{more} more like this were found and are not listed.");
            kept.push(Finding::new(severity, code, Origin::file(file), text));
        }
    }
    kept
}

struct Findings<'a> {
    raw: &'a Raw,
    state: &'a State,
    all: Vec<Finding>,
}

impl Findings<'_> {
    fn add(
        &mut self,
        severity: Severity,
        code: &'static str,
        name: &str,
        line: Option<u64>,
        text: impl Into<Foreign>,
    ) {
        let file = self.raw.path(name);
        let origin = Origin::at(file, line);
        self.all.push(Finding::new(severity, code, origin, text));
    }

    fn warn(&mut self, code: &'static str, name: &str, line: Option<u64>, text: String) {
        self.add(Severity::Warn, code, name, line, text);
    }

    fn inferred(&mut self, code: &'static str, text: impl Into<Foreign>) {
        self.inferred_in(EVENTS, code, text);
    }

    fn inferred_in(&mut self, name: &str, code: &'static str, text: impl Into<Foreign>) {
        let origin = Origin::file(self.raw.path(name));
        self.all.push(Finding::inferred(code, origin, text));
    }

    fn config(&mut self, config: &Config) {
        for problem in config.problems() {
            let text = format!("conference.md breaks a rule: {problem}.");
            self.add(Severity::Error, "bad-config", CONFIG, None, text);
        }
        if config.iterations.usual.is_none() {
            let text = "iterations_per_round is not a number; the median of the researchers is used, with low confidence.";
            self.inferred_in(CONFIG, "inferred-iterations", text);
        }
    }

    fn log(&mut self, log: &Log) {
        for bad in &log.bad {
            let (code, what) = if bad.torn {
                ("torn-line", "was truncated while it was written")
            } else {
                ("bad-line", "is not an event")
            };
            let (bad_line, why) = (&bad.line, &bad.why);
            let text = format!("Line {bad_line} {what}: {why}; the others were read.");
            self.warn(code, EVENTS, Some(bad.line), text);
        }
        if log.bad_more > 0 {
            let text = count_of(
                log.bad_more,
                "more line is not an event.",
                "more lines are not events.",
            );
            self.warn("bad-lines", EVENTS, None, text);
        }
        for line in &log.timeless {
            let text = format!("The event of line {line} has no readable time.");
            self.warn("bad-time", EVENTS, Some(*line), text);
        }
        let iterations = || self.raw.named("researcher.iteration");
        for event in iterations().filter(|e| e.researcher.is_none()) {
            let line = event.line;
            let text = format!(
                "The iteration of line {line} names no researcher A to Z and is not counted."
            );
            self.warn("unknown-researcher", EVENTS, Some(line), text);
        }
        for event in iterations() {
            let status = event.status.as_deref();
            if let Some(status) = status.filter(|status| !STATUSES.contains(status)) {
                let text = format!(
                    "The outcome `{status}` is not documented; it counts as a finished iteration."
                );
                let line = Some(event.line);
                self.add(Severity::Info, "unknown-status", EVENTS, line, text);
            }
        }
    }

    fn rows(&mut self, name: &str, table: &TableFile) {
        if table.empty {
            let text = format!("{name} is empty; not even its header was written.");
            self.warn("cut-file", name, Some(1), text);
        } else if table.dialect.is_none() {
            let text = format!("{name} has a header that no version of the system writes.");
            self.warn("unknown-header", name, Some(1), text);
        }
        for row in &table.rows {
            let (code, what) = if !row.whole {
                ("cut-row", "was truncated while it was written")
            } else if !row.even {
                ("bad-row", "has another number of cells than the header")
            } else {
                continue;
            };
            let text = format!("Row {} of {name} {what} and is not counted.", row.line);
            self.warn(code, name, Some(row.line), text);
        }
    }

    fn rounds(&mut self) {
        let state = self.state;
        let round = state.round;
        if let Some(beyond) = state.completed.iter().find(|n| **n > state.done) {
            let text = format!("Round {beyond} is logged as completed, but round {round} is not.");
            self.warn("round-gap", EVENTS, None, text);
        }
        if let Some(later) = state.work.rounds().into_iter().find(|n| *n > round) {
            let text = format!(
                "Round {later} has started although no event completes round {round}; that round is resumed first."
            );
            self.inferred("inferred-round-order", text);
        }
        for session in state.sessions() {
            let (what, file) = (session.what, &session.file);
            let (code, text) = match session.evidence {
                Evidence::Doubtful => (
                    "cut-file",
                    format!(
                        "The {what} of round {round} left a file but no event, so the file is probably truncated."
                    ),
                ),
                Evidence::Partial => {
                    let missing = &session.missing;
                    ("cut-file", format!("{file} is incomplete: {missing}."))
                }
                Evidence::Lost => (
                    "missing-file",
                    format!(
                        "The log has the event of the {what} of round {round}, but {file} {}, so the phase does not count.",
                        self.raw.lack(file, "is missing or empty")
                    ),
                ),
                Evidence::None | Evidence::Event | Evidence::File => continue,
            };
            self.warn(code, file, None, text);
        }
    }

    fn inferences(&mut self) {
        let (raw, state) = (self.raw, self.state);
        let events = || raw.events().iter();
        let legacy = events().filter(|e| e.legacy).count();
        if legacy > 0 {
            let text = count_of(
                legacy,
                "event carries its round in its name; it was read as the documented one.",
                "events carry their round in their name; they were read as the documented ones.",
            );
            self.inferred("inferred-event-name", text);
        }
        for (line, round) in &state.work.inferred_rounds {
            let text = format!("Line {line} names no round; it was read as round {round}.");
            self.inferred("inferred-round", text);
        }
        let outcome = events().filter(|e| e.by_outcome).count();
        if outcome > 0 {
            let text = count_of(
                outcome,
                "event uses the key `outcome` where others use `status`.",
                "events use the key `outcome` where others use `status`.",
            );
            self.inferred("inferred-outcome", text);
        }
        for (_, clause) in ends::problems(raw, state) {
            let text = format!("{clause}.");
            self.warn("end-of-conference", EVENTS, None, text);
        }
        if state.decision == (Decision::Done { inferred: true }) {
            self.inferred("inferred-completion", "Both end documents exist, so the conference is complete; conference.completed was never logged.");
        }
        for Session { evidence, what, .. } in state.sessions() {
            if *evidence == Evidence::File {
                let text = format!(
                    "The {what} of round {} is inferred from its file; the log has no event of it.",
                    state.round
                );
                self.inferred("inferred-phase", text);
            }
        }
        if state.log_lost {
            self.inferred("inferred-log-lost", "The log has no events although work was done; the tables, round files and conference.md show how far it got.");
        } else if state.done > state.logged {
            let last = match state.logged {
                0 => "no round".to_owned(),
                n => format!("round {n}"),
            };
            let text = format!(
                "The log completes {last}, but work of round {} is recorded, so every round before it is over.",
                state.done + 1
            );
            self.inferred("inferred-log-cut", text);
        }
        for id in state.probable() {
            let text = format!(
                "Researcher {id} has as many iterations as a round requires, including its baseline; its research is probably complete."
            );
            self.inferred("inferred-completeness", text);
        }
        if !state.completed.is_empty() && !state.phase_events {
            self.inferred("inferred-dialect", "No event reports a poster session, a review or the start of a round, as in logs of the older kind.");
        }
    }
}
