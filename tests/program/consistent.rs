//! What is said in one place holds in every other: warnings, words for one thing, and what a person is told to type.

use std::fs;

use serde_json::Value;

use crate::cli_acting::sandbox::Sandbox;

const RING: &str = "projects/science/polymer-ring";

/// What a command prints, with its errors.
fn said(sandbox: &Sandbox, args: &[&str]) -> String {
    let output = sandbox.run(args);
    let text = [output.stdout, output.stderr].concat();
    String::from_utf8(text).unwrap()
}

fn edit(sandbox: &Sandbox, name: &str, from: &str, to: &str) {
    let path = sandbox.root().join(name);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(path, text.replacen(from, to, 1)).unwrap();
}

fn plan(sandbox: &Sandbox, args: &[&str]) -> Value {
    let (_, answer) = sandbox.json(&[&["plan"], args, &["--assume-stopped"]].concat());
    answer["plan"].clone()
}

fn texts(list: &Value) -> Vec<String> {
    let all = list.as_array().unwrap().iter();
    all.map(|text| text.as_str().unwrap().to_owned()).collect()
}

/// An earlier step of nine-step forgets the later ones, but their files stay in the worktree.
#[test]
fn an_earlier_step_names_the_work_of_later_ones() {
    let sandbox = Sandbox::new();
    let file = "1 uncommitted file stays in the worktree: 'app/alerts.py'.";
    let commit = "The commit of phase 1 stays on the branch.";
    let earlier = plan(&sandbox, &["price-alerts", "phase-1-step-5"]);
    let warnings = texts(&earlier["warnings"]);
    for text in [file, commit] {
        assert!(
            warnings.iter().any(|warning| warning == text),
            "{warnings:?}"
        );
        for told in ["prompt", "briefing"] {
            let told = earlier["handoff"][told].as_str().unwrap();
            assert!(told.contains(text), "{told}");
        }
    }
    let (_, points) = sandbox.json(&["points", "price-alerts"]);
    let points = points["points"].as_array().unwrap();
    let named = |id: &str| {
        let point = points.iter().find(|point| point["id"] == id).unwrap();
        texts(&point["warnings"])
            .iter()
            .any(|warning| warning == file)
    };
    // The recommended point expects that work, and a reset takes it away.
    let table = [
        ("phase-1-step-5", true),
        ("phase-1-step-1", true),
        ("phase-2-step-3", false),
        ("phase-2-step-4", false),
        ("phase-1-commit", false),
    ];
    for (id, is_named) in table {
        assert_eq!(named(id), is_named, "{id}");
    }
}

/// More files than a sentence names stand in the briefing, in words that cannot forge a line of it.
#[test]
fn the_briefing_names_all_work_of_later_steps() {
    let sandbox = Sandbox::new();
    let worktree = sandbox
        .root()
        .join("projects/trader/.worktree/price-alerts");
    for number in 0..12 {
        fs::write(worktree.join(format!("extra\n{number:02}.py")), "").unwrap();
    }
    let earlier = plan(&sandbox, &["price-alerts", "phase-1-step-5"]);
    let prompt = earlier["handoff"]["prompt"].as_str().unwrap();
    assert!(prompt.contains("13 uncommitted files stay"), "{prompt}");
    let briefing = earlier["handoff"]["briefing"].as_str().unwrap();
    assert!(briefing.contains("\n- 'extra␊11.py'\n"), "{briefing}");
}

#[test]
fn a_failed_stage_runs_again_after_the_one_it_depends_on() {
    let sandbox = Sandbox::new();
    let again = plan(&sandbox, &["polymer", "stage-1:rerun"]);
    let ids = |plan: &Value| -> Vec<String> {
        let redone = plan["redone"].as_array().unwrap().iter();
        redone
            .map(|item| item["id"].as_str().unwrap().to_owned())
            .collect()
    };
    // The third stage was invalidated before.
    assert_eq!(ids(&again), ["stage-1", "stage-2", "stage-3"]);
    let told = "stage-2 failed and depends on this: retry it only afterwards.";
    let prompt = again["handoff"]["prompt"].as_str().unwrap();
    assert!(prompt.contains(told), "{prompt}");
    // A failed stage is not invalidated: the protocol retries it anyway.
    assert!(prompt.contains("must run again: stage-1."), "{prompt}");
    let amend = [
        "amend",
        "polymer",
        "--type",
        "stage_rerun",
        "--stage",
        "stage-1",
    ];
    let rest = [
        "--reason",
        "x",
        "--approved-by",
        "me",
        "--dry-run",
        "--assume-stopped",
    ];
    let (_, amended) = sandbox.json(&[amend.as_slice(), &rest].concat());
    assert_eq!(ids(&amended["plan"]), ids(&again));
}

/// What a record needs `--approved-by` for, a point asks.
#[test]
fn a_retry_beyond_the_limit_is_asked_as_a_record_asks_for_a_name() {
    let sandbox = Sandbox::new();
    edit(
        &sandbox,
        &format!("{RING}/workflow-state.json"),
        "\"retry_count\": 1",
        "\"retry_count\": 3",
    );
    let record = said(&sandbox, &["record", RING, "stage-2", "ready"]);
    assert!(record.contains("--approved-by"), "{record}");
    let asked = plan(&sandbox, &["polymer", "stage-2:retry"]);
    let guards = asked["guards"].as_array().unwrap();
    let ask = guards.iter().find(|guard| guard["kind"] == "ask").unwrap();
    assert_eq!(ask["id"], "repeat-failure:stage-2");
    let resume = [
        "resume",
        "polymer",
        "stage-2:retry",
        "--yes",
        "--assume-stopped",
    ];
    assert_eq!(sandbox.run(&resume).status.code(), Some(4));
    let accepted = [resume.as_slice(), &["--accept", "repeat-failure:stage-2"]].concat();
    assert_eq!(sandbox.run(&accepted).status.code(), Some(0));
}

#[test]
fn a_run_on_a_skipped_stage_is_asked_as_a_record_asks_for_a_name() {
    let sandbox = Sandbox::new();
    edit(
        &sandbox,
        &format!("{RING}/workflow-state.json"),
        "\"status\": \"failed\"",
        "\"status\": \"skipped\"",
    );
    let record = said(&sandbox, &["record", RING, "stage-3", "ready"]);
    assert!(record.contains("--approved-by"), "{record}");
    let asked = plan(&sandbox, &["polymer", "stage-3:rerun"]);
    let guards = asked["guards"].as_array().unwrap();
    let ask = guards.iter().find(|guard| guard["kind"] == "ask").unwrap();
    assert_eq!(ask["id"], "gate:skipped-stage");
}

/// One scope has one name, whatever the filter leaves; where nothing was found, the searched places are named.
#[test]
fn a_scope_has_one_name() {
    let sandbox = Sandbox::new();
    let none = said(
        &sandbox,
        &["list", "--scope", "machine", "--filter", "zzzz"],
    );
    assert!(none.contains("pipelines on this machine."), "{none}");
    assert!(!none.contains("Searched"), "{none}");
    let empty = crate::support::temporary::directory();
    let mut list = sandbox.command(empty.path(), &["list"]);
    let output = list
        .env("HOME", empty.path())
        .env("TMPDIR", empty.path().join("tmp"))
        .output()
        .unwrap();
    let none = String::from_utf8(output.stdout).unwrap();
    assert!(
        none.contains("No interrupted pipelines on this machine."),
        "{none}"
    );
    assert!(none.contains("Searched: the current directory,"), "{none}");
}

/// A line of a log says what was redone, and names nothing that its reader cannot find.
#[test]
fn a_log_says_what_was_done_to_it() {
    let sandbox = Sandbox::new();
    let log = sandbox.root().join(RING).join("progress.log");
    let last = || {
        let text = fs::read_to_string(&log).unwrap();
        text.lines().last().unwrap().to_owned()
    };
    let done = |args: &[&str]| {
        let output = sandbox.run(&[args, &["--yes", "--assume-stopped"]].concat());
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    };
    done(&["resume", "polymer", "stage-1:rerun"]);
    done(&["undo"]);
    assert!(
        last().contains("undone: stage-1:rerun. The state file was restored;"),
        "{}",
        last()
    );
    done(&["redo"]);
    assert!(
        last().contains("redone: stage-1:rerun. The state file is again"),
        "{}",
        last()
    );
    done(&["undo"]);
    assert!(
        last().contains("undone: stage-1:rerun. The state file was restored;"),
        "{}",
        last()
    );
    let taken = sandbox.run(&[
        "checkpoint",
        "polymer",
        "--reason",
        "before lunch",
        "--json",
    ]);
    let taken: Value = serde_json::from_slice(&taken.stdout).unwrap();
    let checkpoint = taken["recorded"]["checkpoint"]["id"].as_str().unwrap();
    edit(
        &sandbox,
        &format!("{RING}/workflow-state.json"),
        "\"retry_count\": 1",
        "\"retry_count\": 2",
    );
    done(&["restore", "polymer", "--checkpoint", checkpoint]);
    let line = last();
    assert!(
        line.contains("(before lunch), listed by `relight checkpoints`"),
        "{line}"
    );
    assert!(!line.contains("commit"), "{line}");
}

/// Deleted backups of an undone recovery cost its redo, and a comparison says that they are gone.
#[test]
fn a_purge_says_what_it_takes_away() {
    let sandbox = Sandbox::new();
    let resume = [
        "resume",
        "polymer",
        "stage-1:rerun",
        "--yes",
        "--assume-stopped",
    ];
    let (_, made) = sandbox.json(&resume);
    let id = made["recovery"]["id"].as_str().unwrap();
    assert_eq!(
        sandbox
            .run(&["undo", id, "--yes", "--assume-stopped"])
            .status
            .code(),
        Some(0)
    );
    let purged = said(&sandbox, &["purge", id, "--yes"]);
    assert!(
        purged.contains("1 recovery can no longer be redone."),
        "{purged}"
    );
    let history = said(&sandbox, &["history"]);
    assert!(
        history.contains("backups deleted; cannot redo"),
        "{history}"
    );
    let compared = said(&sandbox, &["compare", "polymer", id]);
    assert!(
        compared.contains(&format!("The backups of {id} were deleted")),
        "{compared}"
    );
    // A point of the workflows of Claude Code changes no files.
    let workflow = said(&sandbox, &["compare", "claude-workflow"]);
    assert!(!workflow.contains("After relight resume"), "{workflow}");
}

/// A warning names the command of its own hand-off, and a prompt does not contradict itself.
#[test]
fn a_prompt_and_its_warnings_name_one_command() {
    let sandbox = Sandbox::new();
    let mut listed = 0;
    for point in sandbox.points("mgw-58") {
        let plan = plan(&sandbox, &["mgw-58", &point]);
        let prompt = plan["handoff"]["prompt"].as_str().unwrap();
        for warning in texts(&plan["warnings"]) {
            if let Some((command, _)) = warning
                .strip_prefix("Use ")
                .and_then(|text| text.split_once(", not /mgw:milestone"))
            {
                assert!(prompt.starts_with(command), "{point}: {command}: {prompt}");
                listed += 1;
            }
        }
    }
    assert!(listed > 1);
    let workflow = plan(&sandbox, &["claude-workflow", "resume-in-session"]);
    let prompt = workflow["handoff"]["prompt"].as_str().unwrap();
    assert!(!prompt.contains("nothing else"), "{prompt}");
}

#[test]
fn a_complete_pipeline_was_not_stopped() {
    let sandbox = Sandbox::new();
    let why = said(&sandbox, &["why", "mgw-40"]);
    assert!(why.contains("The pipeline is complete."), "{why}");
}

#[test]
fn a_sentence_says_one_thing_once() {
    let sandbox = Sandbox::new();
    let waited = said(&sandbox, &["wait", "polymer", "stage-2", "--timeout", "5"]);
    assert!(waited.contains("Relax has failed."), "{waited}");
    fs::write(
        sandbox.root().join(RING).join("workflow-state.json"),
        "{\n  \"a\": 1,\n zz\n}",
    )
    .unwrap();
    let show = said(&sandbox, &["show", "polymer"]);
    assert!(show.contains("not valid JSON (line 3, column 2)"), "{show}");
}

/// One conference has one key, however its path is typed.
#[test]
fn a_conference_has_one_key() {
    let sandbox = Sandbox::new();
    let folder = "projects/lab/tokenizer-speed";
    let log = format!("{folder}/conference_events.jsonl");
    for (path, level) in [(folder, "stuck_level=2"), (&log, "stuck_level=3")] {
        let output = sandbox.run(&["record", path, "researcher.stuck", "researcher=B", level]);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    }
    let (_, history) = sandbox.json(&["history", "--records"]);
    let records = history["records"].as_array().unwrap().iter();
    let keys: Vec<&str> = records.map(|one| one["key"].as_str().unwrap()).collect();
    assert_eq!(keys, ["tokenizer-speed", "tokenizer-speed"]);
}

/// What was written to the work tree after a recovery stays when it is undone, and the plan of the undo says so.
#[test]
fn an_undo_names_what_was_written_since() {
    let sandbox = Sandbox::new();
    let resume = [
        "resume",
        "crucible-1795",
        "wave-2",
        "--yes",
        "--assume-stopped",
    ];
    let id = sandbox.crucible();
    let resume: Vec<&str> = resume
        .map(|word| if word == "crucible-1795" { &id } else { word })
        .to_vec();
    assert_eq!(sandbox.run(&resume).status.code(), Some(0));
    let (_, quiet) = sandbox.json(&["undo", "--dry-run", "--assume-stopped"]);
    let left = quiet["plan"]["losses"].to_string();
    assert!(!left.contains("after the recovery"), "{left}");
    fs::create_dir(sandbox.root().join("projects/shop/stand-in")).unwrap();
    fs::write(sandbox.root().join("projects/shop/stand-in/1.md"), "x").unwrap();
    let (_, undo) = sandbox.json(&["undo", "--dry-run", "--assume-stopped"]);
    let left = undo["plan"]["losses"].to_string();
    let text = "1 file was written after the recovery and stays as it is: stand-in";
    assert!(left.contains(text), "{left}");
}
