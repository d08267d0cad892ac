//! What ends the console while it writes (W1): ctrl-c cancels until it is too late, a signal waits for the result,
//! and the terminal is restored. The system calls of relight are slowed down, so that there is time to.

use std::path::Path;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::tty::Tty;

/// Whether strace can slow a program down here.
fn strace() -> bool {
    let words = ["-f", "-e", "trace=openat", "-o", "/dev/null", "true"];
    let tried = std::process::Command::new("strace").args(words).output();
    tried.is_ok_and(|output| output.status.success())
}

/// A sandbox of its own.
fn sandbox() -> tempfile::TempDir {
    let dir = crate::support::temporary::directory();
    relight::demo::build(&dir.path().join("demo"), chrono::Utc::now()).unwrap();
    dir
}

/// The console over a sandbox, where a call of this name takes so long; a plan is being applied.
fn writing(demo: &Path, call: &str, milliseconds: u64) -> Tty {
    let trace = format!("trace={call}");
    let inject = format!("inject={call}:delay_enter={}", milliseconds * 1_000);
    let relight = env!("CARGO_BIN_EXE_relight");
    let args = [
        "-f",
        "-qq",
        "-e",
        &trace,
        "-e",
        &inject,
        "-o",
        "/dev/null",
        relight,
        demo.to_str().unwrap(),
    ];
    let mut tty = Tty::start("strace", &args, demo, 100, 30);
    tty.wait("the list", |screen| {
        let text = screen.contents();
        text.contains("scope paths") && !text.contains("looking")
    });
    tty.keys("/crucible\r");
    tty.wait("one pipeline", |screen| {
        screen.contents().contains("filtered out")
    });
    tty.keys("p");
    tty.wait("the plan", |screen| {
        screen.contents().contains("All guards are ok")
    });
    tty.keys("A");
    tty.wait("the question", |screen| {
        screen.contents().contains("Apply this plan?")
    });
    tty.keys("yes\r");
    tty.wait("the gauges", |screen| {
        screen.contents().contains("Ctrl-C cancels")
    });
    tty
}

/// True once files are being exchanged.
fn exchanging(screen: &vt100::Screen) -> bool {
    let text = screen.contents();
    let mut lines = text.lines();
    lines.any(|line| line.contains("Exchange") && line.contains(" of ") && !line.contains(" 0 of "))
}

/// The program that strace runs.
fn traced(tty: &Tty) -> Pid {
    let strace = tty.pid().as_raw_nonzero();
    let children = format!("/proc/{strace}/task/{strace}/children");
    let begun = Instant::now();
    loop {
        let found = std::fs::read_to_string(&children).unwrap();
        let first = found
            .split_whitespace()
            .next()
            .and_then(|id| id.parse().ok());
        if let Some(pid) = first.and_then(Pid::from_raw) {
            return pid;
        }
        assert!(
            begun.elapsed() < Duration::from_secs(60),
            "strace runs nothing"
        );
    }
}

/// What is pending in a sandbox, and how many recoveries were committed.
fn history(demo: &Path) -> (bool, usize) {
    let ask = |command: &str| {
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_relight"))
            .args([command, "--json"])
            .current_dir(demo)
            .env_clear()
            .env("HOME", "/nonexistent")
            .env("TMPDIR", "/nonexistent/tmp")
            .output()
            .unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let pending = !ask("list").contains("\"pending_recovery\":null");
    (
        pending,
        ask("history").matches("\"state\":\"committed\"").count(),
    )
}

#[test]
fn w1_ctrl_c_cancels_a_plan_that_is_being_prepared() {
    if !strace() {
        return;
    }
    let dir = sandbox();
    let demo = dir.path().join("demo");
    let file = demo.join("projects/shop/src/price.rs");
    let before = std::fs::read(&file).unwrap();
    let mut tty = writing(&demo, "mkdirat", 1_500);
    tty.keys("\x03");
    // On a busy machine the outcome may be the next picture that is read.
    tty.wait("that it cancels", |screen| {
        let text = screen.contents();
        text.contains("removing what was prepared") || text.contains("Canceled: ")
    });
    tty.wait("the outcome", |screen| {
        screen.contents().contains("Canceled: ")
    });
    assert_eq!(std::fs::read(&file).unwrap(), before);
    assert_eq!(history(&demo), (false, 0));
    assert!(!demo.join("projects/shop/.git/index.lock").exists());
    tty.keys("qqq");
    assert_eq!(tty.ended(), Some(0));
    tty.assert_given_back();
}

#[test]
fn w1_ctrl_c_waits_once_files_change() {
    if !strace() {
        return;
    }
    let dir = sandbox();
    let demo = dir.path().join("demo");
    let mut tty = writing(&demo, "renameat2", 250);
    tty.wait("the exchange", exchanging);
    tty.keys("\x03");
    tty.wait("that it is too late", |screen| {
        screen.contents().contains("Too late to cancel")
    });
    tty.keys("q\x03");
    tty.wait("the outcome", |screen| {
        let text = screen.contents();
        text.contains("Verification") && text.contains("Canceled too late")
    });
    assert_eq!(history(&demo), (false, 1));
    tty.keys("qqq");
    assert_eq!(tty.ended(), Some(0));
    tty.assert_given_back();
}

#[test]
fn w1_a_signal_waits_for_what_is_written_and_gives_the_terminal_back() {
    if !strace() {
        return;
    }
    for signal in [Signal::TERM, Signal::HUP] {
        let dir = sandbox();
        let demo = dir.path().join("demo");
        let mut tty = writing(&demo, "renameat2", 250);
        tty.wait("the exchange", exchanging);
        kill_process(traced(&tty), signal).unwrap();
        tty.wait("that it ends", |screen| {
            screen.contents().contains("quits as soon as this is done")
        });
        assert_eq!(tty.ended(), Some(130), "{signal:?}");
        tty.assert_given_back();
        tty.screen(|screen| {
            let text = screen.contents();
            assert!(
                text.contains("was committed. To undo it: relight undo"),
                "{text}"
            );
        });
        assert_eq!(history(&demo), (false, 1), "{signal:?}");
    }
}

#[test]
fn w1_a_closed_terminal_does_not_cut_short_what_is_written() {
    if !strace() {
        return;
    }
    let dir = sandbox();
    let demo = dir.path().join("demo");
    let tty = writing(&demo, "renameat2", 250);
    tty.wait("the exchange", exchanging);
    let pid = traced(&tty);
    // With the leader of its session the terminal hangs up.
    tty.signal(Signal::KILL);
    let stat = format!("/proc/{}/stat", pid.as_raw_nonzero());
    let lives = || std::fs::read_to_string(&stat).is_ok_and(|stat| !stat.contains(") Z "));
    let begun = Instant::now();
    while lives() {
        assert!(begun.elapsed() < Duration::from_secs(60), "it did not end");
        std::thread::sleep(Duration::from_millis(15));
    }
    assert_eq!(history(&demo), (false, 1));
    assert!(!demo.join("projects/shop/.git/index.lock").exists());
}
