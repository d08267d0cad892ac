//! The hand-off card: what is handed over, how a launch ended, and whether work has resumed.

use chrono::{DateTime, FixedOffset, TimeDelta};

use super::layer::Scroll;
use crate::model::{Clean, Handoff, Next, PipelineId, Resumed, StepMode};
use crate::tui::data::{EngineError, Watch};
use crate::tui::msg::Ticket;

/// How often it is looked for a new record.
const LOOK: TimeDelta = TimeDelta::seconds(1);

/// How long it is looked for one before that is said; what changes on disk is still looked at afterwards.
const PATIENCE: TimeDelta = TimeDelta::seconds(60);

/// The card.
#[derive(Debug, Clone)]
pub struct HandoffScreen {
    /// The pipeline.
    pub pipeline: PipelineId,
    /// What is handed over.
    pub handoff: Handoff,
    /// What the person should know before.
    pub before: Vec<Clean>,
    /// Whether it tells of a plan that was not carried out: it is only looked at then.
    pub premature: bool,
    /// The launch under way, or the hand-off of the next step that is worked out for one.
    pub ticket: Option<Ticket>,
    /// How the last launch ended, in a sentence.
    pub ended: Option<Clean>,
    /// Why something could not be done.
    pub trouble: Option<EngineError>,
    /// Watching for the orchestrator's first new record.
    pub watching: Option<Watching>,
    /// How far a system that goes step by step may go unasked.
    pub mode: StepMode,
    /// Where it is scrolled to.
    pub scroll: Scroll,
}

/// Watching for the orchestrator's first new record.
#[derive(Debug, Clone)]
pub struct Watching {
    /// Where its records stood.
    pub watch: Watch,
    /// When watching began.
    pub since: DateTime<FixedOffset>,
    /// When it was looked last.
    pub looked: DateTime<FixedOffset>,
    /// The look under way.
    pub ticket: Option<Ticket>,
    /// What was seen.
    pub seen: Resumed,
}

impl Watching {
    /// A watch that has seen this so far.
    pub fn new(watch: Watch, now: DateTime<FixedOffset>, seen: Resumed) -> Self {
        Self {
            watch,
            since: now,
            looked: now,
            ticket: None,
            seen,
        }
    }

    /// True while it is looked every second.
    pub fn is_eager(&self, now: DateTime<FixedOffset>) -> bool {
        self.seen == Resumed::No && now.signed_duration_since(self.since) < PATIENCE
    }

    /// True when it is time to look again; with `changed`, because something on disk did.
    pub fn is_due(&self, now: DateTime<FixedOffset>, changed: bool) -> bool {
        let rested = now.signed_duration_since(self.looked) >= LOOK;
        let wanted = changed || (rested && self.is_eager(now));
        self.seen == Resumed::No && self.ticket.is_none() && wanted
    }
}

impl HandoffScreen {
    /// A card.
    pub fn new(pipeline: PipelineId, handoff: Handoff, before: Vec<Clean>) -> Self {
        Self {
            pipeline,
            handoff,
            before,
            premature: false,
            ticket: None,
            ended: None,
            trouble: None,
            watching: None,
            mode: StepMode::default(),
            scroll: Scroll::default(),
        }
    }

    /// What is to be done after what was seen; nothing for a system that does not go step by step.
    pub fn next(&self) -> Option<Next> {
        let seen = &self.watching.as_ref()?.seen;
        let Resumed::Yes { step, .. } = seen else {
            return None;
        };
        let stepwise = step.done || step.gate || step.error;
        stepwise.then(|| crate::model::after_step(self.mode, seen))
    }
}
