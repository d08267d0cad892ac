//! A program in a pseudo-terminal of 120×40, and when it shows what.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

/// Starts a program in a terminal of its own and gives when its first byte came and when each text was on the
/// screen; then types `quit` and waits for the end.
pub(crate) fn run(command: &[String], cwd: &Path, wanted: &[&str], quit: &str) -> Vec<Duration> {
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
        // A terminal tells its background, and what it is.
        if block[..read].windows(3).any(|bytes| bytes == b"\x1b[c") {
            let answer = b"\x1b]11;rgb:0000/0000/0000\x1b\\\x1b[?62c";
            writer.write_all(answer).expect("an answer");
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

pub(crate) fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times[times.len() / 2]
}

pub(crate) fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1e3
}
