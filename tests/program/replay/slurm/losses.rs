//! What Slurm rejects, and runners that are killed.

use super::super::kit::{Labels, parsed};
use super::node::Node;
use super::stub::Stub;
use super::two_blocks;

#[test]
fn a_rejected_submission_is_named_and_only_continued_by_its_id() {
    let script = "echo PASS";
    for blocks in ["1", "2"] {
        let labels = Labels::new();
        let stub = Stub::new();
        let swap = labels.late();
        let script = labels.script("runs.sh", script);
        let options = [
            "--mutate",
            &swap,
            "--repeat",
            blocks,
            "--on",
            "slurm",
            "--sandbox",
            "off",
        ];
        let run = |options: &[&str], runner: &[&str]| {
            let options = [&["--json"], options].concat();
            parsed(
                &stub
                    .with(labels.command(&options, runner))
                    .output()
                    .unwrap(),
            )
        };
        stub.put("reject-array", "Invalid qos specification");
        let (code, said) = run(&options, &[&script]);
        assert_eq!(code, 3, "{said}");
        let sentence = "Submission rejected by Slurm: ";
        let list = String::from_utf8(labels.replay(&["--list"], &[]).stdout).unwrap();
        assert!(
            list.contains(sentence) && list.contains("Invalid qos"),
            "{list}"
        );
        stub.drop("reject-array");
        let (_, said) = run(&["--continue"], &[]);
        assert_eq!(said["error"]["kind"], "nothing_to_do", "{said}");
        let hint = said["error"]["hints"][0].as_str().unwrap();
        let (_, id) = hint.rsplit_once(' ').unwrap();
        assert!(
            hint.starts_with("Slurm rejected the submission of "),
            "{hint}"
        );
        let (code, done) = run(&["--continue", id], &[]);
        assert_eq!(code, 0, "{done}");
        let list = String::from_utf8(labels.replay(&["--list"], &[]).stdout).unwrap();
        assert!(!list.contains(sentence), "{list}");
    }
}

#[test]
fn a_runner_that_is_killed_loses_its_run_here_and_on_slurm() {
    let node = Node::start();
    for on in ["local", "slurm"] {
        let labels = Labels::new();
        let swap = labels.late();
        let first = labels.scratch().join("first");
        let kills = format!(
            "mkdir '{}' 2>/dev/null && kill -9 $$; echo PASS",
            first.display()
        );
        let script = labels.script("runs.sh", &kills);
        let mut options = two_blocks(&swap);
        let at = options.iter().position(|word| *word == "slurm").unwrap();
        options[at] = on;
        options.extend(["--retries", "0"]);
        let mut command = labels.command(&options, &[&script]);
        if on == "slurm" {
            let Some(node) = &node else { continue };
            command = node.with(command);
        }
        let (code, done) = parsed(&command.output().unwrap());
        let all = done["sessions"].as_array().unwrap();
        let states = |word: &str| all.iter().filter(|one| one["state"] == word).count();
        assert_eq!((code, all.len()), (1, 4), "{on}: {done}");
        assert_eq!(
            (states("done"), states("interrupted")),
            (3, 1),
            "{on}: {done}"
        );
    }
}
