//! Global options stand before the command or after it.

use std::fs;
use std::process::Output;

use super::machine::{Machine, code, said};
use crate::act_systems::part::tried;

/// Finding S3: each of them, before and after, with its value beside it or after `=`.
#[test]
fn s3_global_options_stand_on_either_side_of_the_command() {
    let machine = Machine::new();
    let id = machine.id("work/lab");
    let science = machine.path("work/science");
    let config = machine.path("home/config.toml");
    fs::write(
        &config,
        format!("roots = [\"{}/work/lab\"]\n", machine.text()),
    )
    .unwrap();
    let (science, config) = (science.to_str().unwrap(), config.to_str().unwrap());
    let equal = format!("--root={science}");
    let globals: [&[&str]; 12] = [
        &["--json"],
        &["--color", "always"],
        &["--color=never"],
        &["--system", "superscientist"],
        &["--scope", "machine"],
        &["--root", science],
        &[&equal],
        &["--config", config],
        &["--quiet"],
        &["--read-only"],
        &["-q"],
        &["--json", "--root", science, "--scope=machine", "-q"],
    ];
    let commands: [&[&str]; 5] = [
        &["list"],
        &["list", "--all", "."],
        &["show", &id],
        &["plan", &id, "round-2-mid"],
        &["history"],
    ];
    for (row, global) in globals.into_iter().enumerate() {
        for command in tried(commands.to_vec(), row, 3) {
            let before = machine.run("work/lab", &[global, command].concat());
            let after = machine.run("work/lab", &[command, global].concat());
            // What is offered to be typed next repeats the words in their order.
            let answer = |output: &Output| -> Vec<String> {
                let lines = said(output);
                let lines = lines
                    .lines()
                    .filter(|line| !line.contains("relight resume"));
                lines.map(str::to_owned).collect()
            };
            assert_eq!(
                (code(&before), answer(&before)),
                (code(&after), answer(&after)),
                "{global:?} {command:?}"
            );
            assert!(code(&after) < 3, "{global:?} {command:?}: {}", said(&after));
        }
    }
}

/// Finding S3: what is given on both sides counts on both; a switch twice is the switch.
#[test]
fn s3_options_on_both_sides_add_up() {
    let machine = Machine::new();
    let (lab, science) = (machine.path("work/lab"), machine.path("work/science"));
    let (lab, science) = (lab.to_str().unwrap(), science.to_str().unwrap());
    let args = ["--root", lab, "--json", "list", "--json", "--root", science];
    let output = machine.run("work/empty", &args);
    assert_eq!(code(&output), 0, "{}", said(&output));
    let text = said(&output);
    assert!(
        text.contains("tokenizer-speed") && text.contains("polymer-ring"),
        "{text}"
    );
    // The later of two values is the one that counts, as everywhere.
    let output = machine.run(
        "work",
        &["--system", "mgw", "list", "--system", "superscientist"],
    );
    assert!(said(&output).contains("polymer-ring"), "{}", said(&output));
}

/// Finding S3: options that may be repeated take one value each, so the words after them are not swallowed.
#[test]
fn s3_a_repeated_option_swallows_no_word() {
    let machine = Machine::new();
    let id = machine.id("work/lab");
    let (lab, science) = (machine.path("work/lab"), machine.path("work/science"));
    let (lab, science) = (lab.to_str().unwrap(), science.to_str().unwrap());
    let args = [
        "plan",
        "--root",
        lab,
        "--root",
        science,
        &id,
        "round-2-mid",
        "--json",
    ];
    let output = machine.run("work/empty", &args);
    assert!(code(&output) < 2, "{}", said(&output));
    assert!(
        said(&output).contains(r#""id":"round-2-mid""#),
        "{}",
        said(&output)
    );
    let output = machine.run("work/empty", &["list", "--root", lab, science]);
    let text = said(&output);
    assert!(
        text.contains("tokenizer-speed") && text.contains("polymer-ring"),
        "{text}"
    );
}

/// Finding S3: help and version are reached with options before them, and nothing opens by mistake.
#[test]
fn s3_options_alone_and_options_before_help() {
    let machine = Machine::new();
    let output = machine.run("work", &["--json"]);
    assert_eq!(code(&output), 0);
    assert!(said(&output).starts_with(r#"{"schema":1,"pipelines""#));
    for args in [&["--json", "help", "list"][..], &["-q", "list", "--help"]] {
        let output = machine.run("work", args);
        assert_eq!(code(&output), 0, "{args:?}");
        assert!(said(&output).contains("relight list"), "{}", said(&output));
    }
    for args in [&["--root", "list"][..], &["--json", "--root", "list"]] {
        let output = machine.run("work", args);
        assert_eq!(code(&output), 2, "{args:?}: {}", said(&output));
    }
}

/// What writes or starts something is refused, by the option and by the configuration; what only looks is not.
#[test]
fn read_only_refuses_what_acts() {
    let machine = Machine::new();
    let id = machine.id("work/lab");
    let config = machine.path("home/config.toml");
    fs::write(&config, "read_only = true\n").unwrap();
    let config = config.to_str().unwrap();
    let before = machine.json("work", &["plan", &id]).1;
    let acting: [&[&str]; 7] = [
        &["resume", &id, "--yes"],
        &["rehearse", &id],
        &["undo", "--yes"],
        &["purge", "--yes", "20261122T101500-ab12"],
        &["record", &id, "round.started", "--round", "9"],
        &["checkpoint", &id, "--reason", "by hand"],
        &["demo", "made"],
    ];
    for command in acting {
        for option in [&["--read-only"][..], &["--config", config]] {
            let output = machine.run("work", &[command, option].concat());
            let said = said(&output);
            assert_eq!(code(&output), 3, "{command:?}: {said}");
            assert!(said.contains("read-only"), "{command:?}: {said}");
        }
    }
    let looking: [&[&str]; 3] = [&["list"], &["resume", &id, "--dry-run"], &["history"]];
    for command in looking {
        let output = machine.run("work", &[command, &["--read-only"]].concat());
        assert_eq!(code(&output), 0, "{command:?}: {}", said(&output));
    }
    assert_eq!(
        machine.json("work", &["plan", &id]).1["fingerprint"],
        before["fingerprint"]
    );
}

#[test]
fn an_option_of_another_command_is_named_with_it() {
    let machine = Machine::new();
    for (args, expected) in [
        (&["--plain", "list"][..], "list has no option --plain."),
        (&["list", "--plain"], "relight without a command"),
        (&["show", "x", "--exact"], "--exact is an option of plan, "),
    ] {
        let output = machine.run("work", args);
        assert_eq!(code(&output), 2, "{}", said(&output));
        assert!(said(&output).contains(expected), "{}", said(&output));
    }
    let output = machine.run("work", &["list", "--nonsense"]);
    assert!(
        said(&output).contains("unexpected argument '--nonsense'"),
        "{}",
        said(&output)
    );
}
