//! Discovery beneath 200,000 files, side by side with `fd` where it is installed, else with `find`: the runs
//! take turns, the medians and their ratio are printed.
//!
//! `cargo bench --bench discover`

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a bench prints its figures and ends at the first surprise"
)]

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

use relight::discover::{Limits, Names, walk};
use relight::systems::{Found, Hit, Marker};

const ROUNDS: usize = 15;
const STATE_FILES: [&str; 3] = [
    "manifest.jsonl",
    "workflow-state.json",
    "conference_events.jsonl",
];

fn main() {
    // `cargo test --benches` runs this too: then it only has to compile.
    if std::env::args().any(|arg| arg == "--test") {
        return;
    }
    let dir = tempfile::tempdir().expect("a temporary directory");
    let files = grow(dir.path()).expect("a tree of files");
    println!("{files} files, 60 of them state files");
    let peer = peer(dir.path());
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let begun = Instant::now();
        let found = discover(dir.path());
        ours.push(begun.elapsed());
        assert_eq!(found, 60, "every state file is found, and nothing else");
        let begun = Instant::now();
        let answer = Command::new(&peer.0[0])
            .args(&peer.0[1..])
            .stdin(Stdio::null())
            .output()
            .expect("the peer runs");
        theirs.push(begun.elapsed());
        let lines = memchr::memchr_iter(b'\n', &answer.stdout).count();
        assert_eq!(lines, 60, "the peer gives the same answer");
    }
    let (ours, theirs) = (median(ours), median(theirs));
    println!("relight, pruned   {:>8.2} ms", millis(ours));
    println!(
        "{:<17} {:>8.2} ms   (whole process)",
        peer.1,
        millis(theirs)
    );
    println!(
        "ratio             {:>8.2}      (goal G2: at most 0.60 of fd)",
        millis(ours) / millis(theirs)
    );
}

fn discover(root: &Path) -> usize {
    let names = Names::new(STATE_FILES.map(Marker::File));
    let found = Mutex::new(0);
    let from = |root: &Path| Found::Walk {
        root: root.to_owned(),
    };
    let sink = |_: Hit| *found.lock().expect("no reader panics") += 1;
    walk(
        &[root.to_owned()],
        &names,
        Limits::default(),
        &AtomicU64::new(0),
        &from,
        &sink,
    );
    found.into_inner().expect("no reader panics")
}

/// The peer's command line and its name.
fn peer(root: &Path) -> (Vec<String>, &'static str) {
    let root = root.to_string_lossy().into_owned();
    let fd = Command::new("fd")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
    if fd.is_ok_and(|status| status.success()) {
        let names = format!("^({})$", STATE_FILES.join("|").replace('.', "\\."));
        let words = [
            "fd",
            "-HI",
            "-tf",
            "-E",
            "node_modules",
            "-E",
            ".git",
            "-E",
            "target",
            &names,
            &root,
        ];
        return (words.map(str::to_owned).to_vec(), "fd, pruned");
    }
    println!("fd is not installed; find stands in, which is slower.");
    let mut words = vec!["find".to_owned(), root];
    for pruned in ["node_modules", ".git", "target"] {
        words.extend(["-name", pruned, "-prune", "-o"].map(str::to_owned));
    }
    words.extend(["-type", "f", "("].map(str::to_owned));
    for (at, name) in STATE_FILES.iter().enumerate() {
        words.extend((at > 0).then(|| "-o".to_owned()));
        words.extend(["-name", name].map(str::to_owned));
    }
    words.extend([")", "-print"].map(str::to_owned));
    (words, "find, pruned")
}

/// Forty projects with sources, a git directory and packages; sixty state files among them.
fn grow(root: &Path) -> std::io::Result<u64> {
    let mut files = 0;
    let mut write = |dir: &Path, name: &str| {
        files += 1;
        std::fs::write(dir.join(name), b"{\"seq\":1,\"status\":\"dispatched\"}\n")
    };
    for project in 0..40 {
        let top = root.join(format!("ws{}/proj{project:02}", project % 8));
        for fan in 0..120 {
            let dir = top.join(format!(".git/objects/{fan:02x}"));
            std::fs::create_dir_all(&dir)?;
            (0..8).try_for_each(|n| write(&dir, &format!("{n:038x}")))?;
        }
        for package in 0..118 {
            for (part, count) in [("lib", 15), ("dist", 11)] {
                let dir = top.join(format!("node_modules/pkg{package:03}/{part}"));
                std::fs::create_dir_all(&dir)?;
                (0..count).try_for_each(|n| write(&dir, &format!("m{n}.js")))?;
            }
        }
        for module in 0..17 {
            let dir = top.join(format!("src/mod{module:02}"));
            std::fs::create_dir_all(&dir)?;
            (0..50).try_for_each(|n| write(&dir, &format!("file{n:03}.rs")))?;
        }
    }
    for run in 0..60 {
        let dir = root.join(format!(
            "ws{}/proj{:02}/.pipeline/run-{run:03}",
            run % 40 % 8,
            run % 40
        ));
        std::fs::create_dir_all(&dir)?;
        write(&dir, STATE_FILES[run % 3])?;
    }
    Ok(files)
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
