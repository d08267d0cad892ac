//! Why an issue stopped, according to its files.

use super::*;
use crate::model::{Cause, CauseKind, Sure};

fn cause(members: &str) -> Option<Cause> {
    let sandbox = Sandbox::new();
    sandbox.state(members);
    let log = "{\"timestamp\":\"2026-05-02T08:00:00Z\",\"command\":\"run\",\"issue\":57,\"status\":\"error\",\"error\":\"first\"}\n{\"timestamp\":\"2026-05-02T09:00:00Z\",\"command\":\"run\",\"issue\":57,\"status\":\"error\",\"error\":\"push was\\nrejected\"}\n{\"timestamp\":\"2026-05-02T09:30:00Z\",\"command\":\"run\",\"issue\":58,\"status\":\"error\",\"error\":\"other\"}\n";
    sandbox.file(".mgw/logs/2026-05-02.jsonl", log);
    sandbox.open().recorded_cause(None, &sandbox.world)
}

fn texts(cause: &Cause) -> Vec<String> {
    let texts = cause
        .evidence
        .iter()
        .map(|one| one.text.lossy().into_owned());
    texts.collect()
}

#[test]
fn a_gate_waits_for_an_approval_or_an_answer() {
    for (stage, kind, advice) in [
        (
            "needs-security-review",
            CauseKind::WaitingApproval,
            "Review it, then run /mgw:run 57 --security-ack.",
        ),
        (
            "discussing",
            CauseKind::WaitingApproval,
            "Answer its comments in issue #57, then triage it again with /mgw:issue 57.",
        ),
        (
            "needs-info",
            CauseKind::WaitingAnswer,
            "Supply what is missing in issue #57, then triage it again with /mgw:issue 57.",
        ),
        (
            "blocked",
            CauseKind::WaitingAnswer,
            "Answer its comments in issue #57, then continue with /mgw:run 57.",
        ),
    ] {
        let members = format!(
            "\"pipeline_stage\": \"{stage}\",\n  \"last_transition\": \"2026-05-02T09:12:00Z\""
        );
        let found = cause(&members).unwrap();
        assert_eq!((found.kind, found.sure), (kind, Sure::Certain), "{stage}");
        assert_eq!(found.at.map(|at| at.unix()), Some(1_777_713_120), "{stage}");
        assert_eq!(found.next[0].lossy(), advice);
        assert_eq!(texts(&found), [format!("The stage is {stage}.")]);
        assert_eq!(found.evidence[0].line, Some(3));
        assert!(found.evidence[0].file.ends_with(FILE));
    }
}

#[test]
fn a_failure_names_its_class_and_the_last_error_of_the_log() {
    let failed =
        cause("\"pipeline_stage\": \"failed\",\n  \"last_failure_class\": \"permanent\"").unwrap();
    assert_eq!(
        (failed.kind, failed.sure),
        (CauseKind::ScriptFailed, Sure::Certain)
    );
    assert_eq!(
        texts(&failed),
        [
            "#57 failed (failure class permanent, 0 retries). Continue with /mgw:run 57 --retry.",
            "The command log says: run error push was rejected",
        ]
    );
    let lines: Vec<_> = failed.evidence.iter().map(|one| one.line).collect();
    assert_eq!(lines, [Some(3), Some(2)]);
    // Without a recorded time, the time of the file counts.
    assert_eq!(failed.at.map(|at| at.unix()), Some(1_777_716_000));

    let dead =
        cause("\"pipeline_stage\": \"executing\",\n  \"retry_count\": 3,\n  \"dead_letter\": true")
            .unwrap();
    assert_eq!(dead.kind, CauseKind::ScriptFailed);
    assert_eq!(dead.evidence[0].line, Some(5));
}

#[test]
fn an_issue_that_just_stopped_has_no_recorded_cause() {
    for members in [
        "\"pipeline_stage\": \"executing\"",
        "\"pipeline_stage\": \"done\"",
        "\"pipeline_stage\": \"pr-created\"",
    ] {
        assert_eq!(cause(members), None, "{members}");
    }
}
