//! The comparison of two texts, side by side with `git diff --no-index --shortstat`, and with `delta` where it
//! is installed: the runs take turns, the medians are printed.
//!
//! `cargo bench --bench diff`
//!
//! Goals: the first page at most as long as git for 10,000 lines, first page and whole file with their words at most a
//! quarter of delta without syntax colors, and the worst pair's first page within 200 ms, the line diff never more than
//! a tenth over its deadline. Then the screen itself: what opening, a page, a wrapped page and a letter of a
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
use relight::diff::inline::pieces;
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
    if !has_delta {
        println!("delta is not installed, so it is skipped: cargo install git-delta --locked");
    }
    println!(
        "pair               first page  whole file   git diff     delta  page/git  page/delta  whole/delta"
    );
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
        let taken = taken.map(median);
        let [first, whole, gits, deltas] = taken;
        let ratio = |ours: Option<f64>, theirs: Option<f64>| {
            let ratio = ours.zip(theirs).map(|(ours, theirs)| ours / theirs);
            ratio.map_or_else(|| "-".to_owned(), |ratio| format!("{ratio:.2}"))
        };
        let [page, file, git_ms, delta_ms] = taken.map(ms);
        let (by_git, by_delta) = (ratio(first, gits), ratio(first, deltas));
        let whole_by_delta = ratio(whole, deltas);
        println!(
            "{name:<18} {page:>10} {file:>11} {git_ms:>10} {delta_ms:>9}  {by_git:>8}  {by_delta:>10}  {whole_by_delta:>11}"
        );
    }
    overshoot();
    println!(
        "goals: page/git <= 1; page/delta and whole/delta <= 0.25; first page of the hard pair <= 200 ms"
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

/// The median in milliseconds; `None` of nothing.
fn median(mut taken: Vec<Duration>) -> Option<f64> {
    taken.sort_unstable();
    let middle = taken.get(taken.len() / 2);
    middle.map(|taken| taken.as_secs_f64() * 1e3)
}

fn ms(taken: Option<f64>) -> String {
    taken.map_or_else(|| "-".to_owned(), |taken| format!("{taken:.1}"))
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
    let folding = Folding {
        context: (most == PAGE).then_some(3),
        ..Folding::default()
    };
    for line in shown(diff, Layout::Split, &folding).iter().take(most) {
        let Shown::Both(row) = line else { continue };
        let Row::Changed { old, new } = diff.rows[*row] else {
            continue;
        };
        let (old, new) = (diff.old.line(old), diff.new.line(new));
        std::hint::black_box(pieces(&Clean::from_bytes(old), &Clean::from_bytes(new)));
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
