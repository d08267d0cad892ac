//! The records of a conductor for a feature, which is named by its worktree or its state file.

use std::path::Path;

use chrono::{DateTime, Utc};
use serde_json::{Map, Value, json};

use crate::formats::json::{Edit, NonAscii, edit};
use crate::model::{ClockStyle, Foreign, RecordOption, Result};
use crate::systems::Candidate;
use crate::systems::kit::forms::{Ask, Form, Recorder, Site, Written, refused, replace};
use crate::systems::nine_step::NAME;
use crate::systems::nine_step::facts::layout::state_names;
use crate::systems::nine_step::facts::ledger::Spot;
use crate::systems::nine_step::facts::{Facts, Layout, discovery};
use crate::systems::nine_step::points::lost;
use crate::systems::nine_step::record::{entry, executed, number};
use crate::systems::nine_step::shape::{Class, Doc, STATE_NAMES, State, StepNo};
use crate::text::Shown as _;
use crate::text::format::count_of;
use crate::world::World;

#[rustfmt::skip]
const FORMS: &[Form] = &[
    Form::new("step", "WORKTREE --phase P --step S --status STATUS [--agent AGENT] [--error TEXT] …",
        &["phase", "step", "agent", "status", "error", "result", "approved-by"], executed::write),
    Form::new("init", "WORKTREE init --system nine-step --feature NAME --plan FILE --phases N",
        &["feature", "plan", "phases", "approved-by"], begin),
];

#[rustfmt::skip]
const OPTIONS: &[RecordOption] = &[
    RecordOption::one("agent", "AGENT", "Name the agent (default: that of the step)"),
    RecordOption::pairs("result", "KEY=VALUE", "Add members to the record, such as commit_sha"),
    RecordOption::one("feature", "NAME", "Name the feature (init)"),
    RecordOption::one("plan", "FILE", "Name the plan document (init)"),
    RecordOption::one("phases", "N", "Set the number of phases (init)"),
];

/// Instructions for the prompt of its orchestrator.
const PROMPT: &str = "Never write workflow-state.json yourself. Call:
relight record WORKTREE --phase P --step S --status completed|failed [--error TEXT]
relight record WORKTREE --phase P --step 2.5 --status approved --approved-by NAME
relight checkpoint WORKTREE --reason 'phase P done' --tree";

/// How features are recorded.
pub(crate) static RECORDER: Recorder = Recorder {
    heading: "nine-step: record WORKTREE --phase N --step STEP --status STATUS …",
    forms: FORMS,
    options: OPTIONS,
    prompt: PROMPT,
    at: at_path,
    named: None,
};

fn at_path(path: &Path, new: bool, world: &dyn World) -> Option<Site> {
    let named = path.file_name()?.to_str();
    let by_file = named.is_some_and(|name| STATE_NAMES.contains(&name));
    let dir = if by_file { path.parent()? } else { path };
    let there = state_names(world, dir);
    let name = match (by_file, there.first()) {
        (true, _) => named?.to_owned(),
        (false, Some(name)) => name.clone(),
        (false, None) if new => STATE_NAMES.first().copied()?.to_owned(),
        (false, None) => return None,
    };
    let file = dir.join(name);
    let ours = new || super::is_state(&file, world);
    ours.then(|| Site::of_folder(NAME, dir.to_owned(), dir, file))
}

/// The layout of the file: Python's `json.dump` with two spaces and no newline at the end.
const EMPTY: &[u8] = b"{\n  \"feature_name\": null\n}";

/// A new state file. The plugin has no code that creates the first one; its members are those that a save expects.
fn begin(ask: &Ask<'_>) -> Result<Written> {
    ask.no_words()?;
    let (file, dir) = (&ask.site.file, &ask.site.dir);
    if ask.read(file)?.is_some() {
        return Err(refused(format!("{} exists.", file.shown())));
    }
    let feature = ask.need("feature")?;
    let plan = ask.need("plan")?;
    let phases = ask.whole("phases")?.filter(|phases| *phases > 0);
    let phases = phases.ok_or_else(|| ask.usage("--phases must be at least 1."))?;
    let layout = Layout::of(ask.world, dir);
    let tree = layout.at(ask.world, dir).filter(|tree| !tree.main);
    let tree = tree.ok_or_else(|| {
        let text = format!("{} is not a linked worktree.", dir.shown());
        refused(text).hint("Create it first: git worktree add .worktree/NAME -b feature/NAME")
    })?;
    let branch = tree.branch.as_ref().map(|name| name.lossy().into_owned());
    let facts = without_records(ask, &layout)?;
    let committed = facts.git.phases.keys().next_back().copied();
    let total = i64::try_from(phases).unwrap_or(i64::MAX);
    if let Some(phase) = committed.filter(|phase| *phase > total) {
        let text = format!("--phases is {phases}, and the branch has a commit of phase {phase}.");
        return Err(refused(text));
    }
    let completed = done(ask, &facts)?;
    // The worktree is usually created at the approval; without a name the plan must still be approved.
    let (spot, class) = match (committed, completed.is_empty()) {
        (Some(phase), _) => ((phase, StepNo::Commit), Class::Success),
        (None, false) => ((1, StepNo::Approval), Class::Success),
        (None, true) => ((1, StepNo::Plan), Class::InFlight),
    };
    let begun = || record(spot, "in_progress", &ClockStyle::LocalNaive.write(ask.at));
    let last = completed.last().cloned().unwrap_or_else(begun);
    let members = [
        ("feature_name", json!(feature)),
        ("current_phase", json!(spot.0)),
        ("current_step", number(spot.1)),
        ("total_phases", json!(phases)),
        ("worktree_path", json!(dir.to_string_lossy())),
        ("branch_name", json!(branch)),
        ("plan_reference", json!(plan)),
        ("last_execution", json!(last)),
        ("completed_steps", json!(completed)),
    ];
    let edits = members.map(|(key, value)| Edit::member(key, value));
    let content = edit(EMPTY, &edits, NonAscii::Escaped).map_err(refused)?;
    let step = replace(file, None, content, "The new state file.");
    let taken = count_of(
        facts.git.phases.len(),
        "phase, which is",
        "phases, which are",
    );
    let taken = format!("The branch has commits of {taken} recorded as completed.");
    let mut notes = Vec::from_iter(lost::unknown(&facts));
    notes.extend(committed.map(|_| taken));
    Ok(Written {
        notes: notes.into_iter().map(Into::into).collect(),
        ..Written::new(vec![step], executed::next(spot, class, Some(total)))
    })
}

/// What is known of a feature without records; an error where they are in another file.
fn without_records(ask: &Ask<'_>, layout: &Layout) -> Result<Facts> {
    let (world, file) = (ask.world, &ask.site.file);
    let dir = world.files().resolved(&ask.site.dir);
    let file = dir.join(file.file_name().unwrap_or_default());
    let candidate = discovery::of_file(world, layout, &file).unwrap_or_else(|| {
        let native = dir.file_name().map(Foreign::from).unwrap_or_default();
        Candidate::new(NAME, native, &layout.top, vec![file.clone()])
    });
    let facts = Facts::gather(world, &candidate);
    let known = facts.records_file().filter(|_| facts.state.is_some());
    known.map(Doc::path).map_or(Ok(facts), |path| {
        let text = format!("{} has the records of this feature.", path.shown());
        let hint = format!(
            "Copy it to {}, or move it away if it is not needed.",
            file.shown()
        );
        Err(refused(text).hint(hint))
    })
}

/// What is done before the first record: the phases that the branch has commits of, and the approval, which was given
/// before them. No time is before that of an earlier phase, which a later commit may have amended.
fn done(ask: &Ask<'_>, facts: &Facts) -> Result<Vec<Map<String, Value>>> {
    let clock = ask.world.clock();
    let local = |at: DateTime<Utc>| at.with_timezone(clock.local(at.naive_utc()).offset());
    let made = |spot, status, at, key: &str, value: String| {
        let mut made = record(spot, status, &ClockStyle::LocalNaive.write(at));
        made.insert(key.to_owned(), value.into());
        made
    };
    let phases = facts.git.phases.iter();
    let commits = phases.map(|(phase, found)| (*phase, &found.commit));
    let first = commits.clone().map(|(_, commit)| local(commit.time)).min();
    let mut at = first.unwrap_or(ask.at);
    let approval = (1, StepNo::Approval);
    let approved = ask.text("approved-by")?;
    let approved = approved.map(|name| made(approval, "approved", at, "approved_by", name));
    let mut all = Vec::from_iter(approved);
    for (phase, commit) in commits {
        at = at.max(local(commit.time));
        let (spot, id) = ((phase, StepNo::Commit), commit.id.clone());
        all.push(made(spot, "completed", at, "commit_sha", id));
    }
    Ok(all)
}

/// A record of a step by its own agent.
fn record(spot: Spot, status: &str, at: &str) -> Map<String, Value> {
    entry(&State::default(), spot, spot.1.agent(), status, at)
}
