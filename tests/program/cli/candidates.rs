//! Completions offer what the commands show.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// The candidates for the last of these words with their descriptions, as fish asks for them.
fn candidates(command: &mut Command, words: &[&str]) -> Vec<(String, String)> {
    let command = command.env("RELIGHT_COMPLETE", "fish");
    let output = command.args(["--", "relight"]).args(words).output();
    let text = String::from_utf8(output.unwrap().stdout).unwrap();
    let pair = |line: &str| {
        let (word, about) = line.split_once('\t').unwrap_or((line, ""));
        (word.to_owned(), about.to_owned())
    };
    text.lines().map(pair).collect()
}

/// Of pipelines that wait by their conversations, too.
#[test]
fn candidates_have_the_states_that_list_shows() {
    let list = super::relight(&["list", "--all", "--json", "."]);
    let list: Value = serde_json::from_slice(&list.stdout).unwrap();
    let mut counts = std::collections::BTreeMap::<&str, usize>::new();
    let offered = candidates(&mut super::command(&super::demo(), &[]), &["show", ""]);
    for one in list["pipelines"].as_array().unwrap() {
        let (id, status) = (one["id"].as_str().unwrap(), one["status"].as_str().unwrap());
        let about = &offered.iter().find(|(word, _)| word == id).expect(id).1;
        assert!(about.starts_with(&format!("{status} · ")), "{id}: {about}");
        *counts.entry(status).or_default() += 1;
    }
    // The shell keeps their order.
    let ids = offered.iter().filter(|(word, _)| word.contains('~'));
    assert!(ids.is_sorted(), "{offered:?}");
    let words = ["list", "--filter", "status:"];
    let offered = candidates(&mut super::command(&super::demo(), &[]), &words);
    for (word, about) in offered {
        let number = about.split_whitespace().next().unwrap();
        let status = word.strip_prefix("status:").unwrap();
        assert_eq!(number, counts[status].to_string(), "{word}");
    }
}

#[test]
fn candidates_are_what_the_named_pipeline_has() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().canonicalize().unwrap();
    relight::demo::build(&root.join("demo"), chrono::Utc::now()).unwrap();
    let config = root.join("config.toml");
    std::fs::write(
        &config,
        "[[view]]\nname = \"stuck\"\nfilter = \"status:waiting\"\n",
    )
    .unwrap();
    let command = |args: &[&str]| {
        let mut command = super::command(&root.join("demo"), args);
        command.env("XDG_STATE_HOME", root.join("state"));
        command
    };
    let swap = "red-team.md=projects/labels-experiment/red-team-v2.md";
    let replay = [
        "replay",
        "projects/labels",
        "--mutate",
        swap,
        "--yes",
        "--json",
    ];
    let replay = command(&replay).output().unwrap();
    assert!(replay.status.success());
    let run = only(&root.join("demo/home/.local/state/relight/replays"));
    let named = config.to_str().unwrap();
    let table: [(&[&str], &[&str]); 12] = [
        (&["replay", "projects/labels", "--continue", ""], &[&run]),
        (&["compare", "projects/labels", "orig"], &["original"]),
        (&["compare", "projects/labels", "original", ""], &[&run]),
        (
            &["replay", "projects/labels", "--from-phase", ""],
            &["1", "2", "3"],
        ),
        (
            &["record", "projects/labels", ""],
            &["done", "phase", "init", "finish", "4"],
        ),
        (&["wait", "projects/labels", ""], &["1", "2", "3", "4"]),
        (
            &["list", "--filter", "check:"],
            &["check:fail", "check:pass"],
        ),
        (&["list", "--filter", "project:sh"], &["project:shop"]),
        (&["list", "--config", named, "--view", ""], &["stuck"]),
        (
            &["replay", "projects/labels", "--runner", ""],
            &["claude", "stub"],
        ),
        (&["resume", "mgw-61", "--accept", ""], &["gate:blocked"]),
        (
            &["resume", "mgw-61", "override", "--accept", ""],
            &["override:blocked"],
        ),
    ];
    for (words, expected) in table {
        let offered = candidates(&mut command(&[]), words);
        for word in expected {
            let known = offered.iter().any(|(offered, _)| offered == word);
            assert!(known, "{words:?}: no {word} in {offered:?}");
        }
    }
}

/// The name of the only replay beneath a directory of replays.
fn only(replays: &Path) -> String {
    let first = |dir: &Path| {
        let mut entries = std::fs::read_dir(dir).unwrap().map(Result::unwrap);
        entries.find(|entry| entry.path().is_dir()).unwrap().path()
    };
    let run = first(&first(replays));
    run.file_name().unwrap().to_str().unwrap().to_owned()
}
