//! Logs by themselves, then every system's own records in the sandbox.

use std::path::Path;

use super::*;
use crate::engine::testing::Scene;
use crate::model::{Next, StepMode, after_step};
use crate::world::clock::FixedClock;
use crate::world::real_files::RealFiles;

/// A log whose records are the lines that begin with `r`.
fn trail(dir: &Path) -> Trail {
    Trail::log(Place::known(dir, "log").unwrap(), |line, _| {
        line.starts_with(b"r")
            .then(|| Record::new("", line.to_vec(), None))
    })
}

/// What is new: its line and text.
fn seen(before: &[u8], now: &[u8]) -> Vec<(u64, String)> {
    let dir = crate::world::temporary::directory();
    let file = dir.path().join("log");
    std::fs::write(&file, before).unwrap();
    let trail = trail(dir.path());
    let mark = mark(&RealFiles, &trail.place).unwrap();
    std::fs::write(&file, now).unwrap();
    grown(
        &RealFiles,
        &trail,
        &mark,
        &FixedClock(chrono::DateTime::default()),
    )
    .into_iter()
    .map(|new| {
        (
            new.line.unwrap(),
            new.record.text.lossy().trim_end().to_owned(),
        )
    })
    .collect()
}

#[test]
fn a_log_tells_what_came_after_its_mark() {
    type News<'a> = &'a [(u64, &'a str)];
    let table: &[(&str, &str, News<'_>)] = &[
        ("r1\nr2\n", "r1\nr2\n", &[]),
        ("r1\nr2\n", "r1\nr2\nr3\nx\nr4\n", &[(3, "r3"), (5, "r4")]),
        ("r1\n", "r1\nx\n\n", &[]),
        ("", "r1\n", &[(1, "r1")]),
        ("r1\n", "r1\nr2", &[(2, "r2")]),
        // A last line without its newline: as it was, ended, gone on with, and healed by an append.
        ("r1\nr2", "r1\nr2", &[]),
        ("r1\nr2", "r1\nr2\n", &[]),
        ("r1\nr2", "r1\nr2 more\n", &[(2, "r2 more")]),
        ("r1\nr2", "r1\nr2\nr3\n", &[(3, "r3")]),
        // Written anew: shorter, and as long with another beginning.
        ("r1\nr2\nr3\n", "r9\n", &[(1, "r9")]),
        ("r1\nr2\n", "r8\nr9\n", &[(2, "r9")]),
        ("r1\nr2\n", "", &[]),
    ];
    for (before, now, news) in table {
        let news: Vec<(u64, String)> = news.iter().map(|(n, t)| (*n, (*t).to_owned())).collect();
        assert_eq!(
            seen(before.as_bytes(), now.as_bytes()),
            news,
            "{before:?} {now:?}"
        );
    }
}

#[test]
fn a_mark_at_any_byte_tells_every_line_that_was_not_whole() {
    let whole = b"r1\nr22\n\nr333\nr4\n";
    let lines = [(1, "r1", 2), (2, "r22", 6), (4, "r333", 12), (5, "r4", 15)];
    for cut in 0..=whole.len() {
        let expected: Vec<(u64, String)> = lines
            .iter()
            .filter(|(_, _, end)| *end > cut)
            .map(|(number, text, _)| (*number, (*text).to_owned()))
            .collect();
        assert_eq!(seen(&whole[..cut], whole), expected, "cut at {cut}");
    }
}

#[test]
fn a_long_log_is_counted_in_blocks() {
    let before = "x".repeat(BLOCK - 1) + "\n" + &"r\n".repeat(5000) + "r5001";
    let now = before.clone() + "\nr5002\n";
    assert_eq!(
        seen(before.as_bytes(), now.as_bytes()),
        [(5003, "r5002".to_owned())]
    );
}

fn begun(scene: &Scene, begins: &str) -> Watch {
    scene.engine.watch_start(scene.id(begins)).unwrap()
}

fn look(scene: &Scene, watch: &Watch) -> Resumed {
    scene.engine.watch_look(watch).unwrap()
}

/// The text and the end of the file and line of what was seen.
fn told(seen: &Resumed) -> (String, String) {
    match seen {
        Resumed::No => (String::new(), String::new()),
        Resumed::Yes { text, origin, .. } => {
            let name = origin
                .file
                .file_name()
                .unwrap()
                .to_string_lossy()
                .into_owned();
            let line = origin.line.map_or_else(String::new, |l| format!(":{l}"));
            (text.lossy().into_owned(), name + &line)
        }
    }
}

#[test]
fn nothing_is_new_in_any_pipeline_that_nobody_went_on_with() {
    let scene = Scene::shared();
    assert!(scene.ids.len() > 10);
    for id in &scene.ids {
        let watch = scene.engine.watch_start(id).unwrap();
        assert_eq!(look(scene, &watch), Resumed::No, "{id}");
    }
}

#[test]
fn crucible_goes_on_with_a_line_of_its_manifest() {
    let scene = Scene::new();
    let name = scene.dispatch();
    let file = format!("home/tmp/{name}/manifest.jsonl");
    let watch = begun(&scene, &name.replace("dispatch-", ""));
    let next = scene.lines(&file) + 1;
    // The crash left a line without its end, so a careful writer begins with a newline.
    scene.append(
        &file,
        "\n{\"seq\":40,\"file\":\"40-x.md\",\"role\":\"implementer\",\"status\":\"dispatched\"}\n",
    );
    assert_eq!(
        told(&look(&scene, &watch)),
        (
            "dispatch 40 implementer: dispatched".to_owned(),
            format!("manifest.jsonl:{next}")
        )
    );
}

#[test]
fn a_conference_goes_on_with_any_event_but_the_one_that_says_so() {
    let scene = Scene::new();
    let file = "projects/lab/tokenizer-speed/conference_events.jsonl";
    let watch = begun(&scene, "autoconference-tokenizer");
    scene.append(
        file,
        "{\"event\": \"conference.resumed\", \"timestamp\": \"2026-05-02T09:00:00Z\"}\n",
    );
    assert_eq!(look(&scene, &watch), Resumed::No);
    scene.append(
        file,
        "{\"event\": \"researcher.iteration\", \"timestamp\": \"2026-05-02T09:05:00Z\", \"payload\": {\"researcher\": \"B\", \"round\": 2}}\n",
    );
    let seen = look(&scene, &watch);
    assert_eq!(
        told(&seen),
        (
            "researcher.iteration of B, round 2".to_owned(),
            format!("conference_events.jsonl:{}", scene.lines(file))
        )
    );
    let Resumed::Yes { at: Some(at), .. } = seen else {
        panic!("{seen:?}")
    };
    assert_eq!(at.at.to_rfc3339(), "2026-05-02T09:05:00+00:00");
}

#[test]
fn an_issue_goes_on_with_its_checkpoint_or_a_command_about_it() {
    let scene = Scene::new();
    let watch = begun(&scene, "mgw-57");
    let day = "projects/notes/.mgw/logs/2026-05-02.jsonl";
    scene.append(day, "{\"timestamp\":\"2026-05-02T09:00:00Z\",\"command\":\"run\",\"issue\":58,\"status\":\"ok\"}\n");
    assert_eq!(look(&scene, &watch), Resumed::No, "another issue");
    scene.append(day, "{\"timestamp\":\"2026-05-02T09:00:00Z\",\"command\":\"run\",\"issue\":57,\"status\":\"ok\"}\n");
    assert_eq!(
        told(&look(&scene, &watch)),
        (
            "command run: ok".to_owned(),
            "2026-05-02.jsonl:2".to_owned()
        )
    );
    let watch = begun(&scene, "mgw-58");
    let state = "projects/notes/.mgw/active/58-search-index.json";
    scene.edit(state, "\"pipeline_stage\": \"", "\"pipeline_stage\": \"re");
    let (text, file) = told(&look(&scene, &watch));
    assert!(text.starts_with("stage re"), "{text}");
    assert!(file.starts_with("58-search-index.json:"), "{file}");
}

#[test]
fn a_state_file_that_only_moves_or_is_being_written_is_no_news() {
    let scene = Scene::new();
    let watch = begun(&scene, "mgw-58");
    let folder = scene.path("projects/notes/.mgw");
    let from = folder.join("active/58-search-index.json");
    let text = std::fs::read(&from).unwrap();
    std::fs::write(&from, &text[..text.len() / 2]).unwrap();
    assert_eq!(look(&scene, &watch), Resumed::No, "half a file");
    std::fs::write(&from, &text).unwrap();
    std::fs::rename(&from, folder.join("completed/58-search-index.json")).unwrap();
    assert_eq!(look(&scene, &watch), Resumed::No, "moved");
}

#[test]
fn a_workflow_goes_on_with_a_line_or_another_status() {
    let scene = Scene::new();
    let log = "projects/science/polymer-ring/progress.log";
    let watch = begun(&scene, "superscientist-polymer");
    scene.append(log, "[2026-06-01T10:00:00+02:00] Session 4 started.\n");
    assert_eq!(
        told(&look(&scene, &watch)),
        (
            "Session 4 started.".to_owned(),
            format!("progress.log:{}", scene.lines(log))
        )
    );
    let watch = begun(&scene, "superscientist-polymer");
    let state = "projects/science/polymer-ring/workflow-state.json";
    scene.edit(state, "\"status\": \"failed\"", "\"status\": \"ready\"");
    let (text, file) = told(&look(&scene, &watch));
    assert!(text.ends_with("status ready"), "{text}");
    let written = std::fs::read_to_string(scene.path(state)).unwrap();
    let line = written
        .lines()
        .position(|line| line.contains("stage-2/relaxed.dat"));
    assert_eq!(file, format!("workflow-state.json:{}", line.unwrap() + 1));
}

#[test]
fn a_feature_goes_step_by_step_and_stops_at_errors() {
    let scene = Scene::new();
    let file = "projects/trader/.worktree/price-alerts/workflow-state.json";
    let step = |status: &str| {
        let path = scene.path(file);
        let mut state: serde_json::Value =
            serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
        state["last_execution"] = serde_json::json!({
            "phase": 2, "step": 5, "agent": "documentation-manager",
            "status": status, "timestamp": "2026-11-21T07:00:00"
        });
        std::fs::write(&path, state.to_string()).unwrap();
    };
    for (status, each, all) in [
        ("in_progress", Next::GoOn, Next::GoOn),
        ("completed", Next::Ask, Next::GoOn),
        ("failed", Next::Pause, Next::Pause),
    ] {
        let watch = begun(&scene, "nine-step-price-alerts");
        step(status);
        let seen = look(&scene, &watch);
        let place = "workflow-state.json:1".to_owned();
        assert_eq!(told(&seen), (format!("phase 2, step 5: {status}"), place));
        assert_eq!(after_step(StepMode::EachStep, &seen), each, "{status}");
        assert_eq!(after_step(StepMode::UntilPhaseEnds, &seen), all, "{status}");
    }
}
