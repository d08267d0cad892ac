//! The replay facts of runs, in the world of crucible's own tests.

use std::collections::BTreeMap;
use std::path::Path;

use crate::model::{CheckpointKind, Dispatch, DispatchStatus, Experiment, Place, SessionId};
use crate::systems::crucible::tests::{Kit, SID, interrupted, line};
use crate::systems::{Case as _, Replayable as _};

mod continuing;
mod starting;
mod templates;

fn experiment(kit: &Kit) -> Experiment {
    let case = kit.open();
    let checkpoints = case.checkpoints(&kit.world);
    case.experiment(&checkpoints, &kit.world).unwrap()
}

/// A line of a replay session.
fn replayed(seq: u64, of: u64, session: &str, status: &str) -> String {
    let more = format!(
        r#","replay_of":{of},"replay_session":"{session}","mutation":"implementer.md -> new.md""#
    );
    line(seq, "implementer", "3", 1, status, &more)
}

fn append(kit: &Kit, lines: &[String]) {
    let path = kit.dispatch().join("manifest.jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    kit.write(&path, &(text + &lines.join("\n")));
}

#[test]
fn a_run_has_the_facts_of_its_files() {
    let kit = interrupted();
    let all = experiment(&kit);
    assert_eq!(all.session, SID);
    assert_eq!(all.skill, "build");
    assert_eq!(all.dispatch_dir, Some(kit.dispatch()));
    assert_eq!(all.manifest, kit.dispatch().join("manifest.jsonl"));
    assert_eq!(all.work_tree, Some(kit.proj()));
    assert_eq!(all.branch, Some("feat/cache".into()));
    assert_eq!(
        all.baseline.as_deref(),
        Some(crate::systems::crucible::tests::BASE)
    );
    assert_eq!(all.end, None);
    let rows: Vec<(u64, String, String, DispatchStatus, Option<u64>)> = all
        .original()
        .map(|one| {
            let word = |text: &crate::model::Foreign| text.lossy().into_owned();
            (
                one.seq,
                word(&one.template),
                word(&one.phase),
                one.status,
                one.wave,
            )
        })
        .collect();
    let row = |seq, template: &str, phase: &str, status, wave| {
        (seq, template.to_owned(), phase.to_owned(), status, wave)
    };
    assert_eq!(
        rows,
        [
            row(1, "design-writer", "1", DispatchStatus::Completed, None),
            row(2, "planner", "2", DispatchStatus::Completed, None),
            row(3, "implementer", "3", DispatchStatus::Completed, Some(1)),
            row(4, "implementer", "3", DispatchStatus::Dispatched, Some(2)),
        ]
    );
    let third = all.dispatch(3).unwrap();
    assert_eq!(third.file, "3-implementer.md");
    assert_eq!(third.path, Some(kit.dispatch().join("3-implementer.md")));
    assert_eq!(third.duration_s, Some(60));
    assert_eq!(third.summary, Some("did it".into()));
    assert_eq!(third.task, Some("1".into()));
    assert_eq!(third.begun_at.unwrap().unix(), 1_775_643_600);
    assert_eq!(third.origin.line, Some(6));
}

#[test]
fn lines_are_parsed_leniently() {
    type Look = fn(&Dispatch) -> bool;
    let table: &[(&str, &str, Look)] = &[
        (
            "legacy status, finished",
            r#"{"seq":1,"role":"a","status":"replayed","summary":"x"}"#,
            |one| one.status == DispatchStatus::Completed,
        ),
        (
            "legacy status, in flight",
            r#"{"seq":1,"role":"a","status":"replayed","summary":null}"#,
            |one| one.status == DispatchStatus::Dispatched,
        ),
        (
            "an unknown word",
            r#"{"seq":1,"role":"a","status":"pondered"}"#,
            |one| one.status == DispatchStatus::Unknown,
        ),
        (
            "an alias of the template",
            r#"{"seq":1,"role":"a","status":"completed","dispatch_template":"red-team"}"#,
            |one| one.template == "red-team" && one.file.is_empty(),
        ),
        (
            "numbers as text, a phase in words, no role",
            r#"{"seq":"1","file":"1-a.md","status":"error","phase":"3 — Execute","task":"4","input_chars":"12","diff_chars":9}"#,
            |one| {
                one.phase == "3"
                    && one.role == "-"
                    && one.task == Some("4".into())
                    && one.input_chars == Some(12)
                    && one.status == DispatchStatus::Error
            },
        ),
        (
            "efficiency",
            r#"{"seq":1,"file":"1-a.md","status":"failed","diff_chars":9,"output_chars":-1,"tool_calls":3,"model_tier":"opus","actual_model":"m-1"}"#,
            |one| {
                one.input_chars == Some(9)
                    && one.output_chars.is_none()
                    && one.tool_calls == Some(3)
                    && one.model_tier == Some("opus".into())
                    && one.model == Some("m-1".into())
            },
        ),
        (
            "a file name that leads elsewhere",
            r#"{"seq":1,"file":"../../1-a.md","role":"a","status":"completed"}"#,
            |one| one.path.is_none(),
        ),
    ];
    for (name, text, fits) in table {
        let kit = Kit::new();
        kit.marker("3");
        kit.manifest(&[(*text).to_owned()]);
        kit.write(&kit.root().join("1-a.md"), "x");
        let all = experiment(&kit);
        let one = all.dispatch(1).unwrap();
        assert!(fits(one), "{name}: {one:?}");
    }
}

#[test]
fn a_template_that_the_old_tool_lost_is_taken_from_the_file() {
    let kit = Kit::new();
    kit.marker("3");
    kit.manifest(&[r#"{"seq":1,"file":"1-unknown.md","status":"dispatched"}"#.to_owned()]);
    kit.header(1, "red-team", "10:00:00");
    let all = experiment(&kit);
    let one = all.dispatch(1).unwrap();
    assert_eq!(one.template, "red-team");
    assert_eq!(one.path, Some(kit.dispatch().join("1-red-team.md")));
}

#[test]
fn a_null_phase_inherits_from_the_number_before() {
    let kit = Kit::new();
    kit.marker("3");
    let null = |seq: u64| {
        line(seq, "implementer", "x", 0, "completed", "")
            .replace(r#""phase":"x""#, r#""phase":null"#)
    };
    kit.manifest(&[
        null(1),
        line(2, "planner", "2", 0, "completed", ""),
        null(3),
    ]);
    let phases: Vec<String> = experiment(&kit)
        .dispatches
        .iter()
        .map(|one| one.phase.lossy().into_owned())
        .collect();
    assert_eq!(phases, ["1", "2", "2"]);
}

#[test]
fn chains_of_replays_lead_to_the_original_and_cycles_nowhere() {
    type Links = &'static [(u64, u64)];
    type Ends = &'static [(u64, Option<u64>)];
    let table: &[(&str, Links, Ends)] = &[
        ("one", &[(5, 3)], &[(5, Some(3))]),
        (
            "a chain",
            &[(5, 3), (6, 5), (7, 6)],
            &[(5, Some(3)), (6, Some(3)), (7, Some(3))],
        ),
        ("itself", &[(5, 5)], &[(5, None)]),
        (
            "a circle",
            &[(5, 6), (6, 5), (7, 6)],
            &[(5, None), (6, None), (7, None)],
        ),
        ("a number that is not there", &[(5, 99)], &[(5, Some(99))]),
    ];
    for (name, links, want) in table {
        let kit = interrupted();
        let lines: Vec<String> = links
            .iter()
            .map(|(seq, of)| replayed(*seq, *of, "1775650000", "completed"))
            .collect();
        append(&kit, &lines);
        let all = experiment(&kit);
        for (seq, of) in *want {
            assert_eq!(all.dispatch(*seq).unwrap().replay_of, *of, "{name}, {seq}");
        }
        assert_eq!(all.original().count(), 4, "{name}");
    }
}

#[test]
fn sessions_in_one_manifest_are_separate() {
    let kit = interrupted();
    append(
        &kit,
        &[
            replayed(5, 3, "1775650000", "dispatched"),
            replayed(6, 3, "1775660000", "dispatched"),
            replayed(5, 3, "1775650000", "completed"),
            replayed(6, 3, "1775660000", "failed"),
        ],
    );
    let all = experiment(&kit);
    let of: BTreeMap<u64, (&SessionId, DispatchStatus)> = all
        .dispatches
        .iter()
        .filter_map(|one| Some((one.seq, (one.session.as_ref()?, one.status))))
        .collect();
    let id = |text: &str| SessionId(text.to_owned());
    assert_eq!(of[&5], (&id("1775650000"), DispatchStatus::Completed));
    assert_eq!(of[&6], (&id("1775660000"), DispatchStatus::Failed));
    let fifth = all.dispatch(5).unwrap();
    assert_eq!(fifth.mutation, Some("implementer.md -> new.md".into()));
    assert_eq!(
        fifth.wave,
        Some(1),
        "a replay has the wave of what it replays"
    );
    for start in &all.starts {
        assert!(start.redo.iter().all(|seq| *seq <= 4), "{start:?}");
    }
}

#[test]
fn a_truncated_manifest_and_missing_files_are_not_errors() {
    let kit = interrupted();
    append(&kit, &[r#"{"seq":5,"file":"5-imp"#.to_owned()]);
    std::fs::remove_file(kit.dispatch().join("3-implementer.md")).unwrap();
    let all = experiment(&kit);
    assert_eq!(all.dispatches.len(), 4);
    let third = all.dispatch(3).unwrap();
    assert_eq!(
        (&third.path, third.begun_at, third.wave),
        (&None, None, None)
    );
    assert!(all.dispatch(4).unwrap().path.is_some());
}

#[test]
fn the_end_is_the_commit_of_a_recent_handoff_to_phase_4() {
    let handoff = |when: &str, inputs: &str| {
        format!(
            "# Phase Handoff: 3 → 4\n**Timestamp:** {when}\n\n## Inputs for Phase 4\n{inputs}\n"
        )
    };
    let fresh = "2026-04-08T10:50:00Z";
    let (known, short) = ("b".repeat(40), "b".repeat(9));
    let other = "c".repeat(40);
    let table = [
        (
            handoff(fresh, &format!("- **HEAD SHA:** {known}")),
            Some(known.clone()),
        ),
        (
            handoff(fresh, &format!("- **HEAD SHA:** `{short}`")),
            Some(known.clone()),
        ),
        (
            handoff(fresh, &format!("- **Head commit:** {other} (feat)")),
            Some(other.clone()),
        ),
        (handoff(fresh, "- **HEAD SHA:** cccccccc"), None),
        (handoff(fresh, "- **plan:** docs/x.md"), None),
        (
            handoff("2026-04-01T10:50:00Z", &format!("- **HEAD SHA:** {known}")),
            None,
        ),
    ];
    for (text, want) in table {
        let kit = interrupted();
        kit.write(&kit.memory().join("handoff-3-to-4.md"), &text);
        assert_eq!(experiment(&kit).end, want, "{text}");
    }
}
