//! How fast the tree of a run is made, beside `cp --reflink=auto -a` of the same tree: 50,000 files, their repository
//! with them. At most 1.2 times as long.
//!
//! `cargo bench --bench trees` prints both and their ratio: ours and the copy take turns, and the median of the rounds
//! counts. Ours ends when the tree can be worked in, before the run's record is made durable; `cp` does not wait for the
//! disk either. `RELIGHT_BENCH_DIR` names the file system.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a bench stops where it cannot go on, and prints what it measured"
)]

#[path = "../../src/world/fake.rs"]
mod fake;

#[path = "bed.rs"]
mod bed;

#[path = "dice.rs"]
mod dice;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use relight::engine::Engine;
use relight::git::scratch::{Scratch, Shadow};
use relight::model::{Cancel, PipelineId, ReplayAsk, ReplayFrom, ReplayProgress, RunnerAsk};

use bed::{BRANCH, START, claude_name, directory_hash, engine, pipeline, records, tree};
use dice::Dice;

const GOAL: f64 = 1.2;

const FILES: usize = 50_000;

fn main() {
    let rounds = std::env::var("RELIGHT_BENCH_ROUNDS").ok();
    let rounds: i64 = rounds.and_then(|n| n.parse().ok()).unwrap_or(5);
    let home = match std::env::var_os("RELIGHT_BENCH_DIR") {
        Some(dir) => tempfile::tempdir_in(dir),
        None => tempfile::tempdir(),
    };
    let home = home.expect("a temporary directory");
    let base = fs::canonicalize(home.path()).expect("a directory");
    let work = project(&base);
    let (mut ours, mut theirs, mut plans) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..rounds {
        quiet();
        let engine = engine(&base, round);
        let id = pipeline(&work, &engine);
        let (plan, took, made) = one(&engine, &id);
        plans.push(plan);
        ours.push(took);
        quiet();
        let copy = base.join("copy");
        let start = Instant::now();
        let mut cp = Command::new("cp");
        let done = cp.args(["--reflink=auto", "-a"]).args([&made, &copy]);
        assert!(done.status().expect("cp").success());
        theirs.push(start.elapsed());
        if round == 0 {
            compare(&made, &copy);
        }
        fs::remove_dir_all(&copy).expect("a directory");
        fs::remove_dir_all(made.parent().expect("a run")).expect("a directory");
    }
    let [plan, ours, theirs] = [plans, ours, theirs].map(median);
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    let verdict = if ratio <= GOAL { "holds" } else { "MISSED" };
    println!(
        "the tree of a run, {FILES} files: {ours:.2?}, cp --reflink=auto -a {theirs:.2?}, ratio {ratio:.2} (goal {GOAL}: {verdict}); its plan {plan:.2?}"
    );
}

/// The project, its repository with every file committed, a checkpoint, and the records of the run.
fn project(base: &Path) -> PathBuf {
    let work = base.join("work");
    let at = DateTime::<Utc>::from_timestamp(START, 0).expect("a time");
    let repo = Scratch::init(&work, BRANCH, at).expect("a repository");
    let files = tree(&work, &mut Dice(1), FILES);
    let texts: Vec<(String, Vec<u8>)> = files
        .iter()
        .map(|path| {
            let name = path.strip_prefix(&work).expect("a file of the tree");
            (
                name.to_string_lossy().into_owned(),
                fs::read(path).expect("a file"),
            )
        })
        .collect();
    let contents: Vec<(&str, Option<&[u8]>)> = texts
        .iter()
        .map(|(name, text)| (name.as_str(), Some(text.as_slice())))
        .collect();
    let first = repo.commit(&contents, "first", "", at).expect("a commit");
    let claude = base.join("claude/projects").join(claude_name(&work));
    let store = claude.join(format!("checkpoints/{}", directory_hash(&work)));
    let shadow = Shadow::init(&store, &work).expect("a store");
    let id = shadow.snapshot("pre-wave-1", "build", at + TimeDelta::minutes(10));
    id.expect("a checkpoint");
    records(base, &claude, &first);
    let dispatch = base.join(format!("tmp/crucible-dispatch-{START}"));
    let text = format!(
        "# Dispatch: build-implementer\n**Pipeline:** build | **Phase:** 3 | **Task:** 1\n\
         **Timestamp:** 2026-04-07T22:23:41Z\n**Dispatch-Dir:** {}/\n\n---\nDo task 1.\n",
        dispatch.display()
    );
    fs::write(dispatch.join("1-build-implementer.md"), text).expect("a dispatch");
    work
}

/// One run: how long its plan and its tree took, and where the tree is.
fn one(engine: &Engine, id: &PipelineId) -> (Duration, Duration, PathBuf) {
    let ask = ReplayAsk {
        from: ReplayFrom::Seq(1),
        runner: RunnerAsk::Nobody,
        ..ReplayAsk::default()
    };
    let start = Instant::now();
    let plan = engine.replay_plan(id, &ask).expect("a plan");
    let planned = start.elapsed();
    let (first, last) = (Mutex::new(None), Mutex::new(None));
    let tell = |progress: &ReplayProgress| {
        let now = Instant::now();
        first.lock().expect("a lock").get_or_insert(now);
        let (made, total) = progress.sessions[0].tree;
        if made == total {
            last.lock().expect("a lock").get_or_insert(now);
        }
    };
    let done = engine.replay(&plan, &tell, &Cancel::new()).expect("a run");
    let tree = done[0].tree.clone().expect("a tree");
    let first = first.lock().expect("a lock").expect("a beginning");
    let last = last.lock().expect("a lock").expect("an end");
    (planned, last - first, tree)
}

/// Both hold the same, also for git.
fn compare(made: &Path, copy: &Path) {
    let mut diff = Command::new("diff");
    let same = diff
        .args(["-r", "-q", "--no-dereference"])
        .args([made, copy]);
    assert!(same.status().expect("diff").success(), "the trees differ");
    let mut git = Command::new("git");
    let said = git
        .args(["status", "--porcelain"])
        .current_dir(made)
        .output();
    assert_eq!(said.expect("git").stdout, b"", "git sees a difference");
}

/// Nothing waits to be written when a round begins.
fn quiet() {
    Command::new("sync").status().expect("sync");
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}
