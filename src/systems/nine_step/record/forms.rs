//! The records of a conductor for a feature, which is named by its worktree or its state file.

use std::path::Path;

use crate::model::RecordOption;
use crate::systems::kit::forms::{Form, Recorder, Site};
use crate::systems::nine_step::NAME;
use crate::systems::nine_step::facts::layout::state_names;
use crate::systems::nine_step::record::{begin, executed};
use crate::systems::nine_step::shape::STATE_NAMES;
use crate::world::World;

#[rustfmt::skip]
const FORMS: &[Form] = &[
    Form::new("step", "WORKTREE --phase P --step S --status STATUS [--agent AGENT] [--error TEXT] …",
        &["phase", "step", "agent", "status", "error", "result", "approved-by"], executed::write),
    Form::new("init", "WORKTREE init --system nine-step --feature NAME --plan FILE --phases N",
        &["feature", "plan", "phases", "approved-by"], begin::write),
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
