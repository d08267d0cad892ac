//! The records of a conductor for a feature, which is named by its worktree or its state file.

use std::path::Path;

use crate::model::RecordOption;
use crate::systems::kit::forms::{Form, Recorder, Site};
use crate::systems::nine_step::NAME;
use crate::systems::nine_step::facts::layout::state_names;
use crate::systems::nine_step::record::{begin, executed};
use crate::systems::nine_step::shape::STATE_NAMES;
use crate::world::World;

/// The recorder of worktrees with features.
#[derive(Debug)]
pub(crate) struct Features;

static FORMS: [Form; 2] = [
    Form {
        name: "step",
        usage: "WORKTREE --phase P --step S --status STATUS [--agent AGENT] [--error TEXT] …",
        options: &[
            "phase",
            "step",
            "agent",
            "status",
            "error",
            "result",
            "approved-by",
        ],
        repeats: false,
        write: executed::write,
    },
    Form {
        name: "init",
        usage: "WORKTREE init --system nine-step --feature NAME --plan FILE --phases N",
        options: &["feature", "plan", "phases", "approved-by"],
        repeats: false,
        write: begin::write,
    },
];

const OPTIONS: &[RecordOption] = &[
    RecordOption::one(
        "agent",
        "AGENT",
        "Name the agent (default: that of the step)",
    ),
    RecordOption::pairs(
        "result",
        "KEY=VALUE",
        "Add members to the record, such as commit_sha",
    ),
    RecordOption::one("feature", "NAME", "Name the feature (init)"),
    RecordOption::one("plan", "FILE", "Name the plan document (init)"),
    RecordOption::one("phases", "N", "Set the number of phases (init)"),
];

/// Instructions for the prompt of its orchestrator.
const PROMPT: &str = "Never write workflow-state.json yourself. Call:
relight record WORKTREE --phase P --step S --status completed|failed [--error TEXT]
relight record WORKTREE --phase P --step 2.5 --status approved --approved-by NAME
relight checkpoint WORKTREE --reason 'phase P done' --tree";

impl Recorder for Features {
    fn forms(&self) -> &'static [Form] {
        &FORMS
    }

    fn options(&self) -> (&'static str, &'static [RecordOption]) {
        (
            "nine-step: record WORKTREE --phase N --step STEP --status STATUS …",
            OPTIONS,
        )
    }

    fn prompt(&self) -> &'static str {
        PROMPT
    }

    fn at(&self, path: &Path, new: bool, world: &dyn World) -> Option<Site> {
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
        ours.then(|| Site {
            system: NAME,
            root: dir.to_owned(),
            dir: dir.to_owned(),
            key: dir
                .file_name()
                .unwrap_or_default()
                .to_string_lossy()
                .into_owned(),
            file,
        })
    }
}
