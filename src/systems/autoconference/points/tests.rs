//! The writes of the points, byte for byte.

mod again;
mod anew;
mod closed;
mod undone;

use crate::model::{Action, Preview, Step, Verdict};

use crate::systems::autoconference::testdata::{
    A_1, B_1, Dir, ROUND_1, fresh, interrupted, log, rows,
};
use crate::systems::testing::{appended, replaced};

fn line(intent: &crate::model::Intent) -> Option<(String, String)> {
    intent.steps.iter().find_map(|step| {
        let (_, lines) = appended(step)?;
        Some((lines.concat(), step.change()?.summary.lossy().into_owned()))
    })
}

#[test]
fn mid_truncates_after_the_last_kept_row_and_logs_it() {
    let dir = interrupted();
    let intent = dir.intent("round-2-mid");
    let Some(Step::Change(Action {
        target: path,
        preview:
            Preview::Rows {
                before: expect,
                keep_bytes,
                ..
            },
        ..
    })) = intent.steps.first()
    else {
        panic!("{:?}", intent.steps);
    };
    assert!(path.ends_with("researcher_B_results.tsv"));
    let kept = std::str::from_utf8(&expect[..*keep_bytes]).unwrap();
    assert!(
        kept.ends_with("1\t46\t-\t-\tkept\tx\tmanual\t2026-05-02T08:00:00Z\n"),
        "{kept}"
    );
    assert_eq!(*expect, std::fs::read(path).unwrap());
    let (line, summary) = line(&intent).unwrap();
    assert_eq!(
        line,
        "{\"event\": \"conference.resumed\", \"timestamp\": \"{now}\", \"payload\": {\"recovery_point\": \"Mid-Phase 1, Round 2\", \"round\": 2, \"reverted_researchers\": [\"B\"]}}"
    );
    assert!(!summary.contains("newline"));
    assert_eq!(intent.steps.len(), 2);
    assert!(intent.tree.is_none());
    let prompt = dir.handoff("round-2-mid").prompt;
    assert!(prompt.lossy().contains("Re-spawn only B"));
    assert!(
        prompt
            .lossy()
            .contains("already in the log: do not append another")
    );
    let gone: Vec<_> = intent
        .redone
        .iter()
        .map(|i| i.id.lossy().into_owned())
        .collect();
    assert_eq!(gone, ["B · 2"]);
}

#[test]
fn keep_truncates_nothing_and_logs_too() {
    let dir = interrupted();
    let intent = dir.intent("round-2-keep");
    assert_eq!(intent.steps.len(), 1);
    assert!(
        line(&intent)
            .unwrap()
            .0
            .contains("\"reverted_researchers\": []")
    );
}

#[test]
fn the_spacing_follows_line_one_and_a_truncated_last_line_is_ended() {
    let dir = interrupted();
    let text = log(&["conference.started"])
        .replace(": ", ":")
        .replace(", ", ",");
    dir.put(
        "conference_events.jsonl",
        format!("{text}{{\"event\":\"rou").as_bytes(),
    );
    let intent = dir.intent(
        &dir.points()
            .iter()
            .find(|p| p.ends_with('*'))
            .unwrap()
            .replace('*', ""),
    );
    let (line, summary) = line(&intent).unwrap();
    assert!(line.starts_with("{\"event\":\"conference.resumed\",\"timestamp\":\"{now}\",\"payload\":{\"recovery_point\":\""), "{line}");
    assert!(!line.contains('\n') && summary.contains("a newline is written first"));
}

#[test]
fn every_offered_point_has_an_intent_and_exactly_one_is_chosen() {
    let interrupted = interrupted();
    let between = Dir::usual(&log(ROUND_1), &rows(A_1), &rows(B_1));
    let fresh = Dir::with(&[("conference.md", &fresh()), ("conference_events.jsonl", "")]);
    for dir in [&interrupted, &between, &fresh] {
        let points = dir.points();
        assert_eq!(
            points.iter().filter(|p| p.ends_with('*')).count(),
            1,
            "{points:?}"
        );
        for boundary in dir.boundaries() {
            let intent = dir.intent(&boundary.id.0);
            assert_eq!(
                (intent.kept.len() as u64, intent.redone.len() as u64),
                (boundary.kept.unwrap(), boundary.redone.unwrap())
            );
            serde_json::from_str::<serde_json::Value>(
                &line(&intent).map_or_else(|| "{}".to_owned(), |(l, _)| l),
            )
            .unwrap();
            let handoff = dir.handoff(&boundary.id.0);
            assert!(!handoff.briefing.is_empty() && !handoff.argv.is_empty());
        }
    }
}

#[test]
fn a_conference_that_never_started_gets_no_event() {
    let config = fresh();
    let dir = Dir::with(&[("conference.md", &config), ("conference_events.jsonl", "")]);
    let intent = dir.intent("round-1-phase-1");
    assert!(intent.steps.is_empty());
    let prompt = dir.handoff("round-1-phase-1").prompt;
    assert!(prompt.lossy().starts_with("/autoconference Start"));
    let gate = config.replace(
        "## Search Space",
        "## Pre-Flight Gate\n- **Final confirmation:** Pending user\n\n## Search Space",
    );
    dir.put("conference.md", gate.as_bytes());
    let guards = dir.intent("round-1-phase-1").guards;
    assert_eq!(
        guards.iter().map(|g| (&*g.id, g.holds)).collect::<Vec<_>>(),
        [("preflight", false)]
    );
}

#[test]
fn a_missing_table_is_rebuilt_from_the_log() {
    let dir = interrupted();
    dir.remove("researcher_A_results.tsv");
    assert!(dir.points().contains(&"mend-A".to_owned()));
    let intent = dir.intent("mend-A");
    let [step] = intent.steps.as_slice() else {
        panic!("{:?}", intent.steps);
    };
    let (path, None, content) = replaced(step).unwrap() else {
        panic!("{step:?}");
    };
    assert!(path.ends_with("researcher_A_results.tsv"));
    let text = std::str::from_utf8(&content).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(
        lines[0],
        "iteration\tmetric_value\tdelta\tdelta_pct\tstatus\tdescription\tevaluator_source\ttimestamp"
    );
    assert_eq!(lines[1], "1\t42\t-\t-\tkept\t-\t-\t2026-05-02T08:02:00Z");
    assert_eq!((lines.len(), text.ends_with('\n')), (8, true));
    assert!(!interrupted().points().iter().any(|p| p.starts_with("mend")));
}

#[test]
fn phase_four_names_what_is_still_missing() {
    let dir = interrupted();
    let more = log(&[
        ROUND_1,
        &[
            "round.started 2",
            "round.poster_session 2",
            "round.peer_review 2",
        ],
    ]
    .concat());
    dir.put("conference_events.jsonl", more.as_bytes());
    dir.put(
        "peer_review_round_2.md",
        b"**Claim:** threads do not help\n**Verdict:** validated\n",
    );
    dir.put("poster_session_round_2.md", b"x");
    let boundary = dir
        .boundaries()
        .into_iter()
        .find(|b| b.id.0 == "round-2-phase-4")
        .unwrap();
    let said: Vec<String> = boundary
        .warnings
        .iter()
        .map(|w| w.lossy().into_owned())
        .collect();
    assert!(
        said.iter()
            .any(|w| w.contains("1 validated claim is not found")),
        "{said:?}"
    );
    assert!(
        said.iter()
            .any(|w| w.contains("no row of round 2 for A, B")),
        "{said:?}"
    );
    let intent = dir.intent("round-2-phase-4");
    assert!(
        intent
            .redone
            .iter()
            .any(|i| i.id.lossy() == "round.completed")
    );
    assert_eq!(intent.steps.len(), 1);
    let missing = "Phase 4 is still missing: shared knowledge (1 validated claim is not found in the Shared Knowledge); conference log";
    let handoff = dir.handoff("round-2-phase-4");
    assert!(handoff.prompt.lossy().contains(missing));
    let briefing = handoff.briefing.lossy().into_owned();
    assert!(
        briefing.contains("Phase 4 is still missing:\n  shared knowledge"),
        "{briefing}"
    );
}

#[test]
fn a_recovery_that_removed_rows_does_not_count_as_work() {
    let dir = interrupted();
    let table = std::fs::read_to_string(dir.path().join("researcher_B_results.tsv")).unwrap();
    let cut = table.lines().take(7).collect::<Vec<_>>().join("\n") + "\n";
    dir.put("researcher_B_results.tsv", cut.as_bytes());
    let mut text = std::fs::read_to_string(dir.path().join("conference_events.jsonl")).unwrap();
    text.push_str("{\"event\": \"conference.resumed\", \"timestamp\": \"2026-05-02T09:00:00Z\", \"payload\": {\"recovery_point\": \"x\", \"round\": 2, \"reverted_researchers\": [\"B\"]}}\n");
    dir.put("conference_events.jsonl", text.as_bytes());
    assert_eq!(dir.verdict("A9"), Verdict::Pass);
    let intent = dir.intent("round-2-mid");
    assert_eq!(intent.steps.len(), 1, "{:?}", intent.steps);
    assert!(!intent.kept.iter().any(|i| i.id.lossy() == "B · 2"));
    // One that was undone put its rows back, so it explains none that is missing.
    let less = table.lines().take(4).collect::<Vec<_>>().join("\n") + "\n";
    dir.put("researcher_B_results.tsv", less.as_bytes());
    assert_eq!(dir.verdict("A9"), Verdict::Pass);
    text.push_str("{\"event\": \"conference.resume_undone\", \"timestamp\": \"2026-05-02T09:01:00Z\", \"payload\": {}}\n");
    dir.put("conference_events.jsonl", text.as_bytes());
    assert_eq!(dir.verdict("A9"), Verdict::Warn);
}

#[test]
fn an_invalid_config_blocks_every_resume() {
    let dir = interrupted();
    dir.put(
        "conference.md",
        b"# Conference: x\n## Goal\ng\n## Mode\nmagic\n",
    );
    let chosen = dir
        .boundaries()
        .into_iter()
        .find(|b| b.id.0 == "round-2-mid")
        .unwrap();
    assert_eq!(chosen.verified, Verdict::Fail);
    assert!(
        dir.intent("round-2-mid")
            .guards
            .iter()
            .any(|g| g.id == "config" && !g.holds)
    );
}

/// A conference that never started needs a usable configuration too.
#[test]
fn an_invalid_config_blocks_the_start() {
    let config = fresh().replace("**Count:** 2", "**Count:** 99");
    let dir = Dir::with(&[("conference.md", &config)]);
    for point in dir.points() {
        let guards = dir.intent(point.trim_end_matches('*')).guards;
        let guard = guards.iter().find(|guard| guard.id == "config").unwrap();
        let said = guard.text.lossy();
        assert!(
            said.starts_with("conference.md breaks these rules: "),
            "{said}"
        );
        assert!(guard.refuses(), "{point}");
    }
}

/// Rows of a table that no version of the system writes are kept, and the point says so.
#[test]
fn rows_that_a_new_start_does_not_remove_are_named() {
    let dir = interrupted();
    let name = "researcher_B_results.tsv";
    let table = std::fs::read_to_string(dir.path().join(name)).unwrap();
    dir.put(name, table.replacen("timestamp", "when", 1).as_bytes());
    let all = dir.boundaries().into_iter();
    let restart = all.filter(|point| point.id.0 == "round-2-phase-1");
    let warnings: Vec<_> = restart.flat_map(|point| point.warnings).collect();
    let said = "researcher_B_results.tsv has an unknown header, so its rows of round 2 are kept.";
    assert!(warnings.iter().any(|one| *one == said), "{warnings:?}");
    let steps = dir.intent("round-2-phase-1").steps;
    let changes = steps.iter().filter_map(Step::change);
    let mut of_table = changes.filter(|action| action.target.ends_with(name));
    assert!(of_table.next().is_none());
}

#[test]
fn checkpoints_are_rounds_and_kept_rows_oldest_first() {
    let dir = interrupted();
    let all = dir.open().checkpoints(&dir.world);
    assert!(all.iter().any(|c| c.id == "round-1"));
    assert_eq!(all.iter().filter(|c| c.id.starts_with('A')).count(), 5);
    let times: Vec<_> = all
        .iter()
        .filter_map(|c| c.taken_at)
        .map(|s| s.unix())
        .collect();
    assert!(times.is_sorted());
}
