//! `resume --launch` with an agent of the test's own, named by the person's configuration.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::sandbox::Sandbox;

/// A configuration that names this script for mgw; the script gets the sandbox's folder for its notes.
fn agent(dir: &Path, script: &str) -> PathBuf {
    let program = dir.join("agent.sh");
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let config = dir.join("config.toml");
    let text = format!("[agent]\nmgw = [\"{}\"]\n", program.display());
    fs::write(&config, text).unwrap();
    config
}

#[test]
fn the_outcome_is_printed_then_the_agent_runs_where_it_was_shown_to() {
    let sandbox = Sandbox::new();
    let dir = tempfile::tempdir().unwrap();
    let config = agent(dir.path(), "pwd; echo \"agent: $#\"; exit 7");
    let config = config.to_str().unwrap();
    let output = sandbox.run(&[
        "resume",
        "mgw-57",
        "step-plan",
        "--yes",
        "--launch",
        "--config",
        config,
    ]);
    let text = String::from_utf8(output.stdout).unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    // Handed over is done, whatever becomes of the agent.
    assert_eq!(output.status.code(), Some(0), "{text}{said}");
    let cwd = sandbox.root().join("projects/notes");
    let order = [
        "Done: 57-cache-lookups.json written.",
        "Hand-off",
        &format!("\n{}\nagent: ", cwd.display()),
        "The orchestrator has ended: exit 7.",
        "No new record of its work was seen",
    ];
    let mut from = 0;
    for words in order {
        let at = text.get(from..).unwrap().find(words);
        from += at.unwrap_or_else(|| panic!("{words:?} is not after the rest in:\n{text}"));
    }
}

#[test]
fn a_record_that_the_agent_leaves_is_seen() {
    let sandbox = Sandbox::new();
    let dir = tempfile::tempdir().unwrap();
    let state = sandbox
        .root()
        .join("projects/notes/.mgw/active/57-cache-lookups.json");
    let script = format!(
        "sed -i 's/\"spawn-executor\"/\"spawn-verifier\"/' '{}'",
        state.display()
    );
    let config = agent(dir.path(), &script);
    let config = config.to_str().unwrap();
    let output = sandbox.run(&[
        "resume",
        "mgw-57",
        "step-plan",
        "--yes",
        "--launch",
        "--config",
        config,
    ]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("has ended: exit 0."), "{text}");
}

#[test]
fn an_agent_that_is_not_there_leaves_what_was_restored_and_the_command() {
    let sandbox = Sandbox::new();
    let before = sandbox.persons();
    let dir = tempfile::tempdir().unwrap();
    let config = agent(dir.path(), "true");
    fs::remove_file(dir.path().join("agent.sh")).unwrap();
    let config = config.to_str().unwrap();
    let output = sandbox.run(&[
        "resume",
        "mgw-57",
        "step-plan",
        "--yes",
        "--launch",
        "--config",
        config,
    ]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("What was restored stands."), "{said}");
    assert!(said.contains("agent.sh"), "{said}");
    assert_ne!(before, sandbox.persons());
    assert_eq!(sandbox.run(&["undo", "--yes"]).status.code(), Some(0));
    assert_eq!(before, sandbox.persons());
}
