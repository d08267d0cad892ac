//! The hand-off card: what is handed over, how a launch ended, and whether work has resumed.

use chrono::{DateTime, FixedOffset, TimeDelta};

use crate::model::{Clean, Continuation, Handoff, Next, PipelineId, Resumed, StepMode};
use crate::tui::data::{EngineError, Watch};
use crate::tui::msg::Ticket;

/// How often the pipeline is checked for a new record.
const LOOK: TimeDelta = TimeDelta::seconds(1);

/// How long it is checked before the screen reports that there is none. Later changes on disk are still noticed.
const PATIENCE: TimeDelta = TimeDelta::seconds(60);

/// The card.
#[derive(Debug, Clone)]
pub(crate) struct HandoffScreen {
    /// The pipeline.
    pub(crate) pipeline: PipelineId,
    /// What is handed over.
    pub(crate) handoff: Handoff,
    /// What the person should know before.
    pub(crate) before: Vec<Clean>,
    /// Whether its plan was not applied: then it is only shown.
    pub(crate) premature: bool,
    /// The conversation that can be continued in its place.
    pub(crate) other: Option<Continuation>,
    /// The running launch, or the request for the hand-off of the next step.
    pub(crate) ticket: Option<Ticket>,
    /// How the last launch ended, in a sentence.
    pub(crate) ended: Option<Clean>,
    /// Why something could not be done.
    pub(crate) trouble: Option<EngineError>,
    /// Watching for the orchestrator's first new record.
    pub(crate) watching: Option<Watching>,
    /// How far a system that runs step by step may continue without asking.
    pub(crate) mode: StepMode,
}

/// Watching for the orchestrator's first new record.
#[derive(Debug, Clone)]
pub(crate) struct Watching {
    /// Where its records stood.
    pub(crate) watch: Watch,
    /// When watching began.
    pub(crate) since: DateTime<FixedOffset>,
    /// When it was looked last.
    pub(crate) looked: DateTime<FixedOffset>,
    /// The look under way.
    pub(crate) ticket: Option<Ticket>,
    /// What was seen.
    pub(crate) seen: Resumed,
}

impl Watching {
    /// A watch that has seen this so far.
    pub(crate) fn new(watch: Watch, now: DateTime<FixedOffset>, seen: Resumed) -> Self {
        Self {
            watch,
            since: now,
            looked: now,
            ticket: None,
            seen,
        }
    }

    /// True while it is looked every second.
    pub(crate) fn is_eager(&self, now: DateTime<FixedOffset>) -> bool {
        self.seen == Resumed::No && now.signed_duration_since(self.since) < PATIENCE
    }

    /// True when it is time to look again; with `changed`, because something on disk did.
    pub(crate) fn is_due(&self, now: DateTime<FixedOffset>, changed: bool) -> bool {
        let rested = now.signed_duration_since(self.looked) >= LOOK;
        let wanted = changed || (rested && self.is_eager(now));
        self.seen == Resumed::No && self.ticket.is_none() && wanted
    }
}

impl HandoffScreen {
    /// A card.
    pub(crate) fn new(pipeline: PipelineId, handoff: Handoff, before: Vec<Clean>) -> Self {
        Self {
            pipeline,
            handoff,
            before,
            premature: false,
            other: None,
            ticket: None,
            ended: None,
            trouble: None,
            watching: None,
            mode: StepMode::default(),
        }
    }

    /// The next action after this record; none for a system that does not run step by step.
    pub(crate) fn next(&self) -> Option<Next> {
        let seen = &self.watching.as_ref()?.seen;
        let Resumed::Yes { step, .. } = seen else {
            return None;
        };
        let stepwise = step.done || step.gate || step.error;
        stepwise.then(|| crate::model::after_step(self.mode, seen))
    }
}
