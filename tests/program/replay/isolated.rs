//! Runs are kept apart from the original: its paths in dispatches, the environment of runners, the sandbox.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::kit::{Labels, counts, text};
use super::sandbox::differences;

/// Goes where the dispatch says, and changes what it finds there.
const FOLLOWS: &str = "
project=$(sed -n 's/^Work in \\(.*\\)\\.$/\\1/p' \"$1\")
notes=$(sed -n 's/^Read \\(.*\\) first\\.$/\\1/p' \"$1\")
[ -z \"$project\" ] || { cd \"$project\" && echo changed > followed.txt && cat \"$notes\" > read.txt; }
echo PASS";

/// Makes the dispatches of the last phase name the project and a file of the dispatch folder.
fn name_the_original(labels: &Labels) -> (PathBuf, PathBuf) {
    let project = labels.sandbox.root().join("projects/labels");
    let dispatch = labels.manifest.parent().unwrap();
    let notes = dispatch.join("notes.txt");
    fs::write(&notes, "what was found before\n").unwrap();
    for entry in fs::read_dir(dispatch).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|end| end == "md") {
            let mut text = fs::read_to_string(&path).unwrap();
            let (project, notes) = (project.display(), notes.display());
            let more = format!("\nWork in {project}.\nRead {notes} first.\n");
            text.push_str(&more);
            fs::write(&path, text).unwrap();
        }
    }
    (project, notes)
}

/// Whether bubblewrap works here; says so aloud where it does not.
pub(super) fn bwrap_works() -> bool {
    let works = Command::new("bwrap")
        .args(["--dev-bind", "/", "/", "--", "true"])
        .output()
        .is_ok_and(|output| output.status.success());
    if !works {
        println!("SKIPPED: bwrap does not work here, so the sandbox is not tested");
    }
    works
}

#[test]
fn a_dispatch_that_names_the_original_works_in_the_runs_own_folders() {
    let labels = Labels::new();
    let (project, _) = name_the_original(&labels);
    let before = labels.sandbox.persons();
    let swap = labels.late();
    let script = labels.script("follows.sh", FOLLOWS);
    let options = ["--mutate", &swap, "--from-phase", "4", "--sandbox", "off"];
    let output = labels.replay(
        &[&options[..], &["--dry-run"]].concat(),
        &[&script, "{file}"],
    );
    let page = text(&output.stdout);
    assert!(
        page.contains("**Paths:** 8 paths of the original in dispatches, replaced"),
        "{page}"
    );
    // And they can be seen, line by line.
    let (_, dry) = labels.json(
        &[&options[..], &["--dry-run"]].concat(),
        &[&script, "{file}"],
    );
    let rewritten = dry["plan"]["isolation"]["rewritten"].as_array().unwrap();
    let after = rewritten[0]["after"].as_str().unwrap();
    assert!(after.contains("RUN/"), "{dry}");
    assert!(page.contains(&format!("+{after}")), "{page}");
    let (code, done) = labels.json(&options, &[&script, "{file}"]);
    assert_eq!(code, 0, "{done}");
    let session = &done["sessions"][0];
    let tree = Path::new(session["tree"].as_str().unwrap());
    assert_eq!(
        fs::read_to_string(tree.join("followed.txt")).unwrap(),
        "changed\n"
    );
    assert_eq!(
        fs::read_to_string(tree.join("read.txt")).unwrap(),
        "what was found before\n",
        "a file that a dispatch names is copied"
    );
    assert!(!project.join("followed.txt").exists());
    assert_eq!(
        differences(&before, &labels.sandbox.persons()),
        Vec::<PathBuf>::new()
    );
    assert_eq!(session["outside"], serde_json::json!([]));
}

#[test]
fn a_runner_in_the_sandbox_cannot_write_to_the_original() {
    if !bwrap_works() {
        return;
    }
    let labels = Labels::new();
    let (project, notes) = name_the_original(&labels);
    let before = labels.sandbox.persons();
    let swap = labels.late();
    let script = format!(
        "echo x > '{}/hostile.txt'; echo x >> '{}'; echo $? > wrote.txt; pwd > here.txt; echo PASS",
        project.display(),
        notes.display()
    );
    let options = ["--mutate", &swap, "--from-phase", "4", "--sandbox", "bwrap"];
    let (code, done) = labels.json(&options, &["/bin/sh", "-c", &script]);
    assert_eq!(code, 0, "{done}");
    let session = &done["sessions"][0];
    let [ended, 0, 0, 0] = counts(session) else {
        panic!("{done}");
    };
    assert!(ended > 0);
    let tree = session["tree"].as_str().unwrap();
    let said = |name: &str| fs::read_to_string(Path::new(tree).join(name)).unwrap();
    assert_ne!(said("wrote.txt"), "0\n");
    assert_eq!(said("here.txt"), format!("{tree}\n"));
    assert_eq!(
        differences(&before, &labels.sandbox.persons()),
        Vec::<PathBuf>::new()
    );
}

#[test]
fn a_runner_learns_from_its_environment_what_it_works_on() {
    let labels = Labels::new();
    let swap = labels.late();
    let script = "env | grep ^RELIGHT_ | sort > env-$RELIGHT_ORIGINAL_SEQ.txt; echo \"PASS $1\"";
    let script = labels.script("env.sh", script);
    let options = ["--mutate", &swap, "--from-phase", "4"];
    let (code, done) = labels.json(&options, &[&script, "{model}", "{file}"]);
    assert_eq!(code, 0, "{done}");
    let session = &done["sessions"][0];
    let tree = session["tree"].as_str().unwrap();
    let lines = Labels::lines(session);
    let own = lines
        .iter()
        .find(|line| line["replay_session"] == session["id"])
        .unwrap();
    let seen = fs::read_to_string(Path::new(tree).join(format!("env-{}.txt", own["replay_of"])));
    let seen = seen.unwrap();
    for (name, value) in [
        ("RUN", session["id"].as_str().unwrap()),
        ("SEQ", &own["seq"].to_string()),
        ("ORIGINAL_SEQ", &own["replay_of"].to_string()),
        ("ROLE", own["role"].as_str().unwrap()),
        ("PHASE", own["phase"].as_str().unwrap()),
        ("TREE", tree),
        ("MODEL_TIER", "opus"),
    ] {
        let line = format!("RELIGHT_{name}={value}\n");
        assert!(seen.contains(&line), "{line} is not in:\n{seen}");
    }
    let last = lines
        .iter()
        .rfind(|line| line["seq"] == own["seq"])
        .unwrap();
    assert_eq!(last["summary"], "PASS opus");
    let blocks = [&options[..], &["--repeat", "2"]].concat();
    let (code, done) = labels.json(&blocks, &[&script, "{model}", "{file}"]);
    assert!(code < 2, "{done}");
    let seen: BTreeSet<String> = done["sessions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|session| {
            let file = format!("env-{}.txt", own["replay_of"]);
            let seen = fs::read_to_string(Path::new(session["tree"].as_str().unwrap()).join(file));
            let (arm, block) = (session["arm"].as_str().unwrap(), &session["block"]);
            let lines = format!("RELIGHT_ARM={arm}\nRELIGHT_BLOCK={block}\n");
            assert!(seen.unwrap().contains(&lines), "{lines}");
            lines
        })
        .collect();
    assert_eq!(seen.len(), 4, "{seen:?}");
}

#[test]
fn the_setup_runs_once_in_each_tree_before_the_first_dispatch() {
    let labels = Labels::new();
    let swap = labels.late();
    let setup = "sh -c 'echo once >> set-up.txt; echo prepared; test ! -e fails'";
    let options = [
        "--mutate",
        &swap,
        "--from-phase",
        "4",
        "--repeat",
        "2",
        "--setup",
        setup,
    ];
    let (code, done) = labels.json(&options, &["/bin/sh", "-c", "cat set-up.txt"]);
    assert_eq!(code, 0, "{done}");
    for session in done["sessions"].as_array().unwrap() {
        let tree = Path::new(session["tree"].as_str().unwrap());
        assert_eq!(
            fs::read_to_string(tree.join("set-up.txt")).unwrap(),
            "once\n"
        );
        let output = Path::new(session["folder"].as_str().unwrap()).join("outputs/setup.txt");
        assert_eq!(fs::read_to_string(output).unwrap(), "prepared\n");
        let last = Labels::lines(session).pop().unwrap();
        assert_eq!(last["summary"], "once");
    }
}

#[test]
fn a_setup_that_fails_stops_the_run_which_can_be_continued() {
    let labels = Labels::new();
    let swap = labels.late();
    let ready = labels.scratch().join("ready");
    let setup = format!("sh -c 'echo trying; test -e \"{}\"'", ready.display());
    let options = ["--mutate", &swap, "--from-phase", "4", "--setup", &setup];
    let (code, failed) = labels.json(&options, &["/bin/sh", "-c", "echo PASS"]);
    let session = &failed["sessions"][0];
    assert_eq!(
        (code, session["state"].as_str(), counts(session)[0]),
        (1, Some("interrupted"), 0),
        "{failed}"
    );
    let trouble = session["trouble"].to_string();
    assert!(trouble.contains("ended with status 1"), "{trouble}");
    fs::write(ready, "").unwrap();
    let (code, done) = labels.json(&["--continue"], &[]);
    assert_eq!(
        (code, done["sessions"][0]["state"].as_str()),
        (0, Some("done")),
        "{done}"
    );
}

#[test]
fn a_setup_that_was_done_need_not_be_there_any_more() {
    let labels = Labels::new();
    let swap = labels.late();
    let setup = labels.script("prepare.sh", "exit 0");
    let options = ["--mutate", &swap, "--from-phase", "4", "--setup", &setup];
    let agent = labels.script("agent.sh", "rm \"$0\"; echo PASS");
    let lone = labels.json(&options, &[&agent]);
    assert_eq!(lone.0, 1, "{}", lone.1);
    labels.script("agent.sh", "echo PASS");
    std::fs::remove_file(&setup).unwrap();
    let (code, done) = labels.json(&["--continue"], &[]);
    // The attempt that failed before counts.
    assert_eq!(
        (code, done["sessions"][0]["state"].as_str()),
        (1, Some("done")),
        "{done}"
    );
    // An experiment.
    labels.script("prepare.sh", "exit 0");
    let experiment = [&options[..], &["--repeat", "2", "--all"]].concat();
    let (_, ran) = labels.json(&experiment, &[&agent]);
    let id = ran["experiment"]["id"].as_str().unwrap();
    std::fs::remove_file(&setup).unwrap();
    let (code, complete) = labels.json(&["--continue", id], &[]);
    let said = complete["error"].to_string();
    assert!(code == 1 && said.contains("is complete"), "{complete}");
    let (code, more) = labels.json(&["--repeat", "+1"], &[]);
    let said = more["error"].to_string();
    assert!(code == 3 && said.contains("The setup command"), "{more}");
}

#[test]
fn replays_are_deleted_by_session_or_experiment_and_nothing_else_is() {
    let labels = Labels::new();
    let before = labels.sandbox.persons();
    let swap = labels.late();
    // An agent may leave folders that nobody may write.
    let script = "mkdir -p sealed/in && touch sealed/in/x && chmod 555 sealed/in sealed; echo PASS";
    let options = ["--mutate", &swap, "--from-phase", "4", "--repeat", "2"];
    let (code, done) = labels.json(&options, &["/bin/sh", "-c", script]);
    assert_eq!(code, 0, "{done}");
    let sessions = done["sessions"].as_array().unwrap();
    let group = sessions[0]["id"]
        .as_str()
        .unwrap()
        .split('-')
        .next()
        .unwrap();
    let refused = labels.sandbox.run(&["purge", group]);
    assert_eq!(refused.status.code(), Some(4), "{}", text(&refused.stderr));
    let (code, purged) = labels.sandbox.json(&["purge", group, "--yes"]);
    assert_eq!(code, 0, "{purged}");
    let gone = purged["replays"]["purged"].as_array().unwrap();
    assert_eq!(gone.len(), sessions.len());
    assert!(
        purged["replays"]["bytes"].as_u64().unwrap() > 4096,
        "{purged}"
    );
    for session in sessions {
        assert!(!Path::new(session["folder"].as_str().unwrap()).exists());
    }
    let (_, listed) = labels.json(&["--list"], &[]);
    assert_eq!(listed["sessions"], serde_json::json!([]));
    assert_eq!(
        differences(&before, &labels.sandbox.persons()),
        Vec::<PathBuf>::new()
    );
    let missing = labels.sandbox.run(&["purge", group, "--yes"]);
    assert_eq!(missing.status.code(), Some(2), "{}", text(&missing.stderr));
}
