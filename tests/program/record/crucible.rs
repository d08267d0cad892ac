//! Runs: numbered dispatches with their files, their outcomes, and the phase of the marker.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

use crate::cli_acting::sandbox::Sandbox;

/// The session of the interrupted run, and its dispatch folder.
pub(super) fn run(sandbox: &Sandbox) -> (String, String) {
    let id = sandbox.crucible();
    let session = id
        .trim_start_matches("crucible-")
        .split('~')
        .next()
        .unwrap()
        .to_owned();
    let folder = format!("home/tmp/crucible-dispatch-{session}");
    (session, folder)
}

/// Records an outcome for the dispatches that have none.
pub(super) fn all_ended(sandbox: &Sandbox, session: &str) {
    for seq in ["8", "9"] {
        let args = [
            session,
            "done",
            seq,
            "--status",
            "skipped",
            "--summary",
            "x",
        ];
        sandbox.recorded(&args);
    }
}

fn lines(sandbox: &Sandbox, folder: &str) -> Vec<Value> {
    let text = sandbox.text(&format!("{folder}/manifest.jsonl"));
    let lines = text
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok());
    lines.collect()
}

#[test]
#[expect(
    clippy::too_many_lines,
    reason = "one run, recorded from its first dispatch on"
)]
fn a_dispatch_has_its_file_and_two_lines() {
    let sandbox = Sandbox::new();
    let (session, folder) = run(&sandbox);
    fs::write(sandbox.path("body.md"), "Write the cache.\n").unwrap();
    let before = lines(&sandbox, &folder);
    let last = before
        .iter()
        .map(|line| line["seq"].as_u64().unwrap())
        .max()
        .unwrap();
    let answer = sandbox.recorded(&[
        &session,
        "dispatch",
        "implementer",
        "--phase",
        "3",
        "--task",
        "9",
        "--template",
        "build-implementer-prompt.md",
        "--body",
        "body.md",
    ]);
    let seq = answer["recorded"]["seq"].as_u64().unwrap();
    assert_eq!(seq, last + 1);
    let name = format!("{seq}-build-implementer.md");
    assert!(
        answer["recorded"]["file"]
            .as_str()
            .unwrap()
            .ends_with(&name)
    );
    let text = sandbox.text(&format!("{folder}/{name}"));
    assert!(text.starts_with("# Dispatch: build-implementer\n**Pipeline:** build | **Phase:** 3 | **Task:** 9\n**Timestamp:** "), "{text}");
    assert!(text.ends_with("/\n\n---\nWrite the cache.\n"), "{text}");
    let all = lines(&sandbox, &folder);
    let line = all.last().unwrap();
    assert_eq!(all.len(), before.len() + 1);
    assert_eq!(
        (&line["status"], &line["role"], &line["task"]),
        (&"dispatched".into(), &"implementer".into(), &9.into())
    );
    let seq = seq.to_string();
    for (code, args) in [
        (
            3,
            &[
                session.as_str(),
                "done",
                "999",
                "--status",
                "completed",
                "--summary",
                "x",
            ][..],
        ),
        (
            3,
            &[
                &session,
                "done",
                &seq,
                "--status",
                "great",
                "--summary",
                "x",
            ],
        ),
        (2, &[&session, "done", &seq, "--status", "completed"]),
        (
            2,
            &[
                &session,
                "done",
                "x",
                "--status",
                "completed",
                "--summary",
                "x",
            ],
        ),
        (
            2,
            &[
                &session,
                "dispatch",
                "--phase",
                "3",
                "--template",
                "x",
                "--body",
                "body.md",
            ],
        ),
        (
            3,
            &[
                &session,
                "dispatch",
                "r",
                "--phase",
                "3",
                "--template",
                "../x",
                "--body",
                "body.md",
            ],
        ),
        (
            3,
            &[
                &session,
                "dispatch",
                "r",
                "--phase",
                "soon",
                "--template",
                "x",
                "--body",
                "body.md",
            ],
        ),
    ] {
        sandbox.refused(code, args);
    }
    // The dispatch file says when it began.
    let end = ["done", &seq, "--status", "completed", "--summary", "x"];
    let end = [&[session.as_str()], &end[..]].concat();
    let said = sandbox.refused(3, &[&end, &["--duration", "99999"][..]].concat());
    let (took, began) = said.split_once(", and ").unwrap();
    assert_eq!(took, "--duration is 99999 seconds", "{said}");
    assert!(
        began.starts_with(&format!("dispatch {seq} began ")),
        "{said}"
    );
    let long = "\u{fc} {now} ".repeat(2_000);
    sandbox.recorded(&[
        &session,
        "done",
        &seq,
        "--status",
        "completed",
        "--summary",
        &long,
        "--duration",
        "1",
    ]);
    let text = sandbox.text(&format!("{folder}/manifest.jsonl"));
    let line = text.lines().last().unwrap();
    assert!(line.len() < 4096, "{}", line.len());
    let line: Value = serde_json::from_str(line).unwrap();
    assert_eq!(
        (&line["status"], &line["duration_s"]),
        (&"completed".into(), &1.into())
    );
    let summary = line["summary"].as_str().unwrap();
    assert!(
        summary.starts_with("\u{fc} {now}") && summary.ends_with('\u{2026}'),
        "{summary}"
    );
    sandbox.refused(
        3,
        &[
            &session,
            "done",
            &seq,
            "--status",
            "completed",
            "--summary",
            "again",
        ],
    );
}

#[test]
fn twelve_dispatches_at_once_have_twelve_numbers() {
    let sandbox = Sandbox::new();
    let (session, folder) = run(&sandbox);
    fs::write(sandbox.path("body.md"), "x").unwrap();
    let args = [
        session.as_str(),
        "dispatch",
        "reviewer",
        "--phase",
        "3",
        "--template",
        "review",
        "--body",
        "body.md",
    ];
    let numbers: BTreeSet<u64> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..12)
            .map(|_| scope.spawn(|| sandbox.recorded(&args)))
            .collect();
        all.into_iter()
            .map(|one| one.join().unwrap()["recorded"]["seq"].as_u64().unwrap())
            .collect()
    });
    assert_eq!(numbers.len(), 12);
    let open = lines(&sandbox, &folder);
    let ours = open
        .iter()
        .filter(|line| numbers.contains(&line["seq"].as_u64().unwrap()));
    assert_eq!(ours.count(), 12);
}

#[test]
fn phases_follow_each_other() {
    let sandbox = Sandbox::new();
    let (session, _) = run(&sandbox);
    for phase in ["5", "x"] {
        sandbox.refused(3, &[&session, "phase", phase]);
    }
    sandbox.refused(2, &[&session, "phase"]);
    let text = sandbox.refused(3, &[&session, "phase", "4"]);
    assert_eq!(text, "Dispatch 8 has no outcome.");
    all_ended(&sandbox, &session);
    let answer = sandbox.recorded(&[&session, "phase", "4"]);
    let marker = answer["recorded"]["files"][0]["path"].as_str().unwrap();
    let marker: Value = serde_json::from_slice(&fs::read(marker).unwrap()).unwrap();
    assert_eq!(
        (&marker["phase"], &marker["pipeline_id"]),
        (&"4".into(), &session.as_str().into())
    );
    // A run that was resumed at an earlier point enters its phase again.
    sandbox.recorded(&[&session, "phase", "3"]);
    sandbox.a_second_later();
    let output = sandbox.run(&["record", &session, "phase", "3"]);
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(
        said.starts_with("Recorded: crucible phase, no file changed."),
        "{said}"
    );
}

fn implementer<'a>(session: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let own = [
        session,
        "dispatch",
        "implementer",
        "--phase",
        "3",
        "--template",
        "t",
    ];
    [&own[..], &["--body", "body.md"], more].concat()
}

#[test]
fn work_that_runs_again_after_a_resume_is_kept_by_the_next_one() {
    let sandbox = Sandbox::new();
    let (session, folder) = run(&sandbox);
    let (code, resumed) = sandbox.json(&["resume", &session, "wave-2", "--yes"]);
    assert_eq!(code, 0, "{resumed}");
    fs::write(sandbox.path("body.md"), "Again.\n").unwrap();
    sandbox.refused(
        3,
        &implementer(&session, &["--task", "3", "--replay-of", "99"]),
    );
    // Without it, the answer says what is missing.
    let answer = sandbox.recorded(&implementer(&session, &["--task", "3"]));
    assert!(
        answer["notes"].to_string().contains("--replay-of 8"),
        "{answer}"
    );
    let skipped = answer["recorded"]["seq"].to_string();
    let done = |seq: &str, status: &str| {
        sandbox.recorded(&[&session, "done", seq, "--status", status, "--summary", "x"]);
    };
    done(&skipped, "skipped");
    for (task, of, file) in [("3", "8", "price.rs"), ("4", "9", "stock.rs")] {
        let answer = sandbox.recorded(&implementer(&session, &["--task", task, "--replay-of", of]));
        assert_eq!(answer["notes"], Value::Null, "{answer}");
        let seq = answer["recorded"]["seq"].to_string();
        let begun = lines(&sandbox, &folder).pop().unwrap();
        assert_eq!(begun["replay_of"].to_string(), of, "{begun}");
        let path = sandbox.path(&format!("projects/shop/src/{file}"));
        let text = fs::read_to_string(&path).unwrap() + "// again\n";
        fs::write(&path, text).unwrap();
        done(&seq, "completed");
    }
    assert_eq!(sandbox.recommended(&session), "disk");
    let (code, plan) = sandbox.json(&["plan", &session, "--assume-stopped"]);
    assert_eq!(code, 0, "{plan}");
    assert_eq!(plan["plan"]["actions"], serde_json::json!([]), "{plan}");
    assert_eq!(plan["plan"]["redone"], serde_json::json!([]), "{plan}");
    // The dispatches that were interrupted have an outcome now.
    sandbox.recorded(&[&session, "phase", "4"]);
    let (_, verified) = sandbox.json(&["verify", &session]);
    let checks = verified["checks"].as_array().unwrap();
    let marker = checks.iter().find(|check| check["id"] == "F3").unwrap();
    assert_eq!(marker["verdict"], "pass", "{marker}");
    sandbox.recorded(&[&session, "finish"]);
}

#[test]
fn a_dispatch_is_of_a_phase_that_was_entered() {
    let sandbox = Sandbox::new();
    let (session, _) = run(&sandbox);
    fs::write(sandbox.path("body.md"), "x").unwrap();
    let dispatch = |phase: &str| {
        let args = [
            &session,
            "dispatch",
            "r",
            "--phase",
            phase,
            "--template",
            "t",
            "--body",
            "body.md",
        ];
        args.map(str::to_owned)
    };
    let refused = dispatch("4");
    let text = sandbox.refused(3, &refused.each_ref().map(String::as_str));
    assert_eq!(text, "The run is in phase 3.");
    for phase in ["3", "2"] {
        let args = dispatch(phase);
        sandbox.recorded(&args.each_ref().map(String::as_str));
    }
}
