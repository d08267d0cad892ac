//! A workflow of Claude Code on a machine: what was said in it stays out of every command, and `relight export` takes
//! out what there is.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::scope::machine::Machine;

const RUN: &str = "wf_aaaaaaaa-001";

/// The machine with the workflow of a fixture, in which everything that was said holds the word CANARY.
fn machine() -> Machine {
    let machine = Machine::new();
    let from = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fixtures/claude-workflow/completed_with_losses/tree");
    let root = machine
        .path("")
        .to_str()
        .unwrap()
        .trim_end_matches('/')
        .to_owned();
    let slug: String = machine
        .path("proj")
        .to_str()
        .unwrap()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    lay_out(&from, &machine.path(""), &|text| {
        text.replace("@R@", &root).replace("@PH:proj@", &slug)
    });
    machine
}

fn lay_out(from: &Path, to: &Path, fill: &dyn Fn(&str) -> String) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(fill(entry.file_name().to_str().unwrap()));
        if entry.file_type().unwrap().is_dir() {
            lay_out(&entry.path(), &to, fill);
        } else {
            let text = fs::read_to_string(entry.path()).unwrap();
            fs::write(to, fill(&text)).unwrap();
        }
    }
}

#[test]
fn what_was_said_in_a_conversation_is_in_no_output() {
    let machine = machine();
    let (code, list) = machine.json("proj", &["list", "--all"]);
    assert_eq!(code, 0, "{list}");
    let pipelines = list["pipelines"].as_array().unwrap();
    let one = pipelines
        .iter()
        .find(|one| one["system"] == "claude-workflow");
    let status = one.unwrap()["status"].as_str().unwrap();
    assert_eq!(status, "interrupted", "recorded as completed, with losses");
    let commands: [&[&str]; 12] = [
        &["list", "--all"],
        &["list", "--brief"],
        &["show", RUN],
        &["timeline", RUN],
        &["verify", RUN],
        &["points", RUN],
        &["checkpoints", RUN],
        &["plan", RUN],
        &["plan", RUN, "--point", "continue"],
        &["why", RUN],
        &["doctor"],
        &["resume", RUN, "--yes", "--assume-stopped"],
    ];
    for args in commands {
        for json in [&[][..], &["--json"]] {
            let output = machine.run("proj", &[args, json].concat());
            let said = [output.stdout, output.stderr].concat();
            let said = String::from_utf8_lossy(&said).into_owned();
            assert!(!said.is_empty(), "{args:?}");
            assert!(!said.contains("CANARY"), "{args:?}: {said}");
        }
    }
    // Nor in what relight keeps, the briefing of the hand-off among it.
    assert!(!holds(&machine.path("state"), b"CANARY"));
}

/// Whether a file beneath a folder has these bytes.
fn holds(dir: &Path, bytes: &[u8]) -> bool {
    fs::read_dir(dir).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            holds(&path, bytes)
        } else {
            fs::read(path).is_ok_and(|all| all.windows(bytes.len()).any(|part| part == bytes))
        }
    })
}

#[test]
fn an_export_has_the_results_the_script_and_the_gaps_and_overwrites_nothing() {
    let machine = machine();
    let args = ["export", RUN, "out"];
    let (code, answer) = machine.json("proj", &args);
    assert_eq!(code, 0, "{answer}");
    let export = &answer["export"];
    assert!(!export["gaps"].as_array().unwrap().is_empty(), "{export}");
    let dir = machine.path("proj/out");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&dir), 0o700);
    for file in export["files"].as_array().unwrap() {
        let path = dir.join(file.as_str().unwrap());
        assert_eq!(mode(&path), 0o600, "{}", path.display());
    }
    let results = fs::read_to_string(dir.join("results.json")).unwrap();
    let results: serde_json::Value = serde_json::from_str(&results).unwrap();
    assert_eq!(results["runId"], RUN);
    let agents = results["agents"].as_array().unwrap();
    assert_eq!(agents.len(), 5);
    assert_eq!(agents[0]["result"]["path"], "a");
    let args_json = fs::read_to_string(dir.join("args.json")).unwrap();
    assert_eq!(
        args_json.trim_end(),
        r#"{"items":["a", 1.50]}"#,
        "byte for byte"
    );
    assert!(dir.join("continue.js").is_file() && dir.join("README.md").is_file());

    let before = fs::read(dir.join("results.json")).unwrap();
    let (code, answer) = machine.json("proj", &args);
    assert_eq!(code, 3, "{answer}");
    assert_eq!(fs::read(dir.join("results.json")).unwrap(), before);
    let (code, answer) = machine.json("work/lab/tokenizer-speed", &["export", ".", "out"]);
    assert_eq!(code, 3, "{answer}");
    assert!(!machine.path("work/lab/tokenizer-speed/out").exists());
}

#[test]
fn what_the_system_does_not_have_is_refused_in_a_sentence() {
    let machine = machine();
    for args in [
        &["replay", RUN][..],
        &["record", RUN, "init"],
        &[
            "amend",
            RUN,
            "--type",
            "stage_skip",
            "--stage",
            "1",
            "--reason",
            "x",
        ],
    ] {
        let output = machine.run("proj", args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(
            matches!(output.status.code(), Some(2 | 3)),
            "{args:?}: {output:?}"
        );
        assert!(said.starts_with("error: "), "{args:?}: {said}");
        println!("{args:?}: {said}");
    }
}
