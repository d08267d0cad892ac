//! The recoveries, and what a crash left pending.

use std::sync::Arc;

use crate::model::{
    Asked, Boundary, CheckpointNeed, Fingerprint, Foreign, History, Plan, PointId, PointKind,
    Preference, Readiness, Recovery, RecoveryId, RecoveryState, ResumePoint, Skipped, UndoOptions,
    Verdict,
};
use crate::tui::data::Load;
use crate::tui::msg::Ticket;
use crate::tui::state::cursor::Cursor;

/// The recoveries of the scope, newest first; those that need attention stand above the others.
#[derive(Debug, Clone, Default)]
pub(crate) struct RecoveriesScreen {
    /// What was found.
    pub(crate) all: Load<History>,
    /// The request under way.
    pub(crate) ticket: Option<Ticket>,
    /// The selection.
    pub(crate) cursor: Cursor<RecoveryId>,
}

impl RecoveriesScreen {
    /// Takes what was found.
    pub(crate) fn take(&mut self, all: Load<History>) {
        self.all = match all {
            Load::Ready(found) => {
                let mut sorted = found.as_ref().clone();
                // They arrive in the order in which they were applied, which may differ from the order of their times.
                sorted
                    .recoveries
                    .sort_by_key(|one| one.state != RecoveryState::NeedsAttention);
                Load::Ready(Arc::new(sorted))
            }
            other => other,
        };
        let keys = self.keys();
        self.cursor.reselect(&keys);
        if self.cursor.key().is_none() {
            self.cursor.go(&keys, 0);
        }
    }

    /// The rows.
    pub(crate) fn rows(&self) -> &[Recovery] {
        self.all
            .ready()
            .map_or(&[], |all| all.recoveries.as_slice())
    }

    /// Entries of the history that cannot be read.
    pub(crate) fn unreadable(&self) -> &[Skipped] {
        self.all
            .ready()
            .map_or(&[], |all| all.unreadable.as_slice())
    }

    /// The rows by what they are known by.
    pub(crate) fn keys(&self) -> Vec<RecoveryId> {
        self.rows().iter().map(|row| row.id.clone()).collect()
    }

    /// The selected one.
    pub(crate) fn selected(&self) -> Option<&Recovery> {
        let key = self.cursor.key()?;
        self.rows().iter().find(|row| row.id == *key)
    }
}

/// What a recovery did, in the form of a plan, so that the same outline and the same comparison can show it. It cannot
/// be applied: its fingerprint is empty.
pub(crate) fn as_plan(recovery: &Recovery) -> Plan {
    let boundary = Boundary {
        id: PointId(recovery.label.lossy().into_owned()),
        label: recovery.label.clone(),
        phase: None,
        kind: PointKind::CurrentState,
        verified: Verdict::Skipped,
        failing: Vec::new(),
        checkpoint: CheckpointNeed::None,
        kept: 0,
        redone: 0,
        time_lost_s: None,
        warnings: Vec::new(),
        reason: Foreign::default(),
        preference: Preference::ByHand,
    };
    Plan {
        asked: Asked::Undo {
            recovery: recovery.id.clone(),
            redoes: recovery.undoes.clone().filter(|_| recovery.is_undo()),
            options: UndoOptions::default(),
        },
        fingerprint: Fingerprint(String::new()),
        pipeline: recovery.pipeline.clone(),
        point: ResumePoint {
            boundary,
            recommended: false,
            reason: Foreign::default(),
            readiness: Readiness::Ready,
        },
        kept: Vec::new(),
        redone: Vec::new(),
        actions: recovery.actions.clone(),
        guards: Vec::new(),
        warnings: recovery.trouble.clone(),
        left_out: Vec::new(),
        kept_newer: Vec::new(),
        losses: Vec::new(),
        destructive: false,
        handoff: recovery.handoff.clone(),
    }
}

/// Why a recovery cannot be undone, if it cannot.
pub(crate) fn not_undoable(recovery: &Recovery) -> Option<&'static str> {
    match recovery.state {
        RecoveryState::NeedsAttention if recovery.running => {
            Some("Another relight is applying it now.")
        }
        RecoveryState::NeedsAttention => {
            Some("This recovery is pending: recover it first, then undo it.")
        }
        RecoveryState::RolledBack => Some("This recovery was rolled back: nothing to undo."),
        RecoveryState::Committed if recovery.purged => Some("Backups deleted; cannot undo."),
        RecoveryState::Committed if recovery.undone_by.is_some() => {
            Some("Already undone; Ctrl-R shows the redo.")
        }
        RecoveryState::Committed => None,
    }
}
