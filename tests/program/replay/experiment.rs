//! Experiments: two arms in blocks, to a verdict whose every number is recomputed here.

use std::collections::BTreeMap;

use serde_json::Value;

use super::kit::{Labels, runs_as_printed, text, unwrapped};

/// A replay with the stub runner.
fn stub(labels: &Labels, template: &str, replacement: &str, more: &[&str]) -> (i32, Value) {
    let swap = format!("{template}={}", labels.experiment(replacement).display());
    let options = [&["--mutate", &swap, "--runner", "stub"], more].concat();
    labels.json(&options, &[])
}

/// What the blocks add up to, by the formula as it is published, from the sessions' own manifests.
struct Naive {
    better: u64,
    worse: u64,
    same: u64,
    passed: [u64; 2],
    evidence: f64,
}

fn naive(sessions: &[Value]) -> Naive {
    let mut blocks: BTreeMap<u64, BTreeMap<String, bool>> = BTreeMap::new();
    for session in sessions {
        let id = &session["id"];
        let lines = Labels::lines(session);
        let mut own = lines.iter().filter(|line| {
            line["replay_session"] == *id
                && line["role"] == "test-runner"
                && line["status"] == "completed"
        });
        let passed = own.next_back().unwrap()["summary"]
            .as_str()
            .unwrap()
            .starts_with("PASS");
        let arm = session["arm"].as_str().unwrap().to_owned();
        blocks
            .entry(session["block"].as_u64().unwrap())
            .or_default()
            .insert(arm, passed);
    }
    let mut found = Naive {
        better: 0,
        worse: 0,
        same: 0,
        passed: [0, 0],
        evidence: 0.0,
    };
    for arms in blocks.values() {
        let (control, mutated) = (arms["control"], arms["mutated"]);
        found.passed[0] += u64::from(control);
        found.passed[1] += u64::from(mutated);
        match (control, mutated) {
            (false, true) => found.better += 1,
            (true, false) => found.worse += 1,
            _ => found.same += 1,
        }
    }
    let power = |base: f64, wins: u64| base.powi(i32::try_from(wins).unwrap());
    let (w, l) = (found.better, found.worse);
    found.evidence = 0.275 * (power(1.7, w) * power(0.3, l) + power(0.3, w) * power(1.7, l))
        + 0.225 * (power(1.98, w) * power(0.02, l) + power(0.02, w) * power(1.98, l));
    found
}

fn agrees(done: &Value) -> &Value {
    let statistics = &done["comparison"]["statistics"];
    let naive = naive(done["sessions"].as_array().unwrap());
    assert_eq!(statistics["better"], naive.better, "{statistics}");
    assert_eq!(statistics["worse"], naive.worse, "{statistics}");
    assert_eq!(statistics["same"], naive.same, "{statistics}");
    assert_eq!(
        statistics["control"]["passed"], naive.passed[0],
        "{statistics}"
    );
    assert_eq!(
        statistics["mutated"]["passed"], naive.passed[1],
        "{statistics}"
    );
    let evidence = statistics["evidence"].as_f64().unwrap();
    assert!(
        (evidence / naive.evidence - 1.0).abs() < 1e-9,
        "{statistics}"
    );
    &done["comparison"]["verdict"]
}

#[test]
fn the_demos_experiment_ends_in_a_verdict_that_a_second_implementation_confirms() {
    let labels = Labels::new();
    let more = ["--repeat", "10", "--diff"];
    let implementer = "build-implementer-prompt.md";
    let (code, done) = stub(&labels, implementer, "implementer-v2.md", &more);
    assert_eq!(code, 0, "{done}");
    assert_eq!(
        agrees(&done),
        "better",
        "{}",
        done["comparison"]["verdict_text"]
    );
    // It stopped when the verdict fell, and what was begun was counted.
    let runs = done["sessions"].as_array().unwrap().len();
    assert!((12..=20).contains(&runs) && runs % 2 == 0, "{runs}");
    let id = done["experiment"]["id"].as_str().unwrap();
    let (_, compared) = {
        let output = labels.sandbox.run(&["compare", &labels.id, id, "--json"]);
        (
            output.status,
            serde_json::from_slice::<Value>(&output.stdout).unwrap(),
        )
    };
    assert_eq!(compared["verdict"], "better");
    assert_eq!(compared["a"], format!("{id}-control"));
    let output = labels
        .sandbox
        .run(&["replay", &labels.id, "--list", "--json"]);
    let listed: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(listed["experiments"][0]["id"], id);
    assert_eq!(listed["experiments"][0]["verdict"], "better");
    // The same question again has its answer already.
    let (code, again) = stub(
        &labels,
        implementer,
        "implementer-v2.md",
        &["--repeat", "10"],
    );
    assert_eq!(code, 1, "{again}");
}

#[test]
fn a_rubber_stamp_is_not_better_and_a_look_is_not_judged() {
    let labels = Labels::new();
    let red_team = "red-team-prompt.md";
    let (_, done) = stub(
        &labels,
        red_team,
        "red-team-stamp.md",
        &["--repeat", "10", "--diff", "--all"],
    );
    assert_eq!(agrees(&done), "undecided", "{done}");
    let text = done["comparison"]["verdict_text"].as_str().unwrap();
    // More blocks of the stub runner would say no more about the template.
    assert!(text.contains("replay with an agent: "), "{text}");
    assert!(!text.contains("--repeat +"), "{text}");
    runs_as_printed(&labels, text);
    let (_, look) = stub(&labels, red_team, "red-team-v2.md", &["--diff"]);
    assert_eq!(look["comparison"]["verdict"], "not_judged", "{look}");
    assert_eq!(look["sessions"].as_array().unwrap().len(), 1);
    assert_eq!(look["sessions"][0]["arm"], Value::Null);
}

/// What the dispatches of each run answered, by block and arm.
pub(super) fn answers(sessions: &Value) -> BTreeMap<(u64, String), Vec<String>> {
    let runs = sessions.as_array().unwrap().iter().map(|session| {
        let place = (
            session["block"].as_u64().unwrap(),
            session["arm"].as_str().unwrap().to_owned(),
        );
        let id = &session["id"];
        let lines = Labels::lines(session);
        let own = lines
            .iter()
            .filter(|line| line["replay_session"] == *id && line["status"] == "completed");
        let said = own.map(|line| format!("{}: {}", line["replay_of"], line["summary"]));
        let mut said: Vec<String> = said.collect();
        said.sort();
        (place, said)
    });
    runs.collect()
}

#[test]
fn the_same_blocks_come_out_side_by_side() {
    let more = |parallel: &'static str| ["--repeat", "3", "--all", "--parallel", parallel];
    let mutation = ("build-implementer-prompt.md", "implementer-v2.md");
    let alone = Labels::new();
    let (_, one) = stub(&alone, mutation.0, mutation.1, &more("1"));
    let expected = answers(&one["sessions"]);
    assert_eq!(expected.len(), 6);
    let wide = Labels::new();
    let (_, four) = stub(&wide, mutation.0, mutation.1, &more("4"));
    assert_eq!(answers(&four["sessions"]), expected);
}

#[test]
fn a_verdict_leaves_no_half_of_a_block() {
    let labels = Labels::new();
    let more = ["--repeat", "14", "--parallel", "5", "--diff"];
    let template = "build-implementer-prompt.md";
    let (code, done) = stub(&labels, template, "implementer-v2.md", &more);
    assert_eq!((code, agrees(&done)), (0, &"better".into()), "{done}");
    let runs = done["sessions"].as_array().unwrap().len();
    assert!((12..28).contains(&runs) && runs % 2 == 0, "{runs}");
    for arm in ["control", "mutated"] {
        let statistics = &done["comparison"]["statistics"];
        assert_eq!(statistics[arm]["missing"], 0, "{statistics}");
    }
}

#[test]
fn blocks_are_added_and_an_experiment_of_equal_arms_is_refused() {
    let labels = Labels::new();
    let red_team = "red-team-prompt.md";
    let (_, done) = stub(&labels, red_team, "red-team-stamp.md", &["--repeat", "2"]);
    assert_eq!(done["sessions"].as_array().unwrap().len(), 4, "{done}");
    let (code, dry) = labels.json(&["--repeat", "+1", "--dry-run"], &[]);
    let runs = dry["sessions"].as_array().unwrap().len();
    assert_eq!((code, runs), (0, 4), "{dry}");
    let (code, more) = labels.json(&["--repeat", "+1"], &[]);
    assert_eq!(
        (code, more["sessions"].as_array().unwrap().len()),
        (0, 2),
        "{more}"
    );
    assert_eq!(more["sessions"][0]["block"], 3);

    let template = labels.templates().join(red_team);
    let swap = format!("{red_team}={}", template.display());
    let options = ["--mutate", &swap, "--runner", "stub", "--repeat", "2"];
    let (code, same) = labels.json(&options, &[]);
    let said = same["error"]["text"].as_str().unwrap();
    assert_eq!(code, 2, "{same}");
    assert!(said.starts_with("No template would be replaced"), "{said}");
}

#[test]
fn added_blocks_count_down_to_nothing_and_an_early_end_says_why() {
    let labels = Labels::new();
    let template = "build-implementer-prompt.md";
    let (_, done) = stub(&labels, template, "implementer-v2.md", &["--repeat", "3"]);
    assert_eq!(done["sessions"].as_array().unwrap().len(), 6, "{done}");
    // What the same question would add to is part of its plan.
    let more = ["--repeat", "4", "--dry-run"];
    let (_, dry) = stub(&labels, template, "implementer-v2.md", &more);
    let notes = dry["plan"]["notes"].to_string();
    assert!(
        notes.contains("3 blocks of 1 earlier experiment of the same question are counted too"),
        "{notes}"
    );
    assert!(!notes.contains("cannot reach a verdict"), "{notes}");
    let (_, fresh) = stub(
        &labels,
        template,
        "implementer-v2.md",
        &[&more[..], &["--fresh"]].concat(),
    );
    let notes = fresh["plan"]["notes"].to_string();
    assert!(notes.contains("4 blocks cannot reach a verdict"), "{notes}");

    let one = labels.replay(&["--repeat", "+1"], &[]);
    let (said, page) = (text(&one.stderr), text(&one.stdout));
    assert!(said.contains("; 1 run left"), "{said}");
    let ended = said.lines().filter(|line| line.contains("done  ")).count();
    assert_eq!(ended, 2, "{said}");
    let last = said.lines().rfind(|line| line.contains("done  ")).unwrap();
    assert!(!last.contains("left"), "{said}");
    assert!(page.starts_with("Replayed: 2 runs"), "{page}");
    // Listed block by block, control first, whatever started first.
    let (_, replays) = labels.json(&["--list"], &[]);
    let sessions = replays["sessions"].as_array().unwrap().iter();
    let listed: Vec<_> = sessions
        .map(|one| (one["block"].as_u64().unwrap(), one["arm"].as_str().unwrap()))
        .collect();
    let blocks = (1..=4).flat_map(|block| ["control", "mutated"].map(|arm| (block, arm)));
    assert_eq!(listed, blocks.collect::<Vec<_>>());
    let many = labels.replay(&["--repeat", "+12"], &[]);
    let page = unwrapped(&many.stdout);
    assert!(
        page.contains("of 24 runs not needed: no later block could change the verdict)"),
        "{page}"
    );
}

#[test]
fn a_template_under_its_other_name_is_the_same_template() {
    let labels = Labels::new();
    let ids = ["red-team.md", "red-team-prompt.md"].map(|name| {
        let (code, done) = stub(&labels, name, "red-team-v2.md", &["--repeat", "2"]);
        assert_eq!(code, 0, "{done}");
        done["experiment"]["id"].as_str().unwrap().to_owned()
    });
    let (_, compared) = labels.sandbox.json(&["compare", &labels.id]);
    assert_eq!(
        compared["statistics"]["earlier_experiments"], 1,
        "{compared}"
    );
    assert_eq!(compared["confounders"], serde_json::json!([]), "{compared}");
    // Whoever deletes the first is told what else counts it.
    let purged = labels.sandbox.run(&["purge", &ids[0], "--yes"]);
    let said = unwrapped(&purged.stdout);
    let warned = format!("Experiment {} counted some of these runs", ids[1]);
    assert!(said.contains(&warned), "{said}");
    assert!(
        !said.contains(&format!("Experiment {} counted", ids[0])),
        "{said}"
    );
}

#[test]
fn a_record_that_cannot_be_read_is_named_wherever_its_experiment_is() {
    let labels = Labels::new();
    let (_, done) = stub(
        &labels,
        "red-team-prompt.md",
        "red-team-stamp.md",
        &["--repeat", "2"],
    );
    let id = done["experiment"]["id"].as_str().unwrap();
    let place = format!("home/.local/state/relight/replays/{}", labels.id);
    let home = labels.sandbox.root().join(place);
    let record = home.join(format!("{id}.experiment.json"));
    let whole = std::fs::read(&record).unwrap();
    std::fs::write(&record, &whole[..whole.len() / 2]).unwrap();
    let said = format!("ecord of experiment {id} cannot be read: ");
    let (_, list) = labels.json(&["--list"], &[]);
    let runs = list["sessions"].as_array().unwrap();
    assert_eq!(runs.len(), 4, "the runs are still there");
    for run in runs {
        assert!(run["trouble"][0].as_str().unwrap().contains(&said), "{run}");
    }
    let (code, refused) = labels.json(&["--continue", id], &[]);
    assert_eq!(code, 3, "{refused}");
    assert!(refused["error"].to_string().contains(&said), "{refused}");
    // One run can be continued, and none of it is left.
    let (code, one) = labels.json(&["--continue", &format!("{id}-1")], &[]);
    assert_ne!(code, 0, "{one}");
    assert!(!one.to_string().contains(&said), "{one}");
}
