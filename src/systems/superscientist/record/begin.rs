//! Creates a workflow from a plan: the state file, its log and its `init.sh`.

use std::path::Path;

use serde_json::{Map, Value, json};

use crate::foreign;
use crate::formats::json;
use crate::model::{ClockStyle, Place, Result};
use crate::systems::kit::forms::{Ask, Written, refused, replace};
use crate::systems::superscientist::facts::Graph;
use crate::systems::superscientist::record::status::{logged, next};
use crate::systems::superscientist::shape::sniff::lacks;
use crate::systems::superscientist::shape::{INIT, STATE, Stage, State};
use crate::text::Shown as _;
use crate::text::format::{count, list};

/// The members of a plan.
pub(super) const MEMBERS: [&str; 9] = [
    "workflow_id",
    "purpose",
    "experiment_design",
    "workflow_plan",
    "session_config",
    "default_backend",
    "backend_profiles",
    "stages",
    "init_sh",
];

/// A new stage.
const STAGE: &str = r#"{"id": null, "name": null, "status": "pending", "depends_on": [], "backend": null,
    "inputs": [], "outputs": [], "parameters": {}, "success_criteria": "", "started_at": null,
    "completed_at": null, "retry_count": 0, "last_error": null, "running_process": null}"#;

/// The types of backend profile that the workflow knows; one without a type counts as local.
const PROFILES: [(&str, ()); 2] = [("local", ()), ("remote", ())];

/// The script that every session runs first, if the plan has none.
const SCRIPT: &str =
    "#!/bin/bash\n# Project-specific environment setup\nset -e\necho \"Environment ready.\"\n";

pub(super) fn write(ask: &Ask<'_>) -> Result<Written> {
    ask.no_words()?;
    if ask.read(&ask.site.file)?.is_some() {
        let file = ask.site.file.shown();
        return Err(refused(format!("{file} exists.")));
    }
    let id = member(ask, "workflow_id")?;
    let design = member(ask, "experiment_design")?;
    let plan = member(ask, "workflow_plan")?;
    let now = ClockStyle::LocalOffset.write(ask.at);
    let given = |key: &str| ask.values.get(key).cloned();
    let local = json!({"local": {"type": "local", "config": {"batch_type": "Shell", "context_type": "LocalContext"}}});
    let backend = given("default_backend").unwrap_or_else(|| json!("local"));
    let profiles = given("backend_profiles").unwrap_or(local);
    let members = [
        ("workflow_id", Some(json!(id))),
        ("version", Some(json!(1))),
        ("created", Some(json!(now))),
        ("updated", Some(json!(now))),
        ("experiment_design", Some(json!(design))),
        ("workflow_plan", Some(json!(plan))),
        ("amendments", Some(json!([]))),
        ("session_config", given("session_config")),
        ("default_backend", Some(backend)),
        ("backend_profiles", Some(profiles)),
        ("stages", Some(Value::Array(stages(ask)?))),
    ];
    let members = members.into_iter();
    let members = members.filter_map(|(key, value)| Some((key.to_owned(), value?)));
    let map: Map<String, Value> = members.collect();
    if let Some(why) = lacks(&map) {
        return Err(refused(format!("The plan is not a workflow: {why}.")));
    }
    let mut content = json::pretty(&Value::Object(map.clone()));
    content.push(b'\n');
    let state = State::read(content.clone(), map);
    let state = state.ok_or_else(|| refused("The plan has no stages."))?;
    let profiles = json::child(&state.map, "backend_profiles").into_iter();
    for profile in profiles.flat_map(Map::values) {
        let kind = profile.get("type");
        let kind = kind.map(|kind| {
            kind.as_str()
                .map_or_else(|| kind.to_string(), str::to_owned)
        });
        ask.one_of(
            "profile type",
            kind.as_deref().unwrap_or("local"),
            &PROFILES,
        )?;
    }
    valid(&state, &ask.site.dir)?;
    let purpose = ask.text("purpose")?;
    let purpose = purpose.map_or_else(String::new, |text| format!(" Purpose: {text}"));
    let stages = count(state.stages.len(), "stage");
    let message = format!("Workflow created: {id}. {stages}.{purpose}");
    let script = ask.text("init_sh")?.unwrap_or_else(|| SCRIPT.to_owned());
    let mut steps = vec![replace(&ask.site.file, None, content, "The new workflow.")];
    let path = ask.site.dir.join(INIT);
    if ask.read(&path)?.is_none() {
        let script = script.into_bytes();
        steps.push(replace(&path, None, script, "Its environment script."));
    }
    steps.push(logged(ask, &[message]));
    Ok(Written::new(steps, next(ask, state)))
}

/// A required text of the plan, which is no option of its own.
fn member(ask: &Ask<'_>, key: &str) -> Result<String> {
    let text = ask.text(key)?.filter(|text| !text.trim().is_empty());
    text.ok_or_else(|| ask.usage(format!("The plan has no {key}.")))
}

/// The stages, completed with the members that a plan omits.
fn stages(ask: &Ask<'_>) -> Result<Vec<Value>> {
    let Some(Value::Array(planned)) = ask.values.get("stages") else {
        return Err(ask.usage("The plan has no list of stages."));
    };
    let one = |(number, given): (usize, &Value)| {
        let given = given.as_object();
        let given = given.ok_or_else(|| refused("A stage is not an object."))?;
        let mut whole = stage(given)?;
        // Ids are numbered in order, so a plan need not repeat them.
        if let Some(id) = whole.get_mut("id").filter(|id| id.is_null()) {
            *id = json!(format!("stage-{number}"));
        }
        Ok(Value::Object(whole))
    };
    (1..).zip(planned).map(one).collect()
}

/// A stage, completed with omitted members.
pub(super) fn stage(given: &Map<String, Value>) -> Result<Map<String, Value>> {
    let mut whole = json::object(STAGE.as_bytes()).unwrap_or_default();
    for (key, value) in whole
        .iter_mut()
        .filter(|(key, _)| *key != "running_process")
    {
        *value = given.get(key).unwrap_or(value).clone();
    }
    if json::text(&whole, "status") != Some("pending") {
        return Err(refused("A new stage is pending."));
    }
    if let Some(key) = given.keys().find(|key| !whole.contains_key(*key)) {
        return Err(refused(foreign!("A stage has no member {}.", key.as_str())));
    }
    Ok(whole)
}

/// Ids, edges and backends.
fn valid(state: &State, dir: &Path) -> Result<()> {
    let graph = Graph::new(&state.stages);
    if let Some(id) = graph.duplicates.first() {
        return Err(refused(foreign!("Two stages have the id {}.", id.as_str())));
    }
    if let Some((_, id)) = graph.unknown.first() {
        let text = foreign!("A stage depends on {}, which does not exist.", id.as_str());
        return Err(refused(text));
    }
    if !graph.cyclic.is_empty() {
        let on_it = graph.cyclic.iter().filter_map(|at| state.stages.get(*at));
        let names = list(on_it.map(|stage| stage.id.as_str()));
        return Err(refused(format!("Stages form a cycle: {names}.")));
    }
    for (number, stage) in (1..).zip(&state.stages) {
        if stage.number() != Some(number) {
            let text = format!("Stage {number} must have the id stage-{number}.");
            return Err(refused(text));
        }
        sound(state, stage, dir)?;
    }
    Ok(())
}

/// Its name, its criteria, its backend, and that its outputs belong to the workflow's folder.
pub(super) fn sound(state: &State, stage: &Stage, dir: &Path) -> Result<()> {
    let mut outputs = stage.outputs.iter();
    // Such a stage could never be completed: nothing outside the folder is looked at.
    if let Some(outside) = outputs.find(|path| Place::foreign(&[dir], path.as_bytes()).is_err()) {
        let outside = outside.as_str();
        let text = foreign!(
            "The output {} is outside the workflow's directory.",
            outside
        );
        return Err(refused(text).hint("Name it relative to that directory, without `..`."));
    }
    let backend = state.profile_name(stage).unwrap_or_default();
    if state.profile(backend).is_none() {
        let text = foreign!("There is no backend profile {}.", backend);
        return Err(refused(text));
    }
    if stage.name.trim().is_empty() {
        return Err(refused(format!("{} has no name.", stage.id)));
    }
    let criteria = stage.success_criteria.as_deref().unwrap_or_default();
    if criteria.trim().is_empty() {
        let error = refused(format!("{} has no success criteria.", stage.id));
        let hint = format!("Without them nothing in {STATE} says when it is done.");
        return Err(error.hint(hint));
    }
    Ok(())
}
