//! Every system's own records in the sandbox.

use serde_json::json;

use crate::engine::testing::Scene;

type Told = (&'static str, String, String, String);

/// Kind, text, remedy, and the name of the file with the line.
fn ledger(scene: &Scene, begins: &str) -> Vec<Told> {
    let all = scene.engine.ledger(scene.id(begins)).unwrap();
    all.into_iter()
        .map(|one| {
            let name = one.origin.file.file_name().unwrap().to_string_lossy();
            let line = one
                .origin
                .line
                .map_or_else(String::new, |l| format!(":{l}"));
            (
                one.kind,
                one.text.lossy().into_owned(),
                one.remedy.lossy().into_owned(),
                format!("{name}{line}"),
            )
        })
        .collect()
}

fn told(kind: &'static str, text: &str, remedy: &str, place: &str) -> Told {
    (kind, text.to_owned(), remedy.to_owned(), place.to_owned())
}

#[test]
fn crucible_states_it_in_summaries() {
    let mut place = String::new();
    let scene = Scene::edited(|scene| {
        let file = format!("home/tmp/{}/manifest.jsonl", scene.dispatch());
        scene.append(&file, "\n{\"seq\":41,\"file\":\"41-x.md\",\"role\":\"implementer\",\"phase\":\"3\",\"status\":\"completed\",\"summary\":\"Pushed branch x to origin. Nothing was installed.\"}\n");
        place = format!("manifest.jsonl:{}", scene.lines(&file));
    });
    let begins = scene.dispatch().replace("dispatch-", "");
    assert_eq!(
        ledger(&scene, &begins),
        [told("push", "Pushed branch x to origin", "", &place)]
    );
}

#[test]
fn an_issue_states_it_in_fields_of_its_own() {
    let state = "projects/notes/.mgw/active/57-cache-lookups.json";
    let scene = Scene::edited(|scene| {
        scene.edit(
            state,
            "\"linked_pr\": null",
            "\"linked_pr\": 12, \"labels\": [\"mgw:done\", \"bug\"]",
        );
        scene.edit(
            state,
            "\"comments_posted\": []",
            "\"comments_posted\": [\"triage report\"]",
        );
        scene.edit(
            state,
            "\"revision_count\": 0",
            "\"revision_count\": 0, \"branch_pushed\": true, \"pr_number\": 12",
        );
    });
    let file = "57-cache-lookups.json";
    let found = ledger(&scene, "mgw-57");
    assert_eq!(found.len(), 4, "{found:?}");
    assert!(found[0].1.starts_with("The branch ") && found[0].0 == "push");
    assert_eq!(
        found[1..],
        [
            told(
                "comment",
                "A comment was posted on issue #57: triage report",
                "",
                file
            ),
            told("label", "Issue #57 was given the label mgw:done.", "", file),
            told(
                "pull request",
                "Pull request #12 was opened.",
                "gh pr close 12",
                file
            ),
        ]
    );
}

#[test]
fn a_workflow_states_jobs_of_other_machines_and_what_its_log_tells() {
    let log = "projects/science/polymer-ring/progress.log";
    let state = "projects/science/polymer-ring/workflow-state.json";
    let mut place = String::new();
    let scene = Scene::edited(|scene| {
        scene.append(
            log,
            "[2026-06-01T10:00:00+02:00] Installed lammps 2024 with conda\n",
        );
        scene.edit(state, "\"type\": \"local\"", "\"type\": \"remote\"");
        place = format!("progress.log:{}", scene.lines(log));
    });
    assert_eq!(
        ledger(&scene, "superscientist-polymer"),
        [
            told("install", "Installed lammps 2024 with conda", "", &place),
            told(
                "job",
                "A job of stage-2 (Relax) was submitted to local.",
                "",
                "workflow-state.json"
            ),
        ]
    );
}

#[test]
fn a_feature_and_a_conference_state_it_in_what_they_note() {
    let scene = Scene::edited(|scene| {
        scene.edit(
            "projects/trader/.worktree/price-alerts/workflow-state.json",
            "NEEDS_REVISION: missing input check",
            "opened PR #31; missing input check",
        );
        scene.append(
            "projects/lab/tokenizer-speed/conference_events.jsonl",
            "{\"event\": \"round.completed\", \"timestamp\": \"2026-05-02T09:05:00Z\", \"payload\": {\"round\": 2, \"summary\": \"Published the package to npm\"}}\n",
        );
    });
    let found = ledger(&scene, "nine-step-price");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(
        (found[0].0, found[0].2.as_str()),
        ("pull request", "gh pr close 31")
    );
    let found = ledger(&scene, "autoconference-tokenizer");
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].0, "publication");
}

#[test]
fn agents_of_a_workflow_did_it_with_commands() {
    let scene = Scene::edited(|scene| {
        let projects = scene.path("home/.claude/projects").read_dir().unwrap();
        let runs = "2f0c6c1a-5d0e-4b7e-9a51-000000000005/subagents/workflows";
        let agent = projects
            .map(|entry| entry.unwrap().path().join(runs).join("wf_5b1d70c2-9a4"))
            .find(|run| run.is_dir())
            .unwrap()
            .join("agent-a0000000000000001.jsonl");
        let call = |id: &str, command: &str| {
            json!({ "type": "assistant", "timestamp": "2026-05-02T09:05:00Z", "message": { "role": "assistant",
                "content": [{ "type": "tool_use", "id": id, "name": "Bash", "input": { "command": command } }] } })
        };
        let done = json!({ "type": "user", "message": { "role": "user",
            "content": [{ "type": "tool_result", "tool_use_id": "t1", "is_error": false }] } });
        let lines = [
            call("t1", "cd x && git push origin SECRET"),
            done,
            call("t2", "git commit -m x; gh pr create"),
        ];
        for line in lines {
            scene.append(agent.to_str().unwrap(), &format!("{line}\n"));
        }
    });
    let found = ledger(&scene, "claude-workflow-wf_5b1d70c2-9a4");
    let told: Vec<(&str, &str)> = found
        .iter()
        .map(|(kind, text, ..)| (*kind, text.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            ("push", "Agent 1 ran git push: reported success."),
            (
                "pull request",
                "Agent 1 ran gh pr create: no result recorded, may have happened."
            ),
        ]
    );
}

#[test]
fn what_is_not_stated_is_not_invented() {
    let scene = Scene::shared();
    for id in &scene.ids {
        for one in scene.engine.ledger(id).unwrap() {
            // Complete and waiting ones of the sandbox name their pull requests and merges themselves.
            assert!(
                ["pull request", "merge", "push"].contains(&one.kind),
                "{id}: {one:?}"
            );
        }
    }
}
