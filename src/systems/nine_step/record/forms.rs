//! The records of a conductor for a feature, which is named by its worktree or its state file.

use std::path::Path;

use serde_json::json;

use crate::formats::json::{Edit, NonAscii, edit};
use crate::model::{ClockStyle, RecordOption, Result};
use crate::systems::kit::forms::{Ask, Form, Recorder, Site, Written, refused, replace};
use crate::systems::nine_step::NAME;
use crate::systems::nine_step::facts::Layout;
use crate::systems::nine_step::facts::layout::state_names;
use crate::systems::nine_step::record::{entry, executed, next_step, number};
use crate::systems::nine_step::shape::{STATE_NAMES, State, StepNo};
use crate::text::Shown as _;
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
    let approved_by = ask.text("approved-by")?;
    // The worktree is usually created at the approval; without a name the plan must still be approved.
    let (step, status, then) = match approved_by {
        Some(_) => (StepNo::Approval, "approved", StepNo::Code),
        None => (StepNo::Plan, "in_progress", StepNo::Plan),
    };
    let at = ClockStyle::LocalNaive.write(ask.at);
    let mut record = entry(&State::default(), (1, step), step.agent(), status, &at);
    record.extend(approved_by.map(|name| ("approved_by".to_owned(), name.into())));
    let completed = (step == StepNo::Approval).then(|| record.clone());
    let completed = Vec::from_iter(completed);
    let members = [
        ("feature_name", json!(feature)),
        ("current_phase", json!(1)),
        ("current_step", number(step)),
        ("total_phases", json!(phases)),
        ("worktree_path", json!(dir.to_string_lossy())),
        ("branch_name", json!(branch)),
        ("plan_reference", json!(plan)),
        ("last_execution", json!(record)),
        ("completed_steps", json!(completed)),
    ];
    let edits = members.map(|(key, value)| Edit::member(key, value));
    let content = edit(EMPTY, &edits, NonAscii::Escaped).map_err(refused)?;
    Ok(Written::new(
        vec![replace(file, None, content, "The new state file.")],
        Some(next_step(1, then)),
    ))
}
