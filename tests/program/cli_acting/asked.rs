//! A person at a real terminal: one yes, and every way of saying no.

use std::path::PathBuf;

use super::crashed::{UNCOMMITTED, cut_short};
use super::sandbox::{Sandbox, differences};
use super::tty::Tty;

/// Starts a command of the sandbox in a terminal.
fn start(sandbox: &Sandbox, args: &[&str]) -> Tty {
    let program = assert_cmd::cargo::cargo_bin!("relight");
    Tty::start(program.to_str().unwrap(), args, &sandbox.root(), 100, 200)
}

fn shows(tty: &Tty, what: &'static str) {
    tty.wait(what, |screen| screen.contents().contains(what));
}

#[test]
fn anything_but_the_word_leaves_everything_as_it_is() {
    let sandbox = Sandbox::new();
    let id = sandbox.crucible();
    let before = sandbox.all();
    // Bare Enter, the letter where the word is wanted, the end of input, Ctrl-C.
    for keys in ["\r", "y\r", "\u{4}", "\u{3}"] {
        let mut tty = start(&sandbox, &["resume", &id]);
        shows(&tty, "Type yes to continue");
        tty.screen(|screen| {
            let text = screen.contents();
            let loss = text.rfind("1 overwritten").unwrap();
            assert!(
                loss < text.find("relight undo (replaced").unwrap(),
                "{text}"
            );
        });
        tty.keys(keys);
        assert_eq!(tty.ended(), Some(130), "{keys:?}");
        shows(&tty, "Canceled; nothing was changed.");
    }
    assert_eq!(differences(&before, &sandbox.all()), Vec::<PathBuf>::new());
}

#[test]
fn the_word_is_consent_and_the_undo_is_asked_for_too() {
    let sandbox = Sandbox::new();
    let id = sandbox.crucible();
    let before = sandbox.persons();
    let mut tty = start(&sandbox, &["resume", &id]);
    shows(&tty, "Type yes to continue");
    tty.keys("yes\r");
    assert_eq!(tty.ended(), Some(0));
    shows(&tty, "relight undo 2");
    // A line a stage, each as far as it came.
    tty.screen(|screen| {
        let text = screen.contents();
        let stages = ["Stage new content", "Exchange", "Verify"];
        for stage in stages {
            let line = text.lines().find(|line| line.starts_with(stage));
            let words: Vec<&str> = line.unwrap_or_default().split_whitespace().collect();
            let whole = matches!(words.as_slice(), [.., done, "of", total] if done == total);
            assert!(whole, "{stage} in:\n{text}");
        }
    });
    assert!(!differences(&before, &sandbox.persons()).is_empty());
    let mut tty = start(&sandbox, &["undo"]);
    shows(&tty, "Undo 2");
    shows(&tty, "Type yes to continue");
    tty.keys("yes\r");
    assert_eq!(tty.ended(), Some(0));
    assert_eq!(
        differences(&before, &sandbox.persons()),
        Vec::<PathBuf>::new()
    );
}

#[test]
fn a_pipeline_that_may_still_run_wants_the_words_first() {
    let sandbox = Sandbox::new();
    let root = sandbox.root();
    let log = root.join("projects/lab/tokenizer-speed/conference_events.jsonl");
    // A file that was written just now: nobody knows whether it still runs.
    let young = std::fs::File::open(&log).unwrap();
    young.set_modified(std::time::SystemTime::now()).unwrap();
    drop(young);
    let args = ["resume", "tokenizer-speed", "synthesis"];
    let (code, refused) = sandbox.json(&[&args[..], &["--yes"]].concat());
    assert_eq!(code, 3, "{refused}");
    assert_eq!(refused["error"]["guards"][0]["id"], "liveness");
    let before = sandbox.all();
    for keys in ["\r", "yes\r", "not\r"] {
        let mut tty = start(&sandbox, &args);
        shows(&tty, "Type not running if you checked");
        tty.keys(keys);
        assert_eq!(tty.ended(), Some(130), "{keys:?}");
    }
    let mut tty = start(&sandbox, &args);
    shows(&tty, "Type not running if you checked");
    tty.keys("not running\r");
    shows(&tty, "Type accept to continue anyway");
    tty.keys("accept\r");
    shows(&tty, "Type y to continue");
    tty.keys("n\r");
    assert_eq!(tty.ended(), Some(130));
    assert_eq!(differences(&before, &sandbox.all()), Vec::<PathBuf>::new());
}

/// Without a terminal, what would be asked is shown, and then refused: a script's log says what it was about.
#[test]
fn what_would_be_asked_is_shown_where_nobody_can_answer() {
    let sandbox = Sandbox::new();
    let id = sandbox.crucible();
    let shown = |args: &[&str], expected: &[&str]| {
        let before = sandbox.all();
        let output = sandbox.run(args);
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(4), "{args:?}: {said}");
        let (about, refusal) = said.split_once("error: ").unwrap();
        for part in expected {
            assert!(about.contains(part), "{args:?}, {part:?}: {said}");
        }
        assert!(refusal.starts_with("Confirmation is needed"), "{said}");
        let quiet = sandbox.run(&[args, &["--quiet"]].concat()).stderr;
        assert!(quiet.starts_with(b"error: "), "{args:?}: {said}");
        assert_eq!(differences(&before, &sandbox.all()), Vec::<PathBuf>::new());
    };
    shown(&["resume", &id], &["Resume ", "src/price.rs"]);
    let (code, done) = sandbox.json(&["resume", &id, "--yes"]);
    assert_eq!(code, 0, "{done}");
    let id = done["recovery"]["id"].as_str().unwrap();
    shown(&["undo"], &["Undo ", id, "src/price.rs"]);
    shown(&["purge", id], &[id, "of backups will be deleted"]);
    cut_short(&sandbox, id, UNCOMMITTED);
    let half = [
        id,
        "1 path is already as planned: src/price.rs",
        "will be rolled back: everything",
    ];
    shown(&["recover", "--roll-back"], &half);
}
