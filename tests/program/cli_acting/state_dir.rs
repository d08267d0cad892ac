//! A state directory that cannot be used stops every command that needs it in the same way, and no other.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use super::kind;
use super::sandbox::Sandbox;

#[test]
fn every_command_that_needs_the_state_directory_ends_with_the_same_code() {
    let sandbox = Sandbox::new();
    let id = sandbox.crucible();
    // The demo's own state would be used in spite of the variables.
    fs::remove_file(sandbox.root().join(".relight-sandbox")).unwrap();
    let home = sandbox.root().join("home");
    let temp = home.join("tmp");
    let file = sandbox.root().join("a-file");
    fs::write(&file, "").unwrap();
    let some = "20261126T010203-0000";
    let commands: [&[&str]; 12] = [
        &["history"],
        &["undo", "--yes"],
        &["undo", some, "--yes"],
        &["redo", "--yes"],
        &["recover", some, "--yes"],
        &["purge", some, "--yes"],
        &["resume", &id, "wave-1", "--yes"],
        &["resume", "mgw-57", "--yes"],
        &["rehearse", &id, "wave-1"],
        &["checkpoint", "price-alerts", "--reason", "look"],
        &["record", "superscientist-polymer", "log", "still here"],
        &["compare", &id],
    ];
    for state in [file.to_str().unwrap(), "/dev/null/x"] {
        let variables = [
            ("HOME", home.to_str().unwrap()),
            ("TMPDIR", temp.to_str().unwrap()),
            ("XDG_STATE_HOME", state),
        ];
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

/// One trouble has one code, whatever the command, `doctor` reports it, and the hint removes it.
/// An empty store would be called a damaged one.
#[test]
fn a_checkpoint_that_is_refused_leaves_no_store() {
    let sandbox = Sandbox::new();
    let id = sandbox
        .ids()
        .into_iter()
        .find(|id| id.starts_with("mgw-40"));
    let id = id.unwrap();
    let output = sandbox.run(&["checkpoint", &id, "--reason", "x", "--tree"]);
    assert_eq!(output.status.code(), Some(3));
    let (code, said) = sandbox.json(&["checkpoints", &id]);
    assert_eq!(code, 0, "{said}");
    let state = sandbox.root().join("home/.local/state/relight/checkpoints");
    assert!(!state.exists() || fs::read_dir(state).unwrap().next().is_none());
}

#[test]
fn a_state_directory_that_others_may_write_to_is_one_trouble_everywhere() {
    let sandbox = Sandbox::new();
    let id = sandbox.crucible();
    fs::remove_file(sandbox.root().join(".relight-sandbox")).unwrap();
    let home = sandbox.root().join("home");
    let temp = home.join("tmp");
    let state = home.join(".local/state");
    let own = state.join("relight");
    fs::create_dir_all(&own).unwrap();
    let commands: [&[&str]; 5] = [
        &["resume", &id, "wave-1", "--yes"],
        // Nothing of the pipeline is changed, and the briefing is written all the same.
        &["resume", "mgw-57", "--yes"],
        &["rehearse", &id, "wave-1"],
        &["checkpoint", "price-alerts", "--reason", "look"],
        &["record", "superscientist-polymer", "log", "still here"],
    ];
    let variables = [
        ("HOME", home.to_str().unwrap()),
        ("TMPDIR", temp.to_str().unwrap()),
        ("XDG_STATE_HOME", state.to_str().unwrap()),
    ];
    let json = |args: &[&str]| {
        let output = sandbox.run_with(&variables, &[args, &["--json"]].concat());
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        (output.status.code(), answer)
    };
    let problem = |answer: &serde_json::Value| {
        let problems = answer["problems"].as_array().unwrap().iter();
        let mut problems = problems.map(|one| one.as_str().unwrap().to_owned());
        problems.find(|one| one.starts_with("state directory: "))
    };
    for (mode, wanted) in [(0o770, "other users"), (0o777, "other users")] {
        fs::set_permissions(&own, Permissions::from_mode(mode)).unwrap();
        for args in commands {
            let (code, answer) = json(args);
            assert_eq!(
                (code, kind(&answer)),
                (Some(5), "unreadable"),
                "{mode:o} {args:?}: {answer}"
            );
            let text = answer["error"]["text"].as_str().unwrap();
            assert!(text.starts_with(own.to_str().unwrap()), "{text}");
            assert!(text.contains(wanted), "{text}");
            let hints = answer["error"]["hints"].to_string();
            let hint = format!("chmod go-w {}", own.to_str().unwrap());
            assert!(hints.contains(&hint), "{args:?}: {hints}");
        }
        let (_, doctor) = json(&["doctor"]);
        let problem = problem(&doctor).unwrap();
        assert!(problem.contains("chmod go-w"), "{problem}");
    }
    fs::set_permissions(&own, Permissions::from_mode(0o755)).unwrap();
    assert_eq!(problem(&json(&["doctor"]).1), None);

    // A file in its place is moved: no permission helps.
    fs::remove_dir(&own).unwrap();
    fs::write(&own, "").unwrap();
    let (code, answer) = json(&["resume", "mgw-57", "--yes"]);
    let (_, history) = json(&["history"]);
    let hints = answer["error"]["hints"].to_string();
    assert_eq!(code, Some(5), "{answer}");
    for told in [
        &hints,
        &history["error"]["hints"].to_string(),
        &problem(&json(&["doctor"]).1).unwrap(),
    ] {
        assert!(told.contains(" away"), "{told}");
        assert!(!told.contains("permissions"), "{told}");
    }
    let (code, why) = json(&["why", "mgw-57"]);
    let notes = why["notes"].to_string();
    assert_eq!(code, Some(0), "{why}");
    assert!(
        notes.contains("history of relight cannot be read"),
        "{notes}"
    );
}
