//! What is said, and that it is said once.

use super::sandbox::Sandbox;

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap()
}

#[test]
fn a_time_whose_zone_is_assumed_is_explained() {
    let sandbox = Sandbox::new();
    for id in sandbox.ids() {
        let page = text(sandbox.run(&["timeline", &id]).stdout);
        let assumed = page.lines().any(|line| line.get(23..24) == Some("?"));
        let explained = page.contains("\n? zone assumed: ");
        assert_eq!(assumed, explained, "{id}: {page}");
    }
}

#[test]
fn an_open_question_is_said_once() {
    let sandbox = Sandbox::new();
    let (code, refused) = sandbox.json(&["resume", "mgw-61"]);
    assert_eq!(code, 4, "{refused}");
    let question = refused["error"]["guards"][0]["text"].as_str().unwrap();
    let said = text(sandbox.run(&["resume", "mgw-61"]).stderr);
    assert_eq!(said.matches(question).count(), 1, "{said}");
    assert!(
        said.contains(&format!("  unanswered: {question}")),
        "{said}"
    );
}

#[test]
fn a_check_that_prints_nothing_has_no_output() {
    let sandbox = Sandbox::new();
    let check = |words: &[&str]| {
        let args = [&["rehearse", "mgw-57", "step-plan", "--check", "--"], words].concat();
        text(sandbox.run(&args).stdout).matches('│').count()
    };
    assert_eq!(check(&["true"]), 0);
    assert_eq!(check(&["echo", "a"]), 1);
}

#[test]
fn an_option_without_effect_is_named_and_not_repeated() {
    let sandbox = Sandbox::new();
    let (root, crucible) = (sandbox.root(), sandbox.crucible());
    let cases: [(&[&str], &str, &str); 5] = [
        (
            &["mgw-57", "--exact", "--work-tree", "/tmp"],
            "relight resume mgw-57",
            "--exact and --work-tree",
        ),
        (
            &["mgw-57", "--path", "nowhere", "--path=src"],
            "relight resume mgw-57",
            "--path",
        ),
        (
            &["mgw-57", "--work-tree=/tmp"],
            "relight resume mgw-57",
            "--work-tree",
        ),
        (
            &["mgw-57", "--assume-stopped"],
            "relight resume mgw-57 --assume-stopped",
            "",
        ),
        (
            &[&crucible, "--exact"],
            &format!("relight resume {crucible} --exact"),
            "",
        ),
    ];
    for (args, apply, idle) in cases {
        let output = sandbox.command(&root, &[&["plan"], args].concat()).output();
        let output = output.unwrap();
        let (page, said) = (text(output.stdout), text(output.stderr));
        let line = page.lines().find_map(|line| line.strip_prefix("apply"));
        assert_eq!(line.map(str::trim), Some(apply), "{page}");
        let note = format!("note: no effect on this plan: {idle}\n");
        assert_eq!(said, if idle.is_empty() { String::new() } else { note });
    }
}

#[test]
fn an_option_for_which_a_plan_is_refused_has_an_effect() {
    let sandbox = Sandbox::new();
    let output = sandbox.run(&["plan", "mgw-57", "--rewind-branch"]);
    let (page, said) = (text(output.stdout), text(output.stderr));
    assert_eq!(output.status.code(), Some(3), "{page}");
    assert!(!said.contains("no effect"), "{said}");
}

/// Only a store keeps a checkpoint apart from the branch that is reset. The files of a commit can be restored.
#[test]
fn a_restore_of_a_commit_says_why_it_resets_no_branch() {
    let sandbox = Sandbox::new();
    let (_, found) = sandbox.json(&["checkpoints", "mgw-57"]);
    let all = found["checkpoints"].as_array().unwrap();
    let of_commit =
        |one: &&serde_json::Value| one["source"].as_str().unwrap().contains("a commit on");
    let id = all.iter().find(of_commit).unwrap()["id"].as_str().unwrap();
    let args = ["restore", "mgw-57", "--checkpoint", id, "--dry-run"];
    assert_eq!(sandbox.run(&args).status.code(), Some(0));
    let output = sandbox.run(&[&args[..], &["--rewind-branch"]].concat());
    let said = text(output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    let why = "needs a checkpoint of a store, or a point that resets a worktree";
    assert!(said.contains(why), "{said}");
    let help = text(sandbox.run(&["restore", "--help"]).stdout);
    assert!(help.contains("(crucible; points of mgw)"), "{help}");
}

/// `restore` hands nothing over, so its dry run shows no hand-off and no conversation to continue.
#[test]
fn the_dry_run_of_a_restore_ends_with_the_files() {
    let sandbox = Sandbox::new();
    let crucible = sandbox.crucible();
    let (_, found) = sandbox.json(&["checkpoints", &crucible]);
    let id = found["checkpoints"][0]["id"].as_str().unwrap().to_owned();
    let args = ["restore", &crucible, "--checkpoint", &id, "--dry-run"];
    let page = text(sandbox.run(&args).stdout);
    assert!(page.contains("Changes ("), "{page}");
    for other in ["Hand-off", "Replay Plan", "continue the conversation"] {
        assert!(!page.contains(other), "{other}: {page}");
    }
    assert!(page.contains("\napply "), "{page}");
    // Once the files match, there is nothing to apply.
    sandbox.run(&[&args[..4], &["--yes"]].concat());
    let page = text(sandbox.run(&args).stdout);
    assert!(
        page.contains("Changes (0)") && !page.contains("\napply "),
        "{page}"
    );
}

#[test]
fn a_reason_is_taken_only_where_there_is_a_hand_off_for_it() {
    let sandbox = Sandbox::new();
    for (command, takes) in [
        ("plan", true),
        ("resume", true),
        ("restore", false),
        ("rehearse", false),
    ] {
        let help = text(sandbox.run(&[command, "--help"]).stdout);
        assert_eq!(help.contains("--reason"), takes, "{command}");
    }
}
