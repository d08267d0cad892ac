//! Conferences: events follow the decision that recommends the resume point.

use std::fs;

use serde_json::Value;

use crate::cli_acting::sandbox::Sandbox;

const DIR: &str = "projects/lab/tokenizer-speed";

fn log(sandbox: &Sandbox) -> Vec<Value> {
    let text = sandbox.text(&format!("{DIR}/conference_events.jsonl"));
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

fn document(sandbox: &Sandbox, name: &str) {
    let from = if name.starts_with("poster") {
        "poster_session_round_1.md"
    } else {
        "peer_review_round_1.md"
    };
    let text = sandbox
        .text(&format!("{DIR}/{from}"))
        .replace("Round 1", "Round 2");
    fs::write(sandbox.path(&format!("{DIR}/{name}")), text).unwrap();
}

#[test]
fn a_round_goes_through_its_phases_in_order() {
    let sandbox = Sandbox::new();
    let next = |answer: &Value| {
        answer["next"]["id"]
            .as_str()
            .unwrap_or("nothing")
            .to_owned()
    };
    for (event, expected) in [
        ("round.peer_review", 3),
        ("round.completed", 3),
        ("round.started", 3),
        ("conference.started", 3),
        ("conference.completed", 3),
    ] {
        sandbox.refused(expected, &[DIR, event]);
    }
    // The poster itself is missing.
    sandbox.refused(3, &[DIR, "round.poster_session", "summary=x"]);
    document(&sandbox, "poster_session_round_2.md");
    let answer = sandbox.recorded(&[
        DIR,
        "round.poster_session",
        "summary=two findings",
        "--round",
        "2",
    ]);
    assert_eq!(next(&answer), "round-2-phase-3");
    assert_eq!(sandbox.recommended("tokenizer-speed"), "round-2-phase-3");
    sandbox.refused(3, &[DIR, "round.poster_session", "summary=again"]);
    document(&sandbox, "peer_review_round_2.md");
    let answer = sandbox.recorded(&[
        DIR,
        "round.peer_review",
        "challenged_count=0",
        "validated_count=2",
    ]);
    assert_eq!(next(&answer), "round-2-phase-4");
    assert_eq!(sandbox.recommended("tokenizer-speed"), "round-2-phase-4");
    let answer = sandbox.recorded(&[
        DIR,
        "round.completed",
        "best_metric=44.80",
        "best_researcher=A",
        "converged=false",
    ]);
    assert_eq!(next(&answer), "round-3-phase-1");
    let text = sandbox.text(&format!("{DIR}/conference_events.jsonl"));
    let last = text.lines().last().unwrap();
    // Members in the order of the format, numbers as they were typed.
    assert!(last.contains("\"payload\": {\"round\": 2, \"best_metric\": 44.80, \"best_researcher\": \"A\", \"converged\": false}}"), "{last}");
    sandbox.recorded(&[
        DIR,
        "round.started",
        "researcher_states:=[\"A:ready\", \"B:ready\"]",
    ]);
    let answer = sandbox.recorded(&[DIR, "researcher.stuck", "researcher=B", "stuck_level=2"]);
    assert_eq!(log(&sandbox).last().unwrap()["payload"]["round"], 3);
    assert!(next(&answer).starts_with("round-3"), "{answer}");
}

#[test]
fn a_conference_ends_once() {
    let sandbox = Sandbox::new();
    document(&sandbox, "poster_session_round_2.md");
    document(&sandbox, "peer_review_round_2.md");
    for event in [
        &["round.poster_session"][..],
        &["round.peer_review"],
        &["round.completed", "round=2"],
    ] {
        sandbox.recorded(&[&[DIR], event].concat());
    }
    let answer = sandbox.recorded(&[DIR, "conference.converged", "reason=target reached"]);
    assert_eq!(answer["next"]["id"], "synthesis");
    sandbox.refused(3, &[DIR, "conference.converged"]);
    sandbox.refused(3, &[DIR, "round.started"]);
    sandbox.refused(3, &[DIR, "conference.completed"]);
    for name in ["synthesis.md", "final_report.md"] {
        fs::write(sandbox.path(&format!("{DIR}/{name}")), "# End\n").unwrap();
    }
    let answer = sandbox.recorded(&[DIR, "conference.completed", "synthesis_path=synthesis.md"]);
    assert_eq!(answer["next"], Value::Null);
    for event in [
        "conference.completed",
        "conference.resumed",
        "round.started",
    ] {
        sandbox.refused(3, &[DIR, event]);
    }
    let (_, list) = sandbox.json(&["list", "--all", DIR]);
    assert_eq!(list["pipelines"][0]["status"], "complete");
}

#[test]
fn what_is_not_valid_is_refused_and_changes_nothing() {
    let sandbox = Sandbox::new();
    for (code, args) in [
        (2, &[][..]),
        (2, &["round.poster_session", "summary"]),
        (2, &["researcher.stuck", "researcher=AB", "stuck_level=2"]),
        (2, &["conference.resumed", "--step", "plan"]),
        (3, &["researcher.stuck", "researcher=B", "stuck_level=9"]),
        (3, &["researcher.iteration", "researcher=B"]),
        (3, &["conference.stalled"]),
        (3, &["conference.failed"]),
        (3, &["round.ended"]),
        (3, &["round.poster_session", "--round", "3"]),
    ] {
        sandbox.refused(code, &[&[DIR], args].concat());
    }
}

#[test]
fn a_torn_tail_is_closed_and_stays() {
    let sandbox = Sandbox::new();
    let path = sandbox.path(&format!("{DIR}/conference_events.jsonl"));
    let torn = format!(
        "{}{{\"event\": \"researcher.it",
        fs::read_to_string(&path).unwrap()
    );
    fs::write(&path, &torn).unwrap();
    sandbox.recorded(&[
        DIR,
        "conference.resumed",
        "recovery_point=x {now}",
        "round=2",
    ]);
    let text = fs::read_to_string(&path).unwrap();
    let added = text.strip_prefix(&torn).unwrap();
    assert!(
        added.starts_with('\n') && added.ends_with("}}\n"),
        "{added}"
    );
    let event: Value = serde_json::from_str(added.trim()).unwrap();
    assert_eq!(event["payload"]["recovery_point"], "x {now}");
}
