//! Reading a manifest of a million lines, side by side with a plain loop of borrowed serde over the file read
//! in blocks: the runs take turns, the medians and their ratio are printed. Ours opens the whole pipeline:
//! lines, last entry of each dispatch, phases, status. Then what a person waits for who asks for its timeline as JSON,
//! beside the time to open it, and for its other pages.
//!
//! `cargo bench --bench manifest`

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a bench prints its figures and ends at the first surprise"
)]

#[path = "../../src/world/fake.rs"]
mod fake;

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use mimalloc::MiMalloc;
use relight::systems::{Candidate, SYSTEMS};
use serde::Deserialize;

use fake::FakeWorld;

/// relight's own; its peer is measured with it too.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

const LINES: u64 = 1_000_000;
const EVENTS: usize = 900_000;
const ROUNDS: usize = 10;
const ROUNDS_OF_COMMANDS: usize = 3;
const SESSION: &str = "1775430161";

fn main() {
    // `cargo test --benches` runs this too: then it only has to compile.
    if std::env::args().any(|arg| arg == "--test") {
        return;
    }
    let dir = tempfile::tempdir().expect("a temporary directory");
    let folder = dir.path().join(format!("crucible-dispatch-{SESSION}"));
    std::fs::create_dir(&folder).expect("a directory");
    let file = folder.join("manifest.jsonl");
    let text = manifest();
    std::fs::write(&file, &text).expect("a manifest");
    println!("{LINES} lines, {} MB", text.len() / 1_000_000);
    drop(text);
    let world = FakeWorld::from("2026-04-08T15:00:00Z");
    let mut times = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        let events = open(&world, &file);
        times.0.push(begun.elapsed());
        assert!(events > EVENTS, "every good line is an event");
        let begun = Instant::now();
        let dispatches = plain(&file);
        times.1.push(begun.elapsed());
        assert!(dispatches > 400_000, "the peer reads the same");
    }
    let peak = peak();
    let (ours, theirs) = (median(times.0), median(times.1));
    println!("relight, the pipeline opened {:>8.1} ms", millis(ours));
    println!("serde loop, last per seq     {:>8.1} ms", millis(theirs));
    println!(
        "ratio                        {:>8.2}   (goal G3: at most 0.60)",
        millis(ours) / millis(theirs)
    );
    if let Some(peak) = peak {
        println!("peak memory of both          {peak:>8} kB");
    }
    let asked = |command: &str, option: Option<&str>| {
        let rounds = (0..ROUNDS_OF_COMMANDS).map(|_| command_time(dir.path(), command, option));
        median(rounds.collect())
    };
    let json = asked("timeline", Some("--json"));
    println!("relight timeline --json      {:>8.1} ms", millis(json));
    println!(
        "ratio to the time to open    {:>8.2}   (goal: at most 2.00)",
        millis(json) / millis(ours)
    );
    for command in ["show", "verify", "points", "plan"] {
        let time = millis(asked(command, None));
        println!("relight {command:<20} {time:>8.1} ms");
    }
}

/// A command on the pipeline, from the start of the process to its end; what it prints is thrown away.
fn command_time(dir: &Path, command: &str, option: Option<&str>) -> Duration {
    let begun = Instant::now();
    let status = Command::new(env!("CARGO_BIN_EXE_relight"))
        .args([command, SESSION])
        .args(option)
        .env("HOME", dir)
        .env("TMPDIR", dir)
        .current_dir(dir)
        .stdout(Stdio::null())
        .status()
        .expect("relight");
    // A plan without a checkpoint is refused, which takes as long.
    assert!(status.success() || command == "plan", "{command}");
    begun.elapsed()
}

/// Opens the pipeline as discovery would.
fn open(world: &FakeWorld, file: &Path) -> usize {
    let crucible = SYSTEMS
        .iter()
        .find(|s| s.name().0 == "crucible")
        .expect("crucible is registered");
    let sources = vec![file.to_owned()];
    let candidate = Candidate::new(crucible.name(), SESSION, "", sources);
    crucible.open(&candidate, world).timeline().len()
}

/// What the peer keeps of a line.
#[derive(Deserialize)]
struct Entry<'a> {
    seq: u64,
    #[serde(borrow)]
    status: Cow<'a, str>,
}

/// A plain loop: blocks, lines, borrowed serde, the last status of each dispatch.
fn plain(file: &Path) -> usize {
    let mut file = std::fs::File::open(file).expect("the manifest");
    let mut last: HashMap<u64, u8> = HashMap::new();
    let mut block = vec![0; 2 << 20];
    let mut rest = Vec::new();
    loop {
        let read = file.read(&mut block).expect("a block");
        if read == 0 {
            return last.len();
        }
        rest.extend_from_slice(&block[..read]);
        let end = memchr::memrchr(b'\n', &rest).map_or(0, |at| at + 1);
        for line in rest[..end].split(|b| *b == b'\n') {
            if let Ok(entry) = serde_json::from_slice::<Entry<'_>>(line) {
                last.insert(entry.seq, entry.status.as_bytes()[0]);
            }
        }
        rest.drain(..end);
    }
}

/// Each dispatch twice, a torn line now and then.
fn manifest() -> String {
    let mut text = String::with_capacity(260 << 20);
    let words = "added module fixed race removed unwrap updated tests plan stage gate verified contract edge boundary retry";
    for n in 0..LINES {
        let seq = n / 2 + 1;
        let role = ["implementer", "reviewer", "red-team", "plan-writer"][(seq % 4) as usize];
        let phase = seq * 4 / LINES + 1;
        if n % 5_000 == 4_999 {
            let _ = writeln!(text, "{{\"seq\":{seq},\"file\":\"torn-wri");
        } else if n % 2 == 0 {
            let _ = writeln!(
                text,
                "{{\"seq\":{seq},\"file\":\"{seq}-{role}.md\",\"role\":\"{role}\",\"phase\":\"{phase}\",\"task\":{},\"status\":\"dispatched\",\"model_tier\":\"opus\"}}",
                seq % 40
            );
        } else {
            let _ = writeln!(
                text,
                "{{\"seq\":{seq},\"file\":\"{seq}-{role}.md\",\"role\":\"{role}\",\"phase\":\"{phase}\",\"task\":{},\"status\":\"completed\",\"duration_s\":{},\"summary\":\"{words} {words} {seq}\",\"input_chars\":9120,\"output_chars\":3301,\"model_tier\":\"opus\",\"tool_calls\":41}}",
                seq % 40,
                seq % 900
            );
        }
    }
    text
}

/// The most memory this process ever held, in kB.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status
        .lines()
        .find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().trim_end_matches(" kB").parse().ok()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
