//! How fast the drift of a work tree is measured, beside the git command line on the same tree
//! (performance.md, goals G13 and G15): 50,000 files, a checkpoint store of three checkpoints, a work tree
//! that has moved on from the last one.
//!
//! `cargo bench --bench drift` prints the ratios first, ours and git's interleaved, then divan's table.
//! The answers are compared before anything is timed.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a bench stops where it cannot go on, and prints what it measured"
)]

use std::ffi::OsStr;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use chrono::{DateTime, TimeDelta, Utc};
use relight::git::RealGit;
use relight::git::scratch::Shadow;
use relight::model::PathState;
use relight::world::git::Git as _;

#[path = "change.rs"]
mod change;
#[path = "dice.rs"]
mod dice;

use dice::Dice;

const FILES: usize = 50_000;
const ROUNDS: usize = 9;

fn main() {
    report("fresh index, two checkpoints back", 0, 0.9, false);
    report("fresh index, last checkpoint", 2, 0.9, false);
    report("stale index, two checkpoints back", 0, 0.5, true);
    divan::main();
}

#[divan::bench(args = [0, 2], sample_count = 20)]
fn fresh(bencher: divan::Bencher<'_, '_>, checkpoint: usize) {
    let bed = Bed::get();
    bencher
        .with_inputs(|| bed.index(false))
        .bench_values(|()| bed.ours(checkpoint));
}

/// The tree, its store, and both states of the store's index.
struct Bed {
    _home: tempfile::TempDir,
    shadow: Shadow,
    ids: Vec<String>,
    fresh: PathBuf,
    stale: PathBuf,
}

impl Bed {
    fn get() -> &'static Self {
        static BED: OnceLock<Bed> = OnceLock::new();
        BED.get_or_init(Self::make)
    }

    fn make() -> Self {
        let home = tempfile::tempdir().expect("a temporary directory");
        let work = home.path().join("work");
        let mut dice = Dice(1);
        let mut files = Vec::with_capacity(FILES);
        for n in 0..FILES {
            let path = work.join(format!(
                "d{:02}/s{:02}/f{n:05}.txt",
                n / 2500,
                (n / 50) % 50
            ));
            if n % 50 == 0 {
                fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
            }
            let lines = 10 + dice.roll(100);
            fs::write(&path, dice.text(lines)).expect("a file");
            files.push(path);
        }
        let shadow = Shadow::init(&home.path().join("store"), &work).expect("a store");
        let at = DateTime::<Utc>::from_timestamp(1_775_600_000, 0).expect("a time");
        let mut ids = Vec::new();
        for round in 0..3 {
            if round > 0 {
                dice.change(&mut files, round);
            }
            let at = at + TimeDelta::hours(round);
            ids.push(
                shadow
                    .snapshot("pre-wave", "bench", at)
                    .expect("a checkpoint"),
            );
        }
        // As git leaves it: written once more when no file is as young as the index.
        std::thread::sleep(Duration::from_millis(1100));
        let (fresh, stale) = (home.path().join("fresh"), home.path().join("stale"));
        let index = shadow.store().join("index");
        git(&shadow, &index, &["update-index", "-q", "--refresh"]);
        fs::copy(&index, &fresh).expect("an index");
        git(&shadow, &stale, &["read-tree", &ids[2]]);
        dice.change(&mut files, 3);
        let bed = Self {
            _home: home,
            shadow,
            ids,
            fresh,
            stale,
        };
        bed.index(false);
        bed
    }

    /// Puts one of the two indexes in place. git rewrites a stale one by itself.
    fn index(&self, stale: bool) {
        let from = if stale { &self.stale } else { &self.fresh };
        let index = self.shadow.store().join("index");
        fs::copy(from, &index).expect("an index");
        let stamp = fs::metadata(from)
            .and_then(|meta| meta.modified())
            .expect("a time");
        let file = fs::File::options()
            .write(true)
            .open(index)
            .expect("an index");
        file.set_modified(stamp).expect("a time");
    }

    fn ours(&self, checkpoint: usize) -> u64 {
        let (store, work) = (self.shadow.store(), self.shadow.work_tree());
        let drift = RealGit
            .drift(store, &self.ids[checkpoint], work)
            .expect("a drift");
        drift.modified + drift.missing
    }

    fn theirs(&self, checkpoint: usize) -> String {
        let index = self.shadow.store().join("index");
        let args = [
            "diff",
            "--name-status",
            "--no-renames",
            &self.ids[checkpoint],
        ];
        git(&self.shadow, &index, &args)
    }

    /// Both answers for what the checkpoint holds must be one.
    fn compare(&self, checkpoint: usize) {
        let (store, work) = (self.shadow.store(), self.shadow.work_tree());
        let drift = RealGit
            .drift(store, &self.ids[checkpoint], work)
            .expect("a drift");
        let mut ours = String::new();
        for path in &drift.paths {
            let letter = match path.state {
                PathState::Modified => 'M',
                PathState::Missing => 'D',
                PathState::Created
                | PathState::NotCovered
                | PathState::Hidden
                | PathState::InTheWay
                | PathState::Ignored => continue,
            };
            writeln!(ours, "{letter}\t{}", path.path.lossy()).expect("a string");
        }
        let theirs = self.theirs(checkpoint);
        // Files that came after the checkpoint and are in the index are `A` to git.
        let theirs: String = theirs
            .lines()
            .filter(|line| !line.starts_with('A'))
            .flat_map(|line| [line, "\n"])
            .collect();
        assert_eq!(ours, theirs, "both answers");
    }
}

fn report(what: &str, checkpoint: usize, goal: f64, stale: bool) {
    let bed = Bed::get();
    bed.index(stale);
    bed.compare(checkpoint);
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let before = cpu();
    for _ in 0..if stale { 3 } else { ROUNDS } {
        bed.index(stale);
        ours.push(time(|| bed.ours(checkpoint)));
        bed.index(stale);
        theirs.push(time(|| bed.theirs(checkpoint)));
    }
    let after = cpu();
    let (ours, theirs) = (median(ours), median(theirs));
    let work = (after.0 - before.0) / (after.1 - before.1);
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    let verdict = if ratio <= goal { "holds" } else { "MISSED" };
    println!(
        "{what}: {ours:.1?}, git {theirs:.1?}, ratio {ratio:.2} (goal {goal}: {verdict}), of processor time {work:.2}"
    );
}

fn time<T>(run: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    std::hint::black_box(run());
    start.elapsed()
}

/// Processor time of this process and of the ones it waited for, in ticks: a busy neighbour does not count.
fn cpu() -> (f64, f64) {
    let stat = fs::read_to_string("/proc/self/stat").expect("a process");
    let (_, fields) = stat.rsplit_once(')').expect("a name");
    let fields: Vec<f64> = fields
        .split_whitespace()
        .map(|field| field.parse().unwrap_or(0.0))
        .collect();
    (fields[11] + fields[12], fields[13] + fields[14])
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn git(shadow: &Shadow, index: &Path, args: &[&str]) -> String {
    let out = Command::new("git")
        .args(args)
        .current_dir(shadow.work_tree())
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .envs([
            ("GIT_DIR", shadow.store().as_os_str()),
            ("GIT_WORK_TREE", shadow.work_tree().as_os_str()),
            ("GIT_INDEX_FILE", index.as_os_str()),
        ] as [(&str, &OsStr); 3])
        .output()
        .expect("git");
    assert!(out.status.success(), "git {args:?}");
    String::from_utf8_lossy(&out.stdout).into_owned()
}
