//! S13: definitional fields that changed without an amendment. Only the history shows them.

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use crate::formats::json;
use crate::systems::superscientist::facts::Scene;
use crate::systems::superscientist::shape::{Amendment, STATE, Stage, State};

use crate::systems::kit::checks::{Outcome, or_pass, pass, skipped, warn};

/// Fields that only an amendment may change.
const DEFINITIONAL: [&str; 5] = [
    "name",
    "depends_on",
    "inputs",
    "parameters",
    "success_criteria",
];
/// How many versions are searched.
const VERSIONS: usize = 200;

/// S13: an amendment covers every definitional difference from the committed plan.
pub(crate) fn silent(scene: &Scene<'_>) -> Vec<Outcome> {
    if !scene.stages().iter().any(Stage::begun) {
        let text = "No stage has started, so the plan may still be revised.";
        return vec![pass(text)];
    }
    let (commit, first) = match committed_plan(scene) {
        Ok(found) => found,
        Err(why) => {
            let text = format!("There is no committed version to compare with: {why}.");
            return vec![skipped(text)];
        }
    };
    let short: String = commit.chars().take(12).collect();
    let state = &scene.flow.state;
    let mut found = Vec::new();
    for (stage, changed) in differences(&first, state) {
        let changed = changed.join(", ");
        let text = format!("Changed without an amendment since {short}: {changed}.");
        let remedy = format!(
            "Compare: `git diff {short} -- workflow-state.json`; then have the change to {} recorded as an amendment, or undo it.",
            stage.id
        );
        found.push(warn(text, remedy).about(stage.subject()));
    }
    let text = format!("No definition changed without an amendment since {short}.");
    or_pass(found, text)
}

/// The committed version of the plan from when work started. Until then a plan may be revised freely, and a new plan
/// may have the id of an earlier one of the same day.
fn committed_plan(scene: &Scene<'_>) -> Result<(String, State), String> {
    let (top, rel) = scene.facts.committed(STATE)?;
    let git = scene.world.git();
    let commits = git.path_history(top, &rel, VERSIONS);
    let mut plan: Option<(String, State)> = None;
    for commit in commits.map_err(|error| error.to_string())? {
        let Ok(bytes) = git.blob(top, &commit.id, &rel) else {
            continue;
        };
        let Ok(map) = json::object(&bytes) else {
            continue;
        };
        let Some(old) = State::read(bytes, map) else {
            break;
        };
        let newer = plan.as_ref().map_or(&scene.flow.state, |(_, newer)| newer);
        if !same_plan(&old, newer) {
            break;
        }
        let begun = old.stages.iter().any(Stage::begun);
        plan = Some((commit.id, old));
        if !begun {
            break;
        }
    }
    plan.ok_or_else(|| "this plan was never committed".to_owned())
}

/// Whether two versions of the state file belong to one plan: only planning writes the id and the creation time.
fn same_plan(old: &State, new: &State) -> bool {
    let created = |state: &State| json::owned(&state.map, "created");
    let (was, now) = (created(old), created(new));
    old.workflow_id == new.workflow_id && (was == now || was.is_none() || now.is_none())
}

/// For each stage with uncovered differences, the changes.
fn differences<'a>(old: &'a State, new: &'a State) -> Vec<(&'a Stage, Vec<String>)> {
    let before = old.stages.iter().map(|s| (s.id.as_str(), s.index));
    let before: HashMap<&str, usize> = before.collect();
    let amended = Amended::new(&new.amendments);
    let mut found = Vec::new();
    for stage in &new.stages {
        let Some(now) = new.raw_stage(stage.index) else {
            continue;
        };
        let was = before.get(stage.id.as_str());
        let Some(was) = was.and_then(|at| old.raw_stage(*at)) else {
            if !amended.inserted.contains(stage.id.as_str()) {
                found.push((stage, vec!["the stage itself, which is new".to_owned()]));
            }
            continue;
        };
        let mut changed = uncovered(&stage.id, was, now, &amended);
        changed.extend(backend(&stage.id, (old, was), (new, now), &amended));
        if !changed.is_empty() {
            found.push((stage, changed));
        }
    }
    let left: HashSet<&str> = new.stages.iter().map(|s| s.id.as_str()).collect();
    let lost = old.stages.iter().filter(|s| !left.contains(s.id.as_str()));
    let removed = vec!["the stage itself, which was removed".to_owned()];
    found.extend(lost.map(|stage| (stage, removed.clone())));
    found
}

/// The amendments, indexed for this check.
struct Amended<'a> {
    by_stage: HashMap<&'a str, Vec<&'a Amendment>>,
    inserted: HashSet<&'a str>,
}

impl<'a> Amended<'a> {
    fn new(amendments: &'a [Amendment]) -> Self {
        let mut by_stage: HashMap<&str, Vec<&Amendment>> = HashMap::new();
        let mut inserted = HashSet::new();
        for amendment in amendments {
            let Some(id) = amendment.stage_id.as_deref() else {
                continue;
            };
            by_stage.entry(id).or_default().push(amendment);
            if amendment.kind == "stage_insert" {
                inserted.insert(id);
            }
        }
        Self { by_stage, inserted }
    }
}

/// The differing definitional fields of a stage that no amendment covers.
fn uncovered(
    id: &str,
    was: &Map<String, Value>,
    now: &Map<String, Value>,
    amended: &Amended<'_>,
) -> Vec<String> {
    let mut found = Vec::new();
    for field in DEFINITIONAL {
        let (old, new) = (was.get(field), now.get(field));
        match (old, new) {
            (Some(Value::Object(old)), Some(Value::Object(new))) => {
                let lost = old.keys().filter(|k| !new.contains_key(*k));
                for key in new.keys().chain(lost) {
                    let path = [field, key.as_str()];
                    if old.get(key) != new.get(key) && !covered(id, &path, new.get(key), amended) {
                        found.push(format!("`{field}.{key}`"));
                    }
                }
            }
            _ if old == new => {}
            _ if covered(id, &[field], new, amended) => {}
            _ if field == "depends_on" && only_inserts(old, new, amended) => {}
            _ => found.push(format!("`{field}`")),
        }
    }
    found
}

/// The backend, if a stage runs on another one than planned. `null` means the default backend: writing the default's
/// name instead changes nothing, and a new default changes every such stage.
fn backend(
    id: &str,
    (old, was): (&State, &Map<String, Value>),
    (new, now): (&State, &Map<String, Value>),
    amended: &Amended<'_>,
) -> Option<String> {
    fn of<'a>(plan: &'a State, stage: &'a Map<String, Value>) -> Option<&'a str> {
        json::text(stage, "backend").or_else(|| json::text(&plan.map, "default_backend"))
    }
    let (before, after) = (of(old, was)?, of(new, now)?);
    let silent = before != after && !covered(id, &["backend"], now.get("backend"), amended);
    silent.then(|| format!("`backend` ({before}, now {after})"))
}

/// True if the last amendment of this field leads to the current value.
fn covered(id: &str, path: &[&str], now: Option<&Value>, amended: &Amended<'_>) -> bool {
    let of_stage = amended.by_stage.get(id).into_iter().flatten();
    let last = of_stage.rev().find_map(|a| json::at_keys(&a.changes, path));
    last.is_some_and(|change| match change.get("new") {
        Some(new) => Some(new) == now || (new.is_null() && now.is_none()),
        // A change without old and new leaves says that the field changed, but not to which value.
        None => true,
    })
}

/// True if the dependencies differ only by stages that an amendment inserted.
fn only_inserts(old: Option<&Value>, new: Option<&Value>, amended: &Amended<'_>) -> bool {
    let list = |value: Option<&Value>| value.and_then(Value::as_array).cloned().unwrap_or_default();
    let (old, new) = (list(old), list(new));
    let added = new.iter().filter(|id| !old.contains(id));
    let mut ids = added.map(|id| id.as_str().unwrap_or_default()).peekable();
    ids.peek().is_some() && ids.all(|id| amended.inserted.contains(id))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::systems::superscientist::tests::{document, parsed};

    /// The document with one text replaced by another, and the given version and amendments.
    fn edited(from: &str, to: &str, amendment: &str) -> State {
        let text = document(&[
            ("stage-1", "completed", &[]),
            ("stage-2", "pending", &["stage-1"]),
        ]);
        let text = text.replacen(from, to, 1);
        parsed(&text.replace(
            "\"amendments\": []",
            &format!("\"amendments\": [{amendment}]"),
        ))
    }

    #[test]
    fn a_change_is_silent_unless_an_amendment_leads_to_it() {
        let old = edited("", "", "");
        let amend = |change: &str, stage: &str| {
            format!(
                "{{\"id\": \"amend-1\", \"version\": 2, \"type\": \"parameter_change\", \"stage_id\": \"{stage}\", \"changes\": {change}}}"
            )
        };
        let tol = r#"{"parameters": {"tol": {"old": 1e-6, "new": 1e-8}}}"#;
        let other = r#"{"parameters": {"tol": {"old": 1e-6, "new": 1e-7}}}"#;
        let table: [(&str, &str, &str, String, &[&str]); 11] = [
            ("nothing", "", "", String::new(), &[]),
            (
                "silent parameter",
                "1e-6",
                "1e-8",
                String::new(),
                &["`parameters.tol`"],
            ),
            (
                "new parameter",
                "\"tol\"",
                "\"module_load\": \"x\", \"tol\"",
                String::new(),
                &["`parameters.module_load`"],
            ),
            ("covered", "1e-6", "1e-8", amend(tol, "stage-1"), &[]),
            (
                "covered for another stage",
                "1e-6",
                "1e-8",
                amend(tol, "stage-2"),
                &["`parameters.tol`"],
            ),
            (
                "covered to another value",
                "1e-6",
                "1e-8",
                amend(other, "stage-1"),
                &["`parameters.tol`"],
            ),
            (
                "criteria",
                "it converges",
                "it ends",
                String::new(),
                &["`success_criteria`"],
            ),
            (
                "F18: the default backend by its name",
                "\"backend\": null",
                "\"backend\": \"local\"",
                String::new(),
                &[],
            ),
            (
                "another backend",
                "\"backend\": null",
                "\"backend\": \"hpc\"",
                String::new(),
                &["`backend` (local, now hpc)"],
            ),
            (
                "another default",
                "\"default_backend\": \"local\"",
                "\"default_backend\": \"hpc\"",
                String::new(),
                &["`backend` (local, now hpc)", "`backend` (local, now hpc)"],
            ),
            (
                "operational",
                "\"retry_count\": 0",
                "\"retry_count\": 2",
                String::new(),
                &[],
            ),
        ];
        for (name, from, to, amendment, expected) in table {
            let new = edited(from, to, &amendment);
            let found: Vec<String> = differences(&old, &new)
                .into_iter()
                .flat_map(|(.., c)| c)
                .collect();
            assert_eq!(found, expected, "{name}");
        }
    }
}
