//! What is measured beside the outcome: metrics by name, numbers that a runner leaves, tokens and money.

use std::fs;

use serde_json::Value;

use super::kit::{Labels, unwrapped};

/// An agent that prints a report, and leaves a number that the mutated arm has more of.
const AGENT: &str = r#"
if [ "$RELIGHT_ARM" = mutated ]; then lines=5; else lines=3; fi
echo "{\"score\": $lines, \"other\": 1}" > "$RELIGHT_OUTPUT/relight.metrics.json"
seq $lines > made.txt
printf '%s\n' '{"type":"result","subtype":"success","is_error":false,"result":"Done.\nPASS: all","usage":{"input_tokens":100,"output_tokens":20},"total_cost_usd":0.5}'
"#;

#[test]
fn tokens_and_money_are_kept_for_each_dispatch_and_summed() {
    let labels = Labels::new();
    let swap = labels.late();
    let plan = ["--mutate", &swap, "--repeat", "2", "--dry-run"];
    let (_, before) = labels.json(&plan, &["/bin/sh", "-c", AGENT]);
    assert_eq!(before["plan"]["cost"]["tokens"], Value::Null, "{before}");
    assert_eq!(before["plan"]["cost"]["runs"], 4);
    let options = ["--mutate", &swap, "--repeat", "2", "--diff"];
    let (code, done) = labels.json(&options, &["/bin/sh", "-c", AGENT]);
    assert_eq!(code, 0, "{done}");
    let steps = done["sessions"][0]["dispatches"]["done"].as_u64().unwrap();
    let id = done["experiment"]["id"].as_str().unwrap();
    let (_, compared) = labels.sandbox.json(&["compare", &labels.id, id]);
    let work = &compared["dispatches"][0]["a"][0];
    assert_eq!(work["usage"]["input_tokens"], 100, "{work}");
    assert_eq!(work["summary"], "PASS: all");
    let output = fs::read_to_string(work["output"].as_str().unwrap()).unwrap();
    assert_eq!(output, "Done.\nPASS: all\n");
    let run = &compared["sides"]["b"]["runs"][0];
    assert_eq!(run["usage"]["output_tokens"], 20 * steps, "{run}");
    assert_eq!(run["metrics"]["score"], 5);
    let arm = &compared["sides"]["b"]["usage"];
    assert_eq!(arm["input_tokens"], 2 * 100 * steps, "{arm}");
    let figure = |name: &str| {
        let all = compared["metrics"].as_array().unwrap();
        all.iter().find(|one| one["name"] == name).unwrap().clone()
    };
    assert_eq!(figure("tokens")["b"], 120 * steps);
    assert_eq!(figure("files changed")["b"], 1);
    // A metric that nobody named before the first run is shown and not judged.
    let afterwards = ["compare", &labels.id, id, "--metric", "score"];
    let (_, afterwards) = labels.sandbox.json(&afterwards);
    assert_eq!(afterwards["verdict"], "not_judged", "{afterwards}");
    assert!(
        afterwards["verdict_text"]
            .as_str()
            .unwrap()
            .contains("score was chosen afterwards")
    );
    assert_eq!(afterwards["statistics"]["better"], 2);
    // The next plan knows what it will take.
    let (_, after) = labels.json(&plan, &["/bin/sh", "-c", AGENT]);
    let tokens = &after["plan"]["cost"]["tokens"];
    assert_eq!(tokens["input_tokens"], 4 * 100 * steps, "{tokens}");
}

#[test]
fn metrics_of_the_configuration_are_asked_for_by_name() {
    let labels = Labels::new();
    let config = labels.scratch().join("config.toml");
    let text = "[[metric]]\nname = \"lines\"\ncommand = \"wc -l made.txt\"\n\
                [[metric]]\nname = \"count\"\ncommand = [\"sh\", \"-c\", \"wc -l < made.txt\"]\nbetter = \"lower\"\n\
                [[metric]]\nname = \"score\"\n";
    fs::write(&config, text).unwrap();
    let swap = labels.late();
    let named = |name: &'static str| {
        let config = config.to_str().unwrap();
        let options = [
            "--config", config, "--mutate", &swap, "--repeat", "6", "--metric", name,
        ];
        let options = [&options[..], &["--metric", "score", "--diff", "--fresh"]].concat();
        labels.json(&options, &["/bin/sh", "-c", AGENT])
    };
    let (code, done) = named("count");
    assert_eq!(code, 0, "{done}");
    let compared = &done["comparison"];
    assert_eq!(compared["verdict"], "worse", "{}", compared["verdict_text"]);
    assert_eq!(compared["statistics"]["metric"], "count");
    let other = &compared["other_metrics"][0];
    assert_eq!(
        (&other["metric"], &other["verdict"]),
        (&"score".into(), &"not_judged".into())
    );
    assert_eq!(other["statistics"]["better"], 6);
    let (code, unknown) = named("nobody");
    assert_eq!(code, 2, "{unknown}");
    let hints = unknown["error"]["hints"].to_string();
    assert!(hints.contains("lines, count and score"), "{unknown}");
}

#[test]
fn several_metrics_that_decide_each_need_more_evidence() {
    let labels = Labels::new();
    let swap = labels.late();
    let metrics = [
        "--metric",
        "a=sh -c 'wc -l < made.txt'",
        "--metric",
        "b=sh -c 'wc -l < made.txt'",
    ];
    let both = ["--primary", "a", "--primary", "b"];
    let options = [
        &["--mutate", &swap, "--repeat", "6", "--diff"][..],
        &metrics,
        &both,
    ];
    let (code, done) = labels.json(&options.concat(), &["/bin/sh", "-c", AGENT]);
    assert_eq!(code, 0, "{done}");
    let compared = &done["comparison"];
    assert_eq!(compared["statistics"]["enough"], 40.0, "{compared}");
    assert_eq!(compared["other_metrics"][0]["statistics"]["enough"], 40.0);
    // Six wins are E = 20.2: enough for one metric and not for two.
    assert_eq!(compared["verdict"], "undecided", "{compared}");
}

#[test]
fn a_run_that_only_lacks_a_number_is_named_with_its_reason_and_measured_again() {
    let labels = Labels::new();
    let swap = labels.late();
    let flag = labels.scratch().join("measurable");
    // At first only the mutated arm has a number.
    let metric = format!(
        "made=sh -c 'if test -e {} || grep -q 5 made.txt; then wc -l < made.txt; else echo no data yet; fi'",
        flag.display()
    );
    let options = ["--mutate", &swap, "--repeat", "2", "--metric", &metric];
    let ended = labels.replay(&options, &["/bin/sh", "-c", AGENT]);
    let (_, list) = labels.json(&["--list"], &[]);
    let id = list["experiments"][0]["id"].as_str().unwrap();
    let compared = labels.sandbox.run(&["compare", &labels.id, id]);
    let verdict = unwrapped(&compared.stdout);
    assert!(
        verdict.contains("To measure them again: relight replay"),
        "{verdict}"
    );
    for output in [ended, labels.replay(&["--list"], &[]), compared] {
        let said = unwrapped(&output.stdout);
        for part in [
            "The metric made has no value",
            "printed no number and ended with status 0; its last line: no data yet",
        ] {
            assert!(said.contains(part), "{part}: {said}");
        }
    }
    let all = list["sessions"].as_array().unwrap();
    let lacking = all
        .iter()
        .filter(|one| one["unmeasured"][0]["can_measure_again"] == true);
    assert_eq!(lacking.count(), 2, "{list}");

    let planned = unwrapped(&labels.replay(&["--continue", "--dry-run"], &[]).stdout);
    assert!(planned.contains("to measure 2 runs again"), "{planned}");
    assert!(!planned.contains("to run"), "{planned}");
    let still = unwrapped(&labels.replay(&["--continue"], &[]).stdout);
    assert!(still.starts_with("Measured again: 2 runs. "), "{still}");
    assert!(still.contains("no data yet"), "{still}");
    std::fs::write(&flag, "").unwrap();
    let again = unwrapped(&labels.replay(&["--continue"], &[]).stdout);
    assert!(again.starts_with("Measured again: 2 runs. "), "{again}");
    assert!(!again.contains("no value"), "{again}");
    let (code, nothing) = labels.json(&["--continue"], &[]);
    assert_eq!(
        nothing["error"]["kind"], "nothing_to_do",
        "{code} {nothing}"
    );
}

#[test]
fn a_lone_run_without_a_number_is_measured_again() {
    let labels = Labels::new();
    let swap = labels.late();
    let flag = labels.scratch().join("measurable");
    let metric = format!(
        "made=sh -c 'test -e {} && echo 4 || exit 3'",
        flag.display()
    );
    let options = ["--mutate", &swap, "--metric", &metric];
    let (code, done) = labels.json(&options, &["/bin/sh", "-c", AGENT]);
    assert_eq!(code, 0, "{done}");
    let reason = done["sessions"][0]["unmeasured"][0]["reason"]
        .as_str()
        .unwrap();
    assert!(reason.ends_with("ended with status 3"), "{reason}");
    std::fs::write(&flag, "").unwrap();
    let again = unwrapped(&labels.replay(&["--continue"], &[]).stdout);
    assert!(again.starts_with("Measured again: 1 run. "), "{again}");
    assert_eq!(made(&labels, &done["sessions"][0]), 4);
}

#[test]
fn a_lone_run_is_measured_too() {
    let labels = Labels::new();
    let swap = labels.late();
    let options = [
        "--mutate",
        &swap,
        "--metric",
        "made=sh -c 'wc -l < made.txt'",
    ];
    let (code, done) = labels.json(&options, &["/bin/sh", "-c", AGENT]);
    assert_eq!(code, 0, "{done}");
    assert_eq!(made(&labels, &done["sessions"][0]), 3);
}

/// What the metric `made` of a lone run came to.
pub(super) fn made(labels: &Labels, session: &Value) -> Value {
    let id = session["id"].as_str().unwrap();
    let (_, compared) = labels
        .sandbox
        .json(&["compare", &labels.id, "original", id]);
    compared["sides"]["b"]["runs"][0]["metrics"]["made"].clone()
}
