use super::*;
use crate::systems::superscientist::tests::Site;

const STAGES: &[(&str, &str, &[&str])] = &[
    ("stage-1", "completed", &[]),
    ("stage-2", "running", &["stage-1"]),
];

fn site(status: &str) -> Site {
    Site::new(&[STAGES[0], ("stage-2", status, &["stage-1"])])
}

fn cause(site: &Site) -> Option<Cause> {
    site.open().recorded_cause(None, &site.world)
}

fn line_of(site: &Site, file: &str, wanted: &str) -> u64 {
    let text = site.text(file);
    let lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().rposition(|line| line.contains(wanted));
    at.unwrap() as u64 + 1
}

#[test]
fn a_failed_stage_has_its_exit_code_from_the_log() {
    let site = site("failed");
    let log = site.text("progress.log").replace(
        "status -> failed",
        "DPDISP_DONE exit=137. status -> failed. mpirun is missing",
    );
    site.write("progress.log", log);
    let error = format!("\"last_error\": \"mpirun\\n {}\"", "long ".repeat(100));
    let text = site.text("workflow-state.json");
    let at = text.rfind("\"last_error\": null").unwrap();
    let (head, tail) = text.split_at(at);
    let text = format!("{head}{}", tail.replacen("\"last_error\": null", &error, 1));
    site.write("workflow-state.json", text);
    let found = cause(&site).unwrap();
    assert_eq!(
        (found.kind, found.sure),
        (CauseKind::ScriptFailed, Sure::Certain)
    );
    let text = found.text.lossy();
    let how = "stage-2 (Name of stage-2) failed: its job ended with exit code 137. Its error: mpirun long ";
    assert!(text.starts_with(how) && text.len() < 320, "{text}");
    assert_eq!(found.at.map(|at| at.unix()), Some(1_780_304_400));
    let logged = &found.evidence[0];
    assert!(logged.file.ends_with("progress.log"));
    assert_eq!(
        logged.line,
        Some(line_of(&site, "progress.log", "exit=137"))
    );
    let error = &found.evidence[1];
    assert_eq!(
        error.line,
        Some(line_of(&site, "workflow-state.json", "last_error"))
    );
    let shown = error.text.lossy().into_owned();
    assert!(
        shown.starts_with("last_error of stage-2: mpirun long long"),
        "{shown}"
    );
    assert!(shown.chars().count() < 240, "{shown}");

    site.edit(
        "\"retry_count\": 0,\n      \"last_error\": \"m",
        "\"retry_count\": 3,\n      \"last_error\": \"m",
    );
    let spent = cause(&site).unwrap();
    assert!(
        spent
            .text
            .lossy()
            .contains("code 137. It has used up its 3 retries. Its error: "),
        "{spent:?}"
    );
}

#[test]
fn the_markers_of_a_job_count_before_the_state_file() {
    let site = site("running");
    site.job("stage-2", true);
    let died = cause(&site).unwrap();
    assert_eq!(
        (died.kind, died.sure),
        (CauseKind::ScriptFailed, Sure::Likely)
    );
    site.write("stage-2/DPDISP_DONE", "");
    site.write("stage-2/DPDISP_EXIT_CODE", "");
    // Whether it failed is asked, so the cause does not answer it.
    let unknown = cause(&site).unwrap().text;
    let said = "stage-2 (Name of stage-2): its job ended with an unknown result: the exit code file is empty.";
    assert_eq!(unknown.lossy(), said);
    site.write("stage-2/DPDISP_EXIT_CODE", "2\n");
    let broke = cause(&site).unwrap();
    assert_eq!(
        (broke.kind, broke.sure),
        (CauseKind::ScriptFailed, Sure::Certain)
    );
    assert!(
        broke
            .text
            .lossy()
            .ends_with("its job ended with exit code 2.")
    );
    assert!(broke.evidence[0].file.ends_with("stage-2/DPDISP_EXIT_CODE"));
    // An error that is recorded before this attempt has failed is of another one.
    let (null, error) = (
        "\"last_error\": null,\n      \"running_process\": {",
        "\"last_error\": \"out of memory\",\n      \"running_process\": {",
    );
    site.edit(null, error);
    let again = cause(&site).unwrap();
    assert_eq!(
        again.evidence[1].text,
        "last_error of stage-2, of an earlier attempt: out of memory"
    );
    site.edit(error, null);
    let made = std::fs::metadata(site.wf.join("stage-2/DPDISP_DONE")).unwrap();
    let made: chrono::DateTime<chrono::Utc> = made.modified().unwrap().into();
    assert_eq!(broke.at, Some(Stamp::utc(made)));
    // It ended normally: nothing failed, and nothing explains why it was not collected.
    site.write("stage-2/DPDISP_EXIT_CODE", "0\n");
    assert_eq!(cause(&site), None);
}

#[test]
fn a_job_without_a_session_and_a_prepared_stage() {
    let site = site("running");
    site.job("stage-2", false);
    let left = cause(&site).unwrap();
    assert_eq!(
        (left.kind, left.sure, left.at),
        (CauseKind::BackgroundUnfinished, Sure::Likely, None)
    );
    assert_eq!(
        left.evidence[0].line,
        Some(line_of(&site, "workflow-state.json", "running_process"))
    );
    let preparing = Site::new(&[STAGES[0], ("stage-2", "preparing", &["stage-1"])]);
    assert_eq!(cause(&preparing), None);
}

#[test]
fn a_pause_a_skipped_dependency_and_a_used_up_budget() {
    let site = Site::new(&[STAGES[0], ("stage-2", "pending", &["stage-1"])]);
    assert_eq!(cause(&site), None);
    site.edit(
        "\"version\": 1,",
        "\"version\": 1,\n  \"session_config\": {\"exit_reason\": \"budget_exhausted\"},",
    );
    let budget = cause(&site).unwrap();
    assert_eq!(
        (budget.kind, budget.sure),
        (CauseKind::BudgetLimit, Sure::Certain)
    );
    assert_eq!(budget.evidence[0].line, Some(4));
    site.write("PAUSE", "");
    let paused = cause(&site).unwrap();
    assert_eq!(
        (paused.kind, paused.sure),
        (CauseKind::UserInterrupted, Sure::Certain)
    );
    assert!(paused.at.is_some() && paused.evidence[0].file.ends_with("PAUSE"));

    let skipped = Site::new(&[
        ("stage-1", "skipped", &[]),
        ("stage-2", "pending", &["stage-1"]),
    ]);
    let asked = cause(&skipped).unwrap();
    assert_eq!(
        (asked.kind, asked.sure),
        (CauseKind::WaitingApproval, Sure::Likely)
    );
    // It waits since the stage was skipped, also where relight skipped it.
    assert_eq!(asked.at.map(|at| at.unix()), Some(1_780_304_400));
}

/// A failure stays the cause while a stage that does not depend on it could still run.
#[test]
fn a_stage_that_failed_earlier_is_the_cause_of_a_stop_before_another_one() {
    let site = Site::new(&[
        ("stage-1", "completed", &[]),
        ("stage-2", "failed", &["stage-1"]),
        ("stage-3", "pending", &["stage-1"]),
    ]);
    let found = cause(&site).unwrap();
    assert_eq!(
        (found.kind, found.sure),
        (CauseKind::ScriptFailed, Sure::Certain)
    );
    assert!(
        found
            .text
            .lossy()
            .starts_with("stage-2 (Name of stage-2) failed.")
    );
}
