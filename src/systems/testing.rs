//! Model values for the tests of several systems.

use std::path::Path;

use crate::model::{
    Action, ActionKind, Foreign, Handoff, PipelineId, Preview, Recovery, RecoveryId, RecoveryState,
};

/// A committed recovery that did nothing.
pub(crate) fn recovery(id: &str, label: &str) -> Recovery {
    Recovery {
        id: RecoveryId(id.to_owned()),
        pipeline: PipelineId("x~0000".to_owned()),
        root: "/".into(),
        label: Foreign::from(label),
        started_at: chrono::DateTime::default(),
        ended_at: None,
        state: RecoveryState::Committed,
        undoes: None,
        is_redo: false,
        undone_by: None,
        undo_purged: false,
        superseded_by: None,
        actions: Vec::new(),
        handoff: Handoff::default(),
        kept_bytes: 0,
        kept_in: Vec::new(),
        purged: false,
        running: false,
        trouble: Vec::new(),
        left: Vec::new(),
        paths: Vec::new(),
    }
}

/// The same, with lines appended to a log.
pub(crate) fn appending(id: &str, log: &Path) -> Recovery {
    Recovery {
        actions: vec![Action {
            kind: ActionKind::AppendLines,
            target: log.to_owned(),
            summary: Foreign::default(),
            changes: None,
            paths: Vec::new(),
            preview: Preview::Kept { pairs: Vec::new() },
        }],
        ..recovery(id, "a point")
    }
}

/// The undo of a recovery, with a line appended to the same log.
pub(crate) fn undo_of(done: &Recovery, id: &str) -> Recovery {
    Recovery {
        id: RecoveryId(id.to_owned()),
        label: format!("undo of {}", done.id).into(),
        undoes: Some(done.id.clone()),
        ..done.clone()
    }
}
