//! `resume --launch` with an agent of the test's own, named by the person's configuration.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::sandbox::Sandbox;

/// A configuration that names this script for mgw and crucible.
fn agent(dir: &Path, script: &str) -> PathBuf {
    let program = dir.join("agent.sh");
    fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let config = dir.join("config.toml");
    let program = program.display();
    let text = format!("[agent]\nmgw = [\"{program}\"]\ncrucible = [\"{program}\"]\n");
    fs::write(&config, text).unwrap();
    config
}

#[test]
fn the_outcome_is_printed_then_the_agent_runs_where_it_was_shown_to() {
    let sandbox = Sandbox::new();
    let dir = crate::support::temporary::directory();
    let config = agent(dir.path(), "pwd; echo \"agent: $#\"; exit 7");
    let config = config.to_str().unwrap();
    let output = sandbox.run(&[
        "resume",
        "mgw-57",
        "step-plan",
        "--yes",
        "--launch",
        "--config",
        config,
    ]);
    let text = String::from_utf8(output.stdout).unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    // Handed over is done, whatever becomes of the agent.
    assert_eq!(output.status.code(), Some(0), "{text}{said}");
    let cwd = sandbox.root().join("projects/notes");
    let order = [
        "Done: 57-cache-lookups.json replaced.",
        "Hand-off",
        &format!("\n{}\nagent: ", cwd.display()),
        "The orchestrator ended: exit 7.",
        "No new record of its work was found",
    ];
    let mut from = 0;
    for words in order {
        let at = text.get(from..).unwrap().find(words);
        from += at.unwrap_or_else(|| panic!("{words:?} is not after the rest in:\n{text}"));
    }
}

#[test]
fn a_record_that_the_agent_leaves_is_seen() {
    let sandbox = Sandbox::new();
    let dir = crate::support::temporary::directory();
    let state = sandbox
        .root()
        .join("projects/notes/.mgw/active/57-cache-lookups.json");
    let script = format!(
        "sed -i 's/\"spawn-executor\"/\"spawn-verifier\"/' '{}'",
        state.display()
    );
    let config = agent(dir.path(), &script);
    let config = config.to_str().unwrap();
    let output = sandbox.run(&[
        "resume",
        "mgw-57",
        "step-plan",
        "--yes",
        "--launch",
        "--config",
        config,
    ]);
    let text = String::from_utf8(output.stdout).unwrap();
    assert!(text.contains("orchestrator ended: exit 0."), "{text}");
}

/// The run of crucible stopped at a usage limit that has not reset.
#[test]
fn no_agent_is_started_before_a_usage_limit_resets_unless_that_is_accepted() {
    let sandbox = Sandbox::new();
    let dir = crate::support::temporary::directory();
    let config = agent(dir.path(), "echo started");
    let crucible = sandbox.crucible();
    let resume = |more: &[&str]| {
        let mut args = vec!["resume", &crucible, "disk", "--yes", "--launch"];
        args.extend(["--config", config.to_str().unwrap()]);
        args.extend(more);
        let output = sandbox.run(&args);
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (
            output.status.code(),
            text(output.stdout),
            text(output.stderr),
        )
    };
    let before = sandbox.persons();
    let (code, text, said) = resume(&[]);
    assert_eq!(code, Some(4), "{text}{said}");
    assert!(said.contains("The usage limit resets at "), "{said}");
    assert!(said.contains("--accept usage-limit"), "{said}");
    assert!(!text.contains("started"), "{text}");
    assert_eq!(before, sandbox.persons());
    let (code, text, said) = resume(&["--accept", "usage-limit"]);
    assert_eq!(code, Some(0), "{text}{said}");
    assert!(text.contains("\nstarted\n"), "{text}");
}

#[test]
fn an_agent_that_is_not_there_leaves_what_was_restored_and_the_command() {
    let sandbox = Sandbox::new();
    let before = sandbox.persons();
    let dir = crate::support::temporary::directory();
    let config = agent(dir.path(), "true");
    fs::remove_file(dir.path().join("agent.sh")).unwrap();
    let config = config.to_str().unwrap();
    let output = sandbox.run(&[
        "resume",
        "mgw-57",
        "step-plan",
        "--yes",
        "--launch",
        "--config",
        config,
    ]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("The restored files stay restored."), "{said}");
    assert!(said.contains("agent.sh"), "{said}");
    assert_ne!(before, sandbox.persons());
    assert_eq!(sandbox.run(&["undo", "--yes"]).status.code(), Some(0));
    assert_eq!(before, sandbox.persons());
}

#[test]
fn an_agent_that_is_not_there_says_nothing_of_files_where_none_were_restored() {
    let sandbox = Sandbox::new();
    let dir = crate::support::temporary::directory();
    let config = agent(dir.path(), "true");
    fs::remove_file(dir.path().join("agent.sh")).unwrap();
    let config = config.to_str().unwrap();
    let output = sandbox.run(&["resume", "mgw-58", "--yes", "--launch", "--config", config]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("agent.sh"), "{said}");
    assert!(!said.contains("restored"), "{said}");
}

#[test]
fn the_command_that_shows_the_state_names_the_pipeline() {
    let sandbox = Sandbox::new();
    let dir = crate::support::temporary::directory();
    let config = agent(dir.path(), "true");
    let config = config.to_str().unwrap();
    let output = sandbox.run(&["resume", "mgw-58", "--yes", "--launch", "--config", config]);
    let text = String::from_utf8(output.stdout).unwrap();
    let (_, command) = text.split_once("To see the state: relight ").unwrap();
    let words: Vec<&str> = command.split_whitespace().collect();
    assert_eq!(sandbox.run(&words).status.code(), Some(0), "{command}");
}

/// Without its briefing a hand-off is half of one: no agent is started, and the hint says what to set.
#[test]
fn where_no_briefing_can_be_written_nothing_is_handed_over() {
    let sandbox = Sandbox::new();
    fs::remove_file(sandbox.root().join(".relight-sandbox")).unwrap();
    let dir = crate::support::temporary::directory();
    let config = agent(dir.path(), "printf '%s' \"$1\" > prompt");
    let notes = sandbox.root().join("projects/notes");
    let config = config.to_str().unwrap();
    let args = ["resume", "58", "--yes", "--config", config];
    // No directory can be made in `/proc`, whoever runs the test.
    let table = [
        (None, "relight has no state directory."),
        (Some("/proc/nowhere"), "/proc cannot be used"),
    ];
    for (state, why) in table {
        for more in [None, Some("--json"), Some("--launch")] {
            let args: Vec<&str> = args.into_iter().chain(more).collect();
            let mut command = sandbox.command(&notes, &args);
            command.env_remove("HOME").env_remove("XDG_STATE_HOME");
            command.envs(state.map(|state| ("XDG_STATE_HOME", state)));
            let output = command.output().unwrap();
            let said = [output.stdout, output.stderr].concat();
            let said = String::from_utf8(said).unwrap();
            assert_eq!(output.status.code(), Some(5), "{said}");
            assert!(
                said.contains(why) && said.contains("XDG_STATE_HOME"),
                "{said}"
            );
            assert!(!notes.join("prompt").exists(), "{said}");
        }
    }
}

/// An agent that does the one step that its prompt names, as the workflow's save routine records it; it fails at the
/// step that it is told to.
fn stub(dir: &Path, state: &Path, fails_at: &str) -> PathBuf {
    let script = r#"
for said; do :; done
phase=$(printf '%s' "$said" | sed -n 's/.* at phase \([0-9]*\), step .*/\1/p')
step=$(printf '%s' "$said" | sed -n 's/.*, step \([0-9.]*\) (.*/\1/p')
echo "$phase.$step" >> "$NOTES"
status=completed
[ "$step" = "$FAILS" ] && status=failed
if [ "$step" = 9 ]; then
  cd "$(dirname "$STATE")" && git add -A &&
    git -c user.name=A -c user.email=a@b commit -qm "feat: Phase $phase - done" --allow-empty
fi
done_steps=''
for p in 1 2 3; do for s in 3 4 5 6 7 8 9; do
  [ "$p" -gt "$phase" ] && continue
  [ "$p" -eq "$phase" ] && [ "$s" -gt "$step" ] && continue
  [ "$p" -eq "$phase" ] && [ "$s" -eq "$step" ] && [ $status = failed ] && continue
  done_steps="$done_steps{\"phase\": $p, \"step\": $s, \"agent\": \"\", \"status\": \"completed\", \"timestamp\": \"2999-01-0${p}T00:00:0$s\"},"
done; done
cat > "$STATE" <<JSON
{"feature_name": "price-alerts", "current_phase": $phase, "current_step": $step, "total_phases": 3,
 "worktree_path": ".worktree/price-alerts", "branch_name": "feature/price-alerts",
 "plan_reference": ".plan/price_alerts_plan.md",
 "last_execution": {"phase": $phase, "step": $step, "agent": "", "status": "$status", "timestamp": "2999-01-0${phase}T00:00:0$step"},
 "completed_steps": [${done_steps%,}]}
JSON
"#;
    let notes = dir.join("notes");
    let script = format!(
        "NOTES='{}' STATE='{}' FAILS='{fails_at}'{script}",
        notes.display(),
        state.display()
    );
    // Variables on a line of their own, so that the loop after them may use `for`.
    let script = script.replacen(
        &format!("FAILS='{fails_at}'"),
        &format!("FAILS='{fails_at}'\n"),
        1,
    );
    let config = agent(dir, &script);
    let text = fs::read_to_string(&config)
        .unwrap()
        .replace("mgw", "nine-step");
    fs::write(&config, text).unwrap();
    config
}

/// `h12`: the commands continue automatically as the console does: to the end of a step, of the phase, to the next gate.
#[test]
fn h12_resume_goes_on_until_the_step_the_phase_or_the_gate_ends() {
    if !crate::judge::git_is_there() {
        return;
    }
    let table = [
        ("step", "", 1, "orchestrator ended: exit 0."),
        ("phase", "", 7, "The phase has ended."),
        ("phase", "5", 3, "Stopped: the step failed."),
        ("gate", "", 14, "Stopped at a gate"),
    ];
    for (until, fails_at, runs, ends) in table {
        let sandbox = Sandbox::new();
        let dir = crate::support::temporary::directory();
        let state = sandbox
            .root()
            .join("projects/trader/.worktree/price-alerts/workflow-state.json");
        let config = stub(dir.path(), &state, fails_at);
        // The first record is of phase 1, as the stub writes it: later ones only add to it.
        let first = std::process::Command::new(dir.path().join("agent.sh"))
            .arg("nine-step at phase 1, step 9 (commit)")
            .status();
        assert!(first.unwrap().success());
        fs::remove_file(dir.path().join("notes")).unwrap();
        let output = sandbox.run(&[
            "resume",
            "nine-step-price-alerts",
            "phase-2-step-3",
            "--yes",
            "--launch",
            "--assume-stopped",
            "--until",
            until,
            "--config",
            config.to_str().unwrap(),
        ]);
        let text = String::from_utf8(output.stdout).unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        let notes = fs::read_to_string(dir.path().join("notes")).unwrap_or_default();
        let code = i32::from(!fails_at.is_empty());
        assert_eq!(output.status.code(), Some(code), "{until}: {text}{said}");
        assert_eq!(
            notes.lines().count(),
            runs,
            "{until} {fails_at}: {notes}{text}"
        );
        assert!(text.contains(ends), "{until}: {text}");
    }
}

#[test]
fn h12_until_is_refused_where_no_step_can_be_told_from_the_next() {
    let sandbox = Sandbox::new();
    let output = sandbox.run(&["resume", "mgw-57", "--yes", "--launch", "--until", "gate"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(
        said.contains("--until works only where each step is recorded"),
        "{said}"
    );
}
