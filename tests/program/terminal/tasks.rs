//! The eight tasks that people open relight for, played key by key at 80×24 with no more keys than they may take, on a
//! dark and a light terminal and without colors. What each screen says is what leads to the next key.

use std::path::Path;

use crate::cli_acting::crashed::{UNCOMMITTED, cut_short};
use crate::cli_acting::sandbox::Sandbox;

use super::tty::Tty;

/// A console, and how many keys the task took so far.
struct Played {
    tty: Tty,
    keys: usize,
}

impl Played {
    /// The console over a sandbox, once it says this.
    fn open(demo: &Path, (answers, environment): (&str, &str), begun: &str) -> Self {
        let relight = env!("CARGO_BIN_EXE_relight");
        let args = [environment, relight, demo.to_str().unwrap()];
        let mut tty = Tty::start("env", &args, demo, 80, 24);
        tty.keys(answers);
        let played = Self { tty, keys: 0 };
        played.sees(&[begun]);
        // The search goes on after its first rows.
        played.tty.settled();
        played
    }

    /// All of this is on the screen.
    fn sees(&self, texts: &[&str]) {
        for text in texts {
            let shown = |screen: &vt100::Screen| screen.contents().contains(text);
            self.tty.wait(text, shown);
        }
    }

    /// Types a part of a task, after which the screen says this.
    fn types(&mut self, keys: &str, texts: &[&str]) {
        self.keys += keys.chars().count();
        self.tty.keys(keys);
        self.sees(texts);
    }

    /// The task is done with this many keys; these lead back to the list.
    fn done(&mut self, most: usize, back: &str) {
        assert!(self.keys <= most, "{} keys instead of {most}", self.keys);
        self.types(back, &["scope paths"]);
        self.keys = 0;
    }

    /// Leaves the list.
    fn ends(mut self) {
        self.tty.keys("q");
        assert_eq!(self.tty.ended(), Some(0));
        self.tty.assert_given_back();
    }
}

#[test]
fn on_a_dark_terminal() {
    play(("\x1b]11;rgb:0000/2b2b/3636\x1b\\\x1b[?62;22c", "COLORTERM="));
}

#[test]
fn on_a_light_terminal() {
    play(("\x1b]11;rgb:fdfd/f6f6/e3e3\x07\x1b[?62;22c", "COLORTERM="));
}

#[test]
fn without_colors() {
    play(("", "NO_COLOR=1"));
}

/// The console asks before anything else.
#[test]
fn a_crash() {
    let sandbox = Sandbox::new();
    let (_, resumed) = sandbox.json(&["resume", "mgw-57", "step-plan", "--yes"]);
    let crashed = resumed["recovery"]["id"].as_str().unwrap();
    cut_short(&sandbox, crashed, UNCOMMITTED);
    let asked = "roll back what was not committed";
    let mut played = Played::open(&sandbox.root(), ("", "NO_COLOR=1"), asked);
    played.types("S", &["Rolled back"]);
    played.done(1, "q");
    played.ends();
}

/// The path is completed.
#[test]
fn a_replay_with_repeats() {
    let sandbox = Sandbox::new();
    let mut played = Played::open(&sandbox.root(), ("", "NO_COLOR=1"), "│ resume ");
    played.types("c", &["16 pipelines"]);
    played.types("/lab\r", &["filtered out"]);
    played.types("V", &["no replay yet"]);
    played.types("n", &["What it will cost"]);
    played.types("jjjj\r", &["Tab complete the path"]);
    played.types("im\t", &["implementer-v2.md"]);
    played.types("\r", &["Enter fill in"]);
    played.types("p", &["Confounders"]);
    played.types("A", &["Run the replay?"]);
    played.types("y", &["The experiment has ended"]);
    played.done(20, "qq");
    played.ends();
}

/// The other six, one after the other in one sandbox.
fn play(mode: (&str, &str)) {
    let sandbox = Sandbox::new();
    let demo = sandbox.root();
    let mut played = Played::open(&demo, mode, "│ resume ");

    // Choose the waiting one.
    played.types("w", &["▌? waiting"]);
    played.done(1, "");

    // Why did it stop? With all its evidence.
    played.types("g", &["▌■ interrupted! ! warn    shop"]);
    played.keys = 0;
    played.types("\r", &["5 Cause"]);
    played.types("5", &["The session limit was reached."]);
    played.types("\r", &["evidence   Claude Code"]);
    played.done(4, "qq");

    // What is lost?
    played.types("p", &["Uncommitted changes will be overwritten"]);
    played.done(2, "q");

    // The hand-off.
    played.types("p", &["All guards are ok"]);
    played.types("H", &["How the orchestrator resumes", "claude '/replay"]);
    played.done(2, "qq");

    // Another point, leave a file out, look, apply, undo, redo.
    let tree = || std::fs::read(demo.join("projects/shop/src/price.rs")).unwrap();
    let before = tree();
    played.types("r", &["★ recommended"]);
    played.types("k", &["▌  wave-1"]);
    played.types("\r", &["All guards are ok"]);
    played.types("n ", &["1 path excluded"]);
    played.types("\r", &["after 15 B"]);
    played.types("\x1b", &["A asks first"]);
    // It is computed anew without the path.
    played.tty.settled();
    played.types("A", &["Apply this plan?", "overwritten  src/price.rs"]);
    played.types("yes\r", &["Done: resume at wave-1"]);
    let restored = tree();
    assert_ne!(restored, before);
    played.types("u", &["Undo this recovery?"]);
    played.types("yes\r", &["Done: undo of"]);
    assert_eq!(tree(), before);
    played.types("\x12", &["Redo this recovery?"]);
    played.types("yes\r", &["Done: redo of"]);
    assert_eq!(tree(), restored);
    played.done(22, "q");

    // Two rounds, from the conference.
    played.types("jj", &["▌■ interrupted  ✓ pass    token…ed"]);
    played.keys = 0;
    played.types("V", &["compare what exists already"]);
    played.types("C", &["▌  round-2"]);
    played.types("\r", &["A round-1   B round-2"]);
    played.done(3, "qqq");

    played.ends();
}
