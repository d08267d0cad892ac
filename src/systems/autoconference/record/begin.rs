//! Starts a conference: tables with their headers, and a log with its first event.

use serde_json::Value;

use crate::model::EngineError;
use crate::systems::autoconference::record::event::{Current, follows};
use crate::systems::autoconference::shape::{C11, CONFIG, Mode, R8, RESULTS, table_name};
use crate::systems::kit::forms::{Ask, Written, refused, replace};
use crate::text::format::count;

/// How many researchers are possible, each a letter.
const MOST: u64 = 26;

pub(super) fn write(ask: &Ask<'_>) -> Result<Written, EngineError> {
    ask.no_words()?;
    let current = Current::read(ask)?;
    let raw = &current.raw;
    let missing = |what: &str| refused(format!("{CONFIG} has no {what}."));
    let config = raw.config.as_ref().ok_or_else(|| {
        refused(format!("{CONFIG} is missing.")).hint("Write it first: /autoconference:plan")
    })?;
    let goal = config.goal.clone().ok_or_else(|| missing("goal"))?;
    let mode = match config.mode.ok_or_else(|| missing("mode"))? {
        Mode::Metric => "metric",
        Mode::Qualitative => "qualitative",
    };
    let researchers = config.count.filter(|count| (1..=MOST).contains(count));
    let researchers = researchers.ok_or_else(|| missing("number of researchers from 1 to 26"))?;
    let rounds = config.max_rounds.ok_or_else(|| missing("max_rounds"))?;
    follows("conference.started", &current)?;
    let mut steps = Vec::new();
    let mut table = |name: &str, header: &str| -> Result<(), EngineError> {
        let path = ask.site.dir.join(name);
        // Files from the scaffold are kept.
        if ask.read(&path)?.is_none_or(|bytes| bytes.is_empty()) {
            let before = ask.read(&path)?;
            let content = format!("{header}\n").into_bytes();
            steps.push(replace(&path, before, content, "The table."));
        }
        Ok(())
    };
    for id in ('A'..='Z').zip(0..researchers).map(|(id, _)| id) {
        table(&table_name(id), R8)?;
    }
    table(RESULTS, C11)?;
    let (colon, comma) = current.spacing();
    let (people, limit) = (count(researchers, "researcher"), count(rounds, "round"));
    let summary = format!("{people}, {limit}");
    let text = |text: String| Value::from(text).to_string();
    let payload = [
        ("researchers", researchers.to_string()),
        ("mode", text(mode.to_owned())),
        ("goal", text(goal)),
        ("config_summary", text(summary)),
    ];
    let payload = payload.map(|(key, value)| format!("\"{key}\"{colon}{value}"));
    let mut written = current.logged(ask, "conference.started", &payload.join(comma));
    steps.append(&mut written.steps);
    Ok(Written { steps, ..written })
}
