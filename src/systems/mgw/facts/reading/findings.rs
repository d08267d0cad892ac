//! The findings of reading, in order.

use crate::formats::json;
use crate::model::{Finding, Origin};
use crate::systems::mgw::facts::evidence::docs;
use crate::systems::mgw::facts::{Facts, Seen};
use crate::systems::mgw::points::{Basis, Target};
use crate::systems::mgw::shape::{CheckpointShape, SCHEMA, Shared, Stage, State, StateFile, Step};
use crate::text::Shown as _;

pub(crate) fn findings(facts: &Facts, target: Option<&Target>) -> Vec<Finding> {
    let mut all = Vec::new();
    for file in &facts.files {
        damage(file, &mut all);
    }
    all.extend(others(facts));
    if let Some((file, state)) = facts.parsed() {
        content(file, state, &mut all);
        refused(facts, file, state, &mut all);
        if let Some(target) = target.filter(|target| target.basis == Basis::Evidence) {
            let text = format!("Not from the checkpoint. {}", target.why);
            let origin = Origin::file(&file.path);
            all.push(Finding::inferred("inferred-target", origin, text));
        }
    }
    shared(&facts.project, &mut all);
    shared(&facts.refs, &mut all);
    if let Shared::Read { path, .. } = &facts.refs {
        for bad in &facts.bad_links {
            let text = format!("A link is skipped: {bad}.");
            all.push(Finding::warn("bad-link", Origin::file(path), text));
        }
    }
    all
}

fn damage(file: &StateFile, all: &mut Vec<Finding>) {
    let Err(damage) = &file.parsed else { return };
    let why = &damage.why;
    let text =
        format!("The state file cannot be read: {why}. The orchestrator treats it as absent.");
    all.push(damage.finding(file.path.clone(), text));
}

/// Further files of the same number, and `.tmp` files.
fn others(facts: &Facts) -> Vec<Finding> {
    let warn = |file: &StateFile, code, text| Finding::warn(code, Origin::file(&file.path), text);
    let mut all = Vec::new();
    if let Some((first, rest)) = facts.files.split_first() {
        let used = first.path.shown();
        let number = &facts.number;
        let text = format!("Another state file of issue {number}; {used} is used.");
        let duplicate = |other| warn(other, "duplicate-file", text.clone());
        all.extend(rest.iter().map(duplicate));
    }
    for stray in facts.files.iter().filter(|file| file.stray) {
        let text = "A state file inside a worktree: some steps of the orchestrator write there by mistake.";
        all.push(warn(stray, "stray-state", text.to_owned()));
    }
    for tmp in &facts.tmp_files {
        let whole = tmp.parsed.is_ok();
        let whole = if whole { "complete" } else { "truncated" };
        let text = format!("The .tmp file of an interrupted write; it is {whole}.");
        all.push(warn(tmp, "leftover-tmp", text));
    }
    all
}

/// Members with unexpected values.
fn content(file: &StateFile, state: &State, all: &mut Vec<Finding>) {
    let mut warn = |code: &'static str, text: String| {
        all.push(Finding::warn(code, Origin::file(&file.path), text));
    };
    for pair in json::duplicates(&file.bytes) {
        let text = format!(
            "The key {} is duplicated, as {} and as {}. The last one counts, and the file is not written.",
            pair.key, pair.first, pair.second
        );
        warn("duplicate-key", text);
    }
    match state.stage_text() {
        None => warn("unknown-status", "There is no pipeline_stage.".to_owned()),
        Some(text) if text.parse::<Stage>().is_err() => {
            warn("unknown-status", format!("The stage {text} is unknown."));
        }
        Some(_) => {}
    }
    if let CheckpointShape::Wrong(kind) = state.checkpoint_shape() {
        let text = format!("The checkpoint is {kind}, not an object.");
        warn("wrong-type", text);
    }
    let Some(checkpoint) = state.checkpoint() else {
        return;
    };
    let (schema, step_text) = (checkpoint.schema, &checkpoint.step_text);
    if schema > SCHEMA {
        let text = format!(
            "The checkpoint has version {schema}, newer than {SCHEMA}: it is read, never written."
        );
        warn("newer-schema", text);
    }
    if checkpoint.step.is_none() {
        let text = format!("The checkpoint's step {step_text} is unknown.");
        warn("unknown-step", text);
    }
    if let (None, Some(text)) = (checkpoint.action, &checkpoint.action_text) {
        warn("unknown-action", format!("The action {text} is unknown."));
    }
    if checkpoint.regressed() {
        let last = checkpoint.last_past.map_or("", |step| step.word());
        let text =
            format!("The checkpoint is at {step_text}, and its history is already at {last}.");
        warn("checkpoint-regressed", text);
    }
}

/// Paths that lead outside the project.
fn refused(facts: &Facts, file: &StateFile, state: &State, all: &mut Vec<Finding>) {
    for named in named_paths(state) {
        let is_path = !named.path.contains("://");
        if let (true, Err(why)) = (is_path, facts.lookup.rel(&named.path)) {
            let (what, path) = (&named.what, &named.path);
            let text = format!("{what} is not opened, because {why}: {path}");
            let origin = Origin::file(&file.path);
            all.push(Finding::warn("refused-path", origin, text));
        }
    }
}

fn shared(file: &Shared, all: &mut Vec<Finding>) {
    if let Shared::Damaged { path, line, why } = file {
        let origin = Origin::at(path, *line);
        let text = format!("The file cannot be read ({why}), so what it says is unknown.");
        all.push(Finding::warn("bad-json", origin, text));
    }
}

/// A path in the state file, and its purpose.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NamedPath {
    pub(crate) what: String,
    pub(crate) path: String,
    /// `plan`, `summary`, `verification` or something else.
    pub(crate) kind: String,
}

/// Every path that the checkpoint names, each once.
pub(crate) fn named_paths(state: &State) -> Vec<NamedPath> {
    let mut all: Vec<NamedPath> = Vec::new();
    let mut add = |what: &str, path: Option<&str>, kind: &str| {
        let Some(path) = path.filter(|path| !path.is_empty()) else {
            return;
        };
        if !all.iter().any(|named| named.path == path) {
            all.push(NamedPath {
                what: what.to_owned(),
                path: path.to_owned(),
                kind: kind.to_owned(),
            });
        }
    };
    if let Some(checkpoint) = state.checkpoint() {
        for artifact in checkpoint.artifacts.iter().filter(|a| a.kind != "commit") {
            let kind = &artifact.kind;
            add(&format!("{kind} artifact"), Some(&artifact.path), kind);
        }
        for (key, kind) in [("plan_path", "plan"), ("verification_path", "verification")] {
            add(key, json::text(&checkpoint.progress, key), kind);
        }
        let output = checkpoint.last_output.as_deref();
        let kind = output.and_then(docs::step).and_then(Step::document);
        add(
            "last_agent_output",
            output,
            kind.map_or("", |(_, kind)| kind),
        );
        add("quick_dir", checkpoint.context_text("quick_dir"), "");
        add("phase_dir", checkpoint.context_text("phase_dir"), "");
    }
    add("gsd_artifacts.path", state.artifacts_path(), "");
    all
}

/// The result of a lookup as text.
pub(crate) fn seen_text(seen: Seen) -> String {
    match seen {
        Seen::Found(at) => format!("found {}", at.word()),
        Seen::Empty(at) => format!("empty {}", at.word()),
        Seen::Missing => "missing".to_owned(),
        Seen::Odd(at) => format!("no file that can be read {}", at.word()),
        Seen::Closed(at) => format!(
            "unknown, because its directory {} cannot be read",
            at.word()
        ),
        Seen::Unread => "unknown, because git cannot be read".to_owned(),
        Seen::Refused(why) => format!("not opened, because {why}"),
        Seen::Url => "a URL, not checked".to_owned(),
    }
}
