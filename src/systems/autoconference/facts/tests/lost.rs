//! Inferences for a log that is lost or truncated, or that only records a recovery.

use crate::model::{Badge, Status, Verdict};
use crate::systems::autoconference::testdata::{
    CONFIG, Dir, POSTER, REVIEW, ROUND_1, fresh, interrupted, log, rows,
};

const EVENTS: &str = "conference_events.jsonl";
const C11: &str = "round\tresearcher\titeration\tmetric_value\tdelta\tdelta_pct\tstatus\tdescription\tevaluator_source\tpeer_review_verdict\ttimestamp\n";

/// Nine rounds that are only in `conference.md`, as in a fresh clone.
fn only_the_plan(rounds: u64, max: u64) -> Dir {
    let (mut findings, mut log) = (String::new(), String::new());
    for n in 1..=rounds {
        findings = format!("{findings}### Round {n} Validated Findings\n1. finding {n}\n");
        log = format!("{log}| {n} | ALL | 50 | x | done |\n");
    }
    let (head, _) = CONFIG.split_once("### Round 1").unwrap();
    let head = head.replace("rounds:** 4", &format!("rounds:** {max}"));
    let plan = format!(
        "{head}{findings}\n## Conference Log\n| Round | Researcher | Best Metric | Key Finding | Status |\n|---|---|---|---|---|\n{log}"
    );
    Dir::with(&[("conference.md", &plan)])
}

fn chosen(dir: &Dir) -> Option<String> {
    dir.points().into_iter().find(|p| p.ends_with('*'))
}

/// A name, files, the recommended point and the number of finished rounds.
type Case<'a> = (&'a str, &'a [(&'a str, &'a str)], &'a str, u64);

#[test]
#[expect(clippy::too_many_lines, reason = "one row a case")]
fn f1_other_records_show_the_progress_of_a_conference_without_a_log() {
    let table = |text: &str| {
        format!(
            "{}\n{text}",
            crate::systems::autoconference::shape::table::R8
        )
    };
    let three = |last: &str| rows(&["0 TBD baseline", "1 4 kept", "2 4 kept", last]);
    let results = |rounds: &[u64], verdict: &str| {
        let each = rounds
            .iter()
            .flat_map(|n| ['A', 'B'].map(|id| (n, id)))
            .flat_map(|(n, id)| (1..=3).map(move |i| (n, id, i)));
        let rows: Vec<String> = each
            .map(|(n, id, i)| {
                format!("{n}\t{id}\t{i}\t4\t-\t-\tkept\tx\tm\t{verdict}\t2026-05-02\n")
            })
            .collect();
        format!("{C11}{}", rows.concat())
    };
    let all = table(&three("3 4 kept"));
    let reviewed = results(&[1, 2], "validated");
    let open = results(&[1, 2], "-");
    let shared_1 = CONFIG.to_owned();
    let shared_2 = CONFIG.replace(
        "\n## Conference Log",
        "### Round 2 Validated Findings\n1. x\n\n## Conference Log",
    ) + "| 2 | ALL | 4 | x | done |\n";
    let new = fresh();
    let cases: &[Case<'_>] = &[
        (
            "tables of one round",
            &[
                ("conference.md", &new),
                ("researcher_A_results.tsv", &all),
                ("researcher_B_results.tsv", &all),
            ],
            "round-1-phase-2*",
            0,
        ),
        (
            "one of two tables",
            &[("conference.md", &new), ("researcher_A_results.tsv", &all)],
            "round-1-mid*",
            0,
        ),
        (
            "the conference's table alone",
            &[("conference.md", &new), ("conference_results.tsv", &open)],
            "round-2-phase-2*",
            1,
        ),
        (
            "a poster",
            &[
                ("conference.md", &new),
                ("conference_results.tsv", &open),
                ("poster_session_round_2.md", POSTER),
            ],
            "round-2-phase-3*",
            1,
        ),
        (
            "round 2's review counts",
            &[
                ("conference.md", &shared_1),
                ("conference_results.tsv", &open),
                ("poster_session_round_2.md", POSTER),
                ("peer_review_round_2.md", REVIEW),
            ],
            "round-2-phase-4*",
            1,
        ),
        (
            "reviews alone",
            &[
                ("conference.md", &new),
                ("peer_review_round_1.md", REVIEW),
                ("peer_review_round_2.md", REVIEW),
            ],
            "round-2-phase-4*",
            1,
        ),
        (
            "half a poster alone",
            &[
                ("conference.md", &new),
                ("poster_session_round_1.md", "# Pos"),
            ],
            "round-1-phase-2*",
            0,
        ),
        (
            "a researcher's log alone",
            &[
                ("conference.md", &new),
                (
                    "researcher_A_log.md",
                    "# A\n## Round 1\n### Iteration 1: x\n",
                ),
            ],
            "round-1-mid*",
            0,
        ),
        (
            "everything of two rounds",
            &[
                ("conference.md", &shared_2),
                ("conference_results.tsv", &reviewed),
                ("peer_review_round_2.md", REVIEW),
            ],
            "round-3-phase-1*",
            2,
        ),
        (
            "one end document alone",
            &[("conference.md", &new), ("final_report.md", "x")],
            "synthesis*",
            0,
        ),
        (
            "one end document",
            &[("conference.md", &shared_2), ("synthesis.md", "x")],
            "synthesis*",
            2,
        ),
    ];
    for (name, files, point, done) in cases {
        for log in [None, Some(""), Some("oops\nno event\n")] {
            let dir = Dir::with(files);
            if let Some(text) = log {
                dir.put(EVENTS, text.as_bytes());
            }
            let case = dir.open();
            let reading = case.reading();
            assert_eq!(reading.claim.status, Status::Interrupted, "{name}");
            assert_eq!(chosen(&dir).as_deref(), Some(*point), "{name}, {log:?}");
            assert_eq!(reading.progress.done, Some(*done), "{name}");
            assert!(reading.badges.contains(&Badge::Inferred), "{name}");
            assert!(!reading.badges.contains(&Badge::NotStarted), "{name}");
            assert!(reading.claim.reason.lossy().contains("event log"), "{name}");
        }
    }
}

#[test]
fn f1_the_plan_alone_shows_nine_rounds() {
    let going = only_the_plan(9, 12);
    assert_eq!(chosen(&going).as_deref(), Some("round-10-phase-1*"));
    let over = only_the_plan(9, 9);
    assert_eq!(chosen(&over).as_deref(), Some("synthesis*"));
    for name in ["synthesis.md", "final_report.md"] {
        over.put(name, b"x");
    }
    let case = over.open();
    assert_eq!(case.reading().claim.status, Status::Complete);
    assert!(case.reading().badges.contains(&Badge::Inferred));
    let huge = only_the_plan(1, 4);
    let text = std::fs::read_to_string(huge.path().join("conference.md")).unwrap();
    huge.put(
        "conference.md",
        (text + "| 18446744073709551615 | A | 1 | x | x |\n").as_bytes(),
    );
    assert_eq!(chosen(&huge).as_deref(), Some("round-2-phase-1*"));
}

#[test]
fn f1_a_truncated_log_is_compared_with_the_other_records() {
    let dir = interrupted();
    let text = std::fs::read_to_string(dir.path().join(EVENTS)).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    for keep in 1..lines.len() {
        dir.put(EVENTS, (lines[..keep].join("\n") + "\n").as_bytes());
        let point = chosen(&dir).unwrap();
        assert!(
            point.starts_with("round-1-phase-4") || point.starts_with("round-2"),
            "{keep}: {point}"
        );
        let silent = !lines[..keep].iter().any(|l| l.contains("\"round\": 2"));
        let inferred = dir.open().reading().badges.contains(&Badge::Inferred);
        let completed = lines[..keep].iter().any(|l| l.contains("round.completed"));
        assert_eq!(
            inferred,
            silent && !completed && point.starts_with("round-2"),
            "{keep}"
        );
    }
}

#[test]
fn no_single_lost_line_of_the_log_discards_a_later_round() {
    let dir = interrupted();
    let text = std::fs::read_to_string(dir.path().join(EVENTS)).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    for lost in 0..lines.len() {
        let mut left = lines.clone();
        let line = left.remove(lost);
        dir.put(EVENTS, (left.join("\n") + "\n").as_bytes());
        let point = chosen(&dir).unwrap();
        assert!(point.starts_with("round-2"), "{line}: {point}");
        let inferred = dir.open().reading().badges.contains(&Badge::Inferred);
        assert_eq!(inferred, line.contains("round.completed"), "{line}");
    }
}

#[test]
fn f1_a_second_attempt_without_a_name_is_no_later_round() {
    // The rows of B begin anew without saying their round, and round 2 was never reviewed.
    let dir = interrupted();
    let path = dir.path().join("researcher_B_results.tsv");
    let text = std::fs::read_to_string(path).unwrap() + &rows(&["0 45 baseline", "1 46 kept"]);
    dir.put("researcher_B_results.tsv", text.as_bytes());
    assert_eq!(dir.open().reading().progress.done, Some(1));
    dir.put("peer_review_round_2.md", REVIEW.as_bytes());
    assert_eq!(dir.open().reading().progress.done, Some(2));
}

#[test]
fn f1_a_log_of_only_damage_is_interrupted_and_does_not_start_over() {
    let config = fresh();
    for text in ["oops\n", "{\"event\": \"conference.st\noops", "[1]\n[2]\n"] {
        let dir = Dir::with(&[("conference.md", &config), (EVENTS, text)]);
        let case = dir.open();
        assert_eq!(case.reading().claim.status, Status::Interrupted, "{text}");
        assert!(case.reading().badges.contains(&Badge::Damaged));
        assert!(dir.points().is_empty(), "{text}: {:?}", dir.points());
    }
}

#[test]
fn f2_without_its_plan_nothing_is_recommended() {
    let dir = interrupted();
    dir.remove("conference.md");
    let case = dir.open();
    let reading = case.reading();
    assert_eq!(reading.claim.status, Status::Interrupted);
    assert!(reading.badges.contains(&Badge::Damaged));
    let reason = reading.claim.reason.lossy();
    assert!(reason.contains("conference.md is missing"), "{reason}");
    assert!(!dir.points().is_empty() && chosen(&dir).is_none());
    for point in dir.points() {
        let guards = dir.intent(&point).guards;
        assert!(guards.iter().any(|g| g.id == "required_file" && !g.holds));
    }
}

#[test]
fn f3_a_recovery_uses_up_no_time() {
    let events = log(ROUND_1);
    let dir = Dir::usual(&events, "", "");
    let config = CONFIG.replace(
        "## Search Space",
        "## Constraints\n- **Time budget:** 2h\n\n## Search Space",
    );
    dir.put("conference.md", config.as_bytes());
    let before = dir.points();
    let late = "{\"event\": \"conference.resumed\", \"timestamp\": \"2026-05-09T09:00:00Z\", \"payload\": {\"recovery_point\": \"Start of Round 2, Phase 1\", \"round\": 2, \"reverted_researchers\": []}}\n";
    dir.put(EVENTS, format!("{events}{late}").as_bytes());
    assert_eq!(dir.points(), before);
    assert!(!dir.open().reading().claim.reason.lossy().contains("budget"));
    // The orchestrator's own event of that time does.
    let own = late.replace("conference.resumed", "round.completed");
    let today = own.replace("05-09T09", "05-02T19");
    dir.put(EVENTS, format!("{events}{today}").as_bytes());
    assert!(dir.open().reading().claim.reason.lossy().contains("budget"));
    assert_eq!(dir.verdict("A23"), Verdict::Warn);
    // One from the future does not.
    dir.put(EVENTS, format!("{events}{own}").as_bytes());
    assert!(!dir.open().reading().claim.reason.lossy().contains("budget"));
    assert_eq!(dir.verdict("A23"), Verdict::Pass);
}

#[test]
fn f23_the_status_and_the_check_use_the_same_time() {
    let late = "{\"event\": \"conference.resumed\", \"timestamp\": \"2026-05-09T09:00:00Z\", \"payload\": {\"recovery_point\": \"Start of Round 2, Phase 1\", \"round\": 2, \"reverted_researchers\": []}}\n";
    let events = format!("{}{late}", log(ROUND_1));
    let stops = |minutes: u32| {
        let dir = Dir::usual(&events, "", "");
        let budget = format!("## Constraints\n- **Time budget:** {minutes}m\n\n## Search Space");
        let config = CONFIG.replace("## Search Space", &budget);
        dir.put("conference.md", config.as_bytes());
        let reason = dir.open().reading().claim.reason.clone();
        let check = dir.checks().into_iter().find(|check| check.id.0 == "A23");
        let check = check.unwrap();
        let stops = reason.lossy().contains("time budget");
        assert_eq!(stops, check.verdict == Verdict::Warn, "{minutes} min");
        if stops {
            let spent = reason.lossy();
            let spent = spent.split("recorded ").nth(1).unwrap();
            let spent = format!("({}", spent.split(" pass").next().unwrap());
            let evidence = check.evidence.lossy();
            assert!(evidence.contains(&spent), "{reason:?} | {evidence}");
        }
        stops
    };
    let all: Vec<bool> = (1..=120).map(stops).collect();
    let first = all.iter().position(|stops| !stops);
    assert!(first.is_some_and(|at| at > 0 && all.iter().skip(at).all(|stops| !stops)));
}

#[test]
fn f6_half_a_poster_or_review_does_not_count_without_events_of_phases() {
    let old = [
        "conference.started",
        "researcher.iteration 1 A 3 42 kept",
        "researcher.iteration 1 B 3 42 kept",
    ];
    let dir = Dir::usual(&log(&old), "", "");
    let at = |text: &str, whole: usize| {
        (0..text.len())
            .filter(|cut| *cut < whole)
            .step_by(5)
            .collect::<Vec<_>>()
    };
    let last = POSTER.rfind("- **Status").unwrap();
    for cut in at(POSTER, last) {
        dir.put("poster_session_round_1.md", &POSTER.as_bytes()[..cut]);
        assert_eq!(chosen(&dir).as_deref(), Some("round-1-phase-2*"), "{cut}");
    }
    dir.put("poster_session_round_1.md", POSTER.as_bytes());
    for cut in at(REVIEW, REVIEW.len()) {
        dir.put("peer_review_round_1.md", &REVIEW.as_bytes()[..cut]);
        assert_eq!(chosen(&dir).as_deref(), Some("round-1-phase-3*"), "{cut}");
    }
    dir.put("peer_review_round_1.md", REVIEW.as_bytes());
    assert_eq!(chosen(&dir).as_deref(), Some("round-1-phase-4*"));
}

#[test]
fn f7_an_event_without_its_file_does_not_count() {
    let more = |events: &[&'static str]| {
        let dir = interrupted();
        let all = [ROUND_1, &["round.started 2"][..], events].concat();
        dir.put(EVENTS, log(&all).as_bytes());
        dir
    };
    let dir = more(&["round.poster_session 2"]);
    assert_eq!(chosen(&dir).as_deref(), Some("round-2-phase-2*"));
    assert_eq!(dir.verdict("A13"), crate::model::Verdict::Fail);
    let dir = more(&["round.poster_session 2", "round.peer_review 2"]);
    dir.put("poster_session_round_2.md", POSTER.as_bytes());
    assert_eq!(chosen(&dir).as_deref(), Some("round-2-phase-3*"));
    dir.put("peer_review_round_2.md", REVIEW.as_bytes());
    assert_eq!(chosen(&dir).as_deref(), Some("round-2-phase-4*"));
    dir.remove("poster_session_round_2.md");
    assert_eq!(chosen(&dir).as_deref(), Some("round-2-phase-4*"));
}

#[test]
fn f8_a_log_above_16_mib_is_read() {
    let dir = interrupted();
    let points = dir.points();
    let text = std::fs::read_to_string(dir.path().join(EVENTS)).unwrap();
    let note = "x".repeat(1_000_000);
    let padding = format!(
        "{{\"event\": \"note.kept\", \"timestamp\": \"2026-05-02T08:00:00Z\", \"payload\": {{\"note\": \"{note}\"}}}}\n"
    );
    dir.put(EVENTS, (padding.repeat(17) + &text).as_bytes());
    assert_eq!(dir.points(), points);
    assert!(dir.open().reading().findings.is_empty());
}
