//! Runners that are not there, do not end, or behave badly: an error of execution is no failure of a template.

use std::fs;
use std::path::Path;

use serde_json::Value;

use super::kit::{Labels, counts, text};

/// The last line of the manifest about the first dispatch that was run again.
fn first(session: &Value) -> Value {
    let lines = Labels::lines(session);
    let own = |line: &&Value| line["replay_session"] == session["id"];
    let seq = lines.iter().find(own).unwrap()["seq"].clone();
    let last = lines.iter().filter(own).rfind(|line| line["seq"] == seq);
    last.unwrap().clone()
}

#[test]
fn every_end_of_a_runner_has_its_status() {
    let labels = Labels::new();
    let swap = labels.late();
    let options = ["--mutate", &swap, "--from-phase", "4", "--timeout", "1"];
    let table: &[(&str, i32, [usize; 3], &str)] = &[
        ("echo all is well", 0, [1, 0, 0], "all is well"),
        ("echo not well; exit 3", 0, [0, 1, 0], "not well"),
        ("kill -SEGV $$", 1, [0, 0, 1], ""),
        ("exec sleep 60", 1, [0, 0, 1], ""),
        ("printf 'a\\377\\000\\033[2Jb\\n'", 0, [1, 0, 0], ""),
        ("", 0, [1, 0, 0], ""),
    ];
    for (script, code, shares, summary) in table {
        let (found, done) = labels.json(&options, &["/bin/sh", "-c", script]);
        let session = &done["sessions"][0];
        let all = counts(session);
        let total: u64 = all.iter().sum();
        let expected = shares.map(|share| share as u64 * total);
        assert_eq!(
            (found, &all[..3], session["state"].as_str()),
            (*code, &expected[..], Some("done")),
            "{script}: {done}"
        );
        let line = first(session);
        if !summary.is_empty() {
            assert_eq!(line["summary"], *summary, "{script}");
        }
        if shares[2] == 1 {
            assert!(!line["summary"].as_str().unwrap().is_empty(), "why: {line}");
        }
    }
    // What is killed from outside has no end, and says nothing of the template.
    let (found, done) = labels.json(&options, &["/bin/sh", "-c", "kill -9 $$"]);
    let session = &done["sessions"][0];
    let state = session["state"].as_str();
    assert_eq!((found, state), (1, Some("interrupted")), "{done}");
    assert_eq!(&counts(session)[..3], [0, 0, 0], "{done}");
    let why = session["trouble"].to_string();
    assert!(why.contains("ended from outside by signal 9"), "{why}");
}

#[test]
fn a_flood_is_cut_and_does_not_block() {
    let labels = Labels::new();
    let swap = labels.late();
    let flood = "head -c 40000000 /dev/zero | tr '\\0' x; echo; echo the end";
    let options = ["--mutate", &swap, "--from-phase", "4", "--jobs", "4"];
    let (code, done) = labels.json(&options, &["/bin/sh", "-c", flood]);
    let session = &done["sessions"][0];
    assert_eq!(
        (code, counts(session)[1..].to_vec()),
        (0, vec![0, 0, 0]),
        "{done}"
    );
    let outputs = Path::new(session["folder"].as_str().unwrap()).join("outputs");
    for entry in fs::read_dir(outputs).unwrap() {
        let size = entry.unwrap().metadata().unwrap().len();
        assert!(size < 20 << 20, "{size} bytes were kept");
    }
    let summary = first(session)["summary"].clone();
    assert!(
        summary.as_str().unwrap().starts_with("the end (of 4"),
        "{summary}"
    );
}

#[test]
fn children_that_are_left_behind_are_stopped_with_their_runner() {
    let labels = Labels::new();
    let swap = labels.late();
    let pids = labels.scratch().join("pids");
    let script = format!("sleep 600 & echo $! >> '{}'; echo done", pids.display());
    let options = ["--mutate", &swap, "--from-phase", "4"];
    let (code, done) = labels.json(&options, &["/bin/sh", "-c", &script]);
    assert_eq!(code, 0, "{done}");
    let pids = fs::read_to_string(pids).unwrap();
    assert!(pids.lines().count() >= 3);
    for pid in pids.lines() {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
        let gone = status.is_empty() || status.contains("State:\tZ");
        assert!(gone, "{pid} is left behind:\n{status}");
    }
}

#[test]
fn a_runner_that_is_missing_is_refused_before_anything_is_made() {
    let labels = Labels::new();
    let swap = labels.late();
    let missing = labels.scratch().join("agent.sh");
    let options = ["--mutate", &swap, "--from-phase", "4"];
    let (code, refused) = labels.json(&options, &[missing.to_str().unwrap()]);
    assert_eq!(
        (code, refused["error"]["kind"].as_str()),
        (3, Some("refused"))
    );
    let (code, listed) = labels.json(&["--list"], &[]);
    assert_eq!((code, &listed["sessions"]), (0, &serde_json::json!([])));
}

#[test]
fn a_runner_that_goes_stops_the_session_which_can_go_on_once_it_is_there_again() {
    let labels = Labels::new();
    let swap = labels.late();
    let agent = labels.script("agent.sh", "rm \"$0\"; echo PASS");
    let options = ["--mutate", &swap, "--from-phase", "4"];
    let (code, cut) = labels.json(&options, &[&agent]);
    let session = &cut["sessions"][0];
    let [1, 0, 1, left] = counts(session) else {
        panic!("{cut}");
    };
    assert_eq!(
        (code, session["state"].as_str()),
        (1, Some("interrupted")),
        "{cut}"
    );
    labels.script("agent.sh", "echo PASS");
    let (code, done) = labels.json(&["--continue"], &[]);
    let again = &done["sessions"][0];
    assert_eq!(again["id"], session["id"]);
    let [ended, 0, error, 0] = counts(again) else {
        panic!("{done}");
    };
    assert_eq!(
        (ended + error, again["state"].as_str()),
        (left + 2, Some("done")),
        "{code}"
    );
}

#[test]
fn an_error_is_tried_again_as_often_as_was_said() {
    let labels = Labels::new();
    let swap = labels.late();
    let tries = labels.scratch().join("tries");
    let script = format!(
        "echo x >> '{0}'; test $(wc -l < '{0}') -gt 2 || kill -9 $$; echo PASS",
        tries.display()
    );
    let options = ["--mutate", &swap, "--from-phase", "4", "--retries", "2"];
    let output = labels.replay(&options, &["/bin/sh", "-c", &script]);
    let (page, said) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(0), "{page}{said}");
    assert!(page.contains("  done  "), "{page}");
    assert!(
        said.contains("2 retries") && said.contains("(attempt 3)"),
        "{said}"
    );
}

#[test]
fn a_killed_runner_makes_its_own_run_missing_and_not_the_others() {
    let labels = Labels::new();
    let swap = labels.late();
    let tries = labels.scratch().join("tries");
    let script = format!(
        "echo x >> '{0}'; test $(wc -l < '{0}') -gt 1 || kill -9 $$; echo PASS",
        tries.display()
    );
    let options = [
        "--mutate",
        &swap,
        "--from-phase",
        "4",
        "--repeat",
        "2",
        "--retries",
        "0",
    ];
    let (_, ran) = labels.json(&options, &["/bin/sh", "-c", &script]);
    let states = |said: &serde_json::Value| {
        let sessions = said["sessions"].as_array().unwrap().iter();
        let mut states: Vec<String> = sessions
            .map(|one| one["state"].as_str().unwrap().to_owned())
            .collect();
        states.sort();
        states
    };
    assert_eq!(
        states(&ran),
        ["done", "done", "done", "interrupted"],
        "{ran}"
    );
    let (code, after) = labels.json(&["--continue"], &[]);
    let (_, list) = labels.json(&["--list"], &[]);
    assert_eq!(states(&list), ["done"; 4], "{code} {after}");
}
