//! Every command with an operand or option that does not fit: the exit code, one whole object, and what to do next.

use std::process::Command;

use assert_cmd::cargo::cargo_bin;
use serde_json::Value;

use crate::act_systems::part::tried;
use crate::cli_acting::sandbox::Sandbox;

/// What a command needs beside its pipeline; `None` for one that takes none.
fn more(command: &str) -> Option<&'static [&'static str]> {
    Some(match command {
        "restore" => &["--checkpoint", "abc"],
        "checkpoint" => &["--reason", "safe"],
        "amend" => &["--type", "stage_skip", "--stage", "2", "--reason", "why"],
        "record" => &["log", "text"],
        "export" => &["out"],
        "show" | "why" | "timeline" | "verify" | "points" | "plan" | "resume" | "checkpoints"
        | "rehearse" | "compare" | "wait" | "replay" => &[],
        _ => return None,
    })
}

/// Commands that have no pipeline, and an operand or option that is wrong for them.
const OTHERS: [&[&str]; 15] = [
    &["list", "nowhere/at-all"],
    &["list", "--view", "none"],
    &["history", "no-such"],
    &["undo", "no-such"],
    &["redo", "no-such"],
    &["recover", "no-such"],
    &["purge", "no-such"],
    &["hooks", "no-such"],
    &["doctor", "--scope", "no-such"],
    &["demo", "projects", "--no-console"],
    &["completions", "no-such"],
    &["man", "no-such"],
    &["help", "no-such"],
    &[
        "amend",
        "superscientist-polymer",
        "--type",
        "stage_insert",
        "--from",
        "nowhere/at-all",
        "--reason",
        "why",
        "--approved-by",
        "Ada",
    ],
    &["nowhere/at-all"],
];

/// The exit code of each kind of error that a wrong command line can be.
const KINDS: [(&str, i32); 4] = [
    ("usage", 2),
    ("not_found", 2),
    ("ambiguous", 2),
    ("unreadable", 5),
];

#[test]
fn every_command_refuses_what_is_wrong_with_one_object_a_code_and_a_hint() {
    let command = relight::cli::command();
    let sandbox = Sandbox::new();
    let names = command.get_subcommands().map(clap::Command::get_name);
    let names: Vec<&str> = names.filter(|name| *name != "stub-runner").collect();
    let of_others = |name: &&str| OTHERS.iter().any(|args| args[0] == *name);
    let missed = |name: &&str| more(name).is_none() && !of_others(name);
    assert_eq!(names.iter().find(|name| missed(name)), None, "add it here");

    let wrong = [
        "no-such",
        "",
        "nowhere/at-all",
        "projects/lab/../shop/README.md",
        "mgw",
    ];
    let of_pipelines = names.iter().filter_map(|name| Some((name, more(name)?)));
    // Each command with some of them, and each of them with some commands.
    let of_pipelines = of_pipelines.enumerate().flat_map(|(nth, (name, more))| {
        let wrong = tried(wrong.to_vec(), nth, 3);
        wrong.map(move |wrong| [&[*name, wrong], more].concat())
    });
    let others = OTHERS.iter().map(|args| args.to_vec());
    for args in of_pipelines.chain(others) {
        let (code, answer) = sandbox.json(&args);
        let error = &answer["error"];
        let kind = error["kind"].as_str().unwrap_or_default();
        assert!(KINDS.contains(&(kind, code)), "{args:?}: {code} {answer}");
        let text = error["text"].as_str().unwrap_or_default();
        assert!(!text.is_empty() && !text.contains("at-all/"), "{answer}");
        assert_ne!(error["hints"], Value::Array(vec![]), "{args:?}: {answer}");
        assert!(error["guards"].is_array(), "{args:?}: {answer}");

        let said = sandbox.run(&args);
        assert_eq!(said.status.code(), Some(code), "{args:?}");
        assert_eq!(String::from_utf8_lossy(&said.stdout), "", "{args:?}");
        assert!(said.stderr.starts_with(b"error: "), "{args:?}");
    }
}

/// A shell may stand in a directory that was deleted. What is named from the root needs none.
#[test]
fn from_a_directory_that_is_gone_absolute_paths_work() {
    let sandbox = Sandbox::new();
    let root = sandbox.root();
    let path = |rel: &str| root.join(rel).to_str().unwrap().to_owned();
    let lab = path("projects/lab/tokenizer-speed");
    for (args, wanted) in [
        (&["demo", "--no-console", &path("another")][..], 0),
        (&["list", &path("projects")], 0),
        (&["plan", &lab], 0),
        (&["show", &lab], 0),
        (&["list", &lab, "relative"], 2),
        (&["list"], 2),
        (&["demo", "--no-console", "relative"], 2),
    ] {
        let gone = "mkdir gone; cd gone; rmdir ../gone; exec \"$0\" \"$@\"";
        let mut shell = Command::new("/bin/sh");
        shell
            .args(["-c", gone])
            .arg(cargo_bin!("relight"))
            .args(args);
        shell
            .current_dir(&root)
            .env("HOME", "/nonexistent")
            .env("TMPDIR", "/nonexistent/tmp");
        let output = shell.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(wanted), "{args:?}: {said}");
    }
}

#[test]
fn a_configuration_directory_that_is_no_directory_holds_none() {
    let sandbox = Sandbox::new();
    let output = sandbox.run_with(&[("XDG_CONFIG_HOME", "/dev/null")], &["list"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
}

/// An error names what is in the way, not the directory above it or below it.
#[test]
fn a_file_in_place_of_a_state_directory_is_named() {
    for (file, args) in [
        ("", &["history"][..]),
        ("state/relight/replays", &["compare", "projects/labels"]),
        ("state/relight/replays/ID", &["compare", "projects/labels"]),
    ] {
        let sandbox = Sandbox::new();
        let (_, shown) = sandbox.json(&["show", "projects/labels"]);
        let id = shown["pipeline"]["id"].as_str().unwrap();
        let local = sandbox.root().join("home/.local");
        let at = local.join(file.replace("ID", id));
        std::fs::remove_dir_all(&local).unwrap();
        std::fs::create_dir_all(at.parent().unwrap()).unwrap();
        let at: std::path::PathBuf = at.components().collect();
        std::fs::write(&at, "").unwrap();
        let (code, said) = sandbox.json(args);
        let at = at.to_str().unwrap();
        assert_eq!(code, 5, "{file}: {said}");
        let (text, hint) = (&said["error"]["text"], &said["error"]["hints"][0]);
        let text = text.as_str().unwrap();
        assert!(
            text.starts_with(&format!("{at} cannot be read: ")),
            "{said}"
        );
        assert_eq!(*hint, format!("Move {at} away."), "{said}");
    }
}

/// What a command prints to be typed next must find the pipeline from where it was printed.
#[test]
fn a_printed_command_finds_a_pipeline_that_was_named_elsewhere() {
    let sandbox = Sandbox::new();
    let elsewhere = crate::support::temporary::directory();
    let run = |args: &[&str]| {
        let mut command = sandbox.command(elsewhere.path(), args);
        let output = command.env("COLUMNS", "1000").output().unwrap();
        let text = [output.stdout, output.stderr].concat();
        (output.status.code(), String::from_utf8(text).unwrap())
    };
    let root = sandbox.root();
    let path = |rel: &str| root.join(rel).to_str().unwrap().to_owned();
    let (lab, mgw) = (
        path("projects/lab/tokenizer-speed"),
        path("projects/notes/.mgw/active"),
    );
    let polymer = path("projects/science/polymer-ring");
    let damaged = format!("{mgw}/64-export-as-pdf.json");
    let finished = path("projects/lab/hydrate-yield");
    let root = path("projects");
    let cases: [(&[&str], usize); 13] = [
        (&["points", &lab], 2),
        (&["why", &polymer], 1),
        (&["why", &polymer, "--json"], 1),
        (&["why", "polymer-ring", "--root", &root, "--json"], 1),
        (&["verify", &damaged, "--json"], 1),
        (&["list", &root, "--json"], 1),
        (&["points", "tokenizer-speed", "--root", &root], 2),
        (&["plan", &lab, "nowhere"], 1),
        (&["restore", &lab, "--checkpoint", "nowhere"], 1),
        (&["replay", &lab], 1),
        (&["verify", &damaged], 1),
        (&["compare", &damaged], 1),
        (&["plan", &finished, "nowhere"], 1),
    ];
    for (args, least) in cases {
        let (_, text) = run(args);
        let printed = text.split("relight ").skip(1);
        let printed = printed.map(|rest| rest.split(['\n', '"']).next().unwrap_or_default());
        let mut found = 0;
        for line in printed {
            let words = line.split(' ').take_while(|word| {
                !["POINT", "describes", "lists", "shows", "says"].contains(word)
            });
            let words: Vec<&str> = words
                .map(|word| word.trim_end_matches(['.', ':']))
                .collect();
            if !words.iter().any(|word| word.contains(['~', '/'])) {
                continue;
            }
            let (code, said) = run(&words);
            assert!(
                !said.contains("There is no pipeline"),
                "{args:?}: {line}: {said}"
            );
            assert_ne!(code, Some(2), "{args:?}: {line}: {said}");
            found += 1;
        }
        assert!(found >= least, "{args:?}: {text}");
    }
}

/// As of `undo` and `compare`: the object of the command says that there was nothing to do.
#[test]
fn a_replay_with_nothing_to_continue_keeps_its_own_object() {
    let sandbox = Sandbox::new();
    let args = ["replay", "projects/labels", "--continue"];
    let (code, said) = sandbox.json(&args);
    assert_eq!(
        (code, &said["error"]["kind"]),
        (1, &"nothing_to_do".into()),
        "{said}"
    );
    assert_eq!(said["sessions"], Value::Array(vec![]), "{said}");
    let output = sandbox.run(&args);
    assert!(output.stderr.is_empty());
    assert!(
        output
            .stdout
            .starts_with(b"No replay of this pipeline was interrupted")
    );
}
