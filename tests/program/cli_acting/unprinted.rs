//! W12: an answer that cannot be printed. What was done is said all the same, and it is no bug.

use std::fs::File;
use std::process::{Command, Stdio};

use super::crashed::cut_short;
use super::sandbox::Sandbox;

/// Runs a command in a sandbox with this stdout. Gives the code and what was said beside it.
fn into(sandbox: &Sandbox, args: &[&str], stdout: Stdio) -> (i32, String) {
    let output = Command::new(assert_cmd::cargo::cargo_bin!("relight"))
        .args(args)
        .current_dir(sandbox.root())
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", "/nonexistent")
        .env("TMPDIR", "/nonexistent/tmp")
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
fn a_console_that_cannot_be_printed_is_no_bug() {
    let sandbox = Sandbox::new();
    let Some(stdout) = full() else { return };
    let (code, said) = into(&sandbox, &["--plain"], stdout);
    assert_eq!(code, 6, "{said}");
    let wanted = "cannot write to stdout: no space left.";
    assert!(said.contains(wanted) && !said.contains("bug"), "{said}");
}

/// Commands that change nothing.
const READ: &[&str] = &[
    "list",
    "show",
    "why",
    "timeline",
    "verify",
    "points",
    "plan",
    "checkpoints",
    "history",
    "compare",
    "wait",
    "hooks",
    "doctor",
    "completions",
    "man",
    "stub-runner",
];

/// What every changing command says that it did, in an order in which each finds something to do.
const CHANGES: &[(&[&str], &str)] = &[
    (
        &["record", "57", "--step", "execute", "--stage", "executing"],
        "recorded: ",
    ),
    (
        &["checkpoint", "superscientist-polymer", "--reason", "safe"],
        " was taken",
    ),
    (&["rehearse", "mgw-58", "fresh"], "the rehearsal is in "),
    (&["export", "claude-workflow", "out"], " exported to "),
    (
        &["export", "mgw-58", "reports", "--report"],
        " exported to ",
    ),
    (
        &["resume", "superscientist-polymer", "--yes"],
        "the briefing was written to ",
    ),
    (
        &[
            "resume",
            "mgw-58",
            "--yes",
            "--launch",
            "--config",
            "agent.toml",
        ],
        "the agent was launched",
    ),
    (
        &["resume", "mgw-57", "step-plan", "--yes", "--assume-stopped"],
        " was applied; to undo it: ",
    ),
    (
        &["undo", "--yes", "--assume-stopped"],
        " was applied; to undo it: ",
    ),
    (
        &["redo", "--yes", "--assume-stopped"],
        " was applied; to undo it: ",
    ),
    (&["recover", "--yes", "--assume-stopped"], " is finished."),
    (
        &[
            "amend",
            "superscientist-polymer",
            "--type",
            "stage_skip",
            "--stage",
            "stage-3",
            "--reason",
            "no need",
            "--approved-by",
            "Ada",
            "--assume-stopped",
            "--yes",
        ],
        " was applied; to undo it: ",
    ),
    (
        &["restore", "crucible", "--checkpoint", "CHECKPOINT", "--yes"],
        " was applied; to undo it: ",
    ),
    (&["purge", "2", "--yes"], "Deleted "),
    (
        &[
            "replay",
            "projects/labels",
            "--mutate",
            "red-team-prompt.md=projects/labels-experiment/red-team-v2.md",
            "--no-runner",
        ],
        "the replay ran ",
    ),
    (
        &["demo", "inner", "--no-console"],
        "the sandbox was created in ",
    ),
];

#[test]
fn each_command_that_changes_something_says_what_it_did_where_its_answer_cannot_be_printed() {
    let command = relight::cli::command();
    let mut known: Vec<&str> = CHANGES.iter().map(|(args, _)| args[0]).collect();
    known.dedup();
    for one in command.get_subcommands() {
        let name = one.get_name();
        let changes = known.contains(&name);
        assert_ne!(changes, READ.contains(&name), "{name}: changing or reading");
    }
    let sandbox = Sandbox::new();
    let crucible = sandbox.crucible();
    let (_, checkpoints) = sandbox.json(&["checkpoints", &crucible]);
    let checkpoint = checkpoints["checkpoints"][0]["id"].as_str().unwrap();
    let agent = "[agent]\nmgw = [\"/bin/true\"]\n";
    std::fs::write(sandbox.root().join("agent.toml"), agent).unwrap();
    let latest = || {
        let (_, history) = sandbox.json(&["history"]);
        let id = history["recoveries"][0]["id"].as_str();
        id.unwrap_or_default().to_owned()
    };
    for (args, done) in CHANGES {
        let Some(stdout) = full() else { return };
        let mut args = args.to_vec();
        let newest = latest();
        match args[0] {
            "recover" => cut_short(&sandbox, &newest, &[("DONE", "done.slot")]),
            "purge" => args[1] = &newest,
            "restore" => (args[1], args[3]) = (&crucible, checkpoint),
            _ => {}
        }
        let (code, said) = into(&sandbox, &args, stdout);
        assert_eq!(code, 7, "{args:?}: {said}");
        assert!(said.contains(done), "{args:?}: {said}");
        assert!(!said.contains("Nothing was changed"), "{args:?}: {said}");
    }
}

#[test]
fn what_was_done_is_said_where_stdout_was_closed_before_the_start() {
    let sandbox = Sandbox::new();
    let closed = |args: &[&str]| {
        let relight = assert_cmd::cargo::cargo_bin!("relight");
        let mut shell = Command::new("/bin/sh");
        shell
            .args(["-c", "exec \"$0\" \"$@\" >&-"])
            .arg(relight)
            .args(args);
        shell
            .current_dir(sandbox.root())
            .env("HOME", "/nonexistent")
            .env("TMPDIR", "/nonexistent/tmp")
            .env("TZ", "UTC");
        let output = shell.output().unwrap();
        (
            output.status.code().unwrap(),
            String::from_utf8(output.stderr).unwrap(),
        )
    };
    let (code, said) = closed(&["resume", "mgw-57", "step-plan", "--yes"]);
    assert_eq!(code, 0, "{said}");
    assert!(
        said.contains(" was applied; to undo it: relight undo "),
        "{said}"
    );
    let (code, said) = closed(&["list"]);
    assert_eq!((code, said.as_str()), (0, ""));
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

/// In a script, `relight verify X | head -1` with `pipefail` must not turn "no" into "yes".
#[test]
fn an_answer_that_nobody_reads_keeps_its_exit_code() {
    let sandbox = Sandbox::new();
    let crucible = sandbox.crucible();
    for (args, expected) in [
        (&["undo"][..], 1),
        (&["list", "--brief", "--fail"], 1),
        (&["plan", &crucible, "--path", "gone"], 3),
        (&["wait", &crucible, "--timeout", "0"], 6),
        (&["show", &crucible], 0),
    ] {
        for json in [&[][..], &["--json"]] {
            let args = [args, json].concat();
            assert_eq!(into(&sandbox, &args, Stdio::null()).0, expected, "{args:?}");
            assert_eq!(into(&sandbox, &args, closed()).0, expected, "{args:?}");
        }
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
