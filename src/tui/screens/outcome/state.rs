//! What is applied, and its outcome.

use crate::model::{
    Clean, Foreign, Guard, Handoff, Irreversible, Outcome, PipelineId, Recovery, RecoveryState,
};
use crate::text::format;
use crate::tui::data::{EngineError, Fate, Load, PurgeReport, PurgedReplays, Recovered};
use crate::tui::msg::Ticket;

/// What it was that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Operation {
    /// A plan was applied.
    Plan,
    /// An interrupted recovery was recovered.
    Recover,
    /// The backups of a pending recovery were copied.
    Export,
    /// Backups were deleted.
    Purge,
}

/// The outcome of something that writes.
#[derive(Debug, Clone)]
pub(crate) struct OutcomeScreen {
    /// What it was.
    pub(crate) operation: Operation,
    /// The state of the person's files.
    pub(crate) fate: Fate,
    /// What was done, for a person.
    pub(crate) title: Clean,
    /// The pipeline it was about.
    pub(crate) pipeline: Option<PipelineId>,
    /// The recovery that is recorded of it.
    pub(crate) recovery: Option<Recovery>,
    /// How it was verified, a sentence each.
    pub(crate) verified: Vec<Foreign>,
    /// What else is to be known, a sentence each.
    pub(crate) notes: Vec<Foreign>,
    /// What went wrong.
    pub(crate) trouble: Option<EngineError>,
    /// The guards that refused.
    pub(crate) guards: Vec<Guard>,
    /// How the orchestrator resumes.
    pub(crate) handoff: Option<Handoff>,
    /// What no undo reverts.
    pub(crate) ledger: Load<Vec<Irreversible>>,
    /// The request for that.
    pub(crate) ticket: Option<Ticket>,
}

impl OutcomeScreen {
    fn empty(operation: Operation, title: Clean, pipeline: Option<PipelineId>, fate: Fate) -> Self {
        Self {
            operation,
            fate,
            title,
            pipeline,
            recovery: None,
            verified: Vec::new(),
            notes: Vec::new(),
            trouble: None,
            guards: Vec::new(),
            handoff: None,
            ledger: Load::Pending,
            ticket: None,
        }
    }

    /// A plan that was applied, or not.
    pub(crate) fn applied(
        title: Clean,
        pipeline: Option<PipelineId>,
        result: Result<Outcome, EngineError>,
    ) -> Self {
        let outcome = match result {
            Ok(outcome) => outcome,
            Err(failure) => return Self::failed(Operation::Plan, title, pipeline, failure),
        };
        let state = outcome.recovery.as_ref().map(|recovery| recovery.state);
        let fate = match state {
            Some(RecoveryState::Committed) | None => Fate::Done,
            Some(RecoveryState::RolledBack) => Fate::RolledBack,
            Some(RecoveryState::NeedsAttention) => Fate::Unclear,
        };
        Self {
            recovery: outcome.recovery,
            verified: outcome.verified,
            notes: outcome.notes,
            handoff: outcome.handoff,
            ..Self::empty(Operation::Plan, title, pipeline, fate)
        }
    }

    /// An interrupted recovery that was recovered or exported, or not.
    pub(crate) fn recovered(
        operation: Operation,
        title: Clean,
        pipeline: Option<PipelineId>,
        result: Result<Recovered, EngineError>,
    ) -> Self {
        let recovered = match result {
            Ok(recovered) => recovered,
            Err(failure) => return Self::failed(operation, title, pipeline, failure),
        };
        let state = recovered.recovery.as_ref().map(|recovery| recovery.state);
        let pending =
            state == Some(RecoveryState::NeedsAttention) && operation == Operation::Recover;
        let fate = if pending { Fate::Unclear } else { Fate::Done };
        let handoff = recovered.recovery.as_ref().map(|one| one.handoff.clone());
        let stands = state == Some(RecoveryState::Committed);
        Self {
            handoff: handoff.filter(|handoff| stands && !handoff.argv.is_empty()),
            notes: recovered.said,
            recovery: recovered.recovery,
            ..Self::empty(operation, title, pipeline, fate)
        }
    }

    /// Backups that were deleted, or not.
    pub(crate) fn purged(title: Clean, result: Result<PurgeReport, EngineError>) -> Self {
        let said = result.map(|report| {
            let (bytes, number) = (report.bytes, report.purged.len());
            let note = format!("Backups of {number} deleted, {bytes} bytes freed.");
            (note, report.left.len())
        });
        Self::deleted(title, said)
    }

    /// Replays that were deleted, or not.
    pub(crate) fn purged_replays(title: Clean, result: Result<PurgedReplays, EngineError>) -> Self {
        let said = result.map(|report| {
            let number = format::count(report.purged.len(), "replay");
            let note = format!("{number} deleted, {} freed.", format::size(report.bytes));
            (note, report.left.len())
        });
        Self::deleted(title, said)
    }

    fn deleted(title: Clean, result: Result<(String, usize), EngineError>) -> Self {
        match result {
            Ok((note, left)) => {
                let cancelled = (left > 0).then(|| format!("Canceled: {left} not deleted.").into());
                Self {
                    notes: std::iter::once(note.into()).chain(cancelled).collect(),
                    ..Self::empty(Operation::Purge, title, None, Fate::Done)
                }
            }
            Err(failure) => Self::failed(Operation::Purge, title, None, failure),
        }
    }

    fn failed(
        operation: Operation,
        title: Clean,
        pipeline: Option<PipelineId>,
        failure: EngineError,
    ) -> Self {
        let fate = Fate::after(&failure);
        Self {
            guards: failure.guards.clone(),
            trouble: Some(failure),
            ..Self::empty(operation, title, pipeline, fate)
        }
    }
}
