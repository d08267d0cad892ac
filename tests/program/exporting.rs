//! A workflow of Claude Code on a machine: what was said in it stays out of every command, and `relight export` takes
//! out what there is.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::private::holds;
use crate::scope::machine::Machine;

pub(crate) const RUN: &str = "wf_aaaaaaaa-001";

/// The machine with a workflow in which everything that was said holds the word CANARY.
pub(crate) fn machine() -> Machine {
    machine_with("completed_with_losses")
}

/// The machine with the workflow of a fixture.
fn machine_with(case: &str) -> Machine {
    let machine = Machine::new();
    let fixtures = Path::new(env!("CARGO_MANIFEST_DIR")).join("fixtures/claude-workflow");
    let from = fixtures.join(case).join("tree");
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

#[test]
fn nothing_is_exported_into_a_directory_of_an_agent_of_git_or_of_relight() {
    let machine = machine();
    let claude = machine.path("home/.claude");
    assert!(claude.join("projects").is_dir());
    fs::create_dir_all(machine.path("proj/.git/info")).unwrap();
    assert_eq!(machine.json("proj", &["doctor"]).0 & !1, 0);
    let state = machine.path("state/relight");
    fs::create_dir_all(&state).unwrap();
    let to = |dir: PathBuf| dir.to_str().unwrap().to_owned();
    for dir in [
        to(claude.join("projects/saved")),
        to(machine.path("proj/.git/saved")),
        to(machine.path("proj/.git/info/saved")),
        to(state.join("saved")),
    ] {
        for args in [
            &["export", RUN, &dir][..],
            &["export", RUN, &dir, "--report"],
        ] {
            let (code, answer) = machine.json("proj", args);
            assert_eq!(code, 3, "{args:?}: {answer}");
            let refused = [&answer["error"], &answer["export"]["refused"][0]["error"]];
            let text = refused.iter().find_map(|error| error["text"].as_str());
            let text = text.unwrap();
            assert!(text.contains("which is no place for exports"), "{text}");
            assert!(!Path::new(&dir).exists(), "{dir}");
        }
    }
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

/// The only file beneath a folder that has this name.
fn find(dir: &Path, name: &str) -> Option<PathBuf> {
    fs::read_dir(dir).unwrap().find_map(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            find(&path, name)
        } else {
            (path.file_name()? == name).then_some(path)
        }
    })
}

#[test]
fn an_export_lists_what_agents_did_that_run_again_and_quotes_no_command() {
    let machine = machine();
    let (code, answer) = machine.json("proj", &["export", RUN, "out"]);
    assert_eq!(code, 0, "{answer}");
    let effects = fs::read_to_string(machine.path("proj/out/effects.json")).unwrap();
    let readme = fs::read_to_string(machine.path("proj/out/README.md")).unwrap();
    assert!(!effects.contains("CANARY"), "{effects}");
    assert!(!readme.contains("CANARY"), "{readme}");
    let effects: Value = serde_json::from_str(&effects).unwrap();
    let rows = effects["effects"].as_array().unwrap().iter();
    let rows: Vec<String> = rows
        .map(|row| {
            assert_eq!(row["runsAgain"].as_array().unwrap().len(), 2, "{row}");
            let text = |key: &str| row[key].as_str().unwrap();
            format!(
                "{} {} {}: {}",
                row["agent"],
                text("kind"),
                text("what"),
                text("state")
            )
        })
        .collect();
    assert_eq!(
        rows,
        [
            "2 file out2.txt: changed since",
            "3 file out3.txt: missing",
            "3 command git commit: reported success",
            "3 command git push: reported success",
            "3 command gh pr create: reported an error, may have happened in part",
            "3 mcp MCP tracker create_ticket: no result recorded, may have happened",
            "4 file out4.txt: missing",
        ]
    );
    assert!(
        readme.contains("git push (reported success, agent 3)"),
        "{readme}"
    );
    // Whoever runs the agents again reads the briefing, not the export.
    for point in ["resume-in-session", "continue"] {
        let (code, plan) = machine.json("proj", &["plan", RUN, "--point", point]);
        assert_eq!(code, 0, "{plan}");
        let briefing = plan["plan"]["handoff"]["briefing"].as_str().unwrap();
        let listed = briefing.lines().filter(|line| line.contains(", agent "));
        assert_eq!(listed.count(), rows.len(), "{briefing}");
        let pushed = "- git push (reported success, agent 3)";
        assert!(briefing.contains(pushed), "{briefing}");
    }
}

#[test]
fn an_export_asks_git_of_files_and_worktrees() {
    if !crate::judge::git_is_there() {
        return;
    }
    let machine = machine();
    machine.repository("proj");
    let git = |dir: &str, args: &[&str]| {
        let status = Command::new("git")
            .args(["-c", "user.name=a", "-c", "user.email=a@b"])
            .args(args)
            .current_dir(machine.path(dir))
            .status()
            .unwrap();
        assert!(status.success(), "{args:?}");
    };
    git("proj", &["add", "review.js"]);
    git("proj", &["commit", "-qm", "start"]);
    let tree = ".claude/worktrees/agent-a0000000000000004";
    git("proj", &["worktree", "add", "-q", "-b", "part-4", tree]);
    fs::write(machine.path(&format!("proj/{tree}/new")), "x").unwrap();
    git(&format!("proj/{tree}"), &["add", "new"]);
    git(&format!("proj/{tree}"), &["commit", "-qm", "more"]);
    fs::write(machine.path(&format!("proj/{tree}/left")), "x").unwrap();
    let (code, answer) = machine.json("proj", &["export", RUN, "out"]);
    assert_eq!(code, 0, "{answer}");
    let warned = |answer: &Value| {
        answer["export"]["warnings"]
            .to_string()
            .contains("work tree")
    };
    assert!(warned(&answer), "{answer}");
    let readme = fs::read_to_string(machine.path("proj/out/README.md")).unwrap();
    for expected in [
        "out2.txt (changed since, untracked, agent 2)",
        "on part-4",
        "(1 commit not in the main work tree's branch, 1 uncommitted change, agent 4)",
    ] {
        assert!(readme.contains(expected), "{expected}: {readme}");
    }
    // Where the folder is ignored, nothing can be committed by accident.
    fs::write(machine.path("proj/.gitignore"), "private/\n").unwrap();
    let (code, answer) = machine.json("proj", &["export", RUN, "private"]);
    assert_eq!((code, warned(&answer)), (0, false), "{answer}");
}

#[test]
fn a_run_is_named_by_its_folder_its_journal_and_its_script() {
    let machine = machine();
    let journal = find(&machine.path("home/.claude"), "journal.jsonl").unwrap();
    let snapshot = find(&machine.path("home/.claude"), "wf_aaaaaaaa-001.json").unwrap();
    let launched = machine_with("launched_only");
    let script = find(&launched.path("home/.claude"), "review-wf_ffffffff-006.js").unwrap();
    for (on, path, run) in [
        (&machine, journal.parent().unwrap(), RUN),
        (&machine, &journal, RUN),
        (&machine, &snapshot, RUN),
        (&launched, &script, "wf_ffffffff-006"),
        (&launched, script.parent().unwrap(), "wf_ffffffff-006"),
    ] {
        let (code, answer) = on.json("work/empty", &["show", path.to_str().unwrap()]);
        assert_eq!(code, 0, "{}: {answer}", path.display());
        assert_eq!(
            answer["pipeline"]["native"],
            run,
            "{}: {answer}",
            path.display()
        );
    }
}

#[test]
fn long_arguments_are_in_a_private_file_byte_for_byte() {
    let machine = machine();
    let owner = find(
        &machine.path("home/.claude"),
        "11111111-2222-4333-8444-555555555555.jsonl",
    );
    let owner = owner.unwrap();
    let args = format!("{{\"items\":[\"{}\", 1.50]}}", "é\\u00e9 ".repeat(800));
    let text = fs::read_to_string(&owner).unwrap();
    let short = r#"{"items":["a", 1.50]}"#;
    assert!(text.contains(short));
    fs::write(&owner, text.replace(short, &args)).unwrap();
    let ask = [
        "resume",
        RUN,
        "--point",
        "resume-in-session",
        "--yes",
        "--assume-stopped",
    ];
    let (code, answer) = machine.json("proj", &ask);
    assert_eq!(code, 0, "{answer}");
    let handoff = &answer["handoff"];
    let prompt = handoff["prompt"].as_str().unwrap();
    assert!(prompt.contains("args: <the JSON after Args:>"), "{prompt}");
    assert!(prompt.len() < 2000, "{prompt}");
    let file = Path::new(handoff["briefing_file"].as_str().unwrap());
    assert_eq!(
        fs::metadata(file).unwrap().permissions().mode() & 0o777,
        0o600
    );
    let briefing = fs::read_to_string(file).unwrap();
    assert!(briefing.contains(&format!("Args:\n{args}\n")), "{briefing}");
}

#[test]
fn what_the_system_does_not_have_is_refused_with_what_to_do_instead() {
    let machine = machine();
    let amend = [
        "amend",
        RUN,
        "--type",
        "stage_skip",
        "--stage",
        "1",
        "--reason",
        "x",
    ];
    let read_only = "it only reads their files.";
    let export = "relight export claude-workflow-wf_aaaaaaaa-001";
    let points = "relight points claude-workflow-wf_aaaaaaaa-001";
    for (args, code, why, hint) in [
        (&["record", RUN, "init"][..], 3, read_only, export),
        (&["checkpoint", RUN, "--reason", "x"], 3, read_only, export),
        (
            &["replay", RUN],
            3,
            "they do not record their dispatches.",
            points,
        ),
        (
            &amend,
            2,
            "claude-workflow pipelines cannot be amended.",
            points,
        ),
    ] {
        let before = machine.everything();
        let output = machine.run("proj", args);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(code), "{args:?}: {said}");
        assert!(said.starts_with("error: "), "{args:?}: {said}");
        let one_line = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(one_line.contains(why), "{args:?}: {said}");
        assert!(one_line.contains(hint), "{args:?}: {said}");
        assert!(machine.everything() == before, "{args:?}");
    }
}

#[test]
fn an_export_without_a_directory_names_the_directory() {
    let machine = machine();
    let output = machine.run("proj", &["export", RUN]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(text.contains("not provided:\n  <DIR>\n"), "{text}");
    let text = String::from_utf8(machine.run("proj", &["export"]).stderr).unwrap();
    assert!(text.contains("<PIPELINE>...\n  <DIR>"), "{text}");
    let text = String::from_utf8(machine.run("proj", &["verify"]).stderr).unwrap();
    assert!(!text.contains("<DIR>"), "{text}");
}
