//! What Slurm rejects, runners that are killed, and a controller that does not answer.

use rustix::process::Signal;

use super::super::kit::{Labels, kind, parsed, signal, wait};
use super::super::tty::Tty;
use super::node::Node;
use super::stub::Stub;
use super::{begun, list_of, two_blocks};

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

#[test]
fn jobs_that_still_wait_are_found_by_their_name_and_watched_until_slurm_answers() {
    let labels = Labels::new();
    let stub = Stub::new();
    let swap = labels.late();
    let script = labels.script("runs.sh", "echo PASS");
    stub.plan("hold\nhold\nhold\nhold\n");
    stub.put("kill-array", "");
    let killed = stub.with(labels.command(&two_blocks(&swap), &[&script]));
    assert_eq!({ killed }.output().unwrap().status.code(), None);
    stub.drop("kill-array");
    assert_eq!(list_of(&labels), 0);
    let again = || stub.with(labels.command(&["--json", "--continue"], &[]));

    // Its id was never written down, and nobody can be asked for it.
    let unable = "Unable to contact slurm controller";
    stub.put("silent", unable);
    let (code, said) = parsed(&again().output().unwrap());
    assert_eq!((code, kind(&said)), (3, "refused"), "{said}");
    let hint = said["error"]["hints"][0].as_str().unwrap();
    assert!(hint.starts_with("Submitted jobs keep running."), "{said}");
    stub.drop("silent");

    let path = stub.with(labels.command(&[], &[]));
    let path = path.get_envs().find(|(name, _)| *name == "PATH").unwrap().1;
    let path = format!("PATH={}", path.unwrap().display());
    let program = assert_cmd::cargo::cargo_bin!("relight");
    let words = labels.words(&["--continue"], &[]);
    let words = [&[path.as_str(), program.to_str().unwrap()], &words[..]].concat();
    let mut tty = Tty::start("env", &words, &labels.sandbox.root(), 100, 40);
    let shows = |tty: &Tty, part: &str| tty.wait(part, |screen| screen.contents().contains(part));
    let pending = " is pending (Resources)";
    shows(&tty, pending);
    let text = tty.screen(vt100::Screen::contents);
    assert!(
        !text.contains("(Resources) for"),
        "since when is unknown: {text}"
    );
    stub.put("silent", unable);
    shows(&tty, &format!("Slurm does not answer: {unable}"));
    stub.drop("silent");
    shows(&tty, pending);
    stub.put("go", "");
    assert_eq!(tty.ended(), Some(0), "{}", tty.written());
    let (_, list) = labels.json(&["--list"], &[]);
    assert!(begun(&list).iter().all(|times| *times == 1), "{list}");
}

#[test]
fn ctrl_c_while_the_cluster_is_checked_cancels_the_check_and_submits_nothing() {
    let labels = Labels::new();
    let stub = Stub::new();
    let swap = labels.late();
    let script = labels.script("runs.sh", "echo PASS");
    stub.put("hold", "");
    let options = two_blocks(&swap);
    let child = stub.with(labels.command(&options, &[&script])).spawn();
    let child = child.unwrap();
    wait("check", || {
        (!stub.content("queue").is_empty()).then_some(())
    });
    signal(&child, Signal::INT);
    let (code, said) = parsed(&child.wait_with_output().unwrap());
    assert_eq!((code, kind(&said)), (130, "cancelled"), "{said}");
    let hint = said["error"]["hints"][0].as_str().unwrap();
    assert!(hint.ends_with(" --continue"), "{said}");
    assert_eq!(said["error"]["text"], "Canceled; nothing was run.");
    assert_eq!(stub.content("canceled"), "1\n");
    assert_eq!((list_of(&labels), stub.content("job").trim()), (0, "1"));
    let resume = || {
        let again = stub.with(labels.command(&["--json", "--continue"], &[]));
        parsed(&{ again }.output().unwrap())
    };
    // A newer relight has written down jobs that this one cannot find.
    let (_, list) = labels.json(&["--list"], &[]);
    let id = list["experiments"][0]["id"].as_str().unwrap();
    let state = labels
        .sandbox
        .root()
        .join("home/.local/state/relight/replays");
    let home = state.read_dir().unwrap().next().unwrap().unwrap().path();
    let jobs = home.join(format!("{id}.slurm/jobs.json"));
    std::fs::write(&jobs, r#"{"schema": 2, "jobs": []}"#).unwrap();
    let (code, said) = resume();
    assert_eq!((code, kind(&said)), (5, "unreadable"), "{said}");
    let text = said["error"]["text"].as_str().unwrap();
    assert!(text.ends_with("jobs.json was written by another version of relight."));
    std::fs::remove_file(&jobs).unwrap();
    // It goes on as soon as the cluster answers.
    stub.drop("hold");
    let (code, done) = resume();
    assert_eq!((code, list_of(&labels)), (0, 4), "{done}");
}
