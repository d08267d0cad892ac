//! What a person waits for who has many pipelines: `relight list` of about 500 in 60 repositories, beside
//! `git worktree list` in each of those repositories, and the questions about one of the pipelines.
//!
//! `cargo bench --bench list`, or `cargo bench --bench list -- DIR` to keep the world that it makes.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a bench prints its figures and ends at the first surprise"
)]

mod many;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

const ROUNDS: usize = 20;

fn main() {
    // `cargo test --benches` runs this too: then it only has to compile.
    if std::env::args().any(|arg| arg == "--test") {
        return;
    }
    let dir = tempfile::tempdir().expect("a temporary directory");
    let kept = std::env::args().skip(1).find(|arg| !arg.starts_with("--"));
    let root = kept.map_or_else(|| dir.path().join("world"), PathBuf::from);
    if !root.exists() {
        many::build(&root);
    }
    let root = root.canonicalize().expect("the world is there");
    let repositories = many::repositories(&root);

    let all = rows(&root);
    let size = (all.len(), repositories.len());
    println!("{} pipelines in {} repositories", size.0, size.1);
    assert!(
        all.len() >= 480 && size.1 == 60,
        "the world is as large as the goal says"
    );
    let list = ["list", "--all"];
    let mut times = [vec![], vec![], vec![]];
    for _ in 0..ROUNDS {
        times[0].push(timed(|| drop(relight(&root, &list))));
        times[1].push(timed(|| drop(relight(&root, &["list", "--all", "--json"]))));
        times[2].push(timed(|| repositories.iter().for_each(|dir| worktrees(dir))));
    }
    let [text, json, peer] = times.map(median);
    println!("list              {:>8.1} ms", millis(text));
    println!(
        "list --json       {:>8.1} ms   (goal: at most 150)",
        millis(json)
    );
    println!("git worktree list {:>8.1} ms", millis(peer));
    println!(
        "ratio             {:>8.2}      (goal: at most 1.00)",
        millis(json) / millis(peer)
    );

    let one = |system: &str| {
        let of = |row: &&Value| row["system"] == system && row["status"] == "interrupted";
        let row = all.iter().find(of).expect("an interrupted pipeline");
        row["id"].as_str().expect("an id").to_owned()
    };
    for system in ["crucible", "mgw", "autoconference"] {
        let id = one(system);
        for command in ["show", "verify", "points", "plan", "why"] {
            let asked = || drop(relight(&root, &[command, &id]));
            let times = (0..ROUNDS / 2).map(|_| timed(asked)).collect();
            println!(
                "{command:<7} {system:<15} {:>8.1} ms",
                millis(median(times))
            );
        }
    }
}

/// The rows of `relight list`.
fn rows(root: &Path) -> Vec<Value> {
    let answer = relight(root, &["list", "--all", "--json"]);
    let answer: Value = serde_json::from_slice(&answer.stdout).expect("an answer in JSON");
    answer["pipelines"].as_array().cloned().unwrap_or_default()
}

/// relight, asked by whoever lives in that world.
fn relight(root: &Path, args: &[&str]) -> Output {
    let home = root.join("home");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut command = Command::new(env!("CARGO_BIN_EXE_relight"));
    command.args(args).current_dir(root.join("projects"));
    command.env_clear().env("PATH", path);
    command.env("TMPDIR", home.join("tmp")).env("HOME", home);
    command.output().expect("relight runs")
}

fn worktrees(repository: &Path) {
    let status = Command::new("git")
        .args(["worktree", "list", "--porcelain"])
        .current_dir(repository)
        .stdout(Stdio::null())
        .status();
    assert!(status.expect("git runs").success(), "git knows it");
}

fn timed(action: impl FnOnce()) -> Duration {
    let begun = Instant::now();
    action();
    begun.elapsed()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
