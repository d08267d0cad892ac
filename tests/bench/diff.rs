//! The comparison of two texts, side by side with `git diff --no-index --shortstat`, and with `delta` where it
//! is installed: the runs take turns, the medians are printed.
//!
//! `cargo bench --bench diff`
//!
//! Goals: the first page at most as long as git for 10,000 lines (G19), whole files with their words at most a
//! quarter of delta (G18), and the worst pair's first page within 200 ms, the line diff never more than a tenth
//! over its deadline (G20). Then the screen itself: what opening, a page, a wrapped page and a letter of a
//! search cost over 1,000 and over 100,000 lines.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    clippy::indexing_slicing,
    reason = "a bench prints its figures and stops where its ground is missing"
)]

#[path = "diff/screen.rs"]
mod screen;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use relight::diff::fold::{Folding, Layout, Shown, shown};
use relight::diff::inline::emphasis;
use relight::diff::{Diff, Options, Row, rows};
use relight::model::Clean;

const ROUNDS: usize = 10;
/// Lines of a page in a large terminal.
const PAGE: usize = 60;

/// Name, lines, how many of a hundred differ; `None` shuffles a few distinct lines.
const PAIRS: [(&str, usize, Option<usize>); 5] = [
    ("10k lines, 5 %", 10_000, Some(5)),
    ("10k lines, 50 %", 10_000, Some(50)),
    ("10k lines, 100 %", 10_000, Some(100)),
    ("100k lines, 5 %", 100_000, Some(5)),
    ("100k lines, hard", 100_000, None),
];

fn main() {
    // `cargo test --benches` runs this too: then it only has to compile.
    if std::env::args().any(|arg| arg == "--test") {
        return;
    }
    let dir = tempfile::tempdir().expect("a temporary directory");
    let git = ["git", "diff", "--no-index", "--shortstat"];
    let delta: Vec<&str> =
        "delta --no-gitconfig --side-by-side -w 200 --paging never --syntax-theme none"
            .split(' ')
            .collect();
    let has_delta = Command::new("delta").arg("--version").output().is_ok();
    println!("medians of {ROUNDS}, ms; git and delta are whole processes");
    println!("pair               first page  whole file   git diff     delta");
    for (name, lines, share) in PAIRS {
        let (before, after) = pair(lines, share);
        let (old, new) = (dir.path().join("old"), dir.path().join("new"));
        std::fs::write(&old, &before).expect("the old side is written");
        std::fs::write(&new, &after).expect("the new side is written");
        let mut taken: [Vec<Duration>; 4] = Default::default();
        for _ in 0..ROUNDS {
            let [first, whole, gits, deltas] = &mut taken;
            first.push(timed(|| look(&compare(&before, &after), PAGE)));
            whole.push(timed(|| look(&compare(&before, &after), usize::MAX)));
            gits.push(timed(|| run(&git, &old, &new)));
            if has_delta {
                deltas.push(timed(|| run(&delta, &old, &new)));
            }
        }
        let [first, whole, gits, deltas] = taken.map(median);
        println!("{name:<18} {first:>10} {whole:>11} {gits:>10} {deltas:>9}");
    }
    overshoot();
    println!(
        "goals: first page <= git (G19); whole <= 0.25 delta (G18); hard first page <= 200 (G20)"
    );
    screen::table();
}

/// How long the line diff of the worst pair takes against its deadline.
fn overshoot() {
    let (before, after) = pair(100_000, None);
    let deadline = Options::default().deadline;
    let mut worst = Duration::ZERO;
    for _ in 0..ROUNDS {
        worst = worst.max(timed(|| drop(compare(&before, &after))));
    }
    let share = worst.as_secs_f64() / deadline.as_secs_f64();
    println!(
        "the worst pair's line diff, worst of {ROUNDS}: {worst:.1?}, {share:.2} of its deadline"
    );
}

fn timed<T>(work: impl FnOnce() -> T) -> Duration {
    let begun = Instant::now();
    std::hint::black_box(work());
    begun.elapsed()
}

fn median(mut taken: Vec<Duration>) -> String {
    taken.sort_unstable();
    let middle = taken.get(taken.len() / 2);
    middle.map_or_else(
        || "-".to_owned(),
        |taken| format!("{:.1}", taken.as_secs_f64() * 1e3),
    )
}

fn compare(before: &str, after: &str) -> Diff {
    rows(
        Some(before.as_bytes().to_vec()),
        Some(after.as_bytes().to_vec()),
        Options::default(),
    )
}

/// What the screen does: fold, then make so many lines presentable, with the words that differ.
fn look(diff: &Diff, most: usize) {
    let folding = Folding::new((most == PAGE).then_some(3));
    for line in shown(diff, Layout::Split, &folding).iter().take(most) {
        let Shown::Both(row) = line else { continue };
        let Row::Changed { old, new } = diff.rows[*row] else {
            continue;
        };
        let (old, new) = (diff.old.line(old), diff.new.line(new));
        std::hint::black_box(emphasis(&Clean::from_bytes(old), &Clean::from_bytes(new)));
    }
}

fn run(command: &[&str], old: &Path, new: &Path) {
    Command::new(command[0])
        .args(&command[1..])
        .args([old, new])
        .stdin(Stdio::null())
        .output()
        .expect("the peer runs");
}

/// Two texts, always the same ones.
fn pair(lines: usize, share: Option<usize>) -> (String, String) {
    let mut seed: usize = 7;
    let mut dice = |sides: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % sides
    };
    let (mut before, mut after) = (String::new(), String::new());
    for number in 0..lines {
        let Some(share) = share else {
            before.extend(["line ", &dice(50).to_string(), "\n"]);
            after.extend(["line ", &dice(50).to_string(), "\n"]);
            continue;
        };
        let line = format!(
            "    let value_{number} = config.path({}) + {};\n",
            dice(1_000),
            dice(1_000)
        );
        before += &line;
        after += &if dice(100) < share {
            line.replace("value", "result")
                .replace("config", "settings")
        } else {
            line
        };
    }
    (before, after)
}
