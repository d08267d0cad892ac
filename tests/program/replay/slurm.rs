//! Replays on a cluster: on a real Slurm of one node, and with a stub for the states that are hard to make.

mod losses;
mod node;
pub(super) mod stub;
mod unanswered;

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use std::time::Duration;

use rustix::process::Signal;
use serde_json::Value;

use super::experiment::answers;
use super::killed;
use super::kit::{Labels, counts, parsed, signal, wait};
use super::measured::made;
use node::Node;
use stub::Stub;

const IMPLEMENTER: &str = "build-implementer-prompt.md";

/// How often each dispatch of each run was begun.
fn begun(list: &Value) -> Vec<usize> {
    let mut found = Vec::new();
    for session in list["sessions"].as_array().unwrap() {
        let mut times: BTreeMap<u64, usize> = BTreeMap::new();
        for line in Labels::lines(session) {
            if line["replay_session"] == session["id"] && line["status"] == "dispatched" {
                *times
                    .entry(line["replay_of"].as_u64().unwrap())
                    .or_default() += 1;
            }
        }
        found.extend(times.into_values());
    }
    found
}

#[test]
fn the_same_blocks_come_out_on_slurm_whoever_watches_and_a_verdict_ends_what_waits() {
    let Some(node) = Node::start() else { return };
    let local = Labels::new();
    let options = |labels: &Labels| {
        let swap = labels.experiment("implementer-v2.md");
        format!("{IMPLEMENTER}={}", swap.display())
    };
    let swap = options(&local);
    let six = |swap: &str, more: &[&str]| -> Vec<String> {
        let words = [
            "--json",
            "--mutate",
            swap,
            "--runner",
            "stub",
            "--repeat",
            "6",
            "--all",
            "--parallel",
            "4",
        ];
        let words = words.iter().chain(more);
        words.map(|word| (*word).to_owned()).collect()
    };
    let words = |all: &[String]| all.to_vec();
    let run = |labels: &Labels, words: &[String]| {
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        node.with(labels.command(&words, &[]))
    };
    let (_, expected) = parsed(&run(&local, &words(&six(&swap, &[]))).output().unwrap());
    let expected = answers(&expected["sessions"]);
    assert_eq!(expected.len(), 12);

    // Its watcher is killed at random moments: while it submits, while runs wait and while they run.
    let labels = Labels::new();
    let swap = options(&labels);
    let first = six(&swap, &["--on", "slurm"]);
    let again = ["--json".to_owned(), "--continue".to_owned()];
    killed::at_random(&labels, (3, 4), Duration::from_millis(1_200), &|exists| {
        let words = if exists { &again[..] } else { &first };
        run(&labels, words).spawn().unwrap()
    });
    if !killed::exists(&labels) {
        run(&labels, &first).output().unwrap();
    }
    let list = || labels.json(&["--list"], &[]).1;
    let (code, said) = parsed(&run(&labels, &again).output().unwrap());
    assert!(code == 0 || killed::is_complete(&said), "{said}");
    let all = list();
    assert_eq!(answers(&all["sessions"]), expected);
    assert!(
        begun(&all).iter().all(|times| *times == 1),
        "{:?}",
        begun(&all)
    );

    // A verdict: what had not begun is never begun.
    let labels = Labels::new();
    let swap = options(&labels);
    let ten = [
        "--json",
        "--mutate",
        &swap,
        "--runner",
        "stub",
        "--repeat",
        "10",
        "--parallel",
        "4",
        "--on",
        "slurm",
        "--diff",
    ];
    let ten = ten.map(str::to_owned);
    let (code, done) = parsed(&run(&labels, &ten).output().unwrap());
    assert_eq!(code, 0, "{done}");
    assert_eq!(done["comparison"]["verdict"], "better", "{done}");
    let runs = done["sessions"].as_array().unwrap();
    assert!(
        runs.len() >= 12 && runs.len() % 2 == 0 && runs.iter().all(|one| one["state"] == "done"),
        "{done}"
    );
    for arm in ["control", "mutated"] {
        let statistics = &done["comparison"]["statistics"];
        assert_eq!(statistics[arm]["missing"], 0, "{statistics}");
    }
    assert_eq!(
        list_of(&labels),
        runs.len(),
        "a run that was not wanted has begun"
    );
    assert_eq!(node.queue(), "", "jobs are left");
}

fn list_of(labels: &Labels) -> usize {
    let (_, list) = labels.json(&["--list"], &[]);
    list["sessions"].as_array().unwrap().len()
}

#[test]
fn ctrl_c_stops_jobs_and_what_they_did_is_kept() {
    let Some(node) = Node::start() else { return };
    let labels = Labels::new();
    let (go, swap) = (labels.pipe("go"), labels.late());
    let hangs = labels.scratch().join("hangs");
    fs::write(&hangs, "").unwrap();
    let script = format!(
        "if test $RELIGHT_BLOCK = 2 && test -e '{}'; then read word < '{}'; fi; echo PASS",
        hangs.display(),
        go.display()
    );
    let script = labels.script("hangs.sh", &script);
    let options = [
        "--json",
        "--mutate",
        &swap,
        "--from-phase",
        "4",
        "--repeat",
        "3",
        "--all",
        "--on",
        "slurm",
    ];
    let child = node
        .with(labels.command(&options, &[&script]))
        .spawn()
        .unwrap();
    let of = |state: &str| {
        let (_, list) = labels.json(&["--list"], &[]);
        let all = list["sessions"].as_array().unwrap();
        all.iter().filter(|one| one["state"] == state).count()
    };
    wait("run that hangs", || {
        (of("done") == 2 && of("running") == 1).then_some(())
    });
    signal(&child, Signal::INT);
    let (code, value) = parsed(&child.wait_with_output().unwrap());
    assert_eq!(
        (code, value["error"]["kind"].as_str()),
        (130, Some("cancelled")),
        "{value}"
    );
    assert_eq!((of("done"), of("cancelled")), (2, 1));
    assert_eq!(node.queue(), "", "jobs are left");
    fs::remove_file(&hangs).unwrap();
    let continued = node
        .with(labels.command(&["--json", "--continue"], &[]))
        .output();
    let (code, value) = parsed(&continued.unwrap());
    assert_eq!(code, 0, "{value}");
    assert_eq!(of("done"), 6);
    // A look is a job, too.
    let options = [
        "--json",
        "--mutate",
        &swap,
        "--from-phase",
        "4",
        "--on",
        "slurm",
        "--metric",
        "made=echo 7",
    ];
    let (code, look) = parsed(
        &node
            .with(labels.command(&options, &[&script]))
            .output()
            .unwrap(),
    );
    let session = &look["sessions"][0];
    assert_eq!(
        (code, session["state"].as_str(), counts(session)[3]),
        (0, Some("done"), 0),
        "{look}"
    );
    assert_eq!(made(&labels, session), 7);
    // What Slurm says when it does not want a job.
    let config = labels.scratch().join("config.toml");
    fs::write(&config, "[slurm]\noptions = [\"--partition=nowhere\"]").unwrap();
    let config = ["--config", config.to_str().unwrap()];
    let options = [&options[..], &config].concat();
    let (code, refused) = parsed(
        &node
            .with(labels.command(&options, &[&script]))
            .output()
            .unwrap(),
    );
    assert_eq!(code, 3, "{refused}");
    let text = refused["error"]["text"].as_str().unwrap_or_default();
    assert!(text.contains("Invalid partition name"), "{refused}");
}

/// An experiment of two blocks with the stub.
fn two_blocks(swap: &str) -> Vec<&str> {
    vec![
        "--json",
        "--mutate",
        swap,
        "--from-phase",
        "4",
        "--repeat",
        "2",
        "--all",
        "--on",
        "slurm",
        "--sandbox",
        "off",
    ]
}

#[test]
fn what_the_cluster_cuts_short_is_missing_and_is_run_again() {
    let labels = Labels::new();
    let stub = Stub::new();
    let swap = labels.late();
    let script = labels.script("runs.sh", &stub.runner());
    for (word, sentence) in [
        ("kill NODE_FAIL", "was interrupted: node n1 failed."),
        (
            "kill TIMEOUT",
            "reached its time limit of 01:00:00 on node n1.",
        ),
        ("kill PREEMPTED", "was preempted on node n1."),
        ("kill OUT_OF_MEMORY", "ran out of memory on node n1."),
        (
            "kill BOOT_FAIL",
            "could not start on node n1: the node did not boot.",
        ),
        ("kill CANCELLED", "was canceled on node n1."),
        (
            "stop TIMEOUT",
            "was told to stop by the cluster; its time limit is 01:00:00.",
        ),
    ] {
        // The second of four is cut short, and the third is canceled before it begins.
        stub.plan(&format!("run\n{word}\nnone CANCELLED\nrun\n"));
        let options = [&two_blocks(&swap)[..], &["--fresh"]].concat();
        let (code, done) = parsed(
            &stub
                .with(labels.command(&options, &[&script]))
                .output()
                .unwrap(),
        );
        let all = done["sessions"].as_array().unwrap();
        let states: Vec<&str> = all.iter().filter_map(|one| one["state"].as_str()).collect();
        assert_eq!(
            states.iter().filter(|one| **one == "done").count(),
            2,
            "{done}"
        );
        let cut = all
            .iter()
            .find(|one| one["state"] == "interrupted")
            .unwrap();
        let trouble = cut["trouble"][0].as_str().unwrap();
        assert!(trouble.ends_with(sentence), "{word}: {trouble}");
        assert_eq!((code, all.len()), (1, 3), "{done}");
        stub.plan("");
        let again = stub.with(labels.command(&["--json", "--continue"], &[]));
        let (code, done) = parsed(&{ again }.output().unwrap());
        let all = done["sessions"].as_array().unwrap();
        assert_eq!((code, all.len()), (0, 2), "{done}");
        assert!(all.iter().all(|one| one["state"] == "done"), "{done}");
    }
}

#[test]
fn a_relight_killed_while_it_submits_finds_its_job_again() {
    let labels = Labels::new();
    let stub = Stub::new();
    let swap = labels.late();
    let script = labels.script("runs.sh", "echo PASS");
    stub.put("kill-array", "");
    let options = two_blocks(&swap);
    let killed = stub
        .with(labels.command(&options, &[&script]))
        .output()
        .unwrap();
    assert_eq!(killed.status.code(), None, "{killed:?}");
    stub.drop("kill-array");
    // The jobs have run; their id was never written down.
    let (_, list) = labels.json(&["--list"], &[]);
    let expected = answers(&list["sessions"]);
    assert_eq!(expected.len(), 4, "{list}");
    let again = stub.with(labels.command(&["--json", "--continue"], &[]));
    let (code, said) = parsed(&{ again }.output().unwrap());
    assert!(code == 0 || killed::is_complete(&said), "{said}");
    let (_, list) = labels.json(&["--list"], &[]);
    assert_eq!(answers(&list["sessions"]), expected);
    assert!(begun(&list).iter().all(|times| *times == 1), "{list}");
}

#[test]
fn a_cluster_that_cannot_run_anything_is_refused_with_a_reason() {
    let labels = Labels::new();
    let swap = labels.late();
    let script = labels.script("runs.sh", "echo PASS");
    let run = |command: Command| {
        let (code, value) = parsed(&{ command }.output().unwrap());
        let error = &value["error"];
        (code, format!("{} {}", error["text"], error["hints"]))
    };
    let options = two_blocks(&swap);
    let command = || labels.command(&options, &[&script]);
    // Without Slurm.
    let empty = crate::support::temporary::directory();
    let mut none = command();
    none.env("PATH", format!("{}:/bin", empty.path().display()));
    if !std::path::Path::new("/bin/sbatch").exists() {
        let (code, text) = run(none);
        assert!(
            code == 3 && text.contains("sbatch is not installed"),
            "{text}"
        );
    }
    let stub = Stub::new();
    for (file, content, says) in [
        ("unshared", "", "is not shared with node n1 of the cluster"),
        // Before those whose check arrives: an experiment of the same second need not be checked again.
        (
            "silent",
            "Unable to contact slurm controller",
            "Slurm does not answer: Unable to contact",
        ),
        (
            "reject",
            "Unable to contact slurm controller",
            "Slurm rejected the job: Unable to contact",
        ),
        (
            "reject-array",
            "Invalid job array specification",
            "Slurm rejected the job: Invalid job array",
        ),
    ] {
        stub.put(file, content);
        let (code, text) = run(stub.with(command()));
        assert!(code == 3 && text.contains(says), "{file}: {code} {text}");
        stub.drop(file);
        assert_eq!(list_of(&labels), 0);
    }
    // A job that cannot do its work is no failure of the template, and the next would fail, too.
    stub.plan("fail\nrun\nrun\nrun\n");
    let (code, text) = run(stub.with(command()));
    assert!(
        code == 7 && text.contains("failed on node n1 with exit code 9"),
        "{code} {text}"
    );
    assert!(text.contains("Its last line: no such file"), "{text}");
}
