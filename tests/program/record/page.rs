//! The examples of the page about records, each run as it is printed.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::cli_acting::sandbox::Sandbox;

const PAGE: &str = include_str!("../../../src/docs/record.md");

/// The commands of a section's examples, with continued lines joined.
fn commands(section: &str) -> Vec<String> {
    let (_, rest) = PAGE.split_once(&format!("\n## {section}\n")).unwrap();
    let section = rest.split("\n## ").next().unwrap();
    let blocks = section.split("```text\n").skip(1);
    let blocks = blocks.map(|block| block.split("```").next().unwrap().replace("\\\n", ""));
    let lines: Vec<String> = blocks
        .flat_map(|block| block.lines().map(str::to_owned).collect::<Vec<_>>())
        .collect();
    assert!(lines.len() >= 3, "{section}");
    lines
}

/// Runs shell text in a project of the sandbox, with the built program on the path.
fn shell(sandbox: &Sandbox, project: &str, text: &str) {
    let program = Path::new(assert_cmd::cargo::cargo_bin!("relight"));
    let bin = program.parent().unwrap().to_string_lossy().into_owned();
    let output = Command::new("sh")
        .args(["-ec", text])
        .current_dir(sandbox.path(&format!("projects/{project}")))
        .env_clear()
        .env("PATH", format!("{bin}:/usr/bin:/bin"))
        .env("HOME", sandbox.root().join("home"))
        .env("TMPDIR", sandbox.root().join("home").join("tmp"))
        .env("TZ", "UTC")
        .output()
        .unwrap();
    assert!(output.status.success(), "{text}: {output:?}");
}

/// Runs the examples of a section. `before` is what an orchestrator does itself before a command that contains a word.
fn runs(section: &str, project: &str, setup: &str, before: &[(&str, &str)]) {
    let sandbox = Sandbox::new();
    fs::create_dir_all(sandbox.path(&format!("projects/{project}"))).unwrap();
    shell(&sandbox, project, setup);
    for command in commands(section) {
        for (_, work) in before.iter().filter(|(word, _)| command.contains(word)) {
            shell(&sandbox, project, work);
        }
        // An amendment asks; its plan is enough here.
        let tried = command.starts_with("relight amend");
        let more = if tried {
            " --approved-by Ann --assume-stopped --dry-run"
        } else {
            ""
        };
        shell(&sandbox, project, &format!("{command}{more}"));
    }
}

#[test]
fn the_example_of_mgw_runs() {
    let setup = r#"
        sed -i 's/"pipeline_stage": "[a-z]*"/"pipeline_stage": "triaged"/' .mgw/active/57-*.json
        python3 - .mgw/active/57-cache-lookups.json <<'END'
import json, sys
state = json.load(open(sys.argv[1]))
state["checkpoint"] = None
json.dump(state, open(sys.argv[1], "w"), indent=2)
END
    "#;
    runs("mgw", "notes", setup, &[]);
}

#[test]
fn the_example_of_crucible_runs() {
    let setup = "rm ../../home/.claude/projects/*/memory/.pipeline-active
        echo 'Look for a cache.' > task-1.md
        printf '# Phase Handoff: 1 → 2\\n**Goal:** Add a cache\\n' > next.md";
    // The dispatch takes its time.
    let work = r"sed -i 's/^\*\*Timestamp:\*\* .*/**Timestamp:** 2026-01-01T00:00:00Z/' \
        $(find ../.. -path '*1775430161/1-design-researcher.md')";
    runs("crucible", "shop", setup, &[("done 1", work)]);
}

#[test]
fn the_example_of_superscientist_runs() {
    let setup = r#"mkdir -p science
        cat > plan.json <<'END'
{"workflow_id": "ring-2026-11-22", "purpose": "See.", "experiment_design": "design.md", "workflow_plan": "plan.md",
 "stages": [{"id": "stage-1", "name": "Relax", "depends_on": [], "success_criteria": "it converges",
             "parameters": {"mesh": 60}}]}
END
        cat > anneal.json <<'END'
{"name": "Anneal", "success_criteria": "it is cold"}
END
        "#;
    runs("superscientist", "new", setup, &[]);
}

#[test]
fn the_example_of_nine_step_runs() {
    if !crate::judge::git_is_there() {
        return;
    }
    let setup = "export GIT_AUTHOR_NAME=Ann GIT_AUTHOR_EMAIL=a@b GIT_COMMITTER_NAME=Ann GIT_COMMITTER_EMAIL=a@b
        git init -q -b main . && mkdir .plan && echo '# Plan' > .plan/alerts_plan.md && git add .
        git commit -q -m first && git worktree add -q -b feature/alerts .worktree/alerts";
    runs("nine-step", "new", setup, &[]);
}

#[test]
fn the_example_of_autoconference_runs() {
    let setup = "mkdir -p lab && cp -r ../lab/tokenizer-speed lab/tokenizer && cd lab/tokenizer
        rm -rf *.tsv *.jsonl *_log.md poster* peer* .git
        grep -v -e 'Round 1' -e '^1\\. ' -e '^| 1 ' conference.md > new.md && mv new.md conference.md";
    let poster = "cp ../lab/tokenizer-speed/poster_session_round_1.md lab/tokenizer";
    let review = "cp ../lab/tokenizer-speed/peer_review_round_1.md lab/tokenizer";
    let before = [
        ("round.poster_session", poster),
        ("round.peer_review", review),
    ];
    runs("autoconference", "new", setup, &before);
}
