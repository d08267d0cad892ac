//! A state directory that cannot be used stops every command that needs it in the same way, and no other.

use std::fs;

use super::kind;
use super::sandbox::Sandbox;

#[test]
fn every_command_that_needs_the_state_directory_ends_with_the_same_code() {
    let sandbox = Sandbox::new();
    let id = sandbox.crucible();
    // The demo's own state would be used in spite of the variables.
    fs::remove_file(sandbox.root().join(".relight-sandbox")).unwrap();
    let home = sandbox.root().join("home");
    let file = sandbox.root().join("a-file");
    fs::write(&file, "").unwrap();
    let some = "20261126T010203-0000";
    let commands: [&[&str]; 11] = [
        &["history"],
        &["undo", "--yes"],
        &["undo", some, "--yes"],
        &["redo", "--yes"],
        &["recover", some, "--yes"],
        &["purge", some, "--yes"],
        &["resume", &id, "wave-1", "--yes"],
        &["rehearse", &id, "wave-1"],
        &["checkpoint", "price-alerts", "--reason", "look"],
        &["record", "superscientist-polymer", "log", "still here"],
        &["compare", &id],
    ];
    for state in [file.to_str().unwrap(), "/dev/null/x"] {
        let variables = [("HOME", home.to_str().unwrap()), ("XDG_STATE_HOME", state)];
        let json = |args: &[&str]| {
            let output = sandbox.run_with(&variables, &[args, &["--json"]].concat());
            let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
            (output.status.code(), answer)
        };
        for args in commands {
            let (code, answer) = json(args);
            assert_eq!(
                (code, kind(&answer)),
                (Some(5), "unreadable"),
                "{state} {args:?}: {answer}"
            );
            let hints = answer["error"]["hints"].to_string();
            assert!(hints.contains("XDG_STATE_HOME"), "{args:?}: {hints}");
        }
        for args in [
            &["list"][..],
            &["show", &id],
            &["verify", "mgw-57"],
            &["why", &id],
        ] {
            let (code, answer) = json(args);
            assert_ne!(code, Some(5), "{state} {args:?}: {answer}");
        }
    }
}
