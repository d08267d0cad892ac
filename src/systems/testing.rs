//! Model values for the tests of several systems.

use std::path::{Path, PathBuf};

use crate::model::{
    Action, ActionKind, Check, Foreign, Handoff, PipelineId, Preview, Recovery, RecoveryId,
    RecoveryState, Step,
};

/// What the check of this id says, a line for each outcome, with the remedy after a dash.
pub(crate) fn said(checks: &[Check], id: &str) -> String {
    let own = checks.iter().filter(|one| one.id.0 == id);
    let lines = own.map(|one| {
        let remedy = one.remedy.as_ref().map(Foreign::lossy);
        let remedy = remedy.map_or_else(String::new, |remedy| format!(" - {remedy}"));
        format!("{} {}{remedy}", one.verdict.word(), one.evidence.lossy())
    });
    lines.collect::<Vec<_>>().join("\n")
}

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

/// The file that a step replaces, with its content before and after.
pub(crate) fn replaced(step: &Step) -> Option<(PathBuf, Option<Vec<u8>>, Vec<u8>)> {
    let action = changes(step)?;
    let Preview::Content { before, after, .. } = &action.preview else {
        return None;
    };
    Some((action.target.clone(), before.clone(), after.clone()))
}

/// The log that a step appends to, and the lines.
pub(crate) fn appended(step: &Step) -> Option<(PathBuf, Vec<String>)> {
    let action = changes(step)?;
    let Preview::Lines { appended, .. } = &action.preview else {
        return None;
    };
    let lines = appended.iter().map(|line| line.lossy().into_owned());
    Some((action.target.clone(), lines.collect()))
}

/// What a step moves aside, and where to.
pub(crate) fn moved_aside(step: &Step) -> Option<(PathBuf, PathBuf)> {
    let action = changes(step)?;
    let Preview::Rename { to } = &action.preview else {
        return None;
    };
    Some((action.target.clone(), to.clone()))
}

fn changes(step: &Step) -> Option<&Action> {
    match step {
        Step::Change(action) => Some(action),
        Step::RestoreTree { .. } | Step::ResetWorktree { .. } => None,
    }
}
