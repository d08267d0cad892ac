//! The binary's commands on the demo's sandbox: exit codes, JSON shapes, and that reading never writes.

mod candidates;
mod doctor;
mod fields;
mod listing;
mod plans;
mod tree;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;

use serde_json::Value;
use tree::tree;

use crate::act_systems::part::is_tried;

/// One sandbox for all tests: they only read.
fn sandbox() -> &'static Path {
    static SANDBOX: OnceLock<tempfile::TempDir> = OnceLock::new();
    SANDBOX
        .get_or_init(|| {
            let dir = tempfile::tempdir().unwrap();
            relight::demo::build(&dir.path().join("demo"), chrono::Utc::now()).unwrap();
            dir
        })
        .path()
}

fn demo() -> PathBuf {
    std::fs::canonicalize(sandbox().join("demo")).unwrap()
}

fn relight(args: &[&str]) -> Output {
    relight_in(&demo(), args)
}

fn relight_in(dir: &Path, args: &[&str]) -> Output {
    command(dir, args).output().unwrap()
}

fn command(dir: &Path, args: &[&str]) -> Command {
    let home = sandbox().join("nobody");
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("relight"));
    command
        .args(args)
        .current_dir(dir)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", &home)
        .env("TMPDIR", home.join("tmp"))
        .env("XDG_STATE_HOME", sandbox().join("state"))
        .env("TZ", "UTC")
        .env("COLUMNS", "100");
    command
}

fn code(output: &Output) -> i32 {
    output.status.code().unwrap()
}

fn json(args: &[&str]) -> (i32, Value) {
    let args: Vec<&str> = args.iter().copied().chain(["--json"]).collect();
    let output = relight(&args);
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert_eq!(
        text.lines().count(),
        1,
        "one object per invocation: {text}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let value: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(value["schema"], 1);
    (code(&output), value)
}

/// The pipelines of the sandbox by the beginning of their id; asked once, since nothing here writes.
fn pipelines() -> &'static BTreeMap<String, Value> {
    static PIPELINES: OnceLock<BTreeMap<String, Value>> = OnceLock::new();
    PIPELINES.get_or_init(ask_pipelines)
}

fn ask_pipelines() -> BTreeMap<String, Value> {
    let (code, list) = json(&["list", "--all", "."]);
    assert_eq!(code, 0);
    let rows = list["pipelines"].as_array().unwrap().iter();
    rows.map(|p| {
        (
            p["id"]
                .as_str()
                .unwrap()
                .rsplit_once('~')
                .unwrap()
                .0
                .to_owned(),
            p.clone(),
        )
    })
    .collect()
}

fn id(beginning: &str) -> String {
    let all = pipelines();
    let found = all.iter().find(|(id, _)| id.starts_with(beginning));
    found
        .unwrap_or_else(|| panic!("{beginning} is not among {:?}", all.keys()))
        .1["id"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn the_whole_sandbox_is_seen_with_status_and_recommended_point() {
    let expected = [
        ("autoconference-hydrate-yield", "complete", None),
        (
            "autoconference-tokenizer-speed",
            "interrupted",
            Some("round-2-mid"),
        ),
        (
            "claude-workflow-wf_5b1d70c2-9a4",
            "interrupted",
            Some("resume-in-session"),
        ),
        ("mgw-40", "complete", None),
        ("mgw-57", "interrupted", Some("step-verify")),
        ("mgw-58", "interrupted", Some("step-plan")),
        ("mgw-61", "waiting", Some("step-plan")),
        ("mgw-64", "unreadable", None),
        ("nine-step-csv-export", "waiting", Some("phase-2-step-3")),
        (
            "nine-step-price-alerts",
            "interrupted",
            Some("phase-2-step-3"),
        ),
        ("nine-step-two-factor", "waiting", Some("phase-1-step-2.5")),
        (
            "superscientist-catalyst-scan",
            "waiting",
            Some("stage-2:rerun"),
        ),
        (
            "superscientist-polymer-ring",
            "interrupted",
            Some("stage-2:retry"),
        ),
    ];
    let all = pipelines();
    let (crucible, others): (Vec<_>, Vec<_>) =
        all.iter().partition(|(id, _)| id.starts_with("crucible-"));
    let statuses: Vec<&str> = crucible
        .iter()
        .map(|(_, p)| p["status"].as_str().unwrap())
        .collect();
    assert_eq!(
        statuses,
        ["complete", "complete", "interrupted"],
        "the older runs are the finished ones"
    );
    let seen: Vec<(&str, &str)> = others
        .iter()
        .map(|(id, p)| (id.as_str(), p["status"].as_str().unwrap()))
        .collect();
    assert_eq!(seen, expected.map(|(id, status, _)| (id, status)));
    for (id_, _, point) in expected
        .into_iter()
        .filter(|(id, ..)| !id.starts_with("mgw-64"))
    {
        let (_, points) = json(&["points", &id(id_)]);
        let recommended: Vec<&str> = points["points"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|p| p["recommended"] == true)
            .map(|p| p["id"].as_str().unwrap())
            .collect();
        assert_eq!(recommended, point.into_iter().collect::<Vec<_>>(), "{id_}");
    }
}

#[test]
fn foreign_files_of_the_same_name_are_skipped_with_their_reason() {
    let (_, list) = json(&["list", "."]);
    let skipped: Vec<&str> = list["skipped"]
        .as_array()
        .unwrap()
        .iter()
        .map(|s| s["path"].as_str().unwrap())
        .collect();
    for name in ["conference.md", "manifest.jsonl", "workflow-state.json"] {
        assert!(
            skipped
                .iter()
                .any(|path| path.ends_with(&format!("elsewhere/{name}"))),
            "{name} in {skipped:?}"
        );
    }
}

#[test]
fn every_exit_code_that_reading_can_reach() {
    let corrupt = id("mgw-64");
    let finished = id("mgw-40");
    let unknown = id("nine-step-price-alerts");
    let table: &[(&[&str], i32)] = &[
        (&["list", "."], 0),
        (&["list", "--brief", "."], 0),
        (&["show", &corrupt], 0),
        (&["points", &finished], 0),
        (&["completions", "bash"], 0),
        (&["man"], 0),
        (&["--help"], 0),
        (&["--version"], 0),
        (&["plan", &finished], 1),
        (&["verify", &id("mgw-58")], 1),
        (&["show", "no-such-pipeline"], 2),
        (&["show", "mgw-"], 2),
        (&["list", "no/such/path"], 2),
        (&["plan", &unknown, "no-such-point"], 2),
        (&["plan", &unknown, "--from-seq", "3"], 2),
        (&["plan", &unknown, "--overlay", "--exact"], 2),
        (&["plan", &unknown, "--path", "../x"], 2),
        (&["plan", &unknown, "--work-tree", "/no/such"], 2),
        (&["show", ""], 2),
        (&["list", "--system", "borg"], 2),
        (&["frobnicate", "--nonsense"], 2),
        (&["list", "--config", "/no/such/file"], 2),
        (&["verify", &corrupt], 5),
        (&["plan", &corrupt], 5),
    ];
    for (args, expected) in table {
        let output = relight(args);
        assert_eq!(
            code(&output),
            *expected,
            "{args:?}\n{}{}",
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&output.stderr)
        );
    }
}

#[test]
fn codes_two_and_up_print_the_error_object() {
    for args in [
        &["show", "no-such-pipeline"][..],
        &["show", "mgw-"],
        &["frobnicate", "--nonsense"],
        &["verify", &id("mgw-64")],
    ] {
        let (code, value) = json(args);
        assert!(code >= 2);
        let error = &value["error"];
        assert!(
            error["kind"].is_string()
                && error["text"].is_string()
                && error["hints"].is_array()
                && error["guards"].is_array(),
            "{value}"
        );
    }
}

#[test]
fn an_id_may_be_shortened_and_a_path_serves_as_one() {
    let whole = id("nine-step-price-alerts");
    let tree = "projects/trader/.worktree/price-alerts";
    let state = format!("{tree}/workflow-state.json");
    for word in ["nine-step-price", "price-al", whole.as_str(), tree, &state] {
        let (code, shown) = json(&["show", word]);
        assert_eq!(
            (code, shown["pipeline"]["id"].as_str()),
            (0, Some(whole.as_str())),
            "{word}: {shown}"
        );
    }
    let (_, shown) = json(&["show", "projects/notes/.mgw/active/57-cache-lookups.json"]);
    assert_eq!(shown["pipeline"]["id"], id("mgw-57").as_str());
    let conference = id("autoconference-tokenizer");
    let (_, shown) = json(&["show", "projects/lab/tokenizer-speed"]);
    assert_eq!(shown["pipeline"]["id"], conference.as_str());
}

#[test]
fn reading_never_writes() {
    let before = tree(&demo());
    for (nth, beginning) in pipelines().keys().enumerate() {
        let id = id(beginning);
        let commands = [
            "show",
            "timeline",
            "verify",
            "points",
            "plan",
            "checkpoints",
        ];
        for (at, command) in commands.into_iter().enumerate() {
            if !is_tried(nth + at, 2) {
                continue;
            }
            // Each command in both forms, each pipeline in one of them.
            let form = [&[][..], &["--json"]][(nth + at / 2) % 2];
            drop(relight(&[&[command, &id], form].concat()));
        }
    }
    assert_eq!(before, tree(&demo()));
    assert!(!sandbox().join("nobody").exists());
}

#[test]
fn output_fits_the_terminal_and_holds_no_escape() {
    for width in ["80", "120"] {
        let output = Command::new(assert_cmd::cargo::cargo_bin!("relight"))
            .args(["list", "--all", "."])
            .current_dir(demo())
            .env_clear()
            .env("COLUMNS", width)
            .env("HOME", "/nonexistent")
            .env("TMPDIR", "/nonexistent/tmp")
            .env("XDG_STATE_HOME", sandbox().join("state"))
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        for line in text.lines() {
            assert!(
                unicode_width::UnicodeWidthStr::width(line) <= width.parse().unwrap(),
                "{width}: {line}"
            );
        }
        assert!(!text.contains('\u{1b}'));
    }
}

#[test]
fn a_reader_that_goes_away_is_success() {
    use std::process::Stdio;
    let mut child = Command::new(assert_cmd::cargo::cargo_bin!("relight"))
        .args(["list", "--all", "--json", "."])
        .current_dir(demo())
        .env("HOME", "/nonexistent")
        .env("TMPDIR", "/nonexistent/tmp")
        .env("XDG_STATE_HOME", sandbox().join("state"))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
}

#[test]
fn brief_is_one_line_a_pipeline_and_silent_without_anything() {
    let output = relight(&["list", "--brief", "."]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text.lines().count(), 12);
    let begins = |line: &str| line.starts_with(&format!("{}  interrupted  ", id("mgw-58")));
    assert!(text.lines().any(begins), "{text}");
    let empty = crate::support::temporary::directory();
    let output = relight_in(empty.path(), &["list", "--brief", "."]);
    assert_eq!(
        (code(&output), output.stdout.len(), output.stderr.len()),
        (0, 0, 0)
    );
}

#[test]
fn a_conversation_that_the_hand_off_resumes_is_no_second_way() {
    for (pipeline, second) in [("claude-workflow", false), ("mgw-57", true)] {
        let output = relight(&["plan", pipeline]);
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(
            text.contains("Or continue the conversation"),
            second,
            "{text}"
        );
    }
}

#[test]
fn the_demo_builds_only_in_a_fresh_folder_and_lists_what_it_made() {
    let dir = crate::support::temporary::directory();
    let target = dir.path().join("new");
    let target = target.to_str().unwrap();
    let (code, made) = json(&["demo", target, "--no-console"]);
    assert_eq!((code, made["pipelines"].as_array().unwrap().len()), (0, 16));
    let (code, refused) = json(&["demo", target, "--no-console"]);
    assert_eq!(
        (code, refused["error"]["kind"].as_str()),
        (2, Some("usage"))
    );
    // The mark is made last, so an interrupted one has none.
    std::fs::remove_file(dir.path().join("new/.relight-sandbox")).unwrap();
    let (_, refused) = json(&["demo", target, "--no-console"]);
    assert!(refused.to_string().contains("it is incomplete"));
}
