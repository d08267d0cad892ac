//! The points of every situation, and their exact writes.

use super::*;
use crate::model::{Step, Verdict};
use crate::systems::superscientist::tests::Site;
use crate::systems::testing::{appended, moved_aside, replaced};

mod asking;
mod beside;
mod failing;
mod keeping;
mod skipping;
mod waiting;

type Stages = &'static [(&'static str, &'static str, &'static [&'static str])];

const CHAIN: Stages = &[
    ("stage-1", "completed", &[]),
    ("stage-2", "completed", &["stage-1"]),
    ("stage-3", "ready", &["stage-2"]),
    ("stage-4", "completed", &["stage-3"]),
    ("stage-5", "completed", &[]),
];

fn ids(site: &Site) -> Vec<String> {
    site.boundaries().into_iter().map(|b| b.id.0).collect()
}

/// The new state file, parsed, and the lines of the log that an intent writes.
fn written(intent: &Intent) -> (String, Vec<String>) {
    let mut found = (String::new(), Vec::new());
    for step in &intent.steps {
        if let Some((_, _, content)) = replaced(step) {
            found.0 = String::from_utf8(content).unwrap();
        }
        if let Some((_, lines)) = appended(step) {
            found.1 = lines;
        }
    }
    found
}

fn moves(site: &Site, intent: &Intent) -> Vec<(String, String)> {
    let rel = |path: &std::path::Path| path.strip_prefix(&site.wf).unwrap().display().to_string();
    let moved = |step: &Step| {
        let (from, to) = moved_aside(step)?;
        Some((rel(&from), rel(&to)))
    };
    intent.steps.iter().filter_map(moved).collect()
}

fn failing(intent: &Intent) -> Vec<String> {
    intent
        .guards
        .iter()
        .filter(|g| !g.holds)
        .map(|g| g.id.to_string())
        .collect()
}

#[test]
fn points_come_in_stage_order_and_only_where_they_apply() {
    let site = Site::new(&[
        ("stage-1", "completed", &[]),
        ("stage-2", "failed", &["stage-1"]),
        ("stage-3", "post_processing", &["stage-1"]),
        ("stage-4", "pending", &["stage-2"]),
        ("stage-5", "invalidated", &["stage-1"]),
        ("stage-6", "skipped", &[]),
    ]);
    assert_eq!(
        ids(&site),
        [
            "stage-1:rerun",
            "stage-2:retry",
            "stage-2:skip",
            "stage-3:verify",
            "stage-3:skip",
            "stage-3:fail",
            "stage-4:skip",
            "stage-5:rerun",
            "stage-5:skip"
        ]
    );
    assert_eq!(site.chosen().as_deref(), Some("stage-3:verify"));
}

#[test]
fn the_recommended_point_writes_nothing_in_every_situation() {
    let table: &[(&str, Stages, &str)] = &[
        (
            "not started",
            &[
                ("stage-1", "pending", &[]),
                ("stage-2", "pending", &["stage-1"]),
            ],
            "stage-1:rerun",
        ),
        (
            "ready",
            &[
                ("stage-1", "completed", &[]),
                ("stage-2", "ready", &["stage-1"]),
            ],
            "stage-2:rerun",
        ),
        (
            "no process data",
            &[("stage-1", "running", &[])],
            "stage-1:retry",
        ),
        (
            "preparer died",
            &[("stage-1", "preparing", &[])],
            "stage-1:retry",
        ),
        (
            "died verifying",
            &[("stage-1", "post_processing", &[])],
            "stage-1:verify",
        ),
        ("failed", &[("stage-1", "failed", &[])], "stage-1:retry"),
        ("completion", &[("stage-1", "completed", &[])], "completion"),
        (
            "skipped need",
            &[
                ("stage-1", "skipped", &[]),
                ("stage-2", "pending", &["stage-1"]),
            ],
            "stage-2:rerun",
        ),
        ("deadlock", &[("stage-1", "odd", &[])], "stage-1:rerun"),
    ];
    for (name, stages, point) in table {
        let site = Site::new(stages);
        assert_eq!(site.chosen().as_deref(), Some(*point), "{name}");
        let intent = site.intent(point);
        assert!(intent.steps.is_empty(), "{name}");
        let handoff = site.handoff(point);
        assert!(!handoff.briefing.is_empty() && !handoff.prompt.is_empty());
        assert_eq!(handoff.cwd, site.wf);
    }
}

#[test]
fn a_completed_workflow_recommends_nothing_and_can_still_be_run_again() {
    let site = Site::new(&[("stage-1", "completed", &[])]);
    site.edit(
        "\"version\": 1,",
        "\"version\": 1, \"workflow_status\": \"completed\",",
    );
    assert_eq!(site.chosen(), None);
    let (state, _) = written(&site.intent("stage-1:rerun"));
    assert!(state.contains("\"workflow_status\": \"pending\""));
    assert!(state.contains("\"status\": \"invalidated\""));
}

#[test]
fn a_re_run_invalidates_the_full_closure_and_keeps_every_folder() {
    let site = Site::new(CHAIN);
    std::fs::create_dir(site.wf.join("stage-2.v1")).unwrap();
    let boundary = site
        .boundaries()
        .into_iter()
        .find(|b| b.id.0 == "stage-1:rerun")
        .unwrap();
    assert_eq!(
        (boundary.kept, boundary.redone, boundary.time_lost_s),
        (Some(1), Some(3), Some(5_400))
    );
    let intent = site.intent("stage-1:rerun");
    assert_eq!(failing(&intent), [""; 0]);
    assert_eq!(
        moves(&site, &intent),
        [
            ("stage-1", "stage-1.v1"),
            ("stage-2", "stage-2.v2"),
            ("stage-4", "stage-4.v1")
        ]
        .map(|(from, to)| (from.to_owned(), to.to_owned()))
    );
    let (state, lines) = written(&intent);
    let old = site.text("workflow-state.json");
    let mut expected = old.replace("\"version\": 1,", "\"version\": 2,").replace(
        "\"updated\": \"2026-06-01T08:00:00Z\"",
        "\"updated\": \"{now}\"",
    );
    for id in ["stage-1", "stage-2", "stage-4"] {
        let head = format!("\"name\": \"Name of {id}\",\n      \"status\": ");
        expected = expected.replace(
            &format!("{head}\"completed\""),
            &format!("{head}\"invalidated\""),
        );
    }
    // Its input is invalidated.
    expected = expected.replace("\"ready\"", "\"pending\"");
    let record = "[\n    {\n      \"id\": \"amend-1\",\n      \"version\": 2,\n      \"timestamp\": \"{now}\",\n      \"type\": \"stage_rerun\",\n      \"stage_id\": \"stage-1\",\n      \"description\": \"Re-run by the user's decision\",\n      \"changes\": {\"status\": {\"old\": \"completed\", \"new\": \"invalidated\"}},\n      \"invalidated_stages\": [\"stage-1\", \"stage-2\", \"stage-3\", \"stage-4\"],\n      \"approved_by\": \"user\"\n    }\n  ]";
    expected = expected.replace("\"amendments\": []", &format!("\"amendments\": {record}"));
    assert_eq!(state, expected);
    assert_eq!(
        lines,
        [
            "[{now}] Amendment amend-1 (stage_rerun): stage-1. Re-run by the user's decision. Approved by user.",
            "[{now}] stage-3 (Name of stage-3): status -> pending",
            "[{now}] stage-1: stage-1 kept as stage-1.v1",
            "[{now}] stage-1 (Name of stage-1): status -> invalidated",
            "[{now}] stage-2: stage-2 kept as stage-2.v2",
            "[{now}] stage-2 (Name of stage-2): status -> invalidated",
            "[{now}] stage-4: stage-4 kept as stage-4.v1",
            "[{now}] stage-4 (Name of stage-4): status -> invalidated",
            format!("[{{now}}] {}", record::PROMOTE).as_str(),
        ]
    );
    let kinds: Vec<bool> = intent
        .steps
        .iter()
        .map(|step| moved_aside(step).is_some())
        .collect();
    assert_eq!(
        kinds,
        [true, true, true, false, false],
        "directories, then the state, then the log"
    );
}

#[test]
fn a_skip_is_an_amendment_without_a_cascade() {
    let site = Site::new(CHAIN);
    let intent = site.intent("stage-3:skip");
    let (state, lines) = written(&intent);
    assert!(state.contains("\"type\": \"stage_skip\""));
    assert!(state.contains("{\"status\": {\"old\": \"ready\", \"new\": \"skipped\"}}"));
    assert_eq!(state.matches("\"invalidated\"").count(), 0);
    assert_eq!(lines.len(), 2);
    assert!(moves(&site, &intent).is_empty());
}

#[test]
fn a_retry_by_hand_counts_and_moves_old_markers_aside() {
    let site = Site::new(&[("stage-1", "ready", &[]), ("stage-2", "failed", &[])]);
    site.write("stage-2/DPDISP_DONE", "");
    site.write("stage-2/DPDISP_EXIT_CODE", "1\n");
    site.write("stage-2/DPDISP_DONE.v1", "");
    let intent = site.intent("stage-2:retry");
    assert_eq!(
        moves(&site, &intent),
        [
            (
                "stage-2/DPDISP_DONE".to_owned(),
                "stage-2/DPDISP_DONE.v2".to_owned()
            ),
            (
                "stage-2/DPDISP_EXIT_CODE".to_owned(),
                "stage-2/DPDISP_EXIT_CODE.v1".to_owned()
            )
        ]
    );
    let (state, lines) = written(&intent);
    let old = site.text("workflow-state.json");
    let (head, tail) = old.rsplit_once("\"retry_count\": 0").unwrap();
    let head = head.replace("\"failed\"", "\"ready\"");
    // F21: every change of the state file updates `updated`.
    let head = head.replacen(
        "\"updated\": \"2026-06-01T08:00:00Z\"",
        "\"updated\": \"{now}\"",
        1,
    );
    assert_eq!(state, format!("{head}\"retry_count\": 1{tail}"));
    let kept = "[{now}] stage-2: stage-2/DPDISP_DONE kept as stage-2/DPDISP_DONE.v2";
    assert_eq!(lines[0], kept);
    assert!(lines[2].contains("stage-2: retry #1"), "{lines:?}");
    assert!(!state.contains("amend-1"), "a retry is not an amendment");
}

#[test]
fn a_lost_job_is_monitored_and_can_be_marked_failed() {
    let mut site = Site::new(&[("stage-1", "running", &[])]);
    site.job("stage-1", false);
    assert_eq!(site.chosen().as_deref(), Some("stage-1:monitor"));
    let (state, lines) = written(&site.intent("stage-1:fail"));
    assert!(state.contains("\"status\": \"failed\""));
    assert!(state.contains("\"last_error\": \"marked as failed by the user"));
    assert!(lines[0].starts_with("[{now}] stage-1 (Name of stage-1): status -> failed (marked"));
    let wf = site.wf.clone();
    site.session("dpdisp_stage-1", &wf);
    assert_eq!(failing(&site.intent("stage-1:fail")), ["stage_job"]);
}

#[test]
fn guards_refuse_what_cannot_be_written_exactly() {
    type Spoil = fn(&Site);
    let table: &[(&str, Spoil, &[&str])] = &[
        ("nothing", |_| {}, &[]),
        (
            "a key twice",
            |s| s.edit("\"version\": 1,", "\"version\": 1, \"x\": 1, \"x\": 2,"),
            &["duplicate_keys"],
        ),
        ("no version", |s| s.edit("\"version\": 1,", ""), &["schema"]),
        (
            "amendments of another type",
            |s| s.edit("\"amendments\": []", "\"amendments\": {}"),
            &["schema"],
        ),
        (
            "a cycle elsewhere",
            |s| s.edit("[\"stage-2\"]", "[\"stage-3\"]"),
            &["graph"],
        ),
        (
            "the placeholder itself",
            |s| s.edit("it converges", "{now}"),
            &["placeholder"],
        ),
        (
            "downstream in hand",
            |s| s.edit("\"ready\"", "\"preparing\""),
            &["downstream_running"],
        ),
    ];
    for (name, spoil, expected) in table {
        let site = Site::new(CHAIN);
        spoil(&site);
        assert_eq!(failing(&site.intent("stage-1:rerun")), *expected, "{name}");
    }
}

#[test]
fn hostile_names_stay_on_one_line_without_a_placeholder() {
    let site = Site::new(&[("stage-1", "ready", &[]), ("stage-2", "failed", &[])]);
    site.edit(
        "Name of stage-2",
        "x\\n[2026] stage-1: status -> completed {now}\\u001b[2J",
    );
    let intent = site.intent("stage-2:skip");
    for line in written(&intent).1 {
        assert!(!line.contains('\n') && !line.contains('\u{1b}'), "{line}");
        assert_eq!(line.matches("{now}").count(), 1, "{line}");
    }
    let briefing = site
        .handoff("stage-2:skip")
        .briefing
        .as_str()
        .unwrap()
        .to_owned();
    assert!(!briefing.contains('\u{1b}'));
}

#[test]
fn an_odd_id_never_reaches_a_point() {
    let site = Site::new(&[("stage-1", "completed", &[]), ("stage-2", "ready", &[])]);
    site.edit("\"id\": \"stage-2\"", "\"id\": \"\\u001b[2J\"");
    assert_eq!(site.chosen().as_deref(), Some("stage-at-2:rerun"));
}

#[test]
fn a_point_depends_on_everything_upstream() {
    let site = Site::new(CHAIN);
    site.write("stage-1/out.dat", "");
    let all = site.boundaries();
    let of = |id: &str| {
        let found = all.iter().find(|b| b.id.0 == id).unwrap();
        (
            found.verified,
            found
                .failing
                .iter()
                .map(|(id, _)| id.0.as_str())
                .collect::<Vec<_>>(),
        )
    };
    assert_eq!(of("stage-3:rerun"), (Verdict::Fail, vec!["S8"]));
    assert_eq!(
        of("stage-1:rerun"),
        (Verdict::Pass, vec![]),
        "it repairs that"
    );
    assert_eq!(of("stage-3:skip"), (Verdict::Fail, vec!["S8"]));
}

#[test]
fn the_briefing_can_be_copied() {
    let site = Site::new(CHAIN);
    site.write("PAUSE", "");
    let handoff = site.handoff("stage-3:rerun");
    let text = handoff.briefing.as_str().unwrap().to_owned();
    for part in [
        "Measure the gyration radius",
        "claude -p",
        "--allowedTools",
        "tail -f",
        "rm ",
        "kill-session -t '=workflow-runner-demo-2026-06-01'",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(handoff.argv, ["claude"].map(Foreign::from));
}
