//! Rounds as operands of a comparison.

use super::*;
use crate::systems::autoconference::testdata::{CONFIG, Dir, ROUND_1, interrupted, log, rows};

fn runs(dir: &Dir) -> Vec<Run> {
    dir.open().runs(&dir.world)
}

fn measure(run: &Run, name: &str) -> Option<f64> {
    run.measures
        .iter()
        .find(|one| one.name == name)
        .unwrap()
        .value
}

/// Key, status and summary of each piece of work.
fn work(run: &Run) -> Vec<(String, WorkStatus, String)> {
    let text = |one: &Work| {
        one.summary
            .as_ref()
            .map_or_else(String::new, |s| s.lossy().into_owned())
    };
    run.work
        .iter()
        .map(|one| (one.key.clone(), one.status, text(one)))
        .collect()
}

fn row(key: &str, status: WorkStatus, summary: &str) -> (String, WorkStatus, String) {
    (key.to_owned(), status, summary.to_owned())
}

#[test]
fn rounds_are_listed_in_order_with_the_work_of_each_researcher() {
    let all = runs(&interrupted());
    let names: Vec<&str> = all.iter().map(|run| run.name.as_str()).collect();
    assert_eq!(names, ["round-1", "round-2"]);
    assert_eq!(all[0].title, "Round 1: Make parsing faster");
    assert_eq!(
        work(&all[0]),
        [
            row(
                "A",
                WorkStatus::Completed,
                "best 50 at iteration 3: x; 3 iterations"
            ),
            row(
                "B",
                WorkStatus::Completed,
                "best 45 at iteration 3: x; 3 iterations"
            ),
            row("poster session", WorkStatus::Completed, ""),
            row(
                "peer review",
                WorkStatus::Completed,
                "1 validated, 0 challenged, 0 overturned"
            ),
        ]
    );
    assert_eq!(
        work(&all[1]),
        [
            row(
                "A",
                WorkStatus::Completed,
                "best 53 at iteration 3: x; 5 iterations"
            ),
            row(
                "B",
                WorkStatus::Open,
                "incomplete after 3; best 46 at iteration 1: x; 3 iterations"
            ),
        ]
    );
    assert!(!all[0].unfinished && all[1].unfinished);
    assert!(all[0].confounders.is_empty() && !all[1].confounders.is_empty());
}

#[test]
fn a_round_has_its_own_figures_and_unknown_ones_are_not_zero() {
    let all = runs(&interrupted());
    let table: &[(&str, Option<f64>, Option<f64>)] = &[
        ("best metric", Some(50.0), Some(53.0)),
        ("iterations", Some(6.0), Some(8.0)),
        ("rows", Some(6.0), Some(8.0)),
        ("kept", Some(4.0), Some(4.0)),
        ("discarded", Some(2.0), Some(2.0)),
        ("findings validated", Some(1.0), None),
    ];
    for (name, one, two) in table {
        assert_eq!(measure(&all[0], name), *one, "{name}, round 1");
        assert_eq!(measure(&all[1], name), *two, "{name}, round 2");
    }
}

#[test]
fn without_tables_the_log_counts_and_rows_are_unknown() {
    let dir = Dir::with(&[
        ("conference.md", CONFIG),
        ("conference_events.jsonl", &log(ROUND_1)),
    ]);
    let all = runs(&dir);
    assert_eq!(measure(&all[0], "iterations"), Some(6.0));
    assert_eq!(measure(&all[0], "rows"), None);
    assert_eq!(measure(&all[0], "best metric"), Some(50.0));
}

#[test]
fn a_duration_is_known_only_if_the_start_is() {
    let dir = interrupted();
    // Round 1 started at minute 1; A's last iteration ended at minute 4.
    assert_eq!(runs(&dir)[0].work[0].duration_s, Some(180));
    assert_eq!(runs(&dir)[1].work[1].duration_s, None, "it did not end");
    let without: Vec<&str> = ROUND_1
        .iter()
        .copied()
        .filter(|l| !l.starts_with("round.started"))
        .collect();
    dir.put("conference_events.jsonl", log(&without).as_bytes());
    assert_eq!(runs(&dir)[0].work[0].duration_s, None);
}

#[test]
fn files_pair_under_names_without_their_round() {
    let dir = interrupted();
    std::fs::create_dir(dir.path().join("iterations")).unwrap();
    for name in [
        "R1_A_1.py",
        "R1_A_1_scores.json",
        "R2_A_1.py",
        "R12_A_1.py",
        "notes.md",
    ] {
        dir.put(&format!("iterations/{name}"), b"x");
    }
    let all = runs(&dir);
    let files = |run: &Run| {
        let RunTree::Files(files) = &run.tree else {
            panic!("{:?}", run.tree);
        };
        let file =
            |path: &std::path::PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
        let pair = |(name, path): &(crate::model::Foreign, Option<std::path::PathBuf>)| {
            (name.lossy().into_owned(), path.as_ref().map(file))
        };
        files.iter().map(pair).collect::<Vec<_>>()
    };
    let pair = |name: &str, file: Option<&str>| (name.to_owned(), file.map(str::to_owned));
    assert_eq!(
        files(&all[0]),
        [
            pair("poster_session.md", Some("poster_session_round_1.md")),
            pair("peer_review.md", Some("peer_review_round_1.md")),
            pair("iterations/A_1.py", Some("R1_A_1.py")),
            pair("iterations/A_1_scores.json", Some("R1_A_1_scores.json")),
        ]
    );
    assert_eq!(
        files(&all[1]),
        [
            pair("poster_session.md", None),
            pair("peer_review.md", None),
            pair("iterations/A_1.py", Some("R2_A_1.py")),
        ]
    );
}

#[test]
fn a_part_ends_by_its_events_then_by_its_iterations() {
    let table: &[(&[&str], &[&str], WorkStatus, &str)] = &[
        (
            &[],
            &["1 40 failed", "2 41 failed"],
            WorkStatus::Failed,
            "every iteration failed",
        ),
        (
            &[],
            &["1 40 failed", "2 41 kept"],
            WorkStatus::Completed,
            "best 41",
        ),
        (
            &["researcher.stuck 1 B _ _ _"],
            &["1 40 kept"],
            WorkStatus::Completed,
            "best 40",
        ),
    ];
    for (events, b, status, text) in table {
        let lines = [
            &["conference.started", "researcher.iteration 1 A 1 42 kept"],
            *events,
            &["round.completed 1"],
        ]
        .concat();
        let dir = Dir::usual(&log(&lines), &rows(&["1 42 kept"]), &rows(b));
        let one = work(&runs(&dir)[0]).remove(1);
        assert_eq!(one.1, *status, "{one:?}");
        assert!(one.2.starts_with(text), "{one:?}");
    }
    for (level, status) in [
        ("\"timeout\"", WorkStatus::Error),
        ("3", WorkStatus::Failed),
        ("2", WorkStatus::Completed),
    ] {
        let stuck = format!(
            "{{\"event\":\"researcher.stuck\",\"timestamp\":\"2026-05-02T09:00:00Z\",\"payload\":{{\"round\":1,\"researcher\":\"B\",\"stuck_level\":{level}}}}}\n"
        );
        let lines = log(&["conference.started", "researcher.iteration 1 A 1 42 kept"])
            + &stuck
            + &log(&["round.completed 1"]);
        let dir = Dir::usual(&lines, &rows(&["1 42 kept"]), &rows(&["1 40 kept"]));
        assert_eq!(work(&runs(&dir)[0])[1].1, status, "{level}");
    }
}

#[test]
fn a_conference_that_never_began_has_no_rounds() {
    let dir = Dir::usual("", &rows(&["0 TBD baseline"]), "");
    assert!(runs(&dir).is_empty());
}
