//! Starts a conference: tables with their headers, and a log with its first event.

use serde_json::json;

use crate::formats::json::one_line;
use crate::model::Result;
use crate::systems::autoconference::record::event::{Current, follows};
use crate::systems::autoconference::shape::{C11, CONFIG, R8, RESULTS, table_name};
use crate::systems::kit::forms::{Ask, Written, refused, replace};
use crate::text::format::count;

/// How many researchers are possible, each a letter.
const MOST: u64 = 26;

pub(super) fn write(ask: &Ask<'_>) -> Result<Written> {
    ask.no_words()?;
    let current = Current::read(ask)?;
    let raw = &current.raw;
    let missing = |what: &str| refused(format!("{CONFIG} has no {what}."));
    let config = &raw.config;
    if let Some(odd) = raw.unread(CONFIG) {
        return Err(refused(odd.sentence()).hint(odd.remedy.as_str()));
    }
    if !config.exists {
        let error = refused(format!("{CONFIG} is missing."));
        return Err(error.hint("Write it first: /autoconference:plan"));
    }
    let goal = config.goal.clone().ok_or_else(|| missing("goal"))?;
    let mode = config.mode.ok_or_else(|| missing("mode"))?.word();
    let researchers = config.count.filter(|count| (1..=MOST).contains(count));
    let researchers = researchers.ok_or_else(|| missing("number of researchers from 1 to 26"))?;
    let rounds = config.max_rounds.ok_or_else(|| missing("max_rounds"))?;
    follows("conference.started", &current)?;
    let mut steps = Vec::new();
    let mut table = |name: &str, header: &str| -> Result<()> {
        let path = ask.site.dir.join(name);
        let before = ask.read(&path)?;
        // Files from the scaffold are kept.
        if before.as_ref().is_none_or(Vec::is_empty) {
            let content = format!("{header}\n").into_bytes();
            steps.push(replace(&path, before, content, "The table."));
        }
        Ok(())
    };
    for id in ('A'..='Z').zip(0..researchers).map(|(id, _)| id) {
        table(&table_name(id), R8)?;
    }
    table(RESULTS, C11)?;
    let (people, limit) = (count(researchers, "researcher"), count(rounds, "round"));
    let payload = json!({
        "researchers": researchers,
        "mode": mode,
        "goal": goal,
        "config_summary": format!("{people}, {limit}"),
    });
    let payload = one_line(&payload, raw.is_compact());
    let mut written = current.logged(ask, "conference.started", &payload);
    steps.append(&mut written.steps);
    Ok(Written { steps, ..written })
}
