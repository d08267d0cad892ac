//! What is being carried out, and what came of it.

use std::sync::Arc;

use super::layer::Scroll;
use crate::model::{
    Cancel, Clean, Foreign, Guard, Handoff, Irreversible, Outcome, PipelineId, Plan, Reach,
    Recovery, RecoveryState, Rehearsal, Stage, StageProgress,
};
use crate::tui::data::{EngineError, Fate, Load, PurgeReport, Recovered};
use crate::tui::msg::Ticket;

/// Something that is being written. Nothing closes it but its result.
#[derive(Debug, Clone)]
pub struct Progress {
    /// What it is, for a person: `Taking up at wave-1`.
    pub title: Clean,
    /// The request.
    pub ticket: Ticket,
    /// What it is that is written.
    pub deed: Deed,
    /// The pipeline it is about, if it is one.
    pub pipeline: Option<PipelineId>,
    /// How far each stage is, as it was last told.
    pub stages: Stages,
    /// Whether the console was asked to end meanwhile; it does so with the result.
    pub leaving: bool,
    /// What stops it as long as that is possible.
    pub cancel: Cancel,
    /// How far it was when it was cancelled, if it was.
    pub cancelled_at: Option<Reach>,
}

/// How far each stage is. A stage that was never told has not begun.
#[derive(Debug, Clone, Default)]
pub struct Stages(Vec<StageProgress>);

impl Stages {
    /// Takes what was told. A number never goes back.
    pub fn take(&mut self, told: StageProgress) {
        match self.0.iter_mut().find(|known| known.stage == told.stage) {
            Some(known) => {
                known.done = known.done.max(told.done);
                known.total = told.total;
            }
            None => self.0.push(told),
        }
    }

    /// What was told of a stage.
    pub fn of(&self, stage: Stage) -> Option<&StageProgress> {
        self.0.iter().find(|known| known.stage == stage)
    }

    /// True for a stage that is over: it said so, or a later one has begun.
    pub fn is_over(&self, stage: Stage) -> bool {
        let later = self.0.iter().any(|known| known.stage > stage);
        let full = |known: &StageProgress| known.done >= known.total;
        later || self.of(stage).is_some_and(full)
    }
}

/// What it was that was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Deed {
    /// A plan was carried out.
    Plan,
    /// A pending recovery was settled.
    Settling,
    /// What a pending recovery keeps was copied out.
    Export,
    /// Space was given back.
    Purge,
}

/// What came of something that writes.
#[derive(Debug, Clone)]
pub struct OutcomeScreen {
    /// What it was.
    pub deed: Deed,
    /// What became of the person's files.
    pub fate: Fate,
    /// What was done, for a person.
    pub title: Clean,
    /// The pipeline it was about.
    pub pipeline: Option<PipelineId>,
    /// The recovery that is recorded of it.
    pub recovery: Option<Recovery>,
    /// How it was verified, a sentence each.
    pub verified: Vec<Foreign>,
    /// What else is to be known, a sentence each.
    pub notes: Vec<Foreign>,
    /// What went wrong.
    pub trouble: Option<EngineError>,
    /// The guards that refused.
    pub guards: Vec<Guard>,
    /// How the orchestrator goes on.
    pub handoff: Option<Handoff>,
    /// What cannot be taken back.
    pub ledger: Load<Vec<Irreversible>>,
    /// The request for that.
    pub ticket: Option<Ticket>,
    /// Where it is scrolled to.
    pub scroll: Scroll,
}

impl OutcomeScreen {
    fn empty(deed: Deed, title: Clean, pipeline: Option<PipelineId>, fate: Fate) -> Self {
        Self {
            deed,
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
            scroll: Scroll::default(),
        }
    }

    /// A plan that was carried out, or not.
    pub fn carried(
        title: Clean,
        pipeline: Option<PipelineId>,
        result: Result<Outcome, EngineError>,
    ) -> Self {
        let outcome = match result {
            Ok(outcome) => outcome,
            Err(failure) => return Self::failed(Deed::Plan, title, pipeline, failure),
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
            ..Self::empty(Deed::Plan, title, pipeline, fate)
        }
    }

    /// A pending recovery that was settled or copied out, or not.
    pub fn settled(
        deed: Deed,
        title: Clean,
        pipeline: Option<PipelineId>,
        result: Result<Recovered, EngineError>,
    ) -> Self {
        let settled = match result {
            Ok(settled) => settled,
            Err(failure) => return Self::failed(deed, title, pipeline, failure),
        };
        let state = settled.recovery.as_ref().map(|recovery| recovery.state);
        let pending = state == Some(RecoveryState::NeedsAttention) && deed == Deed::Settling;
        let fate = if pending { Fate::Unclear } else { Fate::Done };
        let handoff = settled.recovery.as_ref().map(|one| one.handoff.clone());
        let stands = state == Some(RecoveryState::Committed);
        Self {
            handoff: handoff.filter(|handoff| stands && !handoff.argv.is_empty()),
            notes: settled.said,
            recovery: settled.recovery,
            ..Self::empty(deed, title, pipeline, fate)
        }
    }

    /// Space that was given back, or not.
    pub fn purged(title: Clean, result: Result<PurgeReport, EngineError>) -> Self {
        match result {
            Ok(report) => {
                let (bytes, number) = (report.bytes, report.purged.len());
                let note = format!("{number} purged, {bytes} bytes given back.");
                let left = report.left.len();
                let cancelled = (left > 0).then(|| format!("Cancelled: {left} not purged.").into());
                Self {
                    notes: std::iter::once(note.into()).chain(cancelled).collect(),
                    ..Self::empty(Deed::Purge, title, None, Fate::Done)
                }
            }
            Err(failure) => Self::failed(Deed::Purge, title, None, failure),
        }
    }

    fn failed(
        deed: Deed,
        title: Clean,
        pipeline: Option<PipelineId>,
        failure: EngineError,
    ) -> Self {
        Self {
            guards: failure.guards.clone(),
            ..Self {
                trouble: Some(failure.clone()),
                ..Self::empty(deed, title, pipeline, Fate::after(&failure))
            }
        }
    }
}

/// A plan that is tried in a scratch folder.
#[derive(Debug, Clone)]
pub struct RehearsalScreen {
    /// The plan.
    pub plan: Arc<Plan>,
    /// The request under way.
    pub ticket: Option<Ticket>,
    /// How far each stage is.
    pub stages: Stages,
    /// What it came to.
    pub result: Load<Rehearsal>,
    /// Where it is scrolled to.
    pub scroll: Scroll,
}
