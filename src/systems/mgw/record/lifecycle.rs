//! The start and the end of an issue: creating, retrying, marking as a dead letter, archiving.

use std::path::Path;

use serde_json::{Value, json};

use crate::formats::json::{Edit, pretty};
use crate::model::{ClockStyle, Result, Step as Change};
use crate::systems::kit::forms::{Ask, Written, refused, replace};
use crate::systems::mgw::points::Goal;
use crate::systems::mgw::record::step::{Current, transition};
use crate::systems::mgw::record::{next, reset};
use crate::systems::mgw::shape::{FOLDER, Home, RETRIES, Stage, State, Step};
use crate::text::Shown as _;

/// How long a slug may be.
const SLUG: usize = 40;

/// The classes of failure that the orchestrator knows.
const CLASSES: [(&str, bool); 3] = [
    ("transient", true),
    ("permanent", false),
    ("needs-info", false),
];

/// A new state file, before its triage.
pub(super) fn init(ask: &Ask<'_>) -> Result<Written> {
    ask.no_words()?;
    let key = &ask.site.key;
    if ask.read(&ask.site.file)?.is_some() {
        let path = ask.site.file.shown();
        return Err(refused(format!("Issue #{key} has a state file: {path}.")));
    }
    let title = ask.need("title")?;
    let number = key.parse::<u64>();
    let number = number.map_err(|_bad| ask.usage("The issue number is too long."))?;
    let labels = ask.list("label")?;
    let url = ask.text("url")?;
    let state = json!({
        "issue": {"number": number, "title": title, "url": url, "labels": labels, "assignee": null},
        "triage": {
            "scope": {"files": 0, "systems": []}, "validity": "pending", "security_notes": "",
            "conflicts": [], "last_comment_count": 0, "last_comment_at": null,
        },
        "gsd_route": null, "gsd_artifacts": {"type": null, "path": null},
        "pipeline_stage": Stage::New.word(), "comments_posted": [],
        "linked_pr": null, "linked_issues": [], "linked_branches": [],
        "retry_count": 0, "dead_letter": false, "last_failure_class": null, "checkpoint": null,
    });
    // As Node's `JSON.stringify` with two spaces: no newline at the end.
    let content = pretty(&state);
    let name = format!("{key}-{}.json", slug(&title));
    let folder = ask.site.dir.join(FOLDER).join(Home::Active.word());
    let step = replace(folder.join(name), None, content, "The new issue's state.");
    let next = next::named(Goal::Step(Step::Triage));
    Ok(Written::new(vec![step], next))
}

/// The title in the form that the orchestrator uses in file and branch names.
fn slug(title: &str) -> String {
    let mut slug = String::new();
    for c in title.to_lowercase().chars() {
        match c {
            'a'..='z' | '0'..='9' => slug.push(c),
            _ if slug.ends_with('-') || slug.is_empty() => {}
            _ => slug.push('-'),
        }
    }
    let slug: String = slug.chars().take(SLUG).collect();
    let slug = slug.trim_end_matches('-');
    if slug.is_empty() { "issue" } else { slug }.to_owned()
}

/// The file moves to `completed/` unchanged.
pub(super) fn complete(ask: &Ask<'_>) -> Result<Written> {
    ask.no_words()?;
    let state = Current::read(ask)?.state;
    let over = matches!(state.stage(), Some(Stage::Done | Stage::PrCreated));
    if !over {
        let stage = state.stage_text().unwrap_or("missing");
        let error = refused(format!(
            "The stage is {stage}, so the issue is not complete."
        ));
        return Err(error.hint("An issue is archived at the stage pr-created or done."));
    }
    let file = &ask.site.file;
    let name = file.file_name().unwrap_or_default();
    let folder = Path::new(FOLDER).join(Home::Completed.word());
    let to = ask.site.dir.join(folder).join(name);
    if ask.read(&to)?.is_some() {
        return Err(refused(format!("{} exists.", to.shown())));
    }
    let moved = Change::move_aside(file, to, "The issue is archived.");
    Ok(Written::new(vec![moved], None))
}

/// The class of failure that was given.
fn class(ask: &Ask<'_>) -> Result<(String, bool)> {
    let class = ask.need("failure-class")?;
    let transient = ask.one_of("failure class", &class, &CLASSES)?;
    Ok((class, transient))
}

/// Only a person can make the orchestrator try again.
pub(super) fn dead_letter(ask: &Ask<'_>) -> Result<Written> {
    ask.no_words()?;
    let current = Current::read(ask)?;
    let (class, _) = class(ask)?;
    let now = ClockStyle::UtcMillis.write(ask.at);
    let mut edits = match current.state.stage() {
        Some(Stage::Failed) => Vec::new(),
        _ => transition(ask, &current.state, Stage::Failed, &now)?,
    };
    edits.push(Edit::member("last_failure_class", class));
    edits.push(Edit::member("dead_letter", true));
    current.edited(ask, &edits)
}

/// One more try after a temporary failure; after a permanent one, a fresh start that a person approves.
pub(super) fn retry(ask: &Ask<'_>) -> Result<Written> {
    ask.no_words()?;
    let current = Current::read(ask)?;
    let now = ClockStyle::UtcMillis.write(ask.at);
    let edits = if current.state.has_failed() {
        let mut edits = transition(ask, &current.state, Stage::Triaged, &now)?;
        let reset = reset().map(|(key, value): (_, Value)| Edit::member(key, value));
        edits.extend(reset);
        edits
    } else {
        again(ask, &current.state)?
    };
    current.edited(ask, &edits)
}

fn again(ask: &Ask<'_>, state: &State) -> Result<Vec<Edit<'static>>> {
    let (class, transient) = class(ask)?;
    let key = &ask.site.key;
    let give_up = format!("relight record {key} dead-letter --failure-class {class}");
    if !transient {
        let text = format!("A failure of the class {class} is not retried.");
        return Err(refused(text).hint(give_up));
    }
    let count = state.retry_count() + 1;
    if count > RETRIES {
        return Err(refused(format!("It was retried {RETRIES} times.")).hint(give_up));
    }
    Ok(vec![
        Edit::member("retry_count", count),
        Edit::member("last_failure_class", class),
        Edit::member("dead_letter", false),
    ])
}
