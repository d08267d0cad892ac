//! Everything that can happen to the console, and everything it can ask for in return.

use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

use chrono::{DateTime, FixedOffset};

use super::data::{
    Dossier, Failure, Launched, Made, Operand, PurgeReport, Request, Settle, Settled, Sides,
    Survey, Trouble, Watch,
};
use super::keys::Key;
use super::state::compare::DiffSource;
use crate::diff::Diff;
use crate::model::{
    Cancel, Checkpoint, Clean, Comparison, Drift, Foreign, Handoff, Irreversible, Origin, Outcome,
    Pipeline, PipelineId, Plan, PlanOptions, PointChoice, Recovery, RecoveryId, Rehearsal,
    ReplayAsk, ReplayPlan, ReplayProgress, ReplaySession, Resumed, SessionId, StageProgress,
    Timeline, UndoOptions,
};

/// The number of a request. Replies carry it back; one whose number is no longer awaited is dropped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Ticket(pub u64);

/// What the mouse did, at a cell of the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MouseDeed {
    /// The left button went down.
    Press,
    /// The wheel turned away from the person.
    WheelUp,
    /// The wheel turned towards the person.
    WheelDown,
}

/// A signal from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// The console is asked to end (SIGTERM, SIGHUP).
    End,
    /// The console is interrupted (SIGINT from elsewhere).
    Interrupt,
    /// The console is asked to stop for a while (SIGTSTP).
    Stop,
    /// The console goes on after a stop that it did not make itself (SIGCONT).
    Continue,
}

/// One thing that happened.
#[derive(Debug)]
#[expect(
    clippy::large_enum_variant,
    reason = "a message is made once, moved twice and gone"
)]
pub enum Msg {
    /// A key was pressed.
    Key(Key),
    /// Text was pasted.
    Paste(String),
    /// The mouse did something at a column and row.
    Mouse(MouseDeed, u16, u16),
    /// The terminal has this size now.
    Resize(u16, u16),
    /// Time went on. Sent often while something is awaited, once a minute otherwise.
    Tick(DateTime<FixedOffset>),
    /// What time it is, told before what happened at it.
    Clock(DateTime<FixedOffset>),
    /// A signal arrived.
    Signal(Signal),
    /// Something on disk changed that is being shown.
    Changed,
    /// The answer to a request.
    Reply(Ticket, Reply),
    /// The worker or the terminal has something for the log.
    Note(Foreign),
}

/// An answer.
#[derive(Debug)]
pub enum Reply {
    /// One pipeline was found, or is known better than before.
    Found(Box<Pipeline>),
    /// Looking has ended.
    Survey(Result<Survey, Trouble>),
    /// Everything about a pipeline.
    Dossier(PipelineId, Result<Dossier, Trouble>),
    /// How far a work tree has moved from a checkpoint; nothing where it is none of files.
    Drift(PipelineId, String, Result<Option<Drift>, Trouble>),
    /// A plan.
    Plan(Result<Made, Trouble>),
    /// A comparison with its title.
    Diff(Result<(Foreign, Diff), Trouble>),
    /// The lines of a detail view.
    Raw(Result<Vec<Clean>, Trouble>),
    /// The events that a filter leaves.
    Hits(Vec<usize>),
    /// The event that a jump leads to.
    Sought(Option<usize>),
    /// How far a stage of what is being carried out is.
    Progress(StageProgress),
    /// What came of carrying a plan out.
    Carried(Result<Outcome, Failure>),
    /// What has been carried out, newest first.
    Recoveries(Result<Vec<Recovery>, Trouble>),
    /// What a crash left pending.
    Pending(Result<Vec<Recovery>, Trouble>),
    /// What came of settling it.
    Settled(Result<Settled, Failure>),
    /// What came of giving space back.
    Purged(Result<PurgeReport, Failure>),
    /// What a rehearsal came to.
    Rehearsed(Result<Rehearsal, Trouble>),
    /// What cannot be taken back.
    Ledger(Result<Vec<Irreversible>, Trouble>),
    /// What came of launching the orchestrator.
    Launched(Result<Launched, Trouble>),
    /// Where the orchestrator's records stand, to be watched from now on.
    Watching(Result<Watch, Trouble>),
    /// Whether it has written anything since.
    Looked(Result<Resumed, Trouble>),
    /// The replays of a pipeline, newest first.
    Replays(Result<Vec<ReplaySession>, Trouble>),
    /// What a replay would do.
    ReplayPlan(Result<ReplayPlan, Trouble>),
    /// How far a replay is.
    Replaying(ReplayProgress),
    /// What came of a replay.
    Replayed(Result<Vec<ReplaySession>, Trouble>),
    /// What of a pipeline can be compared.
    Operands(Result<Vec<Operand>, Trouble>),
    /// Two runs side by side.
    Compared(Result<Comparison, Trouble>),
    /// A text as a person left it in their editor.
    Edited(Result<Vec<u8>, Trouble>),
}

/// Which plan is wanted.
#[derive(Debug, Clone, PartialEq)]
pub enum Wanted {
    /// The plan of taking a pipeline up.
    Resume {
        /// Which pipeline.
        id: PipelineId,
        /// From which point.
        choice: PointChoice,
        /// What the person chose beside the point.
        options: PlanOptions,
    },
    /// The plan of taking a recovery back.
    Undo {
        /// Which recovery.
        recovery: RecoveryId,
        /// Whether it is an undo that is taken back.
        redo: bool,
        /// What was said beside it.
        options: UndoOptions,
        /// The scope in which it is looked for.
        request: Request,
    },
}

/// A timeline in an effect; two are equal if they are the same one.
#[derive(Clone)]
pub struct Rows(pub Timeline);

impl fmt::Debug for Rows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Rows({})", self.0.len())
    }
}

impl PartialEq for Rows {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// Something to be done outside the pure part.
#[derive(Debug, Clone, PartialEq)]
pub enum Effect {
    /// Look for pipelines.
    Survey(Ticket, Request),
    /// Read everything about a pipeline. A preview is dropped as soon as a newer one is wanted.
    Dossier {
        /// The number of the request.
        ticket: Ticket,
        /// Which pipeline.
        id: PipelineId,
        /// Whether only the newest such request counts.
        preview: bool,
    },
    /// Measure how far a work tree has moved from a checkpoint.
    Drift(Ticket, PipelineId, Box<Checkpoint>),
    /// Make a plan.
    Plan(Ticket, Wanted),
    /// Compare the two sides of something.
    Diff {
        /// The number of the request.
        ticket: Ticket,
        /// Of what.
        source: DiffSource,
        /// How.
        options: crate::diff::Options,
    },
    /// Read the raw line or file behind a row.
    Raw(Ticket, Origin),
    /// Find the events that hold a text.
    Filter(Ticket, Rows, String),
    /// Find the next event (or the previous one) of another phase.
    SeekPhase {
        /// The number of the request.
        ticket: Ticket,
        /// The events.
        rows: Rows,
        /// Where to begin.
        from: usize,
        /// Which way.
        forward: bool,
    },
    /// Carry a plan out. What the person typed goes with it: the worker makes the consent of it, or refuses.
    CarryOut {
        /// The number of the request.
        ticket: Ticket,
        /// The plan that was shown.
        plan: Arc<Plan>,
        /// What was typed at the question.
        typed: String,
        /// What stops it as long as that is possible.
        cancel: Cancel,
    },
    /// Try a plan in a scratch folder.
    Rehearse(Ticket, Arc<Plan>),
    /// List what has been carried out.
    Recoveries(Ticket, Request),
    /// Look for what a crash left pending.
    Pending(Ticket, Request),
    /// Settle what a crash left pending.
    Settle {
        /// The number of the request.
        ticket: Ticket,
        /// Which recovery.
        id: RecoveryId,
        /// How.
        how: Settle,
        /// The scope in which it is looked for.
        request: Request,
        /// What stops it before it begins.
        cancel: Cancel,
    },
    /// Give back the space of what these recoveries keep.
    Purge(Ticket, Vec<Recovery>, Cancel),
    /// List what cannot be taken back.
    Ledger(Ticket, PipelineId),
    /// Give the terminal to the orchestrator until it ends.
    Launch(Ticket, PipelineId, Box<Handoff>),
    /// Remember where the orchestrator's records stand.
    WatchRecords(Ticket, PipelineId),
    /// Look whether it has written anything since.
    Look(Ticket, Watch),
    /// List the replays of a pipeline.
    Replays(Ticket, PipelineId),
    /// Make the plan of a replay.
    ReplayPlan(Ticket, PipelineId, Box<ReplayAsk>),
    /// Run a replay, until it ends or the switch is set.
    Replay {
        /// The number of the request.
        ticket: Ticket,
        /// The plan that was shown.
        plan: Arc<ReplayPlan>,
        /// What ends it early.
        cancel: Cancel,
    },
    /// Go on with a replay that was cut short.
    ReplayContinue {
        /// The number of the request.
        ticket: Ticket,
        /// The pipeline.
        id: PipelineId,
        /// Which replay.
        session: SessionId,
        /// What ends it early.
        cancel: Cancel,
    },
    /// List what of a pipeline can be compared.
    Operands(Ticket, PipelineId),
    /// Compare two runs; what is not named is left to the engine.
    Compare {
        /// The number of the request.
        ticket: Ticket,
        /// The pipeline.
        id: PipelineId,
        /// The left side.
        a: Option<String>,
        /// The right side.
        b: Option<String>,
    },
    /// Give a text to the person's editor, and take it back.
    Edit(Ticket, Vec<u8>),
    /// Watch these places instead of those watched before.
    Watch(Vec<PathBuf>),
    /// Give a text to the terminal's clipboard.
    Copy(Clean),
    /// Give a text of several lines to it.
    CopyLines(Vec<Clean>),
    /// Open a file in the person's editor or pager.
    Open(Origin),
    /// Take the mouse, or let the terminal have it.
    Mouse(bool),
    /// Stop as a job of the shell.
    Suspend,
    /// Draw everything anew.
    Redraw,
    /// End.
    Quit,
}

/// What an engine does for `Effect::Diff`, kept with the reply types it belongs to.
pub(super) fn compare(sides: Sides, options: crate::diff::Options) -> (Foreign, Diff) {
    (
        sides.title,
        crate::diff::rows(sides.before, sides.after, options),
    )
}
