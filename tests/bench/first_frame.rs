//! How soon a person sees something: from the start of the process to the first byte, to the first whole frame
//! and to the first pipeline on screen, in a real pseudo-terminal of 120×40 on the demo's sandbox; side by side
//! with `less -S` on a file of it. The runs take turns, the medians and the ratio are printed.
//!
//! `cargo bench --bench first_frame`

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::print_stdout,
    reason = "a bench prints its figures and ends at the first surprise"
)]

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

const ROUNDS: usize = 15;

fn main() {
    // `cargo test --benches` runs this too: then it only has to compile.
    if std::env::args().any(|arg| arg == "--test") {
        return;
    }
    let dir = tempfile::tempdir().expect("a temporary directory");
    let root = dir.path().join("demo");
    relight::demo::build(&root, chrono::Utc::now()).expect("a sandbox");
    let text = root.join("projects/shop/README.md");
    let console = [env!("CARGO_BIN_EXE_relight").to_owned(), shown(&root)];
    let less = ["less".to_owned(), "-S".to_owned(), shown(&text)];
    let (mut byte, mut frame, mut row, mut peer) = (vec![], vec![], vec![], vec![]);
    for _ in 0..ROUNDS {
        let seen = run(&console, &root, &["relight", "Make the price page"], "q");
        byte.push(seen[0]);
        frame.push(seen[1]);
        row.push(seen[2]);
        peer.push(run(&less, &root, &["shop"], "q")[1]);
    }
    let (byte, frame, row, peer) = (median(byte), median(frame), median(row), median(peer));
    println!("relight: first byte           {:>7.1} ms", millis(byte));
    println!("relight: first frame          {:>7.1} ms", millis(frame));
    println!("relight: first pipeline shown {:>7.1} ms", millis(row));
    println!("less -S: content shown        {:>7.1} ms", millis(peer));
    println!(
        "ratio of first frames         {:>7.2}",
        millis(frame) / millis(peer)
    );
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

/// Starts a program in a terminal of its own and gives when its first byte came and when each text was on the
/// screen; then types `quit` and waits for the end.
fn run(command: &[String], cwd: &Path, wanted: &[&str], quit: &str) -> Vec<Duration> {
    let size = PtySize {
        rows: 40,
        cols: 120,
        ..PtySize::default()
    };
    let pair = native_pty_system()
        .openpty(size)
        .expect("a pseudo-terminal");
    let mut builder = CommandBuilder::new(&command[0]);
    builder.args(&command[1..]);
    builder.cwd(cwd);
    builder.env("TERM", "xterm-256color");
    let begun = Instant::now();
    let mut child = pair
        .slave
        .spawn_command(builder)
        .expect("the program starts");
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().expect("its output");
    let mut writer = pair.master.take_writer().expect("its input");
    let mut parser = vt100::Parser::new(40, 120, 0);
    let mut times = Vec::new();
    let mut block = [0; 16 << 10];
    let mut next = wanted.iter().peekable();
    while next.peek().is_some() {
        let read = reader.read(&mut block).expect("the program writes");
        assert!(
            read > 0,
            "the program ended before it showed what was wanted"
        );
        if times.is_empty() {
            times.push(begun.elapsed());
        }
        parser.process(&block[..read]);
        let screen = parser.screen().contents();
        while next.next_if(|text| screen.contains(**text)).is_some() {
            times.push(begun.elapsed());
        }
    }
    writer.write_all(quit.as_bytes()).expect("a key");
    // The rest of its output is read so that it can end.
    std::thread::spawn(move || while matches!(reader.read(&mut block), Ok(1..)) {});
    child.wait().expect("the program ends");
    times
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
