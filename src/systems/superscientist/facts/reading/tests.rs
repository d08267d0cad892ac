//! Reading whole workflows: sniffing, status, damage, and truncation at any byte.

use proptest::prelude::*;

use crate::model::{Badge, PhaseStatus, Reading, Status};
use crate::systems::superscientist::Superscientist;
use crate::systems::superscientist::tests::Site;
use crate::systems::{Hit, Marker, Sniffed, System as _};

type Stages = &'static [(&'static str, &'static str, &'static [&'static str])];

const HALF: Stages = &[
    ("stage-1", "completed", &[]),
    ("stage-2", "failed", &["stage-1"]),
    ("stage-3", "pending", &["stage-2"]),
];

fn reading(site: &Site) -> Reading {
    site.open().reading().clone()
}

fn codes(reading: &Reading) -> Vec<&'static str> {
    reading.findings.iter().map(|f| f.code).collect()
}

#[test]
fn only_files_of_this_system_are_accepted() {
    let ours =
        r#""workflow_id": "a", "stages": [{"id": "stage-1", "status": "ready", "depends_on": []}]"#;
    let table: &[(&str, String, bool)] = &[
        (
            "with amendments",
            format!("{{{ours}, \"amendments\": []}}"),
            true,
        ),
        (
            "with profiles",
            format!("{{{ours}, \"backend_profiles\": {{}}}}"),
            true,
        ),
        (
            "with a session",
            format!("{{{ours}, \"session_config\": {{}}}}"),
            true,
        ),
        ("with none of the three", format!("{{{ours}}}"), false),
        (
            "amendments of another type",
            format!("{{{ours}, \"amendments\": {{}}}}"),
            false,
        ),
        (
            "no stages",
            "{\"workflow_id\": \"a\", \"stages\": [], \"amendments\": []}".into(),
            false,
        ),
        (
            "steps instead",
            "{\"workflow_id\": \"a\", \"steps\": {}, \"amendments\": []}".into(),
            false,
        ),
        (
            "a camel id",
            ours.replace("workflow_id", "workflowId")
                .replacen('"', "{\"", 1)
                + ", \"amendments\": []}",
            false,
        ),
        (
            "a stage without status",
            format!(
                "{{{}, \"amendments\": []}}",
                ours.replace("\"status\"", "\"state\"")
            ),
            false,
        ),
        ("a list", "[]".into(), false),
        ("rubbish", "hello".into(), false),
        ("empty", String::new(), false),
        (
            "ours, cut off",
            "{\"workflow_id\": \"a\", \"backend_profiles\": {\"lo".into(),
            true,
        ),
        (
            "a foreign one, cut off",
            "{\"workflow_id\": \"a\", \"steps\": {\"lo".into(),
            false,
        ),
    ];
    for (name, text, expected) in table {
        let site = Site::new(HALF);
        std::fs::remove_file(site.wf.join("progress.log")).unwrap();
        site.write("workflow-state.json", text);
        let taken = matches!(
            Superscientist.sniff(&site.hit(), &site.world),
            Sniffed::Ours(_)
        );
        assert_eq!(taken, *expected, "{name}");
    }
}

#[test]
fn copies_within_stage_folders_are_not_workflows() {
    for folder in ["stage-1", "stage-2.v1/deep", "structures.v3"] {
        let site = Site::new(HALF);
        site.write(
            &format!("{folder}/workflow-state.json"),
            site.text("workflow-state.json"),
        );
        let mut hit = site.hit();
        hit.path = site.wf.join(folder).join("workflow-state.json");
        assert!(
            matches!(Superscientist.sniff(&hit, &site.world), Sniffed::NotOurs(_)),
            "{folder}"
        );
    }
}

#[test]
fn a_damaged_file_is_ours_when_its_log_says_so() {
    let site = Site::new(HALF);
    site.write("workflow-state.json", "");
    assert!(matches!(
        Superscientist.sniff(&site.hit(), &site.world),
        Sniffed::Ours(_)
    ));
    let seen = reading(&site);
    assert_eq!(
        seen.claim.status,
        Status::Interrupted,
        "F20: the log confirms it"
    );
    assert!(seen.badges.contains(&Badge::Damaged));
    assert_eq!(
        (seen.progress.done, seen.progress.total),
        (Some(1), Some(2))
    );
    assert_eq!(seen.phases[1].status, PhaseStatus::Failed);
    assert_eq!(seen.title, "Measure the gyration radius.");
    assert!(codes(&seen).contains(&"cut-file"));
    assert!(site.boundaries().is_empty());
}

#[test]
fn every_status_of_the_contract() {
    type Spoil = fn(&Site);
    let table: &[(&str, Stages, Spoil, Status)] = &[
        (
            "complete",
            HALF,
            |s| {
                s.edit(
                    "\"version\"",
                    "\"workflow_status\": \"completed\", \"version\"",
                );
            },
            Status::Complete,
        ),
        ("paused", HALF, |s| s.write("PAUSE", ""), Status::Waiting),
        ("failed", HALF, |_| {}, Status::Interrupted),
        (
            "completion pending",
            &[("stage-1", "completed", &[])],
            |_| {},
            Status::Interrupted,
        ),
        (
            "not started",
            &[("stage-1", "pending", &[])],
            |_| {},
            Status::Interrupted,
        ),
        (
            "a remote job",
            &[("stage-1", "running", &[])],
            |s| {
                s.job("stage-1", false);
                s.edit("{\"type\": \"local\"", "{\"type\": \"remote\"");
            },
            Status::Waiting,
        ),
        (
            "a local job",
            &[("stage-1", "running", &[])],
            |s| s.job("stage-1", false),
            Status::Interrupted,
        ),
    ];
    for (name, stages, spoil, expected) in table {
        let site = Site::new(stages);
        spoil(&site);
        assert_eq!(reading(&site).claim.status, *expected, "{name}");
    }
}

#[test]
fn used_up_retries_wait_for_a_person() {
    for (kind, count, expected) in [
        ("local", 3, Status::Waiting),
        ("remote", 3, Status::Interrupted),
        ("remote", 5, Status::Waiting),
    ] {
        let site = Site::new(&[("stage-1", "failed", &[])]);
        site.edit("{\"type\": \"local\"", &format!("{{\"type\": \"{kind}\""));
        site.edit("\"retry_count\": 0", &format!("\"retry_count\": {count}"));
        assert_eq!(reading(&site).claim.status, expected, "{kind} {count}");
    }
}

#[test]
fn reads_progress_phases_and_badges() {
    let seen = reading(&Site::new(HALF));
    assert_eq!(
        (seen.progress.done, seen.progress.total),
        (Some(1), Some(3))
    );
    let status: Vec<PhaseStatus> = seen.phases.iter().map(|p| p.status).collect();
    assert_eq!(
        status,
        [PhaseStatus::Done, PhaseStatus::Failed, PhaseStatus::Pending]
    );
    assert_eq!(seen.phases[0].duration_s, Some(1_800));
    assert_eq!(seen.stopped_where, "stage-2 (Name of stage-2) · failed");
    let fresh = reading(&Site::new(&[("stage-1", "pending", &[])]));
    assert!(fresh.badges.contains(&Badge::NotStarted));
    let odd = Site::new(&[("stage-1", "Completed", &[])]);
    let odd = reading(&odd);
    assert_eq!(odd.progress.done, Some(0), "an unknown word is never done");
    assert!(codes(&odd).contains(&"unknown-status"));
}

/// Hundreds of findings hide each other: the rest is counted, apart for the state file and the log.
#[test]
fn findings_beyond_the_limit_are_counted() {
    let ids: Vec<String> = (0..203).map(|n| format!("part-{n}")).collect();
    let stages: Vec<_> = ids
        .iter()
        .map(|id| (id.as_str(), "pending", &[][..]))
        .collect();
    let site = Site::new(&stages);
    site.write("progress.log", "no time\n".repeat(23));
    let found = reading(&site).findings;
    let texts: Vec<_> = found.iter().map(|one| one.text.lossy()).collect();
    let (state, log) = texts.split_at(201);
    assert_eq!(state[199], "The id part-199 is not `stage-` with a number.");
    assert_eq!(
        state[200],
        "3 more findings about the state file are not listed."
    );
    assert_eq!(log.len(), 21);
    assert_eq!(
        log[20],
        "3 more lines are not a time in brackets and a message."
    );
}

/// The closures of thousands of stages would take minutes.
#[test]
fn a_very_large_plan_lists_the_points_of_unfinished_stages() {
    let ids: Vec<String> = (0..4_500).map(|n| format!("stage-{n}")).collect();
    let status = |at| if at == 4_499 { "ready" } else { "completed" };
    let stages = ids.iter().enumerate();
    let stages: Vec<_> = stages
        .map(|(at, id)| (id.as_str(), status(at), &[][..]))
        .collect();
    let state = crate::systems::superscientist::tests::document(&stages);
    let site = Site::new(&[]);
    site.write("workflow-state.json", state);
    assert!(codes(&reading(&site)).contains(&"large-plan"));
    let points: Vec<String> = site.boundaries().into_iter().map(|one| one.id.0).collect();
    assert_eq!(points, ["stage-4499:rerun", "stage-4499:skip"]);
}

#[test]
fn a_workflow_without_state_file_and_log_is_found_by_its_job_files() {
    let site = Site::new(HALF);
    site.write("init.sh", "#!/bin/bash\n");
    let hit = Hit {
        marker: Marker::File("init.sh"),
        path: site.wf.join("init.sh"),
        ..site.hit()
    };
    let sniffed = || Superscientist.sniff(&hit, &site.world);
    assert_eq!(
        sniffed(),
        Sniffed::Ours(Vec::new()),
        "the state file is there"
    );
    for name in ["workflow-state.json", "progress.log"] {
        std::fs::remove_file(site.wf.join(name)).unwrap();
    }
    assert!(
        matches!(sniffed(), Sniffed::NotOurs(_)),
        "a reason is counted"
    );
    site.write("stage-1/DPDISP_DONE", "");
    assert!(matches!(sniffed(), Sniffed::Ours(all) if all.len() == 1));
    assert_eq!(reading(&site).claim.status, Status::Interrupted);
}

#[test]
fn amendments_take_their_place_in_the_timeline() {
    let site = Site::new(HALF);
    site.edit("\"amendments\": []", "\"amendments\": [{\"id\": \"amend-1\", \"type\": \"stage_skip\", \"timestamp\": \"2026-06-01T08:30:00Z\"}, {\"id\": \"amend-2\", \"timestamp\": \"soon\"}]");
    let events = site.open().timeline();
    let subjects: Vec<String> = (0..events.len())
        .map(|at| events.get(at).unwrap().subject.lossy().into_owned())
        .collect();
    assert_eq!(
        subjects,
        ["created", "amend-1", "stage-1", "stage-2", "amend-2"]
    );
    assert_eq!(events.get(4).unwrap().at_text.unwrap(), "soon");
}

#[test]
fn the_order_of_lines_about_different_stages_does_not_matter() {
    let site = Site::new(HALF);
    let log = site.text("progress.log");
    let (first, rest) = log.split_once('\n').unwrap();
    let mut lines: Vec<&str> = rest.lines().collect();
    lines.reverse();
    let before = site.checks();
    site.write("progress.log", format!("{first}\n{}\n", lines.join("\n")));
    assert_eq!(before, site.checks());
}

#[test]
fn any_truncation_of_the_state_file_reads_and_never_shows_more() {
    let site = Site::new(HALF);
    let whole = site.text("workflow-state.json");
    let full = reading(&site).progress.done;
    for cut in (0..whole.len())
        .step_by(7)
        .chain(whole.len() - 3..whole.len())
    {
        site.write("workflow-state.json", &whole.as_bytes()[..cut]);
        let seen = reading(&site);
        assert!(seen.progress.done <= full);
        if cut < whole.trim_end().len() {
            assert_eq!(
                (seen.progress.done, seen.claim.status),
                (Some(1), Status::Interrupted),
                "{cut}: the log knows of one completed stage"
            );
        }
    }
}

#[test]
fn any_truncation_of_the_log_reads_and_a_truncated_line_has_no_status() {
    let site = Site::new(HALF);
    let whole = site.text("progress.log");
    let mut last = 0;
    for cut in 0..=whole.len() {
        site.write("progress.log", &whole.as_bytes()[..cut]);
        let events = site.open().timeline();
        let stated = (0..events.len())
            .filter(|at| events.get(*at).unwrap().status.is_some())
            .count();
        let ends = cut == 0 || whole.as_bytes()[cut - 1] == b'\n';
        assert!(stated >= last && (ends || stated == last), "{cut}");
        last = stated;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_field_may_be_of_any_type(at in 0_usize..400, value in prop_oneof![Just("null"), Just("7"), Just("\"x\""), Just("[]"), Just("{}"), Just("true"), Just("1e999"), Just("[[1]]")]) {
        let site = Site::new(HALF);
        let text = site.text("workflow-state.json");
        let colons: Vec<usize> = text.match_indices("\": ").map(|(i, _)| i).collect();
        let colon = colons[at % colons.len()];
        let (head, rest) = text.split_at(colon);
        let end = rest.find(['\n', ',']).unwrap_or(rest.len());
        let tail = rest.split_at(end).1;
        site.write("workflow-state.json", format!("{head}\": {value}{tail}"));
        let case = site.open();
        let checks = case.verify(&site.world);
        prop_assert!(!checks.is_empty());
        prop_assert!(case.reading().progress.done <= Some(3));
        for boundary in case.boundaries(&checks, &site.world) {
            let intent = case.intent(&boundary.id, &crate::model::PlanOptions::default(), &site.world);
            prop_assert!(intent.is_some(), "{}", boundary.id);
        }
    }

    #[test]
    fn any_bytes_are_read(bytes in proptest::collection::vec(any::<u8>(), 0..200), log in proptest::collection::vec(any::<u8>(), 0..200)) {
        let site = Site::new(&[("stage-1", "ready", &[])]);
        site.write("workflow-state.json", bytes);
        site.write("progress.log", log);
        prop_assert!(!site.checks().is_empty());
    }
}
