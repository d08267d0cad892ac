//! What the cluster took without saying so, and what it never began.

use std::process::Command;

use super::super::experiment::answers;
use super::super::killed;
use super::super::kit::{Labels, parsed};
use super::stub::Stub;
use super::{begun, two_blocks};

#[test]
fn a_job_that_was_taken_although_its_submission_failed_is_watched_or_found_again() {
    for deaf in [false, true] {
        let labels = Labels::new();
        let stub = Stub::new();
        let swap = labels.late();
        let script = labels.script("runs.sh", "echo PASS");
        stub.put("lost-array", "Socket timed out on send/recv operation");
        if deaf {
            stub.put("deaf", "");
        }
        let run = |command: Command| parsed(&stub.with(command).output().unwrap());
        let (code, said) = run(labels.command(&two_blocks(&swap), &[&script]));
        if deaf {
            let text = said["error"]["text"].as_str().unwrap();
            assert!(
                text.starts_with("Whether Slurm took the job is unknown: "),
                "{said}"
            );
            assert_eq!(code, 3, "{said}");
            stub.drop("lost-array");
            stub.drop("silent");
            let (code, said) = run(labels.command(&["--json", "--continue"], &[]));
            assert!(code == 0 || killed::is_complete(&said), "{said}");
        } else {
            assert_eq!(code, 0, "{said}");
        }
        let (_, list) = labels.json(&["--list"], &[]);
        assert_eq!(answers(&list["sessions"]).len(), 4, "{list}");
        assert!(begun(&list).iter().all(|times| *times == 1), "{list}");
    }
}

#[test]
fn runs_that_the_cluster_canceled_before_they_began_are_missing() {
    let labels = Labels::new();
    let stub = Stub::new();
    let swap = labels.late();
    let script = labels.script("runs.sh", "echo PASS");
    for (canceled, plan) in [
        (4, ["none CANCELLED"; 4]),
        (2, ["run", "none CANCELLED", "none CANCELLED", "run"]),
    ] {
        stub.plan(&plan.join("\n"));
        let options = [&two_blocks(&swap)[1..], &["--fresh"]].concat();
        let output = stub
            .with(labels.command(&options, &[&script]))
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(output.status.code(), Some(1), "{said}");
        let missing = format!("({canceled} of 4 runs not started)");
        assert!(said.contains(&missing), "{said}");
        let id = said.split("--continue ").nth(1).unwrap();
        let id = id.split_whitespace().next().unwrap();
        stub.plan("");
        let again = stub.with(labels.command(&["--json", "--continue", id], &[]));
        let (code, done) = parsed(&{ again }.output().unwrap());
        assert_eq!(code, 0, "{done}");
        assert_eq!(
            done["sessions"].as_array().unwrap().len(),
            canceled,
            "{done}"
        );
    }
}
