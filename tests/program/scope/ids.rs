//! An id that any command printed works in every other.

use std::fs;

use super::machine::{Machine, code, said};

/// Commands that read and take a pipeline.
const READING: [&str; 6] = [
    "show",
    "timeline",
    "verify",
    "points",
    "plan",
    "checkpoints",
];

/// Finding S2: what `list DIR` printed is found beneath the configured roots, wherever one stands.
#[test]
fn s2_an_id_is_found_on_the_machine_from_inside_another_repository() {
    if !crate::judge::git_is_there() {
        return;
    }
    let machine = Machine::new();
    machine.repository("repo");
    let id = machine.id("work/lab");
    let config = machine.path("home/config.toml");
    fs::write(&config, format!("roots = [\"{}/work\"]\n", machine.text())).unwrap();
    let config = config.to_str().unwrap();
    for command in READING {
        for scope in [&[][..], &["--scope", "here"], &["--scope", "repository"]] {
            let args = [&[command, &id, "--config", config], scope].concat();
            let output = machine.run("repo", &args);
            assert_ne!(code(&output), 2, "{args:?}: {}", said(&output));
        }
    }
    // So is every unambiguous beginning of it, or of its native key.
    let name = id.split_once('~').unwrap().0;
    for word in [
        name,
        &format!("{name}~"),
        "autoconf",
        "tokenizer-speed",
        "tokenizer",
        "t",
    ] {
        let (code, shown) = machine.json("repo", &["show", word, "--config", config]);
        assert_eq!(
            (code, shown["pipeline"]["id"].as_str()),
            (0, Some(&*id)),
            "{word}: {shown}"
        );
    }
}

/// Finding S2: the roots of the recoveries that relight keeps come last.
#[test]
fn s2_an_id_is_found_at_the_root_of_a_recovery() {
    if !crate::judge::git_is_there() {
        return;
    }
    let machine = Machine::new();
    machine.repository("repo");
    let id = machine.id("work/lab");
    let other = machine.id("work/science");
    let before = machine.run("repo", &["show", &id]);
    assert_eq!(code(&before), 2, "{}", said(&before));
    assert!(said(&before).contains("a path"), "{}", said(&before));
    let done = machine.run(
        "work/lab/tokenizer-speed",
        &["resume", &id, "round-2-mid", "--yes", "--assume-stopped"],
    );
    assert_eq!(code(&done), 0, "{}", said(&done));
    for stand in ["repo", "work/empty"] {
        for command in READING {
            let output = machine.run(stand, &[command, &id]);
            assert_ne!(code(&output), 2, "{command} in {stand}: {}", said(&output));
        }
    }
    // Nothing was done about that one, and it lies elsewhere.
    assert_eq!(code(&machine.run("repo", &["show", &other])), 2);
    let (code, undone) = machine.json("repo", &["undo", "--scope", "machine", "--dry-run"]);
    assert_eq!(code, 0, "{undone}");
}

/// Finding S2: two projects may call their pipelines the same; the ids tell them apart, from anywhere.
#[test]
fn s2_the_same_name_in_two_projects_is_told_apart_by_the_id() {
    if !crate::judge::git_is_there() {
        return;
    }
    let machine = Machine::new();
    machine.copy("work/lab", "work/second");
    let (first, second) = (machine.id("work/lab"), machine.id("work/second"));
    assert_ne!(first, second);
    let meant = |dir: &str, word: &str| {
        let (code, shown) = machine.json(dir, &["show", word]);
        assert_eq!(code, 0, "{word} in {dir}: {shown}");
        shown["pipeline"]["id"].as_str().unwrap().to_owned()
    };
    assert_eq!(meant("work/lab", "tokenizer-speed"), first);
    assert_eq!(meant("work/second", "tokenizer-speed"), second);
    machine.repository("repo");
    let root = machine.path("work");
    let elsewhere = ["show", "tokenizer", "--root", root.to_str().unwrap()];
    let (code, both) = machine.json("repo", &elsewhere);
    assert_eq!(
        (code, both["error"]["kind"].as_str()),
        (2, Some("ambiguous"))
    );
    assert_eq!(meant("work", &first), first);
    assert_eq!(meant("work", &second), second);
    let (code, both) = machine.json("work", &["show", "tokenizer-speed"]);
    assert_eq!(
        (code, both["error"]["kind"].as_str()),
        (2, Some("ambiguous"))
    );
    let hints = both["error"]["hints"].to_string();
    assert!(hints.contains(&first) && hints.contains(&second), "{hints}");
}

/// Finding S2: a file of that name that happens to lie here does not hide the pipeline.
#[test]
fn s2_a_file_with_the_name_of_a_pipeline_does_not_hide_it() {
    let machine = Machine::new();
    let id = machine.id("work/lab");
    fs::write(machine.path("work").join(&id), "notes").unwrap();
    fs::create_dir(machine.path("work/polymer-ring")).unwrap();
    assert_eq!(code(&machine.run("work", &["show", &id])), 0);
    assert_eq!(code(&machine.run("work", &["show", "polymer-ring"])), 0);
}

/// Finding S2: `--root` adds a folder to what is looked at, in every command; a sandbox, too.
#[test]
fn s2_a_root_makes_an_id_known() {
    let machine = Machine::new();
    let root = machine.path("work/lab");
    let id = machine.id("work/lab");
    for command in READING {
        let args = ["--root", root.to_str().unwrap(), command, &id];
        let output = machine.run("work/empty", &args);
        assert_ne!(code(&output), 2, "{command}: {}", said(&output));
    }
    let demo = machine.path("demo");
    relight::demo::build(&demo, chrono::Utc::now()).unwrap();
    let demo = demo.to_str().unwrap();
    let (_, list) = machine.json("work/empty", &["list", "--all", demo]);
    for pipeline in list["pipelines"].as_array().unwrap() {
        let id = pipeline["id"].as_str().unwrap();
        let (code, shown) = machine.json("work/empty", &["show", id, "--root", demo]);
        assert_eq!(code, 0, "{shown}");
        assert_eq!(shown["pipeline"]["id"], id);
        assert_eq!(shown["pipeline"]["status"], pipeline["status"], "{id}");
    }
}

/// Reading an id from anywhere writes nothing, not even a memory of it.
#[test]
fn s2_looking_an_id_up_writes_nothing() {
    let machine = Machine::new();
    let id = machine.id("work/lab");
    let before = machine.everything();
    for dir in ["work", "work/lab", "work/empty"] {
        for command in READING {
            drop(machine.run(dir, &[command, &id]));
            drop(machine.run(dir, &[command, "no-such"]));
        }
    }
    assert!(before == machine.everything());
}
