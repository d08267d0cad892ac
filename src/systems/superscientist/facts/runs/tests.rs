//! Stages and their versions as operands of a comparison.

use super::*;
use crate::systems::superscientist::tests::Site;

const STAGES: &[(&str, &str, &[&str])] = &[
    ("stage-1", "completed", &[]),
    ("stage-2", "failed", &["stage-1"]),
    ("stage-3", "pending", &["stage-2"]),
];

fn runs(site: &Site) -> Vec<Run> {
    site.open().runs(&site.world)
}

fn one(site: &Site, name: &str) -> Run {
    let found = runs(site).into_iter().find(|run| run.name == name);
    found.unwrap_or_else(|| panic!("{name}"))
}

fn measure(run: &Run, name: &str) -> Option<f64> {
    run.measures.iter().find(|m| m.name == name).unwrap().value
}

/// Key and status of each piece of work.
fn work(run: &Run) -> Vec<(&str, WorkStatus)> {
    run.work
        .iter()
        .map(|one| (one.key.as_str(), one.status))
        .collect()
}

/// A log in which stage 1 has these statuses, an hour apart.
fn logged(site: &Site, statuses: &[&str]) {
    let mut text = "[2026-06-01T00:00:00+00:00] Workflow created: demo. 3 stages.\n".to_owned();
    for (hour, status) in (1..).zip(statuses) {
        let line = format!("[2026-06-01T{hour:02}:00:00+00:00] stage-1: status -> {status}\n");
        text.push_str(&line);
    }
    site.write("progress.log", text);
}

#[test]
fn started_stages_are_listed_after_their_versions_in_order() {
    let site = Site::new(STAGES);
    for version in ["v2", "v10", "v1", "v", "vx"] {
        site.write(&format!("stage-1.{version}/out.dat"), "1\n");
    }
    let names: Vec<String> = runs(&site).into_iter().map(|run| run.name).collect();
    assert_eq!(
        names,
        [
            "stage-1.v1",
            "stage-1.v2",
            "stage-1.v10",
            "stage-1",
            "stage-2"
        ]
    );
}

#[test]
fn a_stage_is_its_record_its_outputs_and_its_scripts() {
    let site = Site::new(STAGES);
    site.write("stage-1/dpdisp-run.sh", "true\n");
    site.write("stage-1/sub/data.txt", "x\n");
    site.edit(
        "\"retry_count\": 0",
        "\"retry_count\": 2, \"verification\": {\"rg\": 4.5, \"note\": \"x\"}",
    );
    let run = one(&site, "stage-1");
    assert_eq!(run.title, "stage-1 (Name of stage-1)");
    assert_eq!(
        work(&run),
        [
            ("stage", WorkStatus::Completed),
            ("out.dat", WorkStatus::Completed),
            ("dpdisp-run.sh", WorkStatus::Completed),
        ]
    );
    assert_eq!(run.outcome, TestOutcome::Pass);
    assert_eq!(run.work[1].output, Some(site.wf.join("stage-1/out.dat")));
    let figures = ["duration", "attempts", "outputs", "rg"].map(|name| measure(&run, name));
    assert_eq!(figures, [Some(1800.0), Some(3.0), Some(1.0), Some(4.5)]);
    let RunTree::Files(files) = &run.tree else {
        panic!("{:?}", run.tree);
    };
    let names: Vec<_> = files.iter().map(|(name, _)| name.lossy()).collect();
    assert_eq!(names, ["dpdisp-run.sh", "out.dat", "sub/data.txt"]);
    assert!(!run.unfinished);
}

#[test]
fn the_status_of_an_output_follows_the_stage_and_the_file() {
    let table = [
        ("completed", true, WorkStatus::Completed, TestOutcome::Pass),
        ("completed", false, WorkStatus::Failed, TestOutcome::Pass),
        ("failed", true, WorkStatus::Failed, TestOutcome::Fail),
        ("running", false, WorkStatus::Open, TestOutcome::Unknown),
        (
            "invalidated",
            true,
            WorkStatus::Completed,
            TestOutcome::Pass,
        ),
        ("skipped", true, WorkStatus::Skipped, TestOutcome::Unknown),
    ];
    for (status, there, want, outcome) in table {
        let site = Site::new(&[("stage-1", status, &[])]);
        site.write("stage-1/out.dat", if there { "1\n" } else { "" });
        let run = one(&site, "stage-1");
        assert_eq!(run.work[1].status, want, "{status}");
        assert_eq!(run.outcome, outcome, "{status}");
    }
}

#[test]
fn a_failure_has_its_error_and_can_be_retried() {
    let site = Site::new(STAGES);
    let text = site.text("workflow-state.json");
    let at = text.find("stage-2\"").unwrap();
    let (head, tail) = text.split_at(at);
    let tail = tail.replacen("\"last_error\": null", "\"last_error\": \"it blew up\"", 1);
    site.write("workflow-state.json", format!("{head}{tail}"));
    let run = one(&site, "stage-2");
    assert_eq!(run.work[0].summary, Some("it blew up".into()));
    assert!(run.unfinished);
    let tail = tail.replacen("\"retry_count\": 0", "\"retry_count\": 3", 1);
    site.write("workflow-state.json", format!("{head}{tail}"));
    assert!(!one(&site, "stage-2").unfinished);
}

#[test]
fn versions_have_log_data_only_if_it_has_one_result_for_each() {
    type Row = (
        &'static [&'static str],
        WorkStatus,
        TestOutcome,
        Option<f64>,
        Option<f64>,
    );
    let table: &[Row] = &[
        (
            &[
                "running",
                "completed",
                "invalidated",
                "ready",
                "running",
                "completed",
            ],
            WorkStatus::Completed,
            TestOutcome::Pass,
            Some(3600.0),
            Some(1.0),
        ),
        (
            &[
                "preparing",
                "running",
                "failed",
                "ready",
                "running",
                "completed",
                "invalidated",
            ],
            WorkStatus::Completed,
            TestOutcome::Pass,
            Some(3600.0),
            Some(2.0),
        ),
        (
            &["running", "failed", "invalidated", "running"],
            WorkStatus::Failed,
            TestOutcome::Fail,
            Some(3600.0),
            Some(1.0),
        ),
        // Two results were invalidated but only one folder was kept: it is unknown which.
        (
            &[
                "running",
                "completed",
                "invalidated",
                "running",
                "completed",
                "invalidated",
            ],
            WorkStatus::Open,
            TestOutcome::Unknown,
            None,
            None,
        ),
        (
            &["completed"],
            WorkStatus::Open,
            TestOutcome::Unknown,
            None,
            None,
        ),
    ];
    for (statuses, status, outcome, duration, attempts) in table {
        let site = Site::new(STAGES);
        site.write("stage-1.v1/out.dat", "1\n");
        logged(&site, statuses);
        let run = one(&site, "stage-1.v1");
        assert_eq!(
            (run.work[0].status, run.outcome),
            (*status, *outcome),
            "{statuses:?}"
        );
        let figures = ["duration", "attempts"].map(|name| measure(&run, name));
        assert_eq!(figures, [*duration, *attempts], "{statuses:?}");
        assert_eq!(run.work[1].output, Some(site.wf.join("stage-1.v1/out.dat")));
        assert_eq!(
            run.confounders.len(),
            usize::from(*outcome == TestOutcome::Unknown)
        );
    }
}

#[test]
fn outputs_outside_the_folder_pair_by_their_own_names() {
    let site = Site::new(STAGES);
    site.edit(
        "\"stage-1/out.dat\"",
        "\"./stage-1/out.dat\", \"table.csv\"",
    );
    site.write("table.csv", "2\n");
    site.write("table.csv.v1", "1\n");
    site.write("stage-1.v1/out.dat", "1\n");
    for (name, file) in [("stage-1", "table.csv"), ("stage-1.v1", "table.csv.v1")] {
        let run = one(&site, name);
        let keys: Vec<&str> = work(&run).iter().map(|(key, _)| *key).collect();
        assert_eq!(keys, ["stage", "out.dat", "table.csv"], "{name}");
        assert_eq!(run.work[2].output, Some(site.wf.join(file)), "{name}");
    }
}

#[test]
fn files_that_may_contain_secrets_are_counted_and_not_listed() {
    let site = Site::new(STAGES);
    site.edit("\"stage-1/out.dat\"", "\"stage-1/submission.json\"");
    site.write("stage-1/submission.json", "{\"token\": \"x\"}");
    site.write("stage-1/submission.template.json", "{}");
    site.write("stage-1/deep/submission.diagnostic.json", "{}");
    let run = one(&site, "stage-1");
    let RunTree::Files(files) = &run.tree else {
        panic!("{:?}", run.tree);
    };
    let names: Vec<_> = files.iter().map(|(name, _)| name.lossy()).collect();
    assert_eq!(names, ["out.dat", "submission.template.json"]);
    assert_eq!(run.work[1].output, None);
    assert_eq!(
        run.confounders,
        ["2 files that may contain secrets are not compared."]
    );
}

/// What lies too deep is not compared, and the files beside it are.
#[test]
fn a_directory_that_is_too_deep_hides_no_other_file() {
    let site = Site::new(STAGES);
    let deep = "deep/".repeat(14);
    site.write(&format!("stage-1/a/{deep}x.dat"), "x");
    let run = one(&site, "stage-1");
    let RunTree::Files(files) = &run.tree else {
        panic!("{:?}", run.tree);
    };
    let names: Vec<_> = files.iter().map(|(name, _)| name.lossy()).collect();
    assert_eq!(names, ["out.dat"]);
    let said = "Its directory has more than the 1 file that is compared.";
    assert!(run.confounders.iter().any(|one| *one == said), "{run:?}");
}

#[test]
fn an_amendment_of_the_stage_is_a_confounder() {
    let site = Site::new(STAGES);
    site.edit(
        "\"amendments\": []",
        "\"amendments\": [{\"id\": \"amend-1\", \"type\": \"parameter_change\", \"stage_id\": \"stage-1\", \"description\": \"Finer mesh.\"}, {\"id\": \"amend-2\", \"stage_id\": \"stage-2\"}]",
    );
    site.write("stage-1.v1/out.dat", "1\n");
    let run = one(&site, "stage-1");
    assert_eq!(
        run.confounders,
        ["The plan was amended (amend-1, parameter_change): Finer mesh."]
    );
}

#[test]
fn a_state_file_that_cannot_be_read_has_no_stages() {
    let site = Site::new(STAGES);
    site.write("workflow-state.json", "{");
    assert!(runs(&site).is_empty());
}
