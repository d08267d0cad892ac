//! How fast a restore is, beside the git command line on the same tree (performance.md, goals G14, G16 and
//! G17): 50,000 files, a store of three checkpoints, a work tree clean at the last one.
//!
//! `cargo bench --bench restore` prints the ratios, ours and git's interleaved, the least of a few rounds. Ours
//! is all of a restore: drift and plan, consent, staging, the plan once more under the locks, journal, barriers,
//! exchange, every path read again.

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
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use relight::apply::Consent;
use relight::engine::Engine;
use relight::git::scratch::{Scratch, Shadow};
use relight::model::{PipelineId, Plan, PlanOptions, PointChoice};

#[path = "change.rs"]
mod change;
#[path = "dice.rs"]
mod dice;

use bed::{BRANCH, START, claude_name, directory_hash, engine, pipeline, records, tree};
use dice::Dice;

fn main() {
    let rounds = std::env::var("RELIGHT_BENCH_ROUNDS").ok();
    let rounds = rounds.and_then(|n| n.parse().ok()).unwrap_or(5);
    let bed = Bed::make();
    bed.report("last checkpoint but one", 1, 0..rounds);
    bed.report("two checkpoints back", 0, rounds..2 * rounds);
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
        let home = tempfile::tempdir().expect("a temporary folder");
        let base = fs::canonicalize(home.path()).expect("a folder");
        let work = base.join("work");
        let at = DateTime::<Utc>::from_timestamp(START, 0).expect("a time");
        let repo = Scratch::init(&work, "main", at).expect("a repository");
        let first = repo.commit(&[("README", Some(b"bench\n"))], "first", "", at);
        let first = first.expect("a commit");
        repo.branch(BRANCH, &first).expect("a branch");
        repo.checkout(BRANCH).expect("a branch");
        let mut dice = Dice(1);
        let mut files = tree(&work, &mut dice);
        let claude = base.join("claude/projects").join(claude_name(&work));
        let store = claude.join(format!("checkpoints/{}", directory_hash(&work)));
        let shadow = Shadow::init(&store, &work).expect("a store");
        let mut ids = Vec::new();
        for round in 0..3 {
            if round > 0 {
                dice.change(&work, &mut files, round);
            }
            let at = at + TimeDelta::minutes(10 + round);
            let reason = format!("pre-wave-{}", round + 1);
            let id = shadow.snapshot(&reason, "build", at);
            ids.push(id.expect("a checkpoint"));
        }
        records(&base, &claude, &first);
        let bed = Self {
            _home: home,
            base,
            work,
            shadow,
            ids,
        };
        bed.reset();
        bed
    }

    /// The work tree clean at the last checkpoint, the index fresh, nothing waiting to be written.
    fn reset(&self) {
        self.git(&["read-tree", "--reset", "-u", &self.ids[2]]);
        self.git(&["clean", "-fdq"]);
        // As git leaves it: written once more when no file is as young as the index.
        std::thread::sleep(Duration::from_millis(1100));
        self.git(&["update-index", "-q", "--refresh"]);
        Command::new("sync").status().expect("sync");
    }

    fn plan(&self, engine: &Engine, id: &PipelineId, checkpoint: usize) -> Plan {
        let choice = PointChoice::Checkpoint(self.ids[checkpoint].clone());
        let options = PlanOptions {
            assume_stopped: true,
            ..PlanOptions::default()
        };
        engine.plan(id, &choice, &options).expect("a plan")
    }

    fn report(&self, what: &str, checkpoint: usize, rounds: std::ops::Range<i64>) {
        let (mut preview, mut ours) = (Vec::new(), Vec::new());
        let (mut bare, mut durable, mut diff) = (Vec::new(), Vec::new(), Vec::new());
        let mut changes = 0;
        for round in rounds {
            self.reset();
            diff.push(time(|| {
                self.git(&["diff", "--stat", "--no-renames", &self.ids[checkpoint]])
            }));
            bare.push(time(|| {
                self.git(&["checkout", &self.ids[checkpoint], "--", "."])
            }));
            self.reset();
            durable.push(time(|| {
                self.git(&["checkout", &self.ids[checkpoint], "--", "."]);
                let mut sync = Command::new("sync");
                let done = sync.args(["-f", "."]).current_dir(&self.work).status();
                assert!(done.expect("sync").success());
            }));
            self.reset();
            let engine = engine(&self.base, round);
            let id = pipeline(&self.work, &engine);
            let start = Instant::now();
            let plan = self.plan(&engine, &id, checkpoint);
            preview.push(start.elapsed());
            let start = Instant::now();
            let done = engine.apply(
                &plan,
                &Consent::yes(&plan),
                &|_| {},
                &relight::model::Cancel::new(),
            );
            ours.push(start.elapsed());
            done.unwrap_or_else(|why| panic!("{why} {:?}", why.hints));
            let counts = plan.actions[0].changes.expect("counts");
            changes = counts.modified + counts.added;
            assert!(
                self.git_quiet(checkpoint),
                "what the checkpoint holds is there"
            );
        }
        let [preview, ours, bare, durable, diff] = [preview, ours, bare, durable, diff].map(least);
        println!("{what}: {changes} files are put back");
        println!("  preview {preview:.1?}, git diff --stat {diff:.1?}");
        line("G16", ours, bare, "git checkout <hash> -- .", 1.0);
        line(
            "G17",
            ours,
            durable,
            "git checkout <hash> -- . && sync -f .",
            0.9,
        );
    }

    /// Whether the tree is as at a checkpoint, as git sees it, files that came since left out. What git's index
    /// does not know of, since relight never writes it, is missing to git though it is there.
    fn git_quiet(&self, checkpoint: usize) -> bool {
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

fn line(goal: &str, ours: Duration, theirs: Duration, what: &str, limit: f64) {
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    let verdict = if ratio <= limit { "holds" } else { "MISSED" };
    println!(
        "  {goal}: durable restore {ours:.1?}, {what} {theirs:.1?}, ratio {ratio:.2} (goal {limit}: {verdict})"
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
