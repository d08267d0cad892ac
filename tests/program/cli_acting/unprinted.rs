//! W12: an answer that cannot be printed. What was done is said all the same, and it is no bug.

use std::fs::File;
use std::process::{Command, Stdio};

use super::sandbox::Sandbox;

/// Runs a command in a sandbox with this stdout. Gives the code and what was said beside it.
fn into(sandbox: &Sandbox, args: &[&str], stdout: Stdio) -> (i32, String) {
    let output = Command::new(assert_cmd::cargo::cargo_bin!("relight"))
        .args(args)
        .current_dir(sandbox.root())
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", "/nonexistent")
        .env("TZ", "UTC")
        .env("COLUMNS", "80")
        .stdout(stdout)
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    (output.status.code().unwrap(), said)
}

/// A device that has no room; `None` where there is none.
fn full() -> Option<Stdio> {
    let full = File::options().write(true).open("/dev/full").ok();
    full.map(Stdio::from)
}

/// A pipe whose reader has gone.
fn closed() -> Stdio {
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    writer.into()
}

#[test]
fn w12_a_restore_whose_answer_cannot_be_printed_says_that_it_was_committed() {
    for json in [&["--json"][..], &[]] {
        let sandbox = Sandbox::new();
        let id = sandbox.crucible();
        let latest = || {
            let (_, history) = sandbox.json(&["history"]);
            assert_eq!(history["recoveries"][0]["state"], "committed");
            history["recoveries"][0]["id"].as_str().unwrap().to_owned()
        };
        let Some(stdout) = full() else { return };
        let args = [&["resume", &id, "--yes"], json].concat();
        let (code, said) = into(&sandbox, &args, stdout);
        let done = latest();
        assert_eq!(code, 7, "{said}");
        let wanted = format!("recovery {done} was applied; to undo it: relight undo {done}");
        assert!(said.contains(&wanted), "{said}");
        assert!(
            said.contains("cannot write to stdout: no space left."),
            "{said}"
        );
        assert!(!said.contains("bug"), "{said}");
        let args = [&["undo", "--yes"], json].concat();
        let (code, said) = into(&sandbox, &args, closed());
        let done = latest();
        assert_eq!(code, 0, "{said}");
        assert!(
            said.contains(&format!("recovery {done} was applied")),
            "{said}"
        );
    }
}

#[test]
fn a_replay_whose_answer_cannot_be_printed_says_that_it_ran() {
    let sandbox = Sandbox::new();
    let Some(stdout) = full() else { return };
    let args = [
        "replay",
        "projects/labels",
        "--mutate",
        "red-team-prompt.md=projects/labels-experiment/red-team-v2.md",
        "--no-runner",
    ];
    let (code, said) = into(&sandbox, &args, stdout);
    assert_eq!(code, 7, "{said}");
    assert!(said.contains("the replay ran (1 session)"), "{said}");
    assert!(!said.contains("Nothing was changed"), "{said}");
}

#[test]
fn w12_what_only_reads_says_that_it_could_not_print() {
    let sandbox = Sandbox::new();
    for args in [&["list"][..], &["list", "--json"], &["--help"], &["man"]] {
        let Some(stdout) = full() else { return };
        let (code, said) = into(&sandbox, args, stdout);
        assert_eq!(code, 6, "{args:?}: {said}");
        assert!(
            said.contains("cannot write to stdout: no space left."),
            "{said}"
        );
        let (code, said) = into(&sandbox, args, closed());
        assert_eq!((code, said.as_str()), (0, ""), "{args:?}");
    }
}

#[test]
fn w12_an_error_keeps_its_code_and_its_words_where_its_object_cannot_be_printed() {
    let sandbox = Sandbox::new();
    for stdout in [full(), Some(closed())].into_iter().flatten() {
        let (code, said) = into(&sandbox, &["show", "no-such", "--json"], stdout);
        assert_eq!(code, 2, "{said}");
        assert!(said.contains("no-such"), "{said}");
    }
}
