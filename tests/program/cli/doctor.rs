//! `doctor`: a report that a person can paste into an issue.

use super::{demo, relight, relight_in, sandbox};
use serde_json::Value;

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

#[test]
fn doctor_says_what_is_found_where_and_shortens_paths() {
    let before = super::tree(&demo());
    let output = relight(&["doctor"]);
    let report = text(&output.stdout);
    for part in [
        "Search, scope machine",
        "Pipelines\ncrucible          1 interrupted",
        "Skipped",
        "Terminal\nsize              not a terminal",
        "libgit2 ",
        "State",
        "Problems",
    ] {
        assert!(report.contains(part), "no {part} in\n{report}");
    }
    assert_eq!(super::tree(&demo()), before, "doctor only reads");
    let output = relight(&["doctor", "--json", "--scope", "machine"]);
    let report: Value = serde_json::from_slice(&output.stdout).unwrap();
    let places = report["places"].as_array().unwrap();
    assert!(
        places
            .iter()
            .any(|place| place["kind"] == "Claude's projects")
    );
    assert!(report["systems"].as_array().unwrap().len() >= 5);
    assert_eq!(report["terminal"]["columns"], Value::Null);
}

#[test]
fn doctor_reports_a_configuration_that_stops_every_other_command() {
    let file = sandbox().join("broken.toml");
    std::fs::write(&file, "mouse = true\nmous = 1\n").unwrap();
    let named = file.to_str().unwrap();
    let output = relight(&["doctor", "--config", named]);
    let report = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{report}");
    let said: String = report.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("broken.toml line 2:"), "{report}");
    assert_eq!(relight(&["list", "--config", named]).status.code(), Some(2));
}

#[test]
fn doctor_calls_no_place_configured_that_the_configuration_does_not_name() {
    let output = relight_in(&demo().join("projects/labels"), &["doctor", "--json"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let places = report["places"].as_array().unwrap();
    let kinds: Vec<_> = places.iter().map(|place| &place["kind"]).collect();
    let expected = ["searched", "Claude's projects", "temporary"];
    assert_eq!(kinds, expected, "{report}");
}

/// A configured root is searched in the scope of the machine. What lies in it is in no temporary directory, though that
/// is around it.
#[test]
fn doctor_counts_each_pipeline_in_the_place_that_it_was_found_in() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().canonicalize().unwrap();
    let temporary = home.join("tmp");
    let [project, other] = ["project", "other"].map(|name| temporary.join(name));
    std::fs::create_dir_all(&project).unwrap();
    std::fs::create_dir_all(&other).unwrap();
    let state = r#"{"workflow_id":"w","amendments":[],"stages":[{"id":"stage-1","status":"pending","depends_on":[]}]}"#;
    std::fs::write(project.join("workflow-state.json"), state).unwrap();
    let config = home.join("relight.toml");
    std::fs::write(&config, format!("roots = [{project:?}]\n")).unwrap();
    for (scope, expected) in [
        ("here", &[("searched", 0), ("temporary", 0)][..]),
        (
            "machine",
            &[("searched", 0), ("configured", 1), ("temporary", 0)],
        ),
    ] {
        let args = ["doctor", "--json", "--scope", scope];
        let mut command = super::command(&other, &args);
        let command = command.env("HOME", &home).env("TMPDIR", &temporary);
        let output = command.arg("--config").arg(&config).output().unwrap();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap();
        let mut places = Vec::new();
        for one in report["places"].as_array().unwrap() {
            let kind = one["kind"].as_str().unwrap();
            if kind != "Claude's projects" {
                places.push((kind, one["pipelines"].as_i64().unwrap()));
            }
        }
        assert_eq!(places, expected, "{report}");
    }
}

#[test]
fn doctor_tells_a_bare_repository_from_none() {
    let dir = tempfile::tempdir().unwrap();
    let tree = || text(&relight_in(dir.path(), &["doctor"]).stdout);
    assert!(tree().contains("none: not in a repository"), "{}", tree());
    git2::Repository::init_bare(dir.path()).unwrap();
    assert!(
        tree().contains("none: the repository is bare"),
        "{}",
        tree()
    );
}

#[test]
fn doctor_names_configured_roots_that_are_not_there() {
    let file = sandbox().join("roots.toml");
    std::fs::write(&file, "roots = [\"/no/such/root\"]\n").unwrap();
    let output = relight_in(&demo(), &["doctor", "--config", file.to_str().unwrap()]);
    let report = text(&output.stdout);
    assert!(
        report.contains("configured root /no/such/root does not exist"),
        "{report}"
    );
}

/// Each says what to do, and none names the home directory: people paste the report.
#[test]
fn doctor_names_every_problem_and_what_to_do() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().canonicalize().unwrap();
    relight::demo::build(&home.join("demo"), chrono::Utc::now()).unwrap();
    let shop = home.join("demo/projects/shop");
    std::fs::write(shop.join(".git/index.lock"), "").unwrap();
    std::fs::write(home.join("relight.toml"), "mous = 1\n").unwrap();
    let file = home.join("relight.toml");
    let doctor = |args: &[&str]| {
        let mut command = super::command(&shop, args);
        let command = command
            .env("HOME", &home)
            .env("TMPDIR", home.join("tmp"))
            .env("PATH", "/nowhere")
            .env("EDITOR", home.join("bin/vi -f"));
        let output = command.arg("--config").arg(&file).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        text(&output.stdout)
    };
    let report = doctor(&["doctor"]);
    let said: String = report.split_whitespace().collect::<Vec<_>>().join(" ");
    for part in [
        "EDITOR ~/bin/vi -f",
        "! configuration: ~/relight.toml line 1: ",
        "! git is locked by ~/demo/projects/shop/.git/index.lock: let the git command end; if none runs, remove that file",
        "! git is not on PATH; orchestrators need it",
    ] {
        assert!(said.contains(part), "no {part} in\n{report}");
    }
    for report in [report, doctor(&["doctor", "--json"])] {
        assert!(!report.contains(home.to_str().unwrap()), "{report}");
    }
    // What another version of relight wrote: it must never be removed by hand.
    let text = "Held by relight while it carries out recovery 20260408-a1. If relight";
    std::fs::write(shop.join(".git/index.lock"), text).unwrap();
    let report = doctor(&["doctor"]);
    let said: String = report.split_whitespace().collect::<Vec<_>>().join(" ");
    let expected = "index.lock: recovery 20260408-a1, which is not in this state directory; ";
    assert!(said.contains(expected), "{report}");
}

/// Of a pipeline that waits by its conversation, too.
#[test]
fn doctor_counts_what_list_shows() {
    let report = relight(&["doctor", "--json", "--scope", "machine"]);
    let report: Value = serde_json::from_slice(&report.stdout).unwrap();
    let list = relight(&["list", "--all", "--json", "--scope", "machine"]);
    let list: Value = serde_json::from_slice(&list.stdout).unwrap();
    let mut counts = std::collections::BTreeMap::<&str, u64>::new();
    for one in list["pipelines"].as_array().unwrap() {
        *counts.entry(one["status"].as_str().unwrap()).or_default() += 1;
    }
    let mut told = std::collections::BTreeMap::<&str, u64>::new();
    for system in report["systems"].as_array().unwrap() {
        for (status, count) in system["statuses"].as_object().unwrap() {
            *told.entry(status).or_default() += count.as_u64().unwrap();
        }
    }
    assert!(counts["waiting"] > 1, "{list}");
    assert_eq!(told, counts);
}

#[test]
fn doctor_shows_the_home_directory_as_a_tilde() {
    let home = demo();
    let shown = home.to_str().unwrap();
    for json in [&["doctor"][..], &["doctor", "--json"]] {
        let output = super::command(&demo(), json)
            .env("HOME", &home)
            .env("TMPDIR", home.join("tmp"))
            .output();
        let report = text(&output.unwrap().stdout);
        for path in ["~/home/.claude/projects", "~/home/.local/state/relight"] {
            assert!(report.contains(path), "no {path} in\n{report}");
        }
        assert!(!report.contains(shown), "{report}");
    }
}
