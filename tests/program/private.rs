//! What a person or a model said in a conversation is in no output, on no screen and in no file of relight, unless it
//! is asked for.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

use crate::act_systems::part::{all_is_tried, is_tried};
use crate::terminal::tty::Tty;

const CANARY: &str = "CANARY";

/// The fields that hold what was said, run, printed or titled.
const SAID: [&str; 8] = [
    "content",
    "text",
    "command",
    "question",
    "questions",
    "description",
    "prompt",
    "output",
];

/// The sandbox, with the canary in everything that its conversations say.
fn sandbox() -> (tempfile::TempDir, PathBuf) {
    let dir = crate::support::temporary::directory();
    let root = dir.path().join("demo");
    relight::demo::build(&root, chrono::Utc::now()).unwrap();
    let mut spoiled = 0;
    for project in fs::read_dir(root.join("home/.claude/projects")).unwrap() {
        for file in fs::read_dir(project.unwrap().path()).unwrap() {
            let file = file.unwrap().path();
            if file.extension().is_some_and(|ending| ending == "jsonl") {
                spoil(&file);
                spoiled += 1;
            }
        }
    }
    assert!(spoiled >= 5, "{spoiled} conversations");
    (dir, root)
}

fn spoil(file: &Path) {
    let modified = fs::metadata(file).unwrap().modified().unwrap();
    let text = fs::read_to_string(file).unwrap();
    let mut lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    for line in &mut lines {
        mark(line, false);
    }
    let titles = [
        json!({"type": "ai-title", "aiTitle": CANARY}),
        json!({"type": "custom-title", "customTitle": CANARY}),
        json!({"type": "last-prompt", "lastPrompt": CANARY}),
        json!({"type": "queue-operation", "operation": "enqueue", "content": CANARY}),
        json!({"type": "attachment", "attachment": {"type": "session_context", "email": CANARY}}),
        json!({"type": "bridge-session", "organizationUuid": CANARY}),
    ];
    let lines: Vec<String> = titles
        .iter()
        .chain(&lines)
        .map(|line| format!("{line}\n"))
        .collect();
    fs::write(file, lines.concat()).unwrap();
    fs::File::open(file)
        .unwrap()
        .set_modified(modified)
        .unwrap();
}

/// Puts the canary before every text that was said.
fn mark(value: &mut Value, said: bool) {
    match value {
        Value::String(text) if said => *text = format!("{CANARY} {text}"),
        Value::Array(all) => {
            for one in all {
                mark(one, said);
            }
        }
        Value::Object(map) => {
            // The text of the client's own error is no saying, and decides what the cause is.
            let own = map.get("isApiErrorMessage") == Some(&Value::Bool(true));
            for (key, value) in map.iter_mut().filter(|_| !own) {
                mark(value, SAID.contains(&key.as_str()));
            }
        }
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn relight(root: &Path, args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_relight"))
        .args(args)
        .current_dir(root)
        .output()
        .unwrap();
    let said = [output.stdout, output.stderr].concat();
    String::from_utf8_lossy(&said).into_owned()
}

/// Whether a file beneath a folder has these bytes.
pub(crate) fn holds(dir: &Path, bytes: &[u8]) -> bool {
    fs::read_dir(dir).unwrap().any(|entry| {
        let path = entry.unwrap().path();
        if path.is_dir() {
            holds(&path, bytes)
        } else {
            fs::read(path).is_ok_and(|all| all.windows(bytes.len()).any(|part| part == bytes))
        }
    })
}

#[test]
fn what_was_said_is_in_no_output_and_in_no_file() {
    let (_dir, root) = sandbox();
    let list: Value = serde_json::from_str(&relight(&root, &["list", "--all", "--json"])).unwrap();
    let rows = list["pipelines"].as_array().unwrap();
    let causes = rows.iter().filter(|row| row["cause"]["kind"] != "unknown");
    assert!(causes.count() >= 5, "the conversations are read");
    let everything: [&[&str]; 5] = [
        &["list", "--all"],
        &["list", "--brief"],
        &["doctor"],
        &["history"],
        &["list", "--columns", "id,stopped"],
    ];
    let each: [&[&str]; 11] = [
        &["show"],
        &["timeline"],
        &["verify"],
        &["points"],
        &["checkpoints"],
        &["plan"],
        &["why"],
        &["compare", "--list"],
        &["resume", "--dry-run"],
        // What is written is looked at below.
        &["resume", "--yes", "--assume-stopped"],
        &["undo", "--yes"],
    ];
    let ids = rows.iter().map(|row| row["id"].as_str().unwrap());
    let of = |id: &'static str| each.map(|args| [&args[..1], &[id], &args[1..]].concat());
    let ids: Vec<&'static str> = ids.map(|id| &*String::leak(id.to_owned())).collect();
    let all = everything
        .map(<[&str]>::to_vec)
        .into_iter()
        .chain(ids.into_iter().flat_map(of));
    for (nth, args) in all.enumerate() {
        // Each command in both forms; by default each pipeline in one of them, and half of the commands.
        let first = nth + nth / each.len();
        let forms = [&["--json"][..], &[]].into_iter().cycle().skip(first / 2);
        let always = nth < everything.len() || args.contains(&"--yes");
        if !always && !is_tried(first, 2) {
            continue;
        }
        for form in forms.take(if all_is_tried() { 2 } else { 1 }) {
            let args = [&args, form].concat();
            let said = relight(&root, &args);
            assert!(!said.contains(CANARY), "{args:?}: {said}");
        }
    }
    for kept in ["home/.local/state", "home/tmp", "projects"] {
        assert!(!holds(&root.join(kept), CANARY.as_bytes()), "{kept}");
    }
}

#[test]
fn what_was_said_is_on_no_screen_until_it_is_asked_for() {
    let (_dir, root) = sandbox();
    let relight = env!("CARGO_BIN_EXE_relight");
    for title in ["shop", "handbook", "csv"] {
        let mut tty = Tty::start(relight, &[root.to_str().unwrap()], &root, 120, 40);
        tty.wait("the list", |screen| {
            let text = screen.contents();
            text.contains("scope paths") && !text.contains("looking")
        });
        let mut see = |keys: &str, wanted: &str| {
            tty.keys(keys);
            tty.wait(wanted, |screen| {
                let text = screen.contents();
                assert!(!text.contains(CANARY), "{text}");
                text.contains(wanted) && !text.contains("reading …")
            });
        };
        see(&format!("/{title}"), "filtered out");
        see("\r\r", "1 Phases");
        for (keys, wanted) in [
            ("2", "Timeline"),
            ("3", "Verification"),
            ("4", "Checkpoints"),
            ("5", "claude-code"),
        ] {
            see(keys, wanted);
        }
        see("\r", "evidence");
        see("\x1b", "5 Cause");
        see("p", "Hand-off");
        see("H", "hand-off");
        see("q", "Hand-off");
        see("q", "5 Cause");
        see("5j\r", "match");
        tty.keys("s");
        tty.wait("the passages", |screen| screen.contents().contains(CANARY));
        // Hidden again on leaving.
        tty.keys("\x1b");
        tty.wait("the pane", |screen| !screen.contents().contains(CANARY));
        tty.keys("\r");
        tty.wait("the dialog", |screen| screen.contents().contains("match "));
        assert!(!tty.screen(|screen| screen.contents().contains(CANARY)));
    }
}
