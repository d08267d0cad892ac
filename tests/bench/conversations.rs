//! What 2,000 conversations of 5 MB in a home cost: `list`, and the console's first frame, on the demo's sandbox
//! without and with them. The runs take turns; the medians, the ratio and the difference are printed. One in ten of the
//! conversations is of a project of the sandbox, the others are of fifty projects elsewhere.
//!
//! `cargo bench --bench conversations`

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a bench prints its figures and ends at the first surprise"
)]

mod screen;

use std::fmt::Write as _;
use std::fs::{self, File};
use std::os::unix::fs::FileExt as _;
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use screen::{median, millis};
use serde_json::{Value, json};

const ROUNDS: usize = 20;
const CONVERSATIONS: u32 = 2_000;
const SIZE: u64 = 5_000_000;

fn main() {
    // `cargo test --benches` runs this too: then it only has to compile.
    if std::env::args().any(|arg| arg == "--test") {
        return;
    }
    let dir = tempfile::tempdir().expect("a temporary directory");
    let roots = ["without", "with"].map(|name| dir.path().join(name));
    let now = Utc::now();
    for root in &roots {
        relight::demo::build(root, now).expect("a sandbox");
    }
    grow(&roots[1], now);

    let mut lists = [vec![], vec![]];
    let mut frames = [vec![], vec![]];
    for _ in 0..ROUNDS {
        for (of, root) in roots.iter().enumerate() {
            let begun = Instant::now();
            assert!(!list(root).is_empty(), "pipelines are found");
            lists[of].push(begun.elapsed());
            let console =
                [env!("CARGO_BIN_EXE_relight"), &root.to_string_lossy()].map(str::to_owned);
            frames[of].push(screen::run(&console, root, &["relight"], "q")[1]);
        }
    }
    let [without, with] = lists.map(median);
    println!("list without them        {:>7.1} ms", millis(without));
    println!("list with them           {:>7.1} ms", millis(with));
    println!(
        "ratio                    {:>7.2}      (goal: at most 1.30)",
        millis(with) / millis(without)
    );
    let [without, with]: [Duration; 2] = frames.map(median);
    println!("first frame without them {:>7.1} ms", millis(without));
    println!("first frame with them    {:>7.1} ms", millis(with));
    println!(
        "difference               {:>7.1} ms   (goal: at most 5)",
        millis(with) - millis(without)
    );
}

/// The rows of `relight list`.
fn list(root: &Path) -> Vec<Value> {
    let answer = Command::new(env!("CARGO_BIN_EXE_relight"))
        .args(["list", "--all", "--json"])
        .arg(root)
        .output()
        .expect("relight runs");
    let answer: Value = serde_json::from_slice(&answer.stdout).expect("an answer in JSON");
    answer["pipelines"].as_array().cloned().unwrap_or_default()
}

/// Fills the home of a sandbox.
fn grow(root: &Path, now: DateTime<Utc>) {
    let rows = list(root);
    for number in 0..CONVERSATIONS {
        let elsewhere = format!("/home/someone/project-{}", number % 50);
        let cwd = match number % 10 {
            0 => &rows[(number / 10) as usize % rows.len()]["root"],
            _ => &Value::from(elsewhere),
        };
        let cwd = cwd.as_str().expect("a directory");
        let last = now - TimeDelta::minutes(i64::from(number) * 40);
        conversation(root, number, cwd, last);
    }
}

/// A file of which only the beginning and the end take space.
fn conversation(root: &Path, number: u32, cwd: &str, last: DateTime<Utc>) {
    let name: String = cwd
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '-' })
        .collect();
    let dir = root.join("home/.claude/projects").join(name);
    fs::create_dir_all(&dir).expect("a directory");
    let id = format!("5c5b2a7e-0000-4000-8000-{number:012}");
    let file = File::create(dir.join(format!("{id}.jsonl"))).expect("a file");
    let line = |kind: &str, at: DateTime<Utc>, message: Value| {
        json!({"type": kind, "timestamp": at.to_rfc3339(), "cwd": cwd, "sessionId": id, "gitBranch": "main",
            "version": "2.1.281", "isSidechain": false, "uuid": id, "message": message})
    };
    let first = line(
        "user",
        last - TimeDelta::hours(2),
        json!({"content": "go on"}),
    );
    file.write_all_at(format!("{first}\n").as_bytes(), 0)
        .expect("a beginning");
    let mut end = String::from("\n");
    let output = "a line of what the program printed\n".repeat(60);
    for step in 0..130 {
        let at = last - TimeDelta::seconds(200 - step);
        let call = json!({"id": format!("m{step}"), "model": "x", "stop_reason": "tool_use",
            "content": [{"type": "tool_use", "id": format!("t{step}"), "name": "Bash", "input": {"command": "make"}}],
            "usage": {"input_tokens": 5, "cache_read_input_tokens": 100_000}});
        let result = json!({"content": [{"type": "tool_result", "tool_use_id": format!("t{step}"), "content": output}]});
        writeln!(
            end,
            "{}\n{}",
            line("assistant", at, call),
            line("user", at, result)
        )
        .expect("a line");
    }
    let reply = json!({"id": "m", "model": "x", "stop_reason": "end_turn", "content": [{"type": "text", "text": "done"}],
        "usage": {"input_tokens": 5, "cache_read_input_tokens": 100_000}});
    writeln!(end, "{}", line("assistant", last, reply)).expect("a line");
    file.write_all_at(end.as_bytes(), SIZE - end.len() as u64)
        .expect("an end");
    file.set_modified(last.into()).expect("a time");
}
