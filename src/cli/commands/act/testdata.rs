//! Synthetic plans for tests.

use crate::cli::prelude::*;
use crate::model::{
    ActionKind, Boundary, ChangeCounts, CheckpointKind, CheckpointNeed, Fingerprint, Loss,
    PathChange, PlanPath, PointId, PointKind, Preference, Preview, Readiness, ResumePoint,
};

/// The fingerprint of every plan here.
pub(super) const FINGERPRINT: &str =
    "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";

fn point() -> ResumePoint {
    ResumePoint {
        boundary: Boundary {
            id: PointId("wave-2".to_owned()),
            label: "Wave 2 of phase 3".into(),
            phase: Some("3".into()),
            kind: PointKind::Boundary,
            verified: Verdict::Pass,
            failing: vec![],
            checkpoint: CheckpointNeed::Found(Checkpoint {
                id: "e7f29d98e7f29d98e7f29d98e7f29d98e7f29d98".to_owned(),
                reason: "pre-wave-2".into(),
                taken_at: None,
                source: "shadow".into(),
                kind: CheckpointKind::Shadow {
                    store: PathBuf::from("/store"),
                },
                brings_back: "Every file.".into(),
                cannot: vec![],
                drift: None,
            }),
            edits_records: false,
            kept: Some(3),
            redone: Some(1),
            time_lost_s: None,
            warnings: vec![],
            reason: "".into(),
            preference: Preference::Rung,
        },
        recommended: true,
        reason: "".into(),
        readiness: Readiness::NeedsRestore,
    }
}

/// A restore of this many files, two of which are removed.
pub(super) fn restore(files: u64) -> Action {
    let path = |at: u64| PlanPath {
        path: format!("src/file-{at}.rs").into(),
        change: if at < 2 {
            PathChange::Remove
        } else {
            PathChange::Write
        },
        blob: None,
        forms: crate::model::Forms::default(),
        drifted: false,
    };
    Action {
        kind: ActionKind::RestoreTree,
        target: PathBuf::from("/projects/shop"),
        summary: "Puts files back.".into(),
        changes: Some(ChangeCounts {
            modified: files.saturating_sub(2),
            added: 0,
            removed: 2,
            branch: None,
        }),
        paths: (0..files).rev().map(path).collect(),
        preview: Preview::Tree {
            store: PathBuf::from("/store"),
            commit: "e7f29d98".to_owned(),
        },
    }
}

/// A plan of one restore of this many files.
pub(in crate::cli::commands) fn plan(files: u64, destructive: bool) -> Plan {
    Plan {
        asked: Asked::Resume {
            choice: PointChoice::Recommended,
            options: PlanOptions::default(),
        },
        fingerprint: Fingerprint(FINGERPRINT.to_owned()),
        basis: Vec::new(),
        pipeline: PipelineId("crucible-17~27b5".to_owned()),
        point: point(),
        cause: None,
        kept: vec![],
        redone: vec![],
        actions: vec![restore(files)],
        guards: vec![],
        warnings: vec![],
        left_out: vec![],
        kept_newer: vec![],
        losses: vec![Loss::overwritten(
            "2 files created after the checkpoint are moved aside.",
        )],
        destructive,
        handoff: Handoff::default(),
    }
}

/// The same as an undo.
pub(super) fn undo(files: u64) -> Plan {
    Plan {
        asked: Asked::Undo {
            recovery: RecoveryId("20261121T071500".to_owned()),
            redoes: None,
            options: crate::model::UndoOptions::default(),
        },
        ..plan(files, true)
    }
}

/// A guard that does not hold.
pub(super) fn failing(id: &'static str) -> Guard {
    Guard::fails(
        id,
        format!("The {id} is not as it must be."),
        "Put it right.",
    )
}
