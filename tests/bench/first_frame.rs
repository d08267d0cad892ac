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

mod screen;

use std::path::Path;

use screen::{median, millis, run};

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
