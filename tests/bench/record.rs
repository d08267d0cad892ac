//! How fast a record is, beside writing, flushing and renaming the same bytes: the goal is 1.5 times as long for one
//! file, 5 times and 15 ms for several.
//!
//! `cargo bench --bench record` prints the medians of interleaved rounds, on the disk that `TMPDIR` names. The start of
//! the process is left out: every command pays it.

#![expect(
    clippy::expect_used,
    clippy::print_stdout,
    reason = "a bench stops where it cannot go on, and prints what it measured"
)]

#[path = "../../src/world/fake.rs"]
mod fake;

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use relight::engine::{Engine, Request};
use relight::git::RealGit;
use relight::model::RecordAsk;
use relight::world::Places;
use relight::world::clock::FixedClock;
use relight::world::real_files::RealFiles;
use serde_json::{Map, Value};

use fake::{FakeProcesses, FakeWorld};

const ROUNDS: usize = 41;
const ISSUE: &str = "{\n  \"issue\": {\n    \"number\": 57\n  },\n  \"pipeline_stage\": \"executing\",\n  \"checkpoint\": null\n}";
const FEATURE: &str = "{\n  \"feature_name\": \"alerts\",\n  \"current_phase\": 1,\n  \"current_step\": 3,\n  \"last_execution\": {\n    \"phase\": 1,\n    \"step\": 3,\n    \"agent\": \"backend-developer\",\n    \"status\": \"in_progress\",\n    \"timestamp\": \"2026-01-01T00:00:00\"\n  },\n  \"completed_steps\": []\n}";

fn main() {
    let home = tempfile::tempdir().expect("a temporary folder");
    let base = fs::canonicalize(home.path()).expect("a folder");
    let issue = base.join("notes/.mgw/active/57-cache.json");
    let feature = base.join("alerts/workflow-state.json");
    for (path, text) in [(&issue, ISSUE), (&feature, FEATURE)] {
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a state file");
    }
    report("one file (mgw)", 1.5, &base, &issue, &[("step", "execute")]);
    let step = [("phase", "1"), ("step", "3"), ("status", "in_progress")];
    report("two files (nine-step)", 5.0, &base, &feature, &step);
}

fn report(name: &str, goal: f64, base: &Path, file: &Path, values: &[(&str, &str)]) {
    let (mut ours, mut plain) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        let engine = engine(base, round);
        let values = values
            .iter()
            .map(|(key, value)| ((*key).to_owned(), Value::from(*value)));
        let ask = RecordAsk {
            pipeline: file.into(),
            values: values.collect::<Map<_, _>>(),
            ..RecordAsk::default()
        };
        let request = Request {
            cwd: base.to_owned(),
            ..Request::default()
        };
        let begun = Instant::now();
        engine.record(&ask, &request).expect("a record");
        ours.push(begun.elapsed());
        let bytes = fs::read(file).expect("the file");
        let begun = Instant::now();
        let staged = base.join("staged");
        let mut out = File::create(&staged).expect("a file");
        out.write_all(&bytes).expect("the bytes");
        out.sync_all().expect("a flush");
        fs::rename(&staged, base.join("plain")).expect("a rename");
        plain.push(begun.elapsed());
    }
    let (ours, plain) = (median(ours), median(plain));
    let ratio = ours.as_secs_f64() / plain.as_secs_f64();
    println!("{name}: {ours:.2?}, plain {plain:.2?}, {ratio:.2} times (goal {goal})");
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().expect("rounds")
}

/// Each round is a second later, so that none is a repetition.
fn engine(base: &Path, round: usize) -> Engine {
    let now = chrono::DateTime::from_timestamp(
        1_800_000_000 + 2 * i64::try_from(round).expect("few rounds"),
        0,
    );
    let world = FakeWorld {
        clock: FixedClock(now.expect("a time").fixed_offset()),
        files: RealFiles,
        git: RealGit,
        processes: FakeProcesses::default(),
        places: Places {
            state: Some(base.join("state")),
            uid: rustix::process::geteuid().as_raw(),
            ..Places::default()
        },
    };
    Engine::new(Box::new(world), Vec::new())
}
