//! What has been carried out, and what a crash left pending.

use std::path::PathBuf;
use std::sync::Arc;

use super::cursor::Cursor;
use super::layer::Scroll;
use crate::model::{
    Asked, Boundary, CheckpointNeed, Fingerprint, Foreign, History, Plan, PointId, PointKind,
    Preference, Readiness, Recovery, RecoveryId, RecoveryState, ResumePoint, UndoOptions, Verdict,
};
use crate::tui::data::Load;
use crate::tui::msg::Ticket;

/// The recoveries of the scope, newest first; those that need attention stand above the others.
#[derive(Debug, Clone, Default)]
pub struct RecoveriesScreen {
    /// What was found.
    pub all: Load<History>,
    /// The request under way.
    pub ticket: Option<Ticket>,
    /// The selection.
    pub cursor: Cursor<RecoveryId>,
}

impl RecoveriesScreen {
    /// Takes what was found.
    pub fn take(&mut self, all: Load<History>) {
        self.all = match all {
            Load::Ready(found) => {
                let mut sorted = found.as_ref().clone();
                // They come in the order in which they were carried out, which no clock tells.
                sorted
                    .recoveries
                    .sort_by_key(|one| one.state != RecoveryState::NeedsAttention);
                Load::Ready(Arc::new(sorted))
            }
            other => other,
        };
        let keys = self.keys();
        self.cursor.settle(&keys);
        if self.cursor.key().is_none() {
            self.cursor.go(&keys, 0);
        }
    }

    /// The rows.
    pub fn rows(&self) -> &[Recovery] {
        self.all
            .ready()
            .map_or(&[], |all| all.recoveries.as_slice())
    }

    /// The rows by what they are known by.
    pub fn keys(&self) -> Vec<RecoveryId> {
        self.rows().iter().map(|row| row.id.clone()).collect()
    }

    /// The selected one.
    pub fn selected(&self) -> Option<&Recovery> {
        let key = self.cursor.key()?;
        self.rows().iter().find(|row| row.id == *key)
    }
}

/// A recovery that a crash left pending, with what can be done about it.
#[derive(Debug, Clone)]
pub struct PendingScreen {
    /// The recovery.
    pub recovery: Recovery,
    /// Paths that stay as they are now.
    pub keep: Vec<PathBuf>,
    /// How many others are pending, too.
    pub others: usize,
    /// Where it is scrolled to.
    pub scroll: Scroll,
}

/// What a recovery did, in the shape of a plan, so that the same outline and the same comparison show it.
/// It answers nothing and can be carried out by nobody: its fingerprint is empty.
pub fn as_plan(recovery: &Recovery) -> Plan {
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
        warnings: Vec::new(),
        left_out: Vec::new(),
        losses: recovery.trouble.clone(),
        destructive: false,
        handoff: recovery.handoff.clone(),
    }
}

/// Why a recovery cannot be taken back, if it cannot.
pub fn not_undoable(recovery: &Recovery) -> Option<&'static str> {
    match recovery.state {
        RecoveryState::NeedsAttention => {
            Some("This one is pending: it has to be settled before it can be taken back.")
        }
        RecoveryState::RolledBack => {
            Some("This one was rolled back: there is nothing of it to take back.")
        }
        RecoveryState::Committed if recovery.purged => {
            Some("What this one kept was given back: it can no longer be taken back.")
        }
        RecoveryState::Committed if recovery.undone_by.is_some() => {
            Some("This one was taken back already; Ctrl-r shows how to do it again.")
        }
        RecoveryState::Committed => None,
    }
}
