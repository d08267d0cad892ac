//! Every rule of the next step, and its evidence.

mod causes;
mod damaged;
mod ends;
mod limits;
mod lost;

use crate::systems::autoconference::testdata::{
    A_1, B_1, Dir, POSTER, REVIEW, ROUND_1, fresh, interrupted, log, rows,
};

fn points(dir: &Dir) -> String {
    // Every started conference can also be started again.
    let mut all = dir.points();
    all.retain(|point| !["rebuild", "fresh"].contains(&point.as_str()));
    all.join(" ")
}

fn dir(events: &[&str], a: &[&str], b: &[&str]) -> Dir {
    Dir::usual(&log(events), &rows(a), &rows(b))
}

#[test]
#[expect(clippy::too_many_lines, reason = "one row a case")]
fn the_point_follows_the_algorithm() {
    let started = "conference.started";
    let r1 = |more: &[&'static str]| [ROUND_1, more].concat();
    let a2: &[&str] = &[
        "researcher.iteration 2 A 1 51 kept",
        "researcher.iteration 2 A 2 51 kept",
        "researcher.iteration 2 A 3 51 kept",
    ];
    let b2: &[&str] = &[
        "researcher.iteration 2 B 1 51 kept",
        "researcher.iteration 2 B 2 51 kept",
        "researcher.iteration 2 B 3 51 kept",
    ];
    let all2 = [&r1(&["round.started 2"])[..], a2, b2].concat();
    let with = |more: &[&'static str]| [&all2[..], more].concat();
    let table: &[(&str, Vec<&str>, &str)] = &[
        ("completed", r1(&["conference.completed"]), ""),
        (
            "failed",
            r1(&["round.started 2", "conference.failed"]),
            "round-2-phase-1 synthesis*",
        ),
        (
            "converged",
            r1(&["conference.converged"]),
            "round-2-phase-1 synthesis*",
        ),
        (
            "stalled",
            r1(&["conference.stalled"]),
            "round-2-phase-1 synthesis*",
        ),
        ("started only", vec![started], "round-1-phase-1*"),
        (
            "round started",
            vec![started, "round.started 1"],
            "round-1-phase-1*",
        ),
        ("round completed", r1(&[]), "round-2-phase-1* synthesis"),
        (
            "resumed last",
            r1(&["conference.resumed 1"]),
            "round-2-phase-1* synthesis",
        ),
        (
            "unknown last",
            r1(&["conference.blessed 7"]),
            "round-2-phase-1* synthesis",
        ),
        (
            "one of two",
            [&r1(&["round.started 2"])[..], a2].concat(),
            "round-2-phase-1 round-2-phase-2 round-2-mid* round-2-keep synthesis",
        ),
        (
            "all ended",
            with(&[]),
            "round-2-phase-1 round-2-phase-2* synthesis",
        ),
        (
            "stuck for good",
            [&r1(&["round.started 2", "researcher.stuck 2 B"])[..], a2].concat(),
            "round-2-phase-1 round-2-phase-2 round-2-mid* round-2-keep synthesis",
        ),
        (
            "poster held",
            with(&["round.poster_session 2"]),
            "round-2-phase-1 round-2-phase-2 round-2-phase-3* synthesis",
        ),
        (
            "review held",
            with(&["round.poster_session 2", "round.peer_review 2"]),
            "round-2-phase-1 round-2-phase-2 round-2-phase-3 round-2-phase-4* synthesis",
        ),
        (
            "review without poster",
            with(&["round.peer_review 2"]),
            "round-2-phase-1 round-2-phase-2 round-2-phase-3 round-2-phase-4* synthesis",
        ),
        (
            "gap",
            vec![started, "round.started 1", "round.completed 2"],
            "round-1-phase-1*",
        ),
    ];
    for (name, events, wanted) in table {
        let begun = events.len() >= ROUND_1.len();
        let (a, b) = if begun {
            (A_1, B_1)
        } else {
            (&[][..], &[][..])
        };
        let dir = dir(events, a, b);
        dir.put("poster_session_round_2.md", POSTER.as_bytes());
        dir.put("peer_review_round_2.md", REVIEW.as_bytes());
        if !events.contains(&"round.poster_session 2") {
            dir.remove("poster_session_round_2.md");
        }
        if !events.contains(&"round.peer_review 2") {
            dir.remove("peer_review_round_2.md");
        }
        if !begun {
            dir.put("conference.md", fresh().as_bytes());
        }
        assert_eq!(points(&dir), *wanted, "{name}");
    }
}

#[test]
fn files_count_only_in_logs_without_events_of_phases() {
    let old = [
        "conference.started",
        "researcher.iteration 1 A 3 42 kept",
        "researcher.iteration 1 B 3 42 kept",
    ];
    let new = [
        "conference.started",
        "round.started 1",
        "researcher.iteration 1 A 3 42 kept",
        "researcher.iteration 1 B 3 42 kept",
    ];
    for (events, poster, review, chosen) in [
        (&old[..], "", "", "round-1-phase-2*"),
        (&old[..], POSTER, "", "round-1-phase-3*"),
        (&old[..], POSTER, REVIEW, "round-1-phase-4*"),
        (&new[..], POSTER, REVIEW, "round-1-phase-2*"),
        (&old[..], "x", "", "round-1-phase-2*"),
        (&old[..], POSTER, "x", "round-1-phase-3*"),
    ] {
        let dir = dir(events, &["0 TBD baseline"], &["0 TBD baseline"]);
        dir.put("poster_session_round_1.md", poster.as_bytes());
        dir.put("peer_review_round_1.md", review.as_bytes());
        assert!(
            dir.points().contains(&chosen.to_owned()),
            "{chosen}: {:?}",
            dir.points()
        );
        let doubtful = dir
            .open()
            .reading()
            .findings
            .iter()
            .any(|f| f.code == "cut-file");
        let half = poster == "x" || review == "x";
        assert_eq!(doubtful, events.len() == 4 || half, "{chosen}");
    }
}

#[test]
fn a_researcher_is_complete_for_any_of_the_stated_reasons() {
    let table: &[(&str, &[&str], &[&str], &str)] = &[
        (
            "index reaches the number",
            &["researcher.iteration 1 B 3 42 kept"],
            &[],
            "phase-2",
        ),
        (
            "rows alone",
            &[],
            &["1 4 kept", "2 4 kept", "3 4 kept"],
            "phase-2",
        ),
        (
            "0 to 2 without a baseline",
            &[
                "researcher.iteration 1 B 0 4 kept",
                "researcher.iteration 1 B 1 4 kept",
                "researcher.iteration 1 B 2 4 kept",
            ],
            &[],
            "phase-2",
        ),
        (
            "0 to 2 with its baseline: probably",
            &[
                "researcher.iteration 1 B 0 4 baseline",
                "researcher.iteration 1 B 1 4 kept",
                "researcher.iteration 1 B 2 4 kept",
            ],
            &[],
            "phase-2",
        ),
        (
            "marked final",
            &["researcher.iteration 1 B 1 4 final"],
            &[],
            "phase-2",
        ),
        (
            "reached the target",
            &["researcher.iteration 1 B 1 81 kept"],
            &[],
            "phase-2",
        ),
        (
            "a baseline reaches nothing",
            &["researcher.iteration 1 B 0 81 baseline"],
            &[],
            "mid",
        ),
        (
            "two of three",
            &[
                "researcher.iteration 1 B 1 4 kept",
                "researcher.iteration 1 B 2 4 kept",
            ],
            &[],
            "mid",
        ),
        ("untouched", &[], &["0 TBD baseline"], "mid"),
    ];
    for (name, events, own, chosen) in table {
        let head = ["conference.started", "researcher.iteration 1 A 3 42 kept"];
        let dir = dir(&[&head[..], events].concat(), &[], own);
        assert!(
            dir.points().contains(&format!("round-1-{chosen}*")),
            "{name}: {:?}",
            dir.points()
        );
        assert_eq!(
            dir.points().contains(&"round-1-keep".to_owned()),
            *chosen == "mid" || name.contains("probably"),
            "{name}"
        );
    }
}

#[test]
fn a_target_of_an_earlier_round_ends_no_later_work() {
    let dir = dir(
        &[
            "conference.started",
            "researcher.iteration 1 A 3 85 kept",
            "round.1.completed",
            "researcher.iteration 2 A 1 86 kept",
        ],
        &[],
        &[],
    );
    assert!(dir.points().contains(&"round-2-mid*".to_owned()));
}

#[test]
fn both_end_documents_complete_it_unless_a_round_is_open() {
    let done = Dir::usual(&log(ROUND_1), &rows(A_1), &rows(B_1));
    let open = interrupted();
    for dir in [&done, &open] {
        dir.put("synthesis.md", b"x");
        dir.put("final_report.md", b"x");
    }
    assert_eq!(points(&done), "");
    assert!(
        done.open()
            .reading()
            .findings
            .iter()
            .any(|f| f.code == "inferred-completion" && f.inferred)
    );
    assert!(open.points().contains(&"round-2-mid*".to_owned()));
    done.remove("final_report.md");
    assert_eq!(points(&done), "round-2-phase-1 synthesis*");
}

#[test]
fn the_real_dialect_reads_like_the_documented_one() {
    let text = log(&[
        "conference.started",
        "researcher.iteration 1 A 3 50 kept",
        "researcher.iteration 1 B 3 50 kept",
        "round.1.completed",
        "researcher.iteration _ A 1 51 kept",
    ]);
    let dir = Dir::usual(&text.replace("\"status\"", "\"outcome\""), "", "");
    assert!(
        dir.points().contains(&"round-2-mid*".to_owned()),
        "{:?}",
        dir.points()
    );
    let case = dir.open();
    let codes: Vec<_> = case
        .reading()
        .findings
        .iter()
        .filter(|f| f.inferred)
        .map(|f| f.code)
        .collect();
    assert_eq!(
        codes,
        [
            "inferred-event-name",
            "inferred-round",
            "inferred-outcome",
            "inferred-dialect"
        ]
    );
}

#[test]
fn f5_only_the_number_of_rounds_ends_a_conference_by_itself() {
    let rounds = |metrics: &[&str]| {
        let mut events = vec!["conference.started".to_owned()];
        for (i, m) in metrics.iter().enumerate() {
            let n = i + 1;
            events.push(format!("researcher.iteration {n} A 3 {m} kept"));
            events.push(format!("researcher.iteration {n} B 3 4 kept"));
            events.push(format!("round.completed {n}"));
        }
        events
    };
    for (metrics, ending, chosen) in [
        (&["50"][..], None, "round-2-phase-1*"),
        (&["81"][..], Some("CONVERGED"), "round-2-phase-1*"),
        (&["50", "50"][..], None, "round-3-phase-1*"),
        (
            &["50", "50", "50"][..],
            Some("CONVERGED"),
            "round-4-phase-1*",
        ),
        (&["50", "50", "51"][..], None, "round-4-phase-1*"),
        (
            &["50", "51", "52", "53"][..],
            Some("BUDGET_STOP"),
            "synthesis*",
        ),
        (
            &["50", "81", "52", "53"][..],
            Some("BUDGET_STOP"),
            "synthesis*",
        ),
    ] {
        let events = rounds(metrics);
        let events: Vec<&str> = events.iter().map(String::as_str).collect();
        let dir = Dir::usual(&log(&events), "", "");
        let reason = dir.open().reading().claim.reason.lossy().into_owned();
        assert!(dir.points().contains(&chosen.to_owned()), "{metrics:?}");
        match ending {
            Some(word) => assert!(reason.contains(word), "{metrics:?}: {reason}"),
            None => assert!(
                reason.contains("stopped after round"),
                "{metrics:?}: {reason}"
            ),
        }
    }
}

#[test]
fn without_a_number_the_median_decides_with_low_confidence() {
    let dir = interrupted();
    let config =
        crate::systems::autoconference::testdata::CONFIG.replace("round:** 3", "round:** many");
    dir.put("conference.md", config.as_bytes());
    let chosen = dir
        .boundaries()
        .into_iter()
        .find(|b| b.id.0 == "round-2-mid")
        .unwrap();
    assert!(
        chosen
            .warnings
            .iter()
            .any(|w| w.lossy().contains("estimated"))
    );
}
