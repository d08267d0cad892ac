//! `list` as a person narrows and arranges it.

use super::relight;

#[test]
fn u1_list_filters_by_field_and_says_what_there_is() {
    let lines = |args: &[&str]| {
        let mut all = vec!["list"];
        all.extend(args);
        all.push(".");
        let output = relight(&all);
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (
            output.status.code(),
            text(output.stdout),
            text(output.stderr),
        )
    };
    let (code, text, _) = lines(&["--brief", "--filter", "status:waiting !system:mgw"]);
    assert_eq!((code, text.lines().count()), (Some(0), 3), "{text}");
    let (_, text, _) = lines(&["--filter", "check:fail", "--columns", "id,check"]);
    let first: Vec<&str> = text.lines().take(2).collect();
    assert!(
        first[0].starts_with("ID ") && first[0].trim_end().ends_with("CHECKS"),
        "{text}"
    );
    assert!(first[1].trim_end().ends_with("fail"), "{text}");
    assert!(text.contains(" of 12 pipelines"), "{text}");
    let (_, text, _) = lines(&["--sort", "check", "--columns", "check"]);
    assert_eq!(
        text.lines().nth(1).map(str::trim_end),
        Some("fail"),
        "{text}"
    );
    let (code, _, error) = lines(&["--filter", "chek:fail"]);
    assert_eq!(code, Some(2));
    assert!(error.contains("There is no field chek.") && error.contains("Did you mean check?"));
    let (code, _, error) = lines(&["--filter", "status:done"]);
    assert_eq!(code, Some(2));
    assert!(error.contains("Its values are live, waiting, "), "{error}");
    let (code, _, note) = lines(&["--filter", "project:nowhere"]);
    assert_eq!(code, Some(0));
    assert!(
        note.contains("No listed pipeline has project nowhere. The values are "),
        "{note}"
    );
    let (code, _, error) = lines(&["--sort", "chek"]);
    assert_eq!(code, Some(2));
    assert!(error.contains("check"), "{error}");
}

#[test]
fn a_saved_view_filters_sorts_and_shows_columns() {
    let file = super::sandbox().join("views.toml");
    let view = "[[view]]\nname = \"broken\"\nfilter = \"check:fail\"\ncolumns = [\"id\", \"check\", \"id\"]\n";
    std::fs::write(&file, view).unwrap();
    let named = file.to_str().unwrap();
    let output = relight(&["list", "--config", named, "--view", "broken", "."]);
    let text = String::from_utf8(output.stdout).unwrap();
    let head: Vec<&str> = text.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(head, ["ID", "CHECKS"], "{text}");
    assert!(text.contains(" of 12 pipelines"), "{text}");
    let output = relight(&["list", "--config", named, "--view", "broke", "."]);
    let error = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(error.contains("Did you mean broken?"), "{error}");
}

/// One project's issue is named from another by what the system calls it, though ids that begin alike exist.
#[test]
fn a_short_name_is_found_from_another_project() {
    let shop = super::demo().join("projects/shop");
    for (word, system) in [
        ("57", "mgw-57~"),
        ("mgw-57", "mgw-57~"),
        ("tokenizer", "autoconference-tokenizer-speed~"),
        ("polymer", "superscientist-polymer-ring~"),
    ] {
        let output = super::relight_in(&shop, &["show", word, "--json"]);
        let shown: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let id = shown["pipeline"]["id"].as_str().unwrap_or_default();
        assert!(
            super::code(&output) == 0 && id.starts_with(system),
            "{word}: {shown}"
        );
    }
    let output = super::relight_in(&shop, &["show", "5", "--json"]);
    let shown: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(shown["error"]["kind"], "ambiguous");
}

/// The worktree of an issue names it, though its state file lies in the main repository.
#[test]
fn a_worktree_of_an_issue_names_its_pipeline() {
    let tree = super::demo().join("projects/notes/.worktrees/issue/57-cache-lookups");
    let asked = |dir: &std::path::Path, args: &[&str]| -> serde_json::Value {
        let output = super::relight_in(dir, &[args, &["--json"]].concat());
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let id = super::id("mgw-57");
    let path = tree.to_str().unwrap();
    for (dir, args) in [
        (tree.clone(), ["show", "."]),
        (super::demo(), ["show", path]),
    ] {
        let shown = asked(&dir, &args);
        assert_eq!(shown["pipeline"]["id"], id, "{args:?}: {shown}");
    }
    for args in [&["list", "--scope", "here"][..], &["list", "."], &["list"]] {
        let list = asked(&tree, args);
        let found: Vec<&serde_json::Value> = list["pipelines"].as_array().unwrap().iter().collect();
        let ours = found.iter().filter(|p| p["id"] == id.as_str()).count();
        assert_eq!(ours, 1, "{args:?}: {list}");
        assert_eq!(found.len() > 1, args == ["list"], "{args:?}: {list}");
    }
}

/// The scope of a repository is that of the directory where there is none.
#[test]
fn no_repository_is_spoken_of_where_there_is_none() {
    let lab = super::demo().join("projects/lab");
    for (dir, found) in [(lab.as_path(), "1 pipeline here"), (&super::demo(), "here")] {
        let list = super::relight_in(dir, &["list", "--scope", "repository"]);
        let text = String::from_utf8(list.stdout).unwrap();
        assert!(
            text.contains(found) && !text.contains("repository"),
            "{text}"
        );
    }
}

/// A workflow of which nothing is recorded yet: an empty answer would look like a failure.
#[test]
fn every_command_that_reads_says_what_there_is_not() {
    let dir = crate::support::temporary::directory();
    let state = r#"{"workflow_id":"w","amendments":[],"stages":[{"id":"stage-1","status":"pending","depends_on":[]}]}"#;
    std::fs::write(dir.path().join("workflow-state.json"), state).unwrap();
    for command in [
        "show",
        "why",
        "timeline",
        "verify",
        "points",
        "plan",
        "checkpoints",
        "history",
    ] {
        let args = [command, "."];
        let args = &args[..if command == "history" { 1 } else { 2 }];
        let output = super::relight_in(dir.path(), args);
        assert!(!output.stdout.is_empty(), "{command}: {output:?}");
    }
}
