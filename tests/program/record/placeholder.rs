//! The placeholder for the time of writing in what a person says: it is kept as text, and the files can still be edited
//! at every point.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use super::crucible::run;
use super::superscientist::WF;
use crate::cli_acting::sandbox::Sandbox;

const TEXT: &str = "note={now}";
const STATE: &str = "projects/notes/.mgw/active/57-cache-lookups.json";
const TREE: &str = "projects/trader/.worktree/price-alerts";
const DIR: &str = "projects/lab/tokenizer-speed";

/// A new workflow with such texts.
fn plan() -> Value {
    let stage = |id: &str, needs: &[&str]| json!({"id": id, "name": "{now}", "depends_on": needs, "success_criteria": "{now}"});
    let stages = [stage("stage-1", &[]), stage("stage-2", &["stage-1"])];
    json!({"workflow_id": "new", "purpose": "{now}", "experiment_design": "{now}", "workflow_plan": "p.md",
        "stages": stages})
}

/// Every form of record with the placeholder in its texts, as a whole and as a part.
fn records(sandbox: &Sandbox, session: &str) -> Vec<Vec<String>> {
    fs::write(sandbox.path("plan.json"), plan().to_string()).unwrap();
    fs::write(sandbox.path("body.md"), "{now}\n").unwrap();
    fs::create_dir(sandbox.path("projects/science/new")).unwrap();
    let mgw = "--step execute --action spawn-executor --context note={now} {now}=x --progress note={now} \
        --artifact {now}:plan --agent-output {now} --history {now}:{now}";
    let nine = "--phase 2 --step 3 --status";
    let conference = "--researcher B --iteration 3 --value 41.2 --status kept --description {now} --verified-by {now}";
    let all = [
        format!("{STATE} {mgw}"),
        "projects/notes/.mgw/active/70-x.json init --system mgw --title {now}-x --url {now} --label {now}".into(),
        format!("{TREE} {nine} failed --error {{now}} --agent {{now}} --result {TEXT} {{now}}=x"),
        format!("{TREE} {nine} completed --result {TEXT} x={{now}}"),
        format!("{WF} log {{now}}"),
        format!("{WF} session start --note {{now}}"),
        format!("{WF} 2 ready --note {{now}}"),
        format!("{WF} 2 preparing"),
        format!("{WF} 2 running --tmux {{now}}"),
        format!("{WF} 2 failed --error {{now}} --note {{now}}"),
        "projects/science/new init --system superscientist --from plan.json".into(),
        format!("{DIR} researcher.stuck researcher=B stuck_level=2 {TEXT} {{now}}=x"),
        format!("{DIR} iteration {conference}"),
        format!("{session} done 9 --status failed --summary {{now}}"),
        format!("{session} dispatch implementer --phase 3 --template x.md --body body.md"),
    ];
    let words = |line: &String| line.split_whitespace().map(str::to_owned).collect();
    all.iter().map(words).collect()
}

#[test]
fn the_placeholder_for_the_time_is_text_in_every_record() {
    let sandbox = Sandbox::new();
    let (session, _) = run(&sandbox);
    let mut kept = 0;
    for args in records(&sandbox, &session) {
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let answer = sandbox.recorded(&args);
        for file in answer["recorded"]["files"].as_array().unwrap() {
            let path = Path::new(file["path"].as_str().unwrap());
            if path
                .extension()
                .is_some_and(|end| end == "json" || end == "jsonl")
            {
                let text = fs::read_to_string(path).unwrap();
                assert!(
                    !text.contains("{now}"),
                    "{args:?}: {}: {text}",
                    path.display()
                );
                kept += usize::from(text.contains("{\\u006eow}"));
            }
        }
        sandbox.a_second_later();
    }
    assert!(kept >= 8, "{kept}");
    let mut planned = 0;
    for id in sandbox.ids() {
        for point in sandbox.points(&id) {
            let (_, plan) = sandbox.json(&["plan", &id, &point]);
            let guards = plan["plan"]["guards"].as_array().unwrap().iter();
            let mut guards = guards.filter(|guard| guard["id"] == "placeholder");
            let refused = guards.find(|guard| guard["holds"] == false);
            assert_eq!(refused, None, "{id} {point}");
            planned += 1;
        }
    }
    assert!(planned > 50, "{planned}");
}
