//! Why a pipeline stopped, and what to do about it: the advice follows the cause, whatever was written since.

use std::fs;
use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::sandbox::Sandbox;

const ID: &str = "mgw-57";

/// The only conversation about the issue.
fn conversation(sandbox: &Sandbox) -> PathBuf {
    let (_, why) = sandbox.json(&["why", ID]);
    PathBuf::from(why["conversations"][0]["file"].as_str().unwrap())
}

/// Lets the conversation end in another way, at the same time.
fn end_with(sandbox: &Sandbox, fields: &Value) {
    let path = conversation(sandbox);
    let modified = fs::metadata(&path).unwrap().modified().unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let mut lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let last = lines.last_mut().unwrap().as_object_mut().unwrap();
    last.extend(fields.as_object().unwrap().clone());
    let text: Vec<String> = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(&path, text.concat()).unwrap();
    let file = fs::File::open(&path).unwrap();
    file.set_modified(modified).unwrap();
}

fn cause(sandbox: &Sandbox) -> Value {
    let (code, why) = sandbox.json(&["why", ID]);
    assert_eq!(code, 0, "{why}");
    why["cause"].clone()
}

fn error(kind: &str, status: u64, text: &str) -> Value {
    json!({"isApiErrorMessage": true, "error": kind, "apiErrorStatus": status,
        "message": {"id": "e", "model": "<synthetic>", "stop_reason": "stop_sequence",
            "content": [{"type": "text", "text": text}]}})
}

fn call(name: &str) -> Value {
    json!({"message": {"id": "m", "model": "x", "stop_reason": "tool_use",
        "content": [{"type": "tool_use", "id": "t", "name": name, "input": {}}]}})
}

#[test]
fn the_advice_follows_the_cause_after_a_resume_too() {
    for (kind, ending, advice) in [
        (
            "context_full",
            error("invalid_request", 400, "Prompt is too long"),
            "Resume at the recommended point in a new conversation: ",
        ),
        (
            "auth",
            error(
                "authentication_failed",
                401,
                "Not logged in · Please run /login",
            ),
            "Log in or top up with /login, then resume at the recommended point in a new conversation, or continue this one",
        ),
        (
            "killed_in_tool",
            call("Bash"),
            "Check what the call had done, then resume at the recommended point in a new conversation, or continue this one",
        ),
        (
            "waiting_answer",
            call("AskUserQuestion"),
            "Resume at the recommended point in a new conversation, or answer it in this one",
        ),
        (
            "api_error",
            error("server_error", 500, "API Error: 500"),
            "Resume at the recommended point in a new conversation, or continue this one",
        ),
    ] {
        let sandbox = Sandbox::new();
        end_with(&sandbox, &ending);
        let before = cause(&sandbox);
        assert_eq!(before["kind"], kind);
        let says = |cause: &Value| cause["next"][0].as_str().unwrap().to_owned();
        assert!(says(&before).starts_with(advice), "{kind}: {before}");
        let (code, done) = sandbox.json(&["resume", ID, "step-plan", "--yes"]);
        assert_eq!(code, 0, "{kind}: {done}");
        let after = cause(&sandbox);
        assert_eq!(after["kind"], kind);
        assert!(says(&after).starts_with(advice), "{kind}: {after}");
        // The conversation does not know what changed; only the command of the plan tells it.
        assert!(!says(&after).contains("--resume"), "{kind}: {after}");
        let named = says(&after).contains("the command that relight plan mgw-57~");
        assert_eq!(named, kind != "context_full", "{kind}: {after}");
    }
}

/// `git switch`, which the guard of the branch itself asks for, and `git status` write them.
#[test]
fn what_git_writes_when_a_person_looks_erases_no_cause() {
    if !crate::judge::git_is_there() {
        return;
    }
    let sandbox = Sandbox::new();
    let before = cause(&sandbox);
    assert_eq!(before["kind"], "killed_in_tool");
    let (_, shown) = sandbox.json(&["show", ID]);
    let tree = shown["pipeline"]["work_tree"].as_str().unwrap();
    let git = |args: &[&str]| {
        let mut git = std::process::Command::new("git");
        let output = git.arg("-C").arg(tree).args(args).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap()
    };
    let dir = git(&["rev-parse", "--absolute-git-dir"]);
    let recently = SystemTime::now() - Duration::from_secs(1_200);
    for name in ["HEAD", "index"] {
        let path = PathBuf::from(dir.trim()).join(name);
        let file = fs::File::open(path).unwrap();
        file.set_modified(recently).unwrap();
    }
    assert_eq!(cause(&sandbox), before);
    let (_, again) = sandbox.json(&["show", ID]);
    let last = |shown: &Value| shown["pipeline"]["last_activity_at"].clone();
    assert_eq!(last(&again), last(&shown));
}
