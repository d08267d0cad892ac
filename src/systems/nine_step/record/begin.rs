//! A new state file. The plugin has no code that creates the first one; its members are those that a save expects.

use serde_json::json;

use crate::formats::json::{Edit, NonAscii, edit};
use crate::model::{ClockStyle, Result};
use crate::systems::kit::forms::{Ask, Written, refused, replace};
use crate::systems::nine_step::facts::Layout;
use crate::systems::nine_step::record::{next_step, number};
use crate::systems::nine_step::shape::StepNo;
use crate::text::Shown as _;

/// The layout of the file: Python's `json.dump` with two spaces and no newline at the end.
const EMPTY: &[u8] = b"{\n  \"feature_name\": null\n}";

pub(super) fn write(ask: &Ask<'_>) -> Result<Written> {
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
    let (step, status) = match approved_by {
        Some(_) => (StepNo::Approval, "approved"),
        None => (StepNo::Plan, "in_progress"),
    };
    let mut record = json!({
        "phase": 1,
        "step": number(step),
        "agent": step.agent(),
        "status": status,
        "timestamp": ClockStyle::LocalNaive.write(ask.at),
    });
    if let (Some(record), Some(name)) = (record.as_object_mut(), approved_by) {
        record.insert("approved_by".to_owned(), name.into());
    }
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
        ("last_execution", record),
        ("completed_steps", json!(completed)),
    ];
    let edits = members.map(|(key, value)| Edit::member(key, value));
    let content = edit(EMPTY, &edits, NonAscii::Escaped).map_err(refused)?;
    let then = if step == StepNo::Approval {
        StepNo::Code
    } else {
        step
    };
    Ok(Written::new(
        vec![replace(file, None, content, "The new state file.")],
        Some(next_step(1, then)),
    ))
}
