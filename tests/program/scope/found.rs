//! What is found where one stands, and what is skipped with a reason.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use super::machine::{Machine, code, said};

/// Finding S1: the current directory is always looked at, as if it had been named.
#[test]
fn s1_standing_in_a_conference_that_is_no_repository_finds_it() {
    let machine = Machine::new();
    for (stand, found) in [
        ("work/lab/tokenizer-speed", 1),
        ("work/lab", 1),
        ("work/science", 1),
        ("work", 2),
        ("work/empty", 0),
    ] {
        let ids = machine.ids(stand, &[]);
        let named = machine.ids(stand, &["."]);
        assert_eq!((ids.len(), &ids), (found, &named), "{stand}");
        let everywhere = machine.ids(stand, &["--scope", "machine"]);
        assert_eq!(ids, everywhere, "{stand}");
    }
}

/// Finding S1: also where a walk from the top of the repository would not come by.
#[test]
fn s1_standing_in_a_folder_that_no_walk_enters_finds_what_is_there() {
    if !crate::judge::git_is_there() {
        return;
    }
    let machine = Machine::new();
    machine.repository("repo");
    for folder in ["repo/target/conf", "repo/.cache/deep/conf"] {
        machine.copy("work/lab/tokenizer-speed", folder);
        for scope in ["here", "repository", "machine"] {
            assert_eq!(
                machine.ids(folder, &["--scope", scope]).len(),
                1,
                "{folder} {scope}"
            );
        }
        let above = Path::new(folder).parent().unwrap().to_str().unwrap();
        assert_eq!(machine.ids(above, &[]).len(), 1, "{above}");
    }
    assert!(machine.ids("repo", &[]).is_empty());
}

/// Finding S1: a folder that a system claims whole is not met by a walk that begins inside it.
#[test]
fn s1_standing_inside_a_folder_of_state_finds_its_pipelines() {
    let machine = Machine::new();
    let active = machine.path("work/notes/.mgw/active");
    fs::create_dir_all(&active).unwrap();
    fs::write(active.join("7-a-bug.json"), MGW).unwrap();
    for stand in ["work/notes", "work/notes/.mgw", "work/notes/.mgw/active"] {
        let ids = machine.ids(stand, &[]);
        assert_eq!(ids.len(), 1, "{stand}: {ids:?}");
        assert!(ids[0].starts_with("mgw-7~"), "{ids:?}");
    }
}

const MGW: &str = r#"{"issue":{"number":7,"title":"A bug"},"pipeline_stage":"executing","route":"quick","plans":[],"checkpoint":null}"#;

/// Finding S1: nothing is claimed of places that were not looked at.
#[test]
fn s1_an_empty_answer_says_where_was_looked() {
    let machine = Machine::new();
    let text = said(&machine.run("work/empty", &["list", "--system", "mgw"]));
    assert!(text.contains("No interrupted pipelines"), "{text}");
    assert!(text.contains("current directory"), "{text}");
}

/// A bare repository has no work tree of its own; its worktrees are the repository's all the same.
#[test]
fn the_worktrees_of_a_bare_repository_are_looked_at() {
    if !crate::judge::git_is_there() {
        return;
    }
    let machine = Machine::new();
    let git = |dir: &str, args: &[&str]| {
        let mut command = std::process::Command::new("git");
        let who = ["-c", "user.name=x", "-c", "user.email=x@x"];
        let ran = command.args(who).args(args).current_dir(machine.path(dir));
        assert!(ran.output().unwrap().status.success(), "{args:?}");
    };
    machine.repository("first");
    git("first", &["commit", "-q", "--allow-empty", "-m", "x"]);
    git("", &["clone", "-q", "--bare", "first", "bare.git"]);
    git(
        "bare.git",
        &["worktree", "add", "-q", "../linked", "-b", "task"],
    );
    let state = machine.path("linked/.mgw/active/7-bug.json");
    fs::create_dir_all(state.parent().unwrap()).unwrap();
    fs::write(state, MGW).unwrap();
    for stand in ["bare.git", "linked"] {
        let (_, list) = machine.json(stand, &["list"]);
        let ids = list["pipelines"].as_array().unwrap();
        assert_eq!(ids.len(), 1, "{stand}: {list}");
    }
}

/// Where the configuration names directories that this scope does not walk, the number is a least one.
#[test]
fn what_is_elsewhere_is_not_counted_where_nobody_looked() {
    if !crate::judge::git_is_there() {
        return;
    }
    let machine = Machine::new();
    machine.repository("repo");
    machine.claude();
    let words = |text: &str| {
        let text = text.split(" elsewhere").next().unwrap();
        text.rsplit(". ").next().unwrap().trim().to_owned()
    };
    let all = words(&said(&machine.run("repo", &["list"])));
    let config = machine.path("home/config.toml");
    fs::write(&config, "roots = [\"/nowhere\"]\n").unwrap();
    let some = ["list", "--config", config.to_str().unwrap()];
    let some = words(&said(&machine.run("repo", &some)));
    assert_eq!(some, format!("{all} or more"));
}

/// An id in `ignore` is not offered another one in its place.
#[test]
fn an_ignored_id_is_said_to_be_ignored() {
    let machine = Machine::new();
    let (_, list) = machine.json("work", &["list"]);
    let id = list["pipelines"][0]["id"].as_str().unwrap();
    let config = machine.path("home/config.toml");
    fs::write(&config, format!("ignore = [\"{id}\"]\n")).unwrap();
    let output = machine.run("work", &["show", id, "--config", config.to_str().unwrap()]);
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{text}");
    assert!(
        text.contains("`ignore` in the configuration names it"),
        "{text}"
    );
    assert!(!text.contains("Did you mean"), "{text}");
}

/// What a scope hides is counted alike by every face, complete pipelines too, and the command that shows it is one that
/// does. The console asks for all, as `list --all` does.
#[test]
fn what_a_scope_hides_is_counted() {
    if !crate::judge::git_is_there() {
        return;
    }
    let machine = Machine::new();
    machine.repository("repo");
    machine.claude();
    let (_, all) = machine.json("repo", &["list", "--all", "--scope", "machine"]);
    assert_eq!(all["hidden"]["scope"], 0, "{all}");
    let there = all["pipelines"].as_array().unwrap().len();
    assert!(there > 0, "{all}");
    let complete = all["pipelines"].to_string().contains("\"complete\"");
    assert!(complete, "{all}");
    for args in [&["list"][..], &["list", "--all"], &["doctor"]] {
        let (_, answer) = machine.json("repo", args);
        assert_eq!(answer["hidden"]["scope"], there, "{args:?}: {answer}");
    }
    let (_, list) = machine.json("repo", &["list"]);
    assert!(list["pipelines"].as_array().unwrap().is_empty(), "{list}");
    for args in [&["list"][..], &["list", "."]] {
        let text = said(&machine.run("repo", args));
        assert!(
            text.contains("relight list --all --scope machine"),
            "{text}"
        );
    }
}

/// The names that the systems mark their files with: where each is put, and whether it is looked for in
/// projects or elsewhere.
const MARKERS: [&str; 14] = [
    "work/odd/manifest.jsonl",
    "work/odd/crucible-dispatch-17/manifest.jsonl",
    "work/odd/conference.md",
    "work/odd/conference_events.jsonl",
    "work/odd/.mgw",
    "work/odd/workflow-state.json",
    "work/odd/.workflow-state.json",
    "work/odd/workflow_state.json",
    "work/odd/.workflow_state.json",
    "home/.claude/projects/-p/memory/.pipeline-active",
    "home/.claude/projects/-p/memory/crucible-dispatch-17/manifest.jsonl",
    "home/tmp/crucible-dispatch-1700000001",
    "home/tmp/crucible-dispatch-1700000002/manifest.jsonl",
    "home/tmp/crucible-debug-1700000003",
];

/// Finding F25: a state file that is a link, a FIFO or a socket is never silently left out.
#[test]
fn f25_a_state_file_that_is_no_regular_file_is_skipped_with_its_reason() {
    for marker in MARKERS {
        for kind in ["link", "dangling", "loop", "fifo", "socket"] {
            let machine = Machine::new();
            let path = machine.path(marker);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            make(&machine, kind, &path);
            let (code, list) = machine.json("work", &["list"]);
            assert_eq!(code, 0);
            let skipped = list["skipped"].as_array().unwrap();
            // A manifest in a dispatch folder is skipped with its folder.
            let folder = path.parent().unwrap();
            let is_it = |s: &&Value| {
                let at = Path::new(s["path"].as_str().unwrap());
                at == path || at == folder
            };
            let found = skipped.iter().find(is_it);
            let found = found.unwrap_or_else(|| panic!("{marker} as {kind}: {skipped:?}"));
            let reason = found["reason"].as_str().unwrap();
            let expected = match kind {
                "fifo" | "socket" => "not a regular file",
                _ => "symbolic link",
            };
            assert!(reason.contains(expected), "{marker} as {kind}: {reason}");
        }
    }
}

/// Finding F25: a state file of mgw is recognized by its name, so it is a pipeline that cannot be read.
#[test]
fn f25_a_linked_state_file_in_a_folder_of_state_is_listed_or_skipped() {
    let machine = Machine::new();
    let active = machine.path("work/notes/.mgw/active");
    fs::create_dir_all(&active).unwrap();
    fs::write(machine.path("home/tmp/state.json"), MGW).unwrap();
    symlink(
        machine.path("home/tmp/state.json"),
        active.join("7-a-bug.json"),
    )
    .unwrap();
    let (_, list) = machine.json("work/notes", &["list"]);
    let named = list["pipelines"].as_array().unwrap().iter().any(|p| {
        let files = p["state_files"].to_string();
        p["status"] == "unreadable" && files.contains("7-a-bug.json")
    });
    let skipped = list["skipped"].to_string().contains("7-a-bug.json");
    assert!(named || skipped, "{list}");
}

/// Naming the file that a link points to reads it.
#[test]
fn f25_what_a_link_points_to_can_be_named() {
    let machine = Machine::new();
    let link = machine.path("work/empty/conference.md");
    symlink(
        machine.path("work/lab/tokenizer-speed/conference.md"),
        &link,
    )
    .unwrap();
    let output = machine.run("work/empty", &["show", "conference.md"]);
    assert_eq!(code(&output), 0, "{}", said(&output));
}

fn make(machine: &Machine, kind: &str, path: &Path) {
    match kind {
        "link" => {
            let target = machine.path("work/lab/tokenizer-speed/conference.md");
            symlink(target, path).unwrap();
        }
        "dangling" => symlink("/no/such/file", path).unwrap(),
        "loop" => symlink(path, path).unwrap(),
        "fifo" => {
            let made = Command::new("mkfifo").arg(path).status().unwrap();
            assert!(made.success());
        }
        _ => drop(std::os::unix::net::UnixListener::bind(path).unwrap()),
    }
}
