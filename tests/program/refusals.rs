//! A plan that a guard refuses exits with 3 and is still shown; a bug of relight itself exits with 70.
use std::path::Path;
use std::process::Command;

use relight::cli::{Exit, guarded};
use serde_json::Value;

use crate::cli_acting::sandbox::Sandbox;

/// The session of the sandbox's interrupted crucible run.
fn session(root: &Path) -> String {
    let folders = std::fs::read_dir(root.join("home/tmp")).unwrap();
    let names = folders.map(|folder| folder.unwrap().file_name().into_string().unwrap());
    // The finished run is older, and its session's number smaller.
    let name = names.filter(|name| name.starts_with("crucible-dispatch-"));
    let name = name.max().unwrap();
    name.strip_prefix("crucible-dispatch-").unwrap().to_owned()
}

/// The exit code and the JSON of a plan for it.
fn plan(root: &Path, more: &[&str]) -> (i32, Value) {
    let output = Command::new(assert_cmd::cargo::cargo_bin!("relight"))
        .args(["plan", &session(root), "--json"])
        .args(more)
        .current_dir(root)
        .env_clear()
        .env("HOME", "/nonexistent")
        .env("TMPDIR", "/nonexistent/tmp")
        .env("XDG_STATE_HOME", root.join("state"))
        .output()
        .unwrap();
    (
        output.status.code().unwrap(),
        serde_json::from_slice(&output.stdout).unwrap(),
    )
}

/// A script may always answer what only some plans ask; what no question is called is a slip.
#[test]
fn an_answer_to_no_question_is_a_usage_error() {
    let dir = crate::support::temporary::directory();
    let root = dir.path().join("demo");
    relight::demo::build(&root, chrono::Utc::now()).unwrap();
    for id in [
        "gate:merge",
        "override:x",
        "repeat-failure:y",
        "convergence",
    ] {
        let (code, plan) = plan(&root, &["--accept", id]);
        assert_eq!(code, 0, "{id}: {plan}");
    }
    for id in ["merge", "gate", "converge"] {
        let (code, plan) = plan(&root, &["--accept", id]);
        let text = plan["error"]["text"].as_str().unwrap_or_default();
        assert_eq!(code, 2, "{id}: {plan}");
        assert!(text.contains(&format!("`{id}`")), "{text}");
    }
}

/// A second agent on a pipeline that may be alive, or one on another branch, is what the guards are there for.
#[test]
fn a_plan_that_a_guard_refuses_offers_no_conversation() {
    let sandbox = Sandbox::new();
    let (code, plan) = sandbox.json(&["plan", "mgw-57"]);
    assert_eq!(code, 0, "{plan}");
    assert!(plan["continue"].is_object(), "{plan}");
    let file = sandbox
        .root()
        .join("projects/notes/.mgw/active/57-cache-lookups.json");
    let now = std::fs::FileTimes::new().set_modified(std::time::SystemTime::now());
    std::fs::File::open(file).unwrap().set_times(now).unwrap();
    let (code, plan) = sandbox.json(&["plan", "mgw-57"]);
    assert_eq!(code, 3, "{plan}");
    assert!(plan["continue"].is_null(), "{plan}");
}

/// Without an id nobody has named the recovery yet.
#[test]
fn an_undo_that_nobody_agreed_to_names_what_it_would_undo() {
    let sandbox = Sandbox::new();
    let (code, done) = sandbox.json(&["resume", "mgw-57", "step-plan", "--yes"]);
    assert_eq!(code, 0, "{done}");
    let recovery = done["recovery"]["id"].as_str().unwrap();
    let pipeline = done["recovery"]["pipeline"].as_str().unwrap();
    for args in [&["undo"][..], &["undo", recovery]] {
        let (code, refused) = sandbox.json(args);
        let hint = &refused["error"]["hints"][0];
        let named = format!("This would undo {recovery} of {pipeline}.");
        assert_eq!((code, hint.as_str()), (4, Some(&*named)), "{refused}");
    }
    assert_eq!(sandbox.json(&["undo", "--yes"]).0, 0);
    let (_, refused) = sandbox.json(&["redo"]);
    let hint = refused["error"]["hints"][0].as_str().unwrap();
    assert_eq!(hint, format!("This would redo {recovery} of {pipeline}."));
}
#[test]
fn a_wrong_branch_is_refused_with_the_plan_beside_it_and_nothing_answers_it() {
    let dir = crate::support::temporary::directory();
    let root = dir.path().join("demo");
    relight::demo::build(&root, chrono::Utc::now()).unwrap();
    let (code, right) = plan(&root, &[]);
    assert_eq!((code, &right["error"]), (0, &Value::Null));
    std::fs::write(
        root.join("projects/shop/.git/HEAD"),
        "ref: refs/heads/main\n",
    )
    .unwrap();
    // A recorded branch is not answered by another name.
    let (code, contradicts) = plan(&root, &["--branch", "main"]);
    assert_eq!(
        (code, contradicts["error"]["kind"].as_str()),
        (2, Some("usage"))
    );
    for more in [&[][..], &["--assume-stopped"]] {
        let (code, refused) = plan(&root, more);
        assert_eq!(code, 3, "{more:?}: {refused}");
        assert_eq!(refused["error"]["kind"], "refused");
        assert_eq!(refused["error"]["guards"][0]["id"], "branch");
        assert_eq!(refused["plan"]["actions"][0]["kind"], "restore_tree");
        assert_ne!(refused["plan"]["fingerprint"], right["plan"]["fingerprint"]);
    }
    // H4: a point that restores nothing hands over to work on the recorded branch, too.
    let (code, disk) = plan(&root, &["--point", "disk"]);
    assert_eq!(code, 3, "{disk}");
    let hint = disk["error"]["hints"][0].as_str().unwrap();
    assert!(
        hint.starts_with("git -C ") && hint.ends_with(" switch feat/price-cache"),
        "{hint}"
    );
}

/// The command that continues the conversation is given nowhere where a plan would be refused.
#[test]
fn a_wrong_branch_is_no_place_to_continue_the_conversation() {
    let dir = crate::support::temporary::directory();
    let root = dir.path().join("demo");
    relight::demo::build(&root, chrono::Utc::now()).unwrap();
    let session = session(&root);
    let said = |args: &[&str]| {
        let output = Command::new(assert_cmd::cargo::cargo_bin!("relight"))
            .args(args)
            .current_dir(root.join("projects/shop"))
            .output()
            .unwrap();
        String::from_utf8([output.stdout, output.stderr].concat()).unwrap()
    };
    let everywhere: [&[&str]; 6] = [
        &["why", &session],
        &["why", &session, "--json"],
        &["show", &session, "--json"],
        &["list", "--json"],
        &["list"],
        &["plan", &session, "disk", "--json"],
    ];
    assert!(said(everywhere[0]).contains("claude --resume"));
    std::fs::write(
        root.join("projects/shop/.git/HEAD"),
        "ref: refs/heads/main\n",
    )
    .unwrap();
    for args in everywhere {
        let text = said(args);
        assert!(!text.contains("--resume"), "{args:?}: {text}");
    }
    let text = said(everywhere[0]);
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        text.contains(
            "The work tree is on main; the pipeline ran on feat/price-cache. First: git -C "
        ),
        "{text}"
    );
}

#[test]
fn another_git_command_or_a_merge_under_way_is_refused() {
    let dir = crate::support::temporary::directory();
    let root = dir.path().join("demo");
    relight::demo::build(&root, chrono::Utc::now()).unwrap();
    let git = root.join("projects/shop/.git");
    let tip = std::fs::read_to_string(git.join("refs/heads/main")).unwrap();
    for (file, guard) in [("index.lock", "index_lock"), ("MERGE_HEAD", "git_state")] {
        std::fs::write(git.join(file), &tip).unwrap();
        let (code, refused) = plan(&root, &["--assume-stopped"]);
        assert_eq!(code, 3, "{file}");
        let failing: Vec<&str> = refused["error"]["guards"]
            .as_array()
            .unwrap()
            .iter()
            .map(|g| g["id"].as_str().unwrap())
            .collect();
        assert!(failing.contains(&guard), "{failing:?}");
        std::fs::remove_file(git.join(file)).unwrap();
    }
}

#[test]
fn a_panic_is_a_bug_and_says_so_by_its_code() {
    assert_eq!(guarded(|| Exit::Done), Exit::Done);
    assert_eq!(guarded(|| unreachable!("on purpose")), Exit::Bug);
    assert_eq!(Exit::Bug as u8, 70);
}
