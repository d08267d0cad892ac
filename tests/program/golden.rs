//! Golden files of what people script against: help, the manual, and the keys and types of every command's JSON.

use std::path::Path;
use std::process::Command;

use serde_json::{Map, Value};

use crate::act_systems::part::tried;

fn relight(dir: &Path, args: &[&str]) -> String {
    relight_at(dir, args, "100")
}

fn relight_at(dir: &Path, args: &[&str], columns: &str) -> String {
    let output = Command::new(assert_cmd::cargo::cargo_bin!("relight"))
        .args(args)
        .current_dir(dir)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", "/nonexistent")
        .env("TMPDIR", "/nonexistent/tmp")
        .env("XDG_STATE_HOME", dir.join("state"))
        .env("TZ", "UTC")
        .env("COLUMNS", columns)
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn help_says_what_every_command_does() {
    let nowhere = crate::support::temporary::directory();
    // As the help names them, so that no command is forgotten here.
    let help = relight(nowhere.path(), &["--help"]);
    let (_, commands) = help.split_once("Commands:\n").unwrap();
    let names = commands.lines().take_while(|line| !line.is_empty());
    let names = names.filter_map(|line| {
        line.strip_prefix("  ")
            .filter(|line| !line.starts_with(' '))
    });
    let names = names.filter_map(|line| line.split_whitespace().next());
    let names: Vec<&str> = names.filter(|name| *name != "help").collect();
    assert!(
        names.contains(&"list") && names.contains(&"why"),
        "{names:?}"
    );
    for command in [""].into_iter().chain(names) {
        let args: Vec<&str> = [command, "--help"]
            .into_iter()
            .filter(|a| !a.is_empty())
            .collect();
        let name = if command.is_empty() {
            "relight"
        } else {
            command
        };
        insta::assert_snapshot!(format!("help-{name}"), relight(nowhere.path(), &args));
    }
}

#[test]
fn the_manual_and_the_completions_are_written() {
    let nowhere = crate::support::temporary::directory();
    assert!(relight(nowhere.path(), &["man"]).contains(".SH SUBCOMMANDS"));
    // One object, as for every command.
    for (args, name) in [
        (&["man"][..], "page"),
        (&["man", "list"], "page"),
        (&["completions", "bash"], "script"),
    ] {
        let text = relight(nowhere.path(), &[args, &["--json"]].concat());
        let object: Value = serde_json::from_str(&text).unwrap();
        let plain = relight(nowhere.path(), args);
        assert_eq!(object, serde_json::json!({"schema": 1, name: plain}));
    }
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(
            relight(nowhere.path(), &["completions", shell]).contains("RELIGHT_COMPLETE"),
            "{shell}"
        );
    }
}

#[test]
fn json_keeps_its_shape() {
    let dir = crate::support::temporary::directory();
    let root = dir.path().join("demo");
    relight::demo::build(&root, chrono::Utc::now()).unwrap();
    let ask = |args: &[&str]| -> Value { serde_json::from_str(&relight(&root, args)).unwrap() };
    replays_keep_their_shape(&ask);
    for (name, args) in [
        ("list", &["list", "--all", "--json"][..]),
        ("doctor", &["doctor", "--json"]),
        ("show", &["show", "tokenizer-speed", "--json"]),
        ("timeline", &["timeline", "tokenizer-speed", "--json"]),
        ("verify", &["verify", "tokenizer-speed", "--json"]),
        ("points", &["points", "tokenizer-speed", "--json"]),
        ("plan", &["plan", "tokenizer-speed", "--json"]),
        ("why", &["why", "tokenizer-speed", "--json"]),
        ("checkpoints", &["checkpoints", "price-alerts", "--json"]),
        ("error", &["show", "no-such", "--json"]),
        ("resume-nothing", &["resume", "mgw-57", "--json"]),
        ("resume-finished", &["resume", "mgw-40", "--json"]),
        (
            "resume",
            &[
                "resume",
                "tokenizer-speed",
                "round-2-mid",
                "--yes",
                "--json",
            ],
        ),
        ("undo", &["undo", "--yes", "--json"]),
        ("redo", &["redo", "--yes", "--json"]),
        ("history", &["history", "--json"]),
        ("undo-nothing", &["undo", "no-such", "--json"]),
        ("recover-nothing", &["recover", "--json"]),
        (
            "rehearse",
            &[
                "rehearse",
                "mgw-57",
                "step-plan",
                "--json",
                "--check",
                "--",
                "true",
            ],
        ),
    ] {
        // It has the path of the git program.
        if name == "doctor" && !crate::judge::git_is_there() {
            continue;
        }
        let shape = shape(&ask(args));
        insta::assert_snapshot!(
            format!("json-{name}"),
            serde_json::to_string_pretty(&shape).unwrap()
        );
    }
}

/// A replay of the run that is made for it: its template swapped, so that the report is asked of it, too.
const REPLAY: [&str; 4] = [
    "replay",
    "projects/labels",
    "--mutate",
    "red-team-prompt.md=projects/labels-experiment/red-team-v2.md",
];

fn replays_keep_their_shape(ask: &dyn Fn(&[&str]) -> Value) {
    let replay = |more: &[&'static str]| [&REPLAY[..], more].concat();
    let labels = ["compare", "projects/labels", "--json"];
    for (name, args) in [
        ("compare-nothing", vec!["compare", "mgw-57", "--json"]),
        ("replay-dry-run", replay(&["--dry-run", "--json"])),
        ("replay", replay(&["--repeat", "3", "--diff", "--json"])),
        (
            "replay-list",
            vec!["replay", "projects/labels", "--list", "--json"],
        ),
        ("compare", labels.to_vec()),
        ("compare-list", [&labels[..], &["--list"]].concat()),
        ("replay-handed-over", replay(&["--no-runner", "--json"])),
    ] {
        let shape = shape(&ask(&args));
        insta::assert_snapshot!(
            format!("json-{name}"),
            serde_json::to_string_pretty(&shape).unwrap()
        );
    }
}

/// What a person reads fits eighty cells, but for what is copied: commands, paths, briefings.
#[test]
fn what_a_person_reads() {
    let dir = crate::support::temporary::directory();
    // Of one length everywhere, because lines are broken where they are full.
    let length = dir.path().as_os_str().len();
    let root = dir.path().join("x".repeat(60_usize.saturating_sub(length)));
    // By the program itself: times without a zone are those of its own, which need not be the zone of the test.
    let made = ["demo", "--no-console", root.to_str().unwrap()];
    assert!(!relight(dir.path(), &made).is_empty());
    let root = std::fs::canonicalize(root).unwrap();
    let mut settings = insta::Settings::clone_current();
    settings.add_filter(&regex_free(root.to_str().unwrap()), "/demo");
    let slug = root
        .to_str()
        .unwrap()
        .replace(|c: char| !c.is_ascii_alphanumeric(), "-");
    settings.add_filter(&regex_free(&slug), "-demo");
    for (pattern, instead) in [
        (r"[0-9]{8}T[0-9]{9}-[0-9a-f]{4}", "RECOVERY"),
        (
            r"[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}",
            "DATE TIME",
        ),
        (r" +[0-9]+ (s|min|h|d) ago", " AGO"),
        // An age turns while the test runs.
        (r"(?m) +[0-9]+ (s|min|h|d)$", " AGE"),
        (r"~[0-9a-f]{1,4}", "~HASH"),
        // Whether there is bubblewrap is up to the machine.
        (r"(Sandbox:\*\*|sandbox +) ?(bwrap|none): .*", "$1 SANDBOX"),
        (r";\s+[0-9.]+\s+[GMK]iB\s+are\s+free", "; SPACE are free"),
        // The fingerprint follows times and identities of files.
        (r"-[0-9a-f]{12}\.md", "-PLAN.md"),
        (r"[0-9-]{10}T[0-9:]{8}Z", "TIME"),
        (r"[0-9-]{10}T[0-9:]{8}\+00:00", "TIME"),
        (r"crucible-[0-9]{10}", "crucible-SESSION"),
        (r"Session: [0-9]{10}", "Session: SESSION"),
        (r"\b[0-9]{10}\b", "REPLAYED"),
        (r"\b[0-9a-f]{40}\b", "OBJECT"),
        (r"build [0-9]+", "build SESSION"),
        (r"\b[0-9a-f]{64}\b", "FINGERPRINT"),
        (r"\b[0-9a-f]{16}\b", "PROJECT"),
        (r"\b[0-9a-f]{8}\b", "COMMIT"),
        (r"about [0-9]{4}-[0-9]{2}-[0-9]{2}", "about DATE"),
        // The end of what was cut, which tells apart what begins alike.
        (r"…[0-9a-f]{4}\b", "…CUT"),
    ] {
        settings.add_filter(pattern, instead);
    }
    let _bound = settings.bind_to_scope();
    let list: Value = serde_json::from_str(&relight(&root, &["list", "--json"])).unwrap();
    let limited = list["pipelines"].as_array().unwrap().iter();
    let mut limited = limited.filter(|one| one["cause"]["kind"] == "usage_limit");
    let limited =
        limited.find_map(|one| one["id"].as_str().filter(|id| id.starts_with("crucible")));
    let limited = limited.unwrap();
    for (name, args) in [
        ("list", &["list", "--all"][..]),
        ("plan", &["plan", "tokenizer-speed", "round-2-mid"]),
        // The hand-off warns of the limit below its command.
        ("resume-limit", &["resume", limited, "disk"]),
        ("why", &["why", "tokenizer-speed"]),
        ("points", &["points", "nine-step-price-alerts"]),
        (
            "resume",
            &["resume", "tokenizer-speed", "round-2-mid", "--yes"],
        ),
        ("undo", &["undo", "--yes"]),
        ("history", &["history"]),
        ("redo-plan", &["redo", "--dry-run"]),
        ("redo", &["redo", "--yes"]),
        ("resume-nothing", &["resume", "mgw-57"]),
        (
            "replay-dry-run",
            &[&REPLAY[..], &["--dry-run", "--", "/bin/echo", "PASS"]].concat(),
        ),
        ("replay", &[&REPLAY[..], &["--no-runner"]].concat()),
        ("compare-list", &["compare", "projects/labels", "--list"]),
        ("compare", &["compare", "projects/labels"]),
    ] {
        let text = relight_at(&root, args, "80");
        insta::assert_snapshot!(format!("human-{name}"), text);
        let copied = |line: &&str| {
            let copied = ["claude", "/xxx", "relight compare ", "relight replay "];
            copied.iter().any(|word| line.contains(word))
        };
        let read = text.split("Briefing").next().unwrap();
        for line in read.lines().filter(|line| !copied(line)) {
            let cells = unicode_width::UnicodeWidthStr::width(line);
            assert!(
                cells <= 80 || line.starts_with("  Resume "),
                "{name}: {line}"
            );
        }
    }
}

/// What is read, but for what is copied: paths and commands, which stay whole.
#[test]
fn what_only_reads_fits_eighty_cells() {
    let dir = crate::support::temporary::directory();
    let root = dir.path().join("demo");
    relight::demo::build(&root, chrono::Utc::now()).unwrap();
    let list: Value = serde_json::from_str(&relight(&root, &["list", "--all", "--json"])).unwrap();
    for (nth, pipeline) in list["pipelines"].as_array().unwrap().iter().enumerate() {
        let id = pipeline["id"].as_str().unwrap();
        let commands = ["show", "timeline", "verify", "points", "checkpoints"];
        for command in tried(commands.to_vec(), nth, 2) {
            let text = relight_at(&root, &[command, id], "80");
            for line in text.lines() {
                let cells = unicode_width::UnicodeWidthStr::width(line);
                // A path is one word, and a word is never broken.
                let word = line
                    .split_whitespace()
                    .any(|word| word.contains('/') && word.len() > 40);
                assert!(cells <= 80 || word, "{command} {id}: {line}");
            }
        }
    }
}

/// A pattern that means this text and nothing else.
fn regex_free(text: &str) -> String {
    let special = |c: char| !c.is_alphanumeric() && c != '/';
    text.chars()
        .map(|c| {
            if special(c) {
                format!("\\{c}")
            } else {
                c.to_string()
            }
        })
        .collect()
}

/// A value with every scalar replaced by its type; the elements of a list merged into one.
fn shape(value: &Value) -> Value {
    match value {
        Value::Null => Value::from("null"),
        Value::Bool(_) => Value::from("bool"),
        Value::Number(_) => Value::from("number"),
        Value::String(_) => Value::from("string"),
        Value::Array(all) => {
            let merged = all.iter().map(shape).reduce(merge);
            Value::Array(merged.into_iter().collect())
        }
        Value::Object(map) => Value::Object(
            map.iter()
                .map(|(key, value)| {
                    // Whether there is bubblewrap is up to the machine.
                    let by_machine = key == "why_no_sandbox";
                    let shape = if by_machine {
                        "null|string".into()
                    } else {
                        shape(value)
                    };
                    (key.clone(), shape)
                })
                .collect(),
        ),
    }
}

/// What two elements have: keys of either, `a|b` where their types differ.
fn merge(a: Value, b: Value) -> Value {
    match (a, b) {
        (Value::Object(a), Value::Object(b)) => {
            let mut both = Map::new();
            for (key, value) in a
                .iter()
                .chain(b.iter().filter(|(key, _)| !a.contains_key(*key)))
            {
                let other = b.get(key).filter(|_| a.contains_key(key));
                both.insert(
                    key.clone(),
                    other.map_or_else(|| value.clone(), |o| merge(value.clone(), o.clone())),
                );
            }
            Value::Object(both)
        }
        (Value::Array(a), Value::Array(b)) => {
            Value::Array(a.into_iter().chain(b).reduce(merge).into_iter().collect())
        }
        (a, b) if a == b => a,
        (Value::String(a), Value::String(b)) => {
            let mut words: Vec<&str> = a.split('|').chain(b.split('|')).collect();
            words.sort_unstable();
            words.dedup();
            Value::from(words.join("|"))
        }
        // An object or null: the object says more.
        (object @ (Value::Object(_) | Value::Array(_)), _) | (_, object) => object,
    }
}
