//! The terminal is closed while the console is open.

use std::io::Read as _;
use std::time::{Duration, Instant};

use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use crate::cli_acting::ended::soon;
use crate::cli_acting::sandbox::Sandbox;

/// The console as the session's leader, which gets a signal, and as a program of one that keeps it to itself.
#[test]
fn a_console_whose_terminal_is_closed_ends_as_cancelled() {
    let sandbox = Sandbox::new();
    let code = sandbox.root().join("code");
    let relight = env!("CARGO_BIN_EXE_relight");
    let script = format!(
        "trap : HUP; {relight}; echo $? > {0}.new; mv {0}.new {0}",
        code.display()
    );
    for words in [&[relight][..], &["/bin/sh", "-c", &script]] {
        let pair = native_pty_system().openpty(PtySize::default()).unwrap();
        let mut command = CommandBuilder::new(words[0]);
        command.args(&words[1..]);
        command.cwd(sandbox.root().join("projects/shop"));
        command.env("HOME", sandbox.root().join("home"));
        command.env("TMPDIR", sandbox.root().join("home/tmp"));
        command.env("XDG_STATE_HOME", sandbox.root().join("state"));
        command.env("TERM", "xterm-256color");
        let mut child = pair.slave.spawn_command(command).unwrap();
        drop(pair.slave);
        let mut output = pair.master.try_clone_reader().unwrap();
        let (mut shown, mut bytes) = (String::new(), [0; 4096]);
        while !shown.contains("Enter") {
            let read = output.read(&mut bytes).unwrap();
            shown.push_str(&String::from_utf8_lossy(&bytes[..read]));
        }
        let closed = Instant::now();
        drop((output, pair.master));
        let ended = child.wait().unwrap();
        if words.len() == 1 {
            assert_eq!(
                (ended.exit_code(), ended.signal()),
                (130, None),
                "{ended:?}"
            );
        } else {
            let code = soon("no exit code", || std::fs::read_to_string(&code).ok());
            assert_eq!(code, "130\n");
        }
        // Not only at the next tick of the clock.
        assert!(closed.elapsed() < Duration::from_secs(30));
    }
}
