//! What is done and said when files of the original change while a run is under way.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::isolated::bwrap_works;
use super::kit::{Labels, parsed, text, unwrapped};

#[test]
fn a_run_that_changes_the_original_ends_the_experiment() {
    let labels = Labels::new();
    let swap = labels.late();
    let project = labels.sandbox.root().join("projects/labels");
    // The path is in the script alone: neither the dispatch nor the command line has it.
    let hostile = format!("echo x >> '{}/hostile.txt'; echo PASS", project.display());
    let hostile = labels.script("hostile.sh", &hostile);
    let options = [
        "--mutate",
        &swap,
        "--from-phase",
        "4",
        "--sandbox",
        "off",
        "--repeat",
        "3",
    ];
    let (code, done) = labels.json(&options, &[&hostile]);
    let sessions = done["sessions"].as_array().unwrap();
    assert_eq!((code, sessions.len()), (1, 1), "{done}");
    let change = &sessions[0]["outside"][0];
    assert_eq!(
        (&change["change"], &change["by_run"], &change["by"]),
        (&"created".into(), &true.into(), &"run".into()),
        "{done}"
    );
    assert_eq!(
        change["path"].as_str(),
        project.join("hostile.txt").to_str()
    );
    let (_, listed) = labels.json(&["--list"], &[]);
    assert_eq!(listed["sessions"][0]["outside"], sessions[0]["outside"]);
    let page = text(&labels.replay(&["--list"], &[]).stdout);
    assert!(page.contains("This run changed 1 file"), "{page}");
}

#[test]
fn a_run_that_changed_the_original_confounds_what_came_before() {
    // Also where nothing came before: one run is all that the experiment has.
    for (block, runs) in [(1, 1), (2, 3)] {
        let labels = Labels::new();
        let swap = labels.late();
        let file = labels.sandbox.root().join("projects/labels/hostile.txt");
        let script = format!(
            "test $RELIGHT_BLOCK != {block} || echo x >> '{}'; echo PASS",
            file.display()
        );
        let script = labels.script("hostile.sh", &script);
        let options = [
            "--mutate",
            &swap,
            "--sandbox",
            "off",
            "--repeat",
            "3",
            "--from-phase",
            "4",
        ];
        let (code, done) = labels.json(&options, &[&script]);
        let sessions = done["sessions"].as_array().unwrap();
        assert_eq!((code, sessions.len()), (1, runs), "{done}");
        let id = done["experiment"]["id"].as_str().unwrap();
        let (_, compared) = labels.sandbox.json(&["compare", &labels.id, id]);
        assert_eq!(compared["verdict"], "confounded", "{compared}");
        let changed = sessions[runs - 1]["id"].as_str().unwrap();
        let confounder = format!("Run {changed} changed 1 file of the original.");
        let found = compared["confounders"].as_array().unwrap();
        assert!(found.iter().any(|one| *one == confounder), "{compared}");
    }
}

/// Two runs, during each of which somebody else saves a file of the original.
fn saved_meanwhile(sandbox: &str) -> (PathBuf, Option<i32>, Value) {
    let labels = Labels::new();
    let swap = labels.late();
    let saved = labels.sandbox.root().join("projects/labels/saved.txt");
    let (ready, go) = (labels.pipe("ready"), labels.pipe("go"));
    // The runner only says when it runs; the test is the person.
    let script =
        "[ -e waited ] || { touch waited; echo > \"$READY\"; read _ < \"$GO\"; }; echo PASS";
    let script = format!(
        "READY='{}' GO='{}'; {script}",
        ready.display(),
        go.display()
    );
    let options = [
        "--json",
        "--mutate",
        &swap,
        "--from-phase",
        "4",
        "--sandbox",
        sandbox,
        "--repeat",
        "2",
        "--no-control",
    ];
    let script = labels.script("waits.sh", &script);
    let child = labels.begin(&options, &[&script]);
    for at in 0..2 {
        assert_eq!(fs::read_to_string(&ready).unwrap(), "\n");
        fs::write(&saved, format!("saved {at}")).unwrap();
        fs::write(&go, "\n").unwrap();
    }
    let output = child.wait_with_output().unwrap();
    let done: Value = serde_json::from_slice(&output.stdout).unwrap();
    (saved, output.status.code(), done)
}

#[test]
fn a_file_that_a_person_saves_beside_the_sandbox_is_named_and_stops_nothing() {
    if !bwrap_works() {
        return;
    }
    let (saved, code, done) = saved_meanwhile("bwrap");
    assert_eq!(code, Some(0), "{done}");
    let sessions = done["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 2);
    for (session, change) in sessions.iter().zip(["created", "changed"]) {
        let found = &session["outside"][0];
        let by = (&found["by_run"], &found["by"]);
        assert_eq!(by, (&false.into(), &"other".into()), "{done}");
        assert_eq!(
            (&found["change"], found["path"].as_str()),
            (&change.into(), saved.to_str()),
            "{done}"
        );
    }
}

#[test]
fn without_a_sandbox_it_is_not_known_who_changed_the_original_and_its_block_is_left_out() {
    let (saved, code, done) = saved_meanwhile("off");
    let sessions = done["sessions"].as_array().unwrap();
    assert_eq!((code, sessions.len()), (Some(0), 2), "{done}");
    let found = &sessions[0]["outside"][0];
    let by = (&found["by_run"], &found["by"]);
    assert_eq!(by, (&false.into(), &"unknown".into()), "{done}");
    assert_eq!(found["path"].as_str(), saved.to_str());
    let trouble = sessions[0]["trouble"].to_string();
    assert!(
        trouble.contains("not known whether the run did it"),
        "{trouble}"
    );
    assert!(!trouble.contains("another program changed"), "{trouble}");
}

/// A replay whose runner is told by a variable where the original is.
fn leaks(labels: &Labels, options: &[&str]) -> std::process::Output {
    let project = labels.sandbox.root().join("projects/labels");
    let script = labels.script("leak.sh", "echo leak >> \"$OUT/README.md\"\necho PASS");
    let swap = labels.late();
    let all = [
        &["--mutate", &swap, "--from-phase", "4", "--sandbox", "off"],
        options,
    ]
    .concat();
    let mut command = labels.command(&all, &[&script]);
    command.env("OUT", project).output().unwrap()
}

#[test]
fn a_write_through_a_variable_that_the_run_inherits_is_the_runs() {
    let labels = Labels::new();
    let output = leaks(&labels, &["--repeat", "8"]);
    let page = unwrapped(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{page}");
    assert!(
        page.contains("This run changed 1 file of the original"),
        "{page}"
    );
    // It is not the verdict that made the other runs unnecessary.
    let why = "(15 of 16 runs not started: files of the original changed)";
    assert!(page.contains(why), "{page}");
    let (_, listed) = labels.json(&["--list"], &[]);
    let id = listed["sessions"][0]["id"].as_str().unwrap();
    let (_, compared) = labels.sandbox.json(&["compare", &labels.id]);
    assert_eq!(compared["verdict"], "confounded", "{compared}");
    let expected = format!("Run {id} changed 1 file of the original.");
    assert!(
        compared["confounders"].to_string().contains(&expected),
        "{compared}"
    );
    let (experiment, _) = id.rsplit_once('-').unwrap();
    // No further run changes that, however many blocks there are.
    let planned = unwrapped(
        &labels
            .replay(&["--continue", experiment, "--dry-run"], &[])
            .stdout,
    );
    assert!(
        planned.contains("! No run can lead to a verdict."),
        "{planned}"
    );
    assert!(
        planned.contains("--fresh") && !planned.contains("It takes --repeat"),
        "{planned}"
    );
}

#[test]
fn a_look_that_changed_the_original_has_it_among_the_confounders() {
    let labels = Labels::new();
    let (code, done) = parsed(&leaks(&labels, &["--json"]));
    assert_eq!(code, 1, "{done}");
    let id = done["sessions"][0]["id"].as_str().unwrap();
    let expected = format!("Run {id} changed 1 file of the original.");
    let (_, compared) = labels
        .sandbox
        .json(&["compare", &labels.id, "original", id]);
    assert!(
        compared["confounders"].to_string().contains(&expected),
        "{compared}"
    );
    for format in ["text", "markdown"] {
        let words = ["compare", &labels.id, "original", id, "--format", format];
        let page = unwrapped(&labels.sandbox.run(&words).stdout);
        assert!(page.contains(&expected), "{page}");
    }
}

/// Writes into the records of all runs that another program changed the original while they ran.
fn disturb(sessions: &Value) {
    for session in sessions.as_array().unwrap() {
        let path = Path::new(session["folder"].as_str().unwrap()).join("ended.json");
        let mut ended: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let mut change = serde_json::json!({ "change": "changed", "by_run": false, "by": "other" });
        change["path"] = "/p/README.md".into();
        ended["outside"] = serde_json::json!([change]);
        fs::write(&path, ended.to_string()).unwrap();
    }
}

#[test]
fn blocks_that_are_left_out_are_not_called_blocks_that_are_not_run_yet() {
    let labels = Labels::new();
    let swap = labels.late();
    let options = [
        "--mutate",
        &swap,
        "--from-phase",
        "4",
        "--sandbox",
        "off",
        "--repeat",
        "2",
    ];
    let (code, done) = labels.json(&options, &["/bin/sh", "-c", "echo PASS"]);
    assert_eq!(code, 0, "{done}");
    disturb(&done["sessions"]);
    let (_, compared) = labels.sandbox.json(&["compare", &labels.id]);
    let said = compared["verdict_text"].as_str().unwrap();
    assert!(
        said.contains("No block counts: files of the original changed"),
        "{said}"
    );
    assert!(said.contains("Add 10 blocks: relight replay"), "{said}");
    assert_eq!(
        compared["skipped"].as_array().unwrap().len(),
        2,
        "{compared}"
    );
}
