//! A run of crucible from its beginning to its end: the marker, the durable copy, the hand-offs.

use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use super::crucible::{all_ended, run};
use crate::cli_acting::sandbox::Sandbox;

/// A new run in the project of the demo's run, whose own marker is put away first.
fn begun(sandbox: &Sandbox) -> String {
    let (session, _) = run(sandbox);
    let project = project(sandbox, &session);
    let refused = sandbox.run_in(
        &project,
        &["record", "1900000000", "init", "--system", "crucible"],
    );
    assert_eq!(refused.status.code(), Some(3));
    let text = String::from_utf8(refused.stderr).unwrap();
    assert!(text.contains(&session), "{text}");
    fs::remove_file(marker(sandbox, &session)).unwrap();
    let made = sandbox.run_in(
        &project,
        &["record", "1900000000", "init", "--system", "crucible"],
    );
    assert_eq!(made.status.code(), Some(0), "{made:?}");
    "1900000000".to_owned()
}

fn project(sandbox: &Sandbox, session: &str) -> PathBuf {
    let (_, shown) = sandbox.json(&["show", session]);
    let path = shown["pipeline"]["work_tree"].as_str().unwrap();
    PathBuf::from(path)
}

fn marker(sandbox: &Sandbox, session: &str) -> PathBuf {
    let memories = fs::read_dir(sandbox.path("home/.claude/projects")).unwrap();
    let mut markers = memories.map(|one| one.unwrap().path().join("memory/.pipeline-active"));
    let of_it = |path: &PathBuf| fs::read_to_string(path).is_ok_and(|text| text.contains(session));
    markers.find(of_it).unwrap()
}

fn status(sandbox: &Sandbox, session: &str) -> String {
    let (_, shown) = sandbox.json(&["show", session]);
    shown["pipeline"]["status"].as_str().unwrap().to_owned()
}

#[test]
fn a_run_from_its_beginning_to_its_end() {
    let sandbox = Sandbox::new();
    let session = begun(&sandbox);
    let folder = format!("home/tmp/crucible-dispatch-{session}");
    let written: Value =
        serde_json::from_slice(&fs::read(marker(&sandbox, &session)).unwrap()).unwrap();
    assert_eq!(
        (&written["skill"], &written["phase"]),
        (&"build".into(), &"1".into())
    );
    assert!(
        written["branch"].is_string() && written["baseline_sha"].is_string(),
        "{written}"
    );
    assert_eq!(status(&sandbox, &session), "interrupted");
    sandbox.refused(3, &[&session, "init", "--system", "crucible"]);
    fs::write(sandbox.path("body.md"), "Design it.\n").unwrap();
    for (phase, next) in [("1", "2"), ("2", "3"), ("3", "4"), ("4", "")] {
        let begin = [
            &session,
            "dispatch",
            "writer",
            "--phase",
            phase,
            "--template",
            "t",
            "--body",
            "body.md",
        ];
        let answer = sandbox.recorded(&begin);
        let seq = answer["recorded"]["seq"].to_string();
        assert_eq!(answer["next"]["id"], format!("dispatch-{seq}"));
        sandbox.refused(3, &[&session, "finish"]);
        let done = [
            &session,
            "done",
            &seq,
            "--status",
            "completed",
            "--summary",
            "done",
        ];
        let answer = sandbox.recorded(&done);
        assert_eq!(answer["next"]["id"], format!("phase-{phase}"));
        if !next.is_empty() {
            assert_eq!(
                sandbox.recorded(&[&session, "phase", next])["next"]["phase"],
                next
            );
        }
    }
    // Its manifest is in the temporary directory, and the records are those of its project.
    let listed = sandbox.run_in(
        &project(&sandbox, &session),
        &["history", "--records", "--json"],
    );
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let of_it = listed["records"].as_array().unwrap().iter();
    let of_it = of_it.filter(|record| record["key"] == *session).count();
    assert!(of_it >= 12, "{listed}");
    let memory = marker(&sandbox, &session).with_file_name("");
    let copy = memory.join(format!("crucible-dispatch-{session}"));
    let names = |dir: &PathBuf| {
        let names = fs::read_dir(dir)
            .unwrap()
            .map(|one| one.unwrap().file_name().into_string().unwrap());
        names.collect::<BTreeSet<_>>()
    };
    let full = [
        ".relight-copy",
        "1-t.md",
        "2-t.md",
        "3-t.md",
        "4-t.md",
        "manifest.jsonl",
    ];
    assert_eq!(names(&copy), full.map(str::to_owned).into());
    let manifest = sandbox.text(&format!("{folder}/manifest.jsonl"));
    assert_eq!(
        fs::read_to_string(copy.join("manifest.jsonl")).unwrap(),
        manifest
    );
    // The whole copy beside the whole folder is upstream's sign of an escalation; the mark says otherwise.
    assert_eq!(status(&sandbox, &session), "interrupted");
    sandbox.recorded(&[&session, "finish"]);
    assert_eq!(names(&copy), ["manifest.jsonl".to_owned()].into());
    let away = format!("finished-dispatch-{session}");
    assert_eq!(names(&sandbox.path(&format!("home/tmp/{away}"))).len(), 5);
    assert_eq!(names(&memory.join(&away)).len(), 6);
    assert!(!sandbox.path(&folder).exists() && !memory.join(".pipeline-active").exists());
    assert_eq!(status(&sandbox, &session), "complete");
    let ids = sandbox.ids();
    assert!(
        !ids.iter().any(|id| id.contains("finished-dispatch")),
        "{ids:?}"
    );
    // What is kept is enough to know the run by.
    sandbox.refused(
        3,
        &[&copy.join("manifest.jsonl").to_string_lossy(), "finish"],
    );
}

#[test]
fn a_restart_leaves_the_durable_copy() {
    let sandbox = Sandbox::new();
    let session = begun(&sandbox);
    fs::write(sandbox.path("body.md"), "x").unwrap();
    let begin = [
        &session,
        "dispatch",
        "r",
        "--phase",
        "1",
        "--template",
        "t",
        "--body",
        "body.md",
    ];
    sandbox.recorded(&begin);
    sandbox.recorded(&[
        &session,
        "done",
        "1",
        "--status",
        "completed",
        "--summary",
        "x",
    ]);
    let folder = sandbox.path(&format!("home/tmp/crucible-dispatch-{session}"));
    // Torn by another writer: the copy follows.
    let manifest = folder.join("manifest.jsonl");
    let torn = fs::read_to_string(&manifest).unwrap() + "{\"seq\":2,";
    fs::write(&manifest, torn).unwrap();
    sandbox.recorded(&begin);
    let copy = marker(&sandbox, &session).with_file_name(format!("crucible-dispatch-{session}"));
    let copied = fs::read_to_string(copy.join("manifest.jsonl")).unwrap();
    assert_eq!(copied, fs::read_to_string(&manifest).unwrap());
    assert_eq!(copied.lines().count(), 4, "{copied}");
    fs::remove_dir_all(&folder).unwrap();
    // Neither finished nor escalated: only the folder in /tmp is gone.
    assert_eq!(status(&sandbox, &session), "interrupted");
    let (_, shown) = sandbox.json(&["show", &session]);
    assert!(shown.to_string().contains("crucible-dispatch"), "{shown}");
}

#[test]
fn a_phase_begins_with_its_hand_off() {
    let sandbox = Sandbox::new();
    let (session, _) = run(&sandbox);
    all_ended(&sandbox, &session);
    let phase = [session.as_str(), "phase", "4", "--from", "next.md"];
    for (text, said) in [
        (
            "# Phase Handoff: 2 → 3\n**Goal:** x\n",
            "not for this phase",
        ),
        ("# Phase Handoff: 3 → 4\n", "no goal"),
    ] {
        fs::write(sandbox.path("next.md"), text).unwrap();
        let refusal = sandbox.refused(3, &phase);
        assert!(refusal.contains(said), "{refusal}");
    }
    fs::write(
        sandbox.path("next.md"),
        "# Phase Handoff: 3 → 4\n**Goal:** Add a cache\n\n## Inputs for Phase 4\n",
    )
    .unwrap();
    sandbox.recorded(&phase);
    let path = marker(&sandbox, &session).with_file_name("handoff-3-to-4.md");
    let text = fs::read_to_string(path).unwrap();
    assert!(
        text.starts_with("# Phase Handoff: 3 → 4\n**Timestamp:** 2"),
        "{text}"
    );
    assert!(
        text.contains("**Goal:** Add a cache\n\n## Inputs"),
        "{text}"
    );
    sandbox.refused(
        2,
        &[
            &session,
            "done",
            "1",
            "--status",
            "completed",
            "--summary",
            "x",
            "--from",
            "next.md",
        ],
    );
}

/// Records a dispatch of phase 1 with its outcome.
fn dispatched(sandbox: &Sandbox, session: &str, status: &str, more: &[&str]) -> String {
    fs::write(sandbox.path("body.md"), "x").unwrap();
    let own = [
        "dispatch",
        "r",
        "--phase",
        "1",
        "--template",
        "t",
        "--body",
        "body.md",
    ];
    let begun = sandbox.recorded(&[&[session], &own[..], more].concat());
    let seq = begun["recorded"]["seq"].to_string();
    sandbox.recorded(&[session, "done", &seq, "--status", status, "--summary", "x"]);
    seq
}

/// No phase is entered over work that every reader of the manifest counts as open.
#[test]
fn a_failed_dispatch_is_run_again_or_dropped_before_the_next_phase() {
    for (status, said) in [("failed", "failed"), ("error", "ended with an error")] {
        let sandbox = Sandbox::new();
        let session = begun(&sandbox);
        let phase = [session.as_str(), "phase", "2"];
        let seq = dispatched(&sandbox, &session, status, &[]);
        let why = sandbox.refused(3, &phase);
        assert!(why.starts_with(&format!("Dispatch {seq} {said}")), "{why}");
        assert_eq!(
            sandbox.tried(&[
                &session,
                "done",
                &seq,
                "--status",
                "completed",
                "--summary",
                "x"
            ]),
            3
        );
        if status == "failed" {
            sandbox.recorded(&[
                &session,
                "done",
                &seq,
                "--status",
                "skipped",
                "--summary",
                "not needed",
            ]);
        } else {
            dispatched(&sandbox, &session, "completed", &["--replay-of", &seq]);
        }
        sandbox.recorded(&phase);
    }
}

/// A restart between the beginning of a run and its first dispatch deletes the dispatch folder.
#[test]
fn a_run_that_only_began_survives_a_restart() {
    let sandbox = Sandbox::new();
    let session = begun(&sandbox);
    let checked = |what: &str| {
        let (_, verified) = sandbox.json(&["verify", &session]);
        let checks = verified["checks"].as_array().unwrap();
        let first = checks.iter().find(|one| one["id"] == "F1").unwrap();
        assert_eq!(first["verdict"], "pass", "{what}: {first}");
        assert_eq!(sandbox.recommended(&session), "fresh", "{what}");
    };
    checked("begun");
    fs::remove_dir_all(sandbox.path(&format!("home/tmp/crucible-dispatch-{session}"))).unwrap();
    checked("after the restart");
    dispatched(&sandbox, &session, "completed", &[]);
    for phase in ["2", "3", "4"] {
        sandbox.recorded(&[&session, "phase", phase]);
    }
    sandbox.recorded(&[&session, "finish"]);
    assert_eq!(status(&sandbox, &session), "complete");
}
