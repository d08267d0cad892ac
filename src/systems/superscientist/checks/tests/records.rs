//! The log, the plan's history and the amendments compared with the stages, as in real workflows.

use super::*;

/// The evidence of a check's outcomes that are worse than pass.
fn said(site: &Site, id: &str) -> Vec<String> {
    let checks = site.checks().into_iter();
    checks
        .filter(|c| c.id.0 == id && c.verdict > Verdict::Pass)
        .map(|c| c.evidence.lossy().into_owned())
        .collect()
}

/// F17: the lines that a real workflow writes at the end of each job contain a status.
#[test]
fn f17_the_end_of_a_job_is_not_a_contradiction_but_a_log_that_is_ahead_is() {
    // The status in the state file, the end of the log, the expected evidence.
    let table: [(&str, &str, Option<&str>); 6] = [
        (
            "failed",
            "DPDISP_DONE exit=1. status -> failed. mpirun missing",
            None,
        ),
        (
            "post_processing",
            "DPDISP_DONE exit=0. status -> post_processing. Invoking result-verification.",
            None,
        ),
        (
            "running",
            "DPDISP_DONE exit=1. status -> failed. mpirun missing",
            Some("The log is ahead"),
        ),
        (
            "running",
            "status -> completed. T_mean=1.0125",
            Some("The log is ahead"),
        ),
        (
            "pending",
            "status -> running (tmux: dpdisp_stage-2)",
            Some("The log is ahead"),
        ),
        (
            "failed",
            "status -> running (tmux: dpdisp_stage-2)",
            Some("disagree"),
        ),
    ];
    for (status, line, expected) in table {
        let site = Site::new(STAGES);
        site.edit("\"running\"", &format!("\"{status}\""));
        let log = site.text("progress.log");
        site.write(
            "progress.log",
            format!("{log}[2026-04-02 01:41] stage-2 (Minimization): {line}\n"),
        );
        let said = said(&site, "S14");
        assert_eq!(
            said.len(),
            usize::from(expected.is_some()),
            "{line}: {said:?}"
        );
        if let Some(expected) = expected {
            assert!(said[0].contains(expected), "{line}: {said:?}");
        }
    }
}

/// F18: a plan may be revised until work starts, and a new plan may have an old one's id.
#[test]
fn f18_a_revision_before_work_started_is_not_a_silent_change() {
    let pending: &[(&str, &str, &[&str])] = &[
        ("stage-1", "pending", &[]),
        ("stage-2", "pending", &["stage-1"]),
        ("stage-3", "pending", &["stage-2"]),
    ];
    let planned = Site::new(pending).text("workflow-state.json");
    let revised = planned.replacen("it converges", "it converges twice", 1);
    let begun = |text: &str| {
        text.replacen(
            "\"status\": \"pending\"",
            "\"status\": \"ready\", \"started_at\": \"x\"",
            1,
        )
        .replacen("\"started_at\": null", "\"retry_count\": 0", 1)
    };
    let other = |text: &str| {
        text.replace(
            "\"created\": \"2026-06-01T08",
            "\"created\": \"2026-06-01T19",
        )
    };
    let done = planned.replace("\"status\": \"pending\"", "\"status\": \"completed\"");
    // The committed versions, oldest first, the file on disk, whether a change is reported.
    let table: [(&str, Vec<String>, String, bool); 6] = [
        (
            "revised, then begun",
            vec![planned.clone(), revised.clone()],
            begun(&revised),
            false,
        ),
        (
            "revised after it was begun",
            vec![planned.clone(), begun(&planned)],
            begun(&revised),
            true,
        ),
        (
            "a new plan of the same id",
            vec![done.clone(), other(&revised)],
            begun(&other(&revised)),
            false,
        ),
        (
            "a new plan, committed only when begun",
            vec![done.clone(), begun(&other(&revised))],
            begun(&other(&revised)),
            false,
        ),
        (
            "planned again over a finished one",
            vec![done.clone(), revised.clone()],
            begun(&revised),
            false,
        ),
        (
            "still being planned",
            vec![planned.clone()],
            revised.clone(),
            false,
        ),
    ];
    for (name, versions, disk, silent) in table {
        let mut site = Site::new(pending);
        let files: Vec<Vec<(&str, &str)>> = versions
            .iter()
            .map(|text| vec![("workflow-state.json", text.as_str())])
            .collect();
        let files: Vec<&[(&str, &str)]> = files.iter().map(Vec::as_slice).collect();
        site.commit(&files);
        site.write("workflow-state.json", &disk);
        assert_eq!(
            !said(&site, "S13").is_empty(),
            silent,
            "{name}: {:?}",
            said(&site, "S13")
        );
    }
}

/// F19: each amendment is read in full, not only counted.
#[test]
#[expect(clippy::too_many_lines, reason = "one table")]
fn f19_amendments_are_read_in_full() {
    let record = |kind: &str, stage: &str, changes: &str, more: &str| {
        format!(
            "{{\"id\": \"amend-1\", \"version\": 2, \"timestamp\": \"2026-06-01T10:00:00Z\", \"type\": \"{kind}\", \"stage_id\": \"{stage}\", \"description\": \"x\", \"changes\": {changes}, \"invalidated_stages\": []{more}}}"
        )
    };
    let user = ", \"approved_by\": \"user\"";
    let applied = "{\"parameters\": {\"tol\": {\"old\": 1e-4, \"new\": 1e-6}}}";
    let open = "{\"parameters\": {\"tol\": {\"old\": 1e-6, \"new\": 1e-8}}}";
    let later = format!(
        "{}, {}",
        record("parameter_change", "stage-3", open, user),
        record("parameter_change", "stage-3", applied, user)
            .replace("amend-1", "amend-2")
            .replace("\"version\": 2", "\"version\": 3")
    );
    // The amendments and the expected evidence.
    let table: [(&str, String, Option<&str>); 12] = [
        (
            "sound",
            record("parameter_change", "stage-3", applied, user),
            None,
        ),
        (
            "by name",
            record(
                "parameter_change",
                "stage-3",
                applied,
                ", \"approved_by\": \"Ada\"",
            ),
            None,
        ),
        (
            "not approved",
            record("parameter_change", "stage-3", applied, ""),
            Some("Nobody approved it"),
        ),
        (
            "approved by nobody",
            record(
                "parameter_change",
                "stage-3",
                applied,
                ", \"approved_by\": \" \"",
            ),
            Some("Nobody approved it"),
        ),
        (
            "unknown type",
            record("backend_change", "stage-3", "{}", user),
            Some("unknown to the protocol"),
        ),
        (
            "unknown stage",
            record("stage_rerun", "stage-9", "{}", user),
            Some("stage-9, which is not a stage"),
        ),
        (
            "insert of nothing",
            record("stage_insert", "stage-4", "{}", user),
            Some("not applied: there is no stage-4"),
        ),
        (
            "not applied",
            record("parameter_change", "stage-3", open, user),
            Some("`parameters.tol` differs from it"),
        ),
        ("overruled by a later one", later, None),
        (
            "skip that did not happen",
            record(
                "stage_skip",
                "stage-3",
                "{\"status\": {\"old\": \"pending\", \"new\": \"skipped\"}}",
                user,
            ),
            Some("its status is pending, not skipped"),
        ),
        (
            "an old result",
            record("stage_rerun", "stage-1", "{}", user),
            Some("still say completed: stage-1"),
        ),
        (
            "named as stale",
            record("criteria_change", "stage-3", "{}", user)
                .replace("[]", "[\"stage-1\", \"stage-3\"]"),
            Some("still say completed: stage-1"),
        ),
    ];
    for (name, records, expected) in table {
        let site = healthy();
        let version = if records.contains("amend-2") { 3 } else { 2 };
        site.edit(
            "\"amendments\": []",
            &format!("\"amendments\": [{records}]"),
        );
        site.edit("\"version\": 1", &format!("\"version\": {version}"));
        let said = said(&site, "S12");
        assert_eq!(
            said.len(),
            usize::from(expected.is_some()),
            "{name}: {said:?}"
        );
        if let Some(expected) = expected {
            assert!(said[0].contains(expected), "{name}: {said:?}");
        }
    }
}

/// F19: a ready or running stage with an unfinished dependency is reported.
#[test]
fn f19_ready_or_running_with_a_pending_dependency_is_reported() {
    for word in [
        "ready",
        "preparing",
        "running",
        "post_processing",
        "completed",
    ] {
        let site = healthy();
        site.edit("\"pending\"", &format!("\"{word}\""));
        let said = said(&site, "S7");
        assert_eq!(said.len(), 1, "{word}: {said:?}");
        assert!(said[0].contains("are not done: stage-2"), "{said:?}");
    }
    assert!(said(&healthy(), "S7").is_empty());
}

/// F24: a finished stage does not show the error of an earlier attempt.
#[test]
fn f24_a_done_stage_shows_no_old_error() {
    let site = healthy();
    site.edit("\"last_error\": null", "\"last_error\": \"out of memory\"");
    let detail = |site: &Site| site.open().reading().phases[0].detail.lossy().into_owned();
    assert_eq!(detail(&site), "it converges");
    site.edit("\"completed\"", "\"failed\"");
    assert_eq!(detail(&site), "last error: out of memory");
}

/// The marker of a finished stage is not looked at, so nothing is said of it.
#[test]
fn s11_says_what_was_looked_at() {
    let site = Site::new(&[("stage-1", "completed", &[])]);
    site.write("stage-1/DPDISP_DONE", "");
    let checks = site.checks();
    let check = checks.iter().find(|check| check.id.0 == "S11").unwrap();
    assert_eq!(check.verdict, Verdict::Pass);
    assert_eq!(
        check.evidence.lossy(),
        "No stage that is not done has a done marker; those of completed and skipped stages are not read."
    );
}
