//! How fast a restore, its undo and their plan are, beside the git command line on the same tree: 20,000 files, of
//! which 5,000 are put back.
//!
//! `cargo bench --bench restore` prints the ratios, the least of a few rounds. Every round has two new trees, one for
//! git and one for relight: ext4 looks long for a free inode near those that were deleted within minutes, so a tree
//! that was used before would measure that instead.
//!
//! Ours is all of a restore: consent, staging, the plan once more under the locks, journal, barriers, exchange, every
//! path read again.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    clippy::panic,
    reason = "a bench stops where it cannot go on, and prints what it measured"
)]

#[path = "../../src/world/fake.rs"]
mod fake;

#[path = "bed.rs"]
mod bed;

use std::ffi::OsStr;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use relight::apply::Consent;
use relight::engine::{Engine, Request};
use relight::git::scratch::{Scratch, Shadow, row_time};
use relight::model::{Cancel, PipelineId, Plan, PlanOptions, PointChoice, UndoOptions, short_id};

#[path = "change.rs"]
mod change;
#[path = "dice.rs"]
mod dice;

use mimalloc::MiMalloc;

use bed::{BRANCH, START, claude_name, directory_hash, engine, pipeline, records, tree};
use dice::Dice;

/// relight's own.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

const FILES: usize = 20_000;

fn main() {
    let rounds = std::env::var("RELIGHT_BENCH_ROUNDS").ok();
    let rounds = rounds.and_then(|n| n.parse().ok()).unwrap_or(5);
    let mut times: [Vec<Duration>; 6] = Default::default();
    // Nothing is deleted before the last round is over.
    let mut beds = Vec::new();
    for _ in 0..rounds {
        let (theirs, ours) = (Bed::make(), Bed::make());
        settle();
        let (theirs_took, ours_took) = (theirs.theirs(), ours.ours());
        for (all, one) in times
            .iter_mut()
            .zip(theirs_took.into_iter().chain(ours_took))
        {
            all.push(one);
        }
        assert!(ours.is_back(1), "what was changed is there again");
        beds.extend([theirs, ours]);
    }
    let [diff, checkout, again, plan, restore, undo] = times.map(least);
    println!("5,000 of {FILES} files are put back, the least of {rounds} rounds");
    line("plan", plan, diff, "git diff --name-status", 0.9);
    line(
        "restore",
        restore,
        checkout,
        "git checkout <hash> -- . && sync -f .",
        0.9,
    );
    line(
        "undo",
        undo,
        again,
        "git checkout <hash> -- . && sync -f .",
        0.9,
    );
}

/// Nothing waits to be written.
fn settle() {
    Command::new("sync").status().expect("sync");
}

/// The tree, its store, and the records of a run.
struct Bed {
    _home: tempfile::TempDir,
    base: PathBuf,
    work: PathBuf,
    shadow: Shadow,
    ids: Vec<String>,
}

impl Bed {
    fn make() -> Self {
        let home = tempfile::tempdir().expect("a temporary directory");
        let base = fs::canonicalize(home.path()).expect("a directory");
        let work = base.join("work");
        let at = DateTime::<Utc>::from_timestamp(START, 0).expect("a time");
        let repo = Scratch::init(&work, "main", at).expect("a repository");
        let first = repo.commit(&[("README", Some(b"bench\n"))], "first", "", at);
        let first = first.expect("a commit");
        repo.branch(BRANCH, &first).expect("a branch");
        repo.checkout(BRANCH).expect("a branch");
        let mut dice = Dice(1);
        let mut files = tree(&work, &mut dice, FILES);
        let claude = base.join("claude/projects").join(claude_name(&work));
        let store = claude.join(format!("checkpoints/{}", directory_hash(&work)));
        let shadow = Shadow::init(&store, &work).expect("a store");
        let mut bed = Self {
            _home: home,
            base,
            work,
            shadow,
            ids: Vec::new(),
        };
        for round in 0..2 {
            if round > 0 {
                // 4,000 changed, 1,000 removed, 1,000 that came since and stay.
                dice.change(&mut files, round);
                dice.change(&mut files, round + 1);
            }
            let at = at + TimeDelta::minutes(10 + round);
            bed.checkpoint(&format!("pre-wave-{}", round + 1), at);
        }
        records(&bed.base, &claude, &first);
        // As git leaves it: written once more when no file is as young as the index.
        std::thread::sleep(Duration::from_millis(1100));
        bed.git(&["update-index", "-q", "--refresh"]);
        bed
    }

    /// A checkpoint as its owner takes one, with git: relight trusts another index for its own.
    fn checkpoint(&mut self, reason: &str, at: DateTime<Utc>) {
        let when = row_time(at);
        let subject = format!("{reason} | {when} | build");
        self.git(&["add", "-A"]);
        let who = ["-c", "user.name=owner", "-c", "user.email=owner@localhost"];
        self.git(&[&who[..], &["commit", "-q", "-m", &subject]].concat());
        let id = self.git(&["rev-parse", "HEAD"]).trim().to_owned();
        let row = format!("| {} | {when} | {reason} | build |\n", short_id(&id));
        let table = self.shadow.store().join("checkpoint-manifest.md");
        let mut table = OpenOptions::new()
            .create(true)
            .append(true)
            .open(table)
            .expect("a table");
        table.write_all(row.as_bytes()).expect("a row");
        self.ids.push(id);
    }

    /// What the plan, the restore and its undo take git.
    fn theirs(&self) -> [Duration; 3] {
        let put_back = |checkpoint: usize| {
            settle();
            time(|| {
                self.git(&["checkout", &self.ids[checkpoint], "--", "."]);
                let mut sync = Command::new("sync");
                let done = sync.args(["-f", "."]).current_dir(&self.work).status();
                assert!(done.expect("sync").success());
            })
        };
        let diff = time(|| self.git(&["diff", "--name-status", "--no-renames", &self.ids[0]]));
        [diff, put_back(0), put_back(1)]
    }

    /// What they take relight.
    fn ours(&self) -> [Duration; 3] {
        let engine = engine(&self.base, 0);
        let id = pipeline(&self.work, &engine);
        settle();
        let start = Instant::now();
        let plan = self.plan(&engine, &id);
        let planned = start.elapsed();
        settle();
        let restored = time(|| apply(&engine, &plan));
        assert!(self.is_back(0), "what the checkpoint holds is there");
        let request = Request {
            cwd: self.work.clone(),
            ..Request::default()
        };
        let undo = engine.undo_plan(None, false, &UndoOptions::default(), &request);
        let undo = undo.expect("a plan");
        settle();
        let undone = time(|| apply(&engine, &undo));
        [planned, restored, undone]
    }

    fn plan(&self, engine: &Engine, id: &PipelineId) -> Plan {
        let choice = PointChoice::Checkpoint(self.ids[0].clone());
        let options = PlanOptions {
            assume_stopped: true,
            ..PlanOptions::default()
        };
        engine.plan(id, &choice, &options).expect("a plan")
    }

    /// Whether the tree is as at a checkpoint, as git sees it, files that came since left out. What git's index
    /// does not know of, since relight never writes it, is missing to git though it is there.
    fn is_back(&self, checkpoint: usize) -> bool {
        let args = ["diff", "--name-status", "--no-renames"];
        let said = self.git(&[&args[..], &[&self.ids[checkpoint]]].concat());
        said.lines().all(|line| match line.split_once('\t') {
            Some(("D", path)) => self.work.join(path).exists(),
            Some((letter, _)) => letter == "A",
            None => false,
        })
    }

    fn git(&self, args: &[&str]) -> String {
        let out = Command::new("git")
            .args(args)
            .current_dir(&self.work)
            .env_clear()
            .env("PATH", std::env::var_os("PATH").unwrap_or_default())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_SYSTEM", "/dev/null")
            .envs([
                ("GIT_DIR", self.shadow.store().as_os_str()),
                ("GIT_WORK_TREE", self.work.as_os_str()),
            ] as [(&str, &OsStr); 2])
            .output()
            .expect("git");
        assert!(out.status.success(), "git {args:?}: {out:?}");
        String::from_utf8_lossy(&out.stdout).into_owned()
    }
}

fn apply(engine: &Engine, plan: &Plan) {
    let done = engine.apply(plan, &Consent::yes(plan), &|_| {}, &Cancel::new());
    done.unwrap_or_else(|why| panic!("{why} {:?}", why.hints));
}

fn line(goal: &str, ours: Duration, theirs: Duration, what: &str, limit: f64) {
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    let verdict = if ratio <= limit { "holds" } else { "MISSED" };
    println!(
        "  {goal}: {ours:.1?}, {what} {theirs:.1?}, ratio {ratio:.2} (goal {limit}: {verdict})"
    );
}

fn time<T>(run: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    std::hint::black_box(run());
    start.elapsed()
}

fn least(times: Vec<Duration>) -> Duration {
    times.into_iter().min().expect("a round")
}
