//! `relight hooks`: every snippet runs as it is printed.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;

use crate::cli_acting::sandbox::Sandbox;

const STATE: &str = "projects/notes/.mgw/active/57-cache-lookups.json";

fn snippets(sandbox: &Sandbox, args: &[&str]) -> Vec<Value> {
    let (code, answer) = sandbox.json(&[&["hooks"], args].concat());
    assert_eq!(code, 0, "{answer}");
    answer["hooks"].as_array().unwrap().clone()
}

fn text(snippets: &[Value], title: &str) -> String {
    let one = snippets.iter().find(|one| one["title"] == title).unwrap();
    one["text"].as_str().unwrap().to_owned()
}

/// Runs shell text in the sandbox with the built program on the path.
fn shell(sandbox: &Sandbox, text: &str, pipeline: &str) -> Output {
    let program = Path::new(assert_cmd::cargo::cargo_bin!("relight"));
    let bin = program.parent().unwrap().to_string_lossy().into_owned();
    let syntax = Command::new("sh")
        .args(["-n", "-c", text])
        .status()
        .unwrap();
    assert!(syntax.success(), "{text}");
    Command::new("sh")
        .args(["-c", text])
        .current_dir(sandbox.root())
        .env_clear()
        .env("PATH", format!("{bin}:/usr/bin:/bin"))
        .env("HOME", sandbox.root().join("home"))
        .env("TMPDIR", sandbox.root().join("home").join("tmp"))
        .env("XDG_STATE_HOME", sandbox.root().with_file_name("state"))
        .env("RELIGHT_PIPELINE", pipeline)
        .output()
        .unwrap()
}

fn own(sandbox: &Sandbox) -> usize {
    let (_, answer) = sandbox.json(&["checkpoints", STATE]);
    let all = answer["checkpoints"].as_array().unwrap().iter();
    all.filter(|one| one["source"] == "relight").count()
}

#[test]
fn the_hooks_of_claude_code_run() {
    let sandbox = Sandbox::new();
    let settings = text(&snippets(&sandbox, &[]), "Claude Code hooks");
    let settings: Value = serde_json::from_str(&settings).unwrap();
    for (event, checkpoints) in [("SessionStart", 0), ("PostToolUse", 1), ("Stop", 2)] {
        let command = settings["hooks"][event][0]["hooks"][0]["command"]
            .as_str()
            .unwrap();
        // Without a pipeline a hook does nothing and never stops the agent.
        assert!(shell(&sandbox, command, "").status.success());
        assert!(
            shell(&sandbox, command, "projects/nothing")
                .status
                .success()
        );
        let output = shell(&sandbox, command, STATE);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(
            output.stdout.is_empty(),
            event != "SessionStart",
            "{output:?}"
        );
        assert_eq!(own(&sandbox), checkpoints, "{event}: {output:?}");
    }
}

#[test]
fn the_hook_of_git_and_the_prompt_run() {
    let sandbox = Sandbox::new();
    let all = snippets(&sandbox, &[]);
    let output = shell(&sandbox, &text(&all, "Git hook"), STATE);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(own(&sandbox), 1);
    let prompt = text(&all, "Shell prompt");
    let output = shell(&sandbox, &format!("{prompt}\nrelight_waiting"), "");
    let line = String::from_utf8(output.stdout).unwrap();
    assert_eq!(line.lines().count(), 1, "{line}");
    assert!(line.contains("  waiting  "), "{line}");
    // As bash runs it before each prompt: on a line of its own, and with the status of the last command.
    let before = format!("{prompt}\nfalse; eval \"$PROMPT_COMMAND\"; printf '%s$ ' $?");
    let output = shell(&sandbox, &before, "");
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(said, format!("{line}1$ "));
    let empty = crate::support::temporary::directory();
    let quiet = sandbox.run_in(empty.path(), &["list", "--brief", "--quiet"]);
    assert!(quiet.stdout.is_empty(), "{quiet:?}");
}

#[test]
fn the_lines_of_a_prompt_name_forms_that_exist() {
    let sandbox = Sandbox::new();
    let before = sandbox.all();
    let forms = ["record", "checkpoint", "wait"];
    for system in [
        "crucible",
        "autoconference",
        "mgw",
        "superscientist",
        "nine-step",
    ] {
        let all = snippets(&sandbox, &[system]);
        assert_eq!(all.len(), 1, "{system}");
        let file = format!("the prompt of {system}'s orchestrator");
        assert_eq!(all[0]["file"], *file);
        let lines = text(&all, "Lines for an orchestrator's prompt");
        let calls: Vec<&str> = lines
            .lines()
            .filter(|line| line.starts_with("relight "))
            .collect();
        assert!(calls.len() >= 3, "{lines}");
        for call in calls {
            let form = call.split(' ').nth(1).unwrap();
            assert!(forms.contains(&form), "{call}");
            let help = String::from_utf8(sandbox.run(&[form, "--help"]).stdout).unwrap();
            for word in call.split(' ').filter(|word| word.starts_with("--")) {
                assert!(help.contains(word) || word == "--system", "{call}: {word}");
            }
        }
    }
    assert_eq!(sandbox.run(&["hooks", "nothing"]).status.code(), Some(2));
    assert!(snippets(&sandbox, &["claude-workflow"]).is_empty());
    let page = String::from_utf8(sandbox.run(&["hooks", "claude-workflow"]).stdout).unwrap();
    assert!(
        page.contains("There are no lines for claude-workflow"),
        "{page}"
    );
    assert!(before == sandbox.all());
    let printed = String::from_utf8(sandbox.run(&["hooks"]).stdout).unwrap();
    assert!(printed.contains("\"SessionStart\""), "{printed}");
}
