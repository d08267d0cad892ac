//! A question that must be answered before anything is written.

use std::path::PathBuf;
use std::sync::Arc;

use chrono::{DateTime, FixedOffset};

use crate::model::{Clean, Handoff, PipelineId, Plan, Recovery, ReplayPlan};
use crate::tui::screens::replays::{Continuation, Doomed};
use crate::tui::state::field::Field;

/// What a destructive plan wants typed.
pub(crate) const YES: &str = "yes";

/// What answers an unknown liveness.
pub(crate) const NOT_RUNNING: &str = "not running";

/// What answers a question of a plan.
pub(crate) const ACCEPT: &str = "accept";

/// The word that confirms a purge.
pub(crate) const PURGE: &str = "purge";

/// What is asked.
#[derive(Debug, Clone)]
pub(crate) enum Ask {
    /// Whether to apply this plan.
    Apply {
        /// The plan.
        plan: Arc<Plan>,
        /// When it was computed.
        made_at: DateTime<FixedOffset>,
        /// The same from a shell.
        command: Option<Clean>,
        /// Where it will keep what it replaces, where that is known.
        kept_in: Option<PathBuf>,
    },
    /// Whether to treat unknown liveness of the plan's pipeline as stopped.
    Stopped {
        /// What was seen, a sentence each.
        evidence: Vec<Clean>,
    },
    /// A question of the plan that only the person answers.
    Accept {
        /// Its id.
        id: String,
        /// What is asked.
        question: Clean,
    },
    /// The reason for resuming at this point, which the hand-off includes.
    Reason,
    /// On which branch the pipeline of the plan screen ran.
    Branch {
        /// What was seen.
        seen: Clean,
    },
    /// Whether to delete the backups of these.
    Purge(Vec<Recovery>),
    /// The folder into which the backups of a recovery are copied.
    Export(Box<Recovery>),
    /// Into which folder to write the reports of these.
    ExportReports(Vec<PipelineId>),
    /// Whether to launch the orchestrator here.
    Launch(PipelineId, Handoff),
    /// Whether to run this replay.
    Replay {
        /// The plan.
        plan: Arc<ReplayPlan>,
        /// When it was made.
        made_at: DateTime<FixedOffset>,
        /// The same from a shell.
        command: Option<Clean>,
    },
    /// Whether to continue a replay that was interrupted, or to add blocks to an experiment.
    Continue(Continuation),
    /// Whether to delete a replay.
    PurgeReplay(Doomed),
    /// Whether to stop the replay that runs.
    StopReplay,
    /// Whether to leave the console although a replay runs.
    Leave,
}

/// How it is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// `y` is yes, everything else is no.
    Key,
    /// This text and Enter is yes, everything else is no.
    Word(&'static str),
    /// Any text and Enter; an empty one is no.
    Text,
}

/// A question. Its keys are its own: those of the screen beneath do nothing here.
#[derive(Debug, Clone)]
pub(crate) struct Question {
    /// What is asked.
    pub(crate) ask: Ask,
    /// How it is answered.
    pub(crate) answer: Answer,
    /// What was typed.
    pub(crate) field: Field,
    /// The scroll position of the text, counted from its end, because the worst is last.
    pub(crate) scrolled: usize,
}

impl Question {
    /// A question that nobody has answered.
    pub(crate) fn new(ask: Ask, answer: Answer) -> Self {
        Self {
            ask,
            answer,
            field: match answer {
                Answer::Key => Field::default(),
                Answer::Word(_) | Answer::Text => Field::opened(),
            },
            scrolled: 0,
        }
    }
}
