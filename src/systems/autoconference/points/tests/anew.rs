//! Rebuilding the log from the other records, starting the conference over, and moving incomplete documents aside.

use std::fs;

use crate::model::{PointKind, Status, Verdict};
use crate::systems::autoconference::testdata::{Dir, POSTER, REVIEW, interrupted};

use super::again::{EVENTS, apply, chosen, reviewed};

/// Conferences with a damaged log, and the expected rest of the log.
fn losses() -> Vec<(Dir, String)> {
    let mut all = Vec::new();
    for make in [interrupted, reviewed] {
        let whole = make();
        let text = fs::read_to_string(whole.path().join(EVENTS)).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        for (what, left) in [
            ("gone", None),
            ("empty", Some(String::new())),
            ("damaged", Some("oops\nno event\n".to_owned())),
            ("its first line", Some(format!("{}\n", lines[0]))),
            (
                "cut in round 1",
                Some(format!("{}\n", lines[..5].join("\n"))),
            ),
            (
                "torn in round 1",
                Some(lines[..5].join("\n").chars().take(300).collect()),
            ),
        ] {
            let dir = make();
            match left {
                Some(text) => dir.put(EVENTS, text.as_bytes()),
                None => dir.remove(EVENTS),
            }
            all.push((dir, what.to_owned()));
        }
    }
    all
}

#[test]
fn a_rebuilt_log_leads_to_the_same_point_as_the_other_records() {
    for (dir, what) in losses() {
        let before = chosen(&dir);
        let offered = dir.boundaries();
        let rebuild = offered.iter().find(|b| b.id.0 == "rebuild").unwrap();
        assert_eq!(rebuild.kind, PointKind::StateEdit, "{what}");
        let briefing = |point: &str| dir.handoff(point).briefing.lossy().into_owned();
        let left = |text: &str| {
            text.split("Researchers with work left: ")
                .nth(1)?
                .lines()
                .next()
                .map(str::to_owned)
        };
        if before == "round-2-mid" {
            let text = briefing("rebuild");
            assert!(text.contains("Round: 2 (completed: 1)"), "{what}: {text}");
            assert_eq!(left(&text), left(&briefing(&before)), "{what}: {text}");
        }
        let kept = fs::read(dir.path().join(EVENTS)).unwrap_or_default();
        apply(&dir, "rebuild");
        let log = fs::read(dir.path().join(EVENTS)).unwrap();
        assert!(log.starts_with(&kept), "{what}: a log only grows");
        let text = String::from_utf8(log[kept.len()..].to_vec()).unwrap();
        let whole = text.lines().filter(|line| !line.is_empty());
        for line in whole {
            let event: serde_json::Value = serde_json::from_str(line).unwrap();
            let marked = event["payload"]["rebuilt"] == true;
            assert!(marked || event["event"] == "conference.rebuilt", "{line}");
        }
        assert_eq!(chosen(&dir), before, "{what}:\n{text}");
        assert!(!dir.points().contains(&"rebuild".to_owned()), "{what}");
        let table = fs::read_to_string(dir.path().join("conference_results.tsv")).unwrap();
        assert!(
            table.contains("2\tB\t1\t46\t-\t-\tkept\tx\tmanual\t-\t2026"),
            "{table}"
        );
        for id in ["A2", "A7", "A9", "A12", "A15"] {
            assert_eq!(dir.verdict(id), Verdict::Pass, "{what}: {id}");
        }
        assert!(
            dir.checks().iter().all(|c| c.verdict < Verdict::Fail),
            "{what}"
        );
    }
}

#[test]
fn a_log_that_has_everything_is_not_rebuilt() {
    for dir in [interrupted(), reviewed()] {
        assert!(!dir.points().contains(&"rebuild".to_owned()));
    }
}

#[test]
fn fresh_starts_the_conference_again_and_keeps_the_first_run() {
    let dir = reviewed();
    let names = |dir: &Dir| -> Vec<String> {
        let all = fs::read_dir(dir.path()).unwrap();
        let mut all: Vec<_> = all
            .map(|f| f.unwrap().file_name().into_string().unwrap())
            .collect();
        all.sort();
        all
    };
    let before = names(&dir);
    let prompt = dir.handoff("fresh").prompt.lossy().into_owned();
    assert!(
        prompt.starts_with("/autoconference Start the conference"),
        "{prompt}"
    );
    let briefing = dir.handoff("fresh").briefing.lossy().into_owned();
    assert!(briefing.contains("Round: 1 (completed: 0)"), "{briefing}");
    apply(&dir, "fresh");
    let after = names(&dir);
    for name in &before {
        assert!(
            after.contains(&format!("{name}.attempt-1")),
            "{name}: {after:?}"
        );
    }
    assert_eq!(fs::read(dir.path().join(EVENTS)).unwrap(), b"");
    let plan = fs::read_to_string(dir.path().join("conference.md")).unwrap();
    assert!(
        !plan.contains("Round 1") && plan.contains("## Shared Knowledge"),
        "{plan}"
    );
    assert_eq!(dir.points(), ["round-1-phase-1*"]);
    assert_eq!(dir.open().reading().claim.status, Status::Waiting);
    assert!(dir.checks().iter().all(|c| c.verdict < Verdict::Fail));
}

#[test]
fn incomplete_documents_are_moved_aside() {
    let half = &POSTER.as_bytes()[..40];
    let dir = interrupted();
    dir.put("poster_session_round_2.md", half);
    for point in ["round-2-mid", "round-2-keep", "round-2-phase-2"] {
        let moves = format!("{:?}", dir.intent(point).steps);
        assert!(
            moves.contains("poster_session_round_2.md.attempt-1"),
            "{point}: {moves}"
        );
    }
    apply(&dir, "round-2-mid");
    assert_eq!(chosen(&dir), "round-2-mid");
    assert_eq!(dir.verdict("A13"), Verdict::Pass);
    let dir = reviewed();
    let log = fs::read_to_string(dir.path().join(EVENTS)).unwrap();
    let cut = log
        .lines()
        .filter(|line| !line.contains("round.peer_review\", \"timestamp\": \"2026-05-02T08:15"));
    dir.put(
        EVENTS,
        (cut.collect::<Vec<_>>().join("\n") + "\n").as_bytes(),
    );
    dir.put("peer_review_round_2.md", &REVIEW.as_bytes()[..30]);
    assert_eq!(chosen(&dir), "round-2-phase-3");
    apply(&dir, "round-2-phase-3");
    assert!(!dir.path().join("peer_review_round_2.md").exists());
    assert!(dir.path().join("poster_session_round_2.md").exists());
    assert_eq!(chosen(&dir), "round-2-phase-3");
    assert_eq!(dir.verdict("A13"), Verdict::Pass);
}
