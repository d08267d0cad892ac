//! What `doctor --json` prints. Its paths are shortened like those for a person, because it is pasted into reports.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::SCHEMA;
use crate::cli::commands::doctor::{self, TerminalFacts};
use crate::engine::{Health, SearchedPlace, Skipped, SystemCount};
use crate::model::Clean;
use crate::text::format::shorten_paths_in;

/// `doctor`.
pub(crate) fn doctor(
    health: &Health,
    terminal: &TerminalFacts,
    config: Option<&Path>,
    problems: &[Clean],
) -> Value {
    let space = health.space.iter();
    let space: Vec<Value> = space
        .map(|(what, bytes)| json!({ "what": what, "bytes": bytes }))
        .collect();
    let pending: Vec<&str> = health.pending.iter().map(|id| id.0.as_str()).collect();
    let problems: Vec<&str> = problems.iter().map(Clean::as_str).collect();
    let variables = terminal.variables.iter();
    let variables: Map<String, Value> = variables
        .map(|(name, value)| ((*name).to_owned(), json!(value)))
        .collect();
    json!({
        "schema": SCHEMA,
        "version": env!("CARGO_PKG_VERSION"),
        "os": std::env::consts::OS,
        "arch": std::env::consts::ARCH,
        "config": config.map(short),
        "scope": health.scope.word(),
        "places": health.places.iter().map(place).collect::<Vec<_>>(),
        "systems": health.systems.iter().map(system).collect::<Vec<_>>(),
        "failing": health.failing,
        "hidden": super::pipeline::hidden(health.hidden),
        "skipped": health.skipped.iter().map(skipped).collect::<Vec<_>>(),
        "terminal": {
            "columns": terminal.size.map(|size| size.0),
            "rows": terminal.size.map(|size| size.1),
            "colors": terminal.colored,
            "background": terminal.background,
            "clipboard": terminal.clipboard,
            "variables": variables,
        },
        "git": {
            "libgit2": health.library,
            "program": health.git.as_deref().map(short),
            "work_tree": health.work_tree.as_deref().map(short),
            "index_locks": health.index_locks.iter().map(|(lock, _)| short(lock)).collect::<Vec<_>>(),
        },
        "state": {
            "directory": health.state.as_deref().map(short),
            "space": space,
            "free_bytes": health.free,
        },
        "pending": pending,
        "unreadable": health.unreadable.iter().map(skipped).collect::<Vec<_>>(),
        "problems": problems,
    })
}

/// The path as the page shows it.
fn short(path: &Path) -> String {
    doctor::short(path).into_string()
}

fn place(place: &SearchedPlace) -> Value {
    json!({
        "path": short(&place.path),
        "kind": place.kind,
        "exists": place.exists,
        "pipelines": place.pipelines,
    })
}

fn system(system: &SystemCount) -> Value {
    let statuses = system.statuses.iter();
    let statuses: Map<String, Value> = statuses
        .map(|(status, number)| (status.word().to_owned(), json!(number)))
        .collect();
    json!({ "name": system.name, "statuses": statuses })
}

fn skipped(skipped: &Skipped) -> Value {
    let reason = shorten_paths_in(&skipped.reason.lossy());
    json!({ "path": short(&skipped.path), "reason": reason })
}
