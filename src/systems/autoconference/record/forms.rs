//! The records of a chair for a conference, which is named by its folder, its log or its configuration.

use std::path::{Path, PathBuf};

use serde_json::json;

use crate::formats::json::one_line;
use crate::model::{RecordOption, Result};
use crate::systems::autoconference::NAME;
use crate::systems::autoconference::facts::{State, Trees};
use crate::systems::autoconference::record::event::{Current, follows};
use crate::systems::autoconference::record::{event, iteration};
use crate::systems::autoconference::shape::{
    C11, CONFIG, EVENTS, R8, RESULTS, Raw, folder, table_name,
};
use crate::systems::kit::forms::{Ask, Form, Recorder, Site, Written, refused, replace};
use crate::text::format::count;
use crate::world::World;

#[rustfmt::skip]
const FORMS: &[Form] = &[
    Form::new("event", "DIR EVENT [KEY=VALUE…] [--round N]", &["round"], event::write),
    Form::new("iteration", "DIR iteration --researcher B --iteration 2 --value 41.2 --status kept --description TEXT",
        &["researcher", "iteration", "value", "status", "description", "verified-by", "round"], iteration::write),
    Form::new("init", "DIR init", &[], begin),
];

#[rustfmt::skip]
const OPTIONS: &[RecordOption] = &[
    RecordOption::one("researcher", "LETTER", "Name the researcher (iteration)"),
    RecordOption::one("iteration", "N", "Number the iteration; 0 is the baseline"),
    RecordOption::one("value", "NUMBER", "Set the metric of the iteration, written as typed"),
    RecordOption::one("description", "TEXT", "Say what was tried"),
    RecordOption::one("verified-by", "SOURCE", "Say what measured it, such as script:bench.py"),
    RecordOption::one("round", "N", "Name the round (default: the open one)"),
];

/// Instructions for the prompt of its orchestrator.
const PROMPT: &str = "Never write conference_events.jsonl or the result tables yourself. Call:
relight record DIR init                                                   (at the start)
relight record DIR round.started researcher_states:='[\"A:ready\"]'
relight record DIR iteration --researcher A --iteration N --value V --status kept --description TEXT
relight checkpoint DIR --reason 'end of round N'
relight record DIR conference.completed";

/// How conferences are recorded.
pub(crate) static RECORDER: Recorder = Recorder {
    heading: "autoconference: record DIR EVENT [KEY=VALUE…]",
    forms: FORMS,
    options: OPTIONS,
    prompt: PROMPT,
    at: at_path,
    named: None,
};

fn at_path(path: &Path, new: bool, world: &dyn World) -> Option<Site> {
    path.file_name()?;
    let dir = folder(path);
    let there = |name: &&str| world.files().has(dir, name);
    (new || [EVENTS, CONFIG].iter().any(there))
        .then(|| Site::of_folder(NAME, locked(dir, world), dir, dir.join(EVENTS)))
}

/// The folder that a recovery locks: the top of the repository if researchers have worktrees, else the conference's.
fn locked(dir: &Path, world: &dyn World) -> PathBuf {
    let raw = Raw::load(dir, world);
    let trees = Trees::look(&raw, &State::fold(&raw), world);
    let top = trees.answer().map(|answer| answer.top.clone());
    top.unwrap_or_else(|| dir.to_owned())
}

/// How many researchers are possible, each a letter.
const MOST: u64 = 26;

/// Starts a conference: tables with their headers, and a log with its first event.
fn begin(ask: &Ask<'_>) -> Result<Written> {
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
    let mut written = current.logged(ask, "conference.started", &payload)?;
    steps.append(&mut written.steps);
    Ok(Written { steps, ..written })
}
