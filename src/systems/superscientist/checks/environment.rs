//! Checks of the requirements of a session: S17, S18, S20 to S22 and S24.

use std::collections::BTreeSet;
use std::path::Path;

use crate::formats::json;
use crate::model::{PathRefusal, Place, Subject};
use crate::systems::superscientist::facts::{Scene, paths, runner};
use crate::systems::superscientist::shape::INIT;

use crate::systems::kit::checks::{Outcome, fail, pass, warn};

/// The highest weight of a stage in a session's cost if the file states none.
const HEAVIEST: f64 = 2.0;

/// S17: the environment script exists. It is never run from here: it may reach other machines and download files.
pub(crate) fn init(scene: &Scene<'_>) -> Outcome {
    let Ok(place) = Place::known(&scene.facts.wf, INIT) else {
        return fail("init.sh cannot be read.", "Have a session write it again.");
    };
    let again = "Have a session write it again from the plan.";
    let head = match scene.world.files().read_range(&place, 0, 128) {
        Ok(head) => head,
        Err(error) => {
            let text = "A session stops if it cannot run init.sh.";
            return fail(format!("init.sh cannot be read: {error}. {text}"), again);
        }
    };
    let first = head.split(|b| *b == b'\n').next().unwrap_or_default();
    if first.starts_with(b"#!") && memchr::memmem::find(first, b"sh").is_some() {
        let text = "init.sh exists and names a shell. relight does not run it, because it may reach other machines.";
        return pass(text);
    }
    if head.is_empty() {
        return fail("init.sh is empty.", again);
    }
    let text = "init.sh does not start with a line that names a shell.";
    warn(text, "Run it once yourself: `bash init.sh`.")
}

/// S18: every stage's backend is described, and the credentials of a remote one are at the recorded path. They are
/// never opened.
pub(crate) fn backends(scene: &Scene<'_>) -> Vec<Outcome> {
    let state = &scene.flow.state;
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for stage in scene.stages() {
        let text = match state.profile_name(stage) {
            None => "It names no backend, and there is no default backend.".to_owned(),
            Some(name) if state.profile(name).is_none() => {
                format!("Its backend {name} is not described in `backend_profiles`.")
            }
            Some(name) => {
                let new = seen.insert(name);
                found.extend(new.then(|| credentials(scene, name)).flatten());
                continue;
            }
        };
        let remedy = "Describe the backend, or have the stage's backend changed by an amendment.";
        found.push(fail(text, remedy).about(stage.subject()));
    }
    found
}

fn credentials(scene: &Scene<'_>, name: &str) -> Option<Outcome> {
    let profile = scene.flow.state.profile(name)?;
    let nested = json::child(profile, "config").and_then(|c| json::text(c, "config_path"));
    let path = json::text(profile, "config_path").or(nested)?;
    let (wf, top) = (&scene.facts.wf, scene.facts.top.as_deref());
    let text = match paths::config(wf, top, path, scene.world) {
        Ok(Some(_)) => return None,
        Ok(None) => format!("Its configuration {path} is missing or not a regular file."),
        Err(why) => format!("It was not checked whether its configuration {path} exists: {why}."),
    };
    let remedy = "Put the file at the path in the profile, or correct the profile by an amendment.";
    Some(warn(text, remedy).about(Subject::named("backend", name)))
}

/// S20: the design and the plan exist.
pub(crate) fn documents(scene: &Scene<'_>) -> Vec<Outcome> {
    let mut found = Vec::new();
    for key in ["experiment_design", "workflow_plan"] {
        let Some(path) = json::text(&scene.flow.state.map, key) else {
            let text = format!("`{key}` names no document.");
            found.push(warn(text, "Name the document in the state file."));
            continue;
        };
        let (wf, top) = (&scene.facts.wf, scene.facts.top.as_deref());
        let resolved = paths::resolve(wf, top, path, scene.world);
        let text = match (resolved, scene.facts.git_unread()) {
            (Ok(Some(_)), _) => continue,
            // Without the repository's top no directory above is searched.
            (Ok(None) | Err(PathRefusal::Upwards), Some(why)) => format!(
                "{path} (`{key}`) was not searched in the directories above: the repository cannot be read: {why}."
            ),
            (Ok(None), None) => format!(
                "{path} (`{key}`) is neither here nor in a directory above, up to the repository's top."
            ),
            (Err(why), _) => format!("{path} (`{key}`) was not searched: {why}."),
        };
        let remedy =
            "Restore the document: `git log --all -- PATH` finds the last commit that had it.";
        found.push(warn(text, remedy));
    }
    found
}

/// S21: how much of the session's budget is spent.
pub(crate) fn budget(scene: &Scene<'_>) -> Outcome {
    let Some(session) = json::child(&scene.flow.state.map, "session_config") else {
        let text = "There is no `session_config`: the file has an older format.";
        return pass(text);
    };
    let cost = json::number(session, "session_cost").unwrap_or(0.0);
    let budget = json::number(session, "session_budget").unwrap_or(6.0);
    let weights = json::child(session, "stage_weights").into_iter();
    let weights = weights.flat_map(|weights| weights.values());
    let weights = weights.filter_map(serde_json::Value::as_f64);
    let heaviest = weights.fold(0.0, f64::max);
    let heaviest = if heaviest > 0.0 { heaviest } else { HEAVIEST };
    let over = if cost > budget + heaviest {
        ", more than the budget and one stage allow"
    } else {
        ""
    };
    let reason = json::text(session, "exit_reason");
    let reason = reason.map_or(String::new(), |reason| format!(" It ended: {reason}."));
    let of = format!("{cost} of its session_budget of {budget}");
    pass(format!("The last session used {of}{over}.{reason}"))
}

/// S22: the programs that a session needs, and for an autonomous one its runner and permissions.
pub(crate) fn programs(scene: &Scene<'_>) -> Outcome {
    let mut problems = Vec::new();
    let missing: Vec<&str> = ["tmux", "uvx", "claude", "python3"]
        .into_iter()
        .filter(|program| !scene.world.processes().on_path(program))
        .collect();
    if !missing.is_empty() {
        problems.push(format!("Not found in PATH: {}.", missing.join(", ")));
    }
    if scene.flow.state.is_autonomous() {
        if runner::find(scene.facts, scene.world).is_none() {
            problems.push("`run-workflow.sh` was not found.".to_owned());
        }
        if !has_permissions(scene) {
            problems.push("No `.claude/settings.json` grants permissions, so an autonomous session would wait.".to_owned());
        }
    }
    if problems.is_empty() {
        return pass("Every program that a session needs is in PATH.");
    }
    let remedy = "Install what is missing, or set `session_config.autonomous` to false.";
    warn(problems.join(" "), remedy)
}

fn has_permissions(scene: &Scene<'_>) -> bool {
    let grants = |root: &Path, name: &str| {
        let place = Place::known(root, format!(".claude/{name}")).ok()?;
        let bytes = scene.world.files().read(&place, 1 << 20).ok()?;
        let map = json::object(&bytes).ok()?;
        map.contains_key("permissions").then_some(())
    };
    scene.facts.roots().any(|root| {
        let mut names = ["settings.json", "settings.local.json"].into_iter();
        names.any(|name| grants(root, name).is_some())
    })
}

/// S24: whether it is paused.
pub(crate) fn pause(scene: &Scene<'_>) -> Outcome {
    let text = if scene.facts.paused {
        "The file PAUSE exists: the runner waits between sessions until it is removed."
    } else {
        "It is not paused."
    };
    pass(text)
}
