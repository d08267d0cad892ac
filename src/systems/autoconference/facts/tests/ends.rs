//! Records of the end of a conference that disagree.

use crate::model::{Status, Verdict};
use crate::systems::autoconference::testdata::{A_1, B_1, Dir, ROUND_1, interrupted, log, rows};

const EVENTS: &str = "conference_events.jsonl";

fn documents(dir: &Dir) {
    dir.put("synthesis.md", b"x");
    dir.put("final_report.md", b"x");
}

#[test]
fn end_documents_beside_an_open_round_are_named() {
    let dir = interrupted();
    documents(&dir);
    let text = "synthesis.md and final_report.md exist although round 2 is open";
    let case = dir.open();
    let reading = case.reading();
    assert!(reading.claim.reason.lossy().contains(text));
    assert!(
        reading
            .findings
            .iter()
            .any(|f| f.text.lossy().contains(text))
    );
    assert_eq!(dir.verdict("A7"), Verdict::Warn);
    let boundaries = dir.boundaries();
    let point = boundaries.iter().find(|b| b.id.0 == "round-2-mid").unwrap();
    assert!(point.warnings.iter().any(|w| w.lossy().contains(text)));
    assert!(dir.handoff("round-2-mid").prompt.lossy().contains(text));
}

#[test]
fn a_declared_end_without_its_documents_or_with_later_work_is_named() {
    let over = [ROUND_1, &["conference.completed"]].concat();
    let later = [
        &over[..],
        &["round.started 2", "researcher.iteration 2 A 1 51 kept"],
    ]
    .concat();
    let none: &[(&str, &str)] = &[];
    let table = [
        (
            &over,
            false,
            [(
                "A13",
                "synthesis.md and final_report.md are missing or empty",
            )]
            .as_slice(),
        ),
        (&over, true, none),
        (
            &later,
            true,
            [(
                "A7",
                "2 events were logged after conference.completed (line 12)",
            )]
            .as_slice(),
        ),
    ];
    for (events, documented, said) in table {
        let dir = Dir::usual(&log(events), &rows(A_1), &rows(B_1));
        dir.put("poster_session_round_1.md", b"# Poster Session\n");
        dir.put(
            "peer_review_round_1.md",
            b"**Claim:** c\n**Verdict:** validated\n",
        );
        if documented {
            documents(&dir);
        }
        let case = dir.open();
        let reading = case.reading();
        assert_eq!(reading.claim.status, Status::Complete);
        for id in ["A7", "A13"] {
            let text = said.iter().find(|(of, _)| *of == id).map(|(_, text)| *text);
            let want = text.map_or(Verdict::Pass, |_| Verdict::Warn);
            assert_eq!(dir.verdict(id), want, "{id} {said:?}");
            let found = |text: &str| reading.claim.reason.lossy().contains(text);
            assert!(text.is_none_or(found), "{:?}", reading.claim.reason);
        }
    }
}

#[test]
fn a_begun_or_partial_synthesis_is_said_once() {
    let dir = Dir::usual(&log(ROUND_1), &rows(A_1), &rows(B_1));
    dir.put("synthesis.md", b"x");
    let reason = dir.open().reading().claim.reason.lossy().into_owned();
    assert_eq!(reason.matches("only one of the two").count(), 1, "{reason}");
    let boundaries = dir.boundaries();
    let point = boundaries.iter().find(|b| b.id.0 == "synthesis").unwrap();
    assert_eq!(
        point.reason,
        "The rounds are over: one of the two end documents exists."
    );
    let failed = [ROUND_1, &["round.started 2", "conference.failed"]].concat();
    dir.put(EVENTS, log(&failed).as_bytes());
    dir.remove("synthesis.md");
    let prompt = dir.handoff("synthesis").prompt;
    assert!(
        prompt.lossy().contains("this is a partial synthesis"),
        "{prompt:?}"
    );
}

/// A sentence that says what the event does not declare contradicts itself where it says that nothing is declared.
#[test]
fn a_convergence_that_only_the_event_of_the_round_says_is_said_as_such() {
    let dir = Dir::usual(&log(ROUND_1), &rows(A_1), &rows(B_1));
    let text = log(ROUND_1);
    let text = text.trim_end().strip_suffix("}}").unwrap();
    let text = format!("{text}, \"converged\": true}}}}\n");
    dir.put(EVENTS, text.as_bytes());
    let guards = dir.intent("synthesis").guards.into_iter();
    let question = guards.filter(|guard| guard.id == "convergence");
    let question: Vec<_> = question.map(|guard| guard.text).collect();
    let said = "The event of round 1 says that the conference converged, but conference.converged is not logged.";
    let asked = format!("{said} End it with the synthesis?");
    assert_eq!(question, [asked.as_str()]);
    let reason = dir.open().reading().claim.reason.lossy().into_owned();
    assert!(
        reason.contains(&format!("It stopped after round 1. {said}")),
        "{reason}"
    );
    let prompt = dir.handoff("round-2-phase-1").prompt.lossy().into_owned();
    let told = format!("(step 10 of the protocol). {said} If the conference has ended");
    assert!(prompt.contains(&told), "{prompt}");
}

/// A log that was written by hand is checked by the rules of what may be recorded.
#[test]
fn an_end_that_no_record_confirms_is_named() {
    let said = |event: &str, payload: &str| {
        format!(
            "{{\"event\": \"{event}\", \"timestamp\": \"2026-05-02T09:30:00Z\", \"payload\": {payload}}}\n"
        )
    };
    let begun = log(&["round.started 2"]);
    let started = log(ROUND_1);
    let again = said(
        "conference.resumed",
        "{\"recovery_point\": \"Start of Round 2, Phase 1\", \"round\": 2}",
    );
    let converged = |payload: &str| said("conference.converged", payload);
    let ends: &[(&[String], Option<&str>)] = &[
        (
            &[converged("{\"final_best_metric\": 50, \"round_count\": 1}")],
            None,
        ),
        (
            &[converged("{\"final_best_metric\": 99}")],
            Some("final_best_metric is 99, and no iteration on record has this value"),
        ),
        (
            &[converged("{\"round_count\": 3}")],
            Some("round_count is 3, and 1 completed round is on record"),
        ),
        (
            &[converged("{}"), begun.clone()],
            Some("1 event was logged after conference.converged"),
        ),
        (
            &[
                converged("{\"round_count\": 3}"),
                again.clone(),
                begun.clone(),
            ],
            None,
        ),
        (
            &[said(
                "conference.completed",
                "{\"synthesis_path\": \"elsewhere.md\"}",
            )],
            Some("synthesis_path is elsewhere.md, and the document is synthesis.md"),
        ),
    ];
    for (events, wrong) in ends {
        let dir = Dir::usual(
            &(started.clone() + &events.concat()),
            &rows(A_1),
            &rows(B_1),
        );
        let want = wrong.map_or(Verdict::Pass, |_| Verdict::Warn);
        assert_eq!(dir.verdict("A7"), want, "{events:?}");
        let checks = dir.checks();
        let rounds = checks.iter().find(|check| check.id.0 == "A7").unwrap();
        let named = |text: &str| rounds.evidence.lossy().contains(text);
        assert!(wrong.is_none_or(named), "{rounds:?}");
    }
    let round = |payload: &str| {
        let text = started.trim_end().strip_suffix("}}").unwrap();
        format!("{text}, {payload}}}}}\n")
    };
    for (payload, more, wrong) in [
        ("\"best_metric\": 50", "", None),
        (
            "\"best_metric\": 51.5",
            "",
            Some("no iteration on record has this value"),
        ),
        (
            "\"best_researcher\": \"Z\"",
            "",
            Some("There is no researcher Z"),
        ),
        ("\"converged\": true", "", None),
        (
            "\"converged\": true",
            begun.as_str(),
            Some("1 event was logged after round.completed"),
        ),
        ("\"converged\": true", &(again + &begun), None),
    ] {
        let dir = Dir::usual(&(round(payload) + more), &rows(A_1), &rows(B_1));
        let want = wrong.map_or(Verdict::Pass, |_| Verdict::Warn);
        let checks = dir.checks();
        let rounds = checks.iter().find(|check| check.id.0 == "A7").unwrap();
        assert_eq!(rounds.verdict, want, "{payload} {more}: {rounds:?}");
        let named = |text: &str| rounds.evidence.lossy().contains(text);
        assert!(wrong.is_none_or(named), "{rounds:?}");
    }
}
