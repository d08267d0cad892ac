//! What undo, redo, recover and history choose without an id, outside a repository.

use std::path::PathBuf;

use super::machine::{Machine, code, said};

/// Three conferences side by side; the first and the second were resumed, in this order.
fn machine() -> Machine {
    let machine = Machine::new();
    for project in ["x", "y", "z"] {
        machine.copy("work/lab/tokenizer-speed", &format!("work/{project}"));
    }
    for project in ["x", "y"] {
        let dir = format!("work/{project}");
        let args = ["resume", ".", "round-2-mid", "--assume-stopped", "--yes"];
        let output = machine.run(&dir, &args);
        assert_eq!(code(&output), 0, "{}", said(&output));
    }
    machine
}

/// What is in a project.
type Files = Vec<(PathBuf, Option<Vec<u8>>)>;

/// Everything in a project.
fn state(machine: &Machine, project: &str) -> Files {
    let root = machine.path(&format!("work/{project}"));
    let mut all = machine.everything();
    all.retain(|(path, _)| path.starts_with(&root));
    all
}

#[test]
fn undo_and_redo_without_an_id_choose_only_what_lies_in_the_scope() {
    let machine = machine();
    let act = |dir: &str, word: &str, more: &[&str]| {
        let args = [&[word, "--yes", "--assume-stopped"], more].concat();
        let output = machine.run(dir, &args);
        (code(&output), said(&output))
    };
    let changed = |of: &str, before: &[Files; 2]| {
        let now = ["x", "y"].map(|project| state(&machine, project));
        let which: Vec<&str> = ["x", "y"]
            .into_iter()
            .zip(before.iter().zip(&now))
            .filter(|(_, (before, now))| before != now)
            .map(|(project, _)| project)
            .collect();
        assert_eq!(which.concat(), of);
        now
    };
    let before = ["x", "y"].map(|project| state(&machine, project));
    for dir in ["work/z", "work/empty", "home"] {
        for word in ["undo", "redo"] {
            for scope in [&[][..], &["--scope", "here"]] {
                let (code, said) = act(dir, word, scope);
                assert_eq!(code, 1, "{dir} {word} {scope:?}: {said}");
                assert!(said.contains("There is nothing to"), "{said}");
            }
        }
        let (_, history) = machine.json(dir, &["history"]);
        assert_eq!(history["recoveries"].as_array().unwrap().len(), 0, "{dir}");
        // Every id can be found.
        let (_, history) = machine.json(dir, &["history", "--scope", "machine"]);
        assert_eq!(history["recoveries"].as_array().unwrap().len(), 2, "{dir}");
    }
    let before = changed("", &before);
    // The latest is of y; x has its own.
    assert_eq!(act("work/x", "undo", &[]).0, 0);
    let before = changed("x", &before);
    assert_eq!(act("work/y", "redo", &[]).0, 1);
    assert_eq!(act("work/x", "redo", &[]).0, 0);
    let before = changed("x", &before);
    assert_eq!(act("work/x", "undo", &[]).0, 0);
    let before = changed("x", &before);
    // What lies beneath, and a root that is named.
    assert_eq!(act("work", "undo", &[]).0, 0);
    let before = changed("y", &before);
    let root = machine.path("work/x");
    assert_eq!(
        act("work/z", "redo", &["--root", root.to_str().unwrap()]).0,
        0
    );
    let before = changed("x", &before);
    // With an id from anywhere.
    let (_, history) = machine.json("home", &["history", "--scope", "machine"]);
    let undone = history["recoveries"].as_array().unwrap().iter();
    let mut undone = undone.filter(|one| one["undone_by"].is_string() && one["undoes"].is_null());
    let id = undone.next().unwrap()["id"].as_str().unwrap();
    assert_eq!(act("home", "redo", &[id]).0, 0);
    changed("y", &before);
}

#[test]
fn what_is_complete_is_recovered_without_being_asked() {
    let machine = machine();
    let (_, history) = machine.json("work/x", &["history"]);
    let id = history["recoveries"][0]["id"].as_str().unwrap();
    let before = state(&machine, "x");
    let (code, answer) = machine.json("work/x", &["recover", id, "--assume-stopped"]);
    assert_eq!(code, 0, "{answer}");
    assert!(answer["said"][0].as_str().unwrap().contains("is complete"));
    assert!(before == state(&machine, "x"));
}

/// What says how to undo, redo, recover or compare says it for where the person stands: outside of the sandbox.
#[test]
fn a_command_about_a_recovery_of_a_sandbox_names_the_sandbox() {
    let machine = Machine::new();
    let root = machine.path("box");
    relight::demo::build(&root, chrono::Utc::now()).unwrap();
    let root = root.to_str().unwrap();
    let run = |args: &[&str]| {
        let output = machine.run("work/empty", &[args, &["--root", root]].concat());
        let said = said(&output);
        for line in said
            .lines()
            .filter(|line| !line.contains("--scope machine"))
        {
            let command = line.split_once("relight ");
            let verb = command.and_then(|(_, command)| command.split(' ').next());
            let named = verb.is_some_and(|verb| {
                [
                    "undo", "redo", "recover", "purge", "compare", "show", "plan",
                ]
                .contains(&verb)
            });
            assert!(
                !named || line.contains("--root"),
                "{args:?}: {line}\n{said}"
            );
        }
        (code(&output), said)
    };
    let (_, history) = machine.json("work/empty", &["list", "--root", root]);
    let pipelines = history["pipelines"].as_array().unwrap();
    let ids = pipelines.iter().map(|one| one["id"].as_str().unwrap());
    let id = ids.clone().find(|id| id.contains("tokenizer")).unwrap();
    let done = run(&["resume", id, "round-2-mid", "--yes", "--assume-stopped"]);
    assert_eq!(done.0, 0, "{}", done.1);
    let (_, history) = machine.json("work/empty", &["history", "--root", root]);
    let recovery = history["recoveries"][0]["id"].as_str().unwrap();
    assert_eq!(run(&["redo", recovery, "--yes"]).0, 1);
    assert_eq!(run(&["history", recovery]).0, 0);
    assert_eq!(run(&["compare", id, recovery]).0, 0);
    assert_eq!(run(&["compare", id, "--list"]).0, 0);
    assert_eq!(run(&["undo", recovery, "--yes", "--assume-stopped"]).0, 0);
    assert_eq!(run(&["history", recovery]).0, 0);
    let again = run(&["undo", recovery, "--yes"]);
    assert!(
        again.0 != 0 && again.1.contains("relight redo"),
        "{}",
        again.1
    );
    assert!(run(&["undo", "--dry-run"]).1.contains("nothing to undo"));
}

/// The same of a pipeline, in everything that is said about it, in text and in JSON.
#[test]
fn a_command_about_a_pipeline_finds_it_from_where_the_person_stands() {
    let machine = Machine::new();
    let root = machine.path("box");
    relight::demo::build(&root, chrono::Utc::now()).unwrap();
    let root = root.to_str().unwrap();
    let template = machine.path("box/projects/labels-experiment/red-team-v2.md");
    let mutation = format!("red-team-prompt.md={}", template.display());
    let mut unnamed = Vec::new();
    let mut run = |args: &[&str]| {
        let said = said(&machine.run("work/empty", &[args, &["--root", root]].concat()));
        // A pipeline is named by its id, which is not known here without a root.
        for command in said.split("relight ").skip(1) {
            let mut words = command.split_whitespace();
            let is_id = words.nth(1).is_some_and(|word| word.contains('~'));
            let line = command.split(['\n', '"', ';']).next().unwrap();
            if is_id && !line.contains("--root") {
                unnamed.push(format!("{args:?}: relight {line}"));
            }
        }
    };
    let (_, list) = machine.json("work/empty", &["list", "--all", "--root", root]);
    for one in list["pipelines"].as_array().unwrap() {
        let id = one["id"].as_str().unwrap();
        for command in [
            "show",
            "why",
            "verify",
            "points",
            "plan",
            "checkpoints",
            "compare",
        ] {
            run(&[command, id]);
            run(&[command, id, "--json"]);
        }
        run(&["resume", id, "--dry-run"]);
        run(&["replay", id, "--list"]);
        let work_tree = one["work_tree"].as_str().unwrap_or_default();
        if work_tree.ends_with("/labels") {
            let replay = [
                "replay", id, "--mutate", &mutation, "--repeat", "2", "--runner", "stub",
            ];
            run(&[&replay[..], &["--dry-run"]].concat());
            run(&replay);
            run(&["compare", id]);
            run(&["compare", id, "--json"]);
            run(&["compare", id, "--format", "markdown"]);
            run(&["replay", id, "--list"]);
            run(&[&replay[..], &["--diff"]].concat());
        }
    }
    assert!(unnamed.is_empty(), "{}", unnamed.join("\n"));
}

/// A search never enters a sandbox that is not named, even one beneath the current directory.
#[test]
fn a_command_about_a_pipeline_of_a_sandbox_beneath_names_its_path() {
    let machine = Machine::new();
    relight::demo::build(&machine.path("work/box"), chrono::Utc::now()).unwrap();
    let path = "box/projects/labels";
    let said = said(&machine.run("work", &["points", path]));
    assert!(
        said.contains(&format!("relight plan {path} POINT")),
        "{said}"
    );
    let (code, plan) = machine.json("work", &["plan", path, "fresh"]);
    assert!(code == 0 || code == 3, "{plan}");
    let (_, list) = machine.json("work", &["list", "--all", "box"]);
    let id = list["pipelines"][0]["id"].as_str().unwrap();
    assert_eq!(
        machine.json("work", &["show", id]).0,
        2,
        "not found by its id alone"
    );
    assert_eq!(machine.json("work", &["show", id, "--root", "box"]).0, 0);
}
