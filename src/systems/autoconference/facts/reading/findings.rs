//! A finding for every damage and for everything that was concluded where a record is missing.

use std::collections::BTreeMap;
use std::path::PathBuf;

use crate::model::{Finding, Origin, Severity};

use crate::systems::autoconference::facts::{Decision, Evidence, State};
use crate::systems::autoconference::shape::table::TableFile;
use crate::systems::autoconference::shape::{
    CONFIG, EVENTS, RESULTS, Raw, poster_name, review_name, table_name,
};

/// Findings of one code in one file that are listed one by one.
const SHOWN: usize = 50;

pub(crate) fn all(raw: &Raw, state: &State) -> Vec<Finding> {
    limited(everything(raw, state))
}

/// A file full of damage must not bury the rest: the first of a kind are shown, the others counted.
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

fn everything(raw: &Raw, state: &State) -> Vec<Finding> {
    let mut found = unread(raw);
    found.extend(config(raw));
    found.extend(log(raw, state));
    for (id, table) in &raw.tables {
        found.extend(rows(raw, &table_name(*id), table));
    }
    if let Some(table) = &raw.results {
        found.extend(rows(raw, RESULTS, table));
    }
    found.extend(rounds(raw, state));
    found.extend(inferred(raw, state));
    found
}

fn unread(raw: &Raw) -> Vec<Finding> {
    let unread = raw.unread.iter().map(|u| {
        Finding::new(
            Severity::Error,
            "unreadable-file",
            Origin::file(raw.path(&u.name)),
            format!("{} could not be read: {}.", u.name, u.why),
        )
    });
    unread.collect()
}

fn config(raw: &Raw) -> Vec<Finding> {
    let origin = Origin::file(raw.path(CONFIG));
    let Some(config) = &raw.config else {
        if raw.unread(CONFIG).is_some() {
            return Vec::new();
        }
        let text = "conference.md is missing, so goal, researchers and limits are unknown.";
        return vec![Finding::new(Severity::Error, "missing-file", origin, text)];
    };
    let broken = config.problems().into_iter().map(|problem| {
        Finding::new(
            Severity::Error,
            "bad-config",
            origin.clone(),
            format!("conference.md breaks a rule: {problem}."),
        )
    });
    let mut found: Vec<Finding> = broken.collect();
    if config.iterations.usual.is_none() {
        found.push(Finding::inferred(
            "inferred-iterations",
            origin,
            "iterations_per_round is no number; the median of the researchers is taken, with low confidence.",
        ));
    }
    found
}

fn log(raw: &Raw, state: &State) -> Vec<Finding> {
    let path = raw.path(EVENTS);
    let Some(log) = &raw.log else {
        if raw.unread(EVENTS).is_some() {
            return Vec::new();
        }
        let (severity, text) = if state.log_lost {
            (
                Severity::Error,
                "The event log is missing although work was done.",
            )
        } else {
            (Severity::Info, "There is no event log yet.")
        };
        return vec![Finding::new(
            severity,
            "missing-file",
            Origin::file(path),
            text,
        )];
    };
    let mut found = Vec::new();
    for bad in &log.bad {
        let (code, what) = if bad.torn {
            ("torn-line", "was cut off while being written")
        } else {
            ("bad-line", "is not an event")
        };
        found.push(Finding::new(
            Severity::Warn,
            code,
            Origin::line(&path, bad.line),
            format!(
                "Line {} {what}: {}; the others were read.",
                bad.line, bad.why
            ),
        ));
    }
    if log.bad_more > 0 {
        let text = format!("{} more lines are not events either.", log.bad_more);
        let origin = Origin::file(&path);
        found.push(Finding::new(Severity::Warn, "bad-lines", origin, text));
    }
    for line in &log.timeless {
        let text = format!("The event of line {line} has no readable time.");
        found.push(Finding::new(
            Severity::Warn,
            "bad-time",
            Origin::line(&path, *line),
            text,
        ));
    }
    let nameless = log
        .events
        .iter()
        .filter(|e| e.name == "researcher.iteration" && e.researcher.is_none());
    for event in nameless {
        found.push(Finding::new(
            Severity::Warn,
            "unknown-researcher",
            Origin::line(&path, event.line),
            format!(
                "The iteration of line {} names no researcher A to Z and is not counted.",
                event.line
            ),
        ));
    }
    for event in log.named("researcher.iteration") {
        let known = ["baseline", "kept", "reverted", "failed", "stalled", "final"];
        if let Some(status) = event.status().filter(|s| !known.contains(&s.as_str())) {
            found.push(Finding::new(
                Severity::Info,
                "unknown-status",
                Origin::line(&path, event.line),
                format!("The outcome `{status}` is not one the documents name; it counts as a finished iteration."),
            ));
        }
    }
    found
}

fn rows(raw: &Raw, name: &str, table: &TableFile) -> Vec<Finding> {
    let path = raw.path(name);
    let mut found = Vec::new();
    if table.dialect.is_none() {
        let text = if table.empty {
            format!("{name} is empty; not even its header was written.")
        } else {
            format!("{name} has a header that no version of the system writes.")
        };
        let code = if table.empty {
            "cut-file"
        } else {
            "unknown-header"
        };
        found.push(Finding::new(
            Severity::Warn,
            code,
            Origin::line(&path, 1),
            text,
        ));
    }
    for row in &table.rows {
        let (code, what) = if !row.whole {
            ("cut-row", "was cut off while being written")
        } else if !row.even {
            ("bad-row", "has another number of cells than the header")
        } else {
            continue;
        };
        found.push(Finding::new(
            Severity::Warn,
            code,
            Origin::line(&path, row.line),
            format!("Row {} of {name} {what} and is not counted.", row.line),
        ));
    }
    found
}

fn rounds(raw: &Raw, state: &State) -> Vec<Finding> {
    let path = raw.path(EVENTS);
    let mut found = Vec::new();
    if let Some(beyond) = state.completed.iter().find(|n| **n > state.done) {
        found.push(Finding::new(
            Severity::Warn,
            "round-gap",
            Origin::file(&path),
            format!(
                "Round {beyond} is logged as completed, round {} is not.",
                state.round
            ),
        ));
    }
    if let Some(later) = state.work.rounds().into_iter().find(|n| *n > state.round) {
        found.push(Finding::inferred(
            "inferred-round-order",
            Origin::file(&path),
            format!("Round {later} has begun although no event completes round {}; that round is resumed first.", state.round),
        ));
    }
    let phases = [
        (state.poster, poster_name(state.round), "poster session"),
        (state.review, review_name(state.round), "peer review"),
    ];
    for (evidence, name, words) in phases {
        let round = state.round;
        let (code, text) = match evidence {
            Evidence::Doubtful => (
                "cut-file",
                format!(
                    "The {words} of round {round} left a file but no event, so the file is probably cut off."
                ),
            ),
            Evidence::Partial => (
                "cut-file",
                format!("{name} is half written: {}.", state.lacking(raw, &name)),
            ),
            Evidence::Lost => (
                "missing-file",
                format!(
                    "The log says that the {words} of round {round} was held, and {name} is missing or empty. It does not count as held."
                ),
            ),
            Evidence::None | Evidence::Event | Evidence::File => continue,
        };
        let origin = Origin::file(raw.path(&name));
        found.push(Finding::new(Severity::Warn, code, origin, text));
    }
    found
}

fn inferred(raw: &Raw, state: &State) -> Vec<Finding> {
    let origin = Origin::file(raw.path(EVENTS));
    let say = |code, text: String| Finding::inferred(code, origin.clone(), text);
    let mut found = Vec::new();
    let legacy = raw.events().iter().filter(|e| e.legacy).count();
    if legacy > 0 {
        found.push(say("inferred-event-name", format!("{legacy} events carry their round in their name; they were read as the documented ones.")));
    }
    for (line, round) in &state.work.inferred_rounds {
        found.push(say(
            "inferred-round",
            format!("Line {line} does not say its round; it was read as round {round}."),
        ));
    }
    let outcome = raw
        .events()
        .iter()
        .filter(|e| e.text("status").is_none() && e.text("outcome").is_some())
        .count();
    if outcome > 0 {
        found.push(say(
            "inferred-outcome",
            format!("{outcome} events say `outcome` where others say `status`."),
        ));
    }
    if state.decision == (Decision::Done { inferred: true }) {
        found.push(say("inferred-completion", "Both end documents are there, so the conference is complete; conference.completed was never logged.".to_owned()));
    }
    for (evidence, what) in [
        (state.poster, "poster session"),
        (state.review, "peer review"),
    ] {
        if evidence == Evidence::File {
            found.push(say("inferred-phase", format!("The {what} of round {} is concluded from its file; the log has no event of it.", state.round)));
        }
    }
    if state.log_lost {
        found.push(say("inferred-log-lost", "The log has no events although work was done; the tables, round files and conference.md say how far it is.".to_owned()));
    } else if state.done > state.logged {
        found.push(say("inferred-log-cut", format!("The log completes {} and ends too early: other files show work of round {}, so every round before it is over.", match state.logged { 0 => "no round".to_owned(), n => format!("round {n}") }, state.done + 1)));
    }
    for id in state.probable() {
        found.push(say("inferred-completeness", format!("Researcher {id} has as many iterations as a round has, its baseline among them; it probably ended its research.")));
    }
    if !state.completed.is_empty() && !state.phase_events {
        found.push(say("inferred-dialect", "No event tells of a poster session, a review or a round's start, as in logs of the older kind.".to_owned()));
    }
    found
}
