//! The findings of the reader: damage, contradictions, inferences. Each has a stable code and one sentence.

use crate::model::{Finding, Origin, Severity};
use crate::systems::superscientist::facts::{Facts, Flow, Marker, Next};
use crate::systems::superscientist::shape::{StageStatus, stage_number};
use crate::text::format::{count_of, plural};

/// How many lines are reported; the rest is counted.
const LINES: usize = 20;
/// How many findings about stages are reported; the rest is counted.
const STAGES: usize = 200;

/// All findings, in order of reading.
pub(crate) fn all(facts: &Facts) -> Vec<Finding> {
    let mut found = Vec::new();
    match &facts.flow {
        Err(damage) => {
            let text = format!("The state file cannot be used: {}.", damage.why);
            found.push(damage.finding(facts.state_path(), text));
        }
        Ok(flow) => {
            state(facts, flow, &mut found);
            let more = found.len().saturating_sub(STAGES);
            if more > 0 {
                found.truncate(STAGES);
                let findings = count_of(more, "more finding", "more findings");
                let are = plural(more, "is", "are");
                let text = format!("{findings} about the state file {are} not listed.");
                let origin = Origin::file(facts.state_path());
                found.push(Finding::warn("more", origin, text));
            }
        }
    }
    log(facts, &mut found);
    found
}

fn state(facts: &Facts, flow: &Flow, found: &mut Vec<Finding>) {
    let origin = || Origin::file(facts.state_path());
    let mut say = |severity: Severity, code: &'static str, text: String| {
        found.push(Finding::new(severity, code, origin(), text));
    };
    if let Some(lacks) = &flow.lacks {
        let text = format!("The state file is incomplete: {lacks}. The log confirms the workflow.");
        say(Severity::Error, "wrong-type", text);
    }
    for duplicate in &flow.state.duplicates {
        let path = &duplicate.path;
        let text = format!("The key {path} is duplicated; its last value is used.");
        say(Severity::Warn, "duplicate-key", text);
    }
    for (code, text) in flow.contradictions(LINES) {
        say(Severity::Error, code, text);
    }
    if flow.next == Next::Nothing && flow.state.done() < flow.state.stages.len() {
        let text = "The workflow is recorded as completed, but not every stage is.";
        say(Severity::Warn, "contradiction", text.to_owned());
    }
    if flow.is_large() {
        let text = "The plan is very large; resume points are listed only for unfinished stages.";
        say(Severity::Info, "large-plan", text.to_owned());
    }
    for stage in &flow.state.stages {
        if stage.status == StageStatus::Unknown {
            let text = format!("{} has the unknown status \"{}\".", stage.id, stage.word);
            say(Severity::Warn, "unknown-status", text);
        }
        if stage_number(&stage.id).is_none() {
            let text = format!("The id {} is not `stage-` with a number.", stage.id);
            say(Severity::Warn, "odd-stage-id", text);
        }
    }
    for (at, job) in &flow.jobs {
        let id = flow.ids(&[*at]);
        if let Marker::Refused(why) = &job.marker {
            let text = format!("The done marker of {id} was not opened: {why}.");
            say(Severity::Warn, "hostile-path", text);
        }
        if let Marker::Stale(why) = &job.marker {
            let text = format!("The done marker of {id} is stale: {why}.");
            say(Severity::Warn, "stale-marker", text);
        }
    }
    for at in flow.leftovers.keys() {
        let id = flow.ids(&[*at]);
        let text = format!("{id} has a done marker of an earlier attempt.");
        say(Severity::Warn, "stale-marker", text);
    }
}

fn log(facts: &Facts, found: &mut Vec<Finding>) {
    let path = facts.log_path();
    if let Some(why) = &facts.log.missing {
        let text = format!("The log cannot be read: {why}.");
        found.push(Finding::warn("missing-file", Origin::file(&path), text));
        return;
    }
    if facts.is_log_emptied() {
        let text = "The log is empty although work was done.";
        found.push(Finding::warn("cut-file", Origin::file(&path), text));
    }
    let lines = facts.log.lines.iter();
    let bad = lines.filter(|line| !line.is_formed() && line.ended);
    for line in bad.clone().take(LINES) {
        let origin = Origin::line(&path, line.number);
        let text = "The line is not a time in brackets and a message.";
        found.push(Finding::info("bad-line", origin, text));
    }
    let more = bad.count().saturating_sub(LINES);
    if more > 0 {
        let lines = count_of(more, "more line is", "more lines are");
        let text = format!("{lines} not a time in brackets and a message.");
        found.push(Finding::info("bad-line", Origin::file(&path), text));
    }
    if let Some(line) = facts.log.lines.last().filter(|line| !line.ended) {
        let origin = Origin::line(&path, line.number);
        let text = "The last line is truncated: writing it was interrupted.";
        found.push(Finding::warn("torn-line", origin, text));
    }
}
