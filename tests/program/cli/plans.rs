//! Plans as a scripter sees them: fingerprints, refusals, losses; and the exit code of a bug.

use std::process::Command;

use serde_json::Value;

use super::{code, json, pipelines, relight_in};

#[test]
fn the_same_plan_has_the_same_fingerprint_and_says_what_it_needs() {
    let id = super::id("autoconference-tokenizer");
    let (_, first) = json(&["plan", &id]);
    let (_, second) = json(&["plan", &id]);
    assert_eq!(first["plan"]["fingerprint"], second["plan"]["fingerprint"]);
    assert_eq!(first["plan"]["fingerprint"].as_str().unwrap().len(), 64);
    let kinds: Vec<&str> = first["plan"]["actions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|a| a["kind"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["truncate_rows", "append_lines"]);
    assert!(
        first["plan"]["handoff"]["cwd"]
            .as_str()
            .unwrap()
            .ends_with("tokenizer-speed")
    );
}

#[test]
fn a_fingerprint_follows_what_the_plan_touches_and_a_wrong_branch_refuses() {
    if !crate::judge::git_is_there() {
        return;
    }
    let dir = crate::support::temporary::directory();
    let root = dir.path().join("demo");
    relight::demo::build(&root, chrono::Utc::now()).unwrap();
    let shop = root.join("projects/shop");
    let git = |args: &[&str]| {
        let status = Command::new("git")
            .args(["-c", "user.email=a@b", "-c", "user.name=a"])
            .args(args)
            .current_dir(&shop)
            .status()
            .unwrap();
        assert!(status.success(), "{args:?}");
    };
    let list = relight_in(&root, &["list", "--system", "crucible", "--json"]);
    let list: Value = serde_json::from_slice(&list.stdout).unwrap();
    let id = list["pipelines"][0]["id"].as_str().unwrap();
    let plan = |more: &[&str]| -> (i32, Value) {
        let args: Vec<&str> = ["plan", id, "--json"]
            .into_iter()
            .chain(more.iter().copied())
            .collect();
        let output = relight_in(&root, &args);
        (
            code(&output),
            serde_json::from_slice(&output.stdout).unwrap(),
        )
    };
    let mut seen = std::collections::BTreeSet::new();
    let mut fresh = |what: &str, plan: &Value| {
        let print = plan["plan"]["fingerprint"].as_str().unwrap().to_owned();
        assert!(seen.insert(print), "{what} changes the fingerprint");
    };
    fresh("nothing", &plan(&[]).1);
    fresh("another mode", &plan(&["--exact"]).1);
    fresh("another point", &plan(&["disk"]).1);
    let file = shop.join("src/price.rs");
    let edited = [std::fs::read(&file).unwrap(), b"// edited\n".to_vec()].concat();
    std::fs::write(&file, edited).unwrap();
    fresh("an edited file", &plan(&[]).1);
    // W16: the same bytes, saved again, and with another mode.
    let opened = std::fs::File::open(&file).unwrap();
    opened
        .set_modified(std::time::SystemTime::UNIX_EPOCH)
        .unwrap();
    fresh("a touched file", &plan(&[]).1);
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&file, mode).unwrap();
    fresh("a file made executable", &plan(&[]).1);
    git(&["commit", "-q", "--allow-empty", "-m", "another"]);
    fresh("a new commit", &plan(&[]).1);
    git(&["switch", "-q", "-c", "other"]);
    let (refused, answer) = plan(&[]);
    fresh("a switched branch", &answer);
    assert_eq!(refused, 3);
    assert_eq!(answer["error"]["kind"], "refused");
    let guard = &answer["error"]["guards"][0];
    assert_eq!(guard["id"], "branch");
    // In text the worst news is the second line.
    let said = String::from_utf8(relight_in(&root, &["plan", id]).stdout).unwrap();
    let words: Vec<&str> = said
        .lines()
        .skip(1)
        .flat_map(str::split_whitespace)
        .collect();
    let refused = format!("Refused: {}", guard["text"].as_str().unwrap());
    assert!(words.join(" ").starts_with(&refused), "{said}");
}

#[test]
fn losses_are_those_of_the_plan_and_not_of_the_work_tree() {
    let list = pipelines();
    let is_open = |p: &&Value| p["system"] == "crucible" && p["status"] == "interrupted";
    let id = list.values().find(is_open).unwrap()["id"].as_str().unwrap();
    let losses = |more: &[&str]| {
        let args: Vec<&str> = ["plan", id]
            .into_iter()
            .chain(more.iter().copied())
            .collect();
        json(&args).1["plan"]["losses"].to_string()
    };
    assert!(!losses(&[]).contains("price_cache_wip"));
    assert!(losses(&["--exact"]).contains("price_cache_wip"));
    assert!(!losses(&["--exact", "--path", "src/price.rs"]).contains("price_cache_wip"));
}

/// A phase whose only points skip work, give it up, roll it back or start over has none that its number means: those are
/// named. Their names still work.
#[test]
fn from_phase_never_means_a_skip_or_a_fresh_start() {
    for (pipeline, phase, named) in [
        ("nine-step-price-alerts", "3", "skip-phase"),
        ("nine-step-price-alerts", "0", "phase-0-commit"),
        ("autoconference-tokenizer", "1", "fresh"),
        ("superscientist-polymer", "stage-3", "stage-3:skip"),
    ] {
        let id = super::id(pipeline);
        let (exit, by_name) = json(&["plan", &id, named]);
        assert_eq!(
            (exit, &by_name["plan"]["point"]["phase"]),
            (0, &Value::from(phase)),
            "{id} {named}"
        );
        let (exit, answer) = json(&["plan", &id, "--from-phase", phase]);
        assert_eq!(
            (exit, &answer["error"]["text"]),
            (
                2,
                &Value::from(format!("There is no resume point in phase {phase}."))
            ),
            "{id} --from-phase {phase}: {answer}"
        );
    }
    let crucible = pipelines()
        .values()
        .find(|p| p["system"] == "crucible" && p["status"] == "interrupted");
    let crucible = crucible.unwrap()["id"].as_str().unwrap();
    // The dispatches of phase 1 lie in no boundary either.
    for (option, missing) in [
        ("--from-phase", "in phase 1"),
        ("--from-seq", "for dispatch 1"),
    ] {
        let (exit, answer) = json(&["plan", crucible, option, "1"]);
        let text = &answer["error"]["text"];
        assert_eq!(
            (exit, text),
            (
                2,
                &Value::from(format!("There is no resume point {missing}."))
            ),
            "{option}"
        );
    }
    let (_, first) = json(&["plan", crucible, "--from-phase", "3"]);
    assert_eq!(first["plan"]["point"]["id"], "wave-1");
}

#[test]
fn a_panic_is_the_exit_code_of_a_bug() {
    assert_eq!(
        relight::cli::guarded(|| panic!("on purpose")),
        relight::cli::Exit::Bug
    );
}

/// Text and hints of what is refused.
fn refused(args: &[&str]) -> String {
    let (exit, answer) = json(args);
    assert_eq!(exit, 2, "{args:?}: {answer}");
    let error = &answer["error"];
    let hints = error["hints"].as_array().into_iter().flatten();
    let said = std::iter::once(&error["text"]).chain(hints);
    let said: Vec<&str> = said.filter_map(Value::as_str).collect();
    said.join("\n")
}

#[test]
fn an_error_names_what_was_typed_and_what_there_is() {
    let id = super::id("autoconference-tokenizer");
    let said = refused(&["plan", &id, "--point", "phase-9"]);
    assert!(
        said.starts_with("There is no resume point phase-9."),
        "{said}"
    );
    for command in ["list", "hooks"] {
        let said = refused(&[command, "--system", "crucibel"]);
        assert!(said.starts_with("There is no system crucibel."), "{said}");
        assert!(said.contains("The systems are crucible, "), "{said}");
    }
    let said = refused(&["list", "--config", "/nonexistent/config.toml"]);
    assert!(said.contains("Name an existing file"), "{said}");
    assert!(!said.contains("delete"), "{said}");
}
