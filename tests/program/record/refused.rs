//! What a recovery of the same project forbids: one that a crash left pending, and one that runs.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::cli_acting::crashed::{UNCOMMITTED, cut_short};
use crate::cli_acting::sandbox::Sandbox;

const STATE: &str = "projects/notes/.mgw/active/57-cache-lookups.json";
const WRITES: [&[&str]; 2] = [
    &["record", STATE, "--step", "execute", "--progress", "k=1"],
    &["checkpoint", STATE, "--reason", "before the migration"],
];

/// Refuses both, with this in the text or the hint, and writes nothing.
fn refuses(sandbox: &Sandbox, said: &str) {
    for args in WRITES {
        let before = sandbox.persons();
        let (code, answer) = sandbox.json(args);
        assert_eq!(code, 3, "{args:?}: {answer}");
        assert!(answer["error"].to_string().contains(said), "{answer}");
        assert!(before == sandbox.persons(), "{args:?} changed something");
        let (_, records) = sandbox.json(&["history", "--records"]);
        assert_eq!(records["records"].as_array().map(Vec::len), Some(0));
        let (_, all) = sandbox.json(&["checkpoints", STATE]);
        assert!(
            !all["checkpoints"]
                .to_string()
                .contains("before the migration"),
            "{all}"
        );
    }
}

fn lands(sandbox: &Sandbox) {
    for args in WRITES {
        let (code, answer) = sandbox.json(args);
        assert_eq!(code, 0, "{answer}");
    }
}

#[test]
fn nothing_is_recorded_while_a_crashed_recovery_is_pending() {
    let sandbox = Sandbox::new();
    let (_, done) = sandbox.json(&["resume", "mgw-57", "step-plan", "--yes"]);
    let id = done["recovery"]["id"].as_str().unwrap();
    cut_short(&sandbox, id, UNCOMMITTED);
    refuses(&sandbox, &format!("relight recover {id}"));
    // Another project is not concerned.
    sandbox.recorded(&["projects/science/polymer-ring", "log", "x"]);
    let (code, recovered) = sandbox.json(&["recover", id, "--yes", "--assume-stopped"]);
    assert_eq!(code, 0, "{recovered}");
    lands(&sandbox);
}

#[test]
fn nothing_is_recorded_while_a_recovery_runs() {
    let sandbox = Sandbox::new();
    for args in [
        &["resume", "mgw-57", "step-plan", "--yes"][..],
        &["undo", "--yes"],
    ] {
        sandbox.grow_old();
        let (code, done) = sandbox.json(args);
        assert_eq!(code, 0, "{done}");
    }
    let lock = sandbox.locked();
    refuses(&sandbox, "The project is locked by process ");
    refuses(&sandbox, " (relight undo --yes --json) since 2");
    refuses(&sandbox, " UTC.");
    drop(lock);
    lands(&sandbox);
}

/// A word that names no record is a wrong command line, whatever the system.
#[test]
fn an_unknown_record_is_a_usage_error_in_every_system() {
    let sandbox = Sandbox::new();
    let (_, listed) = sandbox.json(&["list"]);
    let listed = listed["pipelines"].as_array().unwrap().iter();
    let text = |one: &Value, key: &str| one[key].as_str().unwrap().to_owned();
    let found = listed.map(|one| (text(one, "system"), text(one, "id")));
    let mut systems: BTreeMap<String, String> = found.collect();
    // The only one whose files are never written.
    systems.remove("claude-workflow");
    assert_eq!(systems.len(), 5, "{systems:?}");
    for id in systems.values() {
        sandbox.refused(2, &[id, "nope"]);
    }
}

/// A status that reading knows, and recording does not.
#[test]
fn a_status_that_is_only_read_is_not_said_to_be_unknown() {
    let sandbox = Sandbox::new();
    let tree = "projects/trader/.worktree/price-alerts";
    let refused = |status: &str| {
        let args = [tree, "--phase", "2", "--step", "4", "--status", status];
        sandbox.refused(3, &args)
    };
    for status in ["NEEDS_REVISION", "Testing Valid", "error"] {
        let said = refused(status);
        assert_eq!(
            said,
            format!("The status {status} cannot be recorded: it is only read.")
        );
    }
    assert_eq!(refused("done"), "There is no status done.");
}
