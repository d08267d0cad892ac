//! Replays that come to their end: what they write, and what they leave alone.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::kit::{Labels, counts, text};
use super::sandbox::differences;

/// Says PASS, and leaves a file in the tree that differs by run.
const WORKS: &str = "pwd > made-by-$RELIGHT_SEQ.txt; echo \"PASS: 0 points open\"";

#[test]
fn five_repeats_are_compared_and_the_original_is_as_it_was() {
    let labels = Labels::new();
    let before = labels.sandbox.persons();
    let swap = labels.swap();
    let options = ["--mutate", &swap, "--repeat", "5", "--jobs", "2", "--diff"];
    let output = labels.replay(&options, &["/bin/sh", "-c", WORKS]);
    let (report, said) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{report}{said}");
    assert_eq!(
        differences(&before, &labels.sandbox.persons()),
        Vec::<PathBuf>::new()
    );
    let mut from = 0;
    for words in [
        "# Replay Diff: ",
        "## Template Mutations\n- red-team-prompt.md -> red-team-v2.md\n",
        "## Outcome Comparison\n| Metric | Original | Replayed | Delta |\n",
        "| Acceptance tests | PASS | PASS | = |",
        "## Per-Dispatch Comparison\n| Seq | Role | Original Status | Replayed Status |",
        "## Artifact Diff\n- git diff ",
        "## Verdict\n**undecided**. ",
        "control  o o o o o    5 of 5 passed\n",
    ] {
        let at = report.get(from..).unwrap().find(words);
        from += at.unwrap_or_else(|| panic!("{words:?} is not after the rest in:\n{report}"));
    }
    for words in [
        "Replay of crucible-",
        "5 blocks of a control run and a mutated run",
        "-10  done         11 done",
    ] {
        assert!(said.contains(words), "{words:?} is not in:\n{said}");
    }
    let (code, all) = labels.json(&["--list"], &[]);
    let all = all["sessions"].as_array().unwrap();
    assert_eq!((code, all.len()), (0, 10), "{all:?}");
    for one in all {
        assert_eq!(counts(one), [11, 0, 0, 0], "{one}");
        assert_eq!(
            (one["state"].as_str(), one["of"].as_u64()),
            (Some("done"), Some(10))
        );
        assert!(
            one["block"]
                .as_u64()
                .is_some_and(|block| (1..=5).contains(&block))
        );
        let number = one["repeat"].as_u64().unwrap();
        let (arm, swaps) = if number % 2 == 1 {
            ("control", 0)
        } else {
            ("mutated", 1)
        };
        assert_eq!(one["arm"], arm, "{one}");
        assert_eq!(one["mutations"].as_array().unwrap().len(), swaps, "{one}");
        if arm == "control" {
            continue;
        }
        let folder = Path::new(one["folder"].as_str().unwrap());
        let record = fs::read_to_string(folder.join("replay-diff.jsonl")).unwrap();
        let record: Value = serde_json::from_str(&record).unwrap();
        assert_eq!(record["type"], "replay-diff");
        assert_eq!(record["replay_session"], one["id"]);
    }
}

#[test]
fn a_session_continues_a_copy_of_the_manifest_with_normal_lines() {
    let labels = Labels::new();
    let original = fs::read(&labels.manifest).unwrap();
    let swap = labels.late();
    let options = ["--mutate", &swap, "--from-phase", "4"];
    let (code, done) = labels.json(&options, &["/bin/sh", "-c", WORKS]);
    assert_eq!(code, 0, "{done}");
    let session = &done["sessions"][0];
    let [ended, 0, 0, 0] = counts(session) else {
        panic!("{session}");
    };
    let copy = fs::read(session["manifest"].as_str().unwrap()).unwrap();
    assert!(copy.starts_with(&original), "the original's lines stand");
    let lines = Labels::lines(session);
    let largest = lines
        .iter()
        .filter(|line| line["replay_session"].is_null())
        .filter_map(|line| line["seq"].as_u64())
        .max()
        .unwrap();
    let own: Vec<&Value> = lines
        .iter()
        .filter(|line| line["replay_session"] == session["id"])
        .collect();
    assert_eq!(own.len() as u64, 2 * ended);
    let mut next = largest;
    for pair in own.chunks(2) {
        next += 1;
        assert_eq!(
            (&pair[0]["seq"], &pair[1]["seq"]),
            (&next.into(), &next.into())
        );
        let statuses = [&pair[0], &pair[1]].map(|line| line["status"].as_str().unwrap());
        assert_eq!(statuses, ["dispatched", "completed"]);
        assert!(
            pair[1]["replay_of"].as_u64().unwrap() <= largest,
            "{}",
            pair[1]
        );
        assert_eq!(pair[1]["summary"], "PASS: 0 points open");
        assert!(pair[1]["duration_s"].is_u64(), "{}", pair[1]);
    }
    let tree = Path::new(session["tree"].as_str().unwrap());
    assert!(tree.join(format!("made-by-{next}.txt")).exists());
}

#[test]
fn an_identity_mutation_writes_the_originals_bytes_but_for_timestamp_and_folder() {
    let labels = Labels::new();
    let template = labels.templates().join("red-team-prompt.md");
    // The template as it was when the run began; it changed since.
    let copy = labels.scratch().join("the-same.md");
    fs::copy(template, &copy).unwrap();
    let swap = format!("red-team-prompt.md={}", copy.display());
    let options = ["--mutate", &swap, "--from-phase", "2", "--no-runner"];
    let (code, done) = labels.json(&options, &[]);
    assert_eq!(code, 0, "{done}");
    let session = &done["sessions"][0];
    assert_eq!(session["state"], "handed_over");
    assert!(session["handoff"]["briefing"].is_string());
    let folder = Path::new(session["folder"].as_str().unwrap()).join("dispatch");
    let original = labels.manifest.parent().unwrap();
    let lines = Labels::lines(session);
    let mut compared = 0;
    for line in lines.iter().filter(|line| line["replay_of"].is_u64()) {
        let of = lines.iter().find(|one| one["seq"] == line["replay_of"]);
        let was = fs::read_to_string(original.join(of.unwrap()["file"].as_str().unwrap())).unwrap();
        let is = fs::read_to_string(folder.join(line["file"].as_str().unwrap())).unwrap();
        let rest = |text: &str| {
            let set = |line: &&str| {
                !line.starts_with("**Timestamp:** ") && !line.starts_with("**Dispatch-Dir:** ")
            };
            text.split_inclusive('\n').filter(set).collect::<String>()
        };
        assert_eq!(rest(&was), rest(&is), "{line}");
        assert_ne!(was, is, "the header says when and where");
        compared += 1;
    }
    assert!(compared >= 8, "only {compared} were compared");
}

#[test]
fn a_dry_run_writes_nothing_and_says_everything() {
    let labels = Labels::new();
    let before = labels.sandbox.all();
    let swap = labels.swap();
    let options = ["--mutate", &swap, "--repeat", "3", "--dry-run"];
    let runner = ["/bin/sh", "-c", "true"];
    let output = labels.replay(&options, &runner);
    let page = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{page}");
    for words in [
        "# Replay Plan (dry-run)\n",
        "## Dispatches to skip (verified complete)\n",
        "## Dispatches to re-execute\n",
        "## Template Mutations\n",
        "run         relight replay ",
    ] {
        assert!(page.contains(words), "{words:?} is not in:\n{page}");
    }
    let (code, value) = labels.json(&options, &runner);
    let plan = &value["plan"];
    assert_eq!((code, plan["steps"].as_array().unwrap().len()), (0, 11));
    assert_eq!(plan["mutations"][0]["dispatches"], 3);
    assert_eq!(plan["repeat"], 3);
    for key in [
        "fingerprint",
        "start",
        "commit",
        "confounders",
        "notes",
        "runner",
        "skipped",
    ] {
        assert!(!plan[key].is_null(), "{key} in {plan}");
    }
    let swapped = plan["steps"].as_array().unwrap().iter();
    let swapped = swapped.filter(|step| step["mutation"] == 0);
    assert!(swapped.clone().all(|step| step["text"].is_string()));
    assert_eq!(swapped.count(), 3);
    let (_, again) = labels.json(&options, &runner);
    assert_eq!(again["plan"]["fingerprint"], plan["fingerprint"]);
    assert_eq!(
        differences(&before, &labels.sandbox.all()),
        Vec::<PathBuf>::new()
    );
}

#[test]
fn quiet_is_quiet_and_json_is_the_answer_alone() {
    let labels = Labels::new();
    let swap = labels.late();
    let options = ["--mutate", &swap, "--from-phase", "4", "--diff"];
    let quiet = [&options[..], &["--quiet"]].concat();
    let output = labels.replay(&quiet, &["/bin/sh", "-c", WORKS]);
    assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0));
    let (code, done) = labels.json(&options, &["/bin/sh", "-c", WORKS]);
    assert_eq!(code, 0);
    let comparison = &done["comparison"];
    assert_eq!(comparison["a"], "original");
    assert_eq!(comparison["b"], done["sessions"][0]["id"]);
    assert!(comparison["metrics"].as_array().unwrap().len() > 5);
    assert_eq!(done["records"].as_array().unwrap().len(), 1);
    // A replay of its own is shown beneath its original.
    let (_, shown) = labels.sandbox.json(&["show", &labels.id]);
    assert_eq!(shown["replays"].as_array().unwrap().len(), 2);
}

#[test]
fn the_list_has_the_space_of_each_experiment_and_purge_gives_it_back() {
    let labels = Labels::new();
    let swap = labels.late();
    let options = ["--mutate", &swap, "--from-phase", "4", "--repeat", "2"];
    let runner = ["/bin/sh", "-c", "echo PASS"];
    let (_, plan) = labels.json(&[&options[..], &["--dry-run"]].concat(), &runner);
    let (code, done) = labels.json(&options, &runner);
    assert_eq!(code, 0, "{done}");
    let id = done["experiment"]["id"].as_str().unwrap();
    let (_, list) = labels.json(&["--list"], &[]);
    let runs = list["sessions"].as_array().unwrap().iter();
    let bytes: u64 = runs.map(|run| run["bytes"].as_u64().unwrap()).sum();
    assert_eq!(
        list["sizes"],
        serde_json::json!([{ "id": id, "runs": 4, "bytes": bytes }])
    );
    // The plan promised no less: these runners write nothing that counts.
    let each = plan["plan"]["cost"]["disk"]["each"].as_u64().unwrap();
    assert!(
        (bytes / 8..=bytes / 2).contains(&each),
        "{each} for {bytes}"
    );
    let page = text(&labels.replay(&["--list"], &[]).stdout);
    assert!(page.contains(&format!("size        {id}  ")), "{page}");
    let (code, purged) = labels.sandbox.json(&["purge", id, "--yes"]);
    assert_eq!(code, 0, "{purged}");
    let (_, list) = labels.json(&["--list"], &[]);
    assert_eq!(list["sessions"], serde_json::json!([]));
    let folder = Path::new(done["sessions"][0]["folder"].as_str().unwrap());
    let left: Vec<_> = fs::read_dir(folder.parent().unwrap()).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
}
