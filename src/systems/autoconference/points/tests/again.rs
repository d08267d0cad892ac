//! Points that discard work and log that, and their prompts.

use crate::model::{Action, ActionKind, GuardKind, Preview, Step};
use crate::systems::testing::{appended, appending, recovery, undo_of};

use crate::systems::autoconference::testdata::{
    CONFIG, Dir, POSTER, REVIEW, ROUND_1, interrupted, log, rows,
};

pub(super) const EVENTS: &str = "conference_events.jsonl";

/// Applies the file changes of an intent.
pub(super) fn apply(dir: &Dir, point: &str) {
    for step in dir.intent(point).steps {
        let Step::Change(action) = &step else {
            panic!("{point}");
        };
        let path = &action.target;
        match &action.preview {
            Preview::Rows {
                before, keep_bytes, ..
            } => std::fs::write(path, &before[..*keep_bytes]).unwrap(),
            Preview::Rename { to } => {
                assert!(!to.exists());
                std::fs::rename(path, to).unwrap();
            }
            Preview::Lines { .. } => {
                let (path, lines) = appended(&step).unwrap();
                append(dir, &path, &lines.join("\n"));
            }
            Preview::Content { before, after, .. } => {
                assert_eq!(std::fs::read(path).ok(), *before);
                let text = String::from_utf8_lossy(after);
                let text = text.replace("{now}", "2026-05-02T19:00:00Z");
                std::fs::write(path, text).unwrap();
            }
            Preview::Tree { .. } | Preview::Appended { .. } | Preview::Kept { .. } => {
                panic!("{point}")
            }
        }
    }
}

pub(super) fn append(_: &Dir, path: &std::path::Path, line: &str) {
    let mut text = std::fs::read_to_string(path).unwrap();
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    let line = line.replace("{now}", "2026-05-02T19:00:00Z");
    std::fs::write(path, format!("{text}{line}\n")).unwrap();
}

pub(super) fn chosen(dir: &Dir) -> String {
    let points = dir.points();
    let chosen = points.iter().find(|p| p.ends_with('*')).unwrap();
    chosen.trim_end_matches('*').to_owned()
}

/// Round 2 with everything but its transfer.
pub(super) fn reviewed() -> Dir {
    let dir = interrupted();
    let events = [
        ROUND_1,
        &[
            "round.started 2",
            "researcher.iteration 2 A 4 51 kept",
            "researcher.iteration 2 B 4 46 kept",
            "round.poster_session 2",
            "round.peer_review 2",
        ],
    ];
    dir.put(EVENTS, log(&events.concat()).as_bytes());
    dir.put("poster_session_round_2.md", POSTER.as_bytes());
    dir.put("peer_review_round_2.md", REVIEW.as_bytes());
    dir
}

#[test]
fn f4_a_restarted_round_is_moved_aside_and_logged() {
    let dir = reviewed();
    assert_eq!(chosen(&dir), "round-2-phase-4");
    let prompt = dir.handoff("round-2-phase-1").prompt.lossy().into_owned();
    assert!(prompt.contains("at Start of Round 2, Phase 1; already confirmed; reverted: A, B."));
    assert!(
        prompt.contains("from before conference.resumed do not count"),
        "{prompt}"
    );
    let files = dir.handoff("round-2-phase-1").briefing.lossy().into_owned();
    assert!(!files.contains("poster_session_round_2.md"), "{files}");
    apply(&dir, "round-2-phase-1");
    for name in ["poster_session_round_2.md", "peer_review_round_2.md"] {
        assert!(!dir.path().join(name).exists());
        assert!(dir.path().join(format!("{name}.attempt-1")).exists());
    }
    for id in ['A', 'B'] {
        let text = std::fs::read_to_string(dir.path().join(format!("researcher_{id}_results.tsv")));
        assert_eq!(text.unwrap().lines().count(), 5, "{id}");
    }
    assert_eq!(chosen(&dir), "round-2-phase-1");
    let boundary = dir.boundaries().remove(0);
    assert!(
        boundary.reason.lossy().contains("started again"),
        "{boundary:?}"
    );
    assert_eq!(dir.verdict("A9"), crate::model::Verdict::Pass);
    assert_eq!(dir.intent("round-2-phase-1").steps.len(), 1);
    // The second attempt counts, and the first one still does not.
    let text = std::fs::read_to_string(dir.path().join(EVENTS)).unwrap();
    let new = log(&["round.started 2", "researcher.iteration 2 A 1 60 kept"]);
    dir.put(EVENTS, format!("{text}{new}").as_bytes());
    let table = std::fs::read_to_string(dir.path().join("researcher_A_results.tsv")).unwrap();
    let table = table + &rows(&["0 50 baseline", "1 60 kept"]);
    dir.put("researcher_A_results.tsv", table.as_bytes());
    assert_eq!(chosen(&dir), "round-2-mid");
    // Which events do not count is told wherever the open round is resumed, by the prompt alone.
    for boundary in dir.boundaries() {
        let id = &boundary.id.0;
        if id == "fresh" {
            continue;
        }
        let warned = boundary
            .warnings
            .iter()
            .any(|warning| warning.lossy().contains("count"));
        let prompt = dir.handoff(id).prompt.lossy().into_owned();
        assert!(warned && prompt.contains(" count"), "{id}: {prompt}");
    }
    assert!(
        dir.handoff("round-2-mid")
            .prompt
            .lossy()
            .contains("Re-spawn A, B for")
    );
    // A second restart finds a free name.
    dir.put("poster_session_round_2.md", POSTER.as_bytes());
    apply(&dir, "round-2-phase-1");
    assert!(
        dir.path()
            .join("poster_session_round_2.md.attempt-2")
            .exists()
    );
}

#[test]
fn f4_a_repeated_phase_moves_its_file_aside_and_is_logged() {
    for (point, moved) in [
        ("round-2-phase-2", &["poster_session", "peer_review"][..]),
        ("round-2-phase-3", &["peer_review"][..]),
        ("round-2-phase-4", &[][..]),
    ] {
        let dir = reviewed();
        apply(&dir, point);
        for name in ["poster_session", "peer_review"] {
            let there = dir.path().join(format!("{name}_round_2.md")).exists();
            assert_eq!(there, !moved.contains(&name), "{point}: {name}");
        }
        assert_eq!(chosen(&dir), point);
    }
}

#[test]
fn f4_a_chosen_point_is_recommended_until_work_is_logged() {
    for point in [
        "round-2-phase-2",
        "round-2-keep",
        "round-2-mid",
        "synthesis",
    ] {
        let dir = interrupted();
        apply(&dir, point);
        assert_eq!(chosen(&dir), point, "{:?}", dir.points());
        let text = std::fs::read_to_string(dir.path().join(EVENTS)).unwrap();
        let more = log(&["researcher.iteration 2 B 2 44 kept"]);
        dir.put(EVENTS, format!("{text}{more}").as_bytes());
        assert_eq!(chosen(&dir), "round-2-mid", "{point}");
    }
}

#[test]
fn f4_w14_an_undone_restart_no_longer_counts() {
    let dir = reviewed();
    apply(&dir, "round-2-phase-1");
    let done = appending("20260502T190000", &dir.path().join(EVENTS));
    let step = dir.open().undo_lines(&done, &[]).pop().unwrap();
    let (path, lines) = appended(&step).unwrap();
    let summary = &step.change().unwrap().summary;
    assert!(summary.lossy().contains("undone"));
    append(&dir, &path, &lines.concat());
    let text = std::fs::read_to_string(&path).unwrap();
    let last: serde_json::Value = serde_json::from_str(text.lines().last().unwrap()).unwrap();
    assert_eq!(last["event"], "conference.resume_undone");
    assert_eq!(last["timestamp"], "2026-05-02T19:00:00Z");
    assert_eq!(
        last["payload"]["summary"],
        "relight: recovery 20260502T190000 undone"
    );
    for name in ["poster_session_round_2.md", "peer_review_round_2.md"] {
        let aside = dir.path().join(format!("{name}.attempt-1"));
        std::fs::rename(aside, dir.path().join(name)).unwrap();
    }
    assert_eq!(chosen(&dir), "round-2-phase-4");
    let attempts = || dir.open().reading().phases[1].attempts;
    assert_eq!(attempts(), 1);
    // The redo: the restart counts again.
    let undo = undo_of(&done, "20260502T193000");
    let step = dir.open().undo_lines(&undo, &[]).pop().unwrap();
    let (_, lines) = appended(&step).unwrap();
    assert!(
        lines
            .concat()
            .contains("\"relight: recovery 20260502T190000 redone\"")
    );
    append(&dir, &path, &lines.concat());
    assert_eq!(chosen(&dir), "round-2-phase-1");
    assert_eq!(attempts(), 2);
    let nothing = recovery("20260502T200000", "round-2-keep");
    assert!(
        interrupted().open().undo_lines(&nothing, &[]).is_empty(),
        "nothing was logged"
    );
    let table = dir.path().join("researcher_B_results.tsv");
    let mut done = done;
    done.actions.push(Action {
        kind: ActionKind::TruncateRows,
        target: table.clone(),
        ..done.actions[0].clone()
    });
    // Rows that stay removed keep the restart in force; a file of a worktree says nothing about it.
    for (keep, logged) in [(table, false), ("/worktree/src/core.rs".into(), true)] {
        let lines = dir.open().undo_lines(&done, std::slice::from_ref(&keep));
        assert_eq!(!lines.is_empty(), logged, "{keep:?}");
    }
}

#[test]
fn f5_the_orchestrators_own_check_comes_first_and_the_synthesis_needs_an_answer() {
    let dir = Dir::usual(&log(ROUND_1), "", "");
    let config = CONFIG.replace(">= 80", ">= 50");
    dir.put("conference.md", config.as_bytes());
    assert_eq!(dir.points(), ["round-2-phase-1*", "synthesis", "fresh"]);
    let prompt = dir.handoff("round-2-phase-1").prompt.lossy().into_owned();
    assert!(
        prompt.contains("reverted: none. First check convergence after round 1"),
        "{prompt}"
    );
    assert!(
        prompt.contains("researcher A reached the target"),
        "{prompt}"
    );
    let asks = |point: &str| -> Vec<String> {
        let guards = dir.intent(point).guards;
        let asks = guards.iter().filter(|g| g.kind == GuardKind::Ask);
        asks.map(|g| g.id.to_string()).collect()
    };
    assert_eq!(asks("synthesis"), ["convergence"]);
    assert!(asks("round-2-phase-1").is_empty());
    // After a logged answer the question is not asked again.
    apply(&dir, "synthesis");
    assert_eq!(chosen(&dir), "synthesis");
    assert!(asks("synthesis").is_empty());
    let declared = [ROUND_1, &["conference.converged"][..]].concat();
    dir.put(EVENTS, log(&declared).as_bytes());
    assert!(asks("synthesis").is_empty());
}

#[test]
fn h5_without_a_log_nothing_claims_to_be_in_it_and_nothing_is_resumed() {
    type Change = fn(&Dir);
    let changes: [(&str, Change); 3] = [
        ("missing", |_| ()),
        ("link", |dir| {
            std::os::unix::fs::symlink("conference.md", dir.path().join(EVENTS)).unwrap();
        }),
        ("pipe", |dir| {
            let path = dir.path().join(EVENTS);
            let made = std::process::Command::new("mkfifo").arg(path).status();
            assert!(made.unwrap().success());
        }),
    ];
    for (name, change) in changes {
        let dir = reviewed();
        dir.remove(EVENTS);
        change(&dir);
        let points = dir.points();
        assert!(
            points.contains(&"round-2-phase-4*".to_owned()),
            "{name}: {points:?}"
        );
        for point in points {
            let point = point.trim_end_matches('*');
            if point == "rebuild" || point == "fresh" {
                continue;
            }
            let intent = dir.intent(point);
            let refused = intent
                .guards
                .iter()
                .any(|g| g.id == "required_file" && g.refuses());
            assert!(refused, "{name}: {point}");
            let prompt = dir.handoff(point).prompt;
            assert!(
                !prompt.lossy().contains("already in the log"),
                "{name}: {point}"
            );
        }
    }
}

#[test]
fn h6_reverted_names_only_researchers_that_the_plan_changes() {
    // C stopped right after a kept row: none of its rows are removed.
    let dir = interrupted();
    let events = std::fs::read_to_string(dir.path().join(EVENTS)).unwrap()
        + &log(&["researcher.iteration 2 C 1 46 kept"]);
    dir.put(EVENTS, events.as_bytes());
    let table = rows(&["0 45 baseline Round 2 start: x", "1 46 kept"]);
    let table = format!(
        "{}\n{table}",
        crate::systems::autoconference::shape::table::R8
    );
    dir.put("researcher_C_results.tsv", table.as_bytes());
    let prompt = dir.handoff("round-2-mid").prompt.lossy().into_owned();
    assert!(
        prompt.contains("reverted: B. Re-spawn only B, C"),
        "{prompt}"
    );
    let intent = dir.intent("round-2-mid");
    let (_, lines) = appended(intent.steps.last().unwrap()).unwrap();
    assert!(
        lines[0].contains("\"reverted_researchers\": [\"B\"]"),
        "{lines:?}"
    );
    let keep = dir.handoff("round-2-keep").prompt;
    assert!(keep.lossy().contains("reverted: none."));
}

#[test]
fn h10_the_synthesis_names_every_existing_poster_and_review() {
    let dir = reviewed();
    dir.put("researcher_A_log.md", b"# A\n");
    dir.put("peer_review_round_3.md", b"");
    let named = |point: &str| {
        let handoff = dir.handoff(point);
        format!("{}\n{}", handoff.prompt.lossy(), handoff.briefing.lossy())
    };
    for name in [
        "poster_session_round_1.md",
        "poster_session_round_2.md",
        "peer_review_round_1.md",
        "peer_review_round_2.md",
        "researcher_A_log.md",
        "researcher_B_results.tsv",
    ] {
        assert!(
            dir.handoff("synthesis").prompt.lossy().contains(name),
            "{name}"
        );
    }
    for point in dir.points() {
        let text = named(point.trim_end_matches('*'));
        for word in text.split([' ', '\n', ',', ';', '(', ')']) {
            let word = word.trim_end_matches('.');
            let ending = word.rsplit_once('.').map_or("", |(_, ending)| ending);
            let ours = ["md", "tsv", "jsonl"].contains(&ending);
            let made = ["synthesis.md", "final_report.md"].contains(&word)
                || (word.contains("_round_2.md") && text.contains(&format!("write {word}")))
                || text.contains(&format!("who writes {word}"));
            let path = dir.path().join(word.trim_matches('\''));
            assert!(!ours || made || path.exists(), "{point}: {word}");
        }
    }
    let prompt = dir.handoff("synthesis").prompt;
    assert!(!prompt.lossy().contains("peer_review_round_3.md"));
}
