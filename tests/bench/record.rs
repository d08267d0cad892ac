//! How fast a record is, beside writing, flushing and renaming the same bytes: the goal is 1.5 times as long for one
//! file, 5 times and 15 ms for several.
//!
//! A record also flushes the folder, without which a power cut may take back what the caller was told is recorded;
//! the time of the same with that flush is printed too.
//!
//! `cargo bench --bench record` prints the medians of interleaved rounds, on the disk that `TMPDIR` names. The goal is
//! for the record itself; the time of a whole process, which every command pays, is printed beside it.

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
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use relight::engine::{Engine, Request};
use relight::git::RealGit;
use relight::model::{Cancel, RecordAsk};
use relight::world::Places;
use relight::world::clock::FixedClock;
use relight::world::real_files::RealFiles;
use serde_json::{Map, Value, json};

use fake::{FakeProcesses, FakeWorld};

const ROUNDS: usize = 41;

const ISSUE: &str = r#"{
  "issue": {
    "number": 57
  },
  "pipeline_stage": "executing",
  "checkpoint": null
}"#;

const FEATURE: &str = r#"{
  "feature_name": "alerts",
  "current_phase": 1,
  "current_step": 3,
  "last_execution": {
    "phase": 1,
    "step": 3,
    "agent": "backend-developer",
    "status": "in_progress",
    "timestamp": "2026-01-01T00:00:00"
  },
  "completed_steps": []
}"#;

const CONFERENCE: &str = "# Conference: T\n\n## Goal\nT\n\n## Mode\nmetric\n\n## Success Metric\n- **Metric:** MB/s\n\
    - **Direction:** maximize\n\n## Researchers\n- **Count:** 1\n- **Iterations per round:** 5000\n\
    - **Max rounds:** 3\n\n## Constraints\n- **Max total iterations:** 9000\n\n## Shared Knowledge\n\n\
    ## Conference Log\n| Round | Researcher | Best Metric | Key Finding | Status |\n|---|---|---|---|---|\n";

/// A record, and the first file that it writes.
struct Case<'a> {
    name: &'a str,
    goal: f64,
    pipeline: &'a str,
    file: &'a str,
    /// The words and options of a round.
    ask: &'a dyn Fn(usize) -> (Vec<String>, Value),
}

fn main() {
    let home = tempfile::tempdir().expect("a temporary directory");
    let base = &fs::canonicalize(home.path()).expect("a directory");
    for (file, text) in [
        ("notes/.mgw/active/57-cache.json", ISSUE),
        ("alerts/workflow-state.json", FEATURE),
        ("lab/conference.md", CONFERENCE),
        ("tmp/crucible-dispatch-1775600000/manifest.jsonl", ""),
    ] {
        let path = base.join(file);
        fs::create_dir_all(path.parent().expect("a directory")).expect("a directory");
        fs::write(path, text).expect("a state file");
    }
    let words = |words: &[&str]| {
        words
            .iter()
            .map(|&word| word.to_owned())
            .collect::<Vec<_>>()
    };
    let iteration = |round: usize| {
        let status = if round == 0 { "baseline" } else { "kept" };
        let value = (100 + round).to_string();
        json!({"researcher": "A", "iteration": round, "value": value, "status": status, "description": "x"})
    };
    record(base, "lab", 0, (words(&["init"]), json!({})));
    record(base, "lab", 1, (words(&["round.started"]), json!({})));
    let marker = base.join("home/.claude/projects/p/memory/.pipeline-active");
    let cases = [
        Case {
            name: "one file (mgw)",
            goal: 1.5,
            pipeline: "notes/.mgw/active/57-cache.json",
            file: "notes/.mgw/active/57-cache.json",
            ask: &|_| (Vec::new(), json!({"step": "execute"})),
        },
        Case {
            name: "two files (nine-step)",
            goal: 5.0,
            pipeline: "alerts",
            file: "alerts/workflow-state.json",
            ask: &|_| {
                (
                    Vec::new(),
                    json!({"phase": 1, "step": 3, "status": "in_progress"}),
                )
            },
        },
        Case {
            name: "three files (autoconference)",
            goal: 5.0,
            pipeline: "lab",
            file: "lab/conference_events.jsonl",
            ask: &|round| (words(&["iteration"]), iteration(round)),
        },
        Case {
            name: "four files (crucible)",
            goal: 5.0,
            pipeline: "1775600000",
            file: "tmp/crucible-dispatch-1775600000/manifest.jsonl",
            ask: &|_| {
                let options = json!({"phase": "1", "template": "t", "body": "Do it."});
                (words(&["dispatch", "writer"]), options)
            },
        },
    ];
    for case in &cases {
        if case.pipeline == "1775600000" {
            let scratch = marker.parent().expect("a directory");
            fs::create_dir_all(scratch).expect("a directory");
            let dispatch = base.join("tmp/crucible-dispatch-1775600000");
            let text = json!({"pipeline_id": "1775600000", "skill": "build", "phase": "1", "scratch_dir": scratch,
                "start_time": "2026-01-01T00:00:00Z", "dispatch_dir": dispatch, "branch": "main"});
            fs::write(&marker, text.to_string()).expect("a marker");
        }
        report(base, case);
    }
    println!("a whole process: {:.2?}", whole_process(base));
}

fn report(base: &Path, case: &Case<'_>) {
    let (mut ours, mut plain, mut lasting) = (Vec::new(), Vec::new(), Vec::new());
    let mut files = 0;
    for round in 0..ROUNDS {
        let begun = Instant::now();
        files = record(base, case.pipeline, round + 2, (case.ask)(round));
        ours.push(begun.elapsed());
        let bytes = fs::read(base.join(case.file)).expect("the file");
        let begun = Instant::now();
        let staged = base.join("staged");
        let mut out = File::create(&staged).expect("a file");
        out.write_all(&bytes).expect("the bytes");
        out.sync_all().expect("a flush");
        fs::rename(&staged, base.join("plain")).expect("a rename");
        plain.push(begun.elapsed());
        File::open(base)
            .and_then(|dir| dir.sync_all())
            .expect("a flush");
        lasting.push(begun.elapsed());
    }
    let (ours, plain, lasting) = (median(ours), median(plain), median(lasting));
    let ratio = ours.as_secs_f64() / plain.as_secs_f64();
    let honest = ours.as_secs_f64() / lasting.as_secs_f64();
    let Case { name, goal, .. } = case;
    println!(
        "{name}: {files} written in {ours:.2?}; plain {plain:.2?}, {ratio:.2} times (goal {goal}); \
         with the folder flushed {lasting:.2?}, {honest:.2} times"
    );
}

/// The time of a process that records in one file, from its start to its end.
fn whole_process(base: &Path) -> Duration {
    let times = (0..ROUNDS).map(|round| {
        let begun = Instant::now();
        let status = Command::new(env!("CARGO_BIN_EXE_relight"))
            .args(["record", "57", "--step", "execute", "--progress"])
            .arg(format!("round={round}"))
            .current_dir(base.join("notes"))
            .env("XDG_STATE_HOME", base.join("state"))
            .stdout(Stdio::null())
            .status();
        assert!(status.is_ok_and(|status| status.success()));
        begun.elapsed()
    });
    median(times.collect())
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times.get(times.len() / 2).copied().expect("rounds")
}

/// Records, and says how many files were written. Each round is two seconds later, so that none is a repetition.
fn record(
    base: &Path,
    pipeline: &str,
    round: usize,
    (words, values): (Vec<String>, Value),
) -> usize {
    let seconds = 2 * i64::try_from(round).expect("few rounds");
    let now = chrono::DateTime::from_timestamp(1_750_000_000 + seconds, 0);
    let world = FakeWorld {
        clock: FixedClock(now.expect("a time").fixed_offset()),
        files: RealFiles,
        git: RealGit,
        processes: FakeProcesses::default(),
        places: Places {
            state: Some(base.join("state")),
            claude: Some(base.join("home/.claude")),
            temp: vec![base.join("tmp")],
            uid: rustix::process::geteuid().as_raw(),
            ..Places::default()
        },
    };
    let values: Map<String, Value> = values.as_object().cloned().unwrap_or_default();
    let path = base.join(pipeline);
    let ask = RecordAsk {
        pipeline: if path.exists() {
            path.into()
        } else {
            pipeline.into()
        },
        words,
        values,
        ..RecordAsk::default()
    };
    let request = Request {
        cwd: base.to_owned(),
        ..Request::default()
    };
    let engine = Engine::new(Box::new(world), Vec::new());
    engine
        .record(&ask, &request, &Cancel::new())
        .expect("a record")
        .files
        .len()
}
