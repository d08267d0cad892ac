//! The cause of a stop that a pipeline's own records name.

use crate::model::{Cause, CauseEvidence, CauseKind, PhaseStatus, Reading, Status, Sure};

/// What it waits for, or the phase that failed last; `None` where the records name neither.
pub(super) fn of(reading: &Reading) -> Option<Cause> {
    let file = reading.state_files.first().unwrap_or(&reading.root);
    let failed = reading
        .phases
        .iter()
        .rfind(|phase| phase.status == PhaseStatus::Failed);
    let (kind, text, sure) = match reading.claim.status {
        Status::Waiting => (
            CauseKind::WaitingApproval,
            reading.claim.reason.clone(),
            Sure::Certain,
        ),
        Status::Interrupted => {
            let phase = failed?;
            let text = format!("Phase {} failed.", phase.id.lossy());
            (CauseKind::ScriptFailed, text.into(), Sure::Likely)
        }
        Status::Live | Status::Unreadable | Status::Complete => return None,
    };
    Some(Cause {
        kind,
        evidence: vec![CauseEvidence {
            file: file.clone(),
            line: None,
            text: reading.claim.reason.clone(),
        }],
        text,
        at: reading.last_activity_at,
        until: None,
        sure,
        next: Vec::new(),
    })
}
