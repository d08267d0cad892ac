//! What is said to a word that names nothing, and lists that print whole ids.

use super::machine::{Machine, code, said};

/// Finding S4: a word that is neither a command nor a path, and near a command.
#[test]
fn s4_a_misspelled_command_is_a_usage_error_with_the_one_that_is_meant() {
    let machine = Machine::new();
    let table: [(&[&str], &str); 9] = [
        (&["verfy"], "verify"),
        (&["verfy", "tokenizer", "--json"], "verify"),
        (&["--quiet", "verfy"], "verify"),
        (&["lst"], "list"),
        (&["chekpoints", "x"], "checkpoints"),
        (&["resum", "x", "--from-phase", "2"], "resume"),
        (&["hsitory"], "history"),
        (&["--json", "ponits"], "points"),
        (&["man", "verfy"], "verify"),
    ];
    for (args, meant) in table {
        let output = machine.run("work", args);
        let text = said(&output);
        assert_eq!(code(&output), 2, "{args:?}: {text}");
        assert!(
            text.contains(&format!("Did you mean {meant}")),
            "{args:?}: {text}"
        );
    }
    // A path may be called like anything.
    std::fs::create_dir(machine.path("work/verfy")).unwrap();
    assert_eq!(code(&machine.run("work", &["verfy"])), 0);
    // A command after a path is one that stands in the wrong place.
    let output = machine.run("work", &["lab", "list"]);
    assert_eq!(code(&output), 2);
    assert!(said(&output).contains("relight list"), "{}", said(&output));
}

/// Finding S4: the same for what names a system, a pipeline, a point, a checkpoint.
#[test]
fn s4_a_misspelled_value_is_answered_with_those_that_are_near() {
    let machine = Machine::new();
    let id = machine.id("work/lab");
    let (_, points) = machine.json("work", &["points", &id]);
    assert!(points.to_string().contains("round-2-mid"));
    let (_, all) = machine.json("work", &["checkpoints", &id]);
    let checkpoint = all["checkpoints"][0]["id"].as_str().unwrap();
    let mut near = checkpoint.to_owned();
    near.pop();
    near.push('#');
    let almost = id.replacen("tokenizer", "tokeniser", 1);
    let hex = format!("{}ffff", id.split_once('~').unwrap().0.to_owned() + "~");
    let table: [(&[&str], &str); 7] = [
        (&["list", "--system", "crucibel"], "crucible"),
        (&["list", "--system", "ninestep"], "nine-step"),
        (&["show", "tokeniser-speed"], &id),
        (&["show", &almost], &id),
        (&["show", &hex], &id),
        (&["plan", &id, "round-2-mdi"], "round-2-mid"),
        (
            &["restore", &id, "--checkpoint", &near, "--dry-run"],
            checkpoint,
        ),
    ];
    for (args, meant) in table {
        let output = machine.run("work", args);
        let text = said(&output);
        assert_eq!(code(&output), 2, "{args:?}: {text}");
        assert!(
            text.contains(&format!("Did you mean {meant}")),
            "{args:?}: {text}"
        );
    }
    let (_, error) = machine.json("work", &["list", "--scope", "machin"]);
    assert!(
        error["error"]["hints"].to_string().contains("machine"),
        "{error}"
    );
}

/// Finding S5: an id is never cut, at any width, and each that is printed finds its pipeline.
#[test]
fn s5_a_list_never_cuts_an_id() {
    let machine = Machine::new();
    machine.copy(
        "work/lab/tokenizer-speed",
        "work/lab/a-conference-with-a-name-that-is-longer-than-most-of-them-are",
    );
    let ids = machine.ids("work", &[]);
    assert_eq!(ids.len(), 3);
    for width in ["20", "40", "60", "80", "100", "120", "200"] {
        let mut command = machine.command("work");
        let output = command
            .args(["list", "--all"])
            .env("COLUMNS", width)
            .output()
            .unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let printed: Vec<&str> = text
            .split_whitespace()
            .filter(|word| word.contains('~'))
            .collect();
        for id in &ids {
            assert!(printed.contains(&id.as_str()), "{width}: {id} in\n{text}");
        }
        let longest = ids.iter().map(String::len).max().unwrap();
        for line in text.lines() {
            let cells = unicode_width::UnicodeWidthStr::width(line);
            let room = width.parse::<usize>().unwrap().max(longest + 40);
            assert!(cells <= room, "{width}: {line}");
        }
    }
    for id in &ids {
        assert_eq!(code(&machine.run("work", &["show", id])), 0);
    }
}

/// `list --filter` leaves what `/` in the console leaves.
#[test]
fn a_list_is_filtered_by_words() {
    let machine = Machine::new();
    let filtered = |text: &str| machine.ids("work", &["--filter", text]).len();
    assert_eq!(filtered(""), 2);
    assert_eq!(filtered("tokenizer"), 1);
    assert_eq!(filtered("!tokenizer"), 1);
    assert_eq!(filtered("polymer tokenizer"), 0);
    let text = said(&machine.run("work", &["list", "--filter", "tokenizer"]));
    assert!(text.contains("1 of 2 pipelines"), "{text}");
}

/// `list --brief` says one line a pipeline, and `--fail` whether one waits for a person.
#[test]
fn a_brief_list_is_one_line_a_pipeline() {
    let machine = Machine::new();
    let output = machine.run("work", &["list", "--brief", "--fail"]);
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    assert_eq!((code(&output), text.lines().count()), (0, 2), "{text}");
    for id in machine.ids("work", &[]) {
        assert!(
            text.lines().any(|line| line.starts_with(&id)),
            "{id} in {text}"
        );
    }
    std::fs::write(machine.path("work/science/polymer-ring/PAUSE"), "").unwrap();
    let output = machine.run("work", &["list", "--brief", "--fail"]);
    assert_eq!(code(&output), 1, "{}", said(&output));
    assert_eq!(code(&machine.run("work", &["list", "--brief"])), 0);
    let output = machine.run("work/empty", &["list", "--brief", "--fail"]);
    assert_eq!((code(&output), said(&output).as_str()), (0, ""));
}
