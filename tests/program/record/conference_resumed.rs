//! Conferences after a resume, and what the checks and the refusals say of a record.

use std::fs;

use super::autoconference::{DIR, document, iteration};
use crate::cli_acting::sandbox::Sandbox;

/// A round that was restarted counts from its first iteration again, in record, points and checks alike.
#[test]
fn a_round_that_was_restarted_is_recorded_from_its_start() {
    let sandbox = Sandbox::new();
    let resume = ["resume", "tokenizer-speed", "round-2-phase-1", "--yes"];
    let (code, resumed) = sandbox.json(&resume);
    assert_eq!(code, 0, "{resumed}");
    let text = sandbox.refused(3, &iteration("A", "4", "41.9", "kept"));
    assert!(
        text.contains("Iteration 4 of A cannot be recorded in round 2"),
        "{text}"
    );
    sandbox.recorded(&[DIR, "round.started"]);
    sandbox.recorded(&iteration("A", "0", "41.9", "baseline"));
    sandbox.recorded(&iteration("A", "1", "42.9", "kept"));
    // One iteration of the new round is not the work of the old one.
    assert_eq!(sandbox.recommended("tokenizer-speed"), "round-2-mid");
    let (_, shown) = sandbox.json(&["points", "tokenizer-speed"]);
    let shown = shown.to_string();
    assert!(
        shown.contains("unfinished: A, B") || shown.contains("A and B"),
        "{shown}"
    );
    let (_, verified) = sandbox.json(&["verify", "tokenizer-speed"]);
    let checks = verified["checks"].as_array().unwrap();
    let odd = checks.iter().filter(|check| {
        let about_rows = ["A9", "A11", "A12"].contains(&check["id"].as_str().unwrap());
        about_rows && !["pass", "skipped"].contains(&check["verdict"].as_str().unwrap())
    });
    assert_eq!(odd.count(), 0, "{verified}");
}

/// The researcher whose row was removed continues after its last row.
#[test]
fn a_researcher_whose_row_was_removed_records_it_again() {
    let sandbox = Sandbox::new();
    let (code, resumed) = sandbox.json(&["resume", "tokenizer-speed", "round-2-mid", "--yes"]);
    assert_eq!(code, 0, "{resumed}");
    sandbox.refused(3, &iteration("B", "3", "40.5", "kept"));
    sandbox.recorded(&iteration("B", "2", "40.5", "kept"));
    sandbox.recorded(&iteration("B", "3", "41.5", "kept"));
    let (_, verified) = sandbox.json(&["verify", "tokenizer-speed"]);
    let checks = verified["checks"].as_array().unwrap();
    let agreement = checks.iter().find(|check| check["id"] == "A11").unwrap();
    assert_eq!(agreement["verdict"], "pass", "{agreement}");
}

/// A resume overrules a declared end, which can then be declared again.
#[test]
fn an_end_that_a_resume_overruled_is_declared_again() {
    let sandbox = Sandbox::new();
    document(&sandbox, "poster_session_round_2.md");
    document(&sandbox, "peer_review_round_2.md");
    for event in [
        "round.poster_session",
        "round.peer_review",
        "round.completed",
    ] {
        sandbox.recorded(&[DIR, event]);
    }
    sandbox.recorded(&[DIR, "conference.converged", "reason=target reached"]);
    let point = "recovery_point=Start of Round 3, Phase 1";
    sandbox.recorded(&[DIR, "conference.resumed", point, "round=3"]);
    sandbox.recorded(&[DIR, "conference.converged", "reason=again"]);
    assert_eq!(sandbox.recommended("tokenizer-speed"), "synthesis");
}

/// What a refusal names as expected can be recorded.
#[test]
fn what_is_expected_without_a_log_can_be_done() {
    let sandbox = Sandbox::new();
    let config = sandbox.text(&format!("{DIR}/conference.md"));
    let dir = sandbox.path("projects/lost");
    fs::create_dir(&dir).unwrap();
    fs::write(dir.join("conference.md"), config).unwrap();
    for event in ["round.started", "conference.converged", "init"] {
        let (code, answer) = sandbox.json(&["record", "projects/lost", event]);
        assert_eq!(code, 3, "{event}: {answer}");
        let said = answer["error"].to_string();
        assert!(
            said.contains("other files show that work was done"),
            "{said}"
        );
        let hint = answer["error"]["hints"][0].as_str().unwrap();
        let dir = dir.to_string_lossy();
        let point = "recovery_point=Start of Round 2, Phase 1";
        assert_eq!(
            hint,
            format!("relight record {dir} conference.resumed '{point}' round=2")
        );
    }
    let point = "recovery_point=Start of Round 2, Phase 1";
    sandbox.recorded(&["projects/lost", "conference.resumed", point, "round=2"]);
    sandbox.recorded(&["projects/lost", "round.started"]);
    sandbox.recorded(&[
        "projects/lost",
        "researcher.stuck",
        "researcher=A",
        "stuck_level=2",
    ]);
}

#[test]
fn a_review_is_recorded_as_the_checks_read_it() {
    let sandbox = Sandbox::new();
    document(&sandbox, "poster_session_round_2.md");
    sandbox.recorded(&[DIR, "round.poster_session"]);
    fs::write(
        sandbox.path(&format!("{DIR}/peer_review_round_2.md")),
        "hello\n",
    )
    .unwrap();
    let text = sandbox.refused(3, &[DIR, "round.peer_review"]);
    assert!(text.contains("no readable verdict"), "{text}");
    document(&sandbox, "peer_review_round_2.md");
    let text = sandbox.refused(3, &[DIR, "round.peer_review", "overturned_count=9"]);
    assert!(text.contains("overturned_count is 9"), "{text}");
    sandbox.recorded(&[DIR, "round.peer_review"]);
}

/// What is in the place of a document is not called missing, and each end of a conference has its reason.
#[test]
fn a_refusal_says_why_an_event_cannot_come() {
    let sandbox = Sandbox::new();
    let dir = sandbox.path(DIR);
    let said = sandbox.refused(2, &[DIR, "conference.resumed", "--round", "x"]);
    assert_eq!(said, "--round must be a whole number.");
    let said = sandbox.refused(2, &[DIR, "conference.completed", "--round", "2"]);
    assert_eq!(said, "conference.completed takes no --round.");
    let poster = dir.join("poster_session_round_2.md");
    std::os::unix::fs::symlink("poster_session_round_1.md", &poster).unwrap();
    let said = sandbox.refused(3, &[DIR, "round.poster_session", "summary=x"]);
    assert!(
        said.starts_with("poster_session_round_2.md is a symbolic link"),
        "{said}"
    );
    fs::remove_file(poster).unwrap();
    let said = sandbox.refused(3, &[DIR, "round.poster_session", "summary=x"]);
    assert_eq!(said, "poster_session_round_2.md is missing or empty.");
    let log = dir.join("conference_events.jsonl");
    let failed =
        r#"{"event": "conference.failed", "timestamp": "2026-11-22T10:00:00Z", "payload": {}}"#;
    let text = fs::read_to_string(&log).unwrap() + failed + "\n";
    fs::write(log, text).unwrap();
    let said = sandbox.refused(3, &[DIR, "round.poster_session", "summary=x"]);
    assert_eq!(
        said,
        "round.poster_session cannot be recorded now: the conference failed."
    );
}

#[test]
fn a_conference_that_cannot_begin_says_what_is_in_the_way() {
    let sandbox = Sandbox::new();
    let new = "projects/lab/new";
    fs::create_dir(sandbox.path(new)).unwrap();
    let config = sandbox.path(&format!("{new}/conference.md"));
    let text = "# Conference: x\n\n## Goal\ng\n\n## Mode\nqualitative\n\n## Success Criteria\nclear\n\n## Researchers\n- **Count:** 2\n- **Max rounds:** 1\n";
    for (text, said) in [
        (
            format!("{text}\n## Pre-Flight Gate\n- **Final confirmation:** pending user\n"),
            "conference.started cannot be recorded now: the pre-flight gate in conference.md is not confirmed yet.",
        ),
        (
            text.replace("## Goal\ng\n", ""),
            "conference.md has no goal.",
        ),
        (
            text.replace("Count:** 2", "Count:** 99"),
            "conference.md has no number of researchers from 1 to 26.",
        ),
    ] {
        fs::write(&config, text).unwrap();
        assert_eq!(sandbox.refused(3, &[new, "init"]), said);
    }
    fs::remove_file(&config).unwrap();
    std::os::unix::fs::symlink("../tokenizer-speed/conference.md", &config).unwrap();
    let said = sandbox.refused(3, &[new, "init", "--system", "autoconference"]);
    assert!(
        said.starts_with("conference.md is a symbolic link"),
        "{said}"
    );
    fs::remove_file(&config).unwrap();
    let said = sandbox.refused(3, &[new, "init", "--system", "autoconference"]);
    assert_eq!(said, "conference.md is missing.");
    fs::write(config, text).unwrap();
    sandbox.recorded(&[new, "init"]);
    let log = sandbox.text(&format!("{new}/conference_events.jsonl"));
    assert!(log.contains("\"mode\": \"qualitative\""), "{log}");
}

/// The sections that rounds add to are made with the first event; what the file has stays.
#[test]
fn a_conference_begins_with_the_sections_that_rounds_add_to() {
    let sandbox = Sandbox::new();
    let plan = "# Conference: x\n\n## Goal\ng\n\n## Mode\nqualitative\n\n## Success Criteria\nclear\n\n## Researchers\n- **Count:** 1\n- **Max rounds:** 1";
    let knowledge = "\n## Shared Knowledge\n";
    let log = "\n## Conference Log\n| Round | Researcher | Best Metric | Key Finding | Status |\n|---|---|---|---|---|\n";
    let prose = "\n\n## Conference Log\nNothing yet.\n";
    let fenced = "\n\n```\nnot closed\n";
    for (at, (text, added)) in [
        (plan.to_owned(), format!("\n{knowledge}{log}")),
        (format!("{plan}{prose}"), knowledge.to_owned()),
        (format!("{plan}\n{knowledge}- known\n"), log.to_owned()),
        (format!("{plan}{fenced}"), String::new()),
    ]
    .into_iter()
    .enumerate()
    {
        for first in ["init", "conference.started"] {
            let dir = format!("projects/lab/new-{at}-{first}");
            let config = format!("{dir}/conference.md");
            fs::create_dir(sandbox.path(&dir)).unwrap();
            fs::write(sandbox.path(&config), &text).unwrap();
            sandbox.recorded(&[&dir, first]);
            assert_eq!(sandbox.text(&config), format!("{text}{added}"));
            let (_, verify) = sandbox.json(&["verify", &dir]);
            assert_eq!(verify["verdict"] == "fail", added.is_empty(), "{verify}");
        }
    }
}
